//! `/api/games/{id}`: one game, for the viewer, and as PGN for downloads.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use chess_core::text::clocks_evals::{ClocksEvals, Commands};
use chess_core::text::read_pgn;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::evaluations;
use crate::database::inventory::Inventory;
use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;
use crate::question::criterion::Criterion;
use crate::question::game_id;

/// The tags: those that have a column, and the column `tags` with the others and with values that a column cannot hold.
const TAGS: &str = "jsonb_strip_nulls(jsonb_build_object('Event', g.pgn_event, 'Site', g.pgn_site, 'Date', g.date, \
    'Round', g.round, 'White', g.pgn_white, 'Black', g.pgn_black, 'Result', g.result, 'WhiteElo', g.white_elo, \
    'BlackElo', g.black_elo, 'TimeControl', g.time_control, 'ECO', g.eco)) || coalesce(g.tags, jsonb_build_object())";

const OF_GAME: &str = "FROM {schema}.pgn_view g WHERE g.id = {}";

/// The query for a game as people write it.
const TOLD: &str = "\
SELECT g.event, g.site, g.date, g.round, g.white, g.black, g.result, {chess}.opening(g.game), g.game, g.annotated
FROM {schema}.pgn_view g
WHERE g.id = {}";

/// Whether the PGN has comments, variations and glyphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Annotated,
    Bare,
}

/// The moves that lost winning chances.
const MISTAKES: &str = "SELECT m.ply::integer AS ply, m.judgement, m.loss::float8 AS loss, m.best FROM {schema}.mistakes m WHERE m.game_id = {}";

fn push_pgn(query: &mut Query, text: Text) {
    query.push("{chess}.pgn(g.game, ", []);
    query.push(TAGS, []);
    query.push(if text == Text::Annotated { ", g.annotated)" } else { ")" }, []);
}

fn game_query(id: Value, criterion: &Criterion, text: Text) -> Query {
    let mut query = Query::new("SELECT g.id, (", []);
    query.push(TAGS, []);
    query.push(")::text AS tags, {chess}.startBoard(g.game)::text AS start, g.result, ", []);
    push_pgn(&mut query, text);
    query.push(
        " AS pgn,\n       {chess}.sans(g.game) AS sans, {chess}.ucis(g.game) AS ucis, g.clocks, g.pgn_evals AS evals, g.error,\n       \
         ({chess}.opening(g.game)).*, ",
        [],
    );
    criterion.plies(&mut query);
    query.push(" AS matches, ", []);
    query.push(if text == Text::Annotated { "g.annotated IS NOT NULL" } else { "false" }, []);
    query.push(" AS annotated\n", []);
    query.push(OF_GAME, [id]);
    query
}

/// Runs a query with the annotated text; without it if there is none, or if the server finds that it no longer fits the game,
/// whose moves may have been changed by hand.
async fn ask(app: &App, inventory: &Inventory, query: impl Fn(Text) -> Query) -> Outcome<Row> {
    let mut texts = if inventory.annotated { vec![Text::Annotated, Text::Bare] } else { vec![Text::Bare] }.into_iter();
    loop {
        let asked = query(texts.next().unwrap_or(Text::Bare));
        match app.database.row(&asked, &inventory.names).await {
            Ok(Some(row)) => return Ok(row),
            Ok(None) => return Err(Failure::missing("there is no such game")),
            Err(failure) if failure.status.is_client_error() && texts.len() > 0 => (),
            Err(failure) => return Err(failure),
        }
    }
}

/// The handler of the viewer.
pub async fn game(State(app): State<Arc<App>>, Path(id): Path<String>, mut params: Params) -> Outcome<Json<Json_>> {
    let criterion = Criterion::read(&mut params).await?;
    params.finish()?;
    let id = game_id::value(&id)?;
    let inventory = app.inventory.readable().await?;
    let row = ask(&app, &inventory, |text| game_query(id.clone(), &criterion, text)).await?;
    let (sans, ucis): (Vec<String>, Vec<String>) = (row.get("sans"), row.get("ucis"));
    let columns = columns(&row);
    let pgn = with_columns(row.get("pgn"), &columns);
    let (clocks, evals) = (columns.clocks.unwrap_or_default(), columns.evals.unwrap_or_default());
    let at = |list: &[Option<i32>], ply: usize| list.get(ply).copied().flatten();
    let mistakes = match inventory.judged {
        true => app.database.rows(&Query::new(MISTAKES, [id.clone()]), &inventory.names).await?,
        false => Vec::new(),
    };
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
                "eval": at(&evals, ply).map(evaluations::json),
                "mistake": mistakes.get(&(ply + 1)),
            })
        })
        .collect();
    Ok(Json(json!({
        "id": game_id::write(row.get("id")),
        "tags": tags(serde_json::from_str(row.get("tags")).unwrap_or_default()),
        "startFen": row.get::<_, String>("start"),
        "opening": opening(&row),
        "result": row.get::<_, String>("result"),
        "pgn": pgn,
        "annotated": row.get::<_, bool>("annotated"),
        "moves": moves,
        "matches": row.get::<_, Option<Vec<i32>>>("matches"),
        "error": row.get::<_, Option<String>>("error"),
        "sql": Query::new(TOLD, [id]).shown(&inventory.names),
    })))
}

/// The opening by the moves, whatever the tags say; null if no position of the game has a name.
fn opening(row: &Row) -> Option<Json_> {
    let (eco, name) = (row.get::<_, Option<&str>>("eco")?, row.get::<_, Option<&str>>("name")?);
    Some(json!({ "eco": eco, "name": name }))
}

fn mistake(row: &Row) -> Json_ {
    let (judgement, loss, best): (&str, f64, Option<&str>) = (row.get("judgement"), row.get("loss"), row.get("best"));
    json!({ "judgement": judgement, "loss": loss.round() as i64, "best": best })
}

/// `/api/games/{id}/pgn`.
pub async fn download(State(app): State<Arc<App>>, Path(id): Path<String>, params: Params) -> Outcome<Response> {
    params.finish()?;
    let value = game_id::value(&id)?;
    Ok(pgn_response(pgn(&app, value).await?, &id))
}

/// The PGN of a game.
///
/// # Errors
///
/// 404 if there is no such game.
pub async fn pgn(app: &App, id: Value) -> Outcome<String> {
    let inventory = app.inventory.readable().await?;
    let query = |text| {
        let mut query = Query::new("SELECT ", []);
        push_pgn(&mut query, text);
        query.push(" AS pgn, g.clocks, g.pgn_evals AS evals\n", []);
        query.push(OF_GAME, [id.clone()]);
        query
    };
    let row = ask(app, &inventory, query).await?;
    Ok(with_columns(row.get("pgn"), &columns(&row)))
}

fn columns(row: &Row) -> ClocksEvals {
    // an array that was written by hand may have two dimensions, which the driver rejects
    let list = |column| row.try_get(column).ok().flatten();
    ClocksEvals { clocks: list("clocks"), evals: list("evals") }
}

/// Writes clocks and evaluations into the comments of a PGN: the loader has moved them from there into columns.
fn with_columns(pgn: String, columns: &ClocksEvals) -> String {
    if columns.clocks.is_none() && columns.evals.is_none() {
        return pgn;
    }
    let Some(read) = read_pgn::games(&pgn).next() else { return pgn };
    let Some(game) = read.game.as_ref().map_or_else(|incomplete| incomplete.prefix.as_ref(), Some) else { return pgn };
    let Some(at) = pgn.rfind(read.movetext) else { return pgn };
    let text = Commands::find(read.movetext, game.view()).text_with(columns);
    format!("{}{text}{}", &pgn[..at], &pgn[at + read.movetext.len()..])
}

/// The response with a PGN. `id` must have only letters and digits, because it becomes part of a file name.
pub fn pgn_response(text: String, id: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"game-{id}.pgn\"")),
    ];
    (headers, text).into_response()
}

/// The tags in PGN's order: the seven of the roster, then the others by name. An array stands for several tags of a name.
fn tags(json: serde_json::Map<String, Json_>) -> Vec<[String; 2]> {
    const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
    let place = |name: &str| ROSTER.iter().position(|known| *known == name).unwrap_or(ROSTER.len());
    let mut all: Vec<(String, Json_)> = json.into_iter().collect();
    all.sort_by(|(a, _), (b, _)| (place(a), a).cmp(&(place(b), b)));
    let text = |value: Json_| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let each = |(name, value): (String, Json_)| match value {
        Json_::Array(values) => values.into_iter().map(|value| [name.clone(), text(value)]).collect(),
        value => vec![[name, text(value)]],
    };
    all.into_iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use chess_core::text::clocks_evals::MATE;

    use super::*;

    #[test]
    fn clocks_and_evaluations_go_back_into_the_text() {
        let columns = ClocksEvals { clocks: Some(vec![Some(600), None]), evals: Some(vec![Some(30), Some(MATE - 3)]) };
        let tags = "[White \"[%clk] 1. e4 {[%clk]}\"]\n\n";
        assert_eq!(
            with_columns(format!("{tags}1. e4 {{[%clk] good}} e5 (1... c5 {{[%clk]}}) *\n"), &columns),
            format!("{tags}1. e4 {{[%eval 0.3]}} {{[%clk 0:01:00] good}} e5 {{[%eval #3]}} (1... c5 {{[%clk]}}) *\n")
        );
        assert_eq!(with_columns("1. e4 e5 *".into(), &columns), "1. e4 {[%eval 0.3] [%clk 0:01:00]} e5 {[%eval #3]} *");
        let none = ClocksEvals::default();
        assert_eq!(with_columns("1. e4 {[%clk]} *".into(), &none), "1. e4 {[%clk]} *");
    }

    #[test]
    fn tags_in_order() {
        let Json_::Object(map) = json!({ "ZZ": ["1", "2"], "Black": "B", "Event": "E", "Aa": 5 }) else { panic!() };
        let found: Vec<String> = tags(map).into_iter().map(|[name, value]| format!("{name} {value}")).collect();
        assert_eq!(found, ["Event E", "Black B", "Aa 5", "ZZ 1", "ZZ 2"]);
    }
}
