//! `/api/notebooks/{id}/check` and `/gaps`: a notebook as a repertoire, compared with the games by the functions of
//! docs/training.md.
//!
//! The notebook comes from the database of the sessions, which may be another one than that of the games: its moves are
//! values of the question.

use std::sync::Arc;

use axum::{Extension, Json};
use serde_json::{Map, Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::path::Path;
use crate::question::filters::Filters;
use crate::question::game_id;
use crate::saved::visitor::Visitor;

/// The most positions of an answer, unless it is a part of one: parts are added up, so none of their positions may be missing.
const LISTED: usize = 200;
/// The most games of a part.
const PART: i32 = 20_000;
/// The SQL of a notebook with more moves is too long to be shown.
const SHOWN: usize = 300;

/// A notebook as a question begins with it: `WITH book AS …`.
struct Repertoire {
    color: &'static str,
    moves: usize,
    query: Query,
}

async fn repertoire(visitor: &Visitor, id: i64) -> Outcome<Repertoire> {
    let text = include_str!("sql/repertoire.sql");
    let row = visitor.found(Query::new(text, [id.into(), visitor.session()])).await?;
    let color = match row.get("color") {
        Some("white") => "w",
        Some("black") => "b",
        _ => return Err(Failure::bad("a repertoire is for one side").hint("choose the colour of the notebook")),
    };
    let (boards, moves): (Vec<String>, Vec<String>) = (row.get("boards"), row.get("moves"));
    if moves.is_empty() {
        return Err(Failure::bad("the notebook has no moves yet").hint("play a move on its board, or paste PGN"));
    }
    let count = moves.len();
    let query = Query::new(
        "WITH book AS MATERIALIZED (SELECT array_agg((m.board::{chess}.chessboard, m.move)::{schema}.repertoire_move) AS moves\n\
         FROM unnest({}, {}) m (board, move))\n",
        [Value::Texts(boards), Value::Texts(moves)],
    );
    Ok(Repertoire { color, moves: count, query })
}

/// The filters of a repertoire's games, with their defaults.
const GAMES: [&str; 7] = [
    ", opponent => NULL::text",
    ", rating => NULL::text",
    ", dates => NULL::daterange",
    ", result => NULL::text",
    ", event => NULL::text",
    ", time_control => NULL::text",
    ", speeds => NULL::text[]",
];

/// Appends the filters that the functions have.
fn filters(query: &mut Query, params: &mut Params, color: &str) -> Outcome<()> {
    query.push(", color => {}", [color.into()]);
    if let Some(opponent) = params.name("opponent")? {
        query.push(", opponent => {}", [opponent.into()]);
    }
    for wrong in ["player", "color", "white", "black", "evals"] {
        if params.has(wrong) {
            return Err(Failure::bad(format!("\"{wrong}\" is not a filter of a repertoire's games")));
        }
    }
    let filters = Filters::read(params)?;
    filters.arguments(query)?;
    Ok(())
}

/// The rows of a query, and the text of the one that is shown for it.
async fn run(
    app: &App,
    client: Client,
    book: &Repertoire,
    query: &Query,
    shown: &Query,
) -> Outcome<(Vec<Row>, Option<String>)> {
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::High).await?;
    let rows = app.database.rows(query, &inventory.names).await?;
    Ok((rows, (book.moves <= SHOWN).then(|| shown.shown(&inventory.names))))
}

/// `/check`: where the games of a player, or of everybody, left the notebook, by positions. With `limit`, those of the next games
/// after the game `after`.
pub async fn check(
    visitor: Visitor,
    Extension(app): Extension<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<i64>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let book = repertoire(&visitor, id).await?;
    let player = params.name("player")?;
    let win = if book.color == "w" { "1-0" } else { "0-1" };
    let mut query = book.query.clone();
    query.push(include_str!("sql/repertoire_check.sql").trim_ascii_end(), [win.into()]);
    match player {
        Some(player) => query.push(", player => {}", [player.into()]),
        None => query.push(", player => NULL::text", []),
    }
    filters(&mut query, &mut params, book.color)?;
    let limit = match params.has("limit") {
        true => Some(params.number("limit", 1..=PART, PART)?),
        false => None,
    };
    let after = match params.text("after")? {
        None => None,
        Some(text) => Some(game_id::read(&text).ok_or_else(|| Failure::bad("\"after\" is not the id of a game"))?),
    };
    params.finish()?;
    let mut part = query.clone();
    if let Some(after) = after {
        part.push(", after => {}", [after.into()]);
    }
    if let Some(limit) = limit {
        part.push(", at_most => {}", [limit.into()]);
    }
    for query in [&mut query, &mut part] {
        query.close(GAMES.into_iter().chain([", after => NULL::bigint", ", at_most => NULL::integer"]));
        query.push(
            " c\nGROUP BY c.status, {chess}.chessposition(c.position), c.played, c.expected ORDER BY count(*) DESC, 2, 3",
            [],
        );
    }
    let (rows, sql) = run(&app, client, &book, &part, &query).await?;
    let listed_at_most = if limit.is_some() { usize::MAX } else { LISTED };
    let left = rows.iter().filter(|row| row.get::<_, &str>("status").ends_with("left"));
    let listed: Vec<Json_> = left.take(listed_at_most).map(position).collect();
    // a part that is not full is the last one
    let games: i64 = rows.iter().map(|row| row.get::<_, i64>("games")).sum();
    let next = match limit {
        Some(limit) if games == i64::from(limit) => rows.iter().map(|row| row.get::<_, i64>("game")).max(),
        _ => None,
    };
    let next = next.map(game_id::write);
    Ok(Json(json!({ "totals": totals(&rows), "positions": listed, "next": next, "sql": sql })))
}

/// The number of games of each status.
fn totals(rows: &[Row]) -> Map<String, Json_> {
    let games = |status: &str| -> i64 {
        let of_status = rows.iter().filter(|row| row.get::<_, &str>("status") == status);
        of_status.map(|row| row.get::<_, i64>("games")).sum()
    };
    let all = ["followed", "left", "opponent left", "not reached"];
    all.into_iter().map(|status| (status.to_owned(), games(status).into())).collect()
}

/// A position where games have left the repertoire.
fn position(row: &Row) -> Json_ {
    json!({
        "status": row.get::<_, &str>("status"),
        "fen": row.get::<_, &str>("fen"),
        "played": row.get::<_, &str>("played"),
        "expected": row.get::<_, Vec<String>>("expected"),
        "games": row.get::<_, i64>("games"),
        "decided": row.get::<_, i64>("decided"),
        "score": row.get::<_, Option<f64>>("score"),
        "last": { "id": game_id::write(row.get("game")), "ply": row.get::<_, i32>("ply") },
    })
}

/// `/gaps`: what opponents play that the notebook does not answer, the likeliest first. Positions that are less likely than
/// `downTo` are not looked up, but counted.
pub async fn gaps(
    visitor: Visitor,
    Extension(app): Extension<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<i64>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let book = repertoire(&visitor, id).await?;
    let mut query = book.query.clone();
    query.push(
        "SELECT g.kind, g.position::text AS fen, g.line, g.move, g.probability, g.games, g.score\n\
         FROM book, {schema}.repertoire_gaps(book.moves",
        [],
    );
    filters(&mut query, &mut params, book.color)?;
    let down_to = match params.text("downTo")? {
        None => None,
        Some(text) => match text.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Some(share),
            _ => return Err(Failure::bad("\"downTo\" is a number from 0 to 1")),
        },
    };
    params.finish()?;
    let mut part = query.clone();
    if let Some(down_to) = down_to {
        part.push(", down_to => {}", [down_to.into()]);
    }
    for query in [&mut query, &mut part] {
        query.close(GAMES.into_iter().chain([", at_least => 0.01::float8", ", down_to => 0::float8"]));
        query.push(" g", []);
    }
    let (rows, sql) = run(&app, client, &book, &part, &query).await?;
    let (unexplored, found): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.get::<_, &str>("kind") == "unexplored");
    let gap = |row: &&Row| {
        json!({
            "kind": row.get::<_, &str>("kind"),
            "fen": row.get::<_, &str>("fen"),
            "line": row.get::<_, Option<&str>>("line"),
            "move": row.get::<_, Option<&str>>("move"),
            "probability": row.get::<_, f64>("probability"),
            "games": row.get::<_, Option<i64>>("games"),
            "score": row.get::<_, Option<f64>>("score"),
        })
    };
    Ok(Json(json!({
        "gaps": found.iter().take(LISTED).map(gap).collect::<Vec<_>>(),
        "total": found.len(),
        "unexplored": unexplored.len(),
        "sql": sql,
    })))
}
