//! The first games of a list by a ranking.
//!
//! Takes the games of a list in any order; returns the first ones and those equal to the last of them. If those are too many,
//! there are none.

use std::cmp::Reverse;

use crate::attributes::Value;

/// So many games come first, with those that are equal to the last of them.
pub const LEADERS: usize = 16;
/// A list with more leaders has none.
const MOST: usize = 64;

/// A game with what decides its place in the ranking, and the note and result under which it is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    pub number: i64,
    pub game: u32,
    pub note: u32,
    pub result: Value,
}

/// The first games so far.
#[derive(Clone, Debug)]
pub(crate) struct Leaders {
    games: Vec<Leader>,
    /// What a game must at least have to be one of them.
    least: i64,
    /// Whether games that were equal have been dropped because they were too many.
    has_lost: bool,
}

/// Most bytes that the leaders of a list take while they are found, in one ranking.
pub(crate) const BYTES: usize = 2 * MOST * size_of::<Leader>();

impl Default for Leaders {
    fn default() -> Leaders {
        Leaders { games: Vec::new(), least: i64::MIN, has_lost: false }
    }
}

impl Leaders {
    #[inline]
    pub(crate) fn add(&mut self, leader: Leader) {
        if leader.number >= self.least {
            self.games.push(leader);
            if self.games.len() == 2 * MOST {
                self.settle();
            }
        }
    }

    /// Drops the games that are not among the first. Equal games that are too many are dropped, too: they are leaders only if
    /// fewer than [`LEADERS`] games turn out to be better, and then the list has no leaders.
    fn settle(&mut self) {
        if self.games.len() < LEADERS {
            return;
        }
        let last = self.games.select_nth_unstable_by_key(LEADERS - 1, |of| Reverse(of.number)).1.number;
        self.games.retain(|of| of.number >= last);
        self.least = last;
        if self.games.len() > MOST {
            self.games.retain(|of| of.number > last);
            self.least = last.saturating_add(1);
            self.has_lost = true;
        }
    }

    /// The leaders in the order of their games.
    pub(crate) fn finish(mut self) -> Vec<Leader> {
        self.settle();
        if self.has_lost && self.games.len() < LEADERS {
            self.games.clear();
        }
        self.games.sort_unstable_by_key(|of| of.game);
        self.games
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_are_the_first_of_a_sorted_list() {
        let mut seed = 1u64;
        let mut below = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % bound
        };
        let (mut some, mut none) = (0, 0);
        for round in 0..600u64 {
            let (count, kinds) = (1 + below(400), [1, 2, 5, 40, 1000][round as usize % 5]);
            let games: Vec<Leader> = (0..count)
                .map(|game| Leader { number: below(kinds) as i64 - 3, game: game as u32, note: 0, result: None })
                .collect();
            let mut leaders = Leaders::default();
            games.iter().for_each(|game| leaders.add(*game));
            let mut numbers: Vec<i64> = games.iter().map(|game| game.number).collect();
            numbers.sort_unstable_by_key(|number| Reverse(*number));
            let last = numbers[numbers.len().min(LEADERS) - 1];
            let mut wanted: Vec<Leader> = games.into_iter().filter(|game| game.number >= last).collect();
            if wanted.len() > MOST {
                wanted.clear();
                none += 1;
            }
            some += usize::from(!wanted.is_empty());
            assert_eq!(leaders.finish(), wanted);
        }
        assert!(some > 200 && none > 100, "{some} {none}");
    }
}
