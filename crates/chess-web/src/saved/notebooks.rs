//! `/api/notebooks`: trees of positions with notes that a visitor has saved, such as a repertoire.

use axum::Json;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chess_core::board::fen;
use chess_core::facts::rules;
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::body::{Body, text};
use crate::question::position::{AskedPosition, Reading};
use crate::saved::visitor::{UPDATED, Visitor, with_cookie};

/// The most notebooks of a session.
const MOST: i64 = 200;
/// The most nodes of a notebook.
const NODES: i64 = 10_000;
/// The largest glyph number of PGN.
const GLYPHS: i32 = 255;

/// The body of a new notebook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct New {
    name: String,
    color: Option<String>,
    fen: Option<String>,
}

/// The body of a change of a notebook; a null removes the colour.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    name: Option<String>,
    #[serde(default, deserialize_with = "even_null")]
    color: Option<Option<String>>,
}

/// The body of a new node: a move from its parent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewNode {
    parent: i64,
    uci: String,
}

/// The body of a change of a node; a null removes the glyph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeChange {
    note: Option<String>,
    #[serde(default, deserialize_with = "even_null")]
    glyph: Option<Option<i32>>,
}

/// Tells a null, `Some(None)`, from a missing field, `None`.
fn even_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Deserialize::deserialize(from).map(Some)
}

/// The colour as a value of a query; an empty text for none.
fn color(text: Option<&str>) -> Outcome<Value> {
    match text {
        None => Ok("".into()),
        Some(known @ ("white" | "black")) => Ok(known.into()),
        Some(_) => Err(Failure::bad("\"color\" is white, black or null")),
    }
}

fn notebook(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "color": row.get::<_, Option<&str>>("color"),
        "updated": row.get::<_, &str>("updated"),
    })
}

fn node(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "parent": row.get::<_, Option<i64>>("parent"),
        "uci": row.get::<_, Option<&str>>("uci"),
        "fen": row.get::<_, &str>("fen"),
        "note": row.get::<_, &str>("note"),
        "glyph": row.get::<_, Option<i16>>("glyph"),
    })
}

/// Lists the notebooks, without their nodes.
pub async fn list(visitor: Visitor) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id, name, color, ", []);
    query.push(UPDATED, []);
    query.push(
        ", (SELECT count(*) FROM chess_web.notebook_nodes c WHERE c.notebook_id = n.id) AS nodes FROM chess_web.notebooks n \
         WHERE session_id = {} ORDER BY name, id",
        [visitor.session()],
    );
    let rows = visitor.rows(query).await?;
    let listed = rows.iter().map(|row| {
        let mut json = notebook(row);
        json["nodes"] = row.get::<_, i64>("nodes").into();
        json
    });
    Ok(Json(json!({ "notebooks": listed.collect::<Vec<_>>() })))
}

/// Saves a new notebook with its root.
pub async fn create(visitor: Visitor, Body(new): Body<New>) -> Outcome<Response> {
    let name = text("name", &new.name, 200, false)?;
    let root = AskedPosition::new(new.fen.as_deref(), None, Reading::Strict)?.fen();
    let color = color(new.color.as_deref())?;
    let (session, cookie) = visitor.begin().await?;
    let mut query = Query::new(
        "WITH made AS (INSERT INTO chess_web.notebooks (session_id, name, color) SELECT {}, {}, nullif({}, '') \
         WHERE (SELECT count(*) FROM chess_web.notebooks WHERE session_id = {}) < {} RETURNING id, name, color, updated), \
         root AS (INSERT INTO chess_web.notebook_nodes (notebook_id, fen) SELECT id, {} FROM made) \
         SELECT id, name, color, ",
        [session.clone(), name.into(), color, session, MOST.into(), root.into()],
    );
    query.push(UPDATED, []);
    query.push(" FROM made", []);
    match visitor.row(query).await? {
        Some(row) => Ok(with_cookie((StatusCode::CREATED, Json(notebook(&row))), cookie)),
        None => Err(Failure::bad(format!("you can save at most {MOST} notebooks"))),
    }
}

/// Reads a notebook with its nodes.
pub async fn read(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id, name, color, ", []);
    query.push(UPDATED, []);
    query.push(" FROM chess_web.notebooks WHERE id = {} AND session_id = {}", [id.into(), visitor.session()]);
    let mut json = notebook(&visitor.found(query).await?);
    // by number, parents come first: a node is created after its parent
    let text =
        "SELECT id, parent, uci, fen, note, glyph FROM chess_web.notebook_nodes WHERE notebook_id = {} ORDER BY id";
    let nodes = visitor.rows(Query::new(text, [id.into()])).await?;
    json["nodes"] = nodes.iter().map(node).collect::<Vec<_>>().into();
    Ok(Json(json))
}

/// Changes the name or the colour.
pub async fn change(visitor: Visitor, Path(id): Path<i64>, Body(change): Body<Change>) -> Outcome<Json<Json_>> {
    let mut query = Query::new("UPDATE chess_web.notebooks SET updated = now()", []);
    if let Some(name) = change.name {
        query.push(", name = {}", [text("name", &name, 200, false)?.into()]);
    }
    if let Some(wanted) = change.color {
        query.push(", color = nullif({}, '')", [color(wanted.as_deref())?]);
    }
    let of = [id.into(), visitor.session()];
    query.push(" WHERE id = {} AND session_id = {} RETURNING id, name, color, ", of);
    query.push(UPDATED, []);
    Ok(Json(notebook(&visitor.found(query).await?)))
}

/// Deletes a notebook.
pub async fn remove(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.notebooks WHERE id = {} AND session_id = {} RETURNING id";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Finds a node in a notebook of this session.
async fn find(visitor: &Visitor, id: i64, node: i64) -> Outcome<Row> {
    let text = "SELECT c.id, c.parent, c.uci, c.fen, c.note, c.glyph FROM chess_web.notebook_nodes c \
                JOIN chess_web.notebooks n ON n.id = c.notebook_id WHERE n.id = {} AND n.session_id = {} AND c.id = {}";
    visitor.found(Query::new(text, [id.into(), visitor.session(), node.into()])).await
}

/// Adds the node after a move, or returns it if it exists.
pub async fn add(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<NewNode>) -> Outcome<Response> {
    let parent = find(&visitor, id, new.parent).await?;
    let illegal =
        |_| Failure::bad(format!("\"{}\" is not a legal move there", new.uci.chars().take(20).collect::<String>()));
    let board = fen::read(parent.get("fen")).map_err(|error| Failure::bad(error.to_string()))?;
    let (_, uci) = rules::spell(&board, &new.uci).map_err(illegal)?;
    let after = fen::write(&rules::play(&board, &new.uci).map_err(illegal)?);
    let insert = Query::new(
        "INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen) SELECT {}, {}, {}, {} \
         WHERE (SELECT count(*) FROM chess_web.notebook_nodes WHERE notebook_id = {}) < {} \
         ON CONFLICT (notebook_id, parent, uci) DO NOTHING RETURNING id, parent, uci, fen, note, glyph",
        [id.into(), new.parent.into(), uci.as_str().into(), after.into(), id.into(), NODES.into()],
    );
    if let Some(row) = visitor.row(insert).await? {
        return Ok((StatusCode::CREATED, Json(node(&row))).into_response());
    }
    let text = "SELECT id, parent, uci, fen, note, glyph FROM chess_web.notebook_nodes \
                WHERE notebook_id = {} AND parent = {} AND uci = {}";
    match visitor.row(Query::new(text, [id.into(), new.parent.into(), uci.into()])).await? {
        Some(row) => Ok(Json(node(&row)).into_response()),
        None => Err(Failure::bad(format!("a notebook has at most {NODES} positions"))),
    }
}

/// Changes a note or a glyph.
pub async fn change_node(
    visitor: Visitor,
    Path((id, at)): Path<(i64, i64)>,
    Body(change): Body<NodeChange>,
) -> Outcome<Json<Json_>> {
    let mut query = Query::new("UPDATE chess_web.notebook_nodes c SET fen = c.fen", []);
    if let Some(note) = change.note {
        query.push(", note = {}", [text("note", &note, 8000, true)?.into()]);
    }
    match change.glyph {
        Some(Some(glyph)) if !(0..=GLYPHS).contains(&glyph) => {
            return Err(Failure::bad(format!("\"glyph\" is a number from 0 to {GLYPHS}, or null")));
        }
        Some(Some(glyph)) => query.push(", glyph = {}", [glyph.into()]),
        Some(None) => query.push(", glyph = NULL", []),
        None => (),
    }
    query.push(
        " FROM chess_web.notebooks n WHERE n.id = c.notebook_id AND n.id = {} AND n.session_id = {} AND c.id = {} \
         RETURNING c.id, c.parent, c.uci, c.fen, c.note, c.glyph",
        [id.into(), visitor.session(), at.into()],
    );
    Ok(Json(node(&visitor.found(query).await?)))
}

/// Deletes a node with everything below it.
pub async fn cut(visitor: Visitor, Path((id, at)): Path<(i64, i64)>) -> Outcome<StatusCode> {
    let found = find(&visitor, id, at).await?;
    if found.get::<_, Option<i64>>("parent").is_none() {
        return Err(Failure::bad("the start cannot be deleted, only the whole notebook"));
    }
    // in one statement: the foreign key would delete level by level, and a long line is deeper than the server's stack
    let text = "WITH RECURSIVE below AS (SELECT {}::bigint AS id \
                UNION ALL SELECT c.id FROM chess_web.notebook_nodes c JOIN below b ON c.parent = b.id) \
                DELETE FROM chess_web.notebook_nodes c USING below b WHERE c.id = b.id RETURNING c.id";
    visitor.rows(Query::new(text, [at.into()])).await?;
    Ok(StatusCode::NO_CONTENT)
}
