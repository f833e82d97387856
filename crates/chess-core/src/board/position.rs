//! A position as the rules compare it: two boards are the same position if and only if their bytes here are equal.
//!
//! Takes a [`Board`]; drops its clocks, and an en passant square without a legal capture (FIDE Laws of Chess, 9.2). The
//! packed form is that of the board without clocks.

use crate::board::{Board, Clocks, CorruptBoard};

/// A board without the fields that do not distinguish positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPosition(Board);

impl BoardPosition {
    /// The position of a board, whatever its clocks say.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::board::fen;
    /// use chess_core::board::position::BoardPosition;
    ///
    /// let pushed = fen::read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
    /// let later = fen::read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 4 3")?;
    /// assert_eq!(BoardPosition::of(pushed), BoardPosition::of(later));
    /// # Ok::<_, fen::FenError>(())
    /// ```
    pub fn of(board: Board) -> BoardPosition {
        let en_passant = board.legal_en_passant();
        BoardPosition(Board { en_passant, halfmove_clock: 0, fullmove_number: 1, ..board })
    }

    /// The board of the position with a half-move clock of 0 and the move number 1.
    pub fn board(&self) -> &Board {
        &self.0
    }

    /// The packed form, 9 to 44 bytes; docs/format.md describes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(32);
        self.0.pack_fields(Clocks::LeftOut, &mut bytes);
        bytes
    }

    /// The position that takes all of `bytes`.
    ///
    /// # Errors
    ///
    /// [`CorruptBoard`] if the bytes are not what [`BoardPosition::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<BoardPosition, CorruptBoard> {
        let (board, used) = Board::unpack_fields(bytes, Clocks::LeftOut)?;
        let written = used == bytes.len() && (board.en_passant.is_none() || board.legal_en_passant_file().is_some());
        written.then_some(BoardPosition(board)).ok_or(CorruptBoard)
    }
}
