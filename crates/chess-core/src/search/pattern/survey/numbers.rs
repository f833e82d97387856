//! Numbers at all moments of a stretch: for each binary digit the moments at which it is one.

use super::stretch::{Number, Set, Stretch};
use super::times::{STRETCH, Times};
use crate::board::squares::members;
use crate::search::pattern::program::{Node, Program};
use crate::search::pattern::tree::{Comparison, file_squares};

/// Sums of so many digits: at most 4,096 numbers below 2^31.
const DIGITS: usize = 44;

/// Instructions, roughly, for a digit.
const OF_DIGIT: u64 = 12;

/// Adds numbers of one digit.
#[derive(Default)]
struct Counter {
    digits: [Times; 8],
    /// Bits that are not yet added to the lowest digit.
    waiting: [Times; 3],
    count: usize,
}

fn add_three(a: Times, b: Times, c: Times) -> (Times, Times) {
    let either = a ^ b;
    (either ^ c, a & b | either & c)
}

impl Counter {
    /// Adds one.
    #[inline(always)]
    fn add(&mut self, times: Times) {
        // Four at a time take fewer operations than one by one.
        if self.count % 4 < 3 {
            self.waiting[self.count % 4] = times;
            self.count += 1;
            return;
        }
        self.count += 1;
        let [a, b, c] = self.waiting;
        let (one, two) = add_three(self.digits[0], a, b);
        let (one, also_two) = add_three(one, c, times);
        let (twos, mut carry) = add_three(self.digits[1], two, also_two);
        (self.digits[0], self.digits[1]) = (one, twos);
        for digit in &mut self.digits[2..] {
            if carry.is_none() {
                break;
            }
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }

    fn digits(mut self) -> [Times; 8] {
        let waiting = self.waiting;
        for times in &waiting[..self.count % 4] {
            let mut carry = *times;
            for digit in &mut self.digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        self.digits
    }
}

impl Stretch {
    fn number_of(&mut self, digits: &[Times]) -> Number {
        let count = digits.iter().rposition(|digit| !digit.is_none()).map_or(0, |last| last + 1);
        let first = self.digits.len() as u32;
        self.digits.extend_from_slice(&digits[..count]);
        self.work += OF_DIGIT * count as u64;
        Number { first, count: count as u32 }
    }

    fn digits_of(&self, number: Number) -> &[Times] {
        self.digits.get(number.first as usize..(number.first + number.count) as usize).unwrap_or_default()
    }

    pub(super) fn find_number(&mut self, program: &Program, node: &Node) -> Number {
        match node {
            Node::Constant(n) => self.constant(u64::from(*n)),
            Node::Size(at) => {
                let set = self.set(program, *at);
                self.size(set)
            }
            Node::Count(contents) => {
                let set = self.contents(contents & 0xfff);
                self.size(set)
            }
            Node::Sum(parts) => {
                let mut sum = [Times::NONE; DIGITS];
                for part in parts {
                    let part = self.number(program, *part);
                    self.add_to(&mut sum, part, 0);
                }
                self.number_of(&sum)
            }
            Node::Points(at) => {
                let set = self.set(program, *at);
                let mut sum = [Times::NONE; DIGITS];
                // What they are worth, as sums of powers of two.
                for (roles, shifts) in [(1, &[0][..]), (6, &[0, 1]), (8, &[0, 2]), (16, &[0, 3])] {
                    let pieces = self.contents(roles | roles << 6);
                    let pieces = self.cut(pieces, set);
                    let count = self.size(pieces);
                    for shift in shifts {
                        self.add_to(&mut sum, count, *shift);
                    }
                }
                self.number_of(&sum)
            }
            Node::Islands(at) => {
                let set = self.set(program, *at);
                self.islands(set)
            }
            Node::HalfMove => self.half_move(0),
            Node::MoveNumber => {
                // Half of the next half-move.
                let next = self.half_move(1);
                if next.count == 0 { next } else { Number { first: next.first + 1, count: next.count - 1 } }
            }
            _ => Number::ZERO,
        }
    }

    fn constant(&mut self, n: u64) -> Number {
        let digits: [Times; DIGITS] =
            std::array::from_fn(|digit| if n >> digit & 1 == 1 { Times::ALL } else { Times::NONE });
        self.number_of(&digits)
    }

    /// The number of the half-move, and a number more.
    fn half_move(&mut self, more: usize) -> Number {
        let mut digits = [Times::NONE; 32];
        for moment in 0..STRETCH {
            let n = self.first as usize + moment + more;
            for (digit, times) in digits.iter_mut().enumerate().take(usize::BITS as usize - n.leading_zeros() as usize)
            {
                if n >> digit & 1 == 1 {
                    times.insert(moment);
                }
            }
        }
        self.work += OF_DIGIT * STRETCH as u64 * 4;
        self.number_of(&digits)
    }

    fn add_to(&mut self, sum: &mut [Times; DIGITS], number: Number, shift: usize) {
        let mut carry = Times::NONE;
        let digits = self.digits_of(number);
        for (n, digit) in sum.iter_mut().enumerate().skip(shift) {
            let more = digits.get(n - shift).copied();
            if more.is_none() && carry.is_none() {
                break;
            }
            (*digit, carry) = add_three(*digit, more.unwrap_or_default(), carry);
        }
        self.work += OF_DIGIT * u64::from(number.count);
    }

    /// The number of squares of a set.
    fn size(&mut self, set: Set) -> Number {
        self.work += OF_DIGIT * u64::from(set.support.count_ones());
        let grid = self.grid(set.source);
        let mut counter = Counter::default();
        members(set.support).for_each(|square| counter.add(grid.0[usize::from(square)]));
        let digits = counter.digits();
        self.number_of(&digits)
    }

    /// The number of groups of neighbouring files with squares of a set.
    fn islands(&mut self, set: Set) -> Number {
        self.work += OF_DIGIT * (8 + u64::from(set.support.count_ones()));
        let grid = self.grid(set.source);
        let (mut counter, mut before) = (Counter::default(), Times::NONE);
        for file in 0..8 {
            let squares = members(set.support & file_squares(1 << file));
            let times = squares.fold(Times::NONE, |times, square| times | grid.0[usize::from(square)]);
            counter.add(times.without(before));
            before = times;
        }
        let digits = counter.digits();
        self.number_of(&digits)
    }

    /// The moments at which a number is at least a constant.
    fn at_least(&self, number: Number, least: u32) -> Times {
        let digits = self.digits_of(number);
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
        match comparison {
            Comparison::Equal => equal,
            Comparison::Unequal => !equal,
            Comparison::Less => less,
            Comparison::AtMost => less | equal,
            Comparison::Greater => !(less | equal),
            Comparison::AtLeast => !less,
        }
    }

    /// The moments at which the first number exceeds the second by exactly so much.
    pub(super) fn exceeds(&mut self, a: Number, b: Number, by: i32) -> Times {
        self.work += 2 * OF_DIGIT * u64::from(a.count + b.count);
        let constant = self.constant(u64::from(by.unsigned_abs()));
        let (less, more) = if by >= 0 { (b, a) } else { (a, b) };
        let mut sum = [Times::NONE; DIGITS];
        self.add_to(&mut sum, less, 0);
        self.add_to(&mut sum, constant, 0);
        self.compared(&sum, self.digits_of(more)).1
    }
}
