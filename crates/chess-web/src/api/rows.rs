//! The rows that several handlers read: moves of a position and games of a list.

use serde_json::{Value as Json_, json};
use tokio_postgres::Row;

use crate::question::game_id;

/// Games by their numbers, with the columns of [`GameRow`].
pub const GAMES_BY_ID: &str = include_str!("sql/games_by_id.sql").trim_ascii_end();

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

impl MoveRow {
    /// Reads a row of [`Explored::moves_query`].
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
    /// Reads a row of [`Explored::games_query`], [`GAMES_BY_ID`] or `/api/games`.
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
