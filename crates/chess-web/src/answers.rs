//! Answers that were given already: the same question again costs one small query, and the answer is never stale.
//!
//! An answer is kept under the state of the database that it was given in, and given again only while that is the state.
//! The state is the server's snapshot: which transactions have ended. Two questions with equal snapshots see the same
//! rows, whatever table was written by whatever means, so nothing need be told of a load, an UPDATE or a trigger that was
//! disabled. The server is asked before an answer is worked out and again after it; only if nothing has ended meanwhile is
//! it kept. Who asks the same in the same state meanwhile waits for that answer. Every transaction that writes, in any database of the server, makes all answers forgotten.
//!
//! What a snapshot does not tell: what a standby replays (its snapshots look alike), foreign and distributed tables, and
//! policies, which may depend on the hour. Where there is one of these, or where the settings name several servers, no
//! answer is kept. After a crash the server may use numbers of
//! transactions again; so when it was started, and when its statistics were last set to zero, as a crash does, are part of
//! the state.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::failure::Failure;
use crate::shelf::{Kept, LONGEST};

/// The paths whose answers depend on nothing but the URL and the games.
const KEPT: [&str; 7] = ["/api/explorer", "/api/games", "/masters", "/master", "/lichess", "/player", "/personal"];

/// No row if the snapshot does not tell everything.
const STATE: &str = "\
SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot())
WHERE NOT pg_is_in_recovery() AND NOT EXISTS (SELECT FROM pg_foreign_table) AND NOT EXISTS (SELECT FROM pg_policy)
  AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')";

/// The state the database is in now.
async fn state(app: &App) -> Option<String> {
    if !app.database.is_one_server() {
        return None;
    }
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
        return given(StatusCode::OK, kept);
    }
    let first = loop {
        match app.answers.ask(&tag) {
            Ok(first) => break first,
            // without an answer if the client of the first one has gone
            Err(mut waiting) => {
                let answer = waiting.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
                if let Some((status, kept)) = answer {
                    return given(status, kept);
                }
            }
        }
    };
    // what is believed of the tables must be of this state as well
    let current = app.stock.is_since(since).await;
    let response = next.run(request).await;
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Failure::unavailable("the answer broke off").into_response();
    };
    if current && parts.status == StatusCode::OK && state(&app).await.as_ref() == Some(&before) {
        label(&mut parts.headers, tag);
        if body.len() <= LONGEST {
            let mut shelf = app.answers.shelf();
            if shelf.turn_to(&before) == since {
                shelf.put(question, Kept { headers: parts.headers.clone(), body: body.clone() });
            }
        }
    }
    first.tell(parts.status, Kept { headers: parts.headers.clone(), body: body.clone() });
    Response::from_parts(parts, Body::from(body))
}

/// An answer that was worked out for another question.
fn given(status: StatusCode, kept: Kept) -> Response {
    let mut response = Response::new(Body::from(kept.body));
    *response.status_mut() = status;
    *response.headers_mut() = kept.headers;
    response
}

/// Lets the browser keep it, and ask each time whether it still holds.
fn label(headers: &mut HeaderMap, tag: HeaderValue) {
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
}
