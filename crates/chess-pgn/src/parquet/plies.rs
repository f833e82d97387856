//! The half-moves of a game as rows of a Parquet file: a game, its clocks and its evaluations come in. A half-move has the
//! position in which it is played, so that positions and moves are pairs.

use anyhow::Result;
use chess_core::board::{fen, key};
use chess_core::facts::moves::MoveDetails;

use crate::columns::Value;
use crate::columns::games::Moves;

/// The columns of the file of half-moves.
pub const PLIES: &str = "message plies {
    optional int64 game_id;
    required int32 ply;
    required byte_array fen (string);
    required int64 position;
    required int32 move;
    required byte_array uci (string);
    required byte_array san (string);
    optional int32 clock;
    optional int32 eval;
}";

/// Calls `put` with the row of each half-move. `columns` are the clocks and the evaluations, which may be missing.
///
/// # Errors
///
/// Those of `put`; the game does not decode.
pub fn each_ply(
    moves: &Moves<'_>,
    id: Option<i64>,
    [clocks, evals]: [&[Option<i32>]; 2],
    mut put: impl FnMut([Value<'_>; 9]) -> Result<()>,
) -> Result<()> {
    let value = |values: &[Option<i32>], ply: usize| Value::from(values.get(ply).copied().flatten());
    let start = moves.game.start_board()?;
    let (mut clock, mut number) = (start.halfmove_clock, start.fullmove_number);
    let mut details = MoveDetails::default();
    let mut ply = 0;
    let mut done = Ok(());
    moves.game.decode(|position, step| {
        let Some(step) = step.filter(|_| done.is_ok()) else { return };
        let board = position.board(ply as u32, clock);
        details.describe(position, step, number, moves.game.is_chess960());
        let code = moves.codes.get(2 * ply..).and_then(|codes| codes.first_chunk());
        done = put([
            id.map_or(Value::Null, Value::Int),
            Value::Int(ply as i64 + 1),
            Value::Bytes(fen::write(&board).as_bytes()),
            Value::Int(key::polyglot_key(&board) as i64),
            Value::Int(code.map_or(0, |code| u16::from_le_bytes(*code)).into()),
            Value::Bytes(details.uci.as_bytes()),
            Value::Bytes(details.san.as_bytes()),
            value(clocks, ply),
            value(evals, ply),
        ]);
        clock = if details.resets_clock() { 0 } else { clock.saturating_add(1) };
        number = number.saturating_add(u32::from(details.turn));
        ply += 1;
    })?;
    done
}
