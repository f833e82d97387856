//! Numbers at all moments of a stretch: for each binary digit the moments at which it is one.

use super::grid::Grid;
use super::stretch::{Number, Set, Stretch};
use super::times::Times;
use crate::board::squares::members;
use crate::search::pattern::language::tree::{Comparison, file_squares};
use crate::search::pattern::meaning::numbers::WORTH;
use crate::search::pattern::program::{Node, Program};
use crate::search::pattern::step::ones;

/// The lowest binary digits of the moments of a stretch.
const OF_MOMENTS: [Times; 7] = [
    Times([0xaaaa_aaaa_aaaa_aaaa; 2]),
    Times([0xcccc_cccc_cccc_cccc; 2]),
    Times([0xf0f0_f0f0_f0f0_f0f0; 2]),
    Times([0xff00_ff00_ff00_ff00; 2]),
    Times([0xffff_0000_ffff_0000; 2]),
    Times([0xffff_ffff_0000_0000; 2]),
    Times([0, !0]),
];

/// Instructions, roughly, for a digit.
const OF_DIGIT: u64 = 20;
/// The same for a number, besides.
const OF_NUMBER: u64 = 50;

/// Adds numbers of one digit.
#[derive(Default)]
struct Counter {
    digits: [Times; 8],
}

fn add_three(a: Times, b: Times, c: Times) -> (Times, Times) {
    let either = a ^ b;
    (either ^ c, a & b | either & c)
}

impl Counter {
    /// Adds four, which takes fewer operations than to add one by one.
    #[inline(always)]
    fn add_four(&mut self, [a, b, c, d]: [Times; 4]) {
        let (one, two) = add_three(self.digits[0], a, b);
        let (one, also_two) = add_three(one, c, d);
        let (twos, mut carry) = add_three(self.digits[1], two, also_two);
        (self.digits[0], self.digits[1]) = (one, twos);
        for digit in &mut self.digits[2..] {
            if carry.is_none() {
                break;
            }
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }

    /// The number of squares of a set.
    #[inline(always)]
    fn count(mut self, grid: &Grid, support: u64) -> [Times; 8] {
        let mut squares = members(support);
        let mut next = || squares.next().map_or(Times::NONE, |square| grid.0[usize::from(square)]);
        for _ in 0..support.count_ones().div_ceil(4) {
            self.add_four([next(), next(), next(), next()]);
        }
        self.digits
    }
}

impl Stretch {
    /// The number with these digits, of which none at the end has to be none.
    fn number_of(&mut self, digits: &[Times]) -> Number {
        let first = self.digits.len();
        self.digits.extend_from_slice(digits);
        self.number_from(first)
    }

    /// The number whose digits have been appended from here on.
    fn number_from(&mut self, first: usize) -> Number {
        while self.digits.len() > first && self.digits.last().is_some_and(|digit| digit.is_none()) {
            self.digits.pop();
        }
        let count = (self.digits.len() - first) as u32;
        self.work += OF_NUMBER + OF_DIGIT * u64::from(count);
        Number { first: first as u32, count }
    }

    fn digits_of(&self, number: Number) -> &[Times] {
        self.digits.get(number.first as usize..(number.first + number.count) as usize).unwrap_or_default()
    }

    pub(super) fn find_number(&mut self, program: &Program, node: &Node) -> Number {
        match node {
            Node::Constant(n) => self.constant(*n),
            Node::Size(at) => {
                if let Some(times) = self.all_or_none(program, *at) {
                    let (count, first) = (times.0.count_ones(), self.digits.len());
                    for digit in 0..u32::BITS - count.leading_zeros() {
                        self.digits.push(if count >> digit & 1 == 1 { times.1 } else { Times::NONE });
                    }
                    return self.number_from(first);
                }
                let set = self.set(program, *at);
                self.size(set)
            }
            Node::Count(contents) => {
                let set = self.contents(contents & 0xfff);
                self.size(set)
            }
            Node::Sum(parts) => {
                // The digits of the sum stand behind those of all parts.
                for part in parts {
                    self.number(program, *part);
                }
                let first = self.digits.len();
                for part in parts {
                    let part = self.number(program, *part);
                    self.add_to(first, part, 0);
                }
                self.number_from(first)
            }
            Node::Points(at) => {
                let set = self.set(program, *at);
                // Knights and bishops are worth the same.
                let worth = [(1, WORTH[0]), (6, WORTH[1]), (8, WORTH[3]), (16, WORTH[4])];
                let counts = worth.map(|(roles, points)| {
                    let pieces = self.contents(roles | roles << 6);
                    let pieces = self.cut(pieces, set);
                    (self.size(pieces), points)
                });
                let first = self.digits.len();
                for (count, points) in counts {
                    ones(0, points).for_each(|digit| self.add_to(first, count, digit));
                }
                self.number_from(first)
            }
            Node::Islands(at) => {
                let set = self.set(program, *at);
                self.islands(set)
            }
            Node::HalfMove => self.half_move(),
            Node::MoveNumber => self.move_number(),
            _ => Number::ZERO,
        }
    }

    fn constant(&mut self, n: u32) -> Number {
        let first = self.digits.len();
        for digit in 0..u32::BITS - n.leading_zeros() {
            self.digits.push(if n >> digit & 1 == 1 { Times::ALL } else { Times::NONE });
        }
        self.number_from(first)
    }

    /// The number of the half-move. A stretch begins with a multiple of its length.
    fn half_move(&mut self) -> Number {
        let first = self.digits.len();
        self.digits.extend_from_slice(&OF_MOMENTS);
        let rest = self.first >> OF_MOMENTS.len();
        for digit in 0..u32::BITS - rest.leading_zeros() {
            self.digits.push(if rest >> digit & 1 == 1 { Times::ALL } else { Times::NONE });
        }
        self.number_from(first)
    }

    /// The number of the move: half of the next half-move's.
    fn move_number(&mut self) -> Number {
        let now = self.half_move();
        let (first, mut carry) = (self.digits.len(), Times::ALL);
        for n in 0..now.count as usize {
            let digit = self.digits[now.first as usize + n];
            self.digits.push(digit ^ carry);
            carry &= digit;
        }
        self.digits.push(carry);
        let next = self.number_from(first);
        if next.count == 0 { next } else { Number { first: next.first + 1, count: next.count - 1 } }
    }

    /// Adds a number to the one whose digits stand last, from `first` on.
    fn add_to(&mut self, first: usize, number: Number, shift: usize) {
        if number.count == 0 {
            return;
        }
        let mut carry = Times::NONE;
        let more = number.first as usize..(number.first + number.count) as usize;
        self.work += OF_DIGIT * u64::from(number.count);
        if self.digits.len() == first + shift {
            self.digits.extend_from_within(more);
            return;
        }
        while self.digits.len() < first + shift {
            self.digits.push(Times::NONE);
        }
        let mut at = first + shift;
        for from in more {
            let digit = self.digits[from];
            if at == self.digits.len() {
                self.digits.push(Times::NONE);
            }
            (self.digits[at], carry) = add_three(self.digits[at], digit, carry);
            at += 1;
        }
        while !carry.is_none() {
            if at == self.digits.len() {
                self.digits.push(Times::NONE);
            }
            let digit = self.digits[at];
            (self.digits[at], carry) = (digit ^ carry, digit & carry);
            at += 1;
        }
    }

    /// The number of squares of a set.
    fn size(&mut self, set: Set) -> Number {
        self.work += OF_DIGIT * u64::from(set.support.count_ones());
        let grid = self.grid(set.source);
        let mut squares = members(set.support);
        let mut next = || squares.next().map_or(Times::NONE, |square| grid.0[usize::from(square)]);
        if set.support.count_ones() <= 3 {
            let (one, two) = add_three(next(), next(), next());
            return self.number_of(&[one, two]);
        }
        let digits = Counter::default().count(grid, set.support);
        self.number_of(&digits)
    }

    /// The number of groups of neighbouring files with squares of a set.
    fn islands(&mut self, set: Set) -> Number {
        self.work += OF_DIGIT * (8 + u64::from(set.support.count_ones()));
        let grid = self.grid(set.source);
        let (mut begins, mut before) = ([Times::NONE; 8], Times::NONE);
        for (file, begin) in begins.iter_mut().enumerate() {
            let times = grid.union_on(set.support & file_squares(1 << file));
            (*begin, before) = (times.without(before), times);
        }
        let [a, b, c, d, e, f, g, h] = begins;
        let mut counter = Counter::default();
        counter.add_four([a, b, c, d]);
        counter.add_four([e, f, g, h]);
        self.number_of(&counter.digits)
    }

    /// The moments at which a number is at least a constant.
    fn at_least(&self, number: Number, least: u32) -> Times {
        let digits = self.digits_of(number);
        if least == 0 {
            return Times::ALL;
        }
        if u64::from(least) >> digits.len().min(63) != 0 {
            return Times::NONE;
        }
        let (mut more, mut equal) = (Times::NONE, Times::ALL);
        for (n, digit) in digits.iter().enumerate().rev() {
            if least >> n.min(31) & 1 == 1 && n < 32 {
                equal &= *digit;
            } else {
                more |= equal & *digit;
                equal = equal.without(*digit);
            }
        }
        more | equal
    }

    pub(super) fn within(&mut self, number: Number, from: u32, to: Option<u32>) -> Times {
        self.work += OF_DIGIT * u64::from(number.count);
        let times = self.at_least(number, from);
        match to.and_then(|to| to.checked_add(1)) {
            Some(above) => times.without(self.at_least(number, above)),
            None => times,
        }
    }

    /// The moments at which a number is less than another, and those at which both are equal.
    fn compared(&self, a: &[Times], b: &[Times]) -> (Times, Times) {
        let (mut less, mut equal) = (Times::NONE, Times::ALL);
        for n in (0..a.len().max(b.len())).rev() {
            let digit = |of: &[Times]| of.get(n).copied().unwrap_or_default();
            let (a, b) = (digit(a), digit(b));
            less |= equal & b.without(a);
            equal = equal.without(a ^ b);
        }
        (less, equal)
    }

    pub(super) fn compare(&mut self, comparison: Comparison, a: Number, b: Number) -> Times {
        self.work += OF_DIGIT * u64::from(a.count + b.count);
        let (less, equal) = self.compared(self.digits_of(a), self.digits_of(b));
        comparison.of(less, equal)
    }

    /// The moments at which the first number exceeds the second by exactly so much.
    pub(super) fn exceeds(&mut self, a: Number, b: Number, by: i32) -> Times {
        self.work += 2 * OF_DIGIT * u64::from(a.count + b.count);
        let constant = self.constant(by.unsigned_abs());
        let (less, more) = if by >= 0 { (b, a) } else { (a, b) };
        let first = self.digits.len();
        self.add_to(first, less, 0);
        self.add_to(first, constant, 0);
        let sum = self.number_from(first);
        self.compared(self.digits_of(sum), self.digits_of(more)).1
    }
}
