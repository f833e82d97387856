//! Keys of a segment, and the keys that answer a question.
//!
//! Takes hashes of 64 bits ([`chess_core::search::hybrid_keys`]). Their upper 34 bits are the key. Keys of small
//! segments are not shorter, so a search of ten segments has no more false candidates than a search of one. Exact lists
//! also store the other 30 bits, because sums use them without a recheck. Each bit of the key takes four bytes per
//! game. In ten million games a key matches 0.03 games by chance, in fifty million 0.15.

use chess_core::board::key::{other_side, position_key};
use chess_core::search::hybrid_keys::{EXACT_PLIES, tail_key};
use chess_core::{Board, CorruptGame, GameRef};

/// Bits of a key.
pub(crate) const KEY_BITS: u32 = 34;
/// Remaining bits of a hash.
pub(crate) const REST_BITS: u32 = 64 - KEY_BITS;

/// The key of a hash.
#[inline(always)]
pub(crate) fn key_of(hash: u64) -> u64 {
    hash >> REST_BITS
}

/// What a posting list guarantees about its games. The lists of a key are stored in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Each game reaches the position with this position key at half-move 28 or before, and has a note. The number is
    /// the lower 30 bits of the hash.
    Exact(u32),
    /// Each game may reach such a position; only a recheck of the game decides.
    Plain,
}

impl Class {
    /// The position key of an exact list under a key.
    pub(crate) fn hash(self, key: u64) -> Option<u64> {
        match self {
            Class::Exact(rest) => Some(key << REST_BITS | u64::from(rest)),
            Class::Plain => None,
        }
    }
}

/// The hashes to look up for a question. Their lists contain every matching game, and some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Position keys, one or two.
    pub exact: Vec<u64>,
    /// A tail key, if the question includes positions after half-move 28.
    pub tail: Option<u64>,
}

impl Question {
    /// Games with the position of `board` after at most `limit` half-moves.
    pub fn position(board: &Board, limit: u32) -> Question {
        Question { exact: vec![position_key(board)], tail: later(board, limit) }
    }

    /// Games with the placement of `board`, either side to move, after at most `limit` half-moves.
    pub fn placement(board: &Board, limit: u32) -> Question {
        let key = position_key(board);
        Question { exact: vec![key, other_side(key)], tail: later(board, limit) }
    }

    /// Games that begin with the moves of `opening`. Looks up its last position, or its 28th if it is longer.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if its bytes do not decode.
    pub fn opening(opening: GameRef<'_>) -> Result<Question, CorruptGame> {
        let board = opening.board_at(opening.ply_count().min(EXACT_PLIES))?.map_err(|_| CorruptGame::Length)?;
        Ok(Question { exact: vec![position_key(&board)], tail: None })
    }
}

/// The tail key of a board, if the limit allows positions after half-move 28.
fn later(board: &Board, limit: u32) -> Option<u64> {
    (limit > EXACT_PLIES).then(|| tail_key(board))
}
