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
    /// A placement may arise, as far as coarse keys tell.
    Candidate,
    /// All placements of an array may arise.
    AllCandidates,
    /// One of the placements of an array may arise.
    AnyCandidate,
    /// A pattern occurs.
    Pattern,
    /// A pattern may occur, as far as the keys of patterns tell.
    PatternCandidate,
    /// A placement arises; estimated by the games that have its pawn structure and as many pieces of each kind.
    Structure,
    /// All positions of an array arise, estimated likewise.
    AllStructures,
    /// One of the positions of an array arises, estimated likewise.
    AnyStructure,
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
    /// Those that GIN serves; the strategy number of each is its place, counted from 1 (`sql/opclasses.sql`).
    const BY_STRATEGY: [Predicate; 11] = [
        Predicate::Position,
        Predicate::AllPositions,
        Predicate::AnyPosition,
        Predicate::Pieces,
        Predicate::Candidate,
        Predicate::AllCandidates,
        Predicate::AnyCandidate,
        Predicate::PatternCandidate,
        Predicate::Structure,
        Predicate::AllStructures,
        Predicate::AnyStructure,
    ];

    /// The predicate of a strategy number of GIN.
    pub fn of_strategy(number: u16) -> Predicate {
        let found = usize::from(number).checked_sub(1).and_then(|at| Predicate::BY_STRATEGY.get(at));
        *found.unwrap_or_else(|| panic!("unrecognized strategy number: {number}"))
    }

    /// Those that the access method `chess` serves, likewise (`sql/access_method.sql`).
    const BY_CHESS_STRATEGY: [Predicate; 6] = [
        Predicate::Position,
        Predicate::AllPositions,
        Predicate::AnyPosition,
        Predicate::Pieces,
        Predicate::Opening,
        Predicate::Pattern,
    ];

    /// The predicate of a strategy number of the access method `chess`.
    pub fn of_chess_strategy(number: u16) -> Option<Predicate> {
        Predicate::BY_CHESS_STRATEGY.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Whether the games of a constant can be counted in an index of the access method `chess`.
    pub fn is_counted(self) -> bool {
        Predicate::BY_CHESS_STRATEGY.contains(&self)
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
            Predicate::Candidate => Some(c"@>~"),
            Predicate::AllCandidates => Some(c"@>>~"),
            Predicate::AnyCandidate => Some(c"&&~"),
            Predicate::Pattern => Some(c"@@"),
            Predicate::PatternCandidate => Some(c"@@~"),
            Predicate::Structure => Some(c"@>~~"),
            Predicate::AllStructures => Some(c"@>>~~"),
            Predicate::AnyStructure => Some(c"&&~~"),
        }
    }

    /// The name of its operator in the SQL of 0.2.0, until `ALTER EXTENSION chess UPDATE`.
    pub fn earlier_operator(self) -> Option<&'static CStr> {
        match self {
            Predicate::AllPositions => Some(c"@>"),
            Predicate::AllCandidates => Some(c"@>~"),
            _ => None,
        }
    }

    /// What stands beside the game.
    pub fn operand(self) -> Operand {
        match self {
            Predicate::Opening => Operand::Opening,
            Predicate::Material => Operand::Material,
            Predicate::Position | Predicate::Pieces | Predicate::Candidate | Predicate::Structure => Operand::Board,
            Predicate::AllPositions | Predicate::AllCandidates | Predicate::AllStructures => Operand::AllBoards,
            Predicate::AnyPosition | Predicate::AnyCandidate | Predicate::AnyStructure => Operand::AnyBoard,
            Predicate::Pattern | Predicate::PatternCandidate => Operand::Pattern,
        }
    }

    /// The same predicate with one board instead of an array of them.
    pub fn of_one_board(self) -> Predicate {
        match self {
            Predicate::AllPositions | Predicate::AnyPosition => Predicate::Position,
            Predicate::AllCandidates | Predicate::AnyCandidate => Predicate::Candidate,
            Predicate::AllStructures | Predicate::AnyStructure => Predicate::Structure,
            one => one,
        }
    }

    /// The predicate that an index of keys decides, and that every game fulfils that fulfils this one.
    pub fn candidates(self) -> Option<Predicate> {
        match self {
            Predicate::Position | Predicate::Pieces => Some(Predicate::Candidate),
            Predicate::AllPositions => Some(Predicate::AllCandidates),
            Predicate::AnyPosition => Some(Predicate::AnyCandidate),
            Predicate::Material | Predicate::Pattern => Some(Predicate::PatternCandidate),
            _ => None,
        }
    }

    /// The predicate that an index of keys of pawn structures knows, and that every game fulfils that fulfils this one.
    pub fn structures(self) -> Option<Predicate> {
        match self {
            Predicate::Position | Predicate::Pieces => Some(Predicate::Structure),
            Predicate::AllPositions => Some(Predicate::AllStructures),
            Predicate::AnyPosition => Some(Predicate::AnyStructure),
            _ => None,
        }
    }

    /// Whether it asks what coarse keys know, so that an index of them decides.
    pub fn is_of_candidates(self) -> bool {
        matches!(self, Predicate::Candidate | Predicate::AllCandidates | Predicate::AnyCandidate)
    }

    /// Whether its rows are estimated as those that an index of keys of pawn structures leaves.
    pub fn is_of_structures(self) -> bool {
        matches!(self, Predicate::Structure | Predicate::AllStructures | Predicate::AnyStructure)
    }

    /// When a position counts as a board that is looked for.
    pub fn matching(self) -> Matching {
        if matches!(self, Predicate::Pieces | Predicate::Structure) { Matching::Placement } else { Matching::Position }
    }
}
