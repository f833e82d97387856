//! Boards as text, for a terminal: ranks from the eighth down, with coordinates.

use crate::board::Board;
use crate::board::kinds::NO_KIND;
use crate::board::squares::letter;

/// Chess symbols of Unicode by kind of piece.
const SYMBOLS: [char; 12] = ['♙', '♘', '♗', '♖', '♕', '♔', '♟', '♞', '♝', '♜', '♛', '♚'];

/// The board with the letters of FEN, and `.` for an empty square.
///
/// # Examples
///
/// ```
/// use chess_core::board::diagram;
/// use chess_core::board::fen;
///
/// let board = fen::read("4k3/8/8/8/8/8/4P3/4K3").unwrap();
/// assert!(diagram::ascii(&board).starts_with("8 . . . . k . . .\n7 . . ."));
/// assert!(diagram::ascii(&board).ends_with("1 . . . . K . . .\n  a b c d e f g h"));
/// ```
pub fn ascii(board: &Board) -> String {
    draw(board, |kind| letter(kind).unwrap_or('.'))
}

/// The board with the chess symbols of Unicode, and `·` for an empty square.
pub fn unicode(board: &Board) -> String {
    draw(board, |kind| if kind == NO_KIND { '·' } else { SYMBOLS.get(usize::from(kind)).copied().unwrap_or('?') })
}

fn draw(board: &Board, symbol: impl Fn(u8) -> char) -> String {
    let mut out = String::with_capacity(320);
    for rank in (0..8u8).rev() {
        out.push(char::from(b'1' + rank));
        for &kind in &board.kinds[8 * usize::from(rank)..8 * usize::from(rank) + 8] {
            out.push(' ');
            out.push(symbol(kind));
        }
        out.push('\n');
    }
    out.push_str("  a b c d e f g h");
    out
}
