//! Numbers: how they compare, and what pieces are worth.
//!
//! What is true of one moment is a `bool`, what is true of many a set of moments.

use std::ops::{BitOr, Not};

use crate::search::pattern::language::tree::Comparison;

/// What pieces are worth: pawns, knights, bishops, rooks, queens.
pub const WORTH: [u64; 5] = [1, 3, 3, 5, 9];

impl Comparison {
    /// Whether numbers compare so, where it is known whether the first is less, and whether they are equal.
    #[inline(always)]
    pub fn of<T: Copy + BitOr<Output = T> + Not<Output = T>>(self, less: T, equal: T) -> T {
        match self {
            Comparison::Equal => equal,
            Comparison::Unequal => !equal,
            Comparison::Less => less,
            Comparison::AtMost => less | equal,
            Comparison::Greater => !(less | equal),
            Comparison::AtLeast => !less,
        }
    }
}
