//! `/api/games/{id}/novelty` finds the novelty of a game: its first half-move to a position that no earlier game has.
//!
//! The index counts the games with a position without reading them, so each position of the game costs about as much as a line of
//! the explorer. Without an index the answer is null, because a search through all games for each position would take too long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::path::Path;
use crate::question::game_id;

/// The number of positions that one round trip to the database asks for.
const TOGETHER: usize = 16;
/// The search ends at this half-move, because only a copy of an earlier game goes further without a novelty.
const LAST: i32 = 200;
/// The time limit for all round trips of a request. The search ends with an error then, because its turn keeps others waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// Selects the game's positions, its first possible day and the first day of that year. Both days are null without a date. They
/// are numbers that count from 2000, because the planner folds a date plus a number into a constant, but not a text.
const GAME: &str = include_str!("sql/game_to_compare.sql").trim_ascii_end();
/// Tells whether an earlier game has a board. It asks for whole years first, because the index has sums of them.
const EARLIER: &str = include_str!("sql/earlier_games.sql").trim_ascii_end();
/// Tells whether a game besides this one has a board.
const OTHER: &str =
    "SELECT count(*) > 1 AS known FROM {schema}.games g WHERE {chess}.hasBoard(g.game, {}::{chess}.chessboard)";

/// The same questions as people write them.
const TOLD_EARLIER: &str = include_str!("sql/told_novelty.sql").trim_ascii_end();
const TOLD_OTHER: &str = include_str!("sql/told_novelty_without_date.sql").trim_ascii_end();

/// The handler.
pub async fn novelty(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    params: Params,
) -> Outcome<Json<Json_>> {
    params.finish()?;
    let id = game_id::value(&id)?;
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    let game = Query::new(GAME, [LAST.into(), id.clone()]);
    let row = app.database.row(&game, &inventory.names).await?;
    let row = row.ok_or_else(|| Failure::missing("there is no such game"))?;
    if inventory.gathered || !row.get::<_, bool>("by_index") {
        return Ok(Json(json!({ "ply": null, "compared": null, "sql": null })));
    }
    let boards: Vec<String> = row.get("boards");
    let days: Option<(i32, i32)> = row.get::<_, Option<i32>>("year").zip(row.get("day"));
    let (compared, told) = match days {
        Some(_) => ("earlier", TOLD_EARLIER),
        None => ("other", TOLD_OTHER),
    };
    let queries: Vec<Query> = boards.iter().map(|board| is_known(board, days)).collect();
    let begun = Instant::now();
    let mut first = None;
    for (at, part) in queries.chunks(TOGETHER).enumerate() {
        if begun.elapsed() > PATIENCE {
            return Err(Failure::new(StatusCode::GATEWAY_TIMEOUT, "the search for the novelty takes too long"));
        }
        let answers = app.database.rows_of_all(&part.iter().collect::<Vec<_>>(), &inventory.names).await?;
        let is_new = |rows: &Vec<tokio_postgres::Row>| rows.first().is_some_and(|row| !row.get::<_, bool>("known"));
        if let Some(place) = answers.iter().position(is_new) {
            first = Some(at * TOGETHER + place);
            break;
        }
    }
    // a start that no other game has is not called a novelty: no move of the players led to it
    let ply = first.filter(|ply| *ply > 0);
    Ok(Json(json!({ "ply": ply, "compared": compared, "sql": Query::new(told, [id]).shown(&inventory.names) })))
}

/// Asks whether a board is that of an earlier game, or without days that of another one.
fn is_known(board: &str, days: Option<(i32, i32)>) -> Query {
    let board = || Value::from(board);
    match days {
        Some((year, day)) => Query::new(EARLIER, [board(), year.into(), board(), year.into(), day.into()]),
        None => Query::new(OTHER, [board()]),
    }
}
