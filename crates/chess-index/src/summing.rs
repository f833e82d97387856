//! Makes the sums of lists while a segment is written or checked.
//!
//! Takes the attributes of all games, then the games of one list after another with their notes; returns the sums of the
//! lists that are long enough. The attributes of a game take 8 bytes of memory.

use std::collections::HashMap;

use chess_core::search::hybrid_keys::Note;

use crate::attributes::Value;
use crate::leaf::SHORT;
use crate::sums::{SUMMED, Sum};

/// Bytes of memory for each game.
pub(crate) const BYTES: usize = 8;

/// The attributes of a game that are summed, from the lowest bit: ratings of White and Black (16 bits each, 0 if unknown or
/// not positive), result (8), day (24). Codes of results and days sort as their values do, with NULL first.
#[derive(Clone, Copy)]
struct Packed(u64);

/// The code of the day 2000-01-01. The lowest and the highest day are infinite and have the codes 1 and `LAST_DAY`.
const DAY_0: i32 = 1 << 23;
const LAST_DAY: i32 = (1 << 24) - 1;

impl Packed {
    /// `None` if a value needs more bits, which ratings, results and days do not.
    fn new(values: &[Value]) -> Option<Packed> {
        let [white, black, result, day] = *values.first_chunk::<SUMMED>()?;
        let rating = |value: Value| u16::try_from(value.unwrap_or(0).max(0)).ok().map(u64::from);
        let result =
            result.map_or(Some(0), |result| u8::try_from(i64::from(result) + 1).ok().filter(|code| *code > 0))?;
        let day = match day {
            None => 0,
            Some(i32::MIN) => 1,
            Some(i32::MAX) => LAST_DAY,
            Some(day) => day.checked_add(DAY_0).filter(|code| (2..LAST_DAY).contains(code))?,
        };
        Some(Packed(rating(white)? | rating(black)? << 16 | u64::from(result) << 32 | (day as u64) << 40))
    }

    fn ratings(self) -> [u64; 2] {
        [self.0 & 0xffff, self.0 >> 16 & 0xffff]
    }

    fn result(self) -> u8 {
        (self.0 >> 32) as u8
    }

    fn day(self) -> i32 {
        (self.0 >> 40) as i32
    }
}

/// The games of a list with one note and one result, so far.
#[derive(Clone, Copy, Default)]
struct Sums {
    games: u32,
    rated: [u32; 2],
    ratings: [u64; 2],
    /// The code of the latest day.
    day: i32,
    /// The last game.
    game: u32,
}

pub(crate) struct Summing {
    /// Lists of fewer games get no sums.
    pub least: u32,
    /// Most games.
    most: usize,
    games: Vec<Packed>,
    /// Whether all games so far could be packed, and are not too many.
    is_possible: bool,
    /// The first games of the list, until there are enough for sums.
    first: Vec<(u32, u32)>,
    /// By note and code of the result.
    sums: HashMap<(u32, u8), Sums>,
}

impl Summing {
    /// For lists of at least so many games, and segments of at most so many. Lists that may become plain get no sums.
    pub(crate) fn new(least: u32, most: u32) -> Summing {
        Summing {
            least: least.max(SHORT as u32 + 1),
            most: most as usize,
            games: Vec::new(),
            is_possible: true,
            first: Vec::new(),
            sums: HashMap::new(),
        }
    }

    /// Adds the attributes of the next game.
    pub(crate) fn add_game(&mut self, values: &[Value]) {
        if !self.is_possible {
            return;
        }
        match Packed::new(values).filter(|_| self.games.len() < self.most) {
            Some(game) => self.games.push(game),
            None => {
                self.is_possible = false;
                self.games = Vec::new();
            }
        }
    }

    pub(crate) fn is_possible(&self) -> bool {
        self.is_possible
    }

    /// Bytes of memory in use for games.
    pub(crate) fn bytes(&self) -> usize {
        self.games.capacity() * BYTES
    }

    /// Adds a game to the current list.
    #[inline]
    pub(crate) fn push(&mut self, game: u32, note: u32) {
        if !self.is_possible {
            return;
        }
        if self.sums.is_empty() {
            self.first.push((game, note));
            if self.first.len() < self.least as usize {
                return;
            }
            let mut first = std::mem::take(&mut self.first);
            first.drain(..).for_each(|(game, note)| self.add(game, note));
            self.first = first;
        } else {
            self.add(game, note);
        }
    }

    fn add(&mut self, game: u32, note: u32) {
        let Some(packed) = self.games.get(game as usize).copied() else { return };
        let sums = self.sums.entry((note, packed.result())).or_default();
        sums.games += 1;
        for (side, rating) in packed.ratings().into_iter().enumerate() {
            sums.rated[side] += u32::from(rating > 0);
            sums.ratings[side] += rating;
        }
        sums.day = sums.day.max(packed.day());
        sums.game = game;
    }

    /// Ends the current list; returns its sums if it is long enough.
    pub(crate) fn end_list(&mut self) -> Option<Vec<Sum>> {
        self.first.clear();
        if self.sums.is_empty() {
            return None;
        }
        let mut list: Vec<Sum> = self.sums.drain().map(|((note, result), sums)| sum(note, result, sums)).collect();
        list.sort_unstable_by_key(Sum::order);
        Some(list)
    }
}

fn sum(note: u32, result: u8, sums: Sums) -> Sum {
    let day = match sums.day {
        0 => None,
        1 => Some(i32::MIN),
        LAST_DAY => Some(i32::MAX),
        code => Some(code - DAY_0),
    };
    Sum {
        note: Note::from_bits(note),
        result: result.checked_sub(1).map(i32::from),
        games: sums.games,
        rated: sums.rated,
        ratings: sums.ratings,
        day,
        game: if sums.games == 1 { sums.game } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that fit into 8 bytes come back; for others there are no sums.
    #[test]
    fn attributes_are_packed() {
        for rating in [None, Some(-7), Some(0), Some(1), Some(65_535)] {
            for result in [None, Some(0), Some(3), Some(254)] {
                for day in [None, Some(i32::MIN), Some(2 - DAY_0), Some(0), Some(LAST_DAY - 1 - DAY_0), Some(i32::MAX)]
                {
                    let mut summing = Summing::new(17, 100);
                    summing.add_game(&[rating, None, result, day, Some(i32::MIN)]);
                    (0..17).for_each(|_| summing.push(0, 5));
                    let rated = rating.filter(|rating| *rating > 0);
                    let wanted = Sum {
                        note: Note::from_bits(5),
                        result,
                        games: 17,
                        rated: [if rated.is_some() { 17 } else { 0 }, 0],
                        ratings: [17 * rated.unwrap_or(0) as u64, 0],
                        day,
                        game: 0,
                    };
                    assert_eq!(summing.end_list(), Some(vec![wanted]));
                    assert_eq!(summing.end_list(), None);
                }
            }
        }
        let usual = [Some(2000), Some(2000), Some(1), Some(0)];
        for (column, value) in [(0, 65_536), (1, i32::MAX), (2, -1), (2, 255), (3, 1 - DAY_0), (3, LAST_DAY - DAY_0)] {
            let mut values = usual;
            values[column] = Some(value);
            let mut summing = Summing::new(17, 100);
            summing.add_game(&usual);
            summing.add_game(&values);
            assert!(!summing.is_possible(), "{values:?}");
            (0..99).for_each(|_| summing.push(0, 5));
            assert_eq!(summing.end_list(), None);
        }
        let mut summing = Summing::new(17, 2);
        (0..2).for_each(|_| summing.add_game(&usual));
        assert!(summing.is_possible());
        summing.add_game(&usual);
        assert!(!summing.is_possible() && summing.bytes() == 0);
    }
}
