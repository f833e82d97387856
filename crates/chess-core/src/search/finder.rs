//! Finds a board among the positions of a game.
//!
//! Takes a [`Board`] and a game; returns the first half-move after which the board occurs, 0 for the start. Pawns on
//! their second rank and the number of pieces only decrease, castling rights too. A game whose header shows more of
//! these at its end than the board has is not replayed at all, and a replay stops as soon as it has fewer. Until then,
//! comparing the occupied squares excludes nearly every half-move.

use crate::board::Board;
use crate::game::pieces::Pieces;
use crate::game::replay::Replay;
use crate::game::seating::{STANDARD, Start};
use crate::game::state::{Counted, Home, State};
use crate::game::{CorruptGame, GameRef};

/// When a position matches the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The same position (FIDE Laws of Chess, 9.2): placement, side to move, castling rights, and
    /// the en passant file if a capture there is legal. Clocks never count.
    Position,
    /// The same placement, whichever side is to move.
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
    home_pawns: u16,
    /// The required [`Home`] in a game from the standard start; `None` if such a game cannot have the board.
    standard_home: Option<Home>,
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
            home_pawns: board.home_pawns(),
            standard_home: None,
        };
        finder.standard_home = finder.home(&STANDARD);
        finder
    }

    /// The required [`Home`] in a game from `start`.
    fn home(&self, start: &Start) -> Option<Home> {
        match self.matching {
            Matching::Position => Some(Home::new(self.home_pawns, start.castling_rights(self.castling)?)),
            Matching::Placement => Some(Home::new(self.home_pawns, 0)),
        }
    }

    /// The first half-move, at most `limit`, after which the board occurs; 0 is the start.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    #[inline]
    pub fn find(&self, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let remains = game.remains();
        if (remains.home_pawns & !self.home_pawns != 0) | (u32::from(remains.pieces) > self.count) {
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
    #[inline]
    pub fn is_in(&self, game: GameRef<'_>, limit: u32) -> Result<bool, CorruptGame> {
        Ok(self.find(game, limit)?.is_some())
    }

    #[inline]
    fn find_from(&self, start: &Start, home: Home, game: GameRef<'_>, limit: u32) -> Result<Option<u32>, CorruptGame> {
        let lost = |state: Counted| state.home.lacks(home) | (state.count < self.count);
        if start.state.occupied == self.occupied && self.matches(&start.pieces, Counted::of(start.state), home) {
            return Ok(Some(0));
        }
        if lost(Counted::of(start.state)) {
            return Ok(None);
        }
        let mut found = false;
        let played = Replay::new(start).run(game.moves(), limit, |pieces, state: Counted| {
            if state.occupied == self.occupied {
                found = self.matches(pieces, state, home);
            }
            found | lost(state)
        })?;
        Ok(found.then_some(played))
    }

    /// Whether a position of a game from `start` matches.
    pub(crate) fn stands(&self, start: &Start, pieces: &Pieces, state: Counted) -> bool {
        state.occupied == self.occupied && self.home(start).is_some_and(|home| self.matches(pieces, state, home))
    }

    /// Whether a position with the occupied squares of the board matches.
    #[inline(never)]
    fn matches(&self, pieces: &Pieces, state: Counted, home: Home) -> bool {
        let same_turn = state.turn == self.turn || self.matching == Matching::Placement;
        let same_castling = self.matching != Matching::Position || state.home.castling() == home.castling();
        if !same_turn || !same_castling || state.home.pawns() != self.home_pawns {
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
        self.matching != Matching::Position || state.legal_en_passant_file(pieces) == self.en_passant_file
    }
}
