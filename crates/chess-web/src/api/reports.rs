//! `/api/reports/player`, `/api/reports/opening` and `/api/reports/ending`: the reports of docs/reports.md and docs/endings.md,
//! as rows.
//!
//! The page asks for the sections one group after the other, so that the first figures do not wait for the last.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::criterion::{self, Criterion, PATTERN};
use crate::question::filters::{ARGUMENTS, Filters, REPORT_ARGUMENTS};
use crate::question::game_id;
use crate::question::position::{AskedPosition, Reading};

/// The longest list of sections, in bytes.
const SECTIONS: usize = 400;

/// `/api/reports/player`: `player` is whom the report is about, every other filter is about the games.
pub async fn player(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let mut filters = Filters::read(&mut params)?;
    let Some(player) = filters.player.take() else { return Err(Failure::bad("\"player\" is missing")) };
    let criterion = Criterion::read(&mut params).await?;
    let mut query = Query::new("SELECT * FROM {schema}.player_report({}", [player.into()]);
    filters.report_arguments(&criterion, &mut query)?;
    limits(&mut query, &mut params)?;
    query.close(ARGUMENTS[1..].iter().copied().chain(REPORT_ARGUMENTS).chain(LIMITS).chain([", plies => 16"]));
    params.finish()?;
    Ok(Json(json!({ "rows": rows(&app, client, &query).await?, "sql": shown(&app, &query).await? })))
}

/// `/api/reports/opening`: a position and filters.
pub async fn opening(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let position = AskedPosition::read(&mut params, Reading::Strict)?;
    let filters = Filters::read(&mut params)?;
    let criterion = Criterion::beside_position(&mut params).await?;
    let mut query = Query::new("SELECT * FROM {schema}.opening_report({}::{chess}.chessboard", [position.fen().into()]);
    filters.report_arguments(&criterion, &mut query)?;
    limits(&mut query, &mut params)?;
    query.close(ARGUMENTS.into_iter().chain(REPORT_ARGUMENTS).chain(LIMITS).chain([", plies => 8"]));
    params.finish()?;
    Ok(Json(json!({
        "fen": position.fen(),
        "opening": position.opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
        "rows": rows(&app, client, &query).await?,
        "sql": shown(&app, &query).await?,
    })))
}

/// `/api/reports/ending`: `ending` is the pattern that the report is about; every other filter, also `pattern`, is about the games.
pub async fn ending(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let Some(text) = params.long_text("ending", PATTERN)? else { return Err(Failure::bad("\"ending\" is missing")) };
    let ending = criterion::spelling(text).await?;
    let filters = Filters::read(&mut params)?;
    let criterion = Criterion::read(&mut params).await?;
    let mut query =
        Query::new("SELECT * FROM {schema}.ending_report({}::{chess}.chesspattern", [ending.as_str().into()]);
    filters.report_arguments(&criterion, &mut query)?;
    sections(&mut query, &mut params)?;
    if params.has("sample") {
        query.push(", sample => {}", [params.number("sample", 1..=1_000_000, 20_000)?.into()]);
    }
    query.close(ARGUMENTS.into_iter().chain(REPORT_ARGUMENTS).chain([LIMITS[0], ", sample => 20000"]));
    params.finish()?;
    Ok(Json(json!({
        "ending": ending,
        "rows": rows(&app, client, &query).await?,
        "sql": shown(&app, &query).await?,
    })))
}

/// The limits of the reports on players and openings, with their defaults.
const LIMITS: [&str; 3] = [", sections => NULL::text[]", ", count => 20", ", at_least => NULL::integer"];

/// Appends the sections that are asked for.
fn sections(query: &mut Query, params: &mut Params) -> Outcome<()> {
    if let Some(sections) = params.long_text("sections", SECTIONS)? {
        let sections = sections.split(',').map(|name| name.trim().to_owned()).collect();
        query.push(", sections => {}", [Value::Texts(sections)]);
    }
    Ok(())
}

/// Appends what says how much a report tells.
fn limits(query: &mut Query, params: &mut Params) -> Outcome<()> {
    sections(query, params)?;
    if params.has("count") {
        query.push(", count => {}", [params.number("count", 0..=200, 20)?.into()]);
    }
    if params.has("atLeast") {
        query.push(", at_least => {}", [params.number("atLeast", 1..=1_000_000, 1)?.into()]);
    }
    if params.has("plies") {
        query.push(", plies => {}", [params.number("plies", 1..=40, 16)?.into()]);
    }
    Ok(())
}

async fn rows(app: &App, client: Client, report: &Query) -> Outcome<Vec<Json_>> {
    let inventory = app.inventory.readable().await?;
    let query = report.within("SELECT to_jsonb(r)::text AS row FROM (", ") r");
    let _turn = app.turns.take(client, Cost::High).await?;
    let found = app.database.rows(&query, &inventory.names).await?;
    let row = |row: &tokio_postgres::Row| {
        let mut json = serde_json::from_str(row.get("row")).unwrap_or_default();
        name_games(&mut json);
        json
    };
    Ok(found.iter().map(row).collect())
}

async fn shown(app: &App, query: &Query) -> Outcome<String> {
    Ok(query.shown(&app.inventory.readable().await?.names))
}

/// Writes the numbers of games as everywhere in the API.
fn name_games(json: &mut Json_) {
    let Some(members) = json.as_object_mut() else { return };
    for (name, value) in members {
        match value.as_i64() {
            Some(id) if matches!(name.as_str(), "game_id" | "id") => *value = game_id::write(id).into(),
            _ => name_games(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_have_their_names() {
        let mut row = json!({ "games": 1, "detail": { "game_id": 1, "player_id": 2, "peak_rating": { "id": 62, "rating": 2800 } } });
        name_games(&mut row);
        let named =
            json!({ "game_id": "00000001", "player_id": 2, "peak_rating": { "id": "00000010", "rating": 2800 } });
        assert_eq!(row, json!({ "games": 1, "detail": named }));
    }
}
