//! `/api/games/{id}`: one game, for the viewer, and as PGN for downloads.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Extension;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chess_core::text::tags::ROSTER;
use chess_db::pgn::{self, COLUMNS, Lost, is_unknown};
use chess_db::plies::Plies;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::inventory::{Inventory, InventoryCache};
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::path::Path;
use crate::question::criterion::Criterion;
use crate::question::game_id;
use crate::question::trees::{self, score};

/// The tags that have a column. The column `tags` has the others, and values that a column cannot hold.
const TAGS: &str = "jsonb_strip_nulls(jsonb_build_object('Event', g.pgn_event, 'Site', g.pgn_site, 'Date', g.date, \
    'Round', g.round, 'White', g.pgn_white, 'Black', g.pgn_black, 'Result', g.result, 'WhiteElo', g.white_elo, \
    'BlackElo', g.black_elo, 'TimeControl', g.time_control, 'ECO', g.eco))";

/// Names and values; an array has the values of several tags.
type Tags = serde_json::Map<String, Json_>;

const OF_GAME: &str = "FROM {schema}.pgn_view g WHERE g.id = {}";

/// The query for a game as people write it.
const TOLD: &str = include_str!("sql/told_game.sql").trim_ascii_end();

/// The moves that lost winning chances.
const MISTAKES: &str = "SELECT m.ply::integer AS ply, m.judgement, m.loss::float8 AS loss, m.best FROM {schema}.mistakes m WHERE m.game_id = {}";

/// How accurate each side was, in the whole game and in its phases.
const ACCURACY: &str = include_str!("sql/accuracy.sql").trim_ascii_end();

/// The version of the row, which a correction names. A view has none.
const VERSION: &str = "(SELECT t.xmin::text FROM {schema}.games t WHERE t.id = g.id)";

/// The columns from which the PGN is written.
fn columns(inventory: &Inventory) -> Query {
    let mut query = Query::new("SELECT ", []);
    match COLUMNS.split_once("annotated").filter(|_| !inventory.annotated) {
        Some((before, behind)) => {
            query.push(before, []);
            query.push("NULL::text", []);
            query.push(behind, []);
        }
        None => query.push(COLUMNS, []),
    }
    query
}

fn game_query(id: Value, criterion: &Criterion, inventory: &Inventory, may_change: bool) -> Query {
    let mut query = columns(inventory);
    query.push(", (", []);
    query.push(TAGS, []);
    query.push(
        ")::text AS of_columns, coalesce(g.tags, jsonb_build_object())::text AS of_tags, {chess}.result(g.game)::text AS of_moves,\n       \
         {chess}.startBoard(g.game)::text AS start,\n       \
         {chess}.sans(g.game) AS sans, {chess}.ucis(g.game) AS ucis, g.error,\n       \
         g.evals AS shown_evals, ({chess}.opening(g.game)).eco AS opening_eco, ({chess}.opening(g.game)).name AS opening_name, ",
        [],
    );
    criterion.plies(&mut query);
    query.push(" AS matches, ", []);
    query.push(if may_change { VERSION } else { "NULL::text" }, []);
    query.push(" AS version\n", []);
    query.push(OF_GAME, [id]);
    query
}

/// The game of a row as PGN, without values that PGN cannot express.
fn written(game: pgn::Row) -> String {
    let mut text = String::new();
    pgn::write_game(&mut text, game, &mut Lost::new());
    text
}

/// The handler of the viewer.
pub async fn game(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let criterion = Criterion::read(&mut params).await?;
    params.finish()?;
    let id = game_id::value(&id)?;
    let inventory = app.inventory.readable().await?;
    let query = game_query(id.clone(), &criterion, &inventory, app.uploads.is_some());
    // a pattern may take long also in one game
    let _turn = match criterion {
        Criterion::Anything => None,
        _ => Some(app.turns.take(client, Cost::Moderate).await?),
    };
    let row = app.database.row(&query, &inventory.names).await?.ok_or_else(missing)?;
    let (sans, ucis): (Vec<String>, Vec<String>) = (row.get("sans"), row.get("ucis"));
    let game = pgn::read(&row, &mut Lost::new());
    let of_game =
        |column: &Option<Plies>| column.as_ref().map(|column| column.of_game(sans.len()).0).unwrap_or_default();
    // those of the PGN, or else of the engines
    let (clocks, evals) = (of_game(&game.clocks), of_game(&row.get("shown_evals")));
    let annotated = game.annotated.is_some();
    let is_long = game.annotated.as_deref().is_some_and(trees::is_long);
    let bare = is_long.then(|| written(pgn::Row { annotated: None, ..game.clone() }));
    let pgn = written(game);
    let at = |list: &[Option<i32>], ply: usize| list.get(ply).copied().flatten();
    let of_evals = async |text| match inventory.judged && evals.iter().any(Option::is_some) {
        true => app.database.rows(&Query::new(text, [id.clone()]), &inventory.names).await,
        false => Ok(Vec::new()),
    };
    let (mistakes, accuracy) = (of_evals(MISTAKES).await?, of_evals(ACCURACY).await?);
    let mistakes: HashMap<usize, Json_> =
        mistakes.iter().map(|row| (row.get::<_, i32>("ply") as usize, mistake(row))).collect();
    let moves: Vec<Json_> = sans
        .iter()
        .zip(&ucis)
        .enumerate()
        .map(|(ply, (san, uci))| {
            json!({
                "uci": uci,
                "san": san,
                "clock": at(&clocks, ply),
                "eval": at(&evals, ply).map(score),
                "mistake": mistakes.get(&(ply + 1)),
            })
        })
        .collect();
    let read = |column: &str| serde_json::from_str(row.get(column)).unwrap_or_default();
    Ok(Json(json!({
        "id": game_id::write(row.get("id")),
        "version": row.get::<_, Option<String>>("version"),
        "tags": tags(of_all(read("of_columns"), read("of_tags"), row.get("of_moves"))),
        "startFen": row.get::<_, String>("start"),
        "opening": opening(&row),
        "result": row.get::<_, String>("result"),
        "pgn": pgn,
        "game": trees::of_stored(bare.unwrap_or_else(|| pgn.clone())).await?,
        "annotated": annotated,
        "moves": moves,
        "matches": row.get::<_, Option<Vec<i32>>>("matches"),
        "accuracy": accuracy.iter().map(accuracy_of).collect::<Vec<_>>(),
        "error": row.get::<_, Option<String>>("error"),
        "sql": Query::new(TOLD, [id]).shown(&inventory.names),
    })))
}

/// The opening by the moves, whatever the tags say; null if no position of the game has a name.
fn opening(row: &Row) -> Option<Json_> {
    let (eco, name) = (row.get::<_, Option<&str>>("opening_eco")?, row.get::<_, Option<&str>>("opening_name")?);
    Some(json!({ "eco": eco, "name": name }))
}

fn mistake(row: &Row) -> Json_ {
    let (judgement, loss, best): (&str, f64, Option<&str>) = (row.get("judgement"), row.get("loss"), row.get("best"));
    json!({ "judgement": judgement, "loss": loss.round() as i64, "best": best })
}

/// How accurate a side was; without a phase in the whole game.
fn accuracy_of(row: &Row) -> Json_ {
    json!({
        "color": row.get::<_, &str>("color"),
        "phase": row.get::<_, Option<&str>>("phase"),
        "moves": row.get::<_, i32>("moves"),
        "accuracy": row.get::<_, f64>("accuracy"),
        "loss": row.get::<_, f64>("loss"),
        "inaccuracies": row.get::<_, i32>("inaccuracies"),
        "mistakes": row.get::<_, i32>("mistakes"),
        "blunders": row.get::<_, i32>("blunders"),
    })
}

/// `/api/games/{id}/pgn`.
pub async fn download(State(app): State<Arc<App>>, Path(id): Path<String>, params: Params) -> Outcome<Response> {
    params.finish()?;
    let value = game_id::value(&id)?;
    Ok(pgn_response(pgn(&app, &app.inventory, value).await?, &id))
}

/// The PGN of a game in the schema of an inventory.
///
/// # Errors
///
/// 404 if there is no such game.
pub async fn pgn(app: &App, inventory: &InventoryCache, id: Value) -> Outcome<String> {
    let inventory = inventory.readable().await?;
    let mut query = columns(&inventory);
    query.push("\n", []);
    query.push(OF_GAME, [id]);
    let row = app.database.row(&query, &inventory.names).await?.ok_or_else(missing)?;
    Ok(written(pgn::read(&row, &mut Lost::new())))
}

/// 404: no game has this id.
pub fn missing() -> Failure {
    Failure::missing("there is no such game")
}

/// The response with a PGN. `id` must have only letters and digits, because it becomes part of a file name.
pub fn pgn_response(text: String, id: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"game-{id}.pgn\"")),
    ];
    (headers, text).into_response()
}

/// The tags of a game as an export has them: the value of a column comes before those that `rest` has of its tag, unless the first
/// of these spells it in another way. What says that a value is unknown counts only where there is none.
fn of_all(columns: Tags, mut rest: Tags, of_moves: &str) -> Tags {
    for (name, value) in columns {
        let others = match rest.remove(&name) {
            Some(Json_::Array(values)) => values,
            other => other.into_iter().collect(),
        };
        let mut values: Vec<Json_> =
            others.into_iter().filter(|other| !other.as_str().is_some_and(|text| is_unknown(&name, text))).collect();
        let column = said(&value);
        if !values.first().is_some_and(|first| pgn::spells_out(&name, &said(first), &column, of_moves)) {
            values.insert(0, value);
        }
        rest.insert(name, values.into());
    }
    rest
}

/// What a value says.
fn said(value: &Json_) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The tags in PGN's order: the seven of the roster, then the others by name. An array stands for several tags of a name.
fn tags(json: Tags) -> Vec<[String; 2]> {
    let place = |name: &str| ROSTER.iter().position(|known| *known == name).unwrap_or(ROSTER.len());
    let mut all: Vec<(String, Json_)> = json.into_iter().collect();
    all.sort_by(|(a, _), (b, _)| (place(a), a).cmp(&(place(b), b)));
    let each = |(name, value): (String, Json_)| match value {
        Json_::Array(values) => values.iter().map(|value| [name.clone(), said(value)]).collect(),
        value => vec![[name, said(&value)]],
    };
    all.into_iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_in_order() {
        let Json_::Object(map) = json!({ "ZZ": ["1", "2"], "Black": "B", "Event": "E", "Aa": 5 }) else { panic!() };
        let found: Vec<String> = tags(map).into_iter().map(|[name, value]| format!("{name} {value}")).collect();
        assert_eq!(found, ["Event E", "Black B", "Aa 5", "ZZ 1", "ZZ 2"]);
    }

    #[test]
    fn a_column_says_more_than_its_tag() {
        let shown = |column: Json_, rest: Json_, of_moves: &str| {
            let (Json_::Object(columns), Json_::Object(rest)) = (column, rest) else { panic!() };
            let all = tags(of_all(columns, rest, of_moves));
            all.into_iter().map(|[name, value]| format!("{name} {value}")).collect::<Vec<_>>()
        };
        for (column, rest, expected) in [
            (json!({ "WhiteElo": 2700 }), json!({ "WhiteElo": "" }), vec!["WhiteElo 2700"]),
            (json!({ "WhiteElo": 2700 }), json!({ "WhiteElo": "02700" }), vec!["WhiteElo 02700"]),
            (json!({}), json!({ "WhiteElo": "-" }), vec!["WhiteElo -"]),
            (json!({ "Event": "A" }), json!({ "Event": "B" }), vec!["Event A", "Event B"]),
            (json!({ "Event": "A" }), json!({ "Event": ["?", "B"] }), vec!["Event A", "Event B"]),
            (json!({ "Result": "1-0" }), json!({ "Result": "+:-" }), vec!["Result +:-"]),
            (json!({ "Result": "1-0" }), json!({ "Result": "" }), vec!["Result 1-0"]),
            (json!({ "Result": "1-0" }), json!({ "Result": "0-1" }), vec!["Result 1-0", "Result 0-1"]),
        ] {
            assert_eq!(shown(column, rest.clone(), "1-0"), expected, "{rest}");
        }
    }
}
