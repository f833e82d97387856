//! `/api/players`, `/api/events`, `/api/sites`, `/api/openings` and `/api/pattern`: completion of names, openings, and the check of a pattern while it is typed.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use chess_core::board::squares;
use chess_core::search::pattern::SquareSet;
use chess_core::text::names::words;
use chess_db::lichess;
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::Outcome;
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::blocking::run_blocking;
use crate::question::criterion::{self, Criterion};
use crate::question::filters::{CODE, Filters, Of};
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

/// The letters of a word of which other spellings are tried: of a shorter one they are many other words.
const WORDS: std::ops::RangeInclusive<usize> = 4..=30;

/// A regular expression for a word of letters and digits, also with one letter wrong, missing, too many, or in the place of the next.
fn nearly(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut spelled = vec![letters.clone()];
    if WORDS.contains(&letters.len()) {
        for at in 0..=letters.len() {
            let (before, after) = letters.split_at(at);
            spelled.push([before, &['.'], after].concat());
            if let [_, rest @ ..] = after {
                spelled.push([before, &['.'], rest].concat());
                spelled.push([before, rest].concat());
            }
            if let [one, other, rest @ ..] = after {
                spelled.push([before, &[*other, *one], rest].concat());
            }
        }
    }
    let spelled: Vec<String> = spelled.into_iter().map(String::from_iter).collect();
    format!("\\m(?:{})\\M", spelled.join("|"))
}

/// The most words of a name in which letters may be wrong.
const MOST_MISSPELT: usize = 6;

/// Completion in a table of names: those that begin with the text, then those that have all of its words; where there are
/// none, those that have them with a letter wrong. Of a name with several spellings there is the canonical one.
async fn names(app: &App, client: Client, prefix: &str, table: &'static str) -> Outcome<Json<Json_>> {
    let inventory = app.inventory.readable().await?;
    let words = words(prefix);
    let contained: Vec<String> = words.iter().map(|word| format!("%{word}%")).collect();
    let misspelt: Vec<String> = words.iter().map(|word| nearly(word)).collect();
    // PostgreSQL keeps 32 regular expressions; of more words, each would be compiled again for each row.
    let most = if words.len() <= MOST_MISSPELT { 2 } else { 1 };
    let ways = [
        // An address is no name, and each game of a server has one.
        (" OR n.name NOT LIKE '%://%' AND {chess}.foldname(n.name) LIKE ALL ({})", contained, Cost::Moderate),
        (" OR n.name NOT LIKE '%://%' AND {chess}.foldname(n.name) ~ ALL ({})", misspelt, Cost::High),
    ];
    let mut answer = json!(null);
    for (condition, words, cost) in ways.into_iter().take(most) {
        let _turn = app.turns.take(client, cost).await?;
        let like = || [beginning(prefix).into()];
        let mut query = Query::new(
            "SELECT f.name, f.known FROM (SELECT coalesce(n.canonical, n.name) AS name, bool_or(n.name = {}) AS known",
            [prefix.into()],
        );
        query.push(", bool_or(lower(n.name) LIKE lower({})) AS begins\nFROM {schema}.", like());
        query.push(table, []);
        query.push(" n WHERE lower(n.name) LIKE lower({})", like());
        if !words.is_empty() {
            query.push(condition, [Value::Texts(words)]);
        }
        query.push("\nGROUP BY 1) f ORDER BY f.known DESC, f.begins DESC, lower(f.name), f.name LIMIT 20", []);
        let rows = app.database.rows(&query, &inventory.names).await?;
        let found: Vec<&str> = rows.iter().map(|row| row.get("name")).collect();
        let known = rows.first().is_some_and(|row| row.get("known"));
        let done = !found.is_empty();
        answer = json!({ table: found, "known": known, "sql": query.shown(&inventory.names) });
        if done {
            break;
        }
    }
    Ok(Json(answer))
}

/// The text that is completed.
fn prefix(mut params: Params) -> Outcome<String> {
    let prefix = params.name("prefix")?.unwrap_or_default();
    params.finish()?;
    Ok(prefix)
}

/// The least number of letters for which players are found by any spelling.
const LETTERS: usize = 3;

/// `/api/players`: by any spelling, those with the most games of equally good ones first; by the first letters alone, by name.
pub async fn players(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let prefix = prefix(params)?;
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::Moderate).await?;
    if prefix.trim().chars().count() >= LETTERS {
        let mut query =
            Query::new("SELECT player, games, spellings, score FROM {schema}.player({}", [prefix.as_str().into()]);
        query.close([", count => 20"]);
        let rows = app.database.rows(&query, &inventory.names).await?;
        let names: Vec<&str> = rows.iter().map(|row| row.get("player")).collect();
        let games: Vec<i64> = rows.iter().map(|row| row.get("games")).collect();
        let scores: Vec<f32> = rows.iter().map(|row| row.get("score")).collect();
        let known = rows.iter().any(|row| row.get::<_, Vec<&str>>("spellings").contains(&prefix.as_str()));
        let sql = query.shown(&inventory.names);
        return Ok(Json(json!({ "players": names, "games": games, "scores": scores, "known": known, "sql": sql })));
    }
    let text = "SELECT name FROM {schema}.players WHERE lower(name) LIKE lower({}) GROUP BY lower(name), name ORDER BY lower(name), name LIMIT 20";
    let query = Query::new(text, [beginning(&prefix).into()]);
    let rows = app.database.rows(&query, &inventory.names).await?;
    let names: Vec<&str> = rows.iter().map(|row| row.get("name")).collect();
    let known = names.contains(&prefix.as_str());
    Ok(Json(json!({ "players": names, "known": known, "sql": query.shown(&inventory.names) })))
}

/// `/api/events`.
pub async fn events(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    names(&app, client, &prefix(params)?, "events").await
}

/// `/api/sites`. The address of a game at lichess is none of the names, but is known if a game has it.
pub async fn sites(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    params: Params,
) -> Outcome<Json<Json_>> {
    let prefix = prefix(params)?;
    if let Some(id) = lichess::of_site(&prefix) {
        let inventory = app.inventory.readable().await?;
        let query = Query::new("SELECT g.id FROM {schema}.games g WHERE g.lichess_id = {} LIMIT 1", [Value::Long(id)]);
        // without the index that loads make, all games are read
        let _turn = app.turns.take(client, Cost::High).await?;
        if !app.database.rows(&query, &inventory.names).await?.is_empty() {
            return Ok(Json(json!({ "sites": [prefix], "known": true, "sql": query.shown(&inventory.names) })));
        }
    }
    names(&app, client, &prefix, "sites").await
}

/// The most openings that a text finds.
const OPENINGS: usize = 40;

/// Behind the code: its games, and where they come from.
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
    let criterion = Criterion::beside_position(&mut params).await?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let mut query = Query::new("SELECT ", []);
    query.push(CODE, []);
    query.push(CODES, []);
    let mut conditions = Query::default();
    filters.conditions(&mut conditions, Of::Games);
    criterion.condition(&mut conditions);
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

    #[test]
    fn spellings_of_a_word() {
        assert_eq!(nearly("aan"), "\\m(?:aan)\\M");
        let tries = nearly("wijk");
        for spelled in ["wijk", ".wijk", "wi.k", "wik", "wjik", "wijk."] {
            assert!(tries.split(['|', ':', ')']).any(|one| one == spelled), "{spelled}: {tries}");
        }
    }
}
