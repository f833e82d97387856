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
    let text = include_str!("sql/undo.sql");
    match visitor.row(Query::new(text, [id.into(), visitor.session()])).await? {
        Some(row) => Ok(Json(json!({ "changes": row.get::<_, i64>("changes") }))),
        None => Err(Failure::missing("there is nothing to undo")),
    }
}
