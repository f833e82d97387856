//! Compares boards as positions, mirrors boards, and finds the boards that are the same but for a symmetry.
//!
//! Takes boards; returns boards, and symmetries that also turn squares, so that a move on one board can be told on another.

use crate::board::Board;
use crate::board::kinds::{NO_KIND, PAWN};

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

/// What exchanges files, ranks or both: 1 exchanges the files, 2 the ranks, and 4 then files for ranks.
pub(crate) fn turned(square: u8, how: u8) -> u8 {
    let square = square ^ ((how & 1) * 7) ^ ((how >> 1 & 1) * 56);
    if how & 4 != 0 { square % 8 * 8 + square / 8 } else { square }
}

/// A symmetry under which the rules of chess stay the same for some boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Whether the colours are exchanged, and the ranks with them.
    pub exchanges_colors: bool,
    /// What happens to squares then, see [`turned`].
    how: u8,
}

impl Symmetry {
    /// The symmetries that a board has as a position, the one that changes nothing first: castling is possible only towards
    /// certain files, and pawns move only along files.
    pub fn all_of(board: &Board) -> impl Iterator<Item = Symmetry> + use<> {
        let has_pawns = board.kinds.iter().any(|kind| *kind != NO_KIND && kind % 6 == PAWN);
        let ways = match (board.castling != [0, 0], has_pawns) {
            (true, _) => 1,
            (_, true) => 2,
            _ => 8,
        };
        [false, true]
            .into_iter()
            .flat_map(move |exchanges_colors| (0..ways).map(move |how| Symmetry { exchanges_colors, how }))
    }

    /// The image of a square.
    pub fn square(self, square: u8) -> u8 {
        turned(if self.exchanges_colors { square ^ 56 } else { square }, self.how)
    }

    /// The image of a board.
    pub fn board(self, board: &Board) -> Board {
        let before = if self.exchanges_colors { flip(board) } else { board.clone() };
        let mut after = before.clone();
        for (square, kind) in (0u8..).zip(before.kinds) {
            after.kinds[usize::from(turned(square, self.how))] = kind;
        }
        // Only boards without pawns are turned so that ranks change, and on these nothing is captured en passant.
        after.en_passant = before.en_passant.filter(|_| self.how < 2).map(|square| turned(square, self.how));
        after
    }
}

/// The boards that are the same position but for a symmetry, each once, the board itself first: from 2, if castling is
/// possible, to 16 without pawns.
///
/// # Examples
///
/// ```
/// use chess_core::board::fen;
/// use chess_core::board::symmetry::symmetric_boards;
///
/// let board = fen::read("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")?;
/// let boards: Vec<_> = symmetric_boards(&board).iter().map(fen::write_epd).collect();
/// let expected = ["8/8/8/4k3/8/8/4P3/4K3 w - -", "8/8/8/3k4/8/8/3P4/3K4 w - -", "4k3/4p3/8/8/4K3/8/8/8 b - -", "3k4/3p4/8/8/3K4/8/8/8 b - -"];
/// assert_eq!(boards, expected);
/// # Ok::<_, fen::FenError>(())
/// ```
pub fn symmetric_boards(board: &Board) -> Vec<Board> {
    let mut boards: Vec<Board> = Vec::new();
    for image in Symmetry::all_of(board).map(|symmetry| symmetry.board(board)) {
        if !boards.contains(&image) {
            boards.push(image);
        }
    }
    boards
}
