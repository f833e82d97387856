//! Compares boards as positions, and mirrors boards.

use crate::board::Board;
use crate::board::kinds::NO_KIND;

/// Whether two boards are the same position: placement, side to move, castling rights, and the en
/// passant file if a capture there is legal (FIDE Laws of Chess, 9.2).
pub fn same_position(a: &Board, b: &Board) -> bool {
    a.kinds == b.kinds
        && a.turn == b.turn
        && a.castling == b.castling
        && a.legal_en_passant_file() == b.legal_en_passant_file()
}

/// The board with files a to h mirrored.
///
/// Castling rights move with their rooks. If kings stood on e1 and e8, the result is a Chess960 position.
pub fn mirror(board: &Board) -> Board {
    Board {
        kinds: std::array::from_fn(|square| board.kinds[square ^ 7]),
        castling: board.castling.map(u8::reverse_bits),
        en_passant: board.en_passant.map(|square| square ^ 7),
        ..*board
    }
}

/// The board with colours and ranks exchanged: the same position from the other side's point of view.
///
/// # Examples
///
/// ```
/// use chess_core::board::fen;
/// use chess_core::board::symmetry::flip;
///
/// let board = fen::read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
/// assert_eq!(fen::write(&flip(&board)), "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1");
/// # Ok::<_, fen::FenError>(())
/// ```
pub fn flip(board: &Board) -> Board {
    let other = |kind: u8| if kind == NO_KIND { NO_KIND } else { (kind + 6) % 12 };
    Board {
        kinds: std::array::from_fn(|square| other(board.kinds[square ^ 56])),
        turn: 1 - board.turn,
        castling: [board.castling[1], board.castling[0]],
        en_passant: board.en_passant.map(|square| square ^ 56),
        ..*board
    }
}
