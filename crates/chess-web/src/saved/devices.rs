//! `/api/devices` and `/api/invitations`: several browsers that use one session.
//!
//! A device makes a link with a key. Within some minutes one other device can use the link, once, to join the session. The key
//! is the fragment of the link, behind the `#`, which browsers do not send. The page sends the key in the body of a request, so
//! neither a log nor a referrer contains it. Before a device joins, the page asks its visitor: otherwise a stranger's link could
//! make somebody save into the stranger's session. What the device saved before stays in its own session, and the device returns
//! to that session when it leaves or is removed.

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
use crate::random::random_hex;
use crate::saved::visitor::{Visitor, hash};

/// The most devices of a session.
const MOST: i64 = 20;
/// A link works for this number of minutes.
const MINUTES: i32 = 15;
/// The longest name of a device, in characters.
const NAME: usize = 60;

/// The body that names a device.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    name: String,
}

/// The body with the key of a link.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    key: String,
}

/// The body of a device that joins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joining {
    key: String,
    name: String,
}

const DEVICE: &str = "id, name, to_char(joined AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS joined, \
                      to_char(seen AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS seen";

fn device(row: &Row) -> Json_ {
    json!({
        "id": row.get::<_, i64>("id"),
        "name": row.get::<_, &str>("name"),
        "joined": row.get::<_, &str>("joined"),
        "seen": row.get::<_, &str>("seen"),
    })
}

/// Lists the devices of the session, and tells which of them asks.
pub async fn list(visitor: Visitor) -> Outcome<Json<Json_>> {
    let mut query = Query::new("SELECT id = {} AS here, ", [visitor.device()]);
    query.push(DEVICE, []);
    query.push(" FROM chess_web.devices WHERE session_id = {} ORDER BY joined, id", [visitor.session()]);
    let rows = visitor.rows(query).await?;
    let listed = rows.iter().map(|row| {
        let mut json = device(row);
        json["here"] = row.get::<_, bool>("here").into();
        json
    });
    Ok(Json(json!({ "devices": listed.collect::<Vec<_>>() })))
}

/// Names a device.
pub async fn rename(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<Named>) -> Outcome<Json<Json_>> {
    let mut query = Query::new(
        "UPDATE chess_web.devices SET name = {} WHERE id = {} AND session_id = {} RETURNING ",
        [text("name", &new.name, NAME, false)?.into(), id.into(), visitor.session()],
    );
    query.push(DEVICE, []);
    Ok(Json(device(&visitor.found(query).await?)))
}

/// Removes a device from the session.
pub async fn remove(visitor: Visitor, Path(id): Path<i64>) -> Outcome<StatusCode> {
    let row = visitor.found(Query::new(include_str!("sql/remove_device.sql"), [visitor.session(), id.into()])).await?;
    match row.get("is_last") {
        true => Err(only_device()),
        false => Ok(StatusCode::NO_CONTENT),
    }
}

/// The refusal of a change after which no device would use or remember a session.
fn only_device() -> Failure {
    Failure::bad("this is the only device with these notebooks: without it nobody could open them")
}

/// Makes a link by which another device can join. The session's earlier link stops working.
pub async fn invite(visitor: Visitor) -> Outcome<Response> {
    let (session, cookie) = visitor.begin().await?;
    let key = random_hex::<16>().map_err(|_| Failure::unavailable("no random numbers"))?;
    let values = [session, visitor.device(), hash(&key), MINUTES.into()];
    visitor.found(Query::new(include_str!("sql/invite.sql"), values)).await?;
    Ok(with_cookie((StatusCode::CREATED, Json(json!({ "key": key, "minutes": MINUTES }))), cookie))
}

/// Withdraws the session's link, which stops working.
pub async fn withdraw(visitor: Visitor) -> Outcome<StatusCode> {
    let text = "DELETE FROM chess_web.invitations WHERE session_id = {}";
    visitor.rows(Query::new(text, [visitor.session()])).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Finds the session that a key belongs to.
async fn find(visitor: &Visitor, key: &str) -> Outcome<Row> {
    let query = Query::new(include_str!("sql/find_invitation.sql"), [hash(key), visitor.session()]);
    visitor.row(query).await?.ok_or_else(spent)
}

fn spent() -> Failure {
    Failure::missing("this link leads to nothing: it was used, taken back, or is too old")
        .hint(format!("make another one on your other device; it works once, for {MINUTES} minutes"))
}

/// Describes the session that a key belongs to, so that visitors recognize whether it is theirs before they join.
pub async fn look(visitor: Visitor, Body(Key { key }): Body<Key>) -> Outcome<Json<Json_>> {
    let row = find(&visitor, &key).await?;
    let count = |name: &str| -> i64 { row.get(name) };
    Ok(Json(json!({
        "device": row.get::<_, &str>("device"),
        "notebooks": count("notebooks"),
        "boards": count("boards"),
        "filters": count("filters"),
        "joined": row.get::<_, bool>("joined"),
        "here": { "notebooks": count("own_notebooks"), "boards": count("own_boards"), "filters": count("own_filters") },
    })))
}

/// Lets the visitor's device join the session that a key belongs to.
pub async fn join(visitor: Visitor, Body(Joining { key, name }): Body<Joining>) -> Outcome<Response> {
    let name = text("name", &name, NAME, false)?;
    let row = find(&visitor, &key).await?;
    if row.get("joined") {
        return Err(Failure::bad("this device uses these notebooks already"));
    }
    if row.get::<_, i64>("devices") >= MOST {
        return Err(Failure::bad(format!("at most {MOST} devices can use the same notebooks"))
            .hint("remove one that is no longer used"));
    }
    visitor.may_begin()?;
    let (secret, cookie) = visitor.new_cookie()?;
    let values = [hash(&key), MOST.into(), visitor.device(), name.into(), secret];
    let row = visitor.row(Query::new(include_str!("sql/join.sql"), values)).await?.ok_or_else(spent)?;
    if row.get("is_last") {
        return Err(only_device().hint("make the link on this device, and open it on the other one"));
    }
    // A device that has a cookie keeps it. A new one could be lost, because answers that are under way set the old one again.
    Ok(with_cookie(StatusCode::NO_CONTENT, cookie.filter(|_| row.get("is_new"))))
}
