//! Pawn structure: passed, isolated, doubled, backward and connected pawns, the squares that pawns can ever attack,
//! outposts, islands.
//!
//! Takes and returns sets, those of one moment or of many. Each function is written for White and sees Black's pawns upside
//! down.

use std::ops::{BitAnd, BitOr, Not};

use crate::board::squares::flipped;
use crate::search::pattern::language::tree::Function;

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// A set of squares.
pub trait Squares: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    const NONE: Self;

    /// The set shifted by `ranks` ranks, as White sees them.
    fn up(self, ranks: usize) -> Self;
    fn down(self, ranks: usize) -> Self;

    /// The squares to the left and right of the set.
    fn beside(self) -> Self;

    /// Those of the given squares.
    fn on(self, squares: u64) -> Self;

    /// The set upside down.
    fn flipped(self) -> Self;

    fn is_none(self) -> bool;
}

impl Squares for u64 {
    const NONE: u64 = 0;

    #[inline(always)]
    fn up(self, ranks: usize) -> u64 {
        self << (8 * ranks)
    }

    #[inline(always)]
    fn down(self, ranks: usize) -> u64 {
        self >> (8 * ranks)
    }

    #[inline(always)]
    fn beside(self) -> u64 {
        beside(self)
    }

    #[inline(always)]
    fn on(self, squares: u64) -> u64 {
        self & squares
    }

    #[inline(always)]
    fn flipped(self) -> u64 {
        flipped(self)
    }

    #[inline(always)]
    fn is_none(self) -> bool {
        self == 0
    }
}

/// The squares to the left and right of a set.
pub fn beside(set: u64) -> u64 {
    (set & !A_FILE) >> 1 | (set & !H_FILE) << 1
}

/// The set and all squares ahead of it, as White sees the board.
fn ahead<S: Squares>(set: S) -> S {
    let set = set | set.up(1);
    let set = set | set.up(2);
    set | set.up(4)
}

/// The set and all squares behind it.
fn behind<S: Squares>(set: S) -> S {
    let set = set | set.down(1);
    let set = set | set.down(2);
    set | set.down(4)
}

/// The files of a set.
pub fn files<S: Squares>(set: S) -> S {
    ahead(set) | behind(set)
}

/// Files without pawns of either side, given the files with pawns of each.
pub fn open_files<F: BitOr<Output = F> + Not<Output = F>>([white, black]: [F; 2]) -> F {
    !(white | black)
}

/// Files with pawns of the other side only.
pub fn half_open_files<F: BitAnd<Output = F> + Not<Output = F>>([own, enemy]: [F; 2]) -> F {
    !own & enemy
}

/// The number of groups of neighbouring files with squares of a set.
pub fn islands(set: u64) -> u32 {
    let set = set | set >> 32;
    let set = set | set >> 16;
    let files = (set | set >> 8) as u32 & 0xff;
    (files & !(files << 1)).count_ones()
}

/// The squares of `set` that have the property `function`, or its span. `pawns` and `sides` are the pawns and all
/// pieces of White and Black.
pub fn of<S: Squares>(function: Function, set: S, pawns: [S; 2], sides: impl Fn() -> [S; 2]) -> S {
    let [white, black] = pawns;
    let (set_of_white, set_of_black) = match function {
        Function::Outpost => {
            let [white, black] = sides();
            (set & white, set & black)
        }
        _ => (set & white, set & black),
    };
    let mut found = S::NONE;
    if !set_of_white.is_none() {
        found = of_white(function, set_of_white, white, black);
    }
    if !set_of_black.is_none() {
        found = found | of_white(function, set_of_black.flipped(), black.flipped(), white.flipped()).flipped();
    }
    found
}

fn of_white<S: Squares>(function: Function, set: S, own: S, enemy: S) -> S {
    // Squares that pawns of the other side attack now or after advancing.
    let enemy_span = || behind(enemy.down(1)).beside();
    match function {
        Function::Passed => set & !(behind(enemy.down(1)) | enemy_span()),
        Function::Isolated => set & !files(own).beside(),
        Function::Doubled => set & (ahead(own.up(1)) | behind(own.down(1))),
        Function::Connected => set & (own.beside() | own.up(1).beside() | own.down(1).beside()),
        Function::Backward => {
            let supported = ahead(own).beside();
            set & !supported & enemy.down(1).beside().down(1) & files(own).beside()
        }
        Function::Outpost => {
            const FOURTH_TO_SEVENTH: u64 = 0x00ff_ffff_ff00_0000;
            set.on(FOURTH_TO_SEVENTH) & own.up(1).beside() & !enemy_span()
        }
        Function::Span => ahead(set.up(1)).beside(),
        Function::Pinned | Function::Beside => S::NONE,
    }
}
