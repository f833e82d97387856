//! Chess clocks of two engines: the time for the next move, and the remaining time after it.

use std::fmt;
use std::time::Duration;

/// A time control: the initial time and the increment per move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// The initial time.
    pub start: Duration,
    /// The increment per move.
    pub increment: Duration,
}

/// Kept back for communication with the engine.
const RESERVE: Duration = Duration::from_millis(20);
/// The shortest time for a move.
const LEAST: Duration = Duration::from_millis(5);

impl TimeControl {
    /// `5+3`: five minutes, three seconds a move; either may have a fraction, as in `0.5+0.1`.
    pub fn read(text: &str) -> Option<TimeControl> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..=10_000.0).contains(number));
        let start = Duration::from_secs_f64(number(minutes)? * 60.0);
        let increment = Duration::from_secs_f64(number(seconds)?);
        (start + increment > RESERVE + LEAST).then_some(TimeControl { start, increment })
    }

    /// The time on the clock before the first move. A game that starts without time begins with one increment, as on chess
    /// servers.
    pub fn first(&self) -> Duration {
        if self.start.is_zero() { self.increment } else { self.start }
    }

    /// The time for the next move when `left` remains: a thirtieth of it plus four fifths of the increment, but less
    /// than what remains.
    pub fn think(&self, left: Duration) -> Duration {
        (left / 30 + self.increment * 4 / 5).min(left.saturating_sub(RESERVE)).max(LEAST)
    }
}

/// The format of the tag TimeControl, in seconds: `300+3`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start.as_secs_f64())?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", self.increment.as_secs_f64()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls() {
        let read = |text| TimeControl::read(text).map(|control| control.to_string());
        assert_eq!(read("5+3").as_deref(), Some("300+3"));
        assert_eq!(read("0.5+0.1").as_deref(), Some("30+0.1"));
        assert_eq!(read("90").as_deref(), Some("5400"));
        assert_eq!(read("0+3").as_deref(), Some("0+3"));
        for text in ["", "x", "5+", "-1+3", "0+0", "1e9", "NaN+1", "inf"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_flag_does_not_fall() {
        let control = TimeControl::read("5+3").unwrap();
        assert_eq!(control.think(Duration::from_secs(300)), Duration::from_millis(12_400));
        let only_increment = TimeControl::read("0+3").unwrap();
        assert_eq!(only_increment.first(), Duration::from_secs(3));
        assert_eq!(only_increment.think(only_increment.first()), Duration::from_millis(2500));
        let short = TimeControl::read("1+0").unwrap();
        assert_eq!(short.think(Duration::from_secs(3)), Duration::from_millis(100));
        // if a move takes no more than is allowed, the flag never falls
        let mut left = Duration::from_secs(1);
        for _ in 0..1000 {
            let think = control.think(left);
            assert!(think < left);
            left = left - think + control.increment;
        }
    }
}
