//! Sums over games by continuation and result.
//!
//! Takes games one by one; returns for each continuation and result the number of games, the sums of their ratings and the
//! latest day.

use chess_index::attributes::Value;

use crate::access_method::sums::asked::Played;
use crate::access_method::sums::games::{Found, Place};

/// The sums of the games with one continuation and one result.
pub struct Sum {
    pub played: Played,
    pub result: Value,
    pub games: i64,
    /// Numbers and sums of the positive ratings of White and Black.
    pub rated: [i64; 2],
    pub ratings: [i64; 2],
    pub day: Value,
    /// One of the games.
    pub place: Place,
}

impl Sum {
    fn add(&mut self, game: &Found) {
        self.games += 1;
        for side in 0..2 {
            if let Some(rating) = game.values[side].filter(|rating| *rating > 0) {
                self.rated[side] += 1;
                self.ratings[side] += i64::from(rating);
            }
        }
        self.day = self.day.max(game.values[3]);
        self.place = game.place;
    }
}

/// All sums.
pub struct Sums {
    /// In no order.
    pub sums: Vec<Sum>,
    /// For each continuation and each usual result one more than the place of the sum; 0 if there is none yet.
    places: Vec<u32>,
}

/// NULL and the results from 0 on that are looked up in a table.
const RESULTS: usize = 8;

impl Sums {
    pub fn new() -> Sums {
        Sums { sums: Vec::new(), places: vec![0; RESULTS << Played::BITS] }
    }

    pub fn add(&mut self, game: &Found) {
        let result = game.values[2];
        let number =
            result.map_or(0, |result| usize::try_from(result).map_or(RESULTS, |result| result.saturating_add(1)));
        let known = (number < RESULTS).then(|| usize::from(game.played) * RESULTS + number);
        let at = match known.map(|known| self.places[known] as usize) {
            Some(at) if at > 0 => at - 1,
            Some(_) => self.begin(game),
            None => {
                let is_it = |sum: &Sum| (sum.played, sum.result) == (game.played, result);
                self.sums.iter().position(is_it).unwrap_or_else(|| self.begin(game))
            }
        };
        if let Some(known) = known {
            self.places[known] = at as u32 + 1;
        }
        self.sums[at].add(game);
    }

    /// Adds a sum without games, and returns its place.
    fn begin(&mut self, game: &Found) -> usize {
        let Found { place, played, values } = *game;
        self.sums.push(Sum { played, result: values[2], games: 0, rated: [0; 2], ratings: [0; 2], day: None, place });
        self.sums.len() - 1
    }
}
