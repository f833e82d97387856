//! Bodies of requests: waits for them, reads their JSON, checks the texts in it, and reads bodies to their end that were
//! refused.

use std::time::Duration;

use axum::Json;
use axum::body::{Body as Whole, BodyDataStream, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use crate::failure::{Failure, Outcome};

/// The JSON of a body.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Outcome<Body<T>> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Body(value)),
            Err(rejection) => Err(Failure::new(rejection.status(), without_type(&rejection.body_text()))),
        }
    }
}

/// What a client is told of its JSON: serde names the type of ours where it expects an object.
fn without_type(said: &str) -> String {
    let Some((before, name)) = said.split_once("expected struct ") else { return said.to_owned() };
    let after = name.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    format!("{before}expected an object{after}")
}

/// Checks a text that a visitor saves; returns it without blanks around it.
///
/// # Errors
///
/// 400 if the text is longer than `longest` characters, has a NUL, which PostgreSQL cannot store, or is empty although
/// it must not be.
pub fn text(name: &str, text: &str, longest: usize, may_be_empty: bool) -> Outcome<String> {
    let text = text.trim();
    if text.is_empty() && !may_be_empty {
        return Err(Failure::bad(format!("\"{name}\" is empty")));
    }
    if text.chars().count() > longest {
        return Err(Failure::bad(format!("\"{name}\" has more than {longest} characters")));
    }
    if text.contains('\0') {
        return Err(Failure::bad(format!("\"{name}\" has a NUL character")));
    }
    Ok(text.to_owned())
}

/// How much of a body must arrive in how much time, unless it ends.
const PART: u64 = 1 << 20;
const MINUTE: Duration = Duration::from_secs(60);

/// A body that arrives, over a slow line as well.
pub struct Arriving {
    /// What it is, in words.
    what: &'static str,
    chunks: BodyDataStream,
    received: u64,
    /// The part that must be there at the deadline.
    part: u64,
    deadline: Instant,
}

impl Arriving {
    /// Begins to wait for a body.
    pub fn new(what: &'static str, body: Whole) -> Arriving {
        Arriving { what, chunks: body.into_data_stream(), received: 0, part: PART, deadline: Instant::now() + MINUTE }
    }

    /// What comes next; `None` at its end.
    ///
    /// # Errors
    ///
    /// 408 if it comes too slowly, 400 if it breaks off.
    pub async fn next(&mut self) -> Outcome<Option<Bytes>> {
        let what = self.what;
        let late = |_| {
            Failure::new(StatusCode::REQUEST_TIMEOUT, format!("less than a MiB of the {what} has arrived in a minute"))
        };
        let Some(chunk) = timeout_at(self.deadline, self.chunks.next()).await.map_err(late)? else { return Ok(None) };
        let chunk = chunk.map_err(|_| Failure::bad(format!("the {what} did not arrive to its end")))?;
        self.received += chunk.len() as u64;
        if self.received >= self.part {
            (self.part, self.deadline) = (self.received + PART, Instant::now() + MINUTE);
        }
        Ok(Some(chunk))
    }

    /// Refuses the rest.
    pub fn discard(self) {
        discard(self.chunks);
    }
}

/// A refused body is read up to this number of bytes, and for this time.
const UNWANTED: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads the rest of a refused body in the background. A client that is still sending when the connection closes sees a
/// broken connection instead of the answer.
pub fn discard(mut chunks: BodyDataStream) {
    tokio::spawn(tokio::time::timeout(PATIENCE, async move {
        let mut left = UNWANTED;
        while let Some(Ok(chunk)) = chunks.next().await
            && chunk.len() <= left
        {
            left -= chunk.len();
        }
    }));
}
