//! Type `chessboard`: text and binary I/O, and functions of one board.
//!
//! A datum has the packed bytes of [`chess_core::Board`]. The binary format is a version byte followed by these
//! bytes.

use chess_core::Board;
use chess_core::board::fen::{self, FenError};
use chess_core::text::movetext;

use crate::server::datum::received;
use crate::server::encoding::utf8_lossy;
use crate::server::error::{INVALID_TEXT, InputError, MAX_HINTED, invalid_binary, sentence, shortened};
use crate::server::fmgr::{Bytes, CString, Text};
use crate::server::versions::refuse_input;
use crate::values::board::unpack;

/// The version of the binary format.
const WIRE_VERSION: u8 = 1;

/// Parses a board, as the input of a type.
pub fn board_of_text(type_name: &str, text: &str) -> Result<Board, InputError> {
    // the keyword of the UCI protocol
    if text.len() <= fen::MAX_LEN && text.trim_ascii() == "startpos" {
        return Ok(Board::default());
    }
    fen::read(text).map_err(|error| refusal(type_name, text, &error))
}

/// The error for a text that is not a FEN.
fn refusal(type_name: &str, text: &str, error: &FenError) -> InputError {
    InputError {
        code: INVALID_TEXT,
        message: format!("invalid input syntax for type {type_name}: \"{}\"", shortened(text)),
        detail: sentence(&error.to_string()),
        hint: (text.len() <= MAX_HINTED).then(|| hint(text)).flatten().map(Into::into),
    }
}

/// What a text may have been meant to be.
fn hint(text: &str) -> Option<&'static str> {
    match movetext::read(text) {
        Ok(game) if game.view().ply_count() > 0 => Some("These are moves; finalBoard(moves) is the board after them."),
        _ if is_start(text) => Some("The start is written 'startpos'."),
        _ => None,
    }
}

/// Whether a text means the start, however it is written.
pub fn is_start(text: &str) -> bool {
    ["startpos", "start", "startposition", "start position"]
        .iter()
        .any(|word| text.trim_ascii().eq_ignore_ascii_case(word))
}

sql_fn!(chessboard_in(cstring) -> chessboard, |call| {
    match board_of_text("chessboard", &utf8_lossy(call.cstring(0).to_bytes())) {
        Ok(board) => Some(Bytes(board.to_bytes())),
        Err(refusal) => refuse_input(&call, refusal),
    }
});

sql_fn!(chessboard_out(chessboard) -> cstring, |call| CString(fen::write(&unpack(&call.varlena(0)))));

sql_fn!(chessboard_recv(internal) -> chessboard, |call| {
    match received(call.internal(0), "chessboard") {
        [WIRE_VERSION, bytes @ ..] => match Board::from_bytes(bytes) {
            Ok(board) => Bytes(board.to_bytes()),
            Err(error) => invalid_binary("chessboard", &error.to_string()),
        },
        _ => invalid_binary("chessboard", "unknown format version"),
    }
});

sql_fn!(chessboard_send(chessboard) -> bytea, |call| Bytes([&[WIRE_VERSION], &*call.varlena(0)].concat()));

sql_fn!(chessboard_epd(chessboard) -> text, |call| Text(fen::write_epd(&unpack(&call.varlena(0)))));
