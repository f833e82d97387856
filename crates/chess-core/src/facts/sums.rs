//! Sums over games: takes a result and two ratings, adds them to the numbers that `gameSums` returns.

use std::sync::LazyLock;

use crate::game::GameResult;

/// The number of sums; docs/functions-counts.md lists them.
pub const GAME_SUMS: usize = 17;
/// The sums of a group of games.
pub type GameSums = [i64; GAME_SUMS];

/// The unit of expected scores: sums of integers are the same in every order, also in parallel.
const EXPECTED_UNIT: f64 = (1u64 << 32) as f64;
/// Ratings that differ less have their expected score in a table.
const TABLED: i64 = 1 << 11;

/// The expected score of a difference of ratings, in units of 2^-32.
fn expected_score(difference: i64) -> i64 {
    // 1 / (1 + 10^(-difference / 400)), by tanh, which does not overflow.
    let score = 0.5 + 0.5 * (std::f64::consts::LN_10 / 800.0 * difference as f64).tanh();
    (score * EXPECTED_UNIT).round() as i64
}

static EXPECTED: LazyLock<Vec<i64>> = LazyLock::new(|| (-TABLED..=TABLED).map(expected_score).collect());

/// The sums of one game. They are worked out once and added to several groups.
#[derive(Clone, Copy, Debug)]
pub struct Summand {
    /// The result, if it is one of PGN.
    pub result: Option<GameResult>,
    white: Option<i64>,
    black: Option<i64>,
    sums: GameSums,
}

impl Summand {
    /// Ratings below 1 are none.
    pub fn new(result: Option<GameResult>, white: Option<i32>, black: Option<i32>) -> Summand {
        // The number of the result, and White's points, in halves.
        let (place, points) = match result {
            Some(GameResult::WhiteWins) => (1, Some(2)),
            Some(GameResult::Draw) => (2, Some(1)),
            Some(GameResult::BlackWins) => (3, Some(0)),
            _ => (0, None),
        };
        let [white, black] = [white, black].map(|rating| rating.filter(|rating| *rating > 0).map(i64::from));
        let mut sums = [0; GAME_SUMS];
        sums[place] = 1;
        sums[0] = 1;
        if let (Some(white), Some(black), Some(points)) = (white, black, points) {
            let difference = white - black;
            let tabled = usize::try_from(difference + TABLED).ok().and_then(|at| EXPECTED.get(at).copied());
            sums[4] = 1;
            sums[5] = tabled.unwrap_or_else(|| expected_score(difference));
            sums[6] = points;
        }
        for (rated, finished, rating) in [(7, 11, white), (9, 14, black)] {
            if let Some(rating) = rating {
                sums[rated] = 1;
                sums[rated + 1] = rating;
                if let Some(points) = points {
                    sums[finished] = 1;
                    sums[finished + 1] = rating;
                    sums[finished + 2] = points;
                }
            }
        }
        Summand { result, white, black, sums }
    }

    /// The sum of both ratings; an unknown one counts as 0. `None` if both are unknown.
    pub fn ratings(&self) -> Option<i64> {
        (self.white.is_some() || self.black.is_some()).then(|| self.white.unwrap_or(0) + self.black.unwrap_or(0))
    }

    /// The mean of both ratings, rounded down.
    pub fn mean_rating(&self) -> Option<i64> {
        Some((self.white? + self.black?) / 2)
    }

    /// Adds the game to the sums of a group.
    #[inline]
    pub fn add_to(&self, sums: &mut GameSums) {
        add(sums, &self.sums);
    }
}

/// Adds the sums of other games.
#[inline]
pub fn add(sums: &mut GameSums, more: &GameSums) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.wrapping_add(*more);
    }
}
