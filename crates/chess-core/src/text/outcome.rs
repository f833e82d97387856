//! What a result says: the points of both sides, and whether they were won at the board.
//!
//! PGN has four results ([`GameResult`]), but people and programs write more: forfeits (`+:-`, `-/+`, `1-0F`), games that
//! both lose (`0-0`, `-:-`), and points that an arbiter has taken (`1/2-0`). [`crate::text::tags::tag_outcome`] reads
//! those of tags, and the readers of moves those after the moves, by the same grammar.

use std::fmt;

use crate::game::GameResult;

/// The points of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Half points of White and Black.
    halves: Option<[u8; 2]>,
    is_forfeit: bool,
}

impl Outcome {
    /// No result: `*`.
    pub const UNKNOWN: Outcome = Outcome { halves: None, is_forfeit: false };

    /// Half points for White and Black that were won at the board.
    pub(crate) const fn played(halves: [u8; 2]) -> Outcome {
        Outcome { halves: Some(halves), is_forfeit: false }
    }

    /// The outcome of a game that ended with this result.
    pub(crate) fn of_result(result: GameResult) -> Outcome {
        match result {
            GameResult::WhiteWins => Outcome::played([2, 0]),
            GameResult::BlackWins => Outcome::played([0, 2]),
            GameResult::Draw => Outcome::played([1, 1]),
            GameResult::Unknown | GameResult::UpperBound => Outcome::UNKNOWN,
        }
    }

    /// The same, but given without play.
    pub(crate) fn forfeited(self) -> Outcome {
        Outcome { is_forfeit: self.halves.is_some(), ..self }
    }

    /// `None` if both sides together have more than a point.
    pub(crate) fn of(halves: [u8; 2], is_forfeit: bool) -> Option<Outcome> {
        (halves[0] + halves[1] <= 2).then_some(Outcome { halves: Some(halves), is_forfeit })
    }

    /// Half points of White and Black; `None` without a result.
    pub fn halves(self) -> Option<[u8; 2]> {
        self.halves
    }

    /// Whether the points were given without play, as the signs `+` and `-` say.
    pub fn is_forfeit(self) -> bool {
        self.is_forfeit
    }

    /// The result of PGN: unknown if the points are not those of a win or a draw.
    pub fn result(self) -> GameResult {
        match self.halves {
            Some([2, 0]) => GameResult::WhiteWins,
            Some([0, 2]) => GameResult::BlackWins,
            Some([1, 1]) => GameResult::Draw,
            _ => GameResult::Unknown,
        }
    }

    /// Whether [`Outcome::result`] says all of it.
    pub fn is_plain(self) -> bool {
        !self.is_forfeit && (self.halves.is_none() || self.result() != GameResult::Unknown)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(halves) = self.halves else { return f.write_str("*") };
        let signs = |halves| ["-", "=", "+"][usize::from(halves)];
        let points = |halves| ["0", "1/2", "1"][usize::from(halves)];
        let [white, black] = halves;
        match self.is_forfeit && white != 1 && black != 1 {
            true => write!(f, "{}:{}", signs(white), signs(black)),
            false => write!(f, "{}-{}", points(white), points(black)),
        }
    }
}
