//! `/api/boards`: analysis boards that a visitor has saved, each a game in PGN with variations.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::body::{Body, text};
use crate::http::cookie::with_cookie;
use crate::http::path::Path;
use crate::question::game_id;
use crate::question::trees::{self, one_whole_game};
use crate::saved::visitor::{UPDATED, Visitor};

/// The most boards of a session.
pub const MOST: i64 = 500;
/// The longest game, in characters.
pub const LONGEST: usize = 60_000;

/// The body of a new or changed board.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    name: String,
    pgn: String,
    /// The id of the stored game that a new board begins with.
    #[serde(default)]
    origin: Option<String>,
}

impl Content {
    fn checked(self) -> Outcome<(String, String)> {
        let (name, pgn) = (text("name", &self.name, 200, true)?, text("pgn", &self.pgn, LONGEST, false)?);
        one_whole_game(&pgn)?;
        Ok((name, pgn))
    }
}

fn board(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "updated": row.get::<_, &str>("updated"),
    })
}

/// Lists the boards, without their moves.
pub async fn list(visitor: Visitor) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id, name, ", []);
    query.push(UPDATED, []);
    query.push(" FROM chess_web.boards b WHERE session_id = {} ORDER BY b.updated DESC, id DESC", [visitor.session()]);
    let rows = visitor.rows(query).await?;
    Ok(Json(json!({ "boards": rows.iter().map(board).collect::<Vec<_>>() })))
}

/// Reads a board with its moves.
pub async fn read(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id, name, ", []);
    query.push(UPDATED, []);
    query.push(", pgn, origin FROM chess_web.boards WHERE id = {} AND session_id = {}", [id.into(), visitor.session()]);
    let row = visitor.found(query).await?;
    let mut json = board(&row);
    json["pgn"] = row.get::<_, &str>("pgn").into();
    json["origin"] = row.get::<_, Option<&str>>("origin").into();
    json["game"] = trees::of_stored(row.get("pgn")).await?;
    Ok(Json(json))
}

/// Saves a new board.
pub async fn create(visitor: Visitor, Body(new): Body<Content>) -> Outcome<Response> {
    let origin = new.origin.clone();
    if origin.as_ref().is_some_and(|id| game_id::read(id).is_none()) {
        return Err(Failure::bad("\"origin\" is not the id of a game"));
    }
    let (name, pgn) = new.checked()?;
    let (session, cookie) = visitor.begin().await?;
    let mut query = Query::new(
        "INSERT INTO chess_web.boards (session_id, name, pgn, origin) SELECT {}, {}, {}, nullif({}, '') \
         WHERE (SELECT count(*) FROM chess_web.boards WHERE session_id = {}) < {} RETURNING id, name, ",
        [session.clone(), name.into(), pgn.into(), origin.unwrap_or_default().into(), session, MOST.into()],
    );
    query.push(UPDATED, []);
    match visitor.row(query).await? {
        Some(row) => Ok(with_cookie((StatusCode::CREATED, Json(board(&row))), cookie)),
        None => Err(Failure::bad(format!("you can save at most {MOST} boards"))),
    }
}

/// Replaces a board.
pub async fn write(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<Content>) -> Outcome<Json<Json_>> {
    let (name, pgn) = new.checked()?;
    let mut query = Query::new(
        "UPDATE chess_web.boards SET name = {}, pgn = {}, updated = now() WHERE id = {} AND session_id = {} \
         RETURNING id, name, ",
        [name.into(), pgn.into(), id.into(), visitor.session()],
    );
    query.push(UPDATED, []);
    Ok(Json(board(&visitor.found(query).await?)))
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
        let check = |pgn: &str| {
            Content { name: "x".into(), pgn: pgn.into(), origin: None }.checked().map_err(|failure| failure.error)
        };
        assert!(check("[Event \"?\"]\n\n1. e4 (1. d4 d5) e5 {good} *").is_ok());
        assert!(check("1. e4 e5").is_ok());
        for wrong in ["", " ", "1. e5", "1. e4 *\n\n[White \"B\"]\n\n1. d4 *", "1. e4 \0"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        assert!(check(&format!("1. e4 {{{}}}", "x".repeat(LONGEST))).is_err());
    }
}
