//! `/api/puzzles`: the puzzles that `chess-pgn puzzles` has made or imported (docs/training.md). In: conditions on them. Out:
//! one puzzle at a time.

use std::sync::Arc;

use axum::Extension;
use axum::Json;
use axum::extract::State;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::Query;
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::path::Path;
use crate::question::filters::{self, Filters, Of};
use crate::question::game_id;

const KINDS: [&str; 4] = ["missed", "refutation", "problem", "import"];

/// The columns of [`puzzle`], of the puzzles `p` and their games `g`, which may be gone, or have been corrected.
const PUZZLE: &str = "SELECT p.id, p.board::text AS fen, p.before::text AS before, p.lead, p.solution, p.themes, p.rating, p.kind, p.loss, \
     p.url, g.id AS game_id, p.ply, g.white, g.black, g.date\n\
     FROM {schema}.puzzles p LEFT JOIN {schema}.pgn_view g\n\
     \x20 ON g.id = p.game_id AND {chess}.sameposition({chess}.getboard(g.game, p.ply), p.board)";

fn puzzle(row: &Row) -> Json_ {
    let game = row.get::<_, Option<i64>>("game_id").map(|id| {
        json!({
            "id": game_id::write(id),
            "ply": row.get::<_, Option<i32>>("ply"),
            "white": row.get::<_, Option<&str>>("white"),
            "black": row.get::<_, Option<&str>>("black"),
            "date": row.get::<_, Option<&str>>("date"),
        })
    });
    json!({
        "id": row.get::<_, i64>("id"),
        "fen": row.get::<_, &str>("fen"),
        "before": row.get::<_, Option<&str>>("before"),
        "lead": row.get::<_, Option<&str>>("lead"),
        "solution": row.get::<_, Vec<String>>("solution"),
        "themes": row.get::<_, Vec<String>>("themes"),
        "rating": row.get::<_, i32>("rating"),
        "kind": row.get::<_, &str>("kind"),
        "loss": row.get::<_, Option<f64>>("loss"),
        "url": row.get::<_, Option<&str>>("url"),
        "game": game,
    })
}

/// Turns the parameters into conditions on puzzles `p`. Each begins with ` AND `.
fn conditions(params: &mut Params) -> Outcome<Query> {
    let mut query = Query::default();
    if let Some(theme) = params.text("theme")? {
        query.push(" AND {} = ANY (p.themes)", [theme.into()]);
    }
    if let Some(kind) = params.text("kind")? {
        if !KINDS.contains(&kind.as_str()) {
            return Err(Failure::bad(format!("\"kind\" is one of {}", KINDS.join(", "))));
        }
        query.push(" AND p.kind = {}", [kind.into()]);
    }
    if let Some(rating) = params.text("rating")? {
        query.push(" AND p.rating <@ {}::int4multirange", [filters::range("rating", &rating)?.into()]);
    }
    if let Some(game) = params.text("game")? {
        let id = game_id::read(&game).ok_or_else(|| Failure::bad("\"game\" is not the id of a game"))?;
        query.push(" AND p.game_id = {}", [id.into()]);
    }
    if let player @ Some(_) = params.name("player")? {
        let mut played = Query::default();
        Filters { player, ..Filters::default() }.conditions(&mut played, Of::Games);
        query.push(" AND p.game_id IN (SELECT g.id FROM {schema}.games g", []);
        query.push_where(played);
        query.push(")", []);
    }
    Ok(query)
}

/// `/api/puzzles`: the first puzzle after the number `after` that meets the conditions; behind the last one comes the first.
pub async fn next(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let conditions = conditions(&mut params)?;
    let after = match params.text("after")? {
        None => 0,
        Some(text) => text.parse().map_err(|_| Failure::bad("\"after\" is the number of a puzzle"))?,
    };
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    // what few puzzles meet is looked for in all of them
    let cost = if conditions == Query::default() { Cost::Moderate } else { Cost::High };
    let _turn = app.turns.take(client, cost).await?;
    for after in [after, i64::MIN] {
        let mut query = Query::new(PUZZLE, []);
        let mut all = Query::new(" AND p.id > {}", [after.into()]);
        all.append(&conditions);
        query.push_where(all);
        query.push("\nORDER BY p.id LIMIT 1", []);
        if let Some(row) = app.database.row(&query, &inventory.names).await? {
            return Ok(Json(json!({ "puzzle": puzzle(&row), "sql": query.shown(&inventory.names) })));
        }
    }
    Ok(Json(json!({ "puzzle": null, "sql": null })))
}

/// `/api/puzzles/{id}`.
pub async fn one(State(app): State<Arc<App>>, Path(id): Path<i64>) -> Outcome<Json<Json_>> {
    let inventory = app.inventory.readable().await?;
    let mut query = Query::new(PUZZLE, []);
    query.push("\nWHERE p.id = {}", [id.into()]);
    match app.database.row(&query, &inventory.names).await? {
        Some(row) => Ok(Json(json!({ "puzzle": puzzle(&row), "sql": query.shown(&inventory.names) }))),
        None => Err(Failure::missing("there is no such puzzle")),
    }
}

/// `/api/puzzles/themes`: what can be chosen, and the numbers of the first and the last puzzle.
pub async fn themes(State(app): State<Arc<App>>, Extension(client): Extension<Client>) -> Outcome<Json<Json_>> {
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    // an import may have millions: its themes are those of the first ones
    let query = Query::new(
        "SELECT (SELECT min(id) FROM {schema}.puzzles) AS first, (SELECT max(id) FROM {schema}.puzzles) AS last, \
         ARRAY(SELECT DISTINCT unnest(p.themes) AS name FROM (SELECT themes FROM {schema}.puzzles ORDER BY id LIMIT 50000) p \
         ORDER BY name) AS themes",
        [],
    );
    let described = Query::new("SELECT name, description FROM {schema}.puzzle_themes", []);
    let rows = app.database.rows_of_all(&[&query, &described], &inventory.names).await?;
    let descriptions: Vec<(String, String)> =
        rows[1].iter().map(|row| (row.get("name"), row.get("description"))).collect();
    let Some(row) = rows[0].first() else { return Err(Failure::unavailable("the database does not answer")) };
    let theme = |name: &String| {
        let description = descriptions.iter().find(|(known, _)| known == name).map(|(_, description)| description);
        json!({ "name": name, "description": description })
    };
    Ok(Json(json!({
        "first": row.get::<_, Option<i64>>("first"),
        "last": row.get::<_, Option<i64>>("last"),
        "themes": row.get::<_, Vec<String>>("themes").iter().map(theme).collect::<Vec<_>>(),
    })))
}
