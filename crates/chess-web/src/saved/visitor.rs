//! The visitor of a request: a cookie of 256 random bits leads to a session. The database stores only the hash of the cookie.
//!
//! A visitor gets the cookie with the first object that is saved. Every query about saved objects has the session as a
//! condition, so that objects of others are not found.
//!
//! Cookies are read and written here, in a few lines; axum-extra would add eight crates, among them a library for dates.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use openssl::sha::sha256;
use tokio_postgres::Row;

use crate::database::pool::Database;
use crate::database::query::{Names, Query, Value};
use crate::failure::{Failure, Outcome};
use crate::hex::random_hex;
use crate::http::client::Client;
use crate::saved::sessions::Sessions;

/// The cookie's name over TLS and on this machine. Browsers accept the prefix `__Host-` only in a secure cookie.
const SECURE_NAME: &str = "__Host-chess";
/// The cookie's name over plain HTTP.
const PLAIN_NAME: &str = "chess";
const YEAR: u32 = 365 * 24 * 3600;

/// The column `updated` in the form of JSON.
pub const UPDATED: &str = "to_char(updated AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS updated";

/// A visitor: the database with the sessions, and the visitor's session, if there is one.
pub struct Visitor {
    database: Database,
    session: Option<i64>,
    secure: bool,
}

impl FromRequestParts<Arc<Sessions>> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, sessions: &Arc<Sessions>) -> Outcome<Visitor> {
        let database = sessions.open().await?;
        let secure = is_secure(&parts.extensions, &parts.headers);
        let mut visitor = Visitor { database: database.clone(), session: None, secure };
        if let Some(cookie) = cookie(&parts.headers, name_of_cookie(secure)) {
            visitor.session = visitor.find(sha256(cookie.as_bytes()).to_vec()).await?;
        }
        Ok(visitor)
    }
}

/// Whether the browser accepts secure cookies: over TLS, and without it if the page has a name of this machine.
fn is_secure(extensions: &Extensions, headers: &HeaderMap) -> bool {
    let over_tls = extensions.get::<Client>().is_some_and(|client| client.secure);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    over_tls || matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

fn name_of_cookie(secure: bool) -> &'static str {
    if secure { SECURE_NAME } else { PLAIN_NAME }
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value).filter(|value| value.len() == 64)
}

impl Visitor {
    async fn find(&self, hash: Vec<u8>) -> Outcome<Option<i64>> {
        let query = Query::new(
            "SELECT id, seen < now() - interval '1 day' AS is_old FROM chess_web.sessions WHERE id_hash = {} AND expires > now()",
            [Value::Bytes(hash)],
        );
        let Some(row) = self.row(query).await? else { return Ok(None) };
        let (id, is_old): (i64, bool) = (row.get("id"), row.get("is_old"));
        if is_old {
            let text = "UPDATE chess_web.sessions SET seen = now(), expires = now() + interval '1 year' WHERE id = {}";
            self.rows(Query::new(text, [id.into()])).await?;
        }
        Ok(Some(id))
    }

    /// The rows of a query about saved objects.
    pub async fn rows(&self, query: Query) -> Outcome<Vec<Row>> {
        self.database.rows(&query, &Names { schema: String::new(), extension: String::new() }).await
    }

    /// The only row of a query, if there is one.
    pub async fn row(&self, query: Query) -> Outcome<Option<Row>> {
        Ok(self.rows(query).await?.into_iter().next())
    }

    /// The only row of a query that names an object by its number.
    ///
    /// # Errors
    ///
    /// 404 if this session has no object with that number.
    pub async fn found(&self, query: Query) -> Outcome<Row> {
        self.row(query)
            .await?
            .ok_or_else(|| Failure::missing("you have saved nothing under this number, or it was deleted"))
    }

    /// The session as a value of a query; without one 0, which is nobody's.
    pub fn session(&self) -> Value {
        self.session.unwrap_or(0).into()
    }

    /// The session for a new object. If the session is new as well, the cookie comes with it.
    pub async fn begin(&self) -> Outcome<(Value, Option<HeaderValue>)> {
        if let Some(session) = self.session {
            return Ok((session.into(), None));
        }
        let secret = random_hex::<32>().map_err(|_| Failure::unavailable("no random numbers"))?;
        let hash = Value::Bytes(sha256(secret.as_bytes()).to_vec());
        let made =
            self.found(Query::new("INSERT INTO chess_web.sessions (id_hash) VALUES ({}) RETURNING id", [hash])).await?;
        Ok((made.get::<_, i64>("id").into(), set_cookie(&secret, self.secure)))
    }
}

/// The middleware of saved objects: extends the cookie by a year, as the database extends the session.
pub async fn renew_cookie(request: Request, next: Next) -> Response {
    let secure = is_secure(request.extensions(), request.headers());
    let secret = cookie(request.headers(), name_of_cookie(secure))
        .filter(|secret| secret.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let renewed = secret.and_then(|secret| set_cookie(secret, secure));
    let mut response = next.run(request).await;
    if let Some(renewed) = renewed
        && response.status().is_success()
    {
        response.headers_mut().entry(header::SET_COOKIE).or_insert(renewed);
    }
    response
}

fn set_cookie(secret: &str, secure: bool) -> Option<HeaderValue> {
    let (name, mark) = (name_of_cookie(secure), if secure { "; Secure" } else { "" });
    let text = format!("{name}={secret}; Path=/; Max-Age={YEAR}; HttpOnly; SameSite=Lax{mark}");
    HeaderValue::from_str(&text).ok()
}

/// A response that sets the cookie, if there is one.
pub fn with_cookie(answer: impl IntoResponse, cookie: Option<HeaderValue>) -> Response {
    let mut response = answer.into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies() {
        let secret = "0".repeat(64);
        let line = format!("a=b; __Host-chess={secret}; chess=short");
        let headers = HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(&line).unwrap())]);
        assert_eq!(cookie(&headers, SECURE_NAME), Some(secret.as_str()));
        assert_eq!(cookie(&headers, PLAIN_NAME), None);
        assert_eq!(cookie(&HeaderMap::new(), PLAIN_NAME), None);
    }
}
