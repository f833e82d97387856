//! The pieces of a position as sets of squares, and attacks.
//!
//! Takes a [`Start`] or pieces; the functions that play moves update the sets. Attack tables are shakmaty's.

use shakmaty::{Bitboard, Color, Square, attacks};

use crate::board::kinds::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::board::reach::REACH;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::seating::Start;

/// The pieces of a position as sets of squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sets {
    /// By kind. There are sixteen, so that an empty square's kind needs no check.
    pub(crate) kinds: [u64; 16],
    pub(crate) colors: [u64; 2],
    /// The pieces that give check to the side to move.
    pub(crate) checkers: u64,
}

impl Sets {
    pub(crate) fn new(start: &Start) -> Sets {
        Sets::of_pieces(&start.pieces, start.state.turn)
    }

    /// The sets of a position in which it is the turn of a side.
    pub(crate) fn of_pieces(pieces: &Pieces, turn: u32) -> Sets {
        let mut sets = Sets { kinds: [0; 16], colors: [0; 2], checkers: 0 };
        for (unit, (square, kind)) in pieces.square.iter().zip(pieces.kind).enumerate().take(usize::from(EMPTY)) {
            // A unit that was captured is no longer on its square.
            let is_there = usize::from(pieces.unit[usize::from(square & 63)]) == unit;
            sets.kinds[usize::from(kind & 15)] |= u64::from(is_there) << (square & 63);
        }
        let all_of = |kinds: &[u64]| kinds.iter().fold(0, |all, set| all | set);
        sets.colors = [all_of(&sets.kinds[..6]), all_of(&sets.kinds[6..12])];
        let turn = (turn & 1) as usize;
        sets.checkers = sets.attackers(pieces.square[16 * turn], turn ^ 1, sets.occupied());
        sets
    }

    #[inline(always)]
    pub(crate) fn of(&self, color: usize, role: u8) -> u64 {
        self.kinds[6 * (color & 1) + usize::from(role)]
    }

    #[inline(always)]
    pub(crate) fn occupied(&self) -> u64 {
        self.colors[0] | self.colors[1]
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, kind: u8, leaves: u64, enters: u64) {
        let set = &mut self.kinds[usize::from(kind & 15)];
        *set = *set & !leaves | enters;
    }

    /// The pieces of side `by` that attack a square, given the occupied squares.
    #[inline]
    pub(crate) fn attackers(&self, square: u8, by: usize, occupied: u64) -> u64 {
        let reach = |role: u8| REACH[usize::from(role)][usize::from(square & 63)];
        let near = reach(KNIGHT) & self.of(by, KNIGHT)
            | pawn_attacks(by ^ 1, square) & self.of(by, PAWN)
            | reach(KING) & self.of(by, KING);
        near | self.sliders(square, by, occupied)
    }

    /// The rooks, bishops and queens of side `by` that attack a square, given the occupied squares.
    #[inline]
    pub(crate) fn sliders(&self, square: u8, by: usize, occupied: u64) -> u64 {
        let (rooks, bishops, queens) = (self.of(by, ROOK), self.of(by, BISHOP), self.of(by, QUEEN));
        straight(square, occupied) & (rooks | queens) | diagonal(square, occupied) & (bishops | queens)
    }
}

#[inline(always)]
pub(crate) fn straight(square: u8, occupied: u64) -> u64 {
    attacks::rook_attacks(to_square(square), Bitboard(occupied)).0
}

#[inline(always)]
pub(crate) fn diagonal(square: u8, occupied: u64) -> u64 {
    attacks::bishop_attacks(to_square(square), Bitboard(occupied)).0
}

#[inline(always)]
pub(crate) fn between(from: u8, to: u8) -> u64 {
    attacks::between(to_square(from), to_square(to)).0
}

/// The squares that a pawn of side `color` attacks.
#[inline(always)]
pub(crate) fn pawn_attacks(color: usize, square: u8) -> u64 {
    attacks::pawn_attacks(Color::from_black(color == 1), to_square(square)).0
}

#[inline(always)]
pub(crate) fn to_square(square: u8) -> Square {
    Square::new(u32::from(square & 63))
}

/// The squares from one square to another in a line, both included.
pub(crate) fn span(from: u8, to: u8) -> u64 {
    between(from, to) | 1 << (from & 63) | 1 << (to & 63)
}
