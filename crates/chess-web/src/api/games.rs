//! `/api/games`: lists of games, page by page.
//!
//! A cursor has the sort key and the number of the last game of a page. The next page starts after them, so that every page
//! costs as much as the first, and no game is repeated or left out while others are loaded.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use chess_db::order::{LATEST, RATINGS};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::rows::GameRow;
use crate::database::inventory::Inventory;
use crate::database::query::{Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::client::Client;
use crate::http::params::Params;
use crate::question::criterion::Criterion;
use crate::question::filters::{Filters, Of};
use crate::question::game_id;
use crate::question::position::{AskedPosition, Reading};

/// The sort order: descending, but ascending by number and by distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    Date,
    Rating,
    Plies,
    /// As loaded, the first game first.
    Id,
    /// As loaded, the last game first.
    Loaded,
    /// By the distance to a board, given by its FEN.
    Nearest(String),
}

/// The last game of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cursor {
    key: String,
    id: i64,
}

impl Sort {
    /// Reads the parameters `sort` and `near`.
    ///
    /// # Errors
    ///
    /// 400 for another order, and for a position that cannot be read.
    pub fn read(params: &mut Params) -> Outcome<Sort> {
        match (params.text("sort")?.as_deref(), params.text("near")?) {
            (None, Some(fen)) => {
                AskedPosition::new(Some(&fen), None, Reading::Strict).map(|asked| Sort::Nearest(asked.fen()))
            }
            (Some(_), Some(_)) => Err(Failure::bad("\"near\" is an order of its own, without \"sort\"")),
            (None | Some("date"), None) => Ok(Sort::Date),
            (Some("rating"), None) => Ok(Sort::Rating),
            (Some("plies"), None) => Ok(Sort::Plies),
            (Some("id"), None) => Ok(Sort::Id),
            (Some("loaded"), None) => Ok(Sort::Loaded),
            (Some(_), None) => Err(Failure::bad("\"sort\" is date, rating, plies, loaded or id")),
        }
    }

    /// Appends the sort key, written as in the explorer's indexes, so that they are used.
    pub fn key(&self, query: &mut Query) {
        match self {
            Sort::Date => query.push(LATEST, []),
            Sort::Rating => query.push(RATINGS, []),
            Sort::Plies => query.push("g.ply_count", []),
            Sort::Id => query.push("0", []),
            Sort::Loaded => query.push("g.id", []),
            Sort::Nearest(fen) => {
                query.push("{chess}.leastDistance(g.game, {}::{chess}.chessboard)", [fen.as_str().into()])
            }
        }
    }

    /// The order of rows that have the columns `id` and `key`.
    pub fn order(&self) -> &'static str {
        match self {
            Sort::Id => " ORDER BY id",
            Sort::Nearest(_) => " ORDER BY key, id",
            _ => " ORDER BY key DESC, id DESC",
        }
    }

    fn after(&self, cursor: &Cursor, query: &mut Query) {
        if *self == Sort::Id {
            query.push(" AND g.id > {}", [cursor.id.into()]);
            return;
        }
        let number = || Value::from(cursor.key.parse::<i64>().unwrap_or_default());
        let (value, limit, beyond): (Value, _, _) = match self {
            Sort::Date => (cursor.key.as_str().into(), " <= {}::date AND (", ", g.id) < ({}::date, {})"),
            Sort::Nearest(_) => (number(), " >= {} AND (", ", g.id) > ({}, {})"),
            _ => (number(), " <= {} AND (", ", g.id) < ({}, {})"),
        };
        // the first condition is for other servers: postgres_fdw does not send comparisons of rows
        query.push(" AND ", []);
        self.key(query);
        query.push(limit, [value.clone()]);
        self.key(query);
        query.push(beyond, [value, cursor.id.into()]);
    }

    /// Reads a cursor that [`cursor_of`] has written.
    fn cursor(&self, text: &str) -> Option<Cursor> {
        let (key, id) = text.rsplit_once('.')?;
        let fits = match self {
            Sort::Date => matches!(key, "infinity" | "-infinity") || is_day(key),
            _ => key.parse::<i64>().is_ok(),
        };
        fits.then_some(Cursor { key: key.to_owned(), id: game_id::read(id)? })
    }
}

/// Whether a text has PostgreSQL's form of a date, which includes years before Christ and after 9999.
fn is_day(text: &str) -> bool {
    let day = text.strip_suffix(" BC").unwrap_or(text);
    day.len() <= 13 && day.split('-').count() == 3 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// The query for a page.
///
/// Games with a position are collected first, up to `few`, and sorted then. Otherwise the planner would walk along the index of
/// dates or ratings, because it assumes that such games are spread evenly over it; if they are not, it reads most of the table.
fn page(criterion: &Criterion, filters: &Filters, sort: &Sort, after: Option<&Cursor>, limit: i32, few: i64) -> Query {
    let mut query = Query::new("WITH ", []);
    let found = |query: &mut Query| {
        query.push("SELECT g.id, ", []);
        sort.key(query);
        query.push(" AS key FROM {schema}.games g WHERE true", []);
        conditions_on_games(query, criterion, filters);
        if let Some(cursor) = after {
            sort.after(cursor, query);
        }
    };
    if let Criterion::Position(_) = criterion.first() {
        query.push("few AS MATERIALIZED (\n    ", []);
        found(&mut query);
        query.push(" LIMIT {}\n), page AS MATERIALIZED (\n    (SELECT id, key FROM few g WHERE (SELECT count(*) FROM few) < {}", [few.into(), few.into()]);
        query.push(sort.order(), []);
        query.push(" LIMIT {})\n    UNION ALL\n    (", [limit.into()]);
        found(&mut query);
        query.push(" AND (SELECT count(*) FROM few) >= {}", [few.into()]);
        query.push(sort.order(), []);
        query.push(" LIMIT {})", [limit.into()]);
    } else {
        query.push("page AS MATERIALIZED (\n    ", []);
        found(&mut query);
        query.push(sort.order(), []);
        query.push(" LIMIT {}", [limit.into()]);
    }
    query.push("\n)\nSELECT g.id, ", []);
    // the expensive columns are computed only for the games of the page
    let with_next = has_ply(criterion, sort);
    query.push(
        if with_next {
            "{chess}.uci({chess}.getBoard(g.game, m.ply), {chess}.moveAt(g.game, m.ply + 1))"
        } else {
            "NULL"
        },
        [],
    );
    query.push(
        " AS uci, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.eco, g.ply_count, m.ply, \
         p.key::text AS place, ",
        [],
    );
    query.push(
        match sort {
            Sort::Nearest(_) => "{chess}.getBoard(g.game, m.ply)::text",
            _ => "NULL",
        },
        [],
    );
    query.push(" AS fen\nFROM page p JOIN {schema}.pgn_view g USING (id)\nCROSS JOIN LATERAL (SELECT ", []);
    ply(criterion, sort, &mut query);
    query.push(" AS ply) m\nWHERE g.id = ANY (ARRAY(SELECT id FROM page))\n", []);
    query.push(sort.order(), []);
    query
}

/// Appends the conditions on the table of games.
fn conditions_on_games(query: &mut Query, criterion: &Criterion, filters: &Filters) {
    filters.conditions(query, Of::Games);
    if !matches!(criterion.first(), Criterion::Position(_)) {
        filters.first_days(query);
    }
    criterion.condition(query);
}

/// Whether the list is of half-moves in games.
fn has_ply(criterion: &Criterion, sort: &Sort) -> bool {
    !matches!(
        (criterion, sort),
        (Criterion::Anything, Sort::Date | Sort::Rating | Sort::Plies | Sort::Id | Sort::Loaded)
    )
}

/// Appends the half-move at which a game is shown: the nearest, or the first that matches.
fn ply(criterion: &Criterion, sort: &Sort, query: &mut Query) {
    match sort {
        Sort::Nearest(fen) => query.push("{chess}.plyOfNearest(g.game, {}::{chess}.chessboard)", [fen.as_str().into()]),
        _ => criterion.ply(query),
    }
}

/// The query for a page as people write it.
fn listed(criterion: &Criterion, filters: &Filters, sort: &Sort, limit: i32) -> Query {
    let mut query = Query::new(
        "SELECT g.id, g.white, g.white_elo, g.black, g.black_elo, g.result, g.date, g.event, g.eco, g.ply_count",
        [],
    );
    if has_ply(criterion, sort) {
        query.push(",\n       ", []);
        ply(criterion, sort, &mut query);
        query.push(" AS ply", []);
    }
    query.push("\nFROM {schema}.pgn_view g", []);
    conditions(&mut query, criterion, filters);
    if let Sort::Nearest(fen) = sort {
        query.push("\nORDER BY g.game {<->} {}::{chess}.chessboard, g.id", [fen.as_str().into()]);
    }
    query.push(
        match sort {
            Sort::Nearest(_) => "",
            Sort::Date => "\nORDER BY lower(g.dates) DESC NULLS LAST, g.id DESC",
            Sort::Rating => "\nORDER BY coalesce(g.white_elo, 0)::bigint + coalesce(g.black_elo, 0) DESC, g.id DESC",
            Sort::Plies => "\nORDER BY g.ply_count DESC, g.id DESC",
            Sort::Id => "\nORDER BY g.id",
            Sort::Loaded => "\nORDER BY g.id DESC",
        },
        [],
    );
    query.push("\nLIMIT {}", [limit.into()]);
    query
}

/// Appends ` WHERE …` on `pgn_view`, if there is a condition.
fn conditions(query: &mut Query, criterion: &Criterion, filters: &Filters) {
    let mut found = Query::default();
    filters.conditions(&mut found, Of::View);
    criterion.condition(&mut found);
    query.push_where(found);
}

fn cursor_of(row: &Row) -> String {
    let key: String = row.get("place");
    format!("{key}.{}", game_id::write(row.get("id")))
}

/// A game of the page; in the order of distances with its distance and the position that is nearest.
fn game(row: &Row, sort: &Sort) -> Json_ {
    let mut game = GameRow::read(row).json(row.get("ply"));
    if let Sort::Nearest(_) = sort {
        game["distance"] = row.get::<_, String>("place").parse::<i32>().ok().into();
        game["fen"] = row.get::<_, Option<String>>("fen").into();
    }
    game
}

/// Checks that the tables, which may be of an earlier version, have what a filter needs.
///
/// # Errors
///
/// 400 if they have not.
pub fn check(filters: &Filters, inventory: &Inventory) -> Outcome<()> {
    match filters.annotated && !inventory.annotated {
        true => Err(Failure::bad("the games have no annotations: chess-pgn migrate adds a column for them")),
        false => Ok(()),
    }
}

/// The filters for the query that is shown, which compares the names of `pgn_view`: other spellings would find less.
async fn canonical(app: &App, filters: Filters, inventory: &Inventory) -> Outcome<Filters> {
    let Some(query) = filters.spellings() else { return Ok(filters) };
    let row = app.database.row(&query, &inventory.names).await?;
    Ok(match row {
        Some(row) => filters.spelled(&row),
        None => filters,
    })
}

/// The handler of a page.
pub async fn games(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let criterion = Criterion::read(&mut params).await?;
    let filters = Filters::read(&mut params)?;
    let sort = Sort::read(&mut params)?;
    let limit = params.number("limit", 1..=200, 50)?;
    let after = match params.text("after")? {
        None => None,
        Some(text) => Some(sort.cursor(&text).ok_or_else(|| Failure::bad("\"after\" is not a cursor of this list"))?),
    };
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    check(&filters, &inventory)?;
    // one game more than asked for shows whether there is another page
    let few = 10 * (inventory.games.max(10_000) as f64).sqrt() as i64;
    let query = page(&criterion, &filters, &sort, after.as_ref(), limit + 1, few);
    let cost = match (&criterion, &sort) {
        (_, Sort::Nearest(_)) => Cost::High,
        (Criterion::Anything | Criterion::Position(_), _) => Cost::Moderate,
        _ => Cost::High,
    };
    let _turn = app.turns.take(client, cost).await?;
    let rows = app.database.rows(&query, &inventory.names).await?;
    let filters = canonical(&app, filters, &inventory).await?;
    let shown = &rows[..rows.len().min(limit as usize)];
    let next = (rows.len() > shown.len()).then(|| shown.last().map(cursor_of)).flatten();
    Ok(Json(json!({
        "games": shown.iter().map(|row| game(row, &sort)).collect::<Vec<_>>(),
        "next": next,
        "sql": listed(&criterion, &filters, &sort, limit).shown(&inventory.names),
    })))
}

/// `/api/games/count`.
pub async fn count(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Outcome<Json<Json_>> {
    let criterion = Criterion::read(&mut params).await?;
    let filters = Filters::read(&mut params)?;
    params.finish()?;
    let inventory = app.inventory.readable().await?;
    check(&filters, &inventory)?;
    let mut query = Query::new("SELECT count(*) FROM {schema}.games g WHERE true", []);
    conditions_on_games(&mut query, &criterion, &filters);
    let _turn = app.turns.take(client, Cost::High).await?;
    let row = app.database.row(&query, &inventory.names).await?;
    let games: i64 = row.map_or(0, |row| row.get("count"));
    let filters = canonical(&app, filters, &inventory).await?;
    let mut told = Query::new("SELECT count(*)\nFROM {schema}.pgn_view g", []);
    conditions(&mut told, &criterion, &filters);
    Ok(Json(json!({ "games": games, "sql": told.shown(&inventory.names) })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::query::Names;

    #[tokio::test]
    async fn the_query_that_is_shown() {
        let names = Names { schema: "chess".into(), extension: "public".into() };
        let shown = async |asked: &str, sort| {
            let mut params = Params::of(asked);
            let criterion = Criterion::read(&mut params).await.unwrap();
            let text = listed(&criterion, &Filters::read(&mut params).unwrap(), &sort, 5).shown(&names);
            text.split_once("\nFROM ").unwrap().1.to_owned()
        };
        assert_eq!(shown("", Sort::Id).await, "chess.pgn_view g\nORDER BY g.id\nLIMIT 5;");
        assert_eq!(
            shown("player=A&color=white&event=B&evals=1&material=KRvK", Sort::Plies).await,
            "chess.pgn_view g\nWHERE (g.white = 'A') AND g.event = 'B' AND g.pgn_evals IS NOT NULL AND \
             hasMaterial(g.game, 'KRvK')\nORDER BY g.ply_count DESC, g.id DESC\nLIMIT 5;"
        );
        let near = "8/8/8/8/8/8/k7/2K5 w - - 0 1";
        assert_eq!(
            shown("since=1990", Sort::Nearest(near.into())).await,
            "chess.pgn_view g\nWHERE g.dates <@ '[1990-01-01,)'::daterange\n\
             ORDER BY g.game <-> '8/8/8/8/8/8/k7/2K5 w - - 0 1'::chessboard, g.id\nLIMIT 5;"
        );
    }

    #[tokio::test]
    async fn days_are_asked_for_as_the_index_of_lists_has_them() {
        let names = Names { schema: "chess".into(), extension: "public".into() };
        let asked = async |asked: &str| {
            let mut params = Params::of(asked);
            let criterion = Criterion::read(&mut params).await.unwrap();
            page(&criterion, &Filters::read(&mut params).unwrap(), &Sort::Rating, None, 5, 100).shown(&names)
        };
        let (since, until) = (format!("{LATEST} >= '1910-01-01'::date"), format!("{LATEST} < '1912-01-01'::date"));
        let has = |text: &str| [text.contains(&since), text.contains(&until)];
        assert_eq!(has(&asked("since=1910&until=1911").await), [true, true]);
        assert_eq!(has(&asked("until=1911").await), [false, true]);
        assert_eq!(has(&asked("since=1910&fen=startpos").await), [false, false], "found by its position");
    }

    #[test]
    fn orders() {
        let read = |asked: &str| {
            let mut params = Params::of(asked);
            Sort::read(&mut params).map_err(|failure| failure.error)
        };
        let near = "8/8/8/8/8/8/k7/2K5 w - - 0 1";
        assert_eq!(read(""), Ok(Sort::Date));
        assert_eq!(read("sort=plies"), Ok(Sort::Plies));
        assert_eq!(read("sort=loaded"), Ok(Sort::Loaded));
        assert_eq!(read("near=8/8/8/8/8/8/k7/2K5"), Ok(Sort::Nearest(near.into())));
        for asked in ["sort=date&near=8/8/8/8/8/8/k7/2K5", "sort=name", "near=8/8", "near=8/8/8/8/8/8/8/8"] {
            assert!(read(asked).is_err(), "{asked}");
        }
    }

    #[test]
    fn cursors() {
        let id = game_id::write(7);
        for (sort, key) in [
            (Sort::Date, "2015-03-01"),
            (Sort::Date, "-infinity"),
            (Sort::Date, "infinity"),
            (Sort::Date, "0044-03-15 BC"),
            (Sort::Date, "10000-01-01"),
            (Sort::Rating, "5600"),
            (Sort::Plies, "80"),
            (Sort::Loaded, "7"),
            (Sort::Id, "0"),
            (Sort::Nearest(String::new()), "12"),
        ] {
            let read = sort.cursor(&format!("{key}.{id}"));
            assert_eq!(read, Some(Cursor { key: key.into(), id: 7 }));
        }
        for (sort, text) in [
            (Sort::Date, format!("5600.{id}")),
            (Sort::Date, format!("2015-03.{id}")),
            (Sort::Date, format!("2015-03-01; DROP.{id}")),
            (Sort::Rating, format!("'; DROP.{id}")),
            (Sort::Plies, "80.x".into()),
            (Sort::Id, String::new()),
        ] {
            assert_eq!(sort.cursor(&text), None, "{text}");
        }
    }
}
