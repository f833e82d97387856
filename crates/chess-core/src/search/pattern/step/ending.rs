//! Mate and stalemate: what only a position with its rules can tell, asked once a game.

use shakmaty::Position;

use super::moment::Moment;
use super::relations;
use crate::board::Board;
use crate::game::pieces::Pieces;
use crate::game::seating::Start;
use crate::game::state::Course;
use crate::search::pattern::program::Finish;

/// The board of a moment of a game from `start`, without clocks.
pub fn board_of(start: &Start, pieces: &Pieces, state: Course) -> Board {
    Board {
        kinds: pieces.kinds(),
        turn: state.turn as u8 & 1,
        castling: start.castling_files(state.home),
        en_passant: state.last.en_passant(),
        halfmove_clock: 0,
        fullmove_number: 1,
    }
}

impl Finish {
    /// Whether the side to move is mated or stalemated.
    #[inline(never)]
    pub fn of(self, moment: &mut Moment, board: impl FnOnce() -> Board) {
        let wanted =
            if relations::is_check(moment) { self.mate } else { self.stalemate && !relations::can_surely_move(moment) };
        if wanted && let Ok(position) = board().position() {
            moment.is_mate = position.is_checkmate();
            moment.is_stalemate = position.is_stalemate();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::kinds::{KING, NO_KIND};

    /// Boards of a few pieces at random, with blocked pawns, shielded kings, and kings in corners.
    #[test]
    fn who_can_surely_move_is_not_stalemated() {
        let mut seed = 7u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        let (mut positions, mut sure, mut stalemates) = (0, 0, 0);
        for _ in 0..60_000 {
            let mut board = Board { kinds: [NO_KIND; 64], castling: [0; 2], ..Board::default() };
            let corner = [0, 7, 56, 63, below(64)][below(5) as usize] as usize;
            for _ in 0..below(6) {
                board.kinds[below(64) as usize] = below(12) as u8;
            }
            board.kinds.iter_mut().filter(|kind| **kind % 6 == KING).for_each(|kind| *kind = NO_KIND);
            board.kinds[corner] = KING;
            board.kinds[(corner + 1 + below(63) as usize) % 64] = 6 + KING;
            if below(2) == 1 {
                board.turn = 1;
                board.kinds.iter_mut().filter(|kind| **kind != NO_KIND).for_each(|kind| *kind = (*kind + 6) % 12);
            }
            let Ok(position) = board.position() else { continue };
            let mut moment = Moment::board(&board);
            if relations::is_check(&moment) {
                continue;
            }
            positions += 1;
            let can_move = relations::can_surely_move(&moment);
            sure += usize::from(can_move);
            assert!(!(can_move && position.is_stalemate()), "{}", crate::board::fen::write(&board));
            Finish { mate: true, stalemate: true }.of(&mut moment, || board.clone());
            assert_eq!((moment.is_mate, moment.is_stalemate), (false, position.is_stalemate()));
            stalemates += usize::from(position.is_stalemate());
        }
        assert!(positions > 20_000 && sure > positions / 4 && stalemates > 20, "{positions} {sure} {stalemates}");
    }
}
