//! Postings of pieces on squares and of events, on their way to a segment.
//!
//! Takes the keys of games in ascending order; returns the postings key by key. There are 932 keys, and a game has some 86
//! of them, so a game is a row of bits, which need no sort. Rows beyond the memory go to the caller's temporary file, as
//! columns, so that each key reads its own bits.

use chess_core::search::pattern::FREQUENT_KEYS;

use crate::key::Class;
use crate::pattern_key::FIRST_FREQUENT;
use crate::sink::{Scratch, Spill};
use crate::writer::Posting;

/// The bits of 64 games: for each key a word.
type Rows = [u64; FREQUENT_KEYS];

const GAMES: u32 = 64;

/// Gathers the keys of games.
pub(crate) struct Frequent {
    /// Most elements of `rows`.
    most: usize,
    /// Number of the first game of the first rows.
    first: u32,
    rows: Vec<Box<Rows>>,
    /// The bit of the current game in the last rows.
    bit: u64,
    /// Rows in the temporary file: the first game, where they begin, their number.
    written: Vec<(u32, u64, usize)>,
}

impl Frequent {
    /// `memory` limits the rows, in bytes; those of 4,096 games are kept at least.
    pub(crate) fn new(memory: usize) -> Frequent {
        let most = (memory / size_of::<Rows>()).max(64);
        Frequent { most, first: 0, rows: Vec::new(), bit: 0, written: Vec::new() }
    }

    /// The keys that follow are those of a game, which is greater than those before.
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

    /// Adds the key with this place to the current game.
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

    /// Calls `each` with every posting, in order; `failed` converts an error of the temporary file.
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
        // The second list of games leaves rows out; the memory of one has no room for the other.
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
