//! Collects the postings of pieces on squares and of events while a segment is built.
//!
//! A posting is a pair of a key and a game that has it. Games arrive one by one with their keys; the segment writer
//! needs the postings sorted by key. Sorting them would be expensive: each game has about 86 of these keys. But there
//! are only 932 of them (the *frequent keys*), so each game is a row of 932 bits, and the bits of one key are a column
//! of that table. Reading the table column by column gives the postings in order without a sort.
//!
//! The rows of 64 games form a group with one 64-bit word per key. When the groups exceed the memory limit they go to
//! the caller's temporary file, transposed, so that the words of a key are contiguous there.

use chess_core::search::pattern::FREQUENT_KEYS;

use crate::key::Class;
use crate::pattern_key::FIRST_FREQUENT;
use crate::sink::{Scratch, Spill};
use crate::writer::Posting;

/// A group: the bits of 64 games, as one word per key.
type Rows = [u64; FREQUENT_KEYS];

const GAMES: u32 = 64;

/// The frequent keys of the games that have been added so far.
pub(crate) struct Frequent {
    /// The most groups to hold in memory.
    most: usize,
    /// The number of the first game of the first group in memory.
    first: u32,
    rows: Vec<Box<Rows>>,
    /// Mask that selects the current game in the words of the last group.
    bit: u64,
    /// The batches of groups in the temporary file: first game, offset in the file, number of groups.
    written: Vec<(u32, u64, usize)>,
}

impl Frequent {
    /// Limits the groups in memory to `memory` bytes, but holds at least 64 groups, which are 4,096 games.
    pub(crate) fn new(memory: usize) -> Frequent {
        let most = (memory / size_of::<Rows>()).max(64);
        Frequent { most, first: 0, rows: Vec::new(), bit: 0, written: Vec::new() }
    }

    /// Makes `game` the current game. Games must come in ascending order.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub(crate) fn turn_to<T: Spill>(&mut self, game: u32, file: &mut Scratch<T>) -> Result<(), T::Error> {
        while (game - self.first) / GAMES >= self.rows.len() as u32 {
            if self.rows.len() == self.most {
                self.spill(file)?;
                self.first = game / GAMES * GAMES;
            }
            self.rows.push(Box::new([0; FREQUENT_KEYS]));
        }
        self.bit = 1 << (game % GAMES);
        Ok(())
    }

    /// Adds a key to the current game. `place` is its number among the frequent keys, as
    /// [`chess_core::search::pattern::place_of`] returns it.
    #[inline]
    pub(crate) fn add(&mut self, place: usize) {
        if let Some(rows) = self.rows.last_mut() {
            rows[place] |= self.bit;
        }
    }

    fn spill<T: Spill>(&mut self, file: &mut Scratch<T>) -> Result<(), T::Error> {
        self.written.push((self.first, file.end(), self.rows.len()));
        let mut bytes = Vec::with_capacity(8 * self.rows.len());
        for place in 0..FREQUENT_KEYS {
            bytes.clear();
            bytes.extend(self.rows.iter().flat_map(|rows| rows[place].to_le_bytes()));
            file.write(&bytes)?;
        }
        self.rows.clear();
        Ok(())
    }

    /// Calls `each` with every posting, ordered by key, then by game. `failed` converts an error of the temporary file.
    ///
    /// # Errors
    ///
    /// The first error of `each` or of the temporary file.
    pub(crate) fn finish<T: Spill, E>(
        self,
        file: &mut Scratch<T>,
        mut each: impl FnMut(Posting) -> Result<(), E>,
        failed: impl Fn(T::Error) -> E,
    ) -> Result<(), E> {
        let mut bytes = Vec::new();
        for place in 0..FREQUENT_KEYS {
            let key = FIRST_FREQUENT + place as u64;
            let mut each_game = |first: u32, mut word: u64| {
                while word != 0 {
                    let game = first + word.trailing_zeros();
                    each(Posting { key, class: Class::Plain, game, note: 0 })?;
                    word &= word - 1;
                }
                Ok(())
            };
            for (first, at, rows) in &self.written {
                bytes.resize(8 * rows, 0);
                file.read(at + (8 * place * rows) as u64, &mut bytes).map_err(&failed)?;
                for (first, word) in (*first..).step_by(GAMES as usize).zip(bytes.as_chunks().0) {
                    each_game(first, u64::from_le_bytes(*word))?;
                }
            }
            for (first, rows) in (self.first..).step_by(GAMES as usize).zip(&self.rows) {
                each_game(first, rows[place])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_come_back_by_keys() {
        // The second list skips whole groups of games. One of the memory limits is too small for all groups, so it
        // forces a spill.
        for games in [(0..300).collect::<Vec<u32>>(), vec![3, 64, 700, 701, 5000], vec![]] {
            for most in [1, 2, 100] {
                let mut frequent = Frequent { most, ..Frequent::new(0) };
                let (mut file, mut wanted) = (Scratch::new(Vec::new()), Vec::new());
                for game in &games {
                    frequent.turn_to(*game, &mut file).unwrap();
                    for place in (0..FREQUENT_KEYS).filter(|place| (place * 7 + *game as usize).is_multiple_of(11)) {
                        frequent.add(place);
                        wanted.push((FIRST_FREQUENT + place as u64, *game));
                    }
                }
                wanted.sort_unstable();
                let mut found = Vec::new();
                let each = |posting: Posting| -> Result<(), std::convert::Infallible> {
                    found.push((posting.key, posting.game));
                    Ok(())
                };
                frequent.finish(&mut file, each, |never| never).unwrap();
                assert_eq!(found, wanted, "{} games, {most} rows", games.len());
            }
        }
    }
}
