//! A stored board: bytes of a datum in, [`Board`] out.

use chess_core::Board;

use crate::values::refusals::corrupt_board;

/// The board in the bytes of a datum.
pub fn unpack(bytes: &[u8]) -> Board {
    match Board::from_bytes(bytes) {
        Ok(board) => board,
        Err(error) => corrupt_board(error),
    }
}
