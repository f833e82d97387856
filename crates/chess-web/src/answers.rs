//! Answers that were given already: the same question again costs one small query, and the answer is never stale.
//!
//! An answer is kept under the state of the database that it was given in, and given again only while that is the state.
//! The state is the server's snapshot: which transactions have ended. Two questions with equal snapshots see the same
//! rows, whatever table was written by whatever means, so nothing need be told of a load, an UPDATE or a trigger that was
//! disabled. The server is asked before an answer is worked out and again after it; only if nothing has ended meanwhile is
//! it kept. Every transaction that writes, in any database of the server, makes all answers forgotten.
//!
//! What a snapshot does not tell: what a standby replays (its snapshots look alike), foreign tables, and policies, which may
//! depend on the hour. Where there is one of these, no answer is kept. After a crash the server may use numbers of
//! transactions again; so when it was started, and when its statistics were last set to zero, as a crash does, are part of
//! the state.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use openssl::sha::sha256;

use crate::app::App;
use crate::failure::Failure;

/// The paths whose answers depend on nothing but the URL and the games.
const KEPT: [&str; 7] = ["/api/explorer", "/api/games", "/masters", "/master", "/lichess", "/player", "/personal"];

/// Bytes of all answers; those that were not asked for go when there are more.
const MOST: usize = 40 << 20;

/// The longest answer that is kept, in bytes.
const LONGEST: usize = 1 << 20;

/// What an answer takes besides its bytes, about.
const BESIDES: usize = 600;

/// No row if the snapshot does not tell everything.
const STATE: &str = "\
SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot())
WHERE NOT pg_is_in_recovery() AND NOT EXISTS (SELECT FROM pg_foreign_table) AND NOT EXISTS (SELECT FROM pg_policy)";

#[derive(Clone)]
struct Kept {
    headers: HeaderMap,
    body: Bytes,
}

/// The answers of one state: those of late, and those that were asked for since the last time there were too many.
#[derive(Default)]
struct Shelf {
    state: Option<(String, Instant)>,
    late: HashMap<String, Kept>,
    bytes: usize,
    earlier: HashMap<String, Kept>,
}

impl Shelf {
    /// Since when the database is in that state; what was known of another one is forgotten.
    fn turn_to(&mut self, state: &str) -> Instant {
        match &self.state {
            Some((known, since)) if known == state => *since,
            _ => {
                let now = Instant::now();
                *self = Shelf { state: Some((state.to_owned(), now)), ..Shelf::default() };
                now
            }
        }
    }

    fn get(&mut self, question: &str) -> Option<Kept> {
        if let Some(kept) = self.late.get(question) {
            return Some(kept.clone());
        }
        let (question, kept) = self.earlier.remove_entry(question)?;
        self.put(question, kept.clone());
        Some(kept)
    }

    fn put(&mut self, question: String, kept: Kept) {
        self.bytes += question.len() + kept.body.len() + BESIDES;
        if let Some(before) = self.late.insert(question, kept) {
            self.bytes -= before.body.len() + BESIDES;
        }
        if self.bytes > MOST / 2 {
            self.earlier = std::mem::take(&mut self.late);
            self.bytes = 0;
        }
    }
}

/// What is kept.
pub struct Answers {
    /// Makes tags of this process its own: they depend on what it was started with.
    salt: [u8; 16],
    shelf: Mutex<Shelf>,
}

impl Answers {
    /// None yet.
    ///
    /// # Errors
    ///
    /// No random bytes.
    pub fn new() -> anyhow::Result<Answers> {
        let mut salt = [0; 16];
        openssl::rand::rand_bytes(&mut salt)?;
        Ok(Answers { salt, shelf: Mutex::default() })
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tag(&self, state: &str, question: &str) -> Option<HeaderValue> {
        let text = format!("{state}\n{question}");
        let digest = sha256(&[&self.salt[..], text.as_bytes()].concat());
        let hex: String = digest[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&format!("\"{hex}\"")).ok()
    }
}

/// The state the database is in now.
async fn state(app: &App) -> Option<String> {
    app.database.ask(STATE, &[]).await.ok()?.first().map(|row| row.get(0))
}

/// The middleware.
pub async fn keep(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if request.method() != Method::GET || !(KEPT.contains(&path) || path.starts_with("/api/games/")) {
        return next.run(request).await;
    }
    let Some(before) = state(&app).await else { return next.run(request).await };
    let question = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let Some(tag) = app.answers.tag(&before, &question) else { return next.run(request).await };
    let known = request.headers().get_all(header::IF_NONE_MATCH).iter().any(|known| {
        known.to_str().is_ok_and(|known| known.split(',').any(|known| known.trim().as_bytes() == tag.as_bytes()))
    });
    let (since, kept) = {
        let mut shelf = app.answers.shelf();
        (shelf.turn_to(&before), shelf.get(&question))
    };
    if known {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        label(response.headers_mut(), tag);
        return response;
    }
    if let Some(kept) = kept {
        let mut response = Response::new(Body::from(kept.body));
        *response.headers_mut() = kept.headers;
        return response;
    }
    // what is believed of the tables must be of this state as well
    let current = app.stock.is_since(since).await;
    let response = next.run(request).await;
    if !current || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Failure::unavailable("the answer broke off").into_response();
    };
    if state(&app).await.as_ref() == Some(&before) {
        label(&mut parts.headers, tag);
        if body.len() <= LONGEST {
            let mut shelf = app.answers.shelf();
            if shelf.turn_to(&before) == since {
                shelf.put(question, Kept { headers: parts.headers.clone(), body: body.clone() });
            }
        }
    }
    Response::from_parts(parts, Body::from(body))
}

/// Lets the browser keep it, and ask each time whether it still holds.
fn label(headers: &mut HeaderMap, tag: HeaderValue) {
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(size: usize) -> Kept {
        Kept { headers: HeaderMap::new(), body: Bytes::from(vec![b'x'; size]) }
    }

    #[test]
    fn another_state_knows_nothing() {
        let mut shelf = Shelf::default();
        let since = shelf.turn_to("1:1:");
        shelf.put("/a".into(), kept(10));
        assert_eq!(shelf.turn_to("1:1:"), since);
        assert!(shelf.get("/a").is_some() && shelf.get("/b").is_none());
        shelf.turn_to("1:2:");
        assert!(shelf.get("/a").is_none());
        shelf.turn_to("1:1:");
        assert!(shelf.get("/a").is_none(), "nor does the first, when it is there again");
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let mut shelf = Shelf::default();
        shelf.turn_to("1:1:");
        let mut most = 0;
        for number in 0..200 {
            shelf.put(format!("/{number}"), kept(LONGEST));
            assert!(shelf.get("/0").is_some(), "{number}");
            most = most.max(shelf.late.len() + shelf.earlier.len());
        }
        assert!(shelf.get("/1").is_none());
        assert!(most * LONGEST <= MOST + LONGEST, "{most}");
    }

    #[test]
    fn tags_tell_states_questions_and_processes_apart() {
        let (a, b) = (Answers::new().unwrap(), Answers::new().unwrap());
        let tag = a.tag("1:1:", "/x").unwrap();
        assert_eq!(a.tag("1:1:", "/x").unwrap(), tag);
        for other in [a.tag("1:1:", "/y"), a.tag("1:2:", "/x"), b.tag("1:1:", "/x")] {
            assert_ne!(other.unwrap(), tag);
        }
    }
}
