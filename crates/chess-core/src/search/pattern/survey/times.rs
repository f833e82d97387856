//! Sets of moments, one bit each.
//!
//! [`Times`] has the moments of a stretch of a game, [`Whole`] those of a game of `M` stretches. One operation handles all
//! of their moments.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// The number of moments of a stretch.
pub(super) const STRETCH: usize = 128;

/// Moments of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times(pub [u64; 2]);

const BEFORE: [Times; STRETCH + 1] = {
    let mut sets = [Times::NONE; STRETCH + 1];
    let mut n = 1;
    while n <= STRETCH {
        let all = u128::MAX >> (STRETCH - n);
        sets[n] = Times([all as u64, (all >> 64) as u64]);
        n += 1;
    }
    sets
};

impl Times {
    pub const NONE: Times = Times([0; 2]);
    pub const ALL: Times = Times([!0; 2]);

    /// The moments before one.
    #[inline(always)]
    pub fn before(moment: usize) -> Times {
        BEFORE[moment.min(STRETCH)]
    }

    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    #[inline(always)]
    fn bits(self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1]) << 64
    }

    #[inline(always)]
    fn of(bits: u128) -> Times {
        Times([bits as u64, (bits >> 64) as u64])
    }

    #[inline(always)]
    pub fn insert(&mut self, moment: usize) {
        self.0[(moment / 64) & 1] |= 1 << (moment % 64);
    }

    /// The moments of this set that are not in another.
    #[inline(always)]
    pub fn without(self, other: Times) -> Times {
        self & !other
    }
}

impl BitAnd for Times {
    type Output = Times;
    #[inline(always)]
    fn bitand(self, other: Times) -> Times {
        Times([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitOr for Times {
    type Output = Times;
    #[inline(always)]
    fn bitor(self, other: Times) -> Times {
        Times([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitXor for Times {
    type Output = Times;
    #[inline(always)]
    fn bitxor(self, other: Times) -> Times {
        Times([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

impl Not for Times {
    type Output = Times;
    #[inline(always)]
    fn not(self) -> Times {
        Times([!self.0[0], !self.0[1]])
    }
}

impl BitAndAssign for Times {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Times) {
        *self = *self & other;
    }
}

impl BitOrAssign for Times {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Times) {
        *self = *self | other;
    }
}

/// Moments of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whole<const M: usize>(pub [Times; M]);

impl<const M: usize> Whole<M> {
    pub const NONE: Whole<M> = Whole([Times::NONE; M]);

    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0.iter().all(|times| times.is_none())
    }

    #[inline(always)]
    pub fn and(mut self, other: Whole<M>) -> Whole<M> {
        for (times, other) in self.0.iter_mut().zip(other.0) {
            *times &= other;
        }
        self
    }

    #[inline(always)]
    pub fn or(mut self, other: Whole<M>) -> Whole<M> {
        for (times, other) in self.0.iter_mut().zip(other.0) {
            *times |= other;
        }
        self
    }

    #[inline]
    pub fn insert(&mut self, moment: usize) {
        if let Some(times) = self.0.get_mut(moment / STRETCH) {
            times.insert(moment % STRETCH);
        }
    }

    /// The moments that come so much later.
    #[inline]
    pub fn later(self, by: usize) -> Whole<M> {
        let mut moved = Whole::NONE;
        let (stretches, bits) = (by / STRETCH, by % STRETCH);
        for n in stretches..M {
            let mut all = self.0[n - stretches].bits() << bits;
            if bits != 0 && n > stretches {
                all |= self.0[n - stretches - 1].bits() >> (STRETCH - bits);
            }
            moved.0[n] = Times::of(all);
        }
        moved
    }

    /// [`Whole::later`] by one.
    #[inline(always)]
    pub fn next(self) -> Whole<M> {
        let (mut moved, mut carry) = (self, 0);
        for Times(words) in &mut moved.0 {
            for word in words {
                (*word, carry) = (*word << 1 | carry, *word >> 63);
            }
        }
        moved
    }

    /// The moments of the set, and those that come up to so much later.
    pub fn and_up_to(self, by: usize) -> Whole<M> {
        let (mut set, mut done) = (self, 0);
        let by = by.min(STRETCH * M);
        while done < by {
            let step = (done + 1).min(by - done);
            set = set.or(set.later(step));
            done += step;
        }
        set
    }

    /// The first moment of the set, and all that come later.
    #[inline]
    pub fn onward(self) -> Whole<M> {
        let (mut set, mut has_begun) = (self, false);
        for Times(words) in &mut set.0 {
            for word in words {
                *word = if has_begun { !0 } else { *word | word.wrapping_neg() };
                has_begun |= *word != 0;
            }
        }
        set
    }

    /// The moments at the end of `length` moments in a row that are all in the set.
    pub fn runs(self, length: usize) -> Whole<M> {
        if length > STRETCH * M {
            return Whole::NONE;
        }
        let (mut set, mut done) = (self, 1);
        while done < length && !set.is_none() {
            let step = done.min(length - done);
            set = set.and(if step == 1 { set.next() } else { set.later(step) });
            done += step;
        }
        set
    }

    /// The moments of the set, and those behind one of them up to which all are in `through`, but for the last.
    pub fn flood(self, through: Whole<M>) -> Whole<M> {
        let (mut set, mut passed, mut by) = (self, through.next(), 1);
        while by < STRETCH * M && !passed.is_none() {
            set = set.or(passed.and(set.later(by)));
            passed = passed.and(passed.later(by));
            by *= 2;
        }
        set
    }

    /// The moments, in order.
    pub fn moments(self) -> impl Iterator<Item = usize> {
        (0..2 * M).flat_map(move |n| crate::search::pattern::step::ones(n, self.0[n / 2].0[n % 2]))
    }
}
