//! Mate and stalemate: what only a position with its rules can tell, asked once a game.

use shakmaty::Position;

use super::observe::Moment;
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

/// Sets whether the side to move is mated or stalemated.
#[inline(never)]
pub(super) fn finish(moment: &mut Moment, board: &Board) {
    if let Ok(position) = board.position() {
        moment.is_mate = position.is_checkmate();
        moment.is_stalemate = position.is_stalemate();
    }
}
