//! A posting of a build as one integer, which sorts as postings do in a segment, and as bytes of a temporary file, where
//! it takes less room because records in order differ little.

use crate::key::{Class, KEY_BITS, REST_BITS};
use crate::pattern_key::FIRST_FREQUENT;
use crate::segment::Tree;
use crate::sums::{number, write};
use crate::writer::Posting;

/// A posting as one integer. Its fields, from the upper bits down, make integer order the order of a segment: tree,
/// key, plain flag, rest of the hash, game, half-move, note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record(u128);

const NOTE_BITS: u32 = 20;
const PLY_BITS: u32 = 5;
const GAME_BITS: u32 = 31;
const GAME_AT: u32 = NOTE_BITS + PLY_BITS;
const REST_AT: u32 = GAME_AT + GAME_BITS;
const PLAIN_AT: u32 = REST_AT + REST_BITS;
const KEY_AT: u32 = PLAIN_AT + 1;
const TREE_AT: u32 = KEY_AT + KEY_BITS;
/// The bits of half-move and note.
const LOW: u64 = (1 << GAME_AT) - 1;
/// Numbers of materials are shifted left to the full width of a key. Otherwise all of them would have the same upper
/// bits, by which the sort partitions the records.
const MATERIAL_SHIFT: u32 = KEY_BITS - FIRST_FREQUENT.ilog2();
/// Most bytes of a packed record.
pub(crate) const MOST_PACKED: usize = 6 + 5 + 7;

impl Record {
    /// Sentinel, greater than all postings.
    pub(crate) const END: Record = Record(u128::MAX);

    /// A posting of a position at a half-move from 0 to 28.
    #[inline(always)]
    pub(crate) fn exact(hash: u64, game: u32, ply: u32, note: u32) -> Record {
        // Key, plain flag, rest of the hash.
        let list = u128::from(hash >> REST_BITS) << KEY_AT | u128::from(hash & ((1 << REST_BITS) - 1)) << REST_AT;
        Record(list | u128::from(u64::from(game) << GAME_AT | u64::from(ply) << NOTE_BITS | u64::from(note)))
    }

    /// A posting of a tail key.
    #[inline(always)]
    pub(crate) fn plain(hash: u64, game: u32) -> Record {
        Record(u128::from(hash >> REST_BITS) << KEY_AT | 1 << PLAIN_AT | u128::from(u64::from(game) << GAME_AT))
    }

    /// Makes the posting of a material, given by its number ([`crate::pattern_key`]).
    #[inline(always)]
    pub(crate) fn material(number: u64, game: u32) -> Record {
        let key = 1 << KEY_BITS | number << MATERIAL_SHIFT;
        Record(u128::from(key) << KEY_AT | 1 << PLAIN_AT | u128::from(u64::from(game) << GAME_AT))
    }

    /// The part that two postings share if they are of the same game in the same list.
    #[inline(always)]
    pub(crate) fn game_in_list(self) -> u128 {
        self.0 >> GAME_AT
    }

    #[inline(always)]
    pub(crate) fn posting(self) -> (Tree, Posting) {
        let low = self.0 as u64;
        let class = match self.0 >> PLAIN_AT & 1 {
            0 => Class::Exact((self.0 >> REST_AT) as u32 & ((1 << REST_BITS) - 1)),
            _ => Class::Plain,
        };
        let key = (self.0 >> KEY_AT) as u64 & ((1 << KEY_BITS) - 1);
        let (tree, key) = match self.0 >> TREE_AT {
            0 => (Tree::Positions, key),
            _ => (Tree::Patterns, key >> MATERIAL_SHIFT),
        };
        (tree, Posting { key, class, game: self.game(), note: low as u32 & ((1 << NOTE_BITS) - 1) })
    }

    #[inline(always)]
    pub(crate) fn game(self) -> u32 {
        (self.0 >> GAME_AT) as u32 & ((1 << GAME_BITS) - 1)
    }

    /// The upper bits of a key, by which a sort partitions records.
    #[inline(always)]
    pub(crate) fn part(self, bits: u32) -> usize {
        (self.0 >> (TREE_AT + 1 - bits)) as usize & ((1 << bits) - 1)
    }

    /// Tree, key and plain flag.
    #[inline(always)]
    fn key(self) -> u64 {
        (self.0 >> PLAIN_AT) as u64
    }
}

/// Packs the records of a run, in their order, or unpacks them.
///
/// A record is stored as the distance of its key from that of the record before, shifted left by a bit that is set if
/// it is in another list; then its game, as the distance from the game before in the same list, otherwise from the first
/// game of the run; these are numbers of 7 bits a byte, lowest first. Behind that a record with a half-move has it and the
/// note, in four bytes, or, in another list, with the rest of the hash before them, in seven.
#[derive(Clone, Copy)]
pub(crate) struct Packing {
    first: u32,
    before: Record,
}

impl Packing {
    /// Begins a run with its first game.
    pub(crate) fn new(first: u32) -> Packing {
        Packing { first, before: Record(0) }
    }

    /// Appends a record, not less than the one before.
    #[inline]
    pub(crate) fn pack(&mut self, record: Record, bytes: &mut Vec<u8>) {
        let before = std::mem::replace(&mut self.before, record);
        let is_other = record.0 >> REST_AT != before.0 >> REST_AT;
        write((record.key() - before.key()) << 1 | u64::from(is_other), bytes);
        let from = if is_other { self.first } else { before.game() };
        write(record.game().wrapping_sub(from).into(), bytes);
        if record.key() & 1 == 0 {
            let (low, size) = (record.0 as u64 & LOW, if is_other { 7 } else { 4 });
            let rest = (record.0 >> REST_AT) as u64 & ((1 << REST_BITS) - 1);
            bytes.extend_from_slice(&(rest << GAME_AT | low).to_le_bytes()[..size]);
        }
    }

    /// Takes a record from the beginning of `bytes`.
    #[inline]
    pub(crate) fn unpack(&mut self, bytes: &mut &[u8]) -> Record {
        let before = self.before;
        let mut next = || number(bytes).unwrap_or_default();
        let head = next();
        let (key, is_other) = (before.key() + (head >> 1), head & 1 == 1);
        let from = if is_other { self.first } else { before.game() };
        let game = from.wrapping_add(next() as u32);
        let (mut rest, mut low) = (0, 0);
        if key & 1 == 0 {
            let (stored, behind) = bytes.split_at(if is_other { 7 } else { 4 }.min(bytes.len()));
            *bytes = behind;
            let mut word = [0; 8];
            word[..stored.len()].copy_from_slice(stored);
            let word = u64::from_le_bytes(word);
            rest = if is_other { word >> GAME_AT } else { (before.0 >> REST_AT) as u64 & ((1 << REST_BITS) - 1) };
            low = word & LOW;
        }
        let list = u128::from(key) << PLAIN_AT | u128::from(rest) << REST_AT;
        self.before = Record(list | u128::from(u64::from(game) << GAME_AT | low));
        self.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_its_posting() {
        let (hash, game, note) = (0xfedc_ba98_7654_3210, (1 << 31) - 1, (1 << 20) - 1);
        let (tree, exact) = Record::exact(hash, game, 28, note).posting();
        assert_eq!(tree, Tree::Positions);
        assert_eq!(exact, Posting { key: hash >> 30, class: Class::Exact(0x3654_3210), game, note });
        assert_eq!(exact.class.hash(exact.key), Some(hash));
        let plain = Record::plain(hash, game).posting();
        assert_eq!(plain, (Tree::Positions, Posting { key: hash >> 30, class: Class::Plain, game, note: 0 }));
        let number = FIRST_FREQUENT - 1;
        let material = Record::material(number, game).posting();
        assert_eq!(material, (Tree::Patterns, Posting { key: number, class: Class::Plain, game, note: 0 }));
        assert!(Record::exact(u64::MAX, game, 28, note) < Record::material(0, 0));
        assert!(Record::material(number, game) < Record::END);
        assert!(Record::exact(hash, game, 28, note) < Record::plain(hash & !0x3fff_ffff, 0));
    }

    #[test]
    fn packed_records_come_back() {
        let hashes = [0, 1, 5 << REST_BITS, 5 << REST_BITS | 1, 6 << REST_BITS, u64::MAX];
        let games = [0, 1, 127, 128, 1 << 20, (1 << GAME_BITS) - 1];
        let mut records = Vec::new();
        for game in games {
            for hash in hashes {
                records.push(Record::plain(hash, game));
                records.extend(
                    [(0, 0), (7, 9), (28, (1 << NOTE_BITS) - 1)]
                        .map(|(ply, note)| Record::exact(hash, game, ply, note)),
                );
            }
            records.extend([0, 1, FIRST_FREQUENT - 1].map(|number| Record::material(number, game)));
        }
        records.sort_unstable();
        for first in games {
            let (mut packing, mut bytes) = (Packing::new(first), Vec::new());
            for record in &records {
                let from = bytes.len();
                packing.pack(*record, &mut bytes);
                assert!(bytes.len() - from <= MOST_PACKED, "{record:?}");
            }
            let (mut packing, mut bytes) = (Packing::new(first), bytes.as_slice());
            for record in &records {
                assert_eq!(packing.unpack(&mut bytes), *record);
            }
            assert!(bytes.is_empty());
        }
    }
}
