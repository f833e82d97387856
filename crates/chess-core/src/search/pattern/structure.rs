//! Pawn structure: which pawns are passed, isolated, doubled, backward, connected; what they can ever
//! attack; outposts; pawn islands.
//!
//! Takes and returns sets. Each function is written for White and sees Black's pawns upside down.

use super::tree::Function;
use crate::board::squares::flipped;

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// The squares left and right.
pub(super) fn beside(set: u64) -> u64 {
    (set & !A_FILE) >> 1 | (set & !H_FILE) << 1
}

/// The set and what is ahead of it, as White sees the board.
fn ahead(set: u64) -> u64 {
    let set = set | set << 8;
    let set = set | set << 16;
    set | set << 32
}

/// The set and what is behind it.
fn behind(set: u64) -> u64 {
    let set = set | set >> 8;
    let set = set | set >> 16;
    set | set >> 32
}

/// The files of a set.
pub(super) fn files(set: u64) -> u64 {
    ahead(set) | behind(set)
}

/// Groups of neighbouring files that a set is on.
pub(super) fn islands(set: u64) -> u32 {
    let set = set | set >> 32;
    let set = set | set >> 16;
    let files = (set | set >> 8) as u32 & 0xff;
    (files & !(files << 1)).count_ones()
}

/// Those of `set` that a function names; `sides` are the pieces, `pawns` the pawns of White and Black.
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
    // What pawns of the other side attack now or after advancing.
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
