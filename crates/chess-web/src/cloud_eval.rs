//! `/api/cloud-eval`, and the evaluations beside the moves of the explorer: what `chess-pgn analyze` has stored of positions.
//!
//! The answer has the shape of lichess's: White's view, castling as the king's move to its rook. Of several engines the
//! one counts that has searched most.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chess_core::Board;
use chess_core::board::fen;
use chess_core::facts::rules;
use chess_uci::root::canonical;
use serde_json::{Value as Json_, json};

use crate::app::App;
use crate::failure::{Failure, Outcome};
use crate::inventory::Inventory;
use crate::params::Params;
use crate::position::{Asked, Reading, as_lichess};
use crate::query::{Query, Value};

/// Of each board the best that is known with at least so many lines.
const STORED: &str = "\
SELECT q.n::integer, a.evals, a.pvs, a.depth::integer, a.nodes
FROM unnest({}) WITH ORDINALITY AS q (fen, n)
CROSS JOIN LATERAL (
    SELECT s.evals, s.pvs, s.depth, s.nodes
    FROM {schema}.analysis s
    WHERE s.key = {chess}.zobrist(q.fen::{chess}.chessboard)
      AND s.halfmove_clock = {chess}.halfmoveclock(q.fen::{chess}.chessboard)
      AND s.status <> 'failed' AND s.multipv >= {} AND {chess}.sameposition(s.board, q.fen::{chess}.chessboard)
    ORDER BY s.nodes DESC NULLS LAST, s.depth DESC NULLS LAST, s.engine_id DESC, s.at DESC LIMIT 1
) a";

/// What is stored of a board.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Of each line, the best first: centipawns for White, mate in n as 100000 − n.
    pub evals: Vec<i32>,
    /// Their moves in UCI.
    pub pvs: Vec<String>,
    /// The depth; none for a position that is over.
    pub depth: Option<i32>,
    /// The nodes searched.
    pub nodes: Option<i64>,
}

/// An evaluation as JSON has it: `cp` or `mate`, White's.
pub fn eval_json(eval: i32) -> Json_ {
    let moves = 100_000 - eval.abs();
    match moves {
        ..10_000 => json!({ "mate": if eval < 0 { -moves } else { moves } }),
        _ => json!({ "cp": eval }),
    }
}

/// What is stored of boards, by their places; nothing where there is no table of it.
///
/// # Errors
///
/// Those of the database.
pub async fn stored(
    app: &App,
    inventory: &Inventory,
    boards: &[Board],
    multipv: i32,
) -> Outcome<HashMap<usize, Stored>> {
    if !inventory.analysis || boards.is_empty() {
        return Ok(HashMap::new());
    }
    let fens = boards.iter().map(|board| fen::write(&canonical(board))).collect();
    let query = Query::new(STORED, [Value::Texts(fens), multipv.into()]);
    let rows = app.database.rows(&query, &inventory.names).await?;
    let read = |row: &tokio_postgres::Row| {
        let place = row.get::<_, i32>(0) as usize - 1;
        (place, Stored { evals: row.get(1), pvs: row.get(2), depth: row.get(3), nodes: row.get(4) })
    };
    Ok(rows.iter().map(read).collect())
}

/// The evaluations of the positions after moves of a board, by move: `{"cp" | "mate", "depth"}`.
///
/// # Errors
///
/// Those of the database.
pub async fn of_moves(
    app: &App,
    inventory: &Inventory,
    board: &Board,
    moves: &[&str],
) -> Outcome<HashMap<String, Json_>> {
    let played: Vec<(&str, Board)> =
        moves.iter().filter_map(|uci| Some((*uci, rules::play(board, uci).ok()?))).collect();
    let boards: Vec<Board> = played.iter().map(|(_, board)| board.clone()).collect();
    let known = stored(app, inventory, &boards, 1).await?;
    let eval = |(place, stored): (usize, Stored)| {
        let mut eval = eval_json(*stored.evals.first()?);
        eval["depth"] = stored.depth.into();
        Some((played.get(place)?.0.to_owned(), eval))
    };
    Ok(known.into_iter().filter_map(eval).collect())
}

/// Moves in UCI as lichess writes them.
fn spelt(board: &Board, moves: &str) -> String {
    let mut board = board.clone();
    let mut spelt = Vec::new();
    for text in moves.split(' ').filter(|text| !text.is_empty()) {
        let (Some(uci), Ok(after)) = (as_lichess(&board, text), rules::play(&board, text)) else { break };
        spelt.push(uci);
        board = after;
    }
    spelt.join(" ")
}

/// The handler.
pub async fn cloud_eval(State(app): State<Arc<App>>, mut params: Params) -> Outcome<Json<Json_>> {
    let asked = Asked::read(&mut params, Reading::Lenient)?;
    let multipv = params.number("multiPv", 1..=500, 1)?;
    let inventory = app.stock.readable().await?;
    let known = stored(&app, &inventory, std::slice::from_ref(&asked.board), multipv).await?.remove(&0);
    let Some(known) = known.filter(|known| known.depth.is_some()) else {
        return Err(Failure::missing("No cloud evaluation available for that position"));
    };
    let pvs = known.evals.iter().zip(&known.pvs).take(multipv as usize).map(|(eval, moves)| {
        let mut pv = eval_json(*eval);
        pv["moves"] = spelt(&asked.board, moves).into();
        pv
    });
    Ok(Json(json!({
        "fen": asked.fen(),
        "knodes": known.nodes.unwrap_or(0) / 1000,
        "depth": known.depth,
        "pvs": pvs.collect::<Vec<_>>(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations() {
        assert_eq!(eval_json(-35), json!({ "cp": -35 }));
        assert_eq!(eval_json(99_997), json!({ "mate": 3 }));
        assert_eq!(eval_json(-99_999), json!({ "mate": -1 }));
        assert_eq!(eval_json(89_990), json!({ "cp": 89_990 }));
    }

    #[test]
    fn castling_as_lichess_has_it() {
        let board = fen::read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        assert_eq!(spelt(&board, "e1g1 e8c8 g1g2"), "e1h1 e8a8 g1g2");
        assert_eq!(spelt(&board, "e1g1 e8e1 g1g2"), "e1h1");
        assert_eq!(spelt(&board, ""), "");
    }
}
