//! `/api/players`, `/api/events`, `/api/sites`, `/api/openings` and `/api/pattern`: completion of names, openings, and the check of a pattern while it is typed.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use chess_core::board::squares;
use chess_core::search::pattern::SquareSet;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::Outcome;
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::blocking::run_blocking;
use crate::question::criterion;
use crate::question::filters::{Filters, Of};
use crate::question::named_openings::{self, Line};
use crate::question::position::{AskedPosition, Reading};

/// Returns the LIKE pattern for names that begin with a text. The server makes both lower case, because it depends on the
/// locale of the database which letters have a lower case.
fn beginning(text: &str) -> String {
    let mut like = String::new();
    for letter in text.chars() {
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
    let prefix = params.name("prefix")?.unwrap_or_default();
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let query = Query::new(fragment, [beginning(&prefix).into()]);
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    Ok((rows.iter().map(|row| row.get("name")).collect(), query.shown(&inventory.names)))
}

/// The least number of letters for which players are found by any spelling.
const LETTERS: usize = 3;

/// `/api/players`: by any spelling, those with the most games of equally good ones first; by the first letters alone, by name.
pub async fn players(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    if params.peek("prefix").is_some_and(|text| text.trim().chars().count() >= LETTERS) {
        let prefix = params.name("prefix")?.unwrap_or_default();
        params.finish()?;
        let inventory = app.inventory.readable().await?;
        let mut query = Query::new("SELECT player, games FROM {schema}.player({}", [prefix.into()]);
        query.close([", count => 20"]);
        let _turn = app.turns.take(client, Cost::Moderate).await?;
        let rows = app.database.rows(&query, &inventory.names).await?;
        let names: Vec<&str> = rows.iter().map(|row| row.get("player")).collect();
        let games: Vec<i64> = rows.iter().map(|row| row.get("games")).collect();
        return Ok(Json(json!({ "players": names, "games": games, "sql": query.shown(&inventory.names) })));
    }
    let text = "SELECT name FROM {schema}.players WHERE lower(name) LIKE lower({}) GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let (found, sql) = names(&app, client, params, text).await?;
    Ok(Json(json!({ "players": found, "sql": sql })))
}

/// `/api/events`.
pub async fn events(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let text = "SELECT name FROM {schema}.events WHERE lower(name) LIKE lower({}) GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let (found, sql) = names(&app, client, params, text).await?;
    Ok(Json(json!({ "events": found, "sql": sql })))
}

/// `/api/sites`.
pub async fn sites(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let text = "SELECT name FROM {schema}.sites WHERE lower(name) LIKE lower({}) GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let (found, sql) = names(&app, client, params, text).await?;
    Ok(Json(json!({ "sites": found, "sql": sql })))
}

/// The most openings that a text finds.
const OPENINGS: usize = 40;

/// Each code with its games.
const CODES: &str = include_str!("sql/codes.sql").trim_ascii_end();

/// `/api/openings`: with `prefix`, openings by name or code; without, all codes with the games that the filters leave.
pub async fn openings(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    if let Some(text) = params.name("prefix")? {
        params.finish()?;
        let lines = run_blocking(move || named_openings::find(&text, OPENINGS)).await?;
        let line = |line: &&Line| json!({ "eco": line.eco, "name": line.name, "play": line.play });
        return Ok(Json(json!({ "openings": lines.iter().map(line).collect::<Vec<_>>() })));
    }
    let filters = Filters::read(&mut params)?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let mut query = Query::new(CODES, []);
    let mut conditions = Query::default();
    filters.conditions(&mut conditions, Of::Games);
    query.push_where(conditions);
    query.push("\nGROUP BY 1 ORDER BY 1", []);
    let _turn = app.turns.take(client, Cost::High).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    let names = run_blocking(named_openings::names).await?;
    let code = |row: &Row| {
        let eco: Option<&str> = row.get("eco");
        let number = |column: &str| row.get::<_, i64>(column);
        json!({
            "eco": eco,
            "name": eco.and_then(|eco| names.get(eco)),
            "games": number("games"),
            "white": number("white"),
            "draws": number("draws"),
            "black": number("black"),
        })
    };
    let codes: Vec<Json_> = rows.iter().map(code).collect();
    Ok(Json(json!({ "codes": codes, "sql": query.shown(&inventory.names) })))
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
        assert_eq!(beginning("Carl"), "Carl%");
        assert_eq!(beginning("100%_\\"), "100\\%\\_\\\\%");
    }
}
