//! The keys under which GIN indexes find a game.
//!
//! Takes games and boards; returns position keys (the default class), coarse keys (the compact class), both, up to a
//! half-move and after it (option `max_ply`), or keys of pawn structures (the compact class with the option
//! `key_bits`). Many positions share a coarse key, which makes the index small; fewer share the key of a structure.
//!
//! # Stability
//!
//! Indexes on disk hold these keys; tests pin the published values.

use crate::board::Board;
use crate::board::kinds::PAWN;
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::state::{Counted, Full, Keyed, State};
use crate::game::{CorruptGame, GameRef};

/// The coarse key of a placement: 16 bits of a hash of what rarely changes in a game and never comes back: the pawns
/// still on their second rank, and the number of pieces of each kind. A game has about thirty different ones, but a
/// position key for every half-move.
///
/// `home_pawns` has White's pawns by file in bits 0 to 7, Black's in 8 to 15. The hash is the finalizer of MurmurHash3
/// (fmix64) over the pawns and over the counts, five bits per kind.
pub(crate) fn coarse_key(home_pawns: u16, counts: u64) -> u16 {
    ((fmix64(u64::from(home_pawns) | 1 << 16) ^ fmix64(counts)) >> 48) as u16
}

/// The finalizer of MurmurHash3.
pub(crate) fn fmix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// The key of a pawn structure: a hash of the squares of each side's pawns and the number of pieces of each kind
/// ([`counts`]). An index stores its upper bits.
fn structure_key(pawns: [u64; 2], counts: u64) -> u64 {
    fmix64(fmix64(fmix64(counts) ^ pawns[0]) ^ pawns[1])
}

/// The squares of the pawns of each side.
fn pawns(occupied: u64, kind_at: impl Fn(usize) -> u8) -> [u64; 2] {
    let (mut pawns, mut squares) = ([0; 2], occupied);
    while squares != 0 {
        let square = squares.trailing_zeros() as usize;
        squares &= squares - 1;
        let kind = kind_at(square);
        if kind % 6 == PAWN {
            pawns[usize::from((kind / 6) & 1)] |= 1 << square;
        }
    }
    pawns
}

/// The number of pieces of each kind, five bits per kind.
#[inline(always)]
pub(crate) fn counts(occupied: u64, kind_at: impl Fn(usize) -> u8) -> u64 {
    let mut counts = 0u64;
    let mut squares = occupied;
    while squares != 0 {
        let square = squares.trailing_zeros() as usize;
        squares &= squares - 1;
        counts = counts.wrapping_add(1 << (5 * (kind_at(square) & 15)).min(63));
    }
    counts
}

/// The coarse key of a board, which all positions with its placement have.
pub fn coarse_board_key(board: &Board) -> u16 {
    coarse_key(board.home_pawns(), counts(board.occupied(), |square| board.kinds[square & 63]))
}

/// The structure key of a board, which all positions with its placement have.
pub fn board_structure_key(board: &Board) -> u64 {
    let kind_at = |square| board.kinds[square & 63];
    structure_key(pawns(board.occupied(), kind_at), counts(board.occupied(), kind_at))
}

/// The structure keys of a game, at its start and later. A half-move without a pawn move or capture does not repeat the
/// key.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn structure_keys(game: GameRef<'_>, mut found: impl FnMut(u64)) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let mut replay = Replay::<Counted>::new(&start);
    let key_of = |pieces: &Pieces, occupied| {
        let kind_at = |square| pieces.kind_at(square);
        structure_key(pawns(occupied, kind_at), counts(occupied, kind_at))
    };
    let mut count = replay.state.count;
    found(key_of(&replay.pieces, replay.state.occupied));
    replay.run(game.moves(), u32::MAX, |pieces, state: Counted| {
        let pawn_moved = !state.last.is_castling() && pieces.kind_at(state.last.to()) % 6 == PAWN;
        if pawn_moved || state.count != count || state.last.is_promotion() {
            found(key_of(pieces, state.occupied));
        }
        count = state.count;
        false
    })?;
    Ok(())
}

/// The coarse keys of a game, at its start and later. A half-move that changes neither pawns at home nor pieces does
/// not repeat the key.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn coarse_keys(game: GameRef<'_>, keys: &mut Vec<u16>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let replay = Replay::<Counted>::new(&start);
    let material = counts_of(&start.pieces, replay.state);
    keys.push(coarse_key(start.state.home.pawns(), material));
    let before = Some((replay.state, material));
    later_keys(replay, game.moves(), before, |_| (), |key| keys.push(key))
}

/// All keys of a game in one replay: calls `position` with the position keys of the start and after each half-move, and
/// `coarse` with the coarse keys of [`coarse_keys`].
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn all_keys(
    game: GameRef<'_>,
    mut position: impl FnMut(u64),
    mut coarse: impl FnMut(u16),
) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let replay = Replay::<Full>::new(&start);
    let before = Counted::of(replay.state);
    let material = counts_of(&start.pieces, before);
    position(start.state.key);
    coarse(coarse_key(start.state.home.pawns(), material));
    later_keys(replay, game.moves(), Some((before, material)), |state| position(state.key), coarse)
}

/// The keys of a game for an index with `max_ply`: position keys up to that half-move, coarse keys after it, including
/// duplicates.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn keys_up_to(game: GameRef<'_>, max_ply: u32, keys: &mut Vec<u64>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let mut replay = Replay::<Keyed>::new(&start);
    keys.push(start.state.key);
    let played = replay.run(game.moves(), max_ply, |_, state| {
        keys.push(state.key);
        false
    })?;
    let rest = game.moves().get(game.code_len_of(played)..).unwrap_or_default();
    later_keys(replay.counting(), rest, None, |_| (), |key| keys.push(key.into()))
}

/// The coarse keys after the remaining half-moves, except where they must equal the key `before`. Calls `each` with
/// every position.
fn later_keys<S: State>(
    mut replay: Replay<'_, S>,
    moves: &[u8],
    mut before: Option<(Counted, u64)>,
    mut each: impl FnMut(Full),
    mut found: impl FnMut(u16),
) -> Result<(), CorruptGame> {
    replay.run(moves, u32::MAX, |pieces, state: S| {
        each(state.full());
        let state = Counted::of(state.full());
        // Counting takes longer than playing the half-move.
        let same_material = before.filter(|(before, _)| state.count == before.count && !state.last.is_promotion());
        let material = same_material.map_or_else(|| counts_of(pieces, state), |(_, material)| material);
        if same_material.is_none_or(|(before, _)| state.home.pawns() != before.home.pawns()) {
            found(coarse_key(state.home.pawns(), material));
        }
        before = Some((state, material));
        false
    })?;
    Ok(())
}

fn counts_of(pieces: &Pieces, state: Counted) -> u64 {
    counts(state.occupied, |square| pieces.kind_at(square))
}

/// The position keys of a game, of the start and after each half-move, including duplicates.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn position_keys(game: GameRef<'_>, keys: &mut Vec<u64>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    keys.reserve(game.moves().len() + 1);
    keys.push(start.state.key);
    Replay::new(&start).run(game.moves(), u32::MAX, |_, state: Keyed| {
        keys.push(state.key);
        false
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::fen;

    #[test]
    fn coarse_keys_are_frozen() {
        let key = |text| coarse_board_key(&fen::read(text).unwrap());
        let start = key("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        // Knight moves and the side to move have no effect; pawn moves and captures do.
        assert_eq!(start, key("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"));
        let e4 = key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b");
        let ending = key("8/8/8/4k3/8/4K3/4P3/8");
        assert_eq!([start, e4, ending], [34427, 20196, 35874]);
    }

    #[test]
    fn structure_keys_are_frozen() {
        let key = |text| board_structure_key(&fen::read(text).unwrap());
        let start = key("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        assert_eq!(start, key("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"));
        // The square and colour of a pawn away from its second rank count.
        let (e4, e3) = (
            key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"),
            key("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b"),
        );
        let ending = key("8/8/8/4k3/8/4K3/4P3/8");
        assert_eq!([start, e4, e3, ending].map(|key| key >> 40), [2078273, 4607307, 6689821, 7840494]);
    }
}
