//! `/api/endings`: the kinds of endings; `/api/endings/thrown`: won and drawn endings that a player threw away
//! (docs/endings.md).

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::criterion::Criterion;
use crate::question::filters::{Filters, Of};
use crate::question::game_id;

/// The longest list of mistakes, and that without a limit.
const MOST: i32 = 200;
const USUAL: i32 = 50;

/// `/api/endings`: no parameters. `/api/reports/ending` counts the games of each kind, which may take a while.
pub async fn kinds(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    params.finish()?;
    let query = Query::new("SELECT k.kind, k.ending::text AS ending FROM {schema}.ending_kinds() k", []);
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    let kind = |row: &Row| json!({ "kind": row.get::<_, &str>("kind"), "ending": row.get::<_, &str>("ending") });
    Ok(Json(json!({ "kinds": rows.iter().map(kind).collect::<Vec<_>>(), "sql": query.shown(&inventory.names) })))
}

/// `/api/endings/thrown`: the endings that `player` threw away; every filter is about the games.
pub async fn thrown(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let filters = Filters::read(&mut params)?;
    let criterion = Criterion::read(&mut params).await?;
    let limit = params.number("limit", 1..=MOST, USUAL)?;
    params.finish()?;
    // The games of one player are few enough to be replayed.
    let Some(player) = &filters.player else { return Err(Failure::bad("\"player\" is missing")) };
    let mut query = Query::new(
        "SELECT m.game_id, m.ply, m.color, m.board::text AS fen, m.san, m.best, m.result_before, m.result, v.white, v.black, v.date, v.event\n\
         FROM {schema}.ending_mistakes m JOIN {schema}.pgn_view v ON v.id = m.game_id\n\
         WHERE (m.tb_wdl_before = 2 OR m.tb_wdl = -2) AND m.player_id = ANY ((SELECT {schema}.player_ids({}))::integer[])",
        [player.as_str().into()],
    );
    if let Some(color) = filters.color {
        query.push(" AND m.color = {}", [color.into()]);
    }
    let mut conditions = Query::default();
    filters.conditions(&mut conditions, Of::Games);
    criterion.condition(&mut conditions);
    query.push(" AND m.game_id IN (SELECT g.id FROM {schema}.games g", []);
    query.push_where(conditions);
    query.push(")\nORDER BY lower(v.dates) DESC NULLS LAST, m.game_id DESC, m.ply LIMIT {}", [i64::from(limit).into()]);
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::High).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    let mistake = |row: &Row| {
        let text = |column: &str| row.get::<_, Option<&str>>(column);
        json!({
            "game": game_id::write(row.get("game_id")),
            "ply": row.get::<_, i32>("ply"),
            "color": text("color"),
            "fen": text("fen"),
            "san": text("san"),
            "best": text("best"),
            "before": text("result_before"),
            "after": text("result"),
            "white": text("white"),
            "black": text("black"),
            "date": text("date"),
            "event": text("event"),
        })
    };
    Ok(Json(json!({ "mistakes": rows.iter().map(mistake).collect::<Vec<_>>(), "sql": query.shown(&inventory.names) })))
}
