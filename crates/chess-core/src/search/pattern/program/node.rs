//! The nodes of a program: sets of squares, numbers and conditions, each computed from others or from a moment.

use super::watch::{Causes, Watch};
use crate::search::pattern::language::tree::{
    Comparison, Contents, Designator, Function, Line, NOTHING, PAWNS, Reach, WHATEVER,
};

/// Index of a node in its program.
pub type At = u16;

/// A value to compute. Sets and numbers have 64 bits, conditions are 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The squares of a set that hold one of the contents.
    Pieces(Contents, u64),
    /// The squares of files without pawns.
    OpenFiles,
    HalfOpenFiles(u8),
    Union(Vec<At>),
    Cut(Vec<At>),
    Inverse(At),
    Attacks(At, At),
    AttackedBy(At, At),
    Moved,
    Vacated,
    Function(Function, At),
    Reach(Reach, At, u32, u32),
    Between(At, At),

    Constant(u32),
    /// The number of squares in a set.
    Size(At),
    /// The number of pieces of these kinds.
    Count(Contents),
    Sum(Vec<At>),
    Points(At),
    Islands(At),
    HalfMove,
    MoveNumber,

    Some(At),
    All(Vec<At>),
    Any(Vec<At>),
    Not(At),
    Compare(Comparison, At, At),
    Within(At, u32, Option<u32>),
    /// Whether the first number exceeds the second by exactly this much.
    Exceeds(At, At, i32),
    Move(Step),
    Castles(u8),
    Rights(u8),
    Fact(Fact),
    Line(Line, Vec<At>),
    /// Whether for one of these squares each set has the square whose number is this much higher.
    Shifted(u64, Vec<(At, u8)>),
}

/// What is true or false of a moment, and follows from no other node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    Any,
    WhiteToMove,
    BlackToMove,
    Check,
    Mate,
    Stalemate,
    End,
    Recapture,
    EnPassant,
    OppositeBishops,
    SameBishops,
}

impl Node {
    /// Whether its value depends on the last half-move itself, not only on the position.
    pub fn asks_move(&self) -> bool {
        matches!(
            self,
            Node::Move(_)
                | Node::Castles(_)
                | Node::Moved
                | Node::Vacated
                | Node::Fact(Fact::Recapture | Fact::EnPassant)
        )
    }

    /// The nodes that it uses.
    pub fn parts(&self) -> impl Iterator<Item = At> {
        let (list, shifted, few): Parts = match self {
            Node::Union(parts)
            | Node::Cut(parts)
            | Node::Sum(parts)
            | Node::All(parts)
            | Node::Any(parts)
            | Node::Line(_, parts) => (parts, &[], [None; 2]),
            Node::Shifted(_, parts) => (&[], parts, [None; 2]),
            Node::Attacks(a, b)
            | Node::AttackedBy(a, b)
            | Node::Between(a, b)
            | Node::Compare(_, a, b)
            | Node::Exceeds(a, b, _) => (&[], &[], [Some(*a), Some(*b)]),
            Node::Inverse(a)
            | Node::Function(_, a)
            | Node::Reach(_, a, ..)
            | Node::Size(a)
            | Node::Points(a)
            | Node::Islands(a)
            | Node::Some(a)
            | Node::Not(a)
            | Node::Within(a, ..) => (&[], &[], [Some(*a), None]),
            Node::Pieces(..)
            | Node::OpenFiles
            | Node::HalfOpenFiles(_)
            | Node::Moved
            | Node::Vacated
            | Node::Constant(_)
            | Node::Count(_)
            | Node::HalfMove
            | Node::MoveNumber
            | Node::Move(_)
            | Node::Castles(_)
            | Node::Rights(_)
            | Node::Fact(_) => (&[], &[], [None; 2]),
        };
        list.iter().copied().chain(shifted.iter().map(|(at, _)| *at)).chain(few.into_iter().flatten())
    }

    /// Number of nodes that it lists, for node kinds without a small limit.
    pub fn listed(&self) -> usize {
        match self {
            Node::Union(parts)
            | Node::Cut(parts)
            | Node::Sum(parts)
            | Node::All(parts)
            | Node::Any(parts)
            | Node::Line(_, parts) => parts.len(),
            Node::Shifted(_, parts) => parts.len(),
            _ => 0,
        }
    }
}

/// The parts of a node: listed ones, listed ones with a shift, and up to two single ones.
type Parts<'a> = (&'a [At], &'a [(At, u8)], [Option<At>; 2]);

/// A move of one piece, as the program looks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub mover: Contents,
    pub from: u64,
    pub takes: bool,
    pub stood: Contents,
    pub to: u64,
    pub promotion: Option<Contents>,
}

impl Step {
    pub fn new(from: &Designator, takes: bool, to: &Designator, promotion: Option<Contents>) -> Step {
        Step { mover: from.contents, from: from.squares(), takes, stood: to.contents, to: to.squares(), promotion }
    }

    /// Any half-move that takes something.
    pub const CAPTURE: Step = Step { mover: WHATEVER, from: !0, takes: true, stood: WHATEVER, to: !0, promotion: None };
    /// Any promotion.
    pub const PROMOTION: Step = Step { takes: false, promotion: Some(WHATEVER), ..Step::CAPTURE };

    /// What every half-move that is such a move changes.
    pub fn watch(&self) -> Watch {
        let counts = |contents: Contents| Causes::from(contents & !NOTHING) << 12;
        let causes = match self.promotion {
            Some(_) => counts(PAWNS),
            None if self.takes => counts(self.stood),
            None => (self.mover & !NOTHING).into(),
        };
        let squares = if self.from.count_ones() < self.to.count_ones() { self.from } else { self.to };
        Watch { movers: self.mover, causes, squares }
    }
}

/// A node with what it costs.
#[derive(Clone, Debug)]
pub struct Entry {
    pub node: Node,
    pub causes: Causes,
    /// Squares where its value may change; all if unknown.
    pub squares: u64,
    /// Approximate instructions to compute it. The parts of an `and` are tried in this order.
    pub cost: u32,
    /// Whether a change of the owner of a square always changes one of the set's dependencies.
    pub(super) is_owned: bool,
    /// Whether the squares and causes that can change the value are the same for all values.
    pub is_steady: bool,
    /// Whether computing the value costs less than storing it. Plain nodes are steady.
    pub is_plain: bool,
}
