//! The first games of those that are found, in the order of a ranking.
//!
//! Takes games with the attributes that rank them, one by one in any order; keeps the first ones and those equal to the last
//! of them.

use std::cmp::Reverse;

use chess_index::summed::Ranking;

use crate::access_method::sums::found::{Place, Values};

/// The number of games that are kept before those that are not among the first are dropped. It is higher if more are asked
/// for or are equal.
const MOST: usize = 1 << 10;

/// The first games so far.
pub struct Leading {
    pub ranking: Ranking,
    /// How many games are asked for.
    pub count: usize,
    games: Vec<(i64, Place)>,
    /// How many games are kept until [`Leading::settle`] drops some.
    most: usize,
    /// The least number that a game must have to be one of the first.
    least: i64,
    /// How many games came while `counts` was true.
    pub counted: i64,
    /// Whether games are counted as they come. Those that a ranking finds are not, because they are not all games.
    pub counts: bool,
}

impl Leading {
    /// Collects the first `count` games.
    pub fn new(ranking: Ranking, count: usize) -> Leading {
        let least = if count == 0 { i64::MAX } else { i64::MIN };
        Leading { ranking, count, games: Vec::new(), most: MOST, least, counted: 0, counts: true }
    }

    /// Adds a game.
    pub fn add(&mut self, values: Values, place: Place) {
        self.counted += i64::from(self.counts);
        let number = self.ranking.number(values);
        if number >= self.least {
            self.games.push((number, place));
            if self.games.len() >= self.most {
                self.settle();
            }
        }
    }

    /// Adds games that were found apart, without counting them.
    pub fn join(&mut self, others: Option<Leading>) {
        let least = self.least;
        self.games.extend(others.into_iter().flat_map(|others| others.games).filter(|(number, _)| *number >= least));
        self.settle();
    }

    /// Drops the games that are not among the first. Returns the least number that another game must have to be one of them.
    pub fn settle(&mut self) -> i64 {
        if let Some(last) = self.count.checked_sub(1).filter(|last| *last < self.games.len()) {
            self.least = self.games.select_nth_unstable_by_key(last, |(number, _)| Reverse(*number)).1.0;
            self.games.retain(|(number, _)| *number >= self.least);
        }
        self.most = MOST.max(2 * self.games.len());
        self.least
    }

    /// Returns how many games are among the first so far.
    pub fn settled(&mut self) -> usize {
        self.settle();
        self.games.len()
    }

    /// Returns the games in no order.
    pub fn into_games(mut self) -> Vec<Place> {
        self.settle();
        self.games.into_iter().map(|(_, place)| place).collect()
    }
}
