//! The squares that a piece can reach on an empty board, as sets.

use super::kinds::{BISHOP, KING, KNIGHT, QUEEN, ROOK};

/// `REACH[role][from]`: the squares that a piece can reach on an empty board; empty for pawns.
pub(crate) static REACH: [[u64; 64]; 6] = reaches();

const fn reaches() -> [[u64; 64]; 6] {
    const KNIGHT_STEPS: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    const BISHOP_STEPS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
    const ROOK_STEPS: [(i32, i32); 4] = [(1, 0), (0, -1), (-1, 0), (0, 1)];
    const KING_STEPS: [(i32, i32); 8] = [(1, 1), (1, -1), (-1, -1), (-1, 1), (1, 0), (0, -1), (-1, 0), (0, 1)];

    let mut table = [[0; 64]; 6];
    let mut from = 0;
    while from < 64 {
        table[KNIGHT as usize][from] = reach(from, &KNIGHT_STEPS, false);
        table[BISHOP as usize][from] = reach(from, &BISHOP_STEPS, true);
        table[ROOK as usize][from] = reach(from, &ROOK_STEPS, true);
        table[QUEEN as usize][from] = table[BISHOP as usize][from] | table[ROOK as usize][from];
        table[KING as usize][from] = reach(from, &KING_STEPS, false);
        from += 1;
    }
    table
}

/// The squares that `steps` reach from `from` on an empty board.
const fn reach(from: usize, steps: &[(i32, i32)], slides: bool) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        let mut file = (from % 8) as i32 + steps[i].0;
        let mut rank = (from / 8) as i32 + steps[i].1;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            set |= 1u64 << (8 * rank + file);
            if !slides {
                break;
            }
            file += steps[i].0;
            rank += steps[i].1;
        }
        i += 1;
    }
    set
}
