//! `/api/tablebase`: what endgame tables say of a position and of its moves. `/api/tablebase/map`: the same of the positions in
//! which one of its pieces stands elsewhere.
//!
//! The tables are those of the database server (`chess.syzygy_path`), which a superuser names: they are files of that
//! machine, and the role that reads games has no right to choose files there.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use chess_core::Board;
use chess_core::board::kinds::NO_KIND;
use chess_core::board::{fen, squares};
use chess_core::facts::rules::name_of_wdl;
use serde_json::{Map, Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::inventory::Inventory;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::position::{AskedPosition, Reading};

/// Nobody has made tables of more men.
const MOST_MEN: u32 = 7;

const VALUE: &str = "SELECT wdl, dtz FROM {chess}.tablebase({}::{chess}.chessboard)";
const MOVES: &str =
    "SELECT san, uci, wdl, dtz, value, zeroing, missing FROM {chess}.tablebase_moves({}::{chess}.chessboard)";
const MAP: &str = "SELECT s.square, t.wdl, t.dtz\nFROM unnest({}, {}) AS s (square, fen)\n\
    CROSS JOIN LATERAL {chess}.tablebase(s.fen::{chess}.chessboard) AS t";

/// The inventory of a server that has tables.
async fn with_tables(app: &App) -> Outcome<Arc<Inventory>> {
    let inventory = app.inventory.readable().await?;
    match inventory.endgame_tables {
        true => Ok(inventory),
        false => Err(Failure::missing("the server has no endgame tables")
            .hint("a superuser of the database names their directory in chess.syzygy_path")),
    }
}

/// Why no table has a board, wherever it comes from.
fn beyond_tables(board: &Board) -> Option<&'static str> {
    if board.castling != [0, 0] {
        Some("endgame tables know no castling rights")
    } else if board.occupied().count_ones() > MOST_MEN {
        Some("nobody has endgame tables of more than seven men")
    } else {
        None
    }
}

/// The value in the columns `wdl` and `dtz` of a row.
fn value(row: &Row) -> Json_ {
    let wdl: Option<i32> = row.get("wdl");
    json!({ "value": wdl.map(name_of_wdl), "wdl": wdl, "dtz": row.get::<_, Option<i32>>("dtz") })
}

/// Names the tables without which rows of moves have no value, or no distance.
fn missing(rows: &[Row]) -> Option<String> {
    let mut names: Vec<&str> = rows.iter().filter_map(|row| row.get("missing")).collect();
    names.sort_unstable();
    names.dedup();
    let is_known = rows.iter().all(|row| row.get::<_, Option<i32>>("wdl").is_some());
    let what = match (names.as_slice(), is_known) {
        ([], _) => return None,
        (&[name], false) => format!("the table {name} is missing"),
        (names, false) => format!("the tables {} are missing", names.join(", ")),
        (names, true) => format!("the distances of {} are missing", names.join(", ")),
    };
    Some(what)
}

/// Answers `/api/tablebase`: what endgame tables say of a position and of each of its moves.
pub async fn moves(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let position = AskedPosition::read(&mut params, Reading::Strict)?;
    params.finish()?;
    let inventory = with_tables(&app).await?;
    let (ask_value, ask_moves) =
        (Query::new(VALUE, [position.fen().into()]), Query::new(MOVES, [position.fen().into()]));
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows_of_all(&[&ask_value, &ask_moves], &inventory.names).await?;
    let rows_of = |at: usize| rows.get(at).map(Vec::as_slice).unwrap_or_default();
    let told = |row: &Row| {
        let mut played = value(row);
        played["uci"] = row.get::<_, &str>("uci").into();
        played["san"] = row.get::<_, &str>("san").into();
        played["zeroing"] = row.get::<_, bool>("zeroing").into();
        played["missing"] = row.get::<_, Option<&str>>("missing").into();
        played
    };
    let mut answer = rows_of(0).first().map_or_else(|| json!({ "value": null, "wdl": null, "dtz": null }), value);
    answer["fen"] = position.fen().into();
    answer["moves"] = rows_of(1).iter().map(told).collect::<Vec<_>>().into();
    answer["reason"] = beyond_tables(&position.board).map(str::to_owned).or_else(|| missing(rows_of(1))).into();
    answer["sql"] = ask_moves.shown(&inventory.names).into();
    Ok(Json(answer))
}

/// The legal positions in which the piece of a square stands on each square that is free, its own among them.
fn placements(board: &Board, from: usize) -> (Vec<String>, Vec<String>) {
    let mut all = (Vec::new(), Vec::new());
    for to in 0..board.kinds.len() {
        if to != from && board.kinds[to] != NO_KIND {
            continue;
        }
        // The board would be another one with a pawn that may be taken en passant: nobody has just moved there.
        let mut other = Board { en_passant: None, ..board.clone() };
        other.kinds[from] = NO_KIND;
        other.kinds[to] = board.kinds[from];
        if other.position().is_ok() {
            all.0.push(squares::name(to as u8));
            all.1.push(fen::write(&other));
        }
    }
    all
}

/// Answers `/api/tablebase/map`: what the position would be worth with the piece of `square` on each square.
pub async fn map(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let AskedPosition { board, .. } = AskedPosition::read(&mut params, Reading::Strict)?;
    let square = params.text("square")?.unwrap_or_default();
    params.finish()?;
    let from = squares::from_name(&square).map(usize::from).filter(|from| board.kinds[*from] != NO_KIND);
    let from = from.ok_or_else(|| Failure::bad("\"square\" is that of a piece, such as e4"))?;
    if let Some(reason) = beyond_tables(&board) {
        return Err(Failure::bad(reason));
    }
    let inventory = with_tables(&app).await?;
    let (names, fens) = placements(&board, from);
    let query = Query::new(MAP, [Value::Texts(names), Value::Texts(fens)]);
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    let values: Map<String, Json_> = rows.iter().map(|row| (row.get("square"), value(row))).collect();
    let is_known = rows.iter().all(|row| row.get::<_, Option<i32>>("wdl").is_some());
    Ok(Json(json!({
        "fen": fen::write(&board),
        "square": square,
        "squares": values,
        "reason": (!is_known).then_some("a table is missing"),
        "sql": query.shown(&inventory.names),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        AskedPosition::new(Some(fen), None, Reading::Strict).unwrap().board
    }

    #[test]
    fn pieces_stand_where_the_rules_let_them() {
        let squares = |fen: &str, square: &str| {
            let (names, fens) = placements(&board(fen), usize::from(squares::from_name(square).unwrap()));
            assert_eq!(names.len(), fens.len());
            names
        };
        // not on the other king, not beside it, and not where the side to move could take it
        let king = squares("8/8/8/8/8/8/8/K6k w - - 0 1", "a1");
        assert_eq!((king.len(), king.contains(&"g2".to_owned()), king.contains(&"a1".to_owned())), (60, false, true));
        // White to move cannot have Black in check already
        let rook = squares("8/8/8/8/8/8/8/K1R4k b - - 0 1", "c1");
        assert_eq!(rook.len(), 62, "check is allowed");
        let rook = squares("8/8/8/8/2R5/8/8/K6k w - - 0 1", "c4");
        assert_eq!((rook.len(), rook.contains(&"h5".to_owned()), rook.contains(&"c1".to_owned())), (49, false, false));
        // pawns neither on the first nor on the last rank, and no square of en passant is left
        let pawn = squares("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "e4");
        assert_eq!((pawn.len(), pawn.contains(&"e1".to_owned())), (47, false));
    }

    #[test]
    fn what_no_table_has() {
        for (fen, words) in [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", Some("castling")),
            ("4k3/pppp4/8/8/8/8/PP6/4K3 w - - 0 1", Some("seven men")),
            ("4k3/ppp5/8/8/8/8/PP6/4K3 w - - 0 1", None),
        ] {
            let reason = beyond_tables(&board(fen));
            assert_eq!(reason.is_some(), words.is_some(), "{fen}");
            assert!(reason.unwrap_or_default().contains(words.unwrap_or_default()), "{fen}");
        }
    }
}
