//! `/api/notebooks/{id}/training/remembered`: what is remembered of the positions of a notebook, so that a visitor can take it
//! along with the notebook and bring it back.

use std::collections::HashSet;

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::body::Body;
use crate::http::path::Path;
use crate::saved::memory::LONGEST;
use crate::saved::training::{POSITIONS, full, place};
use crate::saved::visitor::Visitor;

/// The most positions of a request; they fit into a body.
const MOST: usize = 200;

/// What is remembered of a position.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remembered {
    /// The first four fields of the FEN.
    position: String,
    stability: f64,
    difficulty: f64,
    /// When the last answer was given, in seconds since 1970.
    answered: i64,
    /// The number of days after which the position is asked again.
    days: i32,
}

impl Remembered {
    fn is_sound(&self) -> bool {
        let Remembered { stability, difficulty, answered, days, .. } = self;
        *stability > 0.0
            && stability.is_finite()
            && (1.0..=10.0).contains(difficulty)
            && (0..1 << 40).contains(answered)
            && (0..=LONGEST as i32).contains(days)
    }
}

/// The body with positions of one notebook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Positions {
    positions: Vec<Remembered>,
}

/// Lists what is remembered of a notebook.
pub async fn list(visitor: Visitor, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let text = "SELECT id FROM chess_web.notebooks WHERE id = {} AND session_id = {}";
    visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    let text = "SELECT position, stability, difficulty, floor(extract(epoch FROM answered))::bigint AS answered, \
                round(extract(epoch FROM due - answered) / 86400)::integer AS days \
                FROM chess_web.training WHERE notebook_id = {} ORDER BY position COLLATE \"C\"";
    let rows = visitor.rows(Query::new(text, [id.into()])).await?;
    let remembered = |row: &Row| Remembered {
        position: row.get("position"),
        stability: row.get("stability"),
        difficulty: row.get("difficulty"),
        answered: row.get("answered"),
        days: row.get("days"),
    };
    Ok(Json(json!({ "positions": rows.iter().map(remembered).collect::<Vec<_>>() })))
}

/// Adds what is remembered of positions. Of two answers to the same position the later one counts.
pub async fn add(visitor: Visitor, Path(id): Path<i64>, Body(new): Body<Positions>) -> Outcome<StatusCode> {
    if new.positions.len() > MOST {
        return Err(Failure::bad(format!("at most {MOST} positions at once")));
    }
    let mut places = HashSet::new();
    for (number, position) in new.positions.iter().enumerate() {
        let wrong = |reason: &str| Failure::bad(format!("position {}: {reason}", number + 1));
        // counts of moves, which FEN has and a position in training has not
        if place(&format!("{} 0 1", position.position)).as_ref() != Some(&position.position) {
            return Err(wrong("not the first four fields of a FEN"));
        }
        if !position.is_sound() {
            return Err(wrong("a number is out of range"));
        }
        if !places.insert(&position.position) {
            return Err(wrong("it comes twice"));
        }
    }
    let positions = json!(new.positions).to_string();
    let values = [id.into(), visitor.session(), positions.into(), POSITIONS.into()];
    match visitor.found(Query::new(include_str!("sql/remember.sql"), values)).await?.get("has_room") {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(full()),
    }
}
