//! Pawn structure: passed, isolated, doubled, backward and connected pawns, the squares that pawns can ever attack,
//! outposts, islands.
//!
//! Takes and returns sets. Each function is written for White and sees Black's pawns upside down.

use super::tree::Function;
use crate::board::squares::flipped;

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// The squares to the left and right of a set.
pub(super) fn beside(set: u64) -> u64 {
    (set & !A_FILE) >> 1 | (set & !H_FILE) << 1
}

/// The set and all squares ahead of it, as White sees the board.
fn ahead(set: u64) -> u64 {
    let set = set | set << 8;
    let set = set | set << 16;
    set | set << 32
}

/// The set and all squares behind it.
fn behind(set: u64) -> u64 {
    let set = set | set >> 8;
    let set = set | set >> 16;
    set | set >> 32
}

/// The files of a set.
pub(super) fn files(set: u64) -> u64 {
    ahead(set) | behind(set)
}

/// The number of groups of neighbouring files with squares of a set.
pub(super) fn islands(set: u64) -> u32 {
    let set = set | set >> 32;
    let set = set | set >> 16;
    let files = (set | set >> 8) as u32 & 0xff;
    (files & !(files << 1)).count_ones()
}

/// The squares of `set` that have the property `function`, or its span. `pawns` and `sides` are the pawns and all
/// pieces of White and Black.
pub(super) fn of(function: Function, set: u64, pawns: [u64; 2], sides: impl Fn() -> [u64; 2]) -> u64 {
    let [white, black] = pawns;
    let (set_of_white, set_of_black) = match function {
        Function::Outpost => {
            let [white, black] = sides();
            (set & white, set & black)
        }
        _ => (set & white, set & black),
    };
    let mut found = 0;
    if set_of_white != 0 {
        found |= of_white(function, set_of_white, white, black);
    }
    if set_of_black != 0 {
        found |= flipped(of_white(function, flipped(set_of_black), flipped(black), flipped(white)));
    }
    found
}

fn of_white(function: Function, set: u64, own: u64, enemy: u64) -> u64 {
    // Squares that pawns of the other side attack now or after advancing.
    let enemy_span = || beside(behind(enemy >> 8));
    match function {
        Function::Passed => set & !(behind(enemy >> 8) | enemy_span()),
        Function::Isolated => set & !beside(files(own)),
        Function::Doubled => set & (ahead(own << 8) | behind(own >> 8)),
        Function::Connected => set & (beside(own) | beside(own << 8) | beside(own >> 8)),
        Function::Backward => {
            let supported = beside(ahead(own));
            set & !supported & beside(enemy >> 8) >> 8 & beside(files(own))
        }
        Function::Outpost => {
            const FOURTH_TO_SEVENTH: u64 = 0x00ff_ffff_ff00_0000;
            set & FOURTH_TO_SEVENTH & beside(own << 8) & !enemy_span()
        }
        Function::Span => beside(ahead(set << 8)),
        Function::Pinned | Function::Beside => 0,
    }
}
