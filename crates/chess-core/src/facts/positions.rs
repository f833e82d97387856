//! All boards of a game, in order.
//!
//! Takes a game; returns its boards with all six fields, including the start, in one replay.

use std::ops::ControlFlow;

use crate::board::Board;
use crate::board::kinds::PAWN;
use crate::game::replay::Replay;
use crate::game::slots::code_len;
use crate::game::state::Counted;
use crate::game::{CorruptGame, GameRef};

/// Calls `visit` with the number of each half-move and the board after it, from 0 for the start, until it breaks.
pub fn each(game: GameRef<'_>, mut visit: impl FnMut(u32, &Board) -> ControlFlow<()>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    if visit(0, &game.start_board()?).is_break() {
        return Ok(());
    }
    let mut replay = Replay::<Counted>::new(&start);
    let mut clock = start.halfmove_clock;
    let mut rest = game.moves();
    let mut ply = 0;
    while let Some(byte) = rest.first() {
        let (code, tail) = rest.split_at_checked(code_len(*byte)).ok_or(CorruptGame::Move(ply + 1))?;
        let before = replay.state.count;
        let mut pawn_moved = false;
        let kinds_before = replay.pieces.kind;
        replay
            .run(code, 1, |pieces, state| {
                let unit = usize::from(pieces.unit[state.last.to()] & 63);
                pawn_moved = kinds_before[unit] % 6 == PAWN && unit < 32;
                false
            })
            .map_err(|_| CorruptGame::Move(ply + 1))?;
        ply += 1;
        clock = if pawn_moved || replay.state.count != before { 0 } else { clock.saturating_add(1) };
        if visit(ply, &replay.board(ply, clock)).is_break() {
            return Ok(());
        }
        rest = tail;
    }
    if ply == game.ply_count() { Ok(()) } else { Err(CorruptGame::Length) }
}
