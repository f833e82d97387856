//! Type `chessgame`: text and binary I/O, and functions of one game.
//!
//! A datum has the bytes of [`chess_core::Game`]. The binary format is a version byte followed by these bytes.

use chess_core::board::fen;
use chess_core::facts::openings;
use chess_core::text::movetext::{self, MovetextError, MovetextErrorKind};
use chess_core::{Game, GameResult};

use crate::functions::chessboard::is_start;
use crate::server::datum::received;
use crate::server::encoding::utf8_lossy;
use crate::server::error::{INVALID_TEXT, InputError, MAX_HINTED, invalid_binary, sentence};
use crate::server::fmgr::{Bytes, CString, Text};
use crate::server::versions::refuse_input;
use crate::values::game::{stored, view};
use crate::values::refusals::{corrupt_game, ply_out_of_range};

/// The version of the binary format.
const WIRE_VERSION: u8 = 1;

/// The error for a text that is not a game.
fn refusal(input: &str, error: &MovetextError) -> InputError {
    let hint = match error.kind {
        MovetextErrorKind::Tag => Some("Use pgngames() to read PGN with tags."),
        MovetextErrorKind::NotSan if error.token == "~" => {
            Some("The end of an opening is not a game; openingUpperBound(opening) is the game that comes after it.")
        }
        _ if input.len() > MAX_HINTED => None,
        _ if openings::is_name(input) => Some(
            "This is the name of an opening: compare it with (opening(game)).name, or find its moves in chess_openings.",
        ),
        _ if openings::is_code(input) => Some(
            "This is the code of openings: compare it with (opening(game)).eco, or find their moves in chess_openings.",
        ),
        _ if openings::is_in_names(input) => Some(
            "This is in the names of openings: look for it in (opening(game)).name, or find their moves in chess_openings.",
        ),
        // A literal without a type is a game where a function accepts games and boards.
        _ if fen::read(input).is_ok() => Some("This is a FEN; for a board write '...'::chessboard."),
        _ if is_start(input) => Some("This is a board; write 'startpos'::chessboard."),
        _ => None,
    };
    InputError {
        code: INVALID_TEXT,
        message: format!("invalid input syntax for type chessgame: \"{}\"", error.token),
        detail: sentence(&error.to_string()),
        hint: hint.map(Into::into),
    }
}

sql_fn!(chessgame_in(cstring) -> chessgame, |call| {
    // Invalid bytes are possible only in comments, or in a token that is refused.
    let text = utf8_lossy(call.cstring(0).to_bytes());
    match movetext::read(&text) {
        Ok(game) => Some(stored(game)),
        Err(error) => refuse_input(&call, refusal(&text, &error)),
    }
});

sql_fn!(chessgame_out(chessgame) -> cstring, |call| match movetext::write(view(&call.varlena(0))) {
    Ok(text) => CString(text),
    Err(error) => corrupt_game(error),
});

sql_fn!(chessgame_recv(internal) -> chessgame, |call| {
    match received(call.internal(0), "chessgame") {
        [WIRE_VERSION, bytes @ ..] => match Game::from_bytes(bytes) {
            Ok(game) => stored(game),
            Err(error) => invalid_binary("chessgame", &error.to_string()),
        },
        _ => invalid_binary("chessgame", "unknown format version"),
    }
});

sql_fn!(chessgame_send(chessgame) -> bytea, |call| Bytes([&[WIRE_VERSION], &*call.varlena(0)].concat()));

sql_fn!(chessgame_getboard(chessgame, int4) -> chessboard, |call| {
    let ply = call.int(1);
    let bytes = call.varlena(0);
    let game = view(&bytes);
    // a negative number counts from the end
    let number = u32::try_from(ply).unwrap_or(game.ply_count().checked_sub(ply.unsigned_abs()).unwrap_or(u32::MAX));
    match game.board_at(number) {
        Ok(Ok(board)) => Bytes(board.to_bytes()),
        Ok(Err(error)) => ply_out_of_range(ply, error),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_getfirstmoves(chessgame, int4) -> chessgame, |call| {
    let bytes = call.varlena(0);
    let game = view(&bytes);
    let plies = call.int(1);
    // a negative number of half-moves is omitted at the end
    let number = u32::try_from(plies).unwrap_or(game.ply_count().saturating_sub(plies.unsigned_abs()));
    match game.first_moves(number) {
        Ok(opening) => stored(opening),
        Err(error) => corrupt_game(error),
    }
});

sql_fn!(chessgame_openinglowerbound(chessgame) -> chessgame, |call| stored(view(&call.varlena(0)).lower_bound()));

sql_fn!(chessgame_openingupperbound(chessgame) -> chessgame, |call| match view(&call.varlena(0)).successor() {
    Ok(game) => stored(game),
    Err(error) => corrupt_game(error),
});

sql_fn!(chessgame_plycount(chessgame) -> int4, |call| view(&call.varlena(0)).ply_count() as i32);

sql_fn!(chessgame_result(chessgame) -> text, |call| Text(match view(&call.varlena(0)).result() {
    GameResult::UpperBound => GameResult::Unknown.as_str(),
    result => result.as_str(),
}));
