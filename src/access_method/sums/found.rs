//! Games that reach a position, as they are handed from file to file.

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
