//! Answers that were given already: the same question again costs one small query, and the answer is never stale.
//!
//! An answer is kept under the state of the database that it was given in, and given again only while that is the state.
//! The state is the server's snapshot: which transactions have ended. Two questions with equal snapshots see the same
//! rows, whatever table was written by whatever means, so nothing need be told of a load, an UPDATE or a trigger that was
//! disabled. The server is asked before an answer is worked out and again after it; only if nothing has ended meanwhile is
//! it kept. Who asks the same in the same state meanwhile waits for that answer. Every transaction that writes, in any
//! database of the server, makes all answers forgotten.
//!
//! A state holds for a request if the server was asked for it after the request came. So all requests that come while one
//! such question is on its way share the next one, and many at once cost little more than one.
//!
//! What is kept is packed: it goes as it is to clients that take gzip, and is unpacked for the others. Each of the two has
//! a tag of its own, and both are known again.
//!
//! What a snapshot does not tell: what a standby replays (its snapshots look alike), foreign and distributed tables, and
//! policies, which may depend on the hour. Where there is one of these, or where the settings name several servers, no
//! answer is kept. After a crash the server may use numbers of transactions again; so when it was started, and when its
//! statistics were last set to zero, as a crash does, are part of the state.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::failure::Failure;
use crate::shelf::{Answer, LONGEST, Tags};

/// The paths whose answers depend on nothing but the URL and the games.
const KEPT: [&str; 7] = ["/api/explorer", "/api/games", "/masters", "/master", "/lichess", "/player", "/personal"];

/// No row if the snapshot does not tell everything.
const STATE: &str = "\
SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot())
WHERE NOT pg_is_in_recovery() AND NOT EXISTS (SELECT FROM pg_foreign_table) AND NOT EXISTS (SELECT FROM pg_policy)
  AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')";

/// How long the server may take to tell it; those who wait go on without.
const PATIENCE: Duration = Duration::from_secs(3);

/// The state the database is in now.
async fn state(app: &Arc<App>) -> Option<String> {
    if !app.database.is_one_server() {
        return None;
    }
    let database = app.database.clone();
    let ask = || async move {
        let rows = tokio::time::timeout(PATIENCE, database.ask(STATE, &[])).await.ok()?.ok()?;
        rows.first().map(|row| row.get(0))
    };
    app.states.get(ask).await
}

/// The middleware.
pub async fn keep(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if request.method() != Method::GET || !(KEPT.contains(&path) || path.starts_with("/api/games/")) {
        return next.run(request).await;
    }
    let Some(before) = state(&app).await else { return next.run(request).await };
    let question = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let Some(tags) = app.answers.tags(&before, &question) else { return next.run(request).await };
    let known = known(request.headers(), &tags).cloned();
    let packed = takes_packed(request.headers());
    let (since, kept) = {
        let mut shelf = app.answers.shelf();
        (shelf.turn_to(&before), shelf.get(&question))
    };
    if let Some(known) = known {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        label(response.headers_mut(), known);
        return response;
    }
    if let Some(kept) = kept {
        return given(&kept, tags, packed);
    }
    let first = loop {
        match app.answers.ask(&tags.plain) {
            Ok(first) => break first,
            // without an answer if the client of the first one has gone
            Err(mut waiting) => {
                let answer = waiting.wait_for(Option::is_some).await.ok().and_then(|answer| answer.clone());
                if let Some(answer) = answer {
                    return given(&answer, tags, packed);
                }
            }
        }
    };
    // what is believed of the tables must be of this state as well
    let current = app.stock.is_since(since).await;
    let response = next.run(request).await;
    let (parts, body) = response.into_parts();
    if parts.status == StatusCode::TOO_MANY_REQUESTS {
        // a problem of this client alone: the next client that waits for the answer sends the query
        return Response::from_parts(parts, body);
    }
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Failure::unavailable("the answer broke off").into_response();
    };
    let holds = current && parts.status == StatusCode::OK && state(&app).await.as_ref() == Some(&before);
    let plain = Answer::new(parts, body, holds);
    let mut answer = Arc::new(plain.clone());
    if holds && plain.body.len() <= LONGEST {
        answer = Arc::new(plain.clone().pack());
        let mut shelf = app.answers.shelf();
        if shelf.turn_to(&before) == since {
            shelf.put(question, answer.clone());
        }
    }
    first.tell(answer.clone());
    given(if packed { &answer } else { &plain }, tags, packed)
}

/// An answer as this client takes it.
fn given(answer: &Answer, tags: Tags, packed: bool) -> Response {
    let packed = packed && answer.packed;
    let body = match answer.packed && !packed {
        true => answer.unpacked(),
        false => Some(answer.body.clone()),
    };
    let Some(body) = body else { return Failure::unavailable("the answer broke off").into_response() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.extend(answer.headers.iter().cloned());
    if answer.holds {
        label(headers, if packed { tags.packed } else { tags.plain });
    }
    if packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Lets the browser keep it, and ask each time whether it still holds.
fn label(headers: &mut HeaderMap, tag: HeaderValue) {
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
}

/// The tag that the client has an answer of.
fn known<'a>(headers: &HeaderMap, tags: &'a Tags) -> Option<&'a HeaderValue> {
    let has = |tag: &&HeaderValue| {
        let named = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|known| known.to_str().ok());
        // a proxy that packs what it passes on makes tags weak
        let mut named = named.flat_map(|known| known.split(',')).map(|known| known.trim().trim_start_matches("W/"));
        named.any(|known| known.as_bytes() == tag.as_bytes())
    };
    [&tags.plain, &tags.packed].into_iter().find(has)
}

/// Whether the client takes gzip.
fn takes_packed(headers: &HeaderMap) -> bool {
    let named = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = quality.trim().strip_prefix("q=").and_then(|quality| quality.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && quality.unwrap_or(1.0_f32) > 0.0
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;

    #[tokio::test]
    async fn everybody_gets_what_they_take() {
        let text = "e4 e5 Nf3 Nc6 ".repeat(100);
        let parts = ([(header::CONTENT_TYPE, "text/plain")], "").into_response().into_parts().0;
        let plain = Answer::new(parts, Bytes::from(text.clone()), true);
        let tags = Tags { plain: HeaderValue::from_static("\"a\""), packed: HeaderValue::from_static("\"b\"") };
        for (answer, packed, encoding, tag) in [
            (plain.clone(), false, None, "\"a\""),
            (plain.clone(), true, None, "\"a\""),
            (plain.clone().pack(), false, None, "\"a\""),
            (plain.pack(), true, Some("gzip"), "\"b\""),
        ] {
            let response = given(&answer, tags.clone(), packed);
            let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap());
            assert_eq!((header(header::CONTENT_ENCODING), header(header::ETAG)), (encoding, Some(tag)));
            assert_eq!(
                (header(header::VARY), header(header::CONTENT_TYPE)),
                (Some("Accept-Encoding"), Some("text/plain"))
            );
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            assert_eq!(body == text, encoding.is_none());
            assert!(body.len() < 200 || encoding.is_none());
        }
    }

    #[test]
    fn tags_and_encodings_of_clients() {
        let tags = Tags { plain: HeaderValue::from_static("\"a\""), packed: HeaderValue::from_static("\"b\"") };
        let headers = |name, value| HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let finds = |value| known(&headers(header::IF_NONE_MATCH, value), &tags);
        assert_eq!(finds("\"a\""), Some(&tags.plain));
        assert_eq!(finds("\"x\", W/\"b\""), Some(&tags.packed));
        assert_eq!(finds("\"c\""), None);
        for (value, takes) in
            [("gzip", true), ("br, GZIP;q=0.5", true), ("br", false), ("gzip; q=0, br", false), ("xgzip", false)]
        {
            assert_eq!(takes_packed(&headers(header::ACCEPT_ENCODING, value)), takes, "{value}");
        }
        assert!(!takes_packed(&HeaderMap::new()));
    }
}
