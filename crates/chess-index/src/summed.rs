//! The columns of attributes that are summed, and by which games are ranked.
//!
//! Takes a page of attributes and a game; returns the attributes, and the numbers that decide the place of the game.

use crate::attributes::{Attributes, Value};

/// Number of columns that are summed.
pub const SUMMED: usize = 4;

/// The column of the results.
pub(crate) const RESULT: usize = 2;

/// What games are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// The sum of both ratings. An unknown rating counts as 0.
    Ratings,
    /// The day. A game without one comes last, together with those of the lowest day.
    Day,
}

impl Ranking {
    /// All rankings, in the order of their catalogs.
    pub const ALL: [Ranking; 2] = [Ranking::Ratings, Ranking::Day];

    /// Returns the number that decides the place of a game, from its ratings of White and Black, its result, and its day.
    #[inline]
    pub fn number(self, [white, black, _, day]: [Value; SUMMED]) -> i64 {
        match self {
            Ranking::Ratings => i64::from(white.unwrap_or(0)) + i64::from(black.unwrap_or(0)),
            Ranking::Day => day.unwrap_or(i32::MIN).into(),
        }
    }
}

/// Returns the attributes of a game that are summed.
pub(crate) fn summed(attributes: &Attributes<'_>, game: u32) -> [Value; SUMMED] {
    std::array::from_fn(|column| attributes.value(column, game))
}
