//! A set of squares at each moment of a stretch: for each square the moments at which it is in the set.

use std::ops::{BitAnd, BitOr, Not};

use super::times::Times;
use crate::board::squares::members;
use crate::search::pattern::meaning::structure::Squares;

#[derive(Clone, Copy, Debug)]
pub(super) struct Grid(pub [Times; 64]);

pub(super) static EMPTY: Grid = Grid([Times::NONE; 64]);
pub(super) static FULL: Grid = Grid([Times::ALL; 64]);

impl Default for Grid {
    fn default() -> Grid {
        EMPTY
    }
}

impl Grid {
    /// The moments at which the set has one of these squares.
    #[inline(always)]
    pub fn union_on(&self, squares: u64) -> Times {
        members(squares).fold(Times::NONE, |times, square| times | self.0[usize::from(square)])
    }
}

impl BitAnd for Grid {
    type Output = Grid;
    fn bitand(self, other: Grid) -> Grid {
        Grid(std::array::from_fn(|square| self.0[square] & other.0[square]))
    }
}

impl BitOr for Grid {
    type Output = Grid;
    fn bitor(self, other: Grid) -> Grid {
        Grid(std::array::from_fn(|square| self.0[square] | other.0[square]))
    }
}

impl Not for Grid {
    type Output = Grid;
    fn not(self) -> Grid {
        Grid(self.0.map(|times| !times))
    }
}

impl Squares for Grid {
    const NONE: Grid = EMPTY;

    fn up(self, ranks: usize) -> Grid {
        Grid(std::array::from_fn(|square| square.checked_sub(8 * ranks).map_or(Times::NONE, |from| self.0[from])))
    }

    fn down(self, ranks: usize) -> Grid {
        Grid(std::array::from_fn(|square| self.0.get(square + 8 * ranks).copied().unwrap_or(Times::NONE)))
    }

    fn beside(self) -> Grid {
        let of = |square: usize| {
            let left = if square.is_multiple_of(8) { Times::NONE } else { self.0[square - 1] };
            let right = if square % 8 == 7 { Times::NONE } else { self.0[square + 1] };
            left | right
        };
        Grid(std::array::from_fn(of))
    }

    fn on(self, squares: u64) -> Grid {
        Grid(std::array::from_fn(|square| if squares >> square & 1 == 1 { self.0[square] } else { Times::NONE }))
    }

    fn flipped(self) -> Grid {
        Grid(std::array::from_fn(|square| self.0[square ^ 56]))
    }

    fn is_none(self) -> bool {
        self.0.iter().all(|times| times.is_none())
    }
}
