//! The middleware in front of the handlers that answers from the cache: the same question again costs one small query, and the
//! answer is never stale.
//!
//! An answer is stored with the state of the database ([`snapshot`](super::snapshot)) in which it was computed. The state is
//! asked for before and after; only if it is the same is the answer stored. Requests with the same question that arrive
//! meanwhile wait for that answer.
//!
//! An answer has two ETags, for its plain and its compressed form, and the client may have either.

use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::cache::answer::{Answer, LONGEST};
use crate::cache::answers::{Answers, Tags, Unstored};
use crate::cache::snapshot::Snapshots;
use crate::database::inventory::InventoryCache;
use crate::database::pool::Database;
use crate::failure::Failure;
use crate::http::held::{has_tag, takes_gzip};
use crate::metrics::CACHED;

/// The paths whose answers depend on nothing but the URL and the games; also the games themselves.
const PATHS: [&str; 13] = [
    "/api/explorer",
    "/api/games",
    "/api/reports/player",
    "/api/reports/opening",
    "/api/reports/ending",
    "/api/endings",
    "/api/tournaments",
    "/api/crosstable",
    "/masters",
    "/master",
    "/lichess",
    "/player",
    "/personal",
];

/// A whole export does not fit into the cache.
const EXPORT: &str = "/api/games/pgn";

/// The cache with what it needs to know about the database.
pub struct Cache {
    answers: Answers,
    snapshots: Snapshots,
    inventories: Vec<Arc<InventoryCache>>,
}

impl Cache {
    /// An empty cache of answers from a database.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn new(database: Database, inventories: Vec<Arc<InventoryCache>>) -> anyhow::Result<Cache> {
        Ok(Cache { answers: Answers::new()?, snapshots: Snapshots::new(database), inventories })
    }

    /// Whether all inventories that handlers use from now on were taken after a moment.
    async fn are_since(&self, then: Instant) -> bool {
        for inventory in &self.inventories {
            if !inventory.is_since(then).await {
                return false;
            }
        }
        true
    }

    /// The size of the answers.
    pub fn bytes(&self) -> u64 {
        self.answers.bytes()
    }
}

/// The middleware.
pub async fn cached(State(cache): State<Arc<Cache>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_kept = (PATHS.contains(&path) || path.starts_with("/api/games/")) && path != EXPORT;
    if request.method() != Method::GET || !is_kept {
        return next.run(request).await;
    }
    let Some(before) = cache.snapshots.current().await else { return next.run(request).await };
    let question = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let Some(tags) = cache.answers.tags(&before, &question) else { return next.run(request).await };
    let known = known(request.headers(), &tags).cloned();
    let gzip = takes_gzip(request.headers());
    let since = cache.answers.enter(&before);
    if let Some(known) = known {
        CACHED.with_label_values(&["browser"]).inc();
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        set_tag(response.headers_mut(), known);
        return response;
    }
    let mut handler = Some((request, next));
    let mut own = None;
    loop {
        let compute = async {
            let Some((request, next)) = handler.take() else { return Err(Unstored::Own) };
            // the inventory that the handler uses must be of this state as well
            let current = cache.are_since(since).await;
            let (parts, body) = next.run(request).await.into_parts();
            if parts.status == StatusCode::TOO_MANY_REQUESTS {
                own = Some(Response::from_parts(parts, body));
                return Err(Unstored::Own);
            }
            let Ok(body) = to_bytes(body, usize::MAX).await else {
                own = Some(Failure::unavailable("the answer was interrupted; try again").into_response());
                return Err(Unstored::Own);
            };
            let holds =
                current && parts.status == StatusCode::OK && cache.snapshots.current().await.as_ref() == Some(&before);
            let answer = Answer::new(parts, body, holds);
            match holds && answer.body.len() <= LONGEST {
                true => Ok(Arc::new(answer.compress())),
                false => Err(Unstored::Shared(Arc::new(answer))),
            }
        };
        let response = match cache.answers.get_or(&tags.plain, compute).await {
            Ok(answer) => respond(&answer, tags, gzip),
            Err(unstored) => match (&*unstored, own.take()) {
                (Unstored::Shared(answer), _) => respond(answer, tags, gzip),
                (Unstored::Own, Some(response)) => response,
                // another client's own error; the next round runs the handler for this one
                (Unstored::Own, None) => continue,
            },
        };
        // either the handler has run for this request, or the answer is that of another one
        CACHED.with_label_values(&[if handler.is_none() { "new" } else { "cache" }]).inc();
        return response;
    }
}

/// The response with an answer, in the encoding that the client takes.
fn respond(answer: &Answer, tags: Tags, gzip: bool) -> Response {
    let gzip = gzip && answer.is_gzip;
    let body = match answer.is_gzip && !gzip {
        true => answer.decompressed(),
        false => Some(answer.body.clone()),
    };
    let Some(body) = body else { return Failure::unavailable("the answer was interrupted; try again").into_response() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.extend(answer.headers.iter().cloned());
    if answer.holds {
        set_tag(headers, if gzip { tags.gzip } else { tags.plain });
    }
    if gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Lets the browser store the answer and ask each time whether it still holds.
fn set_tag(headers: &mut HeaderMap, tag: HeaderValue) {
    headers.insert(header::ETAG, tag);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
}

/// The tag of the answer that the client has already.
fn known<'a>(headers: &HeaderMap, tags: &'a Tags) -> Option<&'a HeaderValue> {
    [&tags.plain, &tags.gzip].into_iter().find(|tag| has_tag(headers, tag))
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;

    #[tokio::test]
    async fn every_client_gets_an_encoding_that_it_takes() {
        let text = "e4 e5 Nf3 Nc6 ".repeat(100);
        let parts = ([(header::CONTENT_TYPE, "text/plain")], "").into_response().into_parts().0;
        let plain = Answer::new(parts, Bytes::from(text.clone()), true);
        let tags = Tags { plain: HeaderValue::from_static("\"a\""), gzip: HeaderValue::from_static("\"b\"") };
        for (answer, gzip, encoding, tag) in [
            (plain.clone(), false, None, "\"a\""),
            (plain.clone(), true, None, "\"a\""),
            (plain.clone().compress(), false, None, "\"a\""),
            (plain.compress(), true, Some("gzip"), "\"b\""),
        ] {
            let response = respond(&answer, tags.clone(), gzip);
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
    fn tags_of_clients() {
        let tags = Tags { plain: HeaderValue::from_static("\"a\""), gzip: HeaderValue::from_static("\"b\"") };
        let headers = |name, value| HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let finds = |value| known(&headers(header::IF_NONE_MATCH, value), &tags);
        assert_eq!(finds("\"a\""), Some(&tags.plain));
        assert_eq!(finds("\"x\", W/\"b\""), Some(&tags.gzip));
        assert_eq!(finds("\"c\""), None);
    }
}
