//! `/api/tournaments` and `/api/crosstable`: the tournaments among the games, and the table of one of them.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::{dates, filters, game_id};

/// The most tournaments of a list.
const LISTED: i32 = 500;

/// What chooses among the tournaments of an event.
struct Choice {
    event: String,
    site: Option<String>,
    section: Option<String>,
    dates: Option<String>,
    /// The numbers of sources, as the text of an array.
    sources: Option<String>,
    /// A game of the tournament.
    game: Option<i64>,
}

impl Choice {
    fn read(params: &mut Params) -> Outcome<Choice> {
        let (since, until) = (params.text("since")?, params.text("until")?);
        Ok(Choice {
            // those of all events take minutes in a large database
            event: params.name("event")?.ok_or_else(|| Failure::bad("\"event\" is missing"))?,
            site: params.name("site")?,
            section: params.name("section")?,
            dates: dates::range(since.as_deref(), until.as_deref())?,
            sources: filters::sources(params)?,
            game: match params.text("game")? {
                None => None,
                Some(text) => {
                    Some(game_id::read(&text).ok_or_else(|| Failure::bad("\"game\" is not the id of a game"))?)
                }
            },
        })
    }

    /// The tournaments, the newest first.
    fn query(&self) -> Query {
        let mut query = Query::new(
            "SELECT t.event, t.site, t.section, t.first::text, t.last::text, t.players, t.games, t.ids\n\
             FROM {schema}.tournaments({}",
            [self.event.as_str().into()],
        );
        for (argument, value) in [
            (", site => {}", &self.site),
            (", section => {}", &self.section),
            (", dates => {}::daterange", &self.dates),
            (", sources => {}::integer[]", &self.sources),
        ] {
            if let Some(value) = value {
                query.push(argument, [value.as_str().into()]);
            }
        }
        query.close([
            ", site => NULL::text",
            ", dates => NULL::daterange",
            ", section => NULL::text",
            ", sources => NULL::integer[]",
        ]);
        query.push(" t", []);
        if let Some(id) = self.game {
            query.push("\nWHERE {} = ANY (t.ids)", [id.into()]);
        }
        query.push("\nORDER BY t.first DESC NULLS LAST, t.games DESC, t.event, t.site LIMIT {}", [LISTED.into()]);
        query
    }
}

/// A tournament; any of its games names it.
fn tournament(row: &Row) -> Json_ {
    let (event, site, section): (&str, Option<&str>, Option<&str>) =
        (row.get("event"), row.get("site"), row.get("section"));
    let (first, last): (Option<&str>, Option<&str>) = (row.get("first"), row.get("last"));
    let ids: Vec<i64> = row.get("ids");
    json!({
        "event": event,
        "site": site,
        "section": section,
        "first": first,
        "last": last,
        "players": row.get::<_, i64>("players"),
        "games": row.get::<_, i64>("games"),
        "game": ids.first().copied().map(game_id::write),
    })
}

/// `/api/tournaments`.
pub async fn tournaments(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let choice = Choice::read(&mut params)?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let query = choice.query();
    let _turn = app.turns.take(client, Cost::High).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    Ok(Json(json!({
        "tournaments": rows.iter().map(tournament).collect::<Vec<_>>(),
        "sql": query.shown(&inventory.names),
    })))
}

/// `/api/crosstable`.
pub async fn crosstable(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let choice = Choice::read(&mut params)?;
    let kind = params.text("kind")?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    let _turn = app.turns.take(client, Cost::High).await?;
    let found = app.database.rows(&choice.query(), &inventory.names).await?;
    let row = match found.as_slice() {
        [] => return Err(Failure::missing("no tournament has this name")),
        [row] => row,
        several => {
            return Err(Failure::bad(format!("{} tournaments have this name", several.len()))
                .hint("choose one by site, section, since, until, or one of its games; /api/tournaments lists them"));
        }
    };
    let ids: Vec<i64> = row.get("ids");
    let mut table = Query::new(
        "SELECT c.rank, c.player_id, c.player, c.rating, c.points, c.games, c.sonneborn_berger, c.buchholz, c.performance, \
         c.results, c.details::text, c.kind\nFROM {schema}.crosstable({}",
        [Value::Longs(ids)],
    );
    if let Some(kind) = &kind {
        table.push(", kind => {}", [kind.as_str().into()]);
    }
    table.close([", kind => NULL::text"]);
    table.push(" c", []);
    let lines = app.database.rows(&table, &inventory.names).await?;
    Ok(Json(json!({
        "tournament": tournament(row),
        "kind": lines.first().map(|line| line.get::<_, String>("kind")),
        "players": lines.iter().map(line).collect::<Vec<_>>(),
        "sql": shown(row, kind.as_deref(), choice.sources).shown(&inventory.names),
    })))
}

/// The table as one asks for it in SQL: by event, site, section and days.
fn shown(row: &Row, kind: Option<&str>, sources: Option<String>) -> Query {
    let mut query = Query::new(
        "SELECT rank, player, rating, points, games, sonneborn_berger, buchholz, performance, results\n\
         FROM {schema}.crosstable({}",
        [row.get::<_, &str>("event").into()],
    );
    let mut push = |argument, value: Option<String>| {
        if let Some(value) = value {
            query.push(argument, [value.into()]);
        }
    };
    push(", site => {}", row.get("site"));
    push(", section => {}", row.get("section"));
    let days: (Option<String>, Option<String>) = (row.get("first"), row.get("last"));
    push(", dates => {}", days.0.zip(days.1).map(|(first, last)| format!("[{first},{last}]")));
    push(", kind => {}", kind.map(str::to_owned));
    push(", sources => {}", sources);
    query.push(")", []);
    query
}

/// A line of a table.
fn line(row: &Row) -> Json_ {
    let mut games: Json_ = serde_json::from_str(row.get("details")).unwrap_or_default();
    for game in games.as_array_mut().into_iter().flatten() {
        game["game"] = game["game"].as_i64().map(game_id::write).into();
    }
    json!({
        "rank": row.get::<_, i32>("rank"),
        "id": row.get::<_, i32>("player_id"),
        "name": row.get::<_, Option<String>>("player"),
        "rating": row.get::<_, Option<i32>>("rating"),
        "points": row.get::<_, f64>("points"),
        "played": row.get::<_, i32>("games"),
        "sonnebornBerger": row.get::<_, Option<f64>>("sonneborn_berger"),
        "buchholz": row.get::<_, Option<f64>>("buchholz"),
        "performance": row.get::<_, Option<i32>>("performance"),
        "results": row.get::<_, Vec<String>>("results"),
        "games": games,
    })
}
