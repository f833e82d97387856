//! The paths of lichess's opening explorer, for programs that know them: the same parameters and the same form of answers,
//! over the games of this database.
//!
//! What is the same as on lichess: castling is the king's move to its rook; games that end in the position are not counted in
//! the totals; unknown parameters are ignored; errors are plain text. Where a number is required but not known, such as a
//! rating or a year, it is 0.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use chess_core::facts::{openings, rules};
use serde::Deserialize;
use serde_json::{Map, Value as Json_, json};
use tokio_postgres::Row;

use crate::api::app::App;
use crate::api::game;
use crate::api::rows::{GAMES_BY_ID, GameRow, MoveRow};
use crate::database::inventory::InventoryCache;
use crate::database::query::{Names, Query, Value};
use crate::database::turns::Cost;
use crate::failure::{Failure, Outcome};
use crate::http::body::Body;
use crate::http::client::Client;
use crate::http::params::Params;
use crate::http::path::Path;
use crate::question::criterion::Criterion;
use crate::question::dates;
use crate::question::explored::Explored;
use crate::question::filters::{Filters, Of, SPEEDS, rating_groups};
use crate::question::game_id;
use crate::question::position::{AskedPosition, Reading, as_lichess};

/// The most positions in a batch.
const BATCH: usize = 100;

/// An error in lichess's form: plain text.
pub struct Plain(Failure);

impl From<Failure> for Plain {
    fn from(failure: Failure) -> Plain {
        Plain(failure)
    }
}

impl IntoResponse for Plain {
    fn into_response(self) -> Response {
        let text = match &self.0.hint {
            Some(hint) => format!("{}: {hint}", self.0.error),
            None => self.0.error.clone(),
        };
        let mut response = self.0.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.remove(header::CONTENT_LENGTH);
        *response.body_mut() = text.into();
        response
    }
}

/// Which of lichess's three databases the path stands for. They differ in parameters and answers; the games are the same
/// unless the command line names schemas or sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `/masters`
    Masters,
    /// `/lichess`
    Lichess,
    /// `/player`
    Player,
}

/// The parameters of a request.
struct Question {
    base: Base,
    asked: AskedPosition,
    filters: Filters,
    moves: usize,
    top: i32,
    recent: i32,
    history: bool,
    /// Whether moves have a member of this program's own: the games that reach the position after them.
    reached: bool,
}

impl Question {
    fn read(base: Base, params: &mut Params) -> Outcome<Question> {
        let asked = AskedPosition::read(params, Reading::Lenient)?;
        if let Some(variant) = params.text("variant")?
            && !["chess", "standard", "fromPosition", "chess960"].contains(&variant.as_str())
        {
            return Err(Failure::bad("variant: there is only standard chess here"));
        }
        let (since, until) = (params.text("since")?, params.text("until")?);
        let mut filters = Filters { dates: dates::range(since.as_deref(), until.as_deref())?, ..Filters::default() };
        if base != Base::Masters {
            filters.speeds = params.text("speeds")?.map(|text| speeds(&text)).transpose()?;
        }
        if base == Base::Lichess {
            filters.rating = params.text("ratings")?.map(|text| ratings(&text)).transpose()?;
        }
        if base == Base::Player {
            filters.is_rated = params.text("modes")?.map(|text| modes(&text)).transpose()?.flatten();
            filters.player = Some(params.name("player")?.ok_or_else(|| Failure::bad("player: missing"))?);
            filters.color = match params.text("color")?.as_deref() {
                Some("white") => Some("w"),
                Some("black") => Some("b"),
                _ => return Err(Failure::bad("color: white or black")),
            };
        }
        let (moves, top, recent) = match base {
            Base::Masters => (12, 15, 0),
            Base::Lichess => (12, 4, 4),
            Base::Player => (i32::MAX, 0, 8),
        };
        let history = base == Base::Lichess && is_on(params.text("history")?.as_deref());
        Ok(Question {
            base,
            asked,
            filters,
            moves: params.number("moves", 0..=i32::MAX, moves)? as usize,
            top: if base == Base::Player { 0 } else { params.number("topGames", 0..=i32::MAX, top)?.min(top) },
            recent: if base == Base::Masters { 0 } else { params.number("recentGames", 0..=i32::MAX, recent)?.min(8) },
            history,
            reached: is_on(params.text("reached")?.as_deref()),
        })
    }
}

fn is_on(text: Option<&str>) -> bool {
    text.is_some_and(|text| ["true", "1", "on", "yes"].contains(&text.to_ascii_lowercase().as_str()))
}

fn speeds(text: &str) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let known = SPEEDS[..6].iter().find(|known| known.eq_ignore_ascii_case(name));
        let Some(known) = known else { return Err(Failure::bad(format!("speeds: one of {}", SPEEDS[..6].join(", ")))) };
        found.push((*known).to_owned());
        // games without a time control have this speed on lichess
        if *known == "correspondence" {
            found.push("unknown".to_owned());
        }
    }
    Ok(found)
}

/// Whether rated games are asked for, or casual ones; `None` for both.
fn modes(text: &str) -> Outcome<Option<bool>> {
    let named: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let has = |mode: &str| named.iter().any(|name| name.eq_ignore_ascii_case(mode));
    match named.iter().all(|name| ["rated", "casual"].iter().any(|mode| name.eq_ignore_ascii_case(mode))) {
        true => Ok((has("rated") != has("casual")).then(|| has("rated"))),
        false => Err(Failure::bad("modes: one of rated, casual")),
    }
}

fn ratings(text: &str) -> Outcome<String> {
    let numbers: Option<Vec<i32>> =
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect();
    match numbers {
        Some(numbers) => Ok(rating_groups(numbers)),
        None => Err(Failure::bad("ratings: numbers, separated by commas")),
    }
}

/// This query counts the results of a position's games by month; the conditions of the filters are appended to it. Games
/// without a first or last day, and of years that `to_char` cannot write with four digits, belong to no month.
const HISTORY: &str = include_str!("sql/history.sql").trim_ascii_end();

async fn answer(app: &App, client: Client, question: &Question) -> Outcome<Json_> {
    let Question { base, asked, .. } = question;
    let inventory = app.bases[*base as usize].readable().await?;
    let (names, schema) = (&inventory.names, schema_of(app, *base));
    let mut filters = Filters { sources: inventory.sources.clone(), ..question.filters.clone() };
    let cost = if filters.of_games_alone().is_some() { Cost::High } else { Cost::Moderate };
    let _turn = app.turns.take(client, cost).await?;
    if let Some(player) = &mut filters.player {
        spell(app, player, names).await?;
    }
    let filters = &filters;
    let explored = Explored { position: asked, filters, criterion: &Criterion::Anything };
    let moves = explored.moves_query(question.reached)?;
    let games = [explored.games_query("rating", question.top)?, explored.games_query("date", question.recent)?];
    let queries = [&moves, &games[0], &games[1]];
    let rows = match explored.of_games_alone() {
        true => app.database.rows_of_all(&queries, names).await?,
        false => app.database.rows_of_often(&queries, names).await?,
    };
    let rows_of = |at: usize| rows.get(at).map(Vec::as_slice).unwrap_or_default();
    let played: Vec<MoveRow> = rows_of(0).iter().map(MoveRow::read).filter(|row| row.names.is_some()).collect();
    let shown = &played[..played.len().min(question.moves)];
    let single = games_by_id(app, shown.iter().filter_map(|row| row.game_id).collect(), names).await?;
    let sum = |of: fn(&MoveRow) -> i64| played.iter().map(of).sum::<i64>();
    let list = |at: usize| rows_of(at).iter().map(|row| game_json(*base, schema, asked, row, true)).collect::<Vec<_>>();
    let game = |row: &MoveRow| {
        let id = row.game_id?;
        let found = single.iter().find(|game| game.get::<_, i64>("id") == id)?;
        Some(game_json(*base, schema, asked, found, false))
    };
    let mut body = json!({
        "white": sum(|row| row.white),
        "draws": sum(|row| row.draws),
        "black": sum(|row| row.black),
        "moves": shown.iter().filter_map(|row| move_json(*base, asked, row, game(row))).collect::<Vec<_>>(),
        "opening": asked.opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
    });
    if *base != Base::Player {
        body["topGames"] = list(1).into();
    }
    if *base != Base::Masters {
        body["recentGames"] = list(2).into();
    }
    if *base == Base::Player {
        body["queuePosition"] = 0.into();
    }
    if question.history {
        body["history"] = history(app, asked, filters, names).await?.into();
    }
    Ok(body)
}

/// Finds the names that differ only in case from a name that nobody has. The index of folded names serves this query.
const OTHER_CASES: &str = "SELECT string_agg(p.name, '|') AS names FROM {schema}.players p \
    WHERE p.folded = {chess}.foldname({}) AND lower(p.name) = lower({}) AND (SELECT {schema}.player_ids({})) IS NULL";

/// Spells the name of a player as the games do, because lichess also accepts ids of players, which are their names in lower case.
async fn spell(app: &App, player: &mut String, names: &Names) -> Outcome<()> {
    let name = || player.as_str().into();
    let found = app.database.rows(&Query::new(OTHER_CASES, [name(), name(), name()]), names).await?;
    if let Some(other) = found.first().and_then(|row| row.get("names")) {
        *player = other;
    }
    Ok(())
}

async fn games_by_id(app: &App, ids: Vec<i64>, names: &Names) -> Outcome<Vec<Row>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = Query::new(GAMES_BY_ID, [Value::Longs(ids)]);
    Ok(app.database.rows_of_often(&[&found], names).await?.pop().unwrap_or_default())
}

/// The results of a position's games by month.
async fn history(app: &App, asked: &AskedPosition, filters: &Filters, names: &Names) -> Outcome<Vec<Json_>> {
    let mut history = Query::new(HISTORY, [asked.fen().into()]);
    filters.conditions(&mut history, Of::Games);
    history.push("\nGROUP BY 1 ORDER BY 1", []);
    let month = |row: &Row| {
        let (month, white, draws, black): (&str, i64, i64, i64) =
            (row.get("month"), row.get("white"), row.get("draws"), row.get("black"));
        json!({ "month": month, "white": white, "draws": draws, "black": black })
    };
    Ok(app.database.rows(&history, names).await?.iter().map(month).collect())
}

/// The place of the first path with the same schema, for the ids of its games; `None` for the page's own schema.
fn schema_of(app: &App, base: Base) -> Option<usize> {
    let cache = &app.bases[base as usize];
    let first = || app.bases.iter().position(|other| other.has_schema_of(cache));
    if cache.has_schema_of(&app.inventory) { None } else { first() }
}

fn move_json(base: Base, asked: &AskedPosition, row: &MoveRow, game: Option<Json_>) -> Option<Json_> {
    let (_, san) = row.names.as_ref()?;
    let after = rules::play(&asked.board, san).ok()?;
    let opening = openings::of_board(&after);
    let rounded = |rating: Option<f64>| rating.map_or(0, |rating| rating.round() as i64);
    let mut json = json!({
        "uci": as_lichess(&asked.board, san)?,
        "san": san,
        "white": row.white,
        "draws": row.draws,
        "black": row.black,
        "game": game,
        "opening": opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
    });
    if base == Base::Player {
        json["averageOpponentRating"] = rounded(row.opponent_rating).into();
        json["performance"] = rounded(row.performance).into();
    } else {
        json["averageRating"] = rounded(row.average_rating).into();
    }
    if row.reached.is_some() {
        json["position"] = row.position_json();
    }
    Some(json)
}

fn game_json(base: Base, schema: Option<usize>, asked: &AskedPosition, row: &Row, with_move: bool) -> Json_ {
    let game: GameRow = GameRow::read(row);
    let player = |at: usize| json!({ "name": game.names[at].as_deref().unwrap_or("?"), "rating": game.ratings[at].unwrap_or(0) });
    let mut json = Map::new();
    let id = game_id::given(row.get("site"), row.get("given_id"));
    let id = id.map_or_else(|| game_id::write_in(schema, game.id), str::to_owned);
    json.insert("id".into(), id.into());
    json.insert(
        "winner".into(),
        match game.result.as_str() {
            "1-0" => "white".into(),
            "0-1" => "black".into(),
            _ => Json_::Null,
        },
    );
    if with_move && let Some(uci) = &game.uci {
        json.insert("uci".into(), as_lichess(&asked.board, uci).unwrap_or_else(|| uci.clone()).into());
    }
    if base != Base::Masters {
        let speed: &str = row.get("speed");
        json.insert("speed".into(), if speed == "unknown" { "correspondence" } else { speed }.into());
        let is_casual = game.event.as_deref().is_some_and(|event| event.starts_with("Casual "));
        json.insert("mode".into(), if is_casual { "casual" } else { "rated" }.into());
    }
    json.insert("white".into(), player(0));
    json.insert("black".into(), player(1));
    let (year, month) = year_and_month(game.date.as_deref().unwrap_or_default());
    json.insert("year".into(), year.into());
    json.insert("month".into(), month.into());
    json.into()
}

/// Year and month of a PGN date; 0 for an unknown year.
fn year_and_month(date: &str) -> (u16, Option<String>) {
    let mut parts = date.split('.');
    let year = parts.next().and_then(|year| year.parse().ok()).unwrap_or(0);
    let month = parts.next().and_then(|month| month.parse::<u8>().ok()).filter(|month| (1..=12).contains(month));
    (year, month.filter(|_| year > 0).map(|month| format!("{year:04}-{month:02}")))
}

/// `/masters`
pub async fn masters(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Result<Json<Json_>, Plain> {
    Ok(Json(answer(&app, client, &Question::read(Base::Masters, &mut params)?).await?))
}

/// `/lichess`
pub async fn lichess(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Result<Json<Json_>, Plain> {
    Ok(Json(answer(&app, client, &Question::read(Base::Lichess, &mut params)?).await?))
}

/// `/player`: a single line. lichess sends more of them while it indexes the player's games, which is not needed here.
pub async fn player(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    mut params: Params,
) -> Result<Response, Plain> {
    let line = format!("{}\n", answer(&app, client, &Question::read(Base::Player, &mut params)?).await?);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((headers, line).into_response())
}

/// `/masters/pgn/{id}`
pub async fn pgn(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Plain> {
    Ok(export(&app, client, Base::Masters, &id).await?)
}

/// `/game/export/{id}`: PGN, whatever the parameters and the header `Accept` ask for.
pub async fn game_export(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<Response, Plain> {
    Ok(export(&app, client, Base::Lichess, &id).await?)
}

/// The games with an id of lichess; the numbers of sites, and of the games that have one of them.
const GAMES_OF_LICHESS: &str = "SELECT g.id FROM {schema}.games g WHERE g.lichess_id = {}";
const SITES: &str = "SELECT s.id::bigint AS id FROM {schema}.sites s WHERE s.name = ANY ({})";
const GAMES_OF_SITES: &str = "\nUNION ALL SELECT g.id FROM {schema}.games g WHERE g.site_id = ANY ({})";
/// The games with a tag GameId, the longest one first. Its index has only those of this length.
const GAMES_OF_ID: &str = "SELECT g.id FROM {schema}.games g \
    WHERE g.tags ->> 'GameId' = ANY ({}) AND length(g.tags ->> 'GameId') <= 20 \
    ORDER BY length(g.tags ->> 'GameId') DESC, g.id LIMIT 1";

/// A game by the id that it has elsewhere, in the path's own schema or else in those of the page and of the other paths; or by
/// its number.
async fn export(app: &App, client: Client, base: Base, id: &str) -> Outcome<Response> {
    let id = id.strip_suffix(".pgn").unwrap_or(id);
    let mut schemas: Vec<&InventoryCache> = Vec::new();
    for cache in [&app.bases[base as usize], &app.inventory].into_iter().chain(&app.bases) {
        if !schemas.iter().any(|known| known.has_schema_of(cache)) {
            schemas.push(cache);
        }
    }
    let mut found = None;
    for (at, cache) in schemas.into_iter().enumerate() {
        match find_given(app, client, cache, id).await {
            Ok(None) => (),
            Ok(Some(number)) => {
                found = Some((cache, number));
                break;
            }
            // the other schemas need not be there
            Err(failure) if at > 0 && failure.status == StatusCode::SERVICE_UNAVAILABLE => (),
            Err(failure) => return Err(failure),
        }
    }
    let (cache, number) = match found {
        Some(found) => found,
        None => {
            let missing = || Failure::missing("there is no such game");
            let (schema, number) = game_id::read_in(id).ok_or_else(missing)?;
            (schema.map_or(&*app.inventory, |at| &*app.bases[at]), number)
        }
    };
    let text = game::pgn(app, cache, Value::Long(number)).await?;
    Ok(game::pgn_response(text, id))
}

/// The number of a game by the id that it has elsewhere.
async fn find_given(app: &App, client: Client, cache: &InventoryCache, id: &str) -> Outcome<Option<i64>> {
    let inventory = cache.readable().await?;
    let names = &inventory.names;
    let ids = |rows: Vec<Row>| rows.iter().map(|row| row.get("id")).collect::<Vec<i64>>();
    let sites = ids(app.database.rows(&Query::new(SITES, [Value::Texts(game_id::sites(id))]), names).await?);
    let of_address = game_id::number_at_lichess(id).map(|number| {
        let mut games = Query::new(GAMES_OF_LICHESS, [Value::Long(number)]);
        if !sites.is_empty() {
            games.push(GAMES_OF_SITES, [Value::Longs(sites)]);
        }
        games
    });
    let given = game_id::spellings(id);
    let of_id = (!given.is_empty()).then(|| Query::new(GAMES_OF_ID, [Value::Texts(given)]));
    for games in of_address.iter().chain(&of_id) {
        // without the indexes that loads make, all games are read
        let _turn = app.turns.take(client, Cost::High).await?;
        if let Some(found) = ids(app.database.rows(games, names).await?).into_iter().min() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The body of a batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    positions: Vec<BatchPosition>,
}

/// A position of a batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchPosition {
    fen: Option<String>,
    play: Option<String>,
}

/// `/api/explorer/batch`: an array of answers. A position that cannot be read has an `error` in its place.
pub async fn batch(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(batch): Body<Batch>,
) -> Outcome<Json<Json_>> {
    if batch.positions.len() > BATCH {
        return Err(Failure::bad(format!("more than {BATCH} positions")));
    }
    let mut answers = Vec::new();
    for position in &batch.positions {
        let asked = AskedPosition::new(position.fen.as_deref(), position.play.as_deref(), Reading::Lenient);
        let answered = match asked {
            Err(failure) => Err(failure),
            Ok(asked) => {
                let filters = Filters::default();
                let question = Question {
                    base: Base::Lichess,
                    asked,
                    filters,
                    moves: 12,
                    top: 4,
                    recent: 4,
                    history: false,
                    reached: false,
                };
                answer(&app, client, &question).await
            }
        };
        answers.push(match answered {
            Ok(answer) => answer,
            Err(failure) if failure.status == StatusCode::BAD_REQUEST => json!({ "error": failure.error }),
            Err(failure) => return Err(failure),
        });
    }
    Ok(Json(json!({ "answers": answers })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(base: Base, query: &str) -> Result<Question, String> {
        Question::read(base, &mut Params::of(query)).map_err(|failure| failure.error)
    }

    #[test]
    fn lenient_parameters() {
        let asked = question(
            Base::Lichess,
            "variant=standard&fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1&since=2015-3&until=2015/04\
             &ratings=1650,2500&speeds=blitz,Correspondence&history=True&reached=1&source=analysis&recentGames=100&moves=3",
        )
        .unwrap();
        assert_eq!(asked.filters.dates.as_deref(), Some("[2015-03-01,2015-05-01)"));
        assert_eq!(asked.filters.rating.as_deref(), Some("{[1600,1800),[2500,)}"));
        assert_eq!(asked.filters.speeds, Some(vec!["blitz".into(), "correspondence".into(), "unknown".into()]));
        assert_eq!((asked.moves, asked.top, asked.recent, asked.history, asked.reached), (3, 4, 8, true, true));
    }

    #[test]
    fn what_is_refused() {
        for (base, query) in [
            (Base::Lichess, "variant=atomic"),
            (Base::Lichess, "since=2015-13"),
            (Base::Lichess, "speeds=slow"),
            (Base::Lichess, "ratings=high"),
            (Base::Player, "player=A&color=white&modes=fast"),
            (Base::Masters, "fen=x"),
            (Base::Masters, "play=e2e5"),
            (Base::Player, "player=A"),
            (Base::Player, "color=white"),
            (Base::Player, "player=A&color=red"),
        ] {
            assert!(question(base, query).is_err(), "{query}");
        }
        for (modes, is_rated) in [("rated", Some(true)), ("Casual", Some(false)), ("rated,casual", None), ("", None)] {
            let asked = question(Base::Player, &format!("player=A&color=black&modes={modes}")).unwrap();
            assert_eq!(asked.filters.is_rated, is_rated, "{modes}");
        }
    }

    #[test]
    fn dates_of_games() {
        assert_eq!(year_and_month("2013.05.12"), (2013, Some("2013-05".into())));
        assert_eq!(year_and_month("2013.??.??"), (2013, None));
        assert_eq!(year_and_month("????.05.12"), (0, None));
        assert_eq!(year_and_month(""), (0, None));
    }
}
