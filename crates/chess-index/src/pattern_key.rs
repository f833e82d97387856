//! Keys of patterns as keys of leaves.
//!
//! Takes the keys of [`chess_core::search::pattern`], which have 42 bits; returns numbers of 29 bits in the order of
//! White's material, then Black's, and back. A side has up to fifteen pieces beside its king, so there are 15,504
//! materials of a side. Keys of squares and events follow those of material.
//!
//! The material of the standard start has no number: nearly all games have it, so no pattern asks for it.

use std::sync::LazyLock;

use chess_core::search::pattern::{FREQUENT_KEYS, STANDARD_SIGNATURE, place_of, signature_in};

/// Most pieces of a side, without its king.
const MOST: usize = 15;
/// Kinds of pieces of a side, without the king.
const KINDS: usize = 5;
/// Bits of the number of a side's material: there are 15,504, the ways to choose up to [`MOST`] pieces of [`KINDS`] kinds.
const SIDE_BITS: u32 = 14;
/// The first number of a key of a square or an event.
pub(crate) const FIRST_FREQUENT: u64 = 1 << (2 * SIDE_BITS);
/// All numbers are below this one.
pub(crate) const END: u64 = FIRST_FREQUENT + FREQUENT_KEYS as u64;

struct Sides {
    /// For each kind, the pieces that are left and the pieces of this kind: the number of materials that come before
    /// because they have fewer of this kind.
    before: [[[u16; MOST + 1]; MOST + 1]; KINDS],
    /// The signature of each material, as White's: four bits a kind, each followed by four zeros.
    signatures: Vec<u64>,
}

static SIDES: LazyLock<Sides> = LazyLock::new(|| {
    // ways[kinds][pieces]: the ways to choose up to so many pieces of so many kinds
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

/// The number of pieces in a signature.
fn pieces(signature: u64) -> usize {
    (0..2 * KINDS).map(|kind| (signature >> (4 * kind)) as usize & 15).sum()
}

/// The number of a side's material; `signature` has White's counts. None for more pieces than a side can have.
fn side(before: &[[[u16; MOST + 1]; MOST + 1]; KINDS], signature: u64) -> Option<u64> {
    let (mut left, mut number) = (MOST, 0);
    for (kind, before) in before.iter().enumerate() {
        let count = (signature >> (8 * (KINDS - 1 - kind) + 4)) as usize & 15;
        number += u64::from(before[left][count]);
        left = left.checked_sub(count)?;
    }
    Some(number)
}

/// The number of a signature. None for more pieces than a game can have.
fn number_of_signature(signature: u64) -> Option<u64> {
    let before = &SIDES.before;
    Some(side(before, signature)? << SIDE_BITS | side(before, signature << 4)?)
}

/// The number of a key of a pattern. None for the material of the standard start, and for numbers that are no keys.
pub(crate) fn number_of(key: u64) -> Option<u64> {
    match signature_in(key) {
        Some(STANDARD_SIGNATURE) => None,
        Some(signature) => number_of_signature(signature),
        None => place_of(key).map(|place| FIRST_FREQUENT + place as u64),
    }
}

/// The signature with this number; None for numbers of other keys.
pub(crate) fn signature_of(number: u64) -> Option<u64> {
    let signatures = &SIDES.signatures;
    let white = signatures.get((number >> SIDE_BITS) as usize)?;
    let black = signatures.get(number as usize & ((1 << SIDE_BITS) - 1))?;
    Some(white | black >> 4)
}

/// The numbers of all signatures between two, kind by kind, lie between the results.
pub(crate) fn numbers_between(from: u64, to: u64) -> (u64, u64) {
    // The greatest that a side can have: its counts from the first kind on, as long as there are pieces left.
    let most = |signature: u64| {
        let (mut left, mut most) = (MOST as u64, 0);
        for kind in 0..KINDS {
            let shift = 8 * (KINDS - 1 - kind) + 4;
            let count = (signature >> shift & 15).min(left);
            most |= count << shift;
            left -= count;
        }
        most
    };
    let to = most(to) | most(to << 4) >> 4;
    let least = number_of_signature(from).unwrap_or(FIRST_FREQUENT);
    (least, number_of_signature(to).unwrap_or(FIRST_FREQUENT - 1))
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
    fn numbers_between_signatures() {
        let all = numbers_between(0, 0xff_ffff_ffff);
        assert_eq!(all.0, 0);
        for number in (0..FIRST_FREQUENT).step_by(999_983) {
            let Some(signature) = signature_of(number) else { continue };
            assert!((all.0..=all.1).contains(&number));
            // Each count by itself, and one more or less.
            for shift in (0..40).step_by(4) {
                let count = signature >> shift & 15;
                let from = signature - if count > 0 { 1 << shift } else { 0 };
                let to = signature + if count < 15 { 1 << shift } else { 0 };
                let (least, most) = numbers_between(from, to);
                assert!((least..=most).contains(&number), "{signature:x}");
            }
        }
    }
}
