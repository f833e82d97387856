//! `/api/explorer`: what was played in a position, and in which games.
//!
//! The answer comes from the functions `explorer` and `explorer_games` of the tables' schema, which anybody can call. Filters
//! that they lack are looked for in the games.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};

use crate::api::app::App;
use crate::api::rows::{GameRow, MoveRow, percent};
use crate::api::{evaluations, games};
use crate::database::inventory::Inventory;
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::Outcome;
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::criterion::Criterion;
use crate::question::explored::Explored;
use crate::question::filters::Filters;
use crate::question::position::AskedPosition;

/// How many games are shown beside the moves.
const GAMES: i32 = 15;

/// The handler.
pub async fn explorer(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let position = AskedPosition::read_with_symmetries(&mut params)?;
    let filters = Filters::read(&mut params)?;
    let criterion = Criterion::beside_position(&mut params).await?;
    let reached = params.flag("reached")?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    games::check(&filters, &inventory)?;
    let asked = Explored { position: &position, filters: &filters, criterion: &criterion };
    let cost = if asked.may_read_games() { Cost::High } else { Cost::Moderate };
    let _turn = app.turns.take(client, cost).await?;
    Ok(Json(answer(&app, &inventory, asked, reached).await?))
}

async fn answer(app: &App, inventory: &Inventory, asked: Explored<'_>, reached: bool) -> Outcome<Json_> {
    let position = asked.position;
    let moves = asked.moves_query(reached)?;
    let games = [asked.games_query("rating", GAMES)?, asked.games_query("date", GAMES)?];
    let names = &inventory.names;
    let evals = Query::new(evaluations::OF_MOVES, [position.fen().into(), position.fen().into()]);
    let source = asked.source_query()?;
    let mut queries = vec![&moves, &games[0], &games[1], &source];
    if inventory.analyzed {
        queries.push(&evals);
    }
    let rows = match asked.of_games_alone() {
        true => app.database.rows_of_all(&queries, names).await?,
        false => app.database.rows_of_often(&queries, names).await?,
    };
    let rows_of = |at: usize| rows.get(at).map(Vec::as_slice).unwrap_or_default();
    let played: Vec<MoveRow> = rows_of(0).iter().map(MoveRow::read).collect();
    let sum = |of: fn(&MoveRow) -> i64| played.iter().map(of).sum::<i64>();
    let list = |at: usize| rows_of(at).iter().map(|row| GameRow::read(row).json(None)).collect::<Vec<_>>();
    let evaluated: HashMap<&str, Json_> =
        rows_of(4).iter().map(|row| (row.get("uci"), evaluations::of_row(row))).collect();
    let with_eval = |row: &MoveRow| {
        let mut json = move_json(row)?;
        json["eval"] = evaluated.get(json["uci"].as_str()?).cloned().into();
        Some(json)
    };
    Ok(json!({
        "fen": position.fen(),
        "opening": position.opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
        "games": sum(|row| row.games),
        "white": sum(|row| row.white),
        "draws": sum(|row| row.draws),
        "black": sum(|row| row.black),
        "unknown": sum(|row| row.unknown),
        "ended": played.iter().filter(|row| row.names.is_none()).map(|row| row.games).sum::<i64>(),
        "moves": played.iter().filter_map(with_eval).collect::<Vec<_>>(),
        "top": list(1),
        "recent": list(2),
        "source": rows_of(3).first().map(|row| row.get::<_, Option<String>>("source")),
        "sql": moves.shown(names),
        "topSql": games[0].shown(names),
        "recentSql": games[1].shown(names),
    }))
}

fn move_json(row: &MoveRow) -> Option<Json_> {
    let (uci, san) = row.names.as_ref()?;
    Some(json!({
        "uci": uci,
        "san": san,
        "games": row.games,
        "white": row.white,
        "draws": row.draws,
        "black": row.black,
        "unknown": row.unknown,
        "score": row.score.map(percent),
        "averageRating": row.average_rating.map(|rating| rating.round() as i64),
        "performance": row.performance.map(|rating| rating.round() as i64),
        "lastPlayed": row.last_played,
        "reached": row.reached.as_ref().map(|reached| reached.games),
        "position": row.position_json(),
    }))
}
