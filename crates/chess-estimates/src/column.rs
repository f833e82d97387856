//! What the planner asks of a column of games: the share of them that a predicate finds.
//!
//! In goes what was kept of a sample ([`Sample`]), if there is any, and a predicate's opening, board or material; out
//! comes a share between 0 and 1. What the sample knows is its share there. What it does not know is rarer than all
//! that it knows, and no rarer than one game of the table.

use std::rc::Rc;

use chess_core::board::key::{other_side, position_key};
use chess_core::search::distance::{irreversible_changes, least_half_moves, moved_pieces};
use chess_core::search::finder::Matching;
use chess_core::search::index_keys::coarse_board_key;
use chess_core::search::material::Material;
use chess_core::{Board, GameRef};

use crate::keys::CommonKeys;
use crate::sample::{Sample, coarse_key, material_key};

/// For what is not known at planning time, of tables that were never analyzed.
pub const UNKNOWN_OPENING: f64 = 0.005;
/// The same for a board.
pub const UNKNOWN_BOARD: f64 = 0.001;
/// The same for material.
pub const UNKNOWN_MATERIAL: f64 = 0.005;
/// A board as rare as they get, before ANALYZE.
const RAREST_BOARD: f64 = 0.0001;
const RAREST_CANDIDATES: f64 = 0.0005;
/// How many games still have a board in common after one more piece has moved, before ANALYZE.
const SHARE_PER_MOVED_PIECE: f64 = 0.4;

/// A column of games.
#[derive(Clone, Debug)]
pub struct Column {
    sample: Option<Rc<Sample>>,
    not_null: f64,
    one_game: f64,
}

impl Column {
    /// What is known of a column: a sample of its games, the share of rows that are not NULL, and the number of rows,
    /// 0 if that is not known.
    pub fn new(sample: Option<Rc<Sample>>, not_null: f64, rows: f64) -> Column {
        Column { sample, not_null, one_game: if rows > 0.0 { 1.0 / rows } else { 0.0 } }
    }

    /// Whether the column was analyzed.
    pub fn is_known(&self) -> bool {
        self.sample.is_some()
    }

    /// The share of the rows that are not NULL.
    pub fn not_null(&self) -> f64 {
        self.not_null
    }

    /// The average number of half-moves of a game.
    pub fn mean_plies(&self) -> Option<f64> {
        self.sample.as_ref().map(|sample| sample.plies as f64 / f64::from(sample.games))
    }

    /// A share of the games that are not NULL as one of the rows: at least that of one row.
    fn of_rows(&self, share: f64) -> f64 {
        (share * self.not_null).max(self.one_game).min(1.0)
    }

    /// The share of the games that begin with an opening; `None` if the column was never analyzed.
    pub fn opening(&self, opening: GameRef<'_>) -> Option<f64> {
        Some(self.of_rows(self.sample.as_ref()?.openings.share_of(opening)))
    }

    /// The average share of the games that begin with the first half-moves of a game of another column; `None` if
    /// one of both was never analyzed.
    pub fn first_moves_of(&self, other: &Column, plies: u32) -> Option<f64> {
        let (own, other) = (self.sample.as_ref()?, other.sample.as_ref()?);
        Some(self.of_rows(other.openings.average_over_first_moves(plies, &own.openings, self.one_game)))
    }

    /// The share of the values that a game begins with, of a column of openings; `None` if it was never analyzed.
    pub fn openings_of(&self, game: GameRef<'_>) -> Option<f64> {
        Some(self.of_rows(self.sample.as_ref()?.openings.share_that_begin(game)))
    }

    /// The share of the games in which a board arises within so many half-moves.
    pub fn board(&self, board: &Board, matching: Matching, limit: u32) -> f64 {
        let key = position_key(board);
        let mut share = self.position(key, board);
        if matching == Matching::Placement {
            share += self.position(other_side(key), board);
        }
        let within = limit == u32::MAX || limit >= least_half_moves(board, matching == Matching::Placement);
        self.of_rows(if within { share } else { share.min(self.other_starts()) })
    }

    fn position(&self, key: u64, board: &Board) -> f64 {
        let moved = moved_pieces(board);
        match &self.sample {
            Some(sample) => share_of(sample, &sample.positions, key, || rarity(moved)),
            None => SHARE_PER_MOVED_PIECE.powi(moved as i32).max(RAREST_BOARD),
        }
    }

    /// The share of the games that have the coarse key of a board.
    pub fn candidates(&self, board: &Board) -> f64 {
        self.of_rows(match &self.sample {
            Some(sample) => share_of(sample, &sample.coarse, coarse_key(coarse_board_key(board)), || 0.5),
            None => SHARE_PER_MOVED_PIECE.powi(irreversible_changes(board) as i32).max(RAREST_CANDIDATES),
        })
    }

    /// The share of the games that have a material within so many half-moves.
    pub fn material(&self, material: Material, limit: u32) -> f64 {
        let Some(sample) = &self.sample else { return self.of_rows(UNKNOWN_MATERIAL) };
        let share = match material.packed() {
            Some(packed) => share_of(sample, &sample.material, material_key(packed), || 0.25),
            None => 0.0,
        };
        // Each half-move takes one piece at most.
        let within = limit >= 32u32.saturating_sub(material.total());
        self.of_rows(if within { share } else { share.min(self.other_starts()) })
    }

    /// The share of the games that do not begin with the standard start.
    fn other_starts(&self) -> f64 {
        self.sample.as_ref().map_or(0.0, |sample| 1.0 - sample.openings.share_of_standard_start())
    }

    /// The share of a board of which nothing is known: as rare as the rarest that was kept.
    pub fn any_board(&self) -> f64 {
        self.of_rows(match &self.sample {
            Some(sample) => f64::from(sample.positions.left_out()) / f64::from(sample.games),
            None => UNKNOWN_BOARD,
        })
    }
}

/// The share of a key among the games of a sample; of a key that was not kept, that part of the most it can have.
fn share_of(sample: &Sample, keys: &CommonKeys, key: u64, rarity: impl FnOnce() -> f64) -> f64 {
    let games = match keys.count_of(key) {
        Some(count) => f64::from(count),
        None => f64::from(keys.left_out()) * rarity(),
    };
    games / f64::from(sample.games)
}

/// The share of a position that was not kept, as a part of the share of the rarest one kept, by the number of pieces
/// that are not on their squares any more: the average over such positions as they are met in games.
fn rarity(moved: u32) -> f64 {
    let early = (24.0 - f64::from(moved.clamp(3, 24))) / 21.0;
    0.5 * early * early
}

/// Games that all of several predicates find: at most the rarest of all.
pub fn all(shares: impl Iterator<Item = f64>) -> f64 {
    shares.fold(1.0, f64::min)
}

/// Games that any of several predicates finds: as many as if they had nothing to do with each other.
pub fn any(shares: impl Iterator<Item = f64>) -> f64 {
    1.0 - shares.fold(1.0, |none, share| none * (1.0 - share))
}
