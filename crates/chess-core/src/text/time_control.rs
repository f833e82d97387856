//! Time controls of PGN (`300+3`, `40/5400+30:1800+30`), and the time that each half-move took.
//!
//! Takes a time control and the clocks after each half-move ([`super::clocks_evals`]); returns durations. Numbers in
//! time controls are seconds.

use std::num::NonZeroU32;

/// Milliseconds in a tenth of a second, the unit of clocks.
const TENTH: i64 = 100;

/// The longest time and increment, in seconds.
const MAX_SECONDS: i64 = 99_999_999;

/// A period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The number of moves for which the time is given; `None` if it is for all that follow.
    pub moves: Option<NonZeroU32>,
    /// The time that the period adds, in milliseconds.
    pub time: i64,
    /// What each move of the period adds, in milliseconds.
    pub increment: i64,
}

/// The periods of a time control; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl {
    periods: Vec<Period>,
}

impl TimeControl {
    /// Reads the tag TimeControl. `None` for `-` and `?`, which give no time, hourglasses (`*180`), and text that is
    /// not a time control.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::time_control::TimeControl;
    ///
    /// assert!(TimeControl::read("40/5400+30:1800+30").is_some());
    /// assert_eq!(TimeControl::read("-"), None);
    /// ```
    pub fn read(text: &str) -> Option<TimeControl> {
        let periods = text.trim_ascii().split(':').map(period).collect::<Option<Vec<Period>>>()?;
        Some(TimeControl { periods })
    }

    /// The milliseconds that each half-move took, from the clocks after it in tenths of a second.
    ///
    /// A half-move took what the clock of its side has lost since that side's half-move before, and the increment. The
    /// time of a later period is added once: where the clock first shows it after the moves of the period before.
    /// `None` where one of the two clocks is missing, and where a clock has gained more than the time control gives.
    pub fn think_times(&self, clocks: &[Option<i32>]) -> Vec<Option<i64>> {
        let mut sides = [Side { periods: &self.periods, moves: 0, before: Some(self.periods[0].time) }; 2];
        clocks.iter().enumerate().map(|(n, clock)| sides[n % 2].took(*clock)).collect()
    }
}

/// The clock of a side between its half-moves.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// The periods from the current one on.
    periods: &'a [Period],
    /// The half-moves in the current period.
    moves: u32,
    /// The time left, in milliseconds.
    before: Option<i64>,
}

impl Side<'_> {
    /// The milliseconds of the next half-move.
    fn took(&mut self, clock: Option<i32>) -> Option<i64> {
        self.moves = self.moves.saturating_add(1);
        let after = clock.map(|tenths| TENTH * i64::from(tenths));
        let before = std::mem::replace(&mut self.before, after);
        let [now, later @ ..] = self.periods else { return None };
        let took = before? + now.increment - after?;
        if took >= 0 {
            return Some(took);
        }
        // Clocks add the next time at the last move of a period, or later, when they have run down.
        let next = later.first().filter(|_| now.moves.is_some_and(|moves| moves.get() <= self.moves))?;
        self.moves -= now.moves.map_or(0, NonZeroU32::get);
        self.periods = later;
        Some(took + next.time).filter(|took| *took >= 0)
    }
}

/// Reads `moves/time+increment`, of which the time is required.
fn period(text: &str) -> Option<Period> {
    let (moves, times) = match text.split_once('/') {
        Some((moves, times)) => (Some(digits(moves)?.parse().ok()?), times),
        None => (None, text),
    };
    let (time, increment) = times.split_once('+').unwrap_or((times, "0"));
    Some(Period { moves, time: milliseconds(time)?, increment: milliseconds(increment)? })
}

/// A text of digits only, unlike numbers in Rust, which may have a sign.
fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// Reads seconds with or without decimals; those beyond the third are cut off.
fn milliseconds(text: &str) -> Option<i64> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let seconds: i64 = digits(seconds)?.parse().ok().filter(|seconds| *seconds <= MAX_SECONDS)?;
    let decimals =
        digits(decimals)?.bytes().chain(*b"00").take(3).fold(0, |sum, byte| 10 * sum + i64::from(byte - b'0'));
    Some(1000 * seconds + decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(control: &str, clocks: &[i32]) -> Vec<Option<i64>> {
        let clocks: Vec<Option<i32>> = clocks.iter().map(|clock| (*clock >= 0).then_some(*clock)).collect();
        TimeControl::read(control).unwrap().think_times(&clocks)
    }

    #[test]
    fn time_controls() {
        let one = |moves: Option<u32>, time, increment| {
            Some(TimeControl { periods: vec![Period { moves: moves.and_then(NonZeroU32::new), time, increment }] })
        };
        assert_eq!(TimeControl::read("300"), one(None, 300_000, 0));
        assert_eq!(TimeControl::read(" 300+3 "), one(None, 300_000, 3_000));
        assert_eq!(TimeControl::read("0.5+0.08"), one(None, 500, 80));
        assert_eq!(TimeControl::read("8+0.0899"), one(None, 8_000, 89));
        assert_eq!(TimeControl::read("40/7200"), one(Some(40), 7_200_000, 0));
        assert_eq!(TimeControl::read("40/5400+30:1800+30").unwrap().periods.len(), 2);
        let refused = [
            "",
            "-",
            "?",
            "*180",
            "5 min",
            "0/60",
            "-1/60",
            "40/",
            "/60",
            "300+",
            "+3",
            "300+-3",
            "1e3",
            "60:",
            ".5",
            "5.",
            "99999999999999999999",
            "4294967296/60",
            "40/60/60",
            "1+2+3",
            "３００",
        ];
        for text in refused {
            assert_eq!(TimeControl::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_half_move_takes_what_its_sides_clock_loses() {
        assert_eq!(times("180+2", &[1800, 1790, 1750, 1600]), [Some(2000), Some(3000), Some(7000), Some(21_000)]);
        assert_eq!(times("60", &[]), []);
    }

    #[test]
    fn a_missing_clock_leaves_out_two_half_moves() {
        assert_eq!(
            times("60", &[590, 580, -1, 570, 560, 560]),
            [Some(1000), Some(2000), None, Some(1000), None, Some(1000)]
        );
    }

    #[test]
    fn a_clock_that_gains_too_much_tells_nothing() {
        assert_eq!(times("60+1", &[590, 600, 700, 610, 690]), [Some(2000), Some(1000), None, Some(0), Some(2000)]);
    }

    #[test]
    fn the_time_of_the_next_period_is_added_once() {
        // White gets it at the second move, Black when the clock has run down, one move later.
        let clocks = [500, 400, 700, 100, 650, 350, 640, 340, 1200, 900];
        let took = [10, 20, 10, 30, 5, 5, 1, 1].map(|seconds| Some(1000 * seconds));
        assert_eq!(times("2/60:30", &clocks), [&took[..], &[None, None]].concat());
        // Two periods, each for its own number of moves.
        assert_eq!(times("1/10:1/10:10", &[150, 0, 200, 0, 100]), [5, 10, 5, 0, 10].map(|s| Some(1000 * s)));
    }

    #[test]
    fn extreme_clocks_do_not_overflow() {
        assert_eq!(times("1/99999999+99999999:99999999", &[i32::MAX, 0, 0, i32::MAX])[3], None);
        let control = TimeControl::read("60").unwrap();
        assert_eq!(control.think_times(&[Some(i32::MIN), None, Some(i32::MAX)])[2], None);
    }
}
