//! Evaluations that `chess-pgn analyze` has stored: beside the moves of the explorer, and as `/api/cloud-eval` in the form of
//! lichess's cloud evaluations.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chess_core::Board;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;
use crate::question::position::{AskedPosition, Reading, line_as_lichess};
use crate::question::trees::score;

/// For each legal move in UCI, the exact or else the deepest evaluation of the position after it. Both values are the board. The half-move
/// clock is compared above 60 only: below, the table stores 0 (see [`clock`]).
pub const OF_MOVES: &str = include_str!("sql/evaluations_of_moves.sql").trim_ascii_end();

/// The exact evaluation of a position, by endgame tables, or else the deepest one with the wanted number of lines, or
/// with as many as there are. The values are the
/// board, its [`clock`] and the number of lines.
pub const OF_POSITION: &str = include_str!("sql/evaluation_of_position.sql").trim_ascii_end();

/// The half-move clock as the table `analysis` stores it: 0 up to 60, where the fifty-move rule does not yet change what an
/// engine says.
pub fn clock(board: &Board) -> i32 {
    if board.halfmove_clock > 60 { i32::try_from(board.halfmove_clock).unwrap_or(i32::MAX) } else { 0 }
}

/// The evaluation in a row of [`OF_MOVES`].
pub fn of_row(row: &Row) -> Json_ {
    let Some(stored) = row.get::<_, Option<i32>>("eval") else { return Json_::Null };
    let mut eval = score(stored);
    eval["depth"] = row.get::<_, Option<i16>>("depth").into();
    eval
}

/// `/api/cloud-eval`.
pub async fn cloud(State(app): State<Arc<App>>, mut params: Params) -> Outcome<Json<Json_>> {
    let asked = AskedPosition::read(&mut params, Reading::Lenient)?;
    let lines = params.number("multiPv", 1..=5, 1)?;
    let none = || Failure::missing("No cloud evaluation available for that position");
    let inventory = app.inventory.readable().await?;
    if !inventory.analyzed {
        return Err(none());
    }
    let query = Query::new(OF_POSITION, [asked.fen().into(), clock(&asked.board).into(), lines.into()]);
    let row = app.database.row(&query, &inventory.names).await?.ok_or_else(none)?;
    let (evals, pvs): (Vec<i32>, Vec<String>) = (row.get("evals"), row.get("pvs"));
    let pvs: Vec<Json_> = evals
        .iter()
        .zip(&pvs)
        .take(lines as usize)
        .map(|(stored, moves)| {
            let mut line = score(*stored);
            line["moves"] = line_as_lichess(&asked.board, moves).into();
            line
        })
        .collect();
    Ok(Json(json!({
        "fen": asked.fen(),
        "knodes": row.get::<_, Option<i64>>("nodes").unwrap_or(0) / 1000,
        "depth": row.get::<_, Option<i16>>("depth").unwrap_or(0),
        "pvs": pvs,
    })))
}
