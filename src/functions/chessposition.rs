//! Type `chessposition`: text and binary I/O, and its casts from and to `chessboard`.
//!
//! A datum has the packed bytes of [`BoardPosition`], which are equal for equal positions. The binary format is a
//! version byte followed by these bytes.

use chess_core::board::fen;
use chess_core::board::position::BoardPosition;

use crate::functions::chessboard::board_of_text;
use crate::server::datum::received;
use crate::server::encoding::utf8_lossy;
use crate::server::error::invalid_binary;
use crate::server::fmgr::{Bytes, CString};
use crate::server::versions::refuse_input;
use crate::values::board::unpack;
use crate::values::refusals::corrupt_position;

/// The version of the binary format.
const WIRE_VERSION: u8 = 1;

/// The position in the bytes of a datum.
fn unpack_position(bytes: &[u8]) -> BoardPosition {
    BoardPosition::from_bytes(bytes).unwrap_or_else(|_| corrupt_position())
}

sql_fn!(chessposition_in(cstring) -> chessposition, |call| {
    match board_of_text("chessposition", &utf8_lossy(call.cstring(0).to_bytes())) {
        Ok(board) => Some(Bytes(BoardPosition::of(board).to_bytes())),
        Err(refusal) => refuse_input(&call, refusal),
    }
});

sql_fn!(chessposition_out(chessposition) -> cstring, |call| {
    CString(fen::write_epd(unpack_position(&call.varlena(0)).board()))
});

sql_fn!(chessposition_recv(internal) -> chessposition, |call| {
    match received(call.internal(0), "chessposition") {
        [WIRE_VERSION, bytes @ ..] => match BoardPosition::from_bytes(bytes) {
            Ok(position) => Bytes(position.to_bytes()),
            Err(_) => invalid_binary("chessposition", "the bytes are not a packed position"),
        },
        _ => invalid_binary("chessposition", "unknown format version"),
    }
});

sql_fn!(chessposition_send(chessposition) -> bytea, |call| Bytes([&[WIRE_VERSION], &*call.varlena(0)].concat()));

sql_fn!(chessboard_chessposition(chessboard) -> chessposition, |call| {
    Bytes(BoardPosition::of(unpack(&call.varlena(0))).to_bytes())
});

sql_fn!(chessposition_chessboard(chessposition) -> chessboard, |call| {
    Bytes(unpack_position(&call.varlena(0)).board().to_bytes())
});
