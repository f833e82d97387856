//! The scalars of a position in a replay, as many of them as the caller asks for.
//!
//! All are small `Copy` values, so a replay keeps them in registers. [`State`] says which of them a replay
//! updates: a caller that asks for [`Course`] alone pays for no key and no set, and cannot read one either.

use std::ops::Deref;

use crate::board::Board;
use crate::board::kinds::PAWN;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::slots::{CASTLE, DOUBLE_PUSH, PROMOTION};

/// What can only be lost: pawns on their second rank and castling rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home(pub(crate) u32);

impl Home {
    const PAWNS: u32 = 0xffff;
    const CASTLING_SHIFT: u32 = 16;

    /// Pawns by their files, White's in bits 0 to 7 and Black's in 8 to 15, and castling rights: White's O-O and
    /// O-O-O, Black's.
    pub(crate) fn new(pawns: u16, castling: u32) -> Home {
        Home(u32::from(pawns) | castling << Home::CASTLING_SHIFT)
    }

    /// All of it.
    pub(crate) const ALL: Home = Home(!0);

    /// The pawns, White's files in bits 0 to 7, Black's in 8 to 15.
    #[inline(always)]
    pub(crate) fn pawns(self) -> u16 {
        (self.0 & Home::PAWNS) as u16
    }

    /// The castling rights: White's O-O and O-O-O in bits 0 and 1, Black's in 2 and 3.
    #[inline(always)]
    pub(crate) fn castling(self) -> u32 {
        self.0 >> Home::CASTLING_SHIFT
    }

    /// Whether something of `wanted` is gone for good.
    #[inline(always)]
    pub(crate) fn lacks(self, wanted: Home) -> bool {
        self.0 & wanted.0 != wanted.0
    }

    /// What is left when what `lost` names is gone.
    #[inline(always)]
    pub(crate) fn without(self, lost: Home) -> Home {
        Home(self.0 & !lost.0)
    }

    /// What is in both.
    #[inline(always)]
    pub(crate) fn and(self, other: Home) -> Home {
        Home(self.0 & other.0)
    }

    /// What is in either.
    pub(crate) fn or(self, other: Home) -> Home {
        Home(self.0 | other.0)
    }
}

/// The half-move that led to a position: its target, an entry of [`crate::game::slots::TARGETS`], and its
/// from-square. All zero at a start without an en passant square.
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

    /// The square that was entered; meaningless after castling.
    #[inline(always)]
    pub(crate) fn to(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The square that was left; meaningless after castling.
    #[inline(always)]
    pub(crate) fn from(self) -> usize {
        (self.0 >> 16 & 63) as usize
    }

    /// Whether king and rook castled.
    #[inline(always)]
    pub(crate) fn is_castling(self) -> bool {
        self.0 as u16 & CASTLE != 0
    }

    /// Whether a pawn was promoted.
    #[inline(always)]
    pub(crate) fn is_promotion(self) -> bool {
        self.0 as u16 & PROMOTION != 0
    }

    /// The square that a pawn passed by with a double push.
    #[inline(always)]
    pub(crate) fn en_passant(self) -> Option<u8> {
        let (to, from) = (self.0 & 63, self.0 >> 16 & 63);
        (self.0 as u16 & DOUBLE_PUSH != 0).then(|| ((to + from) / 2) as u8)
    }
}

/// What every replay knows about a position.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    pub(crate) home: Home,
    /// Side to move: 0 White, 1 Black.
    pub(crate) turn: u32,
    pub(crate) last: LastMove,
}

impl Course {
    /// The file where the side to move may legally capture en passant.
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

/// Everything that a replay can keep up to date.
#[derive(Clone, Copy, Debug)]
pub struct Full {
    pub(crate) course: Course,
    /// Position key.
    pub(crate) key: u64,
    /// Occupied squares.
    pub(crate) occupied: u64,
    /// Number of pieces.
    pub(crate) count: u32,
    /// The unit that the last half-move took, or [`EMPTY`].
    pub(crate) taken: u8,
}

/// The course and what the last half-move took.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    pub(crate) course: Course,
    /// The unit that the last half-move took, or [`EMPTY`]; it last stood where it was taken.
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

/// What a replay keeps up to date.
pub trait State: Copy {
    /// Whether it has a position key.
    const KEY: bool;
    /// Whether it has occupied squares and their number.
    const COUNT: bool;

    /// The part of `full` that is kept.
    fn of(full: Full) -> Self;

    /// The same with zero for what is not kept.
    fn full(self) -> Full;

    /// What every state has.
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
