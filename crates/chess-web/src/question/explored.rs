//! The games that go through a position, as the explorer asks for them: their moves there, and a list of them.
//!
//! Filters that the SQL functions `explorer` and `explorer_games` have are their arguments. With any other filter, the query
//! reads the games itself.

use chess_db::order::{LATEST, RATINGS};

use crate::database::query::{Query, Value};
use crate::failure::Outcome;
use crate::question::criterion::Criterion;
use crate::question::filters::{ARGUMENTS, Filters, Of};
use crate::question::position::AskedPosition;

/// A question to the explorer: the games that go through a position.
#[derive(Clone, Copy, Debug)]
pub struct Explored<'a> {
    /// The position.
    pub position: &'a AskedPosition,
    /// The filters.
    pub filters: &'a Filters,
    /// What else the games must have.
    pub criterion: &'a Criterion,
}

/// The moves of the games that [`Explored::games`] names, as the function `explorer` counts them. Between its two parts stand
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

impl Explored<'_> {
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
    /// As [`Explored::source_query`].
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
    /// As [`Explored::source_query`].
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
