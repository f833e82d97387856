//! Time controls of PGN (`300+3`, `40/5400+30:1800+30`), and the time that each half-move took.
//!
//! Takes a time control and the clocks after each half-move ([`super::clocks_evals`]); returns durations. Numbers in
//! time controls of the standard are seconds; those in words are read by `time_words`.

use std::num::NonZeroU32;

pub use super::time_words::Period;
use super::time_words::{self, MAX_SECONDS};

/// The seconds for 40 moves that count as unlimited.
const WITHOUT_LIMIT: i64 = 21_600;

/// A longer text is not a time control.
const MAX_LEN: usize = 400;

/// Milliseconds in a tenth of a second, the unit of clocks.
const TENTH: i64 = 100;

/// The speeds that a game can have, the quickest first, and what it has if nothing is known.
pub const SPEEDS: [&str; 7] = ["ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence", "unknown"];

/// The least seconds of [`SPEEDS`] but the first; lichess has the same.
const LEAST_SECONDS: [i64; 5] = [30, 180, 480, 1500, 21_600];

/// The periods of a time control; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl {
    periods: Vec<Period>,
}

impl TimeControl {
    /// Reads the tag TimeControl, in the form of the standard, where numbers are seconds, or in words
    /// (`90 min/40 moves + 30 min + 30 sec/move`, `G/90;d5`, `15'+10"`). `None` for `-` and `?`, which give no time,
    /// hourglasses (`*180`), whose clocks do not tell how long a move took, and text that is not a time control.
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
        let text = short(text)?;
        let periods = standard(text).or_else(|| {
            let said = time_words::read(text)?;
            Some(said.periods).filter(|periods| !(periods.is_empty() || said.hourglass))
        })?;
        Some(TimeControl { periods })
    }

    /// The speed of a time control, as its place in [`SPEEDS`]. `None` if nothing is known.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::time_control::{SPEEDS, TimeControl};
    ///
    /// assert_eq!(TimeControl::speed("180+2").map(|speed| SPEEDS[speed]), Some("blitz"));
    /// assert_eq!(TimeControl::speed("?"), None);
    /// ```
    pub fn speed(text: &str) -> Option<usize> {
        TimeControl::seconds(text).map(|seconds| LEAST_SECONDS.partition_point(|least| *least <= seconds))
    }

    /// The seconds that a time control gives a side for 40 moves, by which games are called blitz or rapid; 21600 where
    /// there is no limit (`-`) and for correspondence, the usual time for words such as `blitz`. `None` if nothing is known.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::time_control::TimeControl;
    ///
    /// assert_eq!(TimeControl::seconds("180+2"), Some(260));
    /// assert_eq!(TimeControl::seconds("3 min + 2 sec"), Some(260));
    /// assert_eq!(TimeControl::seconds("*180"), Some(180));
    /// ```
    pub fn seconds(text: &str) -> Option<i64> {
        let text = short(text)?.trim();
        if text == "-" {
            return Some(WITHOUT_LIMIT);
        }
        let hourglass = text.strip_prefix('*').map(str::trim_start);
        let of_40_moves = |periods: &[Period]| {
            let first = periods.first()?;
            let time = match first.moves {
                None => first.time,
                Some(moves) => 40 * first.time / i64::from(moves.get()),
            };
            Some((time + 40 * (first.increment + first.delay)) / 1000)
        };
        if let Some(periods) = standard(hourglass.unwrap_or(text)) {
            return of_40_moves(&periods);
        }
        let said = time_words::read(hourglass.unwrap_or(text))?;
        match (of_40_moves(&said.periods), said.usual) {
            // what a day is played by is correspondence, whatever else is said
            (Some(seconds), Some(WITHOUT_LIMIT)) => Some(seconds.max(WITHOUT_LIMIT)),
            (Some(seconds), _) => Some(seconds),
            (None, usual) => usual,
        }
    }

    /// The time with which a game begins.
    pub fn first(&self) -> Period {
        self.periods[0]
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
        let lost = before? - after?;
        let took = lost + now.increment + if lost > 0 { now.delay } else { 0 };
        if took >= 0 {
            // Within the delay, the clock does not tell.
            return Some(took).filter(|_| lost != 0 || now.delay == 0);
        }
        // Clocks add the next time at the last move of a period, or later, when they have run down.
        let next = later.first().filter(|_| now.moves.is_some_and(|moves| moves.get() <= self.moves))?;
        self.moves -= now.moves.map_or(0, NonZeroU32::get);
        self.periods = later;
        Some(took + next.time).filter(|took| *took >= 0)
    }
}

/// The text, if it can be a time control.
fn short(text: &str) -> Option<&str> {
    (text.len() <= MAX_LEN).then_some(text)
}

/// The periods of a time control in the form of the standard.
fn standard(text: &str) -> Option<Vec<Period>> {
    text.trim_ascii().split(':').map(period).collect()
}

/// Reads `moves/time+increment`, of which the time is required.
fn period(text: &str) -> Option<Period> {
    let (moves, times) = match text.split_once('/') {
        Some((moves, times)) => (Some(digits(moves)?.parse().ok()?), times),
        None => (None, text),
    };
    let (time, increment) = times.split_once('+').unwrap_or((times, "0"));
    Some(Period { moves, time: milliseconds(time)?, increment: milliseconds(increment)?, delay: 0 })
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
            Some(TimeControl {
                periods: vec![Period { moves: moves.and_then(NonZeroU32::new), time, increment, delay: 0 }],
            })
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
            &["60"; 200].join(":"),
        ];
        for text in refused {
            assert_eq!(TimeControl::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn time_controls_in_words() {
        /// The text; moves and seconds of the periods; the increment, the delay.
        type Case = (&'static str, &'static [(u32, i64)], i64, i64);
        let cases: [Case; 44] = [
            ("90 min/40 moves + 30 min + 30 sec/move", &[(40, 5400), (0, 1800)], 30, 0),
            ("90min/40moves+30min+30sec/move", &[(40, 5400), (0, 1800)], 30, 0),
            (
                "90 minutes for 40 moves, then 30 minutes for the rest of the game, with 30 seconds per move from move one",
                &[(40, 5400), (0, 1800)],
                30,
                0,
            ),
            (
                "90 min. for the first 40 moves followed by 30 min. for the rest with an addition of 30 sec. per move starting from move 1",
                &[(40, 5400), (0, 1800)],
                30,
                0,
            ),
            (
                "100 minutes for 40 moves, 50 minutes for 20 moves and 15 minutes for the rest, 30 seconds increment",
                &[(40, 6000), (20, 3000), (0, 900)],
                30,
                0,
            ),
            ("40 moves in 2 hours, 20 moves in 1 hour, then 15 minutes", &[(40, 7200), (20, 3600), (0, 900)], 0, 0),
            ("40 moves in 90 minutes, then 30 minutes + 30 seconds per move", &[(40, 5400), (0, 1800)], 30, 0),
            ("2h/40 + 1h/20 + 15min", &[(40, 7200), (20, 3600), (0, 900)], 0, 0),
            ("120'/40 + 60'/20 + 15' + 30\"", &[(40, 7200), (20, 3600), (0, 900)], 30, 0),
            ("40/2h, SD/1h", &[(40, 7200), (0, 3600)], 0, 0),
            ("40/120, 20/60, SD/30", &[(40, 7200), (20, 3600), (0, 1800)], 0, 0),
            ("40/90, SD/30; +30", &[(40, 5400), (0, 1800)], 30, 0),
            ("40/90, SD/30; d5", &[(40, 5400), (0, 1800)], 0, 5),
            ("G/90;d5", &[(0, 5400)], 0, 5),
            ("G/90 d5", &[(0, 5400)], 0, 5),
            ("G/60+5", &[(0, 3600)], 5, 0),
            ("G/90; +30", &[(0, 5400)], 30, 0),
            ("G90 inc 30", &[(0, 5400)], 30, 0),
            ("Game in 30 minutes, 5 second delay", &[(0, 1800)], 0, 5),
            ("5 min + 3 sec delay", &[(0, 300)], 0, 3),
            ("25 min, Bronstein 10 sec", &[(0, 1500)], 0, 10),
            ("3 min + 2 sec", &[(0, 180)], 2, 0),
            ("3 minutes + 2 seconds", &[(0, 180)], 2, 0),
            ("3m+2s", &[(0, 180)], 2, 0),
            ("3'+2''", &[(0, 180)], 2, 0),
            ("3′ + 2″", &[(0, 180)], 2, 0),
            ("15'+10\"/move", &[(0, 900)], 10, 0),
            ("15 min + 10 sec increment", &[(0, 900)], 10, 0),
            ("15 minutes with 10 seconds increment per move", &[(0, 900)], 10, 0),
            ("15 Min. + 10 Sek. pro Zug", &[(0, 900)], 10, 0),
            ("90 Minuten für 40 Züge + 30 Minuten + 30 Sekunden/Zug", &[(40, 5400), (0, 1800)], 30, 0),
            ("1h30 + 30s", &[(0, 5400)], 30, 0),
            ("1 hour 30 min + 30 s/move", &[(0, 5400)], 30, 0),
            ("1 hour and 30 minutes, 30 seconds per move", &[(0, 5400)], 30, 0),
            ("10 minutes", &[(0, 600)], 0, 0),
            ("10 min/game", &[(0, 600)], 0, 0),
            ("60 sec", &[(0, 60)], 0, 0),
            ("3|2", &[(0, 180)], 2, 0),
            ("15 | 10", &[(0, 900)], 10, 0),
            ("Blitz 3+2", &[(0, 180)], 2, 0),
            ("rapid 15+10", &[(0, 900)], 10, 0),
            ("30 seconds per move", &[(0, 0)], 30, 0),
            ("3 days/move", &[(0, 0)], 259_200, 0),
            ("10 moves in 50 days", &[(10, 4_320_000)], 0, 0),
        ];
        for (text, periods, increment, delay) in cases {
            let read = TimeControl::read(text).unwrap_or_else(|| panic!("{text}"));
            let found: Vec<_> =
                read.periods.iter().map(|p| (p.moves.map_or(0, NonZeroU32::get), p.time / 1000)).collect();
            assert_eq!(found, periods, "{text}");
            assert!(
                read.periods.iter().all(|p| (p.increment, p.delay) == (1000 * increment, 1000 * delay)),
                "{text}: {read:?}"
            );
        }
    }

    #[test]
    fn seconds_for_40_moves() {
        for (text, seconds) in [
            ("180+2", Some(260)),
            ("40/7200:3600", Some(7200)),
            ("6+0.06", Some(8)),
            ("-", Some(21_600)),
            ("*180", Some(180)),
            ("*3 min", Some(180)),
            ("hourglass 5 min", Some(300)),
            ("1/86400", Some(3_456_000)),
            ("3 days per move", Some(10_368_000)),
            ("correspondence", Some(21_600)),
            ("ICCF, 10 moves in 50 days", Some(17_280_000)),
            ("unlimited", Some(21_600)),
            ("Blitz", Some(300)),
            ("rapid", Some(900)),
            ("G/5;d3", Some(420)),
            ("90 min/40 moves + 30 min + 30 sec/move", Some(6600)),
            ("?", None),
            ("", None),
            ("some words", None),
            ("7 rounds", None),
            (&"9".repeat(500), None),
            (&["60"; 200].join(":"), None),
        ] {
            assert_eq!(TimeControl::seconds(text), seconds, "{text}");
        }
    }

    #[test]
    fn within_a_delay_the_clock_tells_nothing() {
        assert_eq!(times("1 min, 5 sec delay", &[600, 580, 590]), [None, Some(7000), Some(6000)]);
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
