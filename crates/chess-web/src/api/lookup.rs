//! `/api/players`, `/api/events` and `/api/pattern`: completion of names, and the check of a pattern while it is typed.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use chess_core::board::squares;
use chess_core::search::pattern::SquareSet;
use serde_json::{Value as Json_, json};

use crate::api::app::App;
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::Outcome;
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::blocking::run_blocking;
use crate::question::criterion;
use crate::question::position::{AskedPosition, Reading};

/// The LIKE pattern for names that begin with a text.
fn beginning(text: &str) -> String {
    let mut like = String::new();
    for letter in text.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            like.push('\\');
        }
        like.push(letter);
    }
    like + "%"
}

async fn names(
    app: &App,
    client: Client,
    mut params: Params,
    fragment: &'static str,
) -> Outcome<(Vec<String>, String)> {
    let prefix = params.text("prefix")?.unwrap_or_default();
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let query = Query::new(fragment, [beginning(&prefix).into()]);
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    Ok((rows.iter().map(|row| row.get("name")).collect(), query.shown(&inventory.names)))
}

/// `/api/players`.
pub async fn players(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let text = "SELECT name FROM {schema}.players WHERE lower(name) LIKE {} GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let (found, sql) = names(&app, client, params, text).await?;
    Ok(Json(json!({ "players": found, "sql": sql })))
}

/// `/api/events`.
pub async fn events(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let text = "SELECT name FROM {schema}.events WHERE lower(name) LIKE {} GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let (found, sql) = names(&app, client, params, text).await?;
    Ok(Json(json!({ "events": found, "sql": sql })))
}

/// `/api/pattern`: the normalized spelling of a pattern, and its match on a board.
pub async fn pattern(mut params: Params) -> Outcome<Json<Json_>> {
    let text = params.long_text("pattern", criterion::PATTERN)?.unwrap_or_default();
    let asked = AskedPosition::read(&mut params, Reading::Strict)?;
    params.finish()?;
    run_blocking(move || {
        let pattern = criterion::pattern(&text)?;
        let set = SquareSet::read(&text).map(|mut set| set.of(&asked.board)).unwrap_or_default();
        let found: Vec<String> = squares::members(set).map(squares::name).collect();
        Ok(Json(json!({
            "canonical": pattern.as_str(),
            "needsGame": pattern.needs_game(),
            "squares": found,
            "matches": pattern.matcher().is_on(&asked.board).ok(),
        })))
    })
    .await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        assert_eq!(beginning("Carl"), "carl%");
        assert_eq!(beginning("100%_\\"), "100\\%\\_\\\\%");
    }
}
