//! The variable parts of a path, such as the number of a notebook.

use axum::extract;
use axum::extract::FromRequestParts;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::failure::{Failure, Outcome};

/// The longest part of a path that an error repeats, in characters.
const SHOWN: usize = 40;

/// The variable parts of a path. Errors are this program's own, unlike those of axum's extractor.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Outcome<Path<T>> {
        match extract::Path::from_request_parts(parts, state).await {
            Ok(extract::Path(value)) => Ok(Path(value)),
            Err(rejection) => Err(failure(rejection)),
        }
    }
}

fn failure(rejection: PathRejection) -> Failure {
    let status = rejection.status();
    let error = match rejection {
        PathRejection::FailedToDeserializePathParams(error) => match error.into_kind() {
            ErrorKind::ParseError { value, .. }
            | ErrorKind::ParseErrorAtIndex { value, .. }
            | ErrorKind::ParseErrorAtKey { value, .. } => {
                let shown: String = value.chars().take(SHOWN).collect();
                format!("\"{shown}\" in the path is not a number, or is out of range")
            }
            ErrorKind::InvalidUtf8InPathParam { .. } => "the path is not UTF-8".to_owned(),
            other => other.to_string(),
        },
        other => other.body_text(),
    };
    Failure::new(status, error)
}
