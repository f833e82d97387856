//! The keys under which GIN indexes find a game.
//!
//! Takes games and boards; returns position keys (the default class), coarse keys (the compact class),
//! or both, up to a half-move and after it (option `max_ply`), or keys of pawn structures (the compact class with
//! the option `key_bits`). A coarse key stands for many positions: it makes for a small index with few keys. That of a
//! structure stands for fewer.
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

/// The coarse key of a placement: 16 bits of a hash of what rarely changes in a game and never comes
/// back, which pawns are still on their second rank and how many pieces of each kind there are. A game
/// has some thirty, where it has a position key for every half-move.
///
/// `home_pawns` has White's pawns by file in bits 0 to 7, Black's in 8 to 15. The hash is the finalizer
/// of MurmurHash3 (fmix64) over the pawns and over the counts, five bits a kind.
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

/// The key of a pawn structure: a hash of where the pawns of each side are and how many pieces of each kind there are
/// ([`counts`]). An index keeps its upper bits.
fn structure_key(pawns: [u64; 2], counts: u64) -> u64 {
    fmix64(fmix64(fmix64(counts) ^ pawns[0]) ^ pawns[1])
}

/// Where the pawns of each side are.
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

/// How many pieces of each kind there are, five bits a kind, for [`coarse_key`].
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

/// The coarse key of a board: that of every position with its placement.
pub fn coarse_board_key(board: &Board) -> u16 {
    coarse_key(board.home_pawns(), counts(board.occupied(), |square| board.kinds[square & 63]))
}

/// The key of a board's pawn structure, with its pieces by their kinds: that of every position with its placement.
pub fn board_structure_key(board: &Board) -> u64 {
    let kind_at = |square| board.kinds[square & 63];
    structure_key(pawns(board.occupied(), kind_at), counts(board.occupied(), kind_at))
}

/// The keys of the pawn structures of a game as [`board_structure_key`] has them, of its start and of its later positions;
/// where neither a pawn moves nor anything is taken, the key before is not repeated.
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

/// Coarse keys of a game, of its start and of its later positions; where neither pawns at home nor pieces change,
/// the key before is not repeated.
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

/// Every key of a game in one replay: calls `position` with its position keys, of the start and after each half-move,
/// and `coarse` with its coarse keys as [`coarse_keys`] has them.
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

/// The keys of a game that tell its first half-moves apart: the position keys of the start and of the positions
/// up to half-move `max_ply`, and the coarse keys of those after it, duplicates included.
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

/// The coarse keys after each of the half-moves that are left, but for those that cannot differ from that `before`,
/// of a position with its counts; `each` is called with every position.
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
        // Counting takes longer than the half-move.
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

/// Position keys of a game, one for the start and one after each half-move, duplicates included.
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
        // A knight's move changes nothing, nor does whose move it is; a pawn's and a capture do.
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
        // A pawn that has left its rank still tells where it is, and whose it is.
        let (e4, e3) = (
            key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"),
            key("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b"),
        );
        let ending = key("8/8/8/4k3/8/4K3/4P3/8");
        assert_eq!([start, e4, e3, ending].map(|key| key >> 40), [2078273, 4607307, 6689821, 7840494]);
    }
}
