//! Converts the search keys of patterns to the shorter keys under which a segment stores them, and back.
//!
//! A *pattern key* of [`chess_core::search::pattern`] stands for something that a game has at some moment: a material
//! (the number of pieces of each kind, packed into a *signature* of 40 bits), a piece on a square, or an event. With
//! its type it takes 42 bits, but a key of a segment has only 34. Most signatures are impossible, because a side has at
//! most fifteen pieces beside its king: only 15,504 materials of a side are left, which fit into 14 bits. So a material
//! is stored as two such numbers, White's in the upper bits, and all keys fit into 29 bits. Squares and events (the
//! *frequent keys*) have the numbers after the materials.
//!
//! The numbers of a side's materials sort as their signatures do, so the numbers of a range of materials are a range
//! for each of White's materials ([`Materials`]), and one walk through the directory finds all of their lists.
//!
//! The material of the standard start has no number and no list. Nearly all games have it, so the list would not narrow
//! any search.

use std::sync::LazyLock;

use chess_core::search::pattern::{FREQUENT_KEYS, STANDARD_SIGNATURE, place_of, signature_in};

/// The most pieces of a side, without its king.
const MOST: usize = 15;
/// The kinds of pieces of a side, without the king.
const KINDS: usize = 5;
/// The bits of the number of one side's material. There are 15,504 materials: the ways to choose up to [`MOST`] pieces
/// of [`KINDS`] kinds.
const SIDE_BITS: u32 = 14;
/// The number of the first frequent key. The numbers of materials are lower.
pub(crate) const FIRST_FREQUENT: u64 = 1 << (2 * SIDE_BITS);
/// The end of the numbers, exclusive.
pub(crate) const END: u64 = FIRST_FREQUENT + FREQUENT_KEYS as u64;

/// The bits of White's counts in a signature.
const WHITE: u64 = 0xf0_f0f0_f0f0;

struct Sides {
    /// The tables by which a signature becomes a number. `before[kind][left][count]` is the number of materials that
    /// sort before those with `count` pieces of this kind, if the earlier kinds leave room for `left` pieces and are
    /// equal.
    before: [[[u16; MOST + 1]; MOST + 1]; KINDS],
    /// The signature of each material, by its number. It has White's counts of four bits per kind; the four bits after
    /// each count are Black's and zero here.
    signatures: Vec<u64>,
}

static SIDES: LazyLock<Sides> = LazyLock::new(|| {
    // `ways[kinds][pieces]` is the number of ways to choose at most `pieces` pieces of `kinds` kinds.
    let mut ways = [[1u16; MOST + 1]; KINDS + 1];
    for kinds in 1..=KINDS {
        for pieces in 1..=MOST {
            ways[kinds][pieces] = ways[kinds][pieces - 1] + ways[kinds - 1][pieces];
        }
    }
    let mut before = [[[0; MOST + 1]; MOST + 1]; KINDS];
    for (kind, before) in before.iter_mut().enumerate() {
        for (left, before) in before.iter_mut().enumerate() {
            for count in 1..=left {
                before[count] = before[count - 1] + ways[KINDS - 1 - kind][left + 1 - count];
            }
        }
    }
    let mut signatures = vec![0];
    for kind in 0..KINDS {
        let shift = 8 * (KINDS - 1 - kind) + 4;
        let with_kind = |signature: &u64| {
            let left = MOST - pieces(*signature);
            (0..=left as u64).map(|count| signature | count << shift).collect::<Vec<u64>>()
        };
        signatures = signatures.iter().flat_map(with_kind).collect();
    }
    Sides { before, signatures }
});

fn pieces(signature: u64) -> usize {
    (0..2 * KINDS).map(|kind| (signature >> (4 * kind)) as usize & 15).sum()
}

/// Returns the number of White's material in `signature`; `None` if a side cannot have that many pieces.
fn side(before: &[[[u16; MOST + 1]; MOST + 1]; KINDS], signature: u64) -> Option<u64> {
    let (mut left, mut number) = (MOST, 0);
    for (kind, before) in before.iter().enumerate() {
        let count = (signature >> (8 * (KINDS - 1 - kind) + 4)) as usize & 15;
        number += u64::from(before[left][count]);
        left = left.checked_sub(count)?;
    }
    Some(number)
}

/// Returns the number of the material of both sides; `None` if a side cannot have that many pieces.
fn number_of_signature(signature: u64) -> Option<u64> {
    let before = &SIDES.before;
    Some(side(before, signature)? << SIDE_BITS | side(before, signature << 4)?)
}

/// Converts a pattern key to its number. Returns `None` for the material of the standard start, which has no list, and
/// for values that are not pattern keys.
pub(crate) fn number_of(key: u64) -> Option<u64> {
    match signature_in(key) {
        Some(STANDARD_SIGNATURE) => None,
        Some(signature) => number_of_signature(signature),
        None => place_of(key).map(|place| FIRST_FREQUENT + place as u64),
    }
}

/// Converts the number of a material back to its signature; `None` for other numbers.
pub(crate) fn signature_of(number: u64) -> Option<u64> {
    let signatures = &SIDES.signatures;
    let white = signatures.get((number >> SIDE_BITS) as usize)?;
    let black = signatures.get(number as usize & ((1 << SIDE_BITS) - 1))?;
    Some(white | black >> 4)
}

/// The numbers of the materials whose count of each kind lies between two bounds. They are not consecutive: each of
/// White's materials is followed by all of Black's.
pub(crate) struct Materials {
    /// The numbers of White's materials, ascending.
    white: Vec<u64>,
    /// The numbers of Black's materials, ascending.
    black: Vec<u64>,
}

impl Materials {
    /// Those whose signature has at least the counts of `from` and at most those of `to`.
    pub(crate) fn between(from: u64, to: u64) -> Materials {
        let side = |from: u64, to: u64| {
            let signatures = &SIDES.signatures;
            let first = signatures.partition_point(|signature| *signature < from);
            let end = signatures.partition_point(|signature| *signature <= to);
            let is_in = |at: &usize| {
                (0..KINDS).all(|kind| {
                    let count = |signature: u64| signature >> (8 * kind + 4) & 15;
                    (count(from)..=count(to)).contains(&count(signatures[*at]))
                })
            };
            (first..end).filter(is_in).map(|at| at as u64).collect()
        };
        Materials { white: side(from & WHITE, to & WHITE), black: side(from << 4 & WHITE, to << 4 & WHITE) }
    }

    /// The least of them that is not before `number`.
    pub(crate) fn first_from(&self, number: u64) -> Option<u64> {
        let (white, black) = (number >> SIDE_BITS, number & ((1 << SIDE_BITS) - 1));
        let mut at = self.white.partition_point(|other| *other < white);
        if self.white.get(at) == Some(&white) {
            let next = self.black.partition_point(|other| *other < black);
            if let Some(black) = self.black.get(next) {
                return Some(white << SIDE_BITS | black);
            }
            at += 1;
        }
        Some(self.white.get(at)? << SIDE_BITS | self.black.first()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::search::pattern::material_key;

    #[test]
    fn numbers_of_sides_are_dense_and_ascending() {
        let sides = &*SIDES;
        assert_eq!(sides.signatures.len(), 15_504);
        for (number, signature) in sides.signatures.iter().enumerate() {
            assert_eq!(side(&sides.before, *signature), Some(number as u64));
        }
        assert!(sides.signatures.is_sorted());
        assert!(sides.signatures.len() <= 1 << SIDE_BITS);
    }

    #[test]
    fn keys_have_numbers_in_range() {
        let last = 15_503;
        for (white, black) in [(0, 0), (1, 0), (0, 1), (last, last), (7_777, 12_345)] {
            let number = white << SIDE_BITS | black;
            let signature = signature_of(number).unwrap();
            assert_eq!(number_of(material_key(signature)), Some(number));
        }
        assert_eq!(number_of(material_key(STANDARD_SIGNATURE)), None);
        assert_eq!(number_of(material_key(0xff_ffff_ffff)), None);
        assert_eq!(signature_of(last << SIDE_BITS | (last + 1)), None);
        assert_eq!(signature_of((last + 1) << SIDE_BITS), None);
        assert_eq!(number_of(2 << 40), Some(FIRST_FREQUENT));
        assert_eq!(number_of(3 << 40 | 163), Some(END - 1));
        assert_eq!([number_of(0), number_of(3 << 40 | 164), number_of(4 << 40), number_of(u64::MAX)], [None; 4]);
    }

    #[test]
    fn materials_between_bounds() {
        let signatures =
            || (0..FIRST_FREQUENT).step_by(9973).filter_map(|number| Some((number, signature_of(number)?)));
        let count = |signature: u64, kind: usize| signature >> (4 * kind) & 15;
        for (from, to) in [
            (0, 0xff_ffff_ffff),
            (0x11_2222_2288, 0x11_2222_2288),
            (0, 0x11_1100_0088),
            (0x10_0000_0000, 0xf0_ff0f_f08f),
            (0x20, 0x10),
        ] {
            let materials = Materials::between(from, to);
            let all: Vec<u64> = std::iter::successors(materials.first_from(0), |last| materials.first_from(last + 1))
                .take(100_000)
                .collect();
            assert!(all.is_sorted());
            let last = if all.len() < 100_000 { u64::MAX } else { all[all.len() - 1] };
            for (number, signature) in signatures().filter(|(number, _)| *number <= last) {
                let is_in = (0..10).all(|kind| (count(from, kind)..=count(to, kind)).contains(&count(signature, kind)));
                assert_eq!(all.binary_search(&number).is_ok(), is_in, "{signature:x} between {from:x} and {to:x}");
            }
        }
        assert_eq!(Materials::between(0x20, 0x10).first_from(0), None);
    }
}
