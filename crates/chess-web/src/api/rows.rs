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
    /// The games that reach the position after the move, by any moves; `None` if they were not asked for.
    pub reached: Option<Reached>,
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
            reached: row.get::<_, Option<i64>>("reached").map(|games| Reached {
                games,
                white: row.get("reached_white"),
                draws: row.get("reached_draws"),
                black: row.get("reached_black"),
                score: row.get("reached_score"),
                average_rating: row.get("reached_average_rating"),
            }),
            game_id: row.get("game_id"),
        }
    }

    /// POSITION in API.md; null if it was not asked for.
    pub fn position_json(&self) -> Json_ {
        let Some(reached) = &self.reached else { return Json_::Null };
        json!({
            "games": reached.games,
            "white": reached.white,
            "draws": reached.draws,
            "black": reached.black,
            "unknown": reached.games - reached.decided(),
            "score": reached.score.map(percent),
            "averageRating": reached.average_rating.map(|rating| rating.round() as i64),
            "deviation": self.deviation().map(|deviation| (deviation * 100.0).round() / 100.0),
        })
    }

    /// By how many standard errors the score of the games with the move exceeds that of the other games that reach the
    /// position after it. The error is that of the difference of two means if chance decides which of all these games have the
    /// move. `None` if either part is too small for that, or all games score alike.
    fn deviation(&self) -> Option<f64> {
        let reached = self.reached.as_ref()?;
        let (all, here) = (reached.decided(), self.white + self.draws + self.black);
        if here < FEWEST || all - here < FEWEST {
            return None;
        }
        let (mean, score) = (reached.score?, self.score?);
        let (all, here, others) = (all as f64, here as f64, (all - here) as f64);
        // The mean of the squares of 0, 1/2 and 1.
        let squares = mean - reached.draws as f64 / (4.0 * all);
        let variance = (squares - mean * mean) * all / (all - 1.0);
        let difference = score - (mean * all - score * here) / others;
        // Rounding leaves a little of a variance of 0.
        (variance > 1e-9).then(|| difference / (variance * (1.0 / here + 1.0 / others)).sqrt())
    }
}

/// Games that reach a position.
#[derive(Clone, Debug)]
pub struct Reached {
    /// How many.
    pub games: i64,
    /// White's wins.
    pub white: i64,
    /// Draws.
    pub draws: i64,
    /// Black's wins.
    pub black: i64,
    /// The side that made the last move scores this much on average: 1 for a win, 1/2 for a draw.
    pub score: Option<f64>,
    /// The players who made the last move have this rating on average.
    pub average_rating: Option<f64>,
}

impl Reached {
    fn decided(&self) -> i64 {
        self.white + self.draws + self.black
    }
}

/// Scores are compared only if each part has this many games: the mean of fewer is too far from a normal distribution for a
/// standard error to say how likely chance is.
const FEWEST: i64 = 10;

/// A score from 0 to 1, in per cent with one digit after the point.
pub fn percent(score: f64) -> f64 {
    (score * 1000.0).round() / 10.0
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row([white, draws, black]: [i64; 3], all: [i64; 3]) -> MoveRow {
        let score = |[white, draws, black]: [i64; 3]| {
            let decided = white + draws + black;
            (decided > 0).then(|| (white as f64 + draws as f64 / 2.0) / decided as f64)
        };
        MoveRow {
            names: None,
            games: white + draws + black,
            white,
            draws,
            black,
            unknown: 0,
            score: score([white, draws, black]),
            average_rating: None,
            opponent_rating: None,
            performance: None,
            last_played: None,
            reached: Some(Reached {
                games: all.iter().sum::<i64>() + 1,
                white: all[0],
                draws: all[1],
                black: all[2],
                score: score(all),
                average_rating: None,
            }),
            game_id: None,
        }
    }

    /// The same from the points of each game: the difference of the means, and its standard deviation over all ways to
    /// choose the games with the move.
    fn by_games(here: [i64; 3], all: [i64; 3]) -> f64 {
        let points = |[white, draws, black]: [i64; 3]| {
            let of = |points: f64, games: i64| vec![points; games as usize];
            [of(1.0, white), of(0.5, draws), of(0.0, black)].concat()
        };
        let others = [0, 1, 2].map(|at| all[at] - here[at]);
        let mean = |games: &[f64]| games.iter().sum::<f64>() / games.len() as f64;
        let (here, others, all) = (points(here), points(others), points(all));
        let squares: f64 = all.iter().map(|game| (game - mean(&all)).powi(2)).sum();
        let error = squares / (all.len() - 1) as f64 * (1.0 / here.len() as f64 + 1.0 / others.len() as f64);
        (mean(&here) - mean(&others)) / error.sqrt()
    }

    #[test]
    fn a_score_is_compared_with_that_of_the_other_games() {
        for (here, all) in [([30, 40, 30], [90, 80, 130]), ([10, 0, 0], [10, 5, 5]), ([0, 10, 0], [900, 10, 900])] {
            let (found, expected) = (row(here, all).deviation().unwrap(), by_games(here, all));
            assert!((found - expected).abs() < 1e-9, "{here:?} of {all:?}: {found}, not {expected}");
        }
        assert_eq!(row([9, 0, 0], [90, 80, 130]).deviation(), None, "too few games with the move");
        assert_eq!(row([30, 40, 30], [35, 40, 34]).deviation(), None, "too few others");
        assert_eq!(row([30, 0, 0], [90, 0, 0]).deviation(), None, "all alike");
        assert_eq!(row([0, 30, 0], [0, 90, 0]).deviation(), None, "all drawn");
        assert_eq!(row([0, 0, 0], [0, 0, 0]).deviation(), None, "no result");
        assert_eq!(row([0, 0, 0], [0, 0, 0]).position_json()["unknown"], 1);
    }
}
