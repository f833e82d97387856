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

/// The moves of games, as the function `explorer` counts them. `{side}` stands for whose move it is, and for the games.
const MOVES: &str = include_str!("sql/moves_of_games.sql").trim_ascii_end();

/// The games with the numbers and keys of `found`, up to their order.
const FOUND: &str = include_str!("sql/found_games.sql").trim_ascii_end();

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

    /// Asks for the moves of the position; with `reached`, also the results of the games that reach the positions after them, unless a
    /// filter is looked for in the games.
    ///
    /// # Errors
    ///
    /// As [`Explored::source_query`].
    pub fn moves_query(&self, reached: bool) -> Outcome<Query> {
        if self.of_games_alone() {
            let (played, moves) = MOVES.split_once("{side}").unwrap_or((MOVES, ""));
            let mut query = Query::new(played, self.fen());
            query.push(
                match self.position.board.turn {
                    0 => "'w' AS color, g.white_elo AS own, g.black_elo AS other) s",
                    _ => "'b' AS color, g.black_elo AS own, g.white_elo AS other) s",
                },
                [],
            );
            self.games(&mut query);
            query.push(moves, self.fen());
            return Ok(query);
        }
        let mut query = Query::new(
            "SELECT uci, san, games, white, draws, black, unknown, score, average_rating, opponent_rating, performance, \
             last_played::text AS last_played, reached, reached_white, reached_draws, reached_black, reached_score, \
             reached_average_rating, game_id\n\
             FROM {schema}.explorer({}::{chess}.chessboard",
            self.fen(),
        );
        self.filters.arguments(&mut query)?;
        if !reached {
            query.push(", reached => false", []);
        }
        query.close(ARGUMENTS.into_iter().chain([", reached => true", ", by_index => true", ", symmetries => false"]));
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
            query.push("\n)\n", []);
            query.push(FOUND, [self.position.fen().into(), self.position.fen().into(), count.into()]);
            query.push("\nORDER BY ", []);
            query.push(key, []);
            query.push(" DESC, g.id DESC", []);
            return Ok(query);
        }
        let mut query = Query::new(
            "SELECT id, uci, white, black, white_elo, black_elo, result, date, event, site, eco, ply_count, \
             {schema}.speed(time_control) AS speed\n\
             FROM {schema}.explorer_games({}::{chess}.chessboard",
            self.fen(),
        );
        self.filters.arguments(&mut query)?;
        query.push(", sort => {}, count => {}", [sort.into(), count.into()]);
        query.close(ARGUMENTS.into_iter().chain([
            ", after => NULL::bigint",
            ", by_index => true",
            ", symmetries => false",
        ]));
        Ok(query)
    }
}
