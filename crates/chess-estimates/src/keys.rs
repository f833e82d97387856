//! The most common keys of a sample, and the number of games that have each.
//!
//! Takes the keys of each game, twice; returns the list of the most common. A game has some eighty position keys, most
//! of them in no other game: a hash table of all would take more memory than the sample, and more time than the rest of
//! ANALYZE. So the first pass counts in small cells, which several keys share, and the second counts only the few keys
//! whose cell is full enough (Park, Chen and Yu, An Effective Hash-Based Algorithm for Mining Association Rules, SIGMOD
//! 1995). This loses no key that is as common as the rarest one kept.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::varints;

/// Bits stored of each key. With four thousand keys stored, an absent key is mistaken for one of them once in a quarter
/// of a billion.
const KEPT_BITS: u32 = 40;

/// Limits for the number of cells, which is about that of the keys: 64 kB to 64 MB.
const CELLS: std::ops::RangeInclusive<usize> = 1 << 16..=1 << 26;

/// A hasher that returns the key, because keys are hashes already.
#[derive(Default)]
struct KeyItself(u64);

impl Hasher for KeyItself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a key is hashed as one u64");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Counts in two passes over the same games.
pub struct KeyCounts {
    cells: Vec<u8>,
    /// The least value of a cell whose keys are counted.
    at_least: u8,
    counts: HashMap<u64, u32, BuildHasherDefault<KeyItself>>,
    wanted: usize,
}

impl KeyCounts {
    /// Prepares for about `keys` keys, of which the `wanted` most common are kept.
    pub fn new(keys: usize, wanted: usize) -> KeyCounts {
        let cells = keys.next_power_of_two().clamp(*CELLS.start(), *CELLS.end());
        KeyCounts { cells: vec![0; cells], at_least: 1, counts: HashMap::default(), wanted }
    }

    /// The first pass: a key of a game. A repeated key counts twice, which only lets more keys through.
    #[inline]
    pub fn foresee(&mut self, key: u64) {
        let cell = self.cell(key);
        self.cells[cell] = self.cells[cell].saturating_add(1);
    }

    fn cell(&self, key: u64) -> usize {
        key as usize & (self.cells.len() - 1)
    }

    /// Between the passes: decides which cells are counted. `once` includes keys of one game only.
    pub fn choose(&mut self, once: bool) {
        let mut cells_with = [0usize; 256];
        for cell in &self.cells {
            cells_with[usize::from(*cell)] += 1;
        }
        let mut at_least = 255;
        let mut chosen = cells_with[255];
        let least = if once { 1 } else { 2 };
        while at_least > least && chosen + cells_with[at_least - 1] <= 2 * self.wanted {
            at_least -= 1;
            chosen += cells_with[at_least];
        }
        self.at_least = at_least as u8;
    }

    /// The second pass: whether a key is counted at all.
    #[inline]
    pub fn may_be_common(&self, key: u64) -> bool {
        self.cells[self.cell(key)] >= self.at_least
    }

    /// The second pass: a key that may be common, once for each game that has it.
    pub fn count(&mut self, key: u64) {
        *self.counts.entry(key).or_insert(0) += 1;
    }

    /// The commonest keys.
    pub fn commonest(self) -> CommonKeys {
        let missed = u32::from(self.at_least) - 1;
        let mut counted: Vec<(u64, u32)> = self.counts.into_iter().filter(|(_, count)| *count > missed).collect();
        counted.sort_unstable_by_key(|(key, count)| (std::cmp::Reverse(*count), *key));
        let left_out = counted.get(self.wanted).map_or(missed, |(_, count)| *count);
        counted.truncate(self.wanted);
        let mut kept: Vec<(u64, u32)> = counted.into_iter().map(|(key, count)| (short(key), count)).collect();
        kept.sort_unstable_by_key(|(key, count)| (*key, std::cmp::Reverse(*count)));
        kept.dedup_by_key(|(key, _)| *key);
        CommonKeys { kept, left_out }
    }
}

fn short(key: u64) -> u64 {
    key >> (u64::BITS - KEPT_BITS)
}

/// The commonest keys of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommonKeys {
    /// The first bits of each key in ascending order, and the number of games that have it.
    kept: Vec<(u64, u32)>,
    /// No key that is not among them is in more games than this.
    left_out: u32,
}

impl CommonKeys {
    /// The number of games of the sample that have a key, if it is common.
    pub fn count_of(&self, key: u64) -> Option<u32> {
        let at = self.kept.binary_search_by_key(&short(key), |(key, _)| *key).ok()?;
        Some(self.kept[at].1)
    }

    /// No other key is in more games than this.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Appends the keys as bytes: the highest count of other keys, the number of keys, then for each key its distance
    /// to the previous one and its count.
    pub fn write(&self, out: &mut Vec<u8>) {
        varints::write(self.left_out.into(), out);
        varints::write(self.kept.len() as u64, out);
        let mut before = 0;
        for (key, count) in &self.kept {
            varints::write(key - before, out);
            varints::write(u64::from(*count), out);
            before = *key;
        }
    }

    /// Reads them; `None` if the bytes are not such keys.
    pub fn read(mut bytes: &[u8]) -> Option<CommonKeys> {
        let left_out = varints::take_u32(&mut bytes)?;
        let len = varints::take(&mut bytes)?;
        let mut kept = Vec::with_capacity(bytes.len() / 2);
        let mut before = 0u64;
        for _ in 0..len {
            before = before.checked_add(varints::take(&mut bytes)?)?;
            kept.push((before, varints::take_u32(&mut bytes)?));
        }
        bytes.is_empty().then_some(CommonKeys { kept, left_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test keys, spread over all bits as hashes are.
    fn key(n: u64) -> u64 {
        (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xff51_afd7_ed55_8ccd)
    }

    /// Key `n` is in every game whose number it divides, and each game has ten keys of its own.
    fn counted(games: u64, keys: u64, wanted: usize, once: bool) -> CommonKeys {
        let of_game = |game: u64| {
            let shared = (1..=keys).filter(move |n| game.is_multiple_of(*n)).map(key);
            shared.chain((0..10).map(move |n| key(1_000_000 + 10 * game + n)))
        };
        let mut counts = KeyCounts::new((games * 15) as usize, wanted);
        (1..=games).flat_map(of_game).for_each(|key| counts.foresee(key));
        counts.choose(once);
        for key in (1..=games).flat_map(of_game) {
            if counts.may_be_common(key) {
                counts.count(key);
            }
        }
        counts.commonest()
    }

    #[test]
    fn the_commonest_are_kept_with_their_counts() {
        let games = 3000;
        let common = counted(games, 400, 100, false);
        assert_eq!(common.len(), 100);
        for n in 1..=90 {
            assert_eq!(common.count_of(key(n)), Some((games / n) as u32), "{n}");
        }
        assert!((29..=30).contains(&common.left_out()), "{}", common.left_out());
        assert_eq!(common.count_of(key(200)), None);
        assert_eq!(common.count_of(key(1_000_005)), None);
    }

    #[test]
    fn where_all_fit_nothing_is_left_out() {
        let common = counted(20, 5, 1000, true);
        assert_eq!((common.len(), common.left_out()), (205, 0));
        let common = counted(20, 5, 1000, false);
        assert_eq!((common.len(), common.left_out()), (5, 1));
    }

    #[test]
    fn round_trip_and_bytes_of_other_origin() {
        let common = counted(3000, 400, 100, false);
        let mut bytes = Vec::new();
        common.write(&mut bytes);
        assert_eq!(CommonKeys::read(&bytes), Some(common));
        for len in 0..bytes.len() {
            assert_eq!(CommonKeys::read(&bytes[..len]), None, "{len}");
        }
        // A length that would take all memory.
        assert_eq!(CommonKeys::read(&[1, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
    }
}
