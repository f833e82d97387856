//! Undo for notebooks. The last hundred changes of a notebook are stored, so that undo also works in another window and
//! after a reload. In: a notebook. Out: the notebook as it was before its last change.
//!
//! The statement that makes a change also records it: the nodes that it adds, and the earlier state of those that it alters
//! or removes. Only the last change can be undone. Its nodes therefore find their parents as they left them.

use axum::Json;
use serde_json::{Value as Json_, json};

use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::path::Path;
use crate::saved::visitor::Visitor;

/// The most bytes of all notes of a notebook, because it is read as a whole.
pub const TEXT: i64 = 2 << 20;

/// The notes of a notebook would become too long.
pub fn too_long() -> Failure {
    Failure::bad(format!("a notebook has at most {} MiB of notes", TEXT >> 20))
}

/// Appends the part of a statement that deletes all recorded changes of this notebook but the last hundred.
pub fn forget_old(query: &mut Query, notebook: i64) {
    query.push(
        ", old AS (DELETE FROM chess_web.notebook_changes WHERE notebook_id = {} AND id <= \
         (SELECT id FROM chess_web.notebook_changes WHERE notebook_id = {} ORDER BY id DESC OFFSET 99 LIMIT 1))",
        [notebook.into(), notebook.into()],
    );
}

/// Undoes the last change of a notebook; answers how many are left.
pub async fn undo(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let nothing = || Failure::missing("there is nothing to undo");
    let last = Query::new(include_str!("sql/last_change.sql"), [id.into(), visitor.session()]);
    let bytes = visitor.row(last).await?.ok_or_else(nothing)?.get("bytes");
    visitor.stores(bytes)?;
    let undo = Query::new(include_str!("sql/undo.sql"), [id.into(), visitor.session(), TEXT.into()]);
    let row = visitor.row(undo).await?.ok_or_else(nothing)?;
    match row.get("is_long") {
        true => {
            visitor.stored_nothing(bytes);
            Err(too_long())
        }
        false => Ok(Json(json!({ "changes": row.get::<_, i64>("changes") }))),
    }
}
