//! Position keys: 64-bit hashes of piece placement and side to move.
//!
//! The constants are those of the Polyglot opening book format (12 x 64 for pieces on squares, one for White to move),
//! as published by shakmaty. A position key is a Polyglot key without castling and en passant: an index finds every
//! position that may match, and a comparison of the positions decides.
//! # Stability
//!
//! Indexes on disk hold these keys; tests pin the published values.

use std::sync::LazyLock;

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{CastlingSide, Color, File, Square};

use crate::board::Board;
use crate::board::kinds::piece_of;
use crate::board::kinds::{KINDS, KING, NO_KIND};

/// Hash constants by kind and square; the kinds from [`NO_KIND`] to 15 are zero.
pub(crate) struct Constants {
    pub pieces: [[u64; 64]; 16],
    pub white_to_move: u64,
}

pub(crate) static CONSTANTS: LazyLock<Constants> = LazyLock::new(|| {
    let mut pieces = [[0; 64]; 16];
    for (kind, row) in pieces.iter_mut().enumerate().take(KINDS) {
        for (square, value) in row.iter_mut().enumerate() {
            if let Some(piece) = piece_of(kind as u8) {
                *value = Zobrist64::zobrist_for_piece(Square::new(square as u32), piece).0;
            }
        }
    }
    Constants { pieces, white_to_move: Zobrist64::zobrist_for_white_turn().0 }
});

/// The key of the board's placement with its side to move.
pub fn position_key(board: &Board) -> u64 {
    let constants = &*CONSTANTS;
    let mut key = if board.turn == 0 { constants.white_to_move } else { 0 };
    for (square, &kind) in board.kinds.iter().enumerate() {
        if kind != NO_KIND {
            key ^= constants.pieces[usize::from(kind)][square];
        }
    }
    key
}

/// The key of a position: the position key, castling rights, and the en passant file if a capture there is legal. It is
/// that of the Polyglot book format but for captures that the king forbids: see [`book_key`].
///
/// A castling right counts as the king's side if its rook stands beyond its king (without a king, on
/// the files e to h).
pub fn polyglot_key(board: &Board) -> u64 {
    with_rights(board, board.legal_en_passant_file())
}

/// The key under which a Polyglot book has the position: as [`polyglot_key`], but the en passant file counts if a pawn
/// stands beside the pushed one, whether or not its king allows the capture.
pub fn book_key(board: &Board) -> u64 {
    with_rights(board, board.contested_en_passant_file())
}

fn with_rights(board: &Board, en_passant_file: Option<u8>) -> u64 {
    let mut key = position_key(board);
    for (color, &files) in board.castling.iter().enumerate() {
        let king = board.kinds[56 * color..56 * color + 8].iter().position(|kind| *kind == 6 * color as u8 + KING);
        let side_of = |file: usize| CastlingSide::from_king_side(file >= king.unwrap_or(4));
        for file in (0..8).filter(|file| files >> file & 1 == 1) {
            key ^= Zobrist64::zobrist_for_castling_right(Color::from_black(color == 1), side_of(file)).0;
        }
    }
    if let Some(file) = en_passant_file {
        key ^= Zobrist64::zobrist_for_en_passant_file(File::new(file.into())).0;
    }
    key
}

/// The key of the same placement with the other side to move.
pub fn other_side(key: u64) -> u64 {
    key ^ CONSTANTS.white_to_move
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::fen;

    #[test]
    fn published_polyglot_keys() {
        // From the Polyglot book format: the start position hashes to 463b96181691fc9c; its four
        // castling rights contribute the constants at 768 to 771, an exclusive or of 0xf4de....
        let castling = 0x31d7_1dce_64b2_c310 ^ 0xf165_b587_df89_8190 ^ 0xa57e_6339_dd2c_f3a0 ^ 0x1ef6_e6db_b196_1ec9;
        let start = position_key(&Board::default());
        assert_eq!(start ^ castling, 0x463b_9618_1691_fc9c);
        // After 1. e4 no capture on e3 is legal: 823c9b50fd114196.
        let e4 = fen::read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").unwrap();
        assert_eq!(position_key(&e4) ^ castling, 0x823c_9b50_fd11_4196);
        assert_eq!(other_side(other_side(start)), start);
        assert_eq!(polyglot_key(&Board::default()), 0x463b_9618_1691_fc9c);
        assert_eq!(polyglot_key(&e4), 0x823c_9b50_fd11_4196);
        assert_eq!(book_key(&e4), 0x823c_9b50_fd11_4196);
    }

    /// Examples of the description of the format, and a pawn that may not capture because it shields its king.
    #[test]
    fn keys_of_books() {
        let key = |text: &str| book_key(&fen::read(text).unwrap());
        for (text, expected) in [
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
            ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
            ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(text), expected, "{text}");
        }
        let board = fen::read("8/8/8/8/k2pP2Q/8/8/4K3 b - e3 0 1").unwrap();
        assert_ne!(book_key(&board), polyglot_key(&board));
        assert_eq!(book_key(&board), polyglot_key(&board) ^ Zobrist64::zobrist_for_en_passant_file(File::E).0);
    }
}
