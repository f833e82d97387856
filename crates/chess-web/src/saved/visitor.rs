//! The visitor of a request: a cookie of 256 random bits leads to a device, and that to a session, which devices may share
//! ([`devices`](crate::saved::devices)). The database stores only the hash of the cookie.
//!
//! A visitor gets the cookie with the first object that is saved. Every query about saved objects has the session as a
//! condition, so that objects of others are not found.

use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use openssl::sha::sha256;
use tokio_postgres::Row;

use crate::database::pool::Database;
use crate::database::query::{Names, Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::body::discard;
use crate::http::cookie::{self, Cookie};
use crate::http::guard::longest;
use crate::http::places::current;
use crate::saved::sessions::{ROW, Sessions};

/// The beginning of the name of the cookie. A dot and a part for the database follow it: browsers send cookies to all ports of a
/// host, so programs for several databases would otherwise replace the cookies of each other.
const COOKIE: &str = "chess";

/// The name of the cookie for a database, made from words that distinguish it from others.
pub fn cookie_name(database: &str) -> String {
    format!("{COOKIE}.{}", hex::encode(&sha256(database.as_bytes())[..4]))
}

/// Whether a cookie with this name may be ours, including those of earlier versions and of the same database under another name.
fn is_alike(name: &str) -> bool {
    name.strip_prefix(COOKIE).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The column `updated` in the form of JSON.
pub const UPDATED: &str = "to_char(updated AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS updated";

/// A visitor: the database with the sessions, and the visitor's device with its session, if there is one.
pub struct Visitor {
    database: Database,
    device: Option<i64>,
    session: Option<i64>,
    sessions: Arc<Sessions>,
    cookie: Cookie,
    counted: Counted,
    renewed: Renewed,
}

/// The cookie that identifies the visitor's device for another year, once the device is found.
#[derive(Clone, Default)]
struct Renewed(Arc<OnceLock<HeaderValue>>);

/// The bytes that were counted before the request was answered.
#[derive(Clone, Copy, Default)]
struct Counted(f64);

impl FromRequestParts<Arc<Sessions>> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, sessions: &Arc<Sessions>) -> Outcome<Visitor> {
        let database = sessions.open().await?.clone();
        let cookie = Cookie::new(&*sessions.cookie, &parts.extensions);
        let counted = parts.extensions.get().copied().unwrap_or_default();
        let renewed = parts.extensions.get().cloned().unwrap_or_default();
        let secrets = cookie.read(&parts.headers, is_alike);
        let sessions = sessions.clone();
        let mut visitor = Visitor { database, device: None, session: None, sessions, cookie, counted, renewed };
        for secret in secrets {
            if visitor.find(secret).await? {
                break;
            }
        }
        Ok(visitor)
    }
}

impl Visitor {
    /// Finds the device with a secret; returns false if there is none.
    async fn find(&mut self, secret: &str) -> Outcome<bool> {
        let query = Query::new(
            "SELECT d.id, d.session_id, d.seen < now() - interval '1 day' AS is_old \
             FROM chess_web.devices d JOIN chess_web.sessions s ON s.id = d.session_id \
             WHERE d.id_hash = {} AND s.expires > now()",
            [hash(secret)],
        );
        let Some(row) = self.row(query).await? else { return Ok(false) };
        let device: i64 = row.get("id");
        if row.get("is_old") {
            // what fails here is logged, and done by the next request; this one may only read
            drop(self.rows(Query::new(include_str!("sql/see_device.sql"), [device.into()])).await);
        }
        (self.device, self.session) = (Some(device), Some(row.get("session_id")));
        if let Some(cookie) = self.cookie.set(secret) {
            // nothing has been set yet, because only one device is found
            let _ = self.renewed.0.set(cookie);
        }
        Ok(true)
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

    /// The device as a value of a query; without one 0, which is nobody's.
    pub fn device(&self) -> Value {
        self.device.unwrap_or(0).into()
    }

    /// The session for a new object. If the session is new as well, the cookie comes with it.
    pub async fn begin(&self) -> Outcome<(Value, Option<HeaderValue>)> {
        if let Some(session) = self.session {
            return Ok((session.into(), None));
        }
        self.may_begin()?;
        let (secret, cookie) = self.new_cookie()?;
        let text = "WITH made AS (INSERT INTO chess_web.sessions DEFAULT VALUES RETURNING id) \
                    INSERT INTO chess_web.devices (session_id, id_hash) SELECT id, {} FROM made RETURNING session_id";
        let made = self.found(Query::new(text, [secret])).await?;
        Ok((made.get::<_, i64>("session_id").into(), cookie))
    }

    /// Counts a new device of the visitor's address; a visitor with a device needs none.
    ///
    /// # Errors
    ///
    /// 429 if its address has had too many today.
    pub fn may_begin(&self) -> Outcome<()> {
        if self.device.is_some() || self.sessions.begun.takes(current(), 1.0) {
            return Ok(());
        }
        let error = "too many new visitors from this address today; try again tomorrow";
        let hint = "browsers that send their cookie are not new visitors";
        Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, error).hint(hint).tomorrow())
    }

    /// Makes a secret. Returns its hash, for the database, and the cookie that carries it.
    pub fn new_cookie(&self) -> Outcome<(Value, Option<HeaderValue>)> {
        let secret = cookie::secret()?;
        Ok((hash(&secret), self.cookie.set(&secret)))
    }

    /// Counts bytes that this request is about to store, as far as they are more than what was sent. They are counted before,
    /// because a client may leave while they are stored.
    ///
    /// # Errors
    ///
    /// As [`Sessions::count`].
    pub fn stores(&self, bytes: i64) -> Outcome<()> {
        self.sessions.count(self.more(bytes))
    }

    /// Gives back what [`stores`](Visitor::stores) has counted: nothing was stored.
    pub fn stored_nothing(&self, bytes: i64) {
        self.sessions.stored.owes(current(), -self.more(bytes));
    }

    fn more(&self, bytes: i64) -> f64 {
        ((bytes as f64).max(ROW) - self.counted.0).max(0.0)
    }
}

/// Hashes a secret: the database stores the hash alone, so that nobody who reads it can make a cookie.
pub fn hash(secret: &str) -> Value {
    Value::Bytes(sha256(secret.as_bytes()).to_vec())
}

/// The middleware of saved objects: counts what is sent (what else a change stores is counted where it is made), and extends the cookie by a year, as the database extends the session.
pub async fn saving(State(sessions): State<Arc<Sessions>>, mut request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD | Method::DELETE) {
        let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let counted = length.unwrap_or(longest(request.uri().path()) as f64).max(ROW);
        if let Err(failure) = sessions.count(counted) {
            discard(request.into_body().into_data_stream());
            return failure.into_response();
        }
        request.extensions_mut().insert(Counted(counted));
    }
    let renewed = Renewed::default();
    request.extensions_mut().insert(renewed.clone());
    let mut response = next.run(request).await;
    if let Some(renewed) = renewed.0.get()
        && response.status().is_success()
    {
        response.headers_mut().entry(header::SET_COOKIE).or_insert(renewed.clone());
    }
    response
}
