//! Two-byte codes of moves in both numberings: games as `bytea`, single moves as numbers.

use chess_core::board::Board;
use chess_core::text::two_byte_moves::{self, BareMove, Moves2Error, Numbering};
use chess_core::{Game, GameResult};
use pgrx::PgSqlErrorCode::{
    ERRCODE_INVALID_BINARY_REPRESENTATION, ERRCODE_INVALID_TEXT_REPRESENTATION, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
};

use crate::server::encoding::utf8;
use crate::server::error::{raise, sentence};
use crate::server::fmgr::{Bytes, Text};
use crate::values::board::unpack;
use crate::values::game::view;
use crate::values::refusals::{corrupt_game, refused_start};

sql_fn!(chessgame_moves2(chessgame) -> bytea, |call| write(&call.varlena(0), Numbering::Plain));

sql_fn!(chessgame_ocgdbmoves2(chessgame) -> bytea, |call| write(&call.varlena(0), Numbering::Ocgdb));

sql_fn!(moves2_game(bytea) -> chessgame, |call| read(&call.varlena(0), &Board::default(), Numbering::Plain));

sql_fn!(moves2_game_start(bytea, chessboard) -> chessgame, |call| read(&call.varlena(0), &unpack(&call.varlena(1)), Numbering::Plain));

sql_fn!(ocgdbmoves2_game(bytea) -> chessgame, |call| read(&call.varlena(0), &Board::default(), Numbering::Ocgdb));

sql_fn!(ocgdbmoves2_game_start(bytea, chessboard) -> chessgame, |call| read(&call.varlena(0), &unpack(&call.varlena(1)), Numbering::Ocgdb));

sql_fn!(move_code(text) -> int4, |call| code(utf8(&call.varlena(0)), Numbering::Plain));

sql_fn!(move_ocgdbcode(text) -> int4, |call| code(utf8(&call.varlena(0)), Numbering::Ocgdb));

sql_fn!(code_move(int4) -> text, |call| uci(call.int(0), Numbering::Plain));

sql_fn!(ocgdbcode_move(int4) -> text, |call| uci(call.int(0), Numbering::Ocgdb));

fn write(game: &[u8], numbering: Numbering) -> Bytes<Vec<u8>> {
    match two_byte_moves::write(view(game), numbering) {
        Ok(codes) => Bytes(codes),
        Err(error) => corrupt_game(error),
    }
}

fn read(codes: &[u8], start: &Board, numbering: Numbering) -> Bytes<Vec<u8>> {
    match two_byte_moves::read(codes, start, GameResult::Unknown, false, numbering) {
        Ok(game) => Bytes(Game::into_bytes(game)),
        Err(Moves2Error::Start(error)) => refused_start(start, error),
        Err(error) => raise(
            ERRCODE_INVALID_BINARY_REPRESENTATION,
            "invalid two-byte moves".to_string(),
            Some(sentence(&error.to_string())),
            None,
        ),
    }
}

fn code(text: &str, numbering: Numbering) -> i32 {
    match BareMove::from_uci(text) {
        Some(played) => played.to_code(numbering).into(),
        None => {
            let shown: String = text.chars().take(20).collect();
            let hint = Some("A move is written as e2e4 or e7e8q.");
            raise(ERRCODE_INVALID_TEXT_REPRESENTATION, format!("invalid move: \"{shown}\""), None, hint)
        }
    }
}

/// A code of a move, or an ERROR.
pub fn move_code(code: i32) -> u16 {
    match u16::try_from(code) {
        Ok(bits) => bits,
        Err(_) => raise(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, format!("move code {code} is out of range"), None, None),
    }
}

fn uci(code: i32, numbering: Numbering) -> Text<String> {
    let bits = move_code(code);
    match BareMove::from_code(bits, numbering) {
        Some(played) => Text(played.to_string()),
        None => {
            let detail = format!("Its promotion is {}, which no piece has.", bits >> 12);
            raise(ERRCODE_INVALID_BINARY_REPRESENTATION, format!("invalid move code: {code}"), Some(detail), None)
        }
    }
}
