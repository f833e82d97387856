//! `/api/boards`: analysis boards that a visitor has saved, each a game in PGN with variations. A board is replaced only by a
//! client that knows what is stored: by the version that it has read, or because it was the last to write.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::body::{Body, text};
use crate::http::cookie::with_cookie;
use crate::http::guard::LONGEST_BOARD;
use crate::http::path::Path;
use crate::question::game_id;
use crate::question::trees::{self, one_whole_game};
use crate::saved::visitor::{UPDATED, Visitor};

/// The most boards of a session.
pub const MOST: i64 = 500;

/// The longest key of a client, in characters.
const KEY: usize = 40;

/// The version of a board: the time of its last change, to the microsecond.
const VERSION: &str = "to_char(updated AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')";

/// The body of a new board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct New {
    name: String,
    pgn: String,
    /// The id of the stored game that it begins with.
    #[serde(default)]
    origin: Option<String>,
    /// What the client calls itself: a board that it sends again, because the answer was lost, is the same board.
    #[serde(default)]
    key: String,
}

/// The body of a changed board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    name: String,
    pgn: String,
    /// The version that it replaces.
    version: String,
    /// What the client calls itself: it also replaces what it wrote itself and got no answer to.
    #[serde(default)]
    key: String,
}

/// Checks a name, a PGN and a key.
fn checked(name: &str, pgn: &str, key: &str) -> Outcome<[Value; 3]> {
    let (name, pgn) = (text("name", name, 200, true)?, text("pgn", pgn, LONGEST_BOARD, false)?);
    one_whole_game(&pgn)?;
    Ok([name.into(), pgn.into(), text("key", key, KEY, true)?.into()])
}

/// Adds to a query the columns that [`board`] reads.
fn columns(query: &mut Query) {
    query.push("id, name, ", []);
    query.push(VERSION, []);
    query.push(" AS version, ", []);
    query.push(UPDATED, []);
}

/// A board without its moves, as API.md has it.
fn board(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "updated": row.get::<_, &str>("updated"),
        "version": row.get::<_, &str>("version"),
    })
}

/// Lists the boards, without their moves.
pub async fn list(visitor: Visitor) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT ", []);
    columns(&mut query);
    query.push(" FROM chess_web.boards b WHERE session_id = {} ORDER BY b.updated DESC, id DESC", [visitor.session()]);
    let rows = visitor.rows(query).await?;
    Ok(Json(json!({ "boards": rows.iter().map(board).collect::<Vec<_>>() })))
}

/// Reads a board with its moves.
pub async fn read(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT ", []);
    columns(&mut query);
    query.push(", pgn, origin FROM chess_web.boards WHERE id = {} AND session_id = {}", [id.into(), visitor.session()]);
    let row = visitor.found(query).await?;
    let mut json = board(&row);
    json["pgn"] = row.get::<_, &str>("pgn").into();
    json["origin"] = row.get::<_, Option<&str>>("origin").into();
    json["game"] = trees::of_stored(row.get("pgn")).await?;
    Ok(Json(json))
}

/// Saves a new board.
pub async fn create(visitor: Visitor, Body(new): Body<New>) -> Outcome<Response> {
    if new.origin.as_ref().is_some_and(|id| !id.is_empty() && game_id::read(id).is_none()) {
        return Err(Failure::bad("\"origin\" is not the id of a game"));
    }
    let [name, pgn, key] = checked(&new.name, &new.pgn, &new.key)?;
    let (session, cookie) = visitor.begin().await?;
    let origin = new.origin.unwrap_or_default().into();
    let mut query = Query::new(include_str!("sql/create_board.sql"), [session, name, pgn, key, origin, MOST.into()]);
    query.push(" SELECT ", []);
    columns(&mut query);
    query.push(" FROM boards", []);
    match visitor.row(query).await? {
        Some(row) => Ok(with_cookie((StatusCode::CREATED, Json(board(&row))), cookie)),
        None => Err(Failure::bad(format!("you can save at most {MOST} boards"))),
    }
}

/// Replaces a board.
///
/// # Errors
///
/// 409 if it is not the one that the client knows.
pub async fn write(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<Change>) -> Outcome<Json<Json_>> {
    let [name, pgn, key] = checked(&new.name, &new.pgn, &new.key)?;
    let mut query = Query::new(
        "UPDATE chess_web.boards SET name = {}, pgn = {}, key = nullif({}, ''), updated = now() \
         WHERE id = {} AND session_id = {} AND (key = {} OR ",
        [name, pgn, key.clone(), id.into(), visitor.session(), key],
    );
    query.push(VERSION, []);
    query.push(" = {}) RETURNING ", [text("version", &new.version, KEY, false)?.into()]);
    columns(&mut query);
    if let Some(row) = visitor.row(query).await? {
        return Ok(Json(board(&row)));
    }
    let text = "SELECT id FROM chess_web.boards WHERE id = {} AND session_id = {}";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Err(Failure::new(StatusCode::CONFLICT, "the board was changed meanwhile, in another window or on another device"))
}

/// Deletes a board.
pub async fn remove(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.boards WHERE id = {} AND session_id = {} RETURNING id";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_whole_game() {
        let check = |pgn: &str| checked("x", pgn, "").map_err(|failure| failure.error);
        assert!(check("[Event \"?\"]\n\n1. e4 (1. d4 d5) e5 {good} *").is_ok());
        assert!(check("1. e4 e5").is_ok());
        for wrong in ["", " ", "1. e5", "1. e4 *\n\n[White \"B\"]\n\n1. d4 *", "1. e4 \0"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        assert!(check(&format!("1. e4 {{{}}}", "x".repeat(LONGEST_BOARD))).is_err());
    }
}
