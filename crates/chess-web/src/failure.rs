//! What a client is told when there is no answer: a status and a text, as JSON.
//!
//! Nothing of the server's own goes out that could hold a secret: errors of the database are told by what they mean
//! to the reader, and their text only where it speaks of the question.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status of HTTP.
    pub status: StatusCode,
    /// For people.
    pub error: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Where in the text that was asked for, in characters from 0.
    pub at: Option<usize>,
}

/// An answer, or why there is none.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// A failure of that status.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Failure {
        Failure { status, error: error.into(), hint: None, at: None }
    }

    /// The question makes no sense.
    pub fn bad(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, error)
    }

    /// There is no such thing.
    pub fn missing(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, error)
    }

    /// It cannot be answered now.
    pub fn unavailable(error: impl Into<String>) -> Failure {
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// With advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// With a place in the text.
    pub fn at(mut self, at: usize) -> Failure {
        self.at = Some(at);
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
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}
