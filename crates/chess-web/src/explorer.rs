//! `/api/explorer`: what was played in a position, and in which games.
//!
//! The answer comes from the functions `explorer` and `explorer_games` of the tables' schema, which anybody can call.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::app::App;
use crate::evaluations;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::game_id;
use crate::guard::Client;
use crate::inventory::Inventory;
use crate::params::Params;
use crate::position::{Asked, Reading};
use crate::query::Query;
use crate::turns::Cost;

/// How many games are shown beside the moves.
const GAMES: i32 = 15;

/// The columns of [`game_row`] for the games with these numbers.
pub const GAMES_BY_ID: &str = "\
SELECT g.id, NULL AS uci, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.eco, g.ply_count,
       {schema}.speed(g.time_control) AS speed
FROM {schema}.pgn_view g
WHERE g.id = ANY ({})";

/// A move of a position, or, without a name, the end of games there.
#[derive(Clone, Debug)]
pub struct MoveRow {
    /// UCI and SAN.
    pub names: Option<(String, String)>,
    /// How many games, and how they ended: White, draw, Black, unknown.
    pub games: i64,
    /// White's wins.
    pub white: i64,
    /// Draws.
    pub draws: i64,
    /// Black's wins.
    pub black: i64,
    /// Without a result.
    pub unknown: i64,
    /// The score of the side that moves, from 0 to 1.
    pub score: Option<f64>,
    /// The mean rating of the side that moves.
    pub average_rating: Option<f64>,
    /// The mean rating of the other side.
    pub opponent_rating: Option<f64>,
    /// The performance of the side that moves.
    pub performance: Option<f64>,
    /// The day of the last game.
    pub last_played: Option<String>,
    /// In how many games the position after the move arises.
    pub reached: Option<i64>,
    /// The number of the game, if there is only one.
    pub game_id: Option<i64>,
}

/// The question for the moves of a position.
///
/// # Errors
///
/// 400 for a filter that it does not have.
pub fn moves_query(asked: &Asked, filters: &Filters, reached: bool) -> Outcome<Query> {
    let mut query = Query::new(
        "SELECT uci, san, games, white, draws, black, unknown, score, average_rating, opponent_rating, performance, \
         last_played::text AS last_played, reached, game_id\n\
         FROM {schema}.explorer({}::{chess}.chessboard",
        [asked.fen().into()],
    );
    filters.arguments(&mut query)?;
    query.push(if reached { ")" } else { ", reached => false)" }, []);
    Ok(query)
}

/// The question for where it finds the moves.
fn source_query(asked: &Asked, filters: &Filters) -> Outcome<Query> {
    let mut query = Query::new("SELECT {schema}.explorer_source({}::{chess}.chessboard", [asked.fen().into()]);
    filters.arguments(&mut query)?;
    query.push(")", []);
    Ok(query)
}

/// A row of it.
pub fn move_row(row: &Row) -> MoveRow {
    let (uci, san): (Option<String>, Option<String>) = (row.get(0), row.get(1));
    MoveRow {
        names: uci.zip(san),
        games: row.get(2),
        white: row.get(3),
        draws: row.get(4),
        black: row.get(5),
        unknown: row.get(6),
        score: row.get(7),
        average_rating: row.get(8),
        opponent_rating: row.get(9),
        performance: row.get(10),
        last_played: row.get(11),
        reached: row.get(12),
        game_id: row.get(13),
    }
}

/// The question for games with a position, `rating` or `date` first.
///
/// # Errors
///
/// 400 for a filter that it does not have.
pub fn games_query(asked: &Asked, filters: &Filters, sort: &'static str, count: i32) -> Outcome<Query> {
    let mut query = Query::new(
        "SELECT id, uci, white, black, white_elo, black_elo, result, date, event, eco, ply_count, \
         {schema}.speed(time_control) AS speed\n\
         FROM {schema}.explorer_games({}::{chess}.chessboard",
        [asked.fen().into()],
    );
    filters.arguments(&mut query)?;
    query.push(", sort => {}, count => {})", [sort.into(), count.into()]);
    Ok(query)
}

/// A game in a list: what the rows of all lists begin with.
#[derive(Clone, Debug)]
pub struct GameRow {
    /// The number.
    pub id: i64,
    /// What it played in the position.
    pub uci: Option<String>,
    /// The names.
    pub names: [Option<String>; 2],
    /// The ratings.
    pub ratings: [Option<i32>; 2],
    /// The result, one of four.
    pub result: String,
    /// As PGN has it.
    pub date: Option<String>,
    /// The event's name.
    pub event: Option<String>,
    /// The code of the opening.
    pub eco: Option<String>,
    /// The half-moves.
    pub plies: Option<i32>,
}

/// The first eleven columns of a row.
pub fn game_row(row: &Row) -> GameRow {
    GameRow {
        id: row.get(0),
        uci: row.get(1),
        names: [row.get(2), row.get(3)],
        ratings: [row.get(4), row.get(5)],
        result: row.get(6),
        date: row.get(7),
        event: row.get(8),
        eco: row.get(9),
        plies: row.get(10),
    }
}

impl GameRow {
    /// As JSON, with the half-move where it was found.
    pub fn json(&self, ply: Option<i32>) -> Json_ {
        let player = |at: usize| {
            let name = self.names[at].as_deref().unwrap_or("?");
            json!({ "name": name, "rating": self.ratings[at].filter(|rating| *rating > 0) })
        };
        json!({
            "id": game_id::write(self.id),
            "white": player(0),
            "black": player(1),
            "result": self.result,
            "date": self.date,
            "event": self.event,
            "eco": self.eco,
            "plies": self.plies,
            "ply": ply,
            "uci": self.uci,
        })
    }
}

/// The answer.
pub async fn explorer(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let asked = Asked::read(&mut params, Reading::Strict)?;
    let filters = Filters::read(&mut params)?;
    let reached = params.flag("reached")?;
    params.finish()?;
    let inventory = app.stock.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    Ok(Json(answer(&app, &inventory, &asked, &filters, reached).await?))
}

async fn answer(app: &App, inventory: &Inventory, asked: &Asked, filters: &Filters, reached: bool) -> Outcome<Json_> {
    let moves = moves_query(asked, filters, reached)?;
    let games = [games_query(asked, filters, "rating", GAMES)?, games_query(asked, filters, "date", GAMES)?];
    let names = &inventory.names;
    let evals = Query::new(evaluations::OF_MOVES, [asked.fen().into(), asked.fen().into()]);
    let source = source_query(asked, filters)?;
    let mut queries = vec![&moves, &games[0], &games[1], &source];
    if inventory.analyzed {
        queries.push(&evals);
    }
    let rows = app.database.rows_of_all(&queries, names).await?;
    let rows_of = |at: usize| rows.get(at).map(Vec::as_slice).unwrap_or_default();
    let played: Vec<MoveRow> = rows_of(0).iter().map(move_row).collect();
    let sum = |of: fn(&MoveRow) -> i64| played.iter().map(of).sum::<i64>();
    let list = |at: usize| rows_of(at).iter().map(|row| game_row(row).json(None)).collect::<Vec<_>>();
    let evaluated: HashMap<&str, Json_> = rows_of(4).iter().map(|row| (row.get(0), evaluations::of_row(row))).collect();
    let with_eval = |row: &MoveRow| {
        let mut json = move_json(row)?;
        json["eval"] = evaluated.get(json["uci"].as_str()?).cloned().into();
        Some(json)
    };
    Ok(json!({
        "fen": asked.fen(),
        "opening": asked.opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
        "games": sum(|row| row.games),
        "white": sum(|row| row.white),
        "draws": sum(|row| row.draws),
        "black": sum(|row| row.black),
        "unknown": sum(|row| row.unknown),
        "ended": played.iter().filter(|row| row.names.is_none()).map(|row| row.games).sum::<i64>(),
        "moves": played.iter().filter_map(with_eval).collect::<Vec<_>>(),
        "top": list(1),
        "recent": list(2),
        "source": rows_of(3).first().map(|row| row.get::<_, String>(0)),
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
        "score": row.score.map(|score| (score * 1000.0).round() / 10.0),
        "averageRating": row.average_rating.map(|rating| rating.round() as i64),
        "performance": row.performance.map(|rating| rating.round() as i64),
        "lastPlayed": row.last_played,
        "reached": row.reached,
    }))
}
