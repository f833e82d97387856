//! The first games of those that are found, in an order.
//!
//! Takes games with the attributes that decide their places, one by one in any order; keeps the first ones.

use std::cmp::Reverse;

use chess_index::rows::Row;
use chess_index::summed::Ranking;

use crate::access_method::sums::found::{Place, Values};
use crate::access_method::sums::ordered::sorted::Sorted;

/// The number of games that are kept before those that are not among the first are dropped. It is higher if more are asked
/// for.
const MOST: usize = 1 << 10;

/// The most games beyond those asked for that are kept because they are equal.
const MOST_EQUAL: usize = 1 << 10;

/// Where games come whose attribute is NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    First,
    Last,
    /// Where those with this value come.
    As(i32),
}

/// An order of games by a number, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The attributes that make the number: those that the segments rank by, or others in their places.
    pub by: Ranking,
    /// Otherwise the lowest attribute makes the highest number.
    pub is_descending: bool,
    /// Only one attribute can be unknown; of two, an unknown one counts as 0.
    pub unknown: Unknown,
}

impl Order {
    fn number(&self, values: Values) -> i64 {
        let value = match (self.by, self.unknown, values[3]) {
            (Ranking::Day, Unknown::First, None) => return i64::MAX - 1,
            (Ranking::Day, Unknown::Last, None) => return i64::MIN + 1,
            (Ranking::Day, Unknown::As(value), None) => value.into(),
            _ => self.by.number(values),
        };
        if self.is_descending { value } else { -value }
    }

    /// The ranking in which no game has a lower number than in this order. So a game that must be among the first here
    /// comes before any that is lower there.
    pub fn ranking(&self) -> Option<Ranking> {
        let is_lowest = matches!(self.unknown, Unknown::Last | Unknown::As(i32::MIN));
        (self.is_descending && (self.by == Ranking::Ratings || is_lowest)).then_some(self.by)
    }
}

/// The first games so far.
pub struct Leading {
    pub order: Order,
    /// How many games are asked for.
    pub count: usize,
    /// The greatest number that is asked for.
    at_most: i64,
    games: Vec<(i64, Place)>,
    /// How many games are kept until [`Leading::settle`] drops some.
    most: usize,
    /// The least number that a game must have to be one of the first.
    least: i64,
    /// Whether all games of the question come, and not only those that a ranking finds.
    pub is_whole: bool,
    /// Where all games go, if they may be too many for memory.
    pub sorted: Option<Sorted>,
}

impl Leading {
    /// Collects the first `count` of the games that have at most this number. Of several games that are equal to the last one, any may
    /// be among them. If the game before the last one is equal to it, all equal games come, unless they are too many, and one lower
    /// game. An incremental sort that wants one row less reads so far, because it sorts equal rows before it returns them.
    pub fn after(order: Order, count: usize, at_most: i64) -> Leading {
        let least = if count == 0 { i64::MAX } else { i64::MIN };
        Leading { order, count, at_most, games: Vec::new(), most: MOST, least, is_whole: true, sorted: None }
    }

    /// Sorts all games that have at most this number.
    pub fn all(order: Order, at_most: i64, sorted: Sorted) -> Leading {
        Leading { sorted: Some(sorted), ..Leading::after(order, usize::MAX, at_most) }
    }

    /// The same question without games.
    pub fn emptied(&self) -> Leading {
        Leading::after(self.order, self.count, self.at_most)
    }

    /// Adds a game.
    pub fn add(&mut self, values: Values, place: Place) {
        let number = self.order.number(values);
        if number > self.at_most {
            return;
        }
        if number >= self.least {
            self.games.push((number, place));
            if self.games.len() >= self.most {
                self.settle();
            }
        }
    }

    /// Adds the first games of a list whose other games are lower. Returns `None` if others of them may be among the first.
    pub fn joined(&self, of_list: Leading) -> Option<Leading> {
        let last = lowest(&of_list.games)?;
        // Where equal games were dropped, a lower one must not take their place.
        let others = of_list.games.into_iter().filter(|(number, _)| *number >= self.least);
        let games = self.games.iter().copied().chain(others).collect();
        let mut both = Leading { games, least: self.least, ..self.emptied() };
        (both.is_enough() && lowest(&both.games) >= Some(last)).then_some(both)
    }

    /// Drops the games that are not among the first. Returns the least number that another game must have to be one of them.
    pub fn settle(&mut self) -> i64 {
        if let Some(last) = self.count.checked_sub(1).filter(|last| *last < self.games.len()) {
            let (before, (number, _), behind) =
                self.games.select_nth_unstable_by_key(last, |(number, _)| Reverse(*number));
            let number = *number;
            if lowest(before) == Some(number) && behind.len() <= MOST_EQUAL {
                let lower = behind.iter().filter(|(other, _)| *other < number).max_by_key(|(other, _)| *other).copied();
                self.games.retain(|(other, _)| *other >= number);
                self.games.extend(lower);
                self.least = lower.map_or(self.least, |(lower, _)| self.least.max(lower.saturating_add(1)));
            } else {
                self.games.truncate(self.count);
                self.least = number.saturating_add(1);
            }
        }
        self.most = MOST.max(2 * self.games.len());
        self.least
    }

    /// Whether there are as many games as are asked for, and an incremental sort that wants one less needs no other.
    fn is_enough(&mut self) -> bool {
        self.settle();
        let Some(last) = self.count.checked_sub(1).filter(|last| *last < self.games.len()) else {
            return self.count == 0;
        };
        self.games.select_nth_unstable_by_key(last, |(number, _)| Reverse(*number));
        lowest(&self.games[..last]).is_none_or(|lowest| self.games[last..].iter().any(|(number, _)| *number < lowest))
    }

    /// Returns the games, in no order, with their numbers.
    pub fn into_games(mut self) -> Vec<(i64, Place)> {
        self.settle();
        self.games
    }

    /// Passes the games of a segment, whose rows `find` finds, on to be sorted, if all games are to be.
    pub fn pass_on<E>(
        &mut self,
        find: impl FnOnce(&[(u32, i64)], &mut dyn FnMut(i64, Row)) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(sorted) = &mut self.sorted else { return Ok(()) };
        let of_segment = |(number, place)| match place {
            Place::Game(_, game) => Some((game, number)),
            Place::Row(_) => None,
        };
        let mut games: Vec<(u32, i64)> = self.games.drain(..).filter_map(of_segment).collect();
        games.sort_unstable();
        find(&games, &mut |number, row| sorted.add(number, row))
    }
}

/// The lowest number of some games.
fn lowest(games: &[(i64, Place)]) -> Option<i64> {
    games.iter().map(|(number, _)| *number).min()
}
