//! `/api/corrections/{id}`: a game is replaced by a corrected one, or made what it was before. Who may remove the file that a game came
//! from may do so, and the loader does it, as it loads and removes files. What the game was is kept. Both say which version of the game
//! the visitor has seen, so that nobody changes, or brings back, what is another game by now.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::game::missing;
use crate::api::uploads::{Bringer, others, uploads};
use crate::database::query::Query;
use crate::failure::{Failure, Outcome};
use crate::http::body::{Body, text};
use crate::http::params::Params;
use crate::http::path::Path;
use crate::http::places::current;
use crate::question::blocking::run_blocking;
use crate::question::game_id;
use crate::question::trees::one_whole_game;
use crate::uploads::queue::Uploads;

const STATE: &str = include_str!("sql/state_of_game.sql").trim_ascii_end();

/// The longest game, in characters, as ui/store.ts has it.
const LONGEST: usize = 1_000_000;

/// The body of a correction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    pgn: String,
    version: String,
}

/// A stored game, and the visitor who wants to change it.
struct Stored {
    uploads: Arc<Uploads>,
    id: i64,
    row: Row,
    allowed: bool,
}

impl Stored {
    async fn find(app: &App, bringer: &Bringer, id: &str) -> Outcome<Stored> {
        let uploads = Arc::clone(uploads(app)?);
        let id = game_id::read(id).ok_or_else(missing)?;
        let inventory = app.inventory.readable().await?;
        let row = app.database.row(&Query::new(STATE, [id.into()]), &inventory.names).await?.ok_or_else(missing)?;
        let allowed = match row.get::<_, Option<i32>>("source_id") {
            Some(source) => uploads.may_remove(bringer.hash, source, row.get("fingerprint")),
            None => uploads.manages,
        };
        Ok(Stored { uploads, id, row, allowed })
    }

    /// Runs the loader, which has the rights to change the game.
    async fn change(&self, arguments: &[&str], pgn: &str) -> Outcome<StatusCode> {
        if !self.allowed {
            return Err(others("this game was brought by somebody else"));
        }
        // what it was is kept
        let bytes = pgn.len() as u64 + self.row.get::<_, i64>("bytes").unsigned_abs();
        self.uploads.loader.stores(current(), bytes)?;
        let _place = self.uploads.open.take(current()).await?;
        let answer =
            self.uploads.loader.replace(self.id, arguments, pgn).await.unwrap_or(json!({ "reason": "failed" }));
        match answer["reason"].as_str() {
            None => Ok(StatusCode::NO_CONTENT),
            Some("missing") => Err(missing()),
            Some("changed") => Err(Failure::new(StatusCode::CONFLICT, "somebody has changed this game meanwhile")
                .hint("look at it again, and decide anew")),
            Some("refused") => {
                Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, answer["error"].as_str().unwrap_or_default()))
            }
            Some(_) => Err(Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the game could not be changed")
                .hint("the log of chess-web says why")),
        }
    }
}

/// `GET`: whether this visitor may change the game, of which version it is, and when it was changed last.
pub async fn state(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    Path(id): Path<String>,
    params: Params,
) -> Outcome<Json<Json_>> {
    params.finish()?;
    let Stored { row, allowed, .. } = Stored::find(&app, &bringer, &id).await?;
    Ok(Json(json!({
        "allowed": allowed,
        "version": row.get::<_, &str>("version"),
        "changed": row.get::<_, Option<&str>>("changed"),
    })))
}

/// `PUT`: puts a game in the place of one that is still of the version that the visitor has seen.
pub async fn replace(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    Path(id): Path<String>,
    params: Params,
    Body(Correction { pgn, version }): Body<Correction>,
) -> Outcome<StatusCode> {
    params.finish()?;
    let pgn = text("pgn", &pgn, LONGEST, false)?;
    let pgn = run_blocking(move || one_whole_game(&pgn).map(|()| pgn)).await??;
    check_version(&version)?;
    Stored::find(&app, &bringer, &id).await?.change(&["--expect", &version, "-"], &pgn).await
}

/// Refuses what is no version of a row.
fn check_version(version: &str) -> Outcome<()> {
    match !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(()),
        false => Err(Failure::bad("\"version\" is that of the game as it was read")),
    }
}

/// `DELETE`: makes the game what it was before it was replaced last, if it is still of the version that the visitor has seen.
pub async fn undo(
    State(app): State<Arc<App>>,
    bringer: Bringer,
    Path(id): Path<String>,
    mut params: Params,
) -> Outcome<StatusCode> {
    let version = params.text("version")?.unwrap_or_default();
    params.finish()?;
    check_version(&version)?;
    Stored::find(&app, &bringer, &id).await?.change(&["--expect", &version, "--undo"], "").await
}
