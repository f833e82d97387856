//! Mate and stalemate: what only a position with its rules can tell, asked once a game.

use shakmaty::Position;

use super::observe::Moment;
use super::relations;
use crate::board::Board;
use crate::game::pieces::Pieces;
use crate::game::seating::Start;
use crate::game::state::Course;

/// The board of a moment of a game from `start`, without clocks.
pub(super) fn board_of(start: &Start, pieces: &Pieces, state: Course) -> Board {
    Board {
        kinds: pieces.kinds(),
        turn: state.turn as u8 & 1,
        castling: start.castling_files(state.home),
        en_passant: state.last.en_passant(),
        halfmove_clock: 0,
        fullmove_number: 1,
    }
}

/// Which ends of a game matter: they cost a look at all legal moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish {
    pub mate: bool,
    pub stalemate: bool,
}

impl Finish {
    pub fn matters(self) -> bool {
        self.mate || self.stalemate
    }

    /// Whether the side to move is mated or stalemated.
    #[inline(never)]
    pub fn of(self, moment: &mut Moment, board: impl FnOnce() -> Board) {
        let wanted = if relations::is_check(moment) { self.mate } else { self.stalemate };
        if wanted && let Ok(position) = board().position() {
            moment.is_mate = position.is_checkmate();
            moment.is_stalemate = position.is_stalemate();
        }
    }
}
