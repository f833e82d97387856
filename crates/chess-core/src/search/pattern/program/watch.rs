//! What half-moves change, and what they must change for a value to become another one.

use crate::search::pattern::language::tree::Contents;

/// Dependencies of a node: bits 0 to 11 for the squares of each kind, 12 to 23 for the number of its pieces, and
/// [`ALWAYS`].
pub type Causes = u32;

/// A dependency on every half-move.
pub const ALWAYS: Causes = 1 << 24;
/// The number of causes.
pub const CAUSES: usize = 25;

/// Half-moves that can change a value: kinds that move, causes, and squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    pub movers: Contents,
    pub causes: Causes,
    pub squares: u64,
}

impl Watch {
    pub const NEVER: Watch = Watch { movers: 0, causes: 0, squares: 0 };
    pub const ALWAYS: Watch = Watch { movers: !0, causes: !0, squares: !0 };

    /// A watch for half-moves of all kinds of pieces.
    pub fn of(causes: Causes, squares: u64) -> Watch {
        Watch { movers: !0, causes, squares }
    }

    #[inline(always)]
    pub fn or(self, other: Watch) -> Watch {
        Watch {
            movers: self.movers | other.movers,
            causes: self.causes | other.causes,
            squares: self.squares | other.squares,
        }
    }

    /// Whether two watches have a cause and a square in common.
    #[inline(always)]
    pub fn touches(self, other: Watch) -> bool {
        self.causes & other.causes != 0 && self.squares & other.squares != 0
    }

    /// Like [`Watch::touches`], and a mover in common, too.
    #[inline(always)]
    pub fn meets(self, other: Watch) -> bool {
        self.touches(other) && self.movers & other.movers != 0
    }

    /// Whether another watch covers this one and is not much wider.
    #[inline]
    pub fn is_little_less_than(self, other: Watch) -> bool {
        self.causes == other.causes
            && self.movers == other.movers
            && self.squares & !other.squares == 0
            && (other.squares & !self.squares).count_ones() < 8
    }

    /// Whether few half-moves will meet it, so that values may be left stale until one does.
    #[inline]
    pub fn is_narrow(self) -> bool {
        let few_captures = self.causes & (ALWAYS | 0xfff) == 0 && has_at_most(4, (self.movers & 0xfff).into());
        few_captures || has_at_most(4, self.squares)
    }
}

/// Whether a set has at most `most` squares. Counting all of its squares takes longer on processors that have no instruction
/// for it.
#[inline(always)]
pub fn has_at_most(most: u32, set: u64) -> bool {
    (0..most).fold(set, |rest, _| rest & rest.wrapping_sub(1)) == 0
}
