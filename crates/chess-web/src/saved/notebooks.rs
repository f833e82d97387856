//! `/api/notebooks`: trees of positions with notes that a visitor has saved, such as a repertoire. Every change is recorded
//! with what undoes it ([`changes`](crate::saved::changes)).

use std::collections::{BTreeSet, HashMap};

use axum::Json;
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
use crate::http::cookie::with_cookie;
use crate::http::path::Path;
use crate::question::position::{AskedPosition, Reading};
use crate::question::trees::Note;
use crate::saved::changes;
use crate::saved::visitor::{UPDATED, Visitor};

/// The most notebooks of a session.
pub const MOST: i64 = 200;
/// The most nodes of a notebook.
const NODES: i64 = 10_000;
/// The longest note, in characters.
const NOTE: usize = 8000;
/// The most glyphs of a move.
const GLYPHS: usize = 9;

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

/// The body of a tree of moves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMoves {
    /// The node below which they are added, and what is added to its note.
    at: i64,
    #[serde(default)]
    note: String,
    moves: Vec<NewMove>,
}

/// A move of a tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewMove {
    /// The place in the list of the move before it; without one, it is played in the first node.
    parent: Option<usize>,
    uci: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    glyphs: Vec<u8>,
}

/// What a node says about its move.
#[derive(Clone, Debug, Default)]
struct Notes {
    note: String,
    glyph: Option<i16>,
    glyphs: Vec<i16>,
}

impl Notes {
    /// Adds what is given, unless the note has its lines already; false if nothing changes.
    fn take(&mut self, given: Notes) -> bool {
        let between = if self.note.is_empty() { "" } else { "\n" };
        let longer = format!("{}{between}{}", self.note, given.note);
        let lines = |note: &str| format!("\n{note}\n");
        let has = given.note.is_empty() || lines(&self.note).contains(&lines(&given.note));
        let noted = !has && longer.chars().count() <= NOTE;
        if noted {
            self.note = longer;
        }
        let marked = self.glyph.is_none() && given.glyph.is_some();
        if marked {
            (self.glyph, self.glyphs) = (given.glyph, given.glyphs);
        }
        noted || marked
    }
}

impl NewMove {
    fn notes(&self) -> Outcome<Notes> {
        Ok(Notes {
            note: text("note", &self.note, NOTE, true)?,
            glyph: self.glyphs.first().map(|glyph| (*glyph).into()),
            glyphs: self.glyphs.iter().take(GLYPHS).skip(1).map(|glyph| (*glyph).into()).collect(),
        })
    }
}

/// The body of a change of a node; `glyphs` are all that it has afterwards.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeChange {
    note: Option<String>,
    glyphs: Option<Vec<u8>>,
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

/// A notebook without its nodes, as API.md has it.
fn notebook(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "color": row.get::<_, Option<&str>>("color"),
        "updated": row.get::<_, &str>("updated"),
    })
}

/// The columns of [`node`].
const NODE: &str = "id, parent, uci, fen, note, glyph, glyphs";

/// A node as API.md has it.
pub fn node(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "parent": row.get::<_, Option<i64>>("parent"),
        "uci": row.get::<_, Option<&str>>("uci"),
        "fen": row.get::<_, &str>("fen"),
        "note": row.get::<_, &str>("note"),
        "said": Note::read([row.get::<_, &str>("note")]),
        "glyph": row.get::<_, Option<i16>>("glyph"),
        "glyphs": row.get::<_, Vec<i16>>("glyphs"),
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
        include_str!("sql/create_notebook.sql"),
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
    let mut query = Query::new(
        "SELECT id, name, color, (SELECT count(*) FROM chess_web.notebook_changes c WHERE c.notebook_id = n.id) AS changes, ",
        [],
    );
    query.push(UPDATED, []);
    query.push(" FROM chess_web.notebooks n WHERE id = {} AND session_id = {}", [id.into(), visitor.session()]);
    let row = visitor.found(query).await?;
    let mut json = notebook(&row);
    json["changes"] = row.get::<_, i64>("changes").into();
    json["nodes"] = nodes(&visitor, id).await?.iter().map(node).collect::<Vec<_>>().into();
    Ok(Json(json))
}

/// The nodes of a notebook, parents before children, which are created later and so have greater numbers.
pub async fn nodes(visitor: &Visitor, id: i64) -> Outcome<Vec<Row>> {
    let mut query = Query::new("SELECT ", []);
    query.push(NODE, []);
    query.push(" FROM chess_web.notebook_nodes WHERE notebook_id = {} ORDER BY id", [id.into()]);
    visitor.rows(query).await
}

/// Changes the name or the colour.
pub async fn change(visitor: Visitor, Path(id): Path<i64>, Body(change): Body<Change>) -> Outcome<Json<Json_>> {
    let mut query = Query::new(include_str!("sql/before_notebook.sql"), [id.into(), visitor.session()]);
    changes::forget_old(&mut query, id);
    query.push(" UPDATE chess_web.notebooks n SET updated = now()", []);
    if let Some(name) = change.name {
        query.push(", name = {}", [text("name", &name, 200, false)?.into()]);
    }
    if let Some(wanted) = change.color {
        query.push(", color = nullif({}, '')", [color(wanted.as_deref())?]);
    }
    query.push(" FROM before WHERE id = of RETURNING id, name, color, ", []);
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
pub async fn find(visitor: &Visitor, id: i64, node: i64) -> Outcome<Row> {
    let text = "SELECT c.* FROM chess_web.notebook_nodes c JOIN chess_web.notebooks n ON n.id = c.notebook_id \
                WHERE n.id = {} AND n.session_id = {} AND c.id = {}";
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
    let mut insert = Query::new(
        include_str!("sql/insert_node.sql"),
        [id.into(), new.parent.into(), uci.as_str().into(), after.into(), id.into(), NODES.into()],
    );
    changes::forget_old(&mut insert, id);
    insert.push(" SELECT * FROM made", []);
    if let Some(row) = visitor.row(insert).await? {
        return Ok((StatusCode::CREATED, Json(node(&row))).into_response());
    }
    let mut query = Query::new("SELECT ", []);
    query.push(NODE, []);
    query.push(
        " FROM chess_web.notebook_nodes WHERE notebook_id = {} AND parent = {} AND uci = {}",
        [id.into(), new.parent.into(), uci.into()],
    );
    match visitor.row(query).await? {
        Some(row) => Ok(Json(node(&row)).into_response()),
        None => Err(full()),
    }
}

fn full() -> Failure {
    Failure::bad(format!("a notebook has at most {NODES} positions"))
}

/// How often a tree of moves is added anew to notes that others change meanwhile.
const ATTEMPTS: usize = 5;

/// Adds a tree of moves, such as that of a PGN, below a node. A move that the notebook already has is not added again: its
/// note is extended, and it keeps its glyphs. One undo takes back the whole tree.
pub async fn add_moves(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<NewMoves>) -> Outcome<Json<Json_>> {
    for _ in 0..ATTEMPTS {
        if let Some(count) = try_add_moves(&visitor, id, &new).await? {
            return Ok(Json(json!({ "added": count })));
        }
    }
    Err(Failure::new(StatusCode::CONFLICT, "the notebook is being changed by others: try again"))
}

/// Adds a tree of moves, and returns how many are new; `None` if a note or a glyph has changed since it was read.
async fn try_add_moves(visitor: &Visitor, id: i64, new: &NewMoves) -> Outcome<Option<usize>> {
    find(visitor, id, new.at).await?;
    let stored = nodes(visitor, id).await?;
    let count = new.moves.len() as i64;
    if count > NODES {
        return Err(full());
    }
    let numbers =
        "SELECT nextval(pg_get_serial_sequence('chess_web.notebook_nodes', 'id')) AS id FROM generate_series(1, {})";
    let numbers = visitor.rows(Query::new(numbers, [count.into()])).await?;
    let mut tree = Growing::new(id, &stored, numbers.iter().map(|row| row.get("id")).collect());
    tree.note(new.at, Notes { note: text("note", &new.note, NOTE, true)?, ..Notes::default() });
    let mut places: Vec<i64> = Vec::new();
    for (number, step) in new.moves.iter().enumerate() {
        let wrong = |reason: String| Failure::bad(format!("move {}: {reason}", number + 1));
        let parent = match step.parent {
            None => new.at,
            Some(parent) => *places.get(parent).ok_or_else(|| wrong("its parent comes later".into()))?,
        };
        let given = step.notes()?;
        let at = tree.play(parent, &step.uci).map_err(wrong)?;
        tree.note(at, given);
        places.push(at);
    }
    let count = tree.made.len();
    if count == 0 && tree.changed.is_empty() {
        return Ok(Some(0));
    }
    let (made, changed) = tree.json();
    let bytes = (made.len() + changed.len()) as i64;
    visitor.stores(bytes)?;
    let values = [made.into(), changed.into(), id.into(), NODES.into(), changes::TEXT.into()];
    let mut query = Query::new(include_str!("sql/insert_nodes.sql"), values);
    changes::forget_old(&mut query, id);
    query.push(" SELECT is_expected, is_many, is_long FROM size", []);
    let size = visitor.found(query).await?;
    let refused = match (size.get("is_expected"), size.get("is_many"), size.get("is_long")) {
        (false, ..) => Ok(None),
        (_, true, _) => Err(full()),
        (.., true) => Err(changes::too_long()),
        _ => return Ok(Some(count)),
    };
    visitor.stored_nothing(bytes);
    refused
}

/// A notebook to which moves are added.
struct Growing {
    notebook: i64,
    /// The FEN of each node.
    boards: HashMap<i64, String>,
    /// The node of each move, by its parent.
    known: HashMap<(i64, String), i64>,
    notes: HashMap<i64, Notes>,
    /// The notes as they are stored.
    were: HashMap<i64, Notes>,
    /// Ids for new nodes: one for each move that is added.
    numbers: std::vec::IntoIter<i64>,
    /// The new nodes, without their notes.
    made: Vec<Json_>,
    /// The nodes with new notes.
    changed: BTreeSet<i64>,
}

impl Growing {
    fn new(notebook: i64, stored: &[Row], numbers: Vec<i64>) -> Growing {
        let (mut boards, mut known, mut notes) = (HashMap::new(), HashMap::new(), HashMap::new());
        for row in stored {
            let at: i64 = row.get("id");
            notes.insert(at, Notes { note: row.get("note"), glyph: row.get("glyph"), glyphs: row.get("glyphs") });
            if let Some(parent) = row.get::<_, Option<i64>>("parent") {
                known.insert((parent, row.get::<_, String>("uci")), at);
            }
            boards.insert(at, row.get::<_, String>("fen"));
        }
        let (made, changed) = Default::default();
        let were = notes.clone();
        Growing { notebook, boards, known, notes, were, numbers: numbers.into_iter(), made, changed }
    }

    /// Adds to the notes of a node.
    fn note(&mut self, at: i64, given: Notes) {
        if self.notes.entry(at).or_default().take(given) {
            self.changed.insert(at);
        }
    }

    /// The node behind a move, which is made if there is none; or why there can be none.
    fn play(&mut self, parent: i64, text: &str) -> Result<i64, String> {
        let board = fen::read(&self.boards[&parent]).map_err(|error| error.to_string())?;
        let illegal = || format!("\"{}\" is not legal", text.chars().take(20).collect::<String>());
        let (_, uci) = rules::spell(&board, text).map_err(|_| illegal())?;
        if let Some(at) = self.known.get(&(parent, uci.clone())) {
            return Ok(*at);
        }
        let after = fen::write(&rules::play(&board, &uci).map_err(|_| illegal())?);
        let at = self.numbers.next().ok_or("there is no number for it")?;
        self.made.push(json!({ "id": at, "notebook_id": self.notebook, "parent": parent, "uci": uci, "fen": after }));
        self.boards.insert(at, after);
        self.known.insert((parent, uci), at);
        Ok(at)
    }

    /// The new nodes, and the other nodes with new notes, and with those that they had.
    fn json(mut self) -> (String, String) {
        let notes = std::mem::take(&mut self.notes);
        let told = |notes: &HashMap<i64, Notes>, at: &i64| {
            let Notes { note, glyph, glyphs } = notes.get(at).cloned().unwrap_or_default();
            json!({ "note": note, "glyph": glyph, "glyphs": glyphs })
        };
        for node in &mut self.made {
            let at = node["id"].as_i64().unwrap_or_default();
            self.changed.remove(&at);
            for (name, value) in told(&notes, &at).as_object_mut().into_iter().flatten() {
                node[name] = value.take();
            }
        }
        let change = |at: &i64| {
            let mut change = told(&notes, at);
            (change["id"], change["was"]) = ((*at).into(), told(&self.were, at));
            change
        };
        let changed: Vec<Json_> = self.changed.iter().map(change).collect();
        (Json_::from(self.made).to_string(), Json_::from(changed).to_string())
    }
}

/// Changes a note or the glyphs.
pub async fn change_node(
    visitor: Visitor,
    Path((id, at)): Path<(i64, i64)>,
    Body(change): Body<NodeChange>,
) -> Outcome<Json<Json_>> {
    let note = change.note.map(|note| text("note", &note, NOTE, true)).transpose()?;
    // what it was is stored as well
    let was = find(&visitor, id, at).await?;
    let bytes = (was.get::<_, &str>("note").len() + note.as_ref().map_or(0, String::len)) as i64;
    let values =
        [note.clone().unwrap_or_default().into(), changes::TEXT.into(), id.into(), visitor.session(), at.into()];
    let mut query = Query::new(include_str!("sql/before_node.sql"), values);
    changes::forget_old(&mut query, id);
    query.push(" UPDATE chess_web.notebook_nodes c SET fen = c.fen", []);
    if let Some(note) = note {
        query.push(", note = {}", [note.into()]);
    }
    if let Some(glyphs) = change.glyphs {
        let numbers: Vec<String> = glyphs.iter().take(GLYPHS).map(u8::to_string).collect();
        let numbers: Value = format!("{{{}}}", numbers.join(",")).into();
        query.push(", glyph = ({}::smallint[])[1]", [numbers.clone()]);
        query.push(", glyphs = ({}::smallint[])[2:]", [numbers]);
    }
    query.push(" FROM before b WHERE c.id = b.id RETURNING c.*", []);
    visitor.stores(bytes)?;
    let Some(row) = visitor.row(query).await? else {
        visitor.stored_nothing(bytes);
        // The statement also changes nothing if another request has deleted the node meanwhile: that is a 404.
        find(&visitor, id, at).await?;
        return Err(changes::too_long());
    };
    Ok(Json(node(&row)))
}

/// Deletes a node with everything below it.
pub async fn cut(visitor: Visitor, Path((id, at)): Path<(i64, i64)>) -> Outcome<StatusCode> {
    let below = Query::new(include_str!("sql/size_below.sql"), [id.into(), visitor.session(), at.into()]);
    let below = visitor.found(below).await?;
    if below.get("is_root") {
        return Err(Failure::bad("the start cannot be deleted, only the whole notebook"));
    }
    visitor.stores(below.get("bytes"))?;
    let mut query = Query::new(include_str!("sql/cut_node.sql"), [at.into(), id.into()]);
    changes::forget_old(&mut query, id);
    query.push(" SELECT 1 AS one", []);
    visitor.rows(query).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_takes_each_comment_once() {
        let mut notes = Notes::default();
        let mut take = |note: &str| notes.take(Notes { note: note.to_owned(), ..Notes::default() });
        assert_eq!(["First plan.", "First", "", "First", "plan."].map(&mut take), [true, true, false, false, true]);
        assert!(!take(&"x".repeat(NOTE)));
        assert_eq!(notes.note, "First plan.\nFirst\nplan.");
    }
}
