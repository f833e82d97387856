//! Errors as clients see them: a status and a text, as JSON.
//!
//! The text must not give away names or settings of the server. Errors of the database are therefore translated; their own
//! text is sent only if it is about the question.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The HTTP status.
    pub status: StatusCode,
    /// The text, for people.
    pub error: String,
    /// What to do about it, if the text does not say so.
    pub hint: Option<String>,
    /// The place of the error in the text of the question, in characters from 0.
    pub at: Option<usize>,
    /// After how many seconds the client may try again, if there are too many requests or there is no answer now; `None` if
    /// it should not do so by itself.
    pub wait: Option<u32>,
}

/// What passes soon, in seconds.
const SOON: u32 = 2;

/// A result for a client.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// An error with this status.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Failure {
        Failure { status, error: error.into(), hint: None, at: None, wait: Some(SOON) }
    }

    /// 400: the question makes no sense.
    pub fn bad(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, error)
    }

    /// 404: there is no such thing.
    pub fn missing(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, error)
    }

    /// 503: there is no answer now.
    pub fn unavailable(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the place in the text.
    pub fn at(mut self, at: usize) -> Failure {
        self.at = Some(at);
        self
    }

    /// Says that it takes a day until the client may try again.
    pub fn tomorrow(mut self) -> Failure {
        self.wait = Some(86_400);
        self
    }

    /// Says that the client should not try again by itself.
    pub fn once(mut self) -> Failure {
        self.wait = None;
        self
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error });
        if let Some(hint) = self.hint {
            body["hint"] = hint.into();
        }
        if let Some(at) = self.at {
            body["at"] = at.into();
        }
        let mut response = (self.status, Json(body)).into_response();
        if let Some(wait) = self.wait
            && matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS)
        {
            response.headers_mut().insert(header::RETRY_AFTER, wait.into());
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn clients_are_told_when_to_try_again() {
        let busy = || Failure::new(StatusCode::TOO_MANY_REQUESTS, "x");
        for (failure, wait) in [
            (busy(), Some("2")),
            (busy().tomorrow(), Some("86400")),
            (Failure::unavailable("x"), Some("2")),
            (Failure::unavailable("x").once(), None),
            (Failure::bad("x"), None),
        ] {
            let response = failure.into_response();
            assert_eq!(response.headers().get(header::RETRY_AFTER).map(|wait| wait.to_str().unwrap()), wait);
        }
    }

    /// Each status of an error in the sources has a line in API.md.
    #[test]
    fn api_md_has_every_status() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut sources = String::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                match entry.unwrap().path() {
                    path if path.is_dir() => folders.push(path),
                    path if path.extension().is_some_and(|extension| extension == "rs") => {
                        sources += &fs::read_to_string(path).unwrap();
                    }
                    _ => (),
                }
            }
        }
        let (_, table) = include_str!("../API.md").split_once("| status | |").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        let table: String = table.lines().filter_map(|line| line.split('|').nth(1)).collect();
        for code in (400..600).filter_map(|code| StatusCode::from_u16(code).ok()) {
            let name = code.canonical_reason().unwrap_or_default().to_uppercase().replace([' ', '-'], "_");
            if !name.is_empty() && sources.contains(&format!("StatusCode::{name}")) {
                assert!(table.contains(code.as_str()), "API.md lacks {code}");
            }
        }
    }
}
