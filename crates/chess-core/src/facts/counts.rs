//! Sums over the half-moves of a game: which piece stands where and for how long, what is captured where, how long a
//! piece lives, where the kings walk.
//!
//! Takes packed games and half-moves; adds to the counts of the caller, or returns facts of one game. Each game is
//! replayed once, without its boards: a piece is counted where it leaves a square, by the number of positions in which
//! it stood there.

use crate::board::kinds::{KING, NO_KIND, PAWN, ROOK};
use crate::game::pieces::{EMPTY, Pieces};
use crate::game::replay::Replay;
use crate::game::seating::Start;
use crate::game::state::Traced;
use crate::game::{CorruptGame, GameRef};

/// The number of counts for kinds of pieces and squares; that of a kind on a square is at `64 * kind + square`.
pub const PIECE_SQUARES: usize = 12 * 64;

/// The number of units: [`Pieces`] has two sides with sixteen slots each.
const UNITS: usize = 32;

/// Adds to a count. A kind above those of pieces, which only damaged games have, is ignored.
#[inline(always)]
fn add(counts: &mut [i64; PIECE_SQUARES], kind: u8, square: usize, number: i64) {
    if let Some(count) = counts.get_mut(64 * usize::from(kind) + (square & 63)) {
        *count = count.wrapping_add(number);
    }
}

/// Whether a unit is on the board.
fn is_there(pieces: &Pieces, unit: usize) -> bool {
    usize::from(pieces.unit[usize::from(pieces.square[unit] & 63)]) == unit
}

/// Adds, for each kind and square, the number of positions after half-moves `first` to `last` that have such a piece
/// there. Position 0 is the start; positions that the game does not have are left out.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
///
/// # Examples
///
/// ```
/// use chess_core::facts::counts::{PIECE_SQUARES, square_counts};
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1. e4 e5 2. Nf3")?;
/// let mut counts = [0; PIECE_SQUARES];
/// square_counts(game.view(), 0, u32::MAX, &mut counts).unwrap();
/// // a white pawn stands on e2 in one of four positions, on e4 in three
/// assert_eq!([counts[12], counts[28]], [1, 3]);
/// # Ok::<_, movetext::MovetextError>(())
/// ```
pub fn square_counts(
    game: GameRef<'_>,
    first: u32,
    last: u32,
    counts: &mut [i64; PIECE_SQUARES],
) -> Result<(), CorruptGame> {
    let last = last.min(game.ply_count());
    if first > last {
        return Ok(());
    }
    let start = game.start_position()?;
    let mut replay = Replay::<Traced>::new(&start);
    let mut at = 0;
    // For each unit the first position without it: that of its capture, or the one after the last. A store for each
    // half-move, captured or not (into the entry of EMPTY), is faster than a branch that cannot be predicted.
    let mut gone = [i64::from(last) + 1; 64];
    if first > 0 {
        let skipped = replay.run_on(game.moves(), &mut at, first, |_, _| false)?;
        if skipped < first {
            return Err(CorruptGame::Length);
        }
        for (unit, gone) in gone.iter_mut().enumerate().take(UNITS) {
            match is_there(&replay.pieces, unit) {
                true => add(counts, replay.pieces.kind[unit], replay.pieces.square[unit].into(), -i64::from(first)),
                false => *gone = 0,
            }
        }
    }
    // A piece that arrives in position a and leaves in position b is counted b - a times.
    let mut ply = i64::from(first);
    let played = replay.run_on(game.moves(), &mut at, last - first, |pieces, state| {
        ply += 1;
        let mover = (state.turn ^ 1) as usize & 1;
        if state.last.is_castling() {
            castle(counts, &start, pieces, mover, ply);
            return false;
        }
        let (from, to) = (state.last.from(), state.last.to());
        let kind = pieces.kind_at(to);
        let before = if state.last.is_promotion() { 6 * mover as u8 + PAWN } else { kind };
        add(counts, before, from, ply);
        add(counts, kind, to, -ply);
        gone[usize::from(state.taken & 63)] = ply;
        false
    });
    if played.map_err(|error| CorruptGame::Move(first.saturating_add(error.ply)))? < last - first {
        return Err(CorruptGame::Length);
    }
    // A captured piece keeps the square and the kind that it had.
    for (unit, gone) in gone.into_iter().enumerate().take(UNITS) {
        add(counts, replay.pieces.kind[unit], replay.pieces.square[unit].into(), gone);
    }
    Ok(())
}

/// Counts a king and a rook that castle with the half-move `ply`; `pieces` stand as after it.
fn castle(counts: &mut [i64; PIECE_SQUARES], start: &Start, pieces: &Pieces, mover: usize, ply: i64) {
    let king = usize::from(pieces.square[16 * mover] & 63);
    let is_long = king & 7 == 2;
    let rook = usize::from(start.rooks[2 * mover + usize::from(is_long)].unwrap_or(0));
    let kinds = [KING, ROOK].map(|role| 6 * mover as u8 + role);
    add(counts, kinds[0], usize::from(start.pieces.square[16 * mover]), ply);
    add(counts, kinds[0], king, -ply);
    add(counts, kinds[1], rook, ply);
    add(counts, kinds[1], if is_long { king + 1 } else { king.wrapping_sub(1) }, -ply);
}

/// Adds, for each kind and square, the number of half-moves `first` to `last` that capture such a piece there, counted
/// from 1. A pawn captured en passant counts on its own square, a promoted piece as what it became.
pub fn capture_counts(
    game: GameRef<'_>,
    first: u32,
    last: u32,
    counts: &mut [i64; PIECE_SQUARES],
) -> Result<(), CorruptGame> {
    let last = last.min(game.ply_count());
    let start = game.start_position()?;
    let mut ply = 0;
    let played = Replay::<Traced>::new(&start).run(game.moves(), last, |pieces, state| {
        ply += 1;
        if state.taken != EMPTY && ply >= first {
            let taken = usize::from(state.taken & 63);
            add(counts, pieces.kind[taken], usize::from(pieces.square[taken]), 1);
        }
        false
    })?;
    if played < last { Err(CorruptGame::Length) } else { Ok(()) }
}

/// The last half-move after which the piece that begins on `square` is on the board: that before its capture, or the
/// last one of the game. A pawn that promotes lives on. `None` if the game begins with no piece there.
pub fn life(game: GameRef<'_>, square: u8) -> Result<Option<u32>, CorruptGame> {
    let start = game.start_position()?;
    let unit = start.pieces.unit[usize::from(square & 63)];
    if unit == EMPTY || start.pieces.kind[usize::from(unit & 63)] >= NO_KIND {
        return Ok(None);
    }
    let mut captured = false;
    let played = Replay::<Traced>::new(&start).run(game.moves(), game.ply_count(), |_, state| {
        captured = state.taken == unit;
        captured
    })?;
    match played {
        _ if captured => Ok(Some(played - 1)),
        _ if played < game.ply_count() => Err(CorruptGame::Length),
        _ => Ok(Some(played)),
    }
}

/// The squares on which the kings stand during a game, White's and Black's, as sets: bit 0 is a1.
pub fn king_squares(game: GameRef<'_>) -> Result<[u64; 2], CorruptGame> {
    let start = game.start_position()?;
    let square = |pieces: &Pieces, side: usize| 1u64 << (pieces.square[16 * side] & 63);
    let mut sets = [0, 1].map(|side| square(&start.pieces, side));
    let played = Replay::<Traced>::new(&start).run(game.moves(), game.ply_count(), |pieces, state| {
        let mover = (state.turn ^ 1) as usize & 1;
        sets[mover] |= square(pieces, mover);
        false
    })?;
    if played < game.ply_count() { Err(CorruptGame::Length) } else { Ok(sets) }
}
