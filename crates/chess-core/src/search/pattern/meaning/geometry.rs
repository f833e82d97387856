//! Finds squares in a direction from others, between them, and at a distance.
//!
//! Takes and returns sets of squares. What stands on a board plays no part.

use crate::board::squares::members;

/// What a step in each direction adds to the number of a square. The directions stand in the order of
/// `steps` of a line, and the opposite of direction n is n ^ 1.
pub const STEP: [i32; 8] = [8, -8, 1, -1, 9, -9, -7, 7];
/// For each direction, the squares that a step can enter without leaving the board on the other side.
pub const ENTERED: [u64; 8] = {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !(0x0101_0101_0101_0101 << 7);
    const NOT_FIRST: u64 = !0xff;
    const NOT_LAST: u64 = !(0xff << 56);
    [NOT_FIRST, NOT_LAST, NOT_A, NOT_H, NOT_FIRST & NOT_A, NOT_LAST & NOT_H, NOT_LAST & NOT_A, NOT_FIRST & NOT_H]
};
/// For each direction and each square, the squares that lie there.
const RAYS: [[u64; 64]; 8] = {
    let mut all = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut square = 0;
        while square < 64 {
            all[direction][square] = filled(1 << square, direction);
            square += 1;
        }
        direction += 1;
    }
    all
};

/// Returns the squares that lie in a direction from some square of a set.
#[inline(always)]
pub fn rays(set: u64, direction: usize) -> u64 {
    if set & set.wrapping_sub(1) == 0 {
        // Many sets have one square, and a table answers for it in fewer instructions.
        return if set == 0 { 0 } else { RAYS[direction & 7][set.trailing_zeros() as usize & 63] };
    }
    filled(set, direction)
}

const fn filled(set: u64, direction: usize) -> u64 {
    let by = (STEP[direction & 7] & 63) as u32;
    let mut pass = ENTERED[direction & 7];
    let mut found = pass & set.rotate_left(by);
    found |= pass & found.rotate_left(by);
    pass &= pass.rotate_left(by);
    found |= pass & found.rotate_left(2 * by % 64);
    pass &= pass.rotate_left(2 * by % 64);
    found | pass & found.rotate_left(4 * by % 64)
}

/// For each distance and each square, the squares that are at most so far away.
const AROUND: [[u64; 64]; 8] = {
    let mut all = [[0; 64]; 8];
    let mut n = 0;
    while n < 8 * 64 * 64 {
        let (radius, square, other): (usize, usize, usize) = (n / 4096, n / 64 % 64, n % 64);
        if (square % 8).abs_diff(other % 8) <= radius && (square / 8).abs_diff(other / 8) <= radius {
            all[radius][square] |= 1 << other;
        }
        n += 1;
    }
    all
};

/// Returns the squares at these distances from a square, in king's moves.
pub fn ring(square: u8, from: u32, to: u32) -> u64 {
    if from > to {
        return 0;
    }
    let around = |radius: u32| AROUND[radius.min(7) as usize][usize::from(square & 63)];
    around(to) & !from.checked_sub(1).map_or(0, around)
}

/// Returns the squares at these distances from some square of a set.
pub fn near(set: u64, from: u32, to: u32) -> u64 {
    members(set).fold(0, |found, square| found | ring(square, from, to))
}

/// Returns the squares that lie on a line between a square of one set and a square of another.
pub fn between(a: u64, b: u64) -> u64 {
    (0..8).fold(0, |found, direction| found | rays(a, direction) & rays(b, direction ^ 1))
}
