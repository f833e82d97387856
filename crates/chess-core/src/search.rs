//! Finds a board among the positions of a game.
//!
//! In go a [`Board`] and a game; out comes the first half-move after which it stands, 0 for the
//! start. What a game cannot win back decides from both ends: a game that still has more at its end
//! (pawns on their second rank, number of pieces; its header says) is not replayed at all, and a
//! replay is left as soon as it has lost what the board still has (also a castling right). Until
//! then comparing the occupied squares rejects nearly every half-move with one comparison.

use crate::board::Board;
use crate::game::{CorruptGame, GameRef};
use crate::key::{coarse_key, counts};
use crate::replay::{CASTLING_SHIFT, HOME_PAWNS, Pieces, Replay, STANDARD, Start, State};
use crate::slots::{PAWN, PROMOTION};

/// What makes a position of a game count as the board that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The same position (FIDE Laws of Chess, 9.2): placement, side to move, castling rights, and
    /// the en passant file if a capture there is legal. Clocks never count.
    Position,
    /// The same placement, whoever is to move.
    Placement,
}

/// A board prepared for the search in many games.
#[derive(Clone, Debug)]
pub struct Finder {
    matching: Matching,
    kinds: [u8; 64],
    occupied: u64,
    count: u32,
    turn: u32,
    castling: [u8; 2],
    en_passant_file: Option<u8>,
    home_pawns: u32,
    /// [`State::home`] of the board in a game from the standard start, if such a game can have it.
    standard_home: Option<u32>,
}

impl Finder {
    /// Prepares the search for `board`.
    pub fn new(board: &Board, matching: Matching) -> Finder {
        let occupied = board.occupied();
        let mut finder = Finder {
            matching,
            kinds: board.kinds,
            occupied,
            count: occupied.count_ones(),
            turn: board.turn.into(),
            castling: board.castling,
            en_passant_file: board.legal_en_passant_file(),
            home_pawns: board.home_pawns().into(),
            standard_home: None,
        };
        finder.standard_home = finder.home(&STANDARD);
        finder
    }

    /// What [`State::home`] must keep in a game from `start`.
    fn home(&self, start: &Start) -> Option<u32> {
        match self.matching {
            Matching::Position => Some(self.home_pawns | start.castling_bits(self.castling)?),
            Matching::Placement => Some(self.home_pawns),
        }
    }

    /// The first half-move, at most `limit`, after which the board stands; 0 is the start.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    #[inline]
    pub fn find(&self, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let remains = game.remains();
        if (u32::from(remains.home_pawns) & !self.home_pawns != 0) | (u32::from(remains.pieces) > self.count) {
            return Ok(None);
        }
        if !game.has_custom_start() {
            let Some(home) = self.standard_home else { return Ok(None) };
            return self.find_from(&STANDARD, home, game, limit);
        }
        let start = game.start_position()?;
        match self.home(&start) {
            Some(home) => self.find_from(&start, home, game, limit),
            None => Ok(None),
        }
    }

    /// Whether [`Finder::find`] finds the board.
    ///
    /// # Errors
    ///
    /// Those of [`Finder::find`].
    #[inline]
    pub fn is_in(&self, game: GameRef<'_>, limit: u32) -> Result<bool, CorruptGame> {
        Ok(self.find(game, limit)?.is_some())
    }

    #[inline]
    fn find_from(&self, start: &Start, home: u32, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let lost = |state: State| (state.home & home != home) | (state.count < self.count);
        if start.state.occupied == self.occupied && self.matches(&start.pieces, start.state, home) {
            return Ok(Some(0));
        }
        if lost(start.state) {
            return Ok(None);
        }
        let mut found = false;
        let played = Replay::new(start).run::<false, true>(game.moves(), limit, |pieces, state| {
            if state.occupied == self.occupied {
                found = self.matches(pieces, state, home);
            }
            found | lost(state)
        })?;
        Ok(found.then_some(played))
    }

    /// Whether a position whose occupied squares are those of the board is the board.
    #[inline(never)]
    fn matches(&self, pieces: &Pieces, state: State, home: u32) -> bool {
        let same_turn = state.turn == self.turn || self.matching == Matching::Placement;
        let same_castling =
            self.matching != Matching::Position || state.home >> CASTLING_SHIFT == home >> CASTLING_SHIFT;
        if !same_turn || !same_castling || state.home & HOME_PAWNS != self.home_pawns {
            return false;
        }
        let mut squares = self.occupied;
        while squares != 0 {
            let square = squares.trailing_zeros() as usize;
            squares &= squares - 1;
            if pieces.kind_at(square) != self.kinds[square & 63] {
                return false;
            }
        }
        self.matching != Matching::Position || en_passant_file(pieces, state) == self.en_passant_file
    }
}

/// The file where the side to move may legally capture en passant.
pub(crate) fn en_passant_file(pieces: &Pieces, state: State) -> Option<u8> {
    let square = state.en_passant()?;
    let pushed = usize::from(square ^ 8);
    let own_pawn = 6 * state.turn as u8 + PAWN;
    let beside = |file: usize, other: usize| pushed % 8 != file && pieces.kind_at(other) == own_pawn;
    if !beside(0, pushed.wrapping_sub(1)) && !beside(7, pushed + 1) {
        return None;
    }
    let board = Board {
        kinds: pieces.kinds(),
        turn: state.turn as u8,
        castling: [0, 0],
        en_passant: Some(square),
        halfmove_clock: 0,
        fullmove_number: 1,
    };
    board.legal_en_passant_file()
}

/// Coarse keys of a game, of its start and of its later positions; where neither pawns at home nor pieces change,
/// the key before is not repeated.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn coarse_keys(game: GameRef<'_>, keys: &mut Vec<u16>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let material = counts_of(&start.pieces, start.state);
    keys.push(coarse_key((start.state.home & HOME_PAWNS) as u16, material));
    let before = Some((start.state, material));
    later_keys::<false>(&mut Replay::new(&start), game.moves(), before, |_| (), |key, _| keys.push(key))
}

/// Every key of a game in one replay: calls `position` with its position keys, of the start and after each half-move,
/// and `coarse` with its coarse keys as [`coarse_keys`] has them, each with the number of pieces of each kind there
/// ([`crate::material::Material::packed`]).
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn all_keys(
    game: GameRef<'_>,
    mut position: impl FnMut(u64),
    mut coarse: impl FnMut(u16, u64),
) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let material = counts_of(&start.pieces, start.state);
    position(start.state.key);
    coarse(coarse_key((start.state.home & HOME_PAWNS) as u16, material), material);
    let before = Some((start.state, material));
    later_keys::<true>(&mut Replay::new(&start), game.moves(), before, position, coarse)
}

/// The keys of a game that tell its first half-moves apart: the position keys of the start and of the positions
/// up to half-move `max_ply`, and the coarse keys of those after it, duplicates included.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn keys_up_to(game: GameRef<'_>, max_ply: u32, keys: &mut Vec<u64>) -> Result<(), CorruptGame> {
    let start = game.start_position()?;
    let mut replay = Replay::new(&start);
    keys.push(start.state.key);
    let played = replay.run::<true, true>(game.moves(), max_ply, |_, state| {
        keys.push(state.key);
        false
    })?;
    let rest = game.moves().get(game.code_len_of(played)..).unwrap_or_default();
    later_keys::<false>(&mut replay, rest, None, |_| (), |key, _| keys.push(key.into()))
}

/// The coarse keys after each of the half-moves that are left, but for those that cannot differ from that `before`,
/// of a position with its counts; and the position keys, if `KEYED`.
fn later_keys<const KEYED: bool>(
    replay: &mut Replay<'_>,
    moves: &[u8],
    mut before: Option<(State, u64)>,
    mut position: impl FnMut(u64),
    mut found: impl FnMut(u16, u64),
) -> Result<(), CorruptGame> {
    replay.run::<KEYED, true>(moves, u32::MAX, |pieces, state| {
        if KEYED {
            position(state.key);
        }
        // Counting takes longer than the half-move.
        let same_material =
            before.filter(|(before, _)| state.count == before.count && state.last as u16 & PROMOTION == 0);
        let material = same_material.map_or_else(|| counts_of(pieces, state), |(_, material)| material);
        if same_material.is_none_or(|(before, _)| (state.home ^ before.home) & HOME_PAWNS != 0) {
            found(coarse_key((state.home & HOME_PAWNS) as u16, material), material);
        }
        before = Some((state, material));
        false
    })?;
    Ok(())
}

fn counts_of(pieces: &Pieces, state: State) -> u64 {
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
    Replay::new(&start).run::<true, false>(game.moves(), u32::MAX, |_, state| {
        keys.push(state.key);
        false
    })?;
    Ok(())
}
