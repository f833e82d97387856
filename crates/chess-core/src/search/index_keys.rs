//! The keys under which a GIN index finds a game.
//!
//! Takes a game; returns a [position key](crate::board::key::position_key) for the start and for each half-move.
//!
//! # Stability
//!
//! Indexes on disk hold these keys; tests pin the published values.

use crate::game::replay::Replay;
use crate::game::state::Keyed;
use crate::game::{CorruptGame, GameRef};

/// The position keys of a game, of the start and after each half-move, including duplicates.
pub fn position_keys(game: GameRef<'_>, keys: &mut Vec<u64>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    keys.reserve(game.moves().len() + 1);
    keys.push(start.state.key);
    Replay::new(&start).run(game.moves(), u32::MAX, |_, state: Keyed| {
        keys.push(state.key);
        false
    })?;
    Ok(())
}
