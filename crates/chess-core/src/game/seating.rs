//! Assigns the pieces of a start position to their slots, and determines what a replay can lose.
//!
//! Takes a board with at most sixteen pieces per side; returns a [`Start`].

use std::sync::LazyLock;

use crate::board::Board;
use crate::board::key::position_key;
use crate::board::kinds::{NO_KIND, PAWN};
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::slots::SLOT_ROLE;
use crate::game::state::{Course, Full, Home, LastMove};

/// A position to replay from.
#[derive(Clone, Debug)]
pub struct Start {
    pub(crate) pieces: Pieces,
    pub(crate) state: Full,
    /// The squares of the rooks with castling rights, in the order of the castling bits.
    pub(crate) rooks: [Option<u8>; 4],
    /// For each square: the part of [`Home`] that stays when a piece leaves or enters it.
    pub(crate) keeps: [Home; 64],
    pub(crate) halfmove_clock: u32,
    pub(crate) fullmove_number: u32,
}

/// The start position of standard chess.
pub static STANDARD: LazyLock<Start> = LazyLock::new(|| Start::new(&Board::default()).expect("sixteen pieces a side"));

impl Start {
    /// Assigns the pieces of `board` to slots, in the order described in [`crate::game::slots`].
    ///
    /// Returns `None` if a side has more than sixteen pieces.
    pub fn new(board: &Board) -> Option<Start> {
        let mut pieces = Pieces::none();
        for color in 0..2 {
            seat(board, color, &mut pieces)?;
        }
        let mut home = Home(0);
        let mut keeps = [Home::ALL; 64];
        let mut rooks = [None; 4];
        let mut bind = |part: Home, square: usize| keeps[square] = keeps[square].without(part);
        for color in 0..2usize {
            let second = if color == 0 { 8 } else { 48 };
            for file in 0..8 {
                let pawn = Home::new(1 << (8 * color + file), 0);
                bind(pawn, second + file);
                if board.kinds[second + file] == 6 * color as u8 + PAWN {
                    home = home.or(pawn);
                }
            }
            let king = pieces.square[16 * color];
            for file in (0..8u8).filter(|file| board.castling[color] >> file & 1 == 1) {
                let rook = 56 * color as u8 + file;
                let side = 2 * color + usize::from(rook < king);
                rooks[side] = Some(rook);
                let right = Home::new(0, 1 << side);
                home = home.or(right);
                bind(right, rook.into());
                bind(right, king.into());
            }
        }
        let occupied = board.occupied();
        let last = board.en_passant.map_or(LastMove::NONE, |square| LastMove::double_push_over(square, board.turn));
        let state = Full {
            course: Course { home, turn: board.turn.into(), last },
            key: position_key(board),
            occupied,
            count: occupied.count_ones(),
            taken: EMPTY,
        };
        Some(Start {
            pieces,
            state,
            rooks,
            keeps,
            halfmove_clock: board.halfmove_clock,
            fullmove_number: board.fullmove_number,
        })
    }

    /// The castling rights of a board as bits of [`Home`] in a game from this start; `None` if such a game cannot have
    /// them.
    pub(crate) fn castling_rights(&self, castling: [u8; 2]) -> Option<u32> {
        let mut rights = 0;
        let mut files = [0u8; 2];
        for (side, rook) in self.rooks.iter().enumerate() {
            if let Some(rook) = rook
                && castling[side / 2] >> (rook & 7) & 1 == 1
            {
                files[side / 2] |= 1 << (rook & 7);
                rights |= 1 << side;
            }
        }
        (files == castling).then_some(rights)
    }

    /// The files of the rooks that may still castle.
    pub(crate) fn castling_files(&self, home: Home) -> [u8; 2] {
        let mut files = [0u8; 2];
        for (side, rook) in self.rooks.iter().enumerate() {
            if let Some(rook) = rook
                && home.castling() >> side & 1 == 1
            {
                files[side / 2] |= 1 << (rook & 7);
            }
        }
        files
    }

    /// The state after a half-move other than castling.
    #[inline(always)]
    pub(crate) fn after(&self, before: Course, from: usize, to: usize, target: u16) -> Course {
        Course {
            home: before.home.and(self.keeps[from]).and(self.keeps[to]),
            turn: before.turn ^ 1,
            last: LastMove::new(from, target),
        }
    }
}

/// Assigns the pieces of a side to slots; `None` if it has more than sixteen.
fn seat(board: &Board, color: usize, pieces: &mut Pieces) -> Option<()> {
    let mut free = [true; 16];
    let mut too_many = Vec::new();
    for square in 0..64usize {
        let kind = board.kinds[square];
        if kind == NO_KIND || usize::from(kind) / 6 != color {
            continue;
        }
        match (0..16).find(|slot| free[*slot] && SLOT_ROLE[*slot] == kind % 6) {
            Some(slot) => {
                free[slot] = false;
                pieces.seat(16 * color + slot, square, kind);
            }
            None => too_many.push((kind, square)),
        }
    }
    // By role from king to pawn, then by square.
    too_many.sort_by_key(|(kind, square)| (std::cmp::Reverse(*kind), *square));
    for (kind, square) in too_many {
        let slot = (0..16).rfind(|slot| free[*slot])?;
        free[slot] = false;
        pieces.seat(16 * color + slot, square, kind);
    }
    Some(())
}
