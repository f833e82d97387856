//! `/api/views`: filters that a visitor has saved, each a name and an address of the page.

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
use crate::saved::visitor::{UPDATED, Visitor};

/// The most views of a session.
const MOST: i64 = 200;

/// The body of a new view.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct New {
    name: String,
    url: String,
}

fn view(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "url": row.get::<_, &str>("url"),
        "updated": row.get::<_, &str>("updated"),
    })
}

/// Lists the views.
pub async fn list(visitor: Visitor) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id, name, url, ", []);
    query.push(UPDATED, []);
    query.push(" FROM chess_web.views WHERE session_id = {} ORDER BY name, id", [visitor.session()]);
    let rows = visitor.rows(query).await?;
    Ok(Json(json!({ "views": rows.iter().map(view).collect::<Vec<_>>() })))
}

/// Saves a view.
pub async fn create(visitor: Visitor, Body(new): Body<New>) -> Outcome<Response> {
    let (name, url) = (text("name", &new.name, 200, false)?, text("url", &new.url, 4000, false)?);
    // the address must be on this server, not on another one (//host), and no script
    if !url.starts_with('/') || url.starts_with("//") || url.contains(['\\', '\n', '\r', '\t']) {
        return Err(Failure::bad("\"url\" begins with one /"));
    }
    let (session, cookie) = visitor.begin().await?;
    let mut query = Query::new(
        "INSERT INTO chess_web.views (session_id, name, url) SELECT {}, {}, {} \
         WHERE (SELECT count(*) FROM chess_web.views WHERE session_id = {}) < {} RETURNING id, name, url, ",
        [session.clone(), name.into(), url.into(), session, MOST.into()],
    );
    query.push(UPDATED, []);
    match visitor.row(query).await? {
        Some(row) => Ok(with_cookie((StatusCode::CREATED, Json(view(&row))), cookie)),
        None => Err(Failure::bad(format!("you can save at most {MOST} filters"))),
    }
}

/// Deletes a view.
pub async fn remove(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.views WHERE id = {} AND session_id = {} RETURNING id";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}
