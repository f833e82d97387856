//! Errors below `/api/` are JSON, whatever made them. In: answers of the router. Out: the same, with a [`Failure`] instead of
//! the text, or of the empty body, that axum gives to a request that no handler takes.

use axum::body::{Body, to_bytes};
use axum::http::{Method, Response, StatusCode, header};
use axum::response::IntoResponse as _;

use crate::failure::Failure;

/// The longest text of an error, in bytes.
const LONGEST: usize = 4096;

/// Whether errors of this path are JSON.
pub fn are_json(path: &str) -> bool {
    path.starts_with("/api/")
}

/// Makes JSON of an error that is none yet. Other answers stay as they are.
pub async fn in_json(method: &Method, answer: Response<Body>) -> Response<Body> {
    let status = answer.status();
    let is_json = answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let text = to_bytes(body, LONGEST).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let failure = match parts.headers.get(header::ALLOW).and_then(|allowed| allowed.to_str().ok()) {
        Some(allowed) if status == StatusCode::METHOD_NOT_ALLOWED => {
            let allowed = allowed.replace(',', ", ");
            Failure::new(status, format!("this path does not take {method}")).hint(format!("it takes {allowed}"))
        }
        _ if text.trim().is_empty() => {
            Failure::new(status, status.canonical_reason().unwrap_or("error").to_lowercase())
        }
        _ => Failure::new(status, text.trim()),
    };
    let (told, body) = failure.into_response().into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(told.headers);
    Response::from_parts(parts, body)
}
