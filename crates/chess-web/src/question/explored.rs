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

/// The moves of games, as the function `explorer` counts them. `{games}` stands for the games, as seen from the side to move.
const MOVES: &str = include_str!("sql/moves_of_games.sql").trim_ascii_end();

/// The game `g` as seen from the side to move, which is that of the board `r.board`.
const TURNED: &str = include_str!("sql/turned_game.sql").trim_ascii_end();

/// The games with the numbers and keys of `found`, up to their order. `{move}` stands for what game `g` plays, `{reached}` for
/// what it joins for that.
const FOUND: &str = include_str!("sql/found_games.sql").trim_ascii_end();

impl Explored<'_> {
    /// Whether games may be read, which takes longer than asking the index.
    pub fn may_read_games(&self) -> bool {
        self.of_games_alone() || self.position.symmetries
    }

    /// Whether the functions `explorer` and `explorer_games` cannot answer, because they lack a filter.
    pub fn of_games_alone(&self) -> bool {
        self.filters.of_games_alone().is_some() || !matches!(self.criterion, Criterion::Anything)
    }

    fn fen(&self) -> [Value; 1] {
        [self.position.fen().into()]
    }

    /// Appends what game `g` plays in the position, told as a move on the board that was asked.
    fn played(&self, query: &mut Query) {
        let san = match self.position.symmetries {
            true => "{chess}.symmetricMove(r.board, {chess}.nextMove(g.game, r.board), {}::{chess}.chessboard)",
            false => "{chess}.nextMove(g.game, {}::{chess}.chessboard)",
        };
        query.push(san, self.fen());
    }

    /// Appends a join of game `g` with `r`, the board of it that is the same but for a symmetry, where such boards count.
    fn join_reached(&self, query: &mut Query) {
        if self.position.symmetries {
            query.push("\n    CROSS JOIN LATERAL (SELECT ", []);
            self.position.reached(query);
            query.push(" AS board OFFSET 0) r", []);
        }
    }

    /// Appends the games of `{schema}.games`: what each plays, and what else the counts need, as seen from the side to move.
    fn seen_games(&self, query: &mut Query) {
        query.push("\n    SELECT g.id, g.dates, ", []);
        self.played(query);
        match (self.position.symmetries, self.position.board.turn) {
            (false, 0) => {
                query.push(" AS san, g.result, 'w' AS color, g.white_elo AS own, g.black_elo AS other", []);
            }
            (false, _) => {
                query.push(" AS san, g.result, 'b' AS color, g.black_elo AS own, g.white_elo AS other", []);
            }
            (true, turn) => {
                let color = if turn == 0 { "w" } else { "b" };
                query.push(TURNED, [color.into(), color.into()]);
            }
        }
        query.push("\n    FROM {schema}.games g", []);
        self.join_reached(query);
        self.games(query);
        query.push("\n    ", []);
    }

    /// Appends the condition on `{schema}.games g`.
    fn games(&self, query: &mut Query) {
        query.push("\n    WHERE ", []);
        self.position.condition(query);
        self.filters.conditions(query, Of::Games);
        self.criterion.condition(query);
    }

    /// Appends the argument of the functions, if it is not its default.
    fn symmetries(&self, query: &mut Query) {
        if self.position.symmetries {
            query.push(", symmetries => true", []);
        }
    }

    /// Asks where the answer is found: in the index or in the games.
    ///
    /// # Errors
    ///
    /// None: filters that the functions lack are looked for in the games.
    pub fn source_query(&self) -> Outcome<Query> {
        if self.position.symmetries && !self.of_games_alone() {
            // the index, but where a game reaches two of the positions
            return Ok(Query::new("SELECT NULL::text AS source", []));
        }
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
            let (head, tail) = MOVES.split_once("{games}").unwrap_or((MOVES, ""));
            let mut query = Query::new(head, []);
            self.seen_games(&mut query);
            query.push(tail, self.fen());
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
        self.symmetries(&mut query);
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
            let (head, tail) = FOUND.split_once("{move}").unwrap_or((FOUND, ""));
            let (names, tail) = tail.split_once("{reached}").unwrap_or((tail, ""));
            query.push(head, self.fen());
            self.played(&mut query);
            query.push(names, []);
            self.join_reached(&mut query);
            query.push(tail, [count.into()]);
            query.push("\nORDER BY ", []);
            query.push(key, []);
            query.push(" DESC, g.id DESC", []);
            return Ok(query);
        }
        let mut query = Query::new(
            "SELECT id, uci, white, black, white_elo, black_elo, result, date, event, site, eco, ply_count, \
             {schema}.speed(time_control) AS speed, given_id\n\
             FROM {schema}.explorer_games({}::{chess}.chessboard",
            self.fen(),
        );
        self.filters.arguments(&mut query)?;
        query.push(", sort => {}, count => {}", [sort.into(), count.into()]);
        self.symmetries(&mut query);
        query.close(ARGUMENTS.into_iter().chain([
            ", after => NULL::bigint",
            ", by_index => true",
            ", symmetries => false",
        ]));
        Ok(query)
    }
}
