//! Lower bounds for the way from the standard start to a board: half-moves, moved pieces.
//!
//! A board has no other history. The bounds serve to estimate how many games have a board at all, and how many have it
//! early.

use crate::board::Board;
use crate::board::kinds::{KING, NO_KIND, PAWN};
use crate::board::reach::REACH;

/// The minimum number of half-moves from the standard start to a board; `either_side` if the side to move may differ.
///
/// A piece away from its home square has moved; a pawn once per rank, except for a double push; a piece that is beyond
/// one move of every home square of its role twice; only castling moves two pieces at once. Each side has captured what
/// the other has lost.
///
/// # Examples
///
/// ```
/// use chess_core::search::distance;
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1. e4 c5 2. Nf3 d6 3. d4 cxd4")?;
/// let board = game.view().board_at(6).unwrap().unwrap();
/// assert_eq!(distance::least_half_moves(&board, false), 6);
/// # Ok::<_, movetext::MovetextError>(())
/// ```
pub fn least_half_moves(board: &Board, either_side: bool) -> u32 {
    let (white, black) = (least_moves(board, 0), least_moves(board, 1));
    let white_to_move = 2 * white.max(black);
    let black_to_move = (2 * white).saturating_sub(1).max(2 * black + 1);
    match (either_side, board.turn) {
        (true, _) => white_to_move.min(black_to_move),
        (false, 0) => white_to_move,
        _ => black_to_move,
    }
}

/// The minimum number of moves of one side.
fn least_moves(board: &Board, color: u8) -> u32 {
    let start = Board::default();
    let (mut moves, mut taken) = (0, 16u32);
    for (square, (kind, home)) in board.kinds.into_iter().zip(start.kinds).enumerate() {
        if kind != NO_KIND && kind / 6 != color {
            taken = taken.saturating_sub(1);
        } else if kind != NO_KIND && kind != home {
            moves += match kind % 6 {
                PAWN if color == 0 => (square as u32 / 8).saturating_sub(2).max(1),
                PAWN => 5u32.saturating_sub(square as u32 / 8).max(1),
                KING => 1,
                role => {
                    1 + u32::from(!homes(&start, kind).any(|home| REACH[usize::from(role)][home] >> square & 1 == 1))
                }
            };
        }
    }
    let king = usize::from(56 * color + 4);
    let castled = u32::from(board.kinds[king] != start.kinds[king]);
    moves.saturating_sub(castled).max(taken)
}

fn homes(start: &Board, kind: u8) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| start.kinds[*square] == kind)
}

/// The number of pieces of the standard start that are not on their squares.
pub fn moved_pieces(board: &Board) -> u32 {
    let start = Board::default();
    let moved = |square: &usize| start.kinds[*square] != NO_KIND && start.kinds[*square] != board.kinds[*square];
    (0..64).filter(moved).count() as u32
}
