//! Games that reach a position, as files hand them to each other: what is known of a game, and sets of games.

use chess_index::attributes::Value;
use chess_index::rows::Row;

use crate::access_method::sums::asked::Played;

/// A game of a segment and what it plays.
pub type Reaching = (u32, Played);

/// The attributes that are summed: ratings of White and Black, result, day.
pub type Values = [Value; 4];

/// Where the row pointer of a game is.
#[derive(Clone, Copy)]
pub enum Place {
    Row(Row),
    /// The number of a segment, and of the game in it.
    Game(u32, u32),
}

/// A set of the games of a segment, as a bitmap.
pub struct Games(pub Vec<u64>);

impl Games {
    /// Returns an empty set with room for the first `games` games of a segment.
    pub fn none(games: u32) -> Games {
        Games(vec![0; (games as usize).div_ceil(64)])
    }

    pub fn has(&self, game: u32) -> bool {
        self.0.get(game as usize / 64).is_some_and(|word| word >> (game % 64) & 1 == 1)
    }

    /// Adds a game, unless the set has no room for it.
    pub fn add(&mut self, game: u32) {
        if let Some(word) = self.0.get_mut(game as usize / 64) {
            *word |= 1 << (game % 64);
        }
    }

    /// Removes a game; returns whether the set had it.
    pub fn take(&mut self, game: u32) -> bool {
        let had = self.has(game);
        if let Some(word) = self.0.get_mut(game as usize / 64) {
            *word &= !(1 << (game % 64));
        }
        had
    }

    /// Returns all games in ascending order.
    pub fn each(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.0).filter(|(_, word)| **word > 0).flat_map(|(nth, word): (u32, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * nth + bit)
        })
    }
}
