//! `/api/pgn`: the games of a text, which the page does not read itself.

use axum::Json;
use serde::{Deserialize, Serialize};

use crate::failure::Outcome;
use crate::http::body::Body;
use crate::question::blocking::run_blocking;
use crate::question::trees::{self, Game};

/// The body of a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pgn: String,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Answer {
    games: Vec<Game>,
}

/// The handler.
pub async fn pgn(Body(asked): Body<Asked>) -> Outcome<Json<Answer>> {
    Ok(Json(Answer { games: run_blocking(move || trees::games(&asked.pgn)).await?? }))
}
