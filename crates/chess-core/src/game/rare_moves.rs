//! Moves outside of a replay's hot loop: castling, promotions, en passant, and escaped moves.
//!
//! Takes the pieces and scalars of a position, and a move; returns those after it.

use crate::board::key::CONSTANTS;
use crate::board::kinds::{KING, PAWN, ROOK};
use crate::game::decode::decode;
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::seating::Start;
use crate::game::slots::{DOUBLE_PUSH, PAWN_CAPTURE, PROMOTION, Step, code_len};
use crate::game::state::{Course, Full, Home, LastMove};

/// The squares of a castling move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castling {
    pub king: (u8, u8),
    pub rook: (u8, u8),
}

/// The squares of O-O or O-O-O for the side to move; `None` without that right.
pub(crate) fn castling(start: &Start, pieces: &Pieces, state: Course, long: bool) -> Option<Castling> {
    let color = (state.turn & 1) as usize;
    let side = 2 * color + usize::from(long);
    if state.home.castling() >> side & 1 == 0 {
        return None;
    }
    let rank = 56 * color as u8;
    let (king_to, rook_to) = if long { (rank + 2, rank + 3) } else { (rank + 6, rank + 5) };
    Some(Castling { king: (pieces.square[16 * color] & 63, king_to), rook: (start.rooks[side]?, rook_to) })
}

/// Removes the pawn captured en passant from the board and the key.
#[inline(never)]
pub(crate) fn take_en_passant(pieces: &mut Pieces, from: usize, to: usize) -> (usize, u64) {
    let passed = from & 56 | to & 7;
    let kind = usize::from(pieces.kind_at(passed) & 15);
    pieces.unit[passed] = EMPTY;
    (passed, CONSTANTS.pieces[kind][passed])
}

/// Plays promotions, castling and escaped moves; returns the new state and the bytes used.
#[inline(never)]
pub(crate) fn play_rare(start: &Start, pieces: &mut Pieces, state: Full, moves: &[u8]) -> Option<(Full, usize)> {
    let used = code_len(moves[0]);
    let next = match decode(pieces, state.turn, moves)? {
        Step::Castle { long } => castle(start, pieces, state, long)?,
        Step::Plain { from, to, promotion } => play::<true>(start, pieces, state, from.into(), to.into(), promotion)?.0,
    };
    Some((next, used))
}

pub(crate) fn castle(start: &Start, pieces: &mut Pieces, mut state: Full, long: bool) -> Option<Full> {
    let color = (state.turn & 1) as usize;
    let king_unit = 16 * color;
    let squares = castling(start, pieces, state.course, long)?;
    let [king_from, king_to] = [squares.king.0, squares.king.1].map(usize::from);
    let [rook_from, rook_to] = [squares.rook.0, squares.rook.1].map(usize::from);
    let rook_unit = pieces.unit[rook_from];
    pieces.unit[king_from] = EMPTY;
    pieces.unit[rook_from] = EMPTY;
    pieces.unit[king_to] = king_unit as u8;
    pieces.unit[rook_to] = rook_unit;
    pieces.square[king_unit] = king_to as u8;
    pieces.square[usize::from(rook_unit & 63)] = rook_to as u8;
    let (king, rook) = (6 * color + usize::from(KING), 6 * color + usize::from(ROOK));
    let keys = &CONSTANTS.pieces;
    state.key ^= keys[king][king_from] ^ keys[king][king_to] ^ keys[rook][rook_from] ^ keys[rook][rook_to];
    state.key ^= CONSTANTS.white_to_move;
    state.occupied = state.occupied & !(1 << king_from) & !(1 << rook_from) | 1 << king_to | 1 << rook_to;
    let course = &mut state.course;
    course.home = course.home.without(Home::new(0, 3 << (2 * color)));
    course.last = LastMove::CASTLING;
    course.turn ^= 1;
    state.taken = EMPTY;
    Some(state)
}

/// The effect of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    /// The kind of the moving piece before and after the step.
    pub kinds: (u8, u8),
    /// The kind of the captured piece on the target, or [`NO_KIND`].
    pub captured: u8,
    /// The square of the pawn captured en passant.
    pub passed: Option<usize>,
}

#[inline(always)]
pub(crate) fn play<const KEY: bool>(
    start: &Start,
    pieces: &mut Pieces,
    mut state: Full,
    from: usize,
    to: usize,
    promotion: Option<u8>,
) -> Option<(Full, Played)> {
    let (from, to) = (from & 63, to & 63);
    let unit = usize::from(pieces.unit[from] & 63);
    let old = pieces.kind[unit];
    let pawn = old == PAWN || old == 6 + PAWN;
    if unit >= 32 || promotion.is_some() != (pawn && matches!(to / 8, 0 | 7)) {
        return None;
    }
    let captured = pieces.unit[to] & 63;
    let victim = pieces.kind[usize::from(captured)];
    state.taken = captured;
    let mut target = to as u16;
    let mut passed = None;
    if pawn && from.abs_diff(to) == 16 {
        target |= DOUBLE_PUSH;
    } else if pawn && from & 7 != to & 7 && captured == EMPTY {
        target |= PAWN_CAPTURE;
        state.taken = pieces.unit[from & 56 | to & 7] & 63;
        let (square, passed_key) = take_en_passant(pieces, from, to);
        state.key ^= passed_key;
        state.occupied &= !(1 << square);
        state.count = state.count.wrapping_sub(1);
        passed = Some(square);
    }
    let mut new = old;
    if let Some(role) = promotion {
        target |= PROMOTION;
        new = old.wrapping_add(role);
        pieces.kind[unit] = new;
    }
    if KEY {
        let keys = &CONSTANTS.pieces;
        let [left, entered, taken] = [old, new, victim].map(|kind| &keys[usize::from(kind & 15)]);
        state.key ^= left[from] ^ entered[to] ^ taken[to] ^ CONSTANTS.white_to_move;
    }
    pieces.relocate(unit, from, to);
    state.occupied = state.occupied & !(1 << from) | 1 << to;
    state.count = state.count.wrapping_sub(u32::from(captured != EMPTY));
    state.course = start.after(state.course, from, to, target);
    Some((state, Played { kinds: (old, new), captured: victim, passed }))
}
