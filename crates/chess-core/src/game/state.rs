//! The scalars of a position in a replay, as many as the caller needs.
//!
//! All are small `Copy` values, so a replay keeps them in registers. [`State`] selects those that a replay updates: a
//! caller that needs only [`Course`] pays for no key and no set.

use std::ops::Deref;

use crate::board::Board;
use crate::board::kinds::PAWN;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::slots::{CASTLE, DOUBLE_PUSH, PROMOTION};

/// What can only decrease: pawns on their second rank, and castling rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home(pub(crate) u32);

impl Home {
    const PAWNS: u32 = 0xffff;
    const CASTLING_SHIFT: u32 = 16;

    /// Pawns by file, White's in bits 0 to 7 and Black's in 8 to 15; castling rights of White (O-O, O-O-O), then of
    /// Black.
    pub(crate) fn new(pawns: u16, castling: u32) -> Home {
        Home(u32::from(pawns) | castling << Home::CASTLING_SHIFT)
    }

    /// Everything.
    pub(crate) const ALL: Home = Home(!0);

    /// The pawns by file, White's in bits 0 to 7, Black's in 8 to 15.
    #[inline(always)]
    pub(crate) fn pawns(self) -> u16 {
        (self.0 & Home::PAWNS) as u16
    }

    /// The castling rights: White's O-O and O-O-O in bits 0 and 1, Black's in 2 and 3.
    #[inline(always)]
    pub(crate) fn castling(self) -> u32 {
        self.0 >> Home::CASTLING_SHIFT
    }

    /// Whether something of `wanted` is lost.
    #[inline(always)]
    pub(crate) fn lacks(self, wanted: Home) -> bool {
        self.0 & wanted.0 != wanted.0
    }

    /// The rest without `lost`.
    #[inline(always)]
    pub(crate) fn without(self, lost: Home) -> Home {
        Home(self.0 & !lost.0)
    }

    /// The intersection.
    #[inline(always)]
    pub(crate) fn and(self, other: Home) -> Home {
        Home(self.0 & other.0)
    }

    /// The union.
    pub(crate) fn or(self, other: Home) -> Home {
        Home(self.0 | other.0)
    }
}

/// The half-move that led to a position: its target, an entry of [`crate::game::slots::TARGETS`], and its from-square.
/// Zero for a start without an en passant square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMove(u32);

impl LastMove {
    pub(crate) const NONE: LastMove = LastMove(0);
    pub(crate) const CASTLING: LastMove = LastMove(CASTLE as u32);

    #[inline(always)]
    pub(crate) fn new(from: usize, target: u16) -> LastMove {
        LastMove(u32::from(target) | (from as u32) << 16)
    }

    /// A double push over the en passant square of a board with `turn` to move.
    pub(crate) fn double_push_over(square: u8, turn: u8) -> LastMove {
        let (from, to) = if turn == 0 { (square + 8, square - 8) } else { (square - 8, square + 8) };
        LastMove::new(from.into(), DOUBLE_PUSH | u16::from(to))
    }

    /// The to-square; undefined after castling.
    #[inline(always)]
    pub(crate) fn to(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The from-square; undefined after castling.
    #[inline(always)]
    pub(crate) fn from(self) -> usize {
        (self.0 >> 16 & 63) as usize
    }

    /// Whether it was castling.
    #[inline(always)]
    pub(crate) fn is_castling(self) -> bool {
        self.0 as u16 & CASTLE != 0
    }

    /// Whether it was a promotion.
    #[inline(always)]
    pub(crate) fn is_promotion(self) -> bool {
        self.0 as u16 & PROMOTION != 0
    }

    /// The square that a double push has passed over.
    #[inline(always)]
    pub(crate) fn en_passant(self) -> Option<u8> {
        let (to, from) = (self.0 & 63, self.0 >> 16 & 63);
        (self.0 as u16 & DOUBLE_PUSH != 0).then(|| ((to + from) / 2) as u8)
    }
}

/// The scalars that every replay keeps.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    pub(crate) home: Home,
    /// The side to move: 0 is White, 1 Black.
    pub(crate) turn: u32,
    pub(crate) last: LastMove,
}

impl Course {
    /// The file on which the side to move can legally capture en passant.
    pub(crate) fn legal_en_passant_file(self, pieces: &Pieces) -> Option<u8> {
        let square = self.last.en_passant()?;
        let pushed = usize::from(square ^ 8);
        let own_pawn = 6 * self.turn as u8 + PAWN;
        let beside = |file: usize, other: usize| pushed % 8 != file && pieces.kind_at(other) == own_pawn;
        if !beside(0, pushed.wrapping_sub(1)) && !beside(7, pushed + 1) {
            return None;
        }
        let board = Board {
            kinds: pieces.kinds(),
            turn: self.turn as u8,
            castling: [0, 0],
            en_passant: Some(square),
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        board.legal_en_passant_file()
    }
}

/// All scalars that a replay can keep.
#[derive(Clone, Copy, Debug)]
pub struct Full {
    pub(crate) course: Course,
    /// Position key.
    pub(crate) key: u64,
    /// Occupied squares.
    pub(crate) occupied: u64,
    /// Number of pieces.
    pub(crate) count: u32,
    /// The unit that the last half-move has captured, or [`EMPTY`].
    pub(crate) taken: u8,
}

/// The course, and the capture of the last half-move.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    pub(crate) course: Course,
    /// The unit that the last half-move has captured, or [`EMPTY`]; its square is still that of the capture.
    pub(crate) taken: u8,
}

/// The course, occupied squares and their number.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    pub(crate) course: Course,
    /// Occupied squares.
    pub(crate) occupied: u64,
    /// Number of pieces.
    pub(crate) count: u32,
}

/// The course and the position key.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    pub(crate) course: Course,
    /// Position key.
    pub(crate) key: u64,
}

/// The scalars that a replay keeps.
pub trait State: Copy {
    /// Whether the position key is kept.
    const KEY: bool;
    /// Whether occupied squares and their number are kept.
    const COUNT: bool;

    /// The kept part of `full`.
    fn of(full: Full) -> Self;

    /// The kept part, with zeros for the rest.
    fn full(self) -> Full;

    /// The part that every state has.
    #[inline(always)]
    fn course(self) -> Course {
        self.full().course
    }
}

macro_rules! states {
    ($($type:ident, $key:literal, $count:literal, |$full:ident| $of:expr, |$state:ident| $to:expr;)*) => {$(
        impl State for $type {
            const KEY: bool = $key;
            const COUNT: bool = $count;

            #[inline(always)]
            fn of($full: Full) -> $type {
                $of
            }

            #[inline(always)]
            fn full(self) -> Full {
                let $state = self;
                $to
            }
        }
    )*};
}
states! {
    Course, false, false, |full| full.course,
        |state| Full { course: state, key: 0, occupied: 0, count: 0, taken: EMPTY };
    Traced, false, false, |full| Traced { course: full.course, taken: full.taken },
        |state| Full { course: state.course, key: 0, occupied: 0, count: 0, taken: state.taken };
    Counted, false, true, |full| Counted { course: full.course, occupied: full.occupied, count: full.count },
        |state| Full { course: state.course, key: 0, occupied: state.occupied, count: state.count, taken: EMPTY };
    Keyed, true, false, |full| Keyed { course: full.course, key: full.key },
        |state| Full { course: state.course, key: state.key, occupied: 0, count: 0, taken: EMPTY };
    Full, true, true, |full| full, |state| state;
}

macro_rules! has_course {
    ($($type:ident)*) => {$(
        impl Deref for $type {
            type Target = Course;

            #[inline(always)]
            fn deref(&self) -> &Course {
                &self.course
            }
        }
    )*};
}
has_course!(Full Counted Keyed Traced);
