//! A stored game: bytes of a datum in, [`GameRef`] out, and back.

use chess_core::{Game, GameRef};

use crate::server::fmgr::Bytes;
use crate::values::refusals::corrupt_game;

/// The game in the bytes of a datum.
#[inline(always)]
pub fn view(bytes: &[u8]) -> GameRef<'_> {
    match GameRef::new(bytes) {
        Ok(game) => game,
        Err(error) => corrupt_game(error),
    }
}

/// A game as a datum.
pub fn stored(game: Game) -> Bytes<Vec<u8>> {
    Bytes(game.into_bytes())
}
