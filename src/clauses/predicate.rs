//! The predicates about games that an index or ANALYZE knows something of, described once: their functions, their
//! operators and strategies, what they ask. The planner, the estimates and the support functions of GIN read it here.

use std::ffi::CStr;

use chess_core::search::finder::Matching;

/// A predicate about a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// The game begins with an opening.
    Opening,
    /// It has a material at some time.
    Material,
    /// A position arises.
    Position,
    /// All positions of an array arise.
    AllPositions,
    /// One of the positions of an array arises.
    AnyPosition,
    /// A placement arises, with either side to move.
    Pieces,
    /// A pattern occurs.
    Pattern,
}

/// What stands beside the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A game, as an opening.
    Opening,
    /// A text that names a material.
    Material,
    /// A board.
    Board,
    /// An array of boards, all of which are asked for.
    AllBoards,
    /// An array of boards, any of which is asked for.
    AnyBoard,
    /// A pattern.
    Pattern,
}

impl Predicate {
    /// Those that indexes serve; the strategy number of each is its place, counted from 1. GIN has the first four
    /// (`sql/opclasses.sql`), the access method `chess` all of them (`sql/access_method.sql`).
    const BY_STRATEGY: [Predicate; 6] = [
        Predicate::Position,
        Predicate::AllPositions,
        Predicate::AnyPosition,
        Predicate::Pieces,
        Predicate::Opening,
        Predicate::Pattern,
    ];

    /// The predicate of a strategy number.
    pub fn of_strategy(number: u16) -> Option<Predicate> {
        Predicate::BY_STRATEGY.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Its strategy number.
    pub fn strategy(self) -> Option<u16> {
        Predicate::BY_STRATEGY.iter().position(|known| *known == self).map(|place| place as u16 + 1)
    }

    /// Whether the lists of an index of the access method `chess` tell how many games a constant finds. For a pattern they only
    /// name candidates.
    pub fn is_counted(self) -> bool {
        Predicate::BY_STRATEGY.contains(&self) && self != Predicate::Pattern
    }

    /// Its operator, with the game on the left.
    pub fn operator(self) -> Option<&'static CStr> {
        match self {
            Predicate::Opening => Some(c"^@"),
            Predicate::Material => None,
            Predicate::Position => Some(c"@>"),
            Predicate::AllPositions => Some(c"@>>"),
            Predicate::AnyPosition => Some(c"&&"),
            Predicate::Pieces => Some(c"@~"),
            Predicate::Pattern => Some(c"@@"),
        }
    }

    /// The name of its operator in the SQL of 0.2.0, until `ALTER EXTENSION chess UPDATE`.
    pub fn earlier_operator(self) -> Option<&'static CStr> {
        match self {
            Predicate::AllPositions => Some(c"@>"),
            _ => None,
        }
    }

    /// What stands beside the game.
    pub fn operand(self) -> Operand {
        match self {
            Predicate::Opening => Operand::Opening,
            Predicate::Material => Operand::Material,
            Predicate::Position | Predicate::Pieces => Operand::Board,
            Predicate::AllPositions => Operand::AllBoards,
            Predicate::AnyPosition => Operand::AnyBoard,
            Predicate::Pattern => Operand::Pattern,
        }
    }

    /// The same predicate with one board instead of an array of them.
    pub fn of_one_board(self) -> Predicate {
        match self {
            Predicate::AllPositions | Predicate::AnyPosition => Predicate::Position,
            one => one,
        }
    }

    /// When a position counts as a board that is looked for.
    pub fn matching(self) -> Matching {
        if self == Predicate::Pieces { Matching::Placement } else { Matching::Position }
    }
}
