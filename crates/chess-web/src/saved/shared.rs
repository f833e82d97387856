//! `/api/shared`: links by which others read a notebook or a board, and make a copy of their own.
//!
//! A link has a key of 128 random bits, because anybody could guess a number. It works until its owner withdraws it. A copy
//! belongs to the visitor who makes it, and later changes of the original do not reach it.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::cookie::with_cookie;
use crate::http::path::Path;
use crate::question::trees;
use crate::random::random_hex;
use crate::saved::visitor::Visitor;
use crate::saved::{boards, changes, notebooks};

/// Makes the link of a notebook, or answers the one that it has.
pub async fn share_notebook(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let text = "INSERT INTO chess_web.shares (key, notebook_id) SELECT {}, id FROM chess_web.notebooks WHERE id = {} AND session_id = {} \
                ON CONFLICT (notebook_id) DO UPDATE SET notebook_id = excluded.notebook_id RETURNING key";
    share(visitor, text, id).await
}

/// Makes the link of a board, or answers the one that it has.
pub async fn share_board(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let text = "INSERT INTO chess_web.shares (key, board_id) SELECT {}, id FROM chess_web.boards WHERE id = {} AND session_id = {} \
                ON CONFLICT (board_id) DO UPDATE SET board_id = excluded.board_id RETURNING key";
    share(visitor, text, id).await
}

async fn share(visitor: Visitor, text: &'static str, id: i64) -> Outcome<Json<Json_>> {
    let key = random_hex::<16>().map_err(|_| Failure::unavailable("no random numbers"))?;
    let row = visitor.found(Query::new(text, [key.into(), id.into(), visitor.session()])).await?;
    Ok(Json(json!({ "key": row.get::<_, &str>("key") })))
}

/// Takes the link of a notebook back.
pub async fn unshare_notebook(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.shares s USING chess_web.notebooks o \
                WHERE o.id = s.notebook_id AND o.id = {} AND o.session_id = {} RETURNING o.id";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the link of a board back.
pub async fn unshare_board(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.shares s USING chess_web.boards o \
                WHERE o.id = s.board_id AND o.id = {} AND o.session_id = {} RETURNING o.id";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Finds what a link leads to.
async fn find(visitor: &Visitor, key: &str) -> Outcome<Row> {
    let text = include_str!("sql/find_shared.sql");
    // PostgreSQL takes no NUL
    let key = key.replace('\0', "");
    let row = visitor.row(Query::new(text, [key.into()])).await?;
    row.ok_or_else(|| {
        Failure::missing("this link leads to nothing: its owner has taken it back, or deleted what it led to")
    })
}

/// Reads what a link leads to.
pub async fn read(visitor: Visitor, Path(key): Path<String>) -> Outcome<Json<Json_>> {
    let row = find(&visitor, &key).await?;
    let name: &str = row.get("name");
    Ok(Json(match row.get::<_, Option<i64>>("notebook_id") {
        Some(id) => {
            let nodes = notebooks::nodes(&visitor, id).await?;
            let color: Option<&str> = row.get("color");
            json!({ "kind": "notebook", "name": name, "color": color, "nodes": nodes.iter().map(notebooks::node).collect::<Vec<_>>() })
        }
        None => {
            let pgn: String = row.get("pgn");
            json!({ "kind": "board", "name": name, "pgn": pgn, "game": trees::of_stored(pgn).await? })
        }
    }))
}

/// Makes a copy that belongs to this visitor.
pub async fn copy(visitor: Visitor, Path(key): Path<String>) -> Outcome<Response> {
    let row = find(&visitor, &key).await?;
    if row.get::<_, i64>("text") > changes::TEXT {
        return Err(changes::too_long());
    }
    let bytes = row.get("bytes");
    visitor.stores(bytes)?;
    let (session, cookie) = visitor.begin().await?;
    let (kind, query): (&str, Query) = match row.get::<_, Option<i64>>("notebook_id") {
        Some(id) => ("notebook", copy_of_notebook(session, id)),
        None => ("board", copy_of_board(session, row.get("board_id"))),
    };
    match visitor.row(query).await? {
        Some(row) => {
            let made = json!({ "kind": kind, "id": row.get::<_, i64>("id") });
            Ok(with_cookie((StatusCode::CREATED, Json(made)), cookie))
        }
        None => {
            visitor.stored_nothing(bytes);
            Err(Failure::bad(format!("you cannot save more {kind}s")))
        }
    }
}

fn copy_of_notebook(session: Value, id: i64) -> Query {
    Query::new(
        include_str!("sql/copy_notebook.sql"),
        [session.clone(), id.into(), session, notebooks::MOST.into(), id.into()],
    )
}

fn copy_of_board(session: Value, id: i64) -> Query {
    Query::new(
        "INSERT INTO chess_web.boards (session_id, name, pgn) SELECT {}, name, pgn FROM chess_web.boards \
         WHERE id = {} AND (SELECT count(*) FROM chess_web.boards WHERE session_id = {}) < {} RETURNING id",
        [session.clone(), id.into(), session, boards::MOST.into()],
    )
}
