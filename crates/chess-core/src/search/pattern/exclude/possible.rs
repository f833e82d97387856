//! What the numbers of pieces alone say of a condition: false, true, or perhaps.
//!
//! Takes a program, and a [signature](super::material) or none; every node is a range: of the values of a number, of the
//! sizes of a set, of 0 and 1 for a condition. A condition whose range ends at 0 holds at no moment with this material, or
//! in no game at all.

use std::sync::Arc;

use super::material::{SIGNATURE_ORDER, counts_of, signature};
use crate::board::kinds::KING;
use crate::pause;
use crate::search::pattern::language::tree::{Comparison, Contents, Function, NOTHING};
use crate::search::pattern::meaning::numbers::WORTH;
use crate::search::pattern::program::{At, Fact, Node, Program};

/// The values that a node may have: the least and the greatest.
type Range = (u64, u64);

/// In how many moments of games a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Never,
    Perhaps,
    Always,
}

/// Evaluates a program on signatures.
#[derive(Clone, Debug)]
pub struct Judge {
    /// How many pieces of each kind there are.
    counts: [Range; 12],
    /// Identifies the material that these counts belong to.
    signature: Option<u64>,
    /// The round in which each node was computed, and its value.
    values: Vec<(u32, Range)>,
    round: u32,
}

impl Judge {
    pub fn new(program: &Program) -> Judge {
        // What holds in every game: a side has one king, and at most 15 other pieces.
        let counts = std::array::from_fn(|kind| if kind % 6 == usize::from(KING) { (1, 1) } else { (0, 15) });
        Judge { counts, signature: None, values: vec![(0, (0, 0)); program.entries.len()], round: 1 }
    }

    /// Whether a condition holds at some moments, as far as can be told without any material: never, always, or either.
    /// It is not to be asked after a question about a signature.
    pub fn of_any_game(&mut self, program: &Program, condition: At) -> Verdict {
        match self.range(program, condition) {
            (_, 0) => Verdict::Never,
            (1.., _) => Verdict::Always,
            _ => Verdict::Perhaps,
        }
    }

    /// Whether one of these conditions may hold with this material.
    pub fn may_hold(&mut self, program: &Program, conditions: &[At], signature: u64) -> bool {
        self.turn_to(signature);
        conditions.iter().any(|at| self.range(program, *at).1 > 0)
    }

    /// Whether a condition holds at every moment with this material.
    pub fn must_hold(&mut self, program: &Program, condition: At, signature: u64) -> bool {
        self.turn_to(signature);
        self.range(program, condition).0 > 0
    }

    fn turn_to(&mut self, signature: u64) {
        if self.signature != Some(signature) {
            pause::count(self.counts.len());
            self.signature = Some(signature);
            self.counts = counts_of(signature).map(|count| (count.into(), count.into()));
            (self.counts[5], self.counts[11]) = ((1, 1), (1, 1));
            self.round = self.round.wrapping_add(1);
            if self.round == 0 {
                self.values.fill((0, (0, 0)));
                self.round = 1;
            }
        }
    }

    fn count(&self, contents: Contents) -> Range {
        let of_side = |kinds: std::ops::Range<usize>| {
            let counts = kinds.filter(|kind| contents >> kind & 1 == 1).map(|kind| self.counts[kind]);
            let (least, most) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
            (least, most.min(16).max(least))
        };
        let (white, black) = (of_side(0..6), of_side(6..12));
        (white.0 + black.0, white.1 + black.1)
    }

    /// The size of a set: the squares of `squares` that hold one of the contents.
    fn pieces(&self, contents: Contents, squares: u64) -> Range {
        let (mut least, mut most) = self.count(contents);
        if contents & NOTHING != 0 {
            // All squares but those of the other pieces.
            let others = self.count(!contents & !NOTHING);
            (least, most) = (64 - others.1.min(64), 64 - others.0.min(64));
        }
        let squares = u64::from(squares.count_ones());
        (least.saturating_sub(64 - squares), most.min(squares))
    }

    /// What all pieces of these kinds are worth.
    fn points(&self, contents: Contents) -> Range {
        WORTH.iter().enumerate().fold((0, 0), |sum, (role, points)| {
            let count = self.count(contents & (1 << role | 1 << (6 + role)));
            (sum.0 + points * count.0, sum.1 + points * count.1)
        })
    }

    fn range(&mut self, program: &Program, at: At) -> Range {
        let n = usize::from(at);
        if self.values[n].0 == self.round {
            return self.values[n].1;
        }
        let range = self.compute(program, n);
        self.values[n] = (self.round, range);
        range
    }

    fn compute(&mut self, program: &Program, n: usize) -> Range {
        pause::count(1);
        let mut of = |at: At| self.range(program, at);
        let perhaps = (0, 1);
        let up_to = |most: u64| (0, most);
        match &program.entries[n].node {
            Node::Pieces(contents, squares) => self.pieces(*contents, *squares),
            Node::Union(parts) => parts.iter().fold((0, 0), |(least, most), at| {
                let part = of(*at);
                (least.max(part.0), (most + part.1).min(64))
            }),
            Node::Cut(parts) => parts.iter().fold((64, 64), |(least, most), at| {
                let part = of(*at);
                ((least + part.0).saturating_sub(64), most.min(part.1))
            }),
            Node::Inverse(at) => {
                let (least, most) = of(*at);
                (64 - most.min(64), 64 - least.min(64))
            }
            Node::Attacks(a, b) | Node::AttackedBy(a, b) => up_to(if of(*b).1 > 0 { of(*a).1 } else { 0 }),
            Node::Between(a, b) => up_to(if of(*a).1 > 0 && of(*b).1 > 0 { 64 } else { 0 }),
            Node::Moved | Node::Vacated => perhaps,
            Node::Function(Function::Beside | Function::Span, at) | Node::Reach(_, at, ..) => {
                up_to(if of(*at).1 > 0 { 64 } else { 0 })
            }
            // The others are subsets.
            Node::Function(_, at) => up_to(of(*at).1),

            Node::Constant(n) => (u64::from(*n), u64::from(*n)),
            Node::Size(at) => of(*at),
            Node::Count(contents) => self.count(*contents),
            Node::Sum(parts) => parts.iter().fold((0, 0), |(least, most), at| {
                let part = of(*at);
                (least + part.0, most.saturating_add(part.1))
            }),
            Node::Points(at) => match &program.entries[usize::from(*at)].node {
                Node::Pieces(contents, u64::MAX) => self.points(*contents),
                _ => up_to(9 * of(*at).1),
            },
            Node::Islands(at) => {
                let (least, most) = of(*at);
                (least.min(1), most.min(4))
            }
            Node::HalfMove | Node::MoveNumber => up_to(u64::MAX),

            Node::Some(at) => {
                let (least, most) = of(*at);
                (least.min(1), most.min(1))
            }
            Node::All(parts) => {
                let mut least = 1;
                for at in parts {
                    let part = of(*at);
                    if part.1 == 0 {
                        return (0, 0);
                    }
                    least &= part.0;
                }
                (least, 1)
            }
            Node::Any(parts) => parts.iter().fold((0, 0), |(least, most), at| {
                let part = of(*at);
                (least | part.0, most | part.1)
            }),
            Node::Not(at) => {
                let (least, most) = of(*at);
                (1 - most.min(1), 1 - least.min(1))
            }
            Node::Compare(comparison, a, b) => compare(*comparison, of(*a), of(*b)),
            Node::Within(at, from, to) => within(of(*at), u64::from(*from), to.map_or(u64::MAX, u64::from)),
            Node::Exceeds(a, b, by) => exceeds(of(*a), of(*b), i64::from(*by)),
            Node::Fact(Fact::Any) => (1, 1),
            Node::Fact(Fact::OppositeBishops | Fact::SameBishops) => {
                up_to(u64::from([2, 8].iter().all(|kind| (self.counts[*kind].0..=self.counts[*kind].1).contains(&1))))
            }
            Node::Line(_, parts) => up_to(u64::from(parts.iter().all(|at| of(*at).1 > 0))),
            Node::Shifted(_, parts) => up_to(u64::from(parts.iter().all(|(at, _)| of(*at).1 > 0))),
            Node::Move(_) | Node::Castles(_) | Node::Rights(_) | Node::Fact(_) => perhaps,
            // What the numbers say nothing of.
            _ => up_to(64),
        }
    }
}

/// Tells with which material a pattern holds, wherever the pieces stand.
#[derive(Clone, Debug)]
pub struct Certainty {
    program: Arc<Program>,
    condition: At,
    judge: Judge,
}

impl Certainty {
    pub(in crate::search::pattern) fn of(program: &Arc<Program>, condition: At) -> Certainty {
        Certainty { program: program.clone(), condition, judge: Judge::new(program) }
    }

    /// Whether the pattern holds at every moment with the material of a signature.
    pub fn holds(&mut self, signature: u64) -> bool {
        self.judge.must_hold(&self.program, self.condition, signature)
    }
}

fn within((least, most): Range, from: u64, to: u64) -> Range {
    (u64::from(least >= from && most <= to), u64::from(most >= from && least <= to))
}

/// Whether a number exceeds another one by exactly this much.
fn exceeds(a: Range, b: Range, by: i64) -> Range {
    let (least, most) = (a.0 as i64 - b.1 as i64, a.1 as i64 - b.0 as i64);
    (u64::from(least == by && most == by), u64::from((least..=most).contains(&by)))
}

fn compare(comparison: Comparison, a: Range, b: Range) -> Range {
    let turned = |(least, most): Range| (1 - most, 1 - least);
    let less = |a: Range, b: Range| (u64::from(a.1 < b.0), u64::from(a.0 < b.1));
    let equal = (u64::from(a.0 == a.1 && a == b), u64::from(a.0 <= b.1 && b.0 <= a.1));
    match comparison {
        Comparison::Equal => equal,
        Comparison::Unequal => turned(equal),
        Comparison::Less => less(a, b),
        Comparison::AtMost => turned(less(b, a)),
        Comparison::Greater => less(b, a),
        Comparison::AtLeast => turned(less(a, b)),
    }
}

/// The least and the greatest number of pieces by kind, in the order of a signature, with which a condition may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds([(u32, u32); 10]);

impl Bounds {
    const NONE: Bounds = Bounds([(0, 15); 10]);

    /// Those of a condition; `None` if it holds with no material at all.
    pub fn of(program: &Program, at: At) -> Option<Bounds> {
        pause::count(1);
        let node = |at: At| &program.entries[usize::from(at)].node;
        match node(at) {
            Node::All(parts) => parts.iter().try_fold(Bounds::NONE, |bounds, at| bounds.and(Bounds::of(program, *at)?)),
            Node::Any(parts) => parts.iter().filter_map(|at| Bounds::of(program, *at)).reduce(Bounds::or),
            Node::Within(number, from, to) => match node(*number) {
                Node::Count(contents) => {
                    let to = to.unwrap_or(u32::MAX);
                    let only = contents.is_power_of_two();
                    let mut bounds = Bounds::NONE;
                    for (kind, bound) in SIGNATURE_ORDER.iter().zip(&mut bounds.0) {
                        if contents >> kind & 1 == 1 {
                            *bound = (if only { *from } else { 0 }, to.min(15));
                        }
                    }
                    bounds.and(Bounds::NONE)
                }
                _ => Some(Bounds::NONE),
            },
            _ => Some(Bounds::NONE),
        }
    }

    fn and(self, other: Bounds) -> Option<Bounds> {
        let both = std::array::from_fn(|kind| {
            let ((from, to), (least, most)) = (self.0[kind], other.0[kind]);
            (from.max(least), to.min(most))
        });
        both.iter().all(|(from, to)| from <= to).then_some(Bounds(both))
    }

    /// Bounds of either.
    pub fn or(self, other: Bounds) -> Bounds {
        Bounds(std::array::from_fn(|kind| {
            let ((from, to), (least, most)) = (self.0[kind], other.0[kind]);
            (from.min(least), to.max(most))
        }))
    }

    /// The least and the greatest signature within them: all that keep to the bounds lie between.
    pub fn signatures(self) -> (u64, u64) {
        let of = |number: fn(&(u32, u32)) -> u32| {
            signature(|kind| {
                let place = SIGNATURE_ORDER.iter().position(|other| *other == kind).unwrap_or(0);
                number(&self.0[place]).into()
            })
        };
        (of(|(from, _)| *from), of(|(_, to)| *to))
    }

    /// Whether the pieces are known and only pawns vary: few signatures, all neighbours.
    pub fn fix_pieces(self) -> bool {
        self.0[..8].iter().all(|(from, to)| from == to)
    }
}
