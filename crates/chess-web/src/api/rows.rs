//! The rows that several handlers read: moves of a position and games of a list, each with the query that returns them.

use chess_db::order::{LATEST, RATINGS};
use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::Outcome;
use crate::question::criterion::Criterion;
use crate::question::filters::{ARGUMENTS, Filters, Of};
use crate::question::game_id;
use crate::question::position::AskedPosition;

/// Games by their numbers, with the columns of [`GameRow`].
pub const GAMES_BY_ID: &str = "\
SELECT g.id, NULL AS uci, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.eco, g.ply_count,
       {schema}.speed(g.time_control) AS speed
FROM {schema}.pgn_view g
WHERE g.id = ANY ({})";

/// A move of a position; without `names`, the games that end there.
#[derive(Clone, Debug)]
pub struct MoveRow {
    /// UCI and SAN.
    pub names: Option<(String, String)>,
    /// How many games have the move; the sum of the next four.
    pub games: i64,
    /// White's wins.
    pub white: i64,
    /// Draws.
    pub draws: i64,
    /// Black's wins.
    pub black: i64,
    /// Games without a result.
    pub unknown: i64,
    /// The score of the side that moves, from 0 to 1.
    pub score: Option<f64>,
    /// The mean rating of the side that moves.
    pub average_rating: Option<f64>,
    /// The mean rating of the other side.
    pub opponent_rating: Option<f64>,
    /// The performance of the side that moves.
    pub performance: Option<f64>,
    /// The day of the latest game.
    pub last_played: Option<String>,
    /// How many games reach the position after the move, by any moves.
    pub reached: Option<i64>,
    /// The number of the game, if there is only one.
    pub game_id: Option<i64>,
}

/// A question to the explorer: the games that go through a position.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The position.
    pub position: &'a AskedPosition,
    /// The filters.
    pub filters: &'a Filters,
    /// What else the games must have.
    pub criterion: &'a Criterion,
}

/// The moves of the games that [`Asked::games`] names, as the function `explorer` counts them. Between its two parts stand
/// whose move it is and the games.
const PLAYED: &str = "\
WITH played AS (
    SELECT {chess}.nextMove(g.game, {}::{chess}.chessboard) AS san, count(*) AS games,
           count(*) FILTER (WHERE g.result = '1-0') AS white, count(*) FILTER (WHERE g.result = '1/2-1/2') AS draws,
           count(*) FILTER (WHERE g.result = '0-1') AS black, avg({chess}.score(g.result, s.color))::float8 AS score,
           avg(s.own) FILTER (WHERE s.own > 0)::float8 AS average_rating,
           avg(s.other) FILTER (WHERE s.other > 0 AND g.result <> '*')::float8 AS opponent_rating,
           (avg({chess}.score(g.result, s.color)) FILTER (WHERE s.other > 0))::float8 AS points,
           max(lower(g.dates)) AS last_played, min(g.id) AS id
    FROM {schema}.games g CROSS JOIN LATERAL (SELECT ";
const MOVES: &str = "
    GROUP BY 1
)
SELECT {chess}.uci({}::{chess}.chessboard, san) AS uci, san, games, white, draws, black, games - white - draws - black AS unknown,
       score, average_rating, opponent_rating, {schema}.performance(opponent_rating, points) AS performance,
       last_played::text AS last_played, NULL::bigint AS reached, CASE WHEN games = 1 THEN id END AS game_id
FROM played ORDER BY san IS NULL, games DESC, san COLLATE \"C\"";

impl Asked<'_> {
    /// Whether the functions `explorer` and `explorer_games` cannot answer, because they lack a filter.
    pub fn of_games_alone(&self) -> bool {
        self.filters.of_games_alone().is_some() || !matches!(self.criterion, Criterion::Anything)
    }

    fn fen(&self) -> [Value; 1] {
        [self.position.fen().into()]
    }

    /// Appends the condition on `{schema}.games g`.
    fn games(&self, query: &mut Query) {
        query.push("\n    WHERE {chess}.hasBoard(g.game, {}::{chess}.chessboard)", self.fen());
        self.filters.conditions(query, Of::Games);
        self.criterion.condition(query);
    }

    /// Asks where the answer is found: in the index or in the games.
    ///
    /// # Errors
    ///
    /// None: filters that the functions lack are looked for in the games.
    pub fn source_query(&self) -> Outcome<Query> {
        if self.of_games_alone() {
            return Ok(Query::new("SELECT 'games'::text AS source", []));
        }
        let mut query = Query::new("SELECT {schema}.explorer_source({}::{chess}.chessboard", self.fen());
        self.filters.arguments(&mut query)?;
        query.close(ARGUMENTS);
        query.push(" AS source", []);
        Ok(query)
    }

    /// Asks for the moves of the position; with `reached`, also how many games reach the positions after them, unless a
    /// filter is looked for in the games.
    ///
    /// # Errors
    ///
    /// As [`Asked::source_query`].
    pub fn moves_query(&self, reached: bool) -> Outcome<Query> {
        if self.of_games_alone() {
            let mut query = Query::new(PLAYED, self.fen());
            query.push(
                match self.position.board.turn {
                    0 => "'w' AS color, g.white_elo AS own, g.black_elo AS other) s",
                    _ => "'b' AS color, g.black_elo AS own, g.white_elo AS other) s",
                },
                [],
            );
            self.games(&mut query);
            query.push(MOVES, self.fen());
            return Ok(query);
        }
        let mut query = Query::new(
            "SELECT uci, san, games, white, draws, black, unknown, score, average_rating, opponent_rating, performance, \
             last_played::text AS last_played, reached, game_id\n\
             FROM {schema}.explorer({}::{chess}.chessboard",
            self.fen(),
        );
        self.filters.arguments(&mut query)?;
        if !reached {
            query.push(", reached => false", []);
        }
        query.close(ARGUMENTS.into_iter().chain([", reached => true", ", by_index => true"]));
        Ok(query)
    }

    /// Asks for `count` games with the position, sorted by `rating` or `date`.
    ///
    /// # Errors
    ///
    /// As [`Asked::source_query`].
    pub fn games_query(&self, sort: &'static str, count: i32) -> Outcome<Query> {
        if self.of_games_alone() {
            let key = if sort == "rating" { RATINGS } else { LATEST };
            let mut query = Query::new("WITH found AS MATERIALIZED (\n    SELECT g.id, ", []);
            query.push(key, []);
            query.push(" AS key FROM {schema}.games g", []);
            self.games(&mut query);
            query.push(
                "\n)\nSELECT g.id, {chess}.uci({}::{chess}.chessboard, {chess}.nextMove(g.game, {}::{chess}.chessboard)) AS uci, \
                 g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.eco, g.ply_count\n\
                 FROM {schema}.pgn_view g\n\
                 WHERE g.id = ANY (ARRAY(SELECT id FROM found ORDER BY key DESC, id DESC LIMIT {}))\nORDER BY ",
                [self.position.fen().into(), self.position.fen().into(), count.into()],
            );
            query.push(key, []);
            query.push(" DESC, g.id DESC", []);
            return Ok(query);
        }
        let mut query = Query::new(
            "SELECT id, uci, white, black, white_elo, black_elo, result, date, event, eco, ply_count, \
             {schema}.speed(time_control) AS speed\n\
             FROM {schema}.explorer_games({}::{chess}.chessboard",
            self.fen(),
        );
        self.filters.arguments(&mut query)?;
        query.push(", sort => {}, count => {}", [sort.into(), count.into()]);
        query.close(ARGUMENTS.into_iter().chain([", after => NULL::bigint", ", by_index => true"]));
        Ok(query)
    }
}

impl MoveRow {
    /// Reads a row of [`Asked::moves_query`].
    pub fn read(row: &Row) -> MoveRow {
        let (uci, san): (Option<String>, Option<String>) = (row.get("uci"), row.get("san"));
        MoveRow {
            names: uci.zip(san),
            games: row.get("games"),
            white: row.get("white"),
            draws: row.get("draws"),
            black: row.get("black"),
            unknown: row.get("unknown"),
            score: row.get("score"),
            average_rating: row.get("average_rating"),
            opponent_rating: row.get("opponent_rating"),
            performance: row.get("performance"),
            last_played: row.get("last_played"),
            reached: row.get("reached"),
            game_id: row.get("game_id"),
        }
    }
}

/// A game of a list.
#[derive(Clone, Debug)]
pub struct GameRow {
    /// The number.
    pub id: i64,
    /// The move that was played in the position.
    pub uci: Option<String>,
    /// The names, White's first.
    pub names: [Option<String>; 2],
    /// The ratings, White's first.
    pub ratings: [Option<i32>; 2],
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The date as PGN writes it.
    pub date: Option<String>,
    /// The event's name.
    pub event: Option<String>,
    /// The code of the opening.
    pub eco: Option<String>,
    /// The number of half-moves.
    pub plies: Option<i32>,
}

impl GameRow {
    /// Reads a row of [`Asked::games_query`], [`GAMES_BY_ID`] or `/api/games`.
    pub fn read(row: &Row) -> GameRow {
        GameRow {
            id: row.get("id"),
            uci: row.get("uci"),
            names: [row.get("white"), row.get("black")],
            ratings: [row.get("white_elo"), row.get("black_elo")],
            result: row.get("result"),
            date: row.get("date"),
            event: row.get("event"),
            eco: row.get("eco"),
            plies: row.get("ply_count"),
        }
    }

    /// GAME in API.md; `ply` is the half-move at which the game matches.
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
