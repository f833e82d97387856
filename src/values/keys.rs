//! The keys under which indexes store a game: bytes of a datum in, keys out, possibly with duplicates.

use chess_core::search::index_keys::{coarse_keys, structure_keys};
use chess_core::search::pattern::{Families, pattern_keys};

use crate::values::game::view;
use crate::values::refusals::corrupt_game;

/// The coarse keys of a game.
pub fn coarse_keys_of_game(game: &[u8]) -> Vec<u16> {
    let mut keys = Vec::new();
    if let Err(error) = coarse_keys(view(game), &mut keys) {
        corrupt_game(error);
    }
    keys
}

/// The keys of the pawn structures of a game.
pub fn structure_keys_of_game(game: &[u8]) -> Vec<u64> {
    let mut keys = Vec::new();
    if let Err(error) = structure_keys(view(game), |key| keys.push(key)) {
        corrupt_game(error);
    }
    keys
}

/// The keys of a game in an index of patterns.
pub fn pattern_keys_of_game(game: &[u8], families: Families) -> Vec<u64> {
    let mut keys = Vec::new();
    if let Err(error) = pattern_keys(view(game), families, &mut keys) {
        corrupt_game(error);
    }
    keys
}
