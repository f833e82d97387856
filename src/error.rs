//! Errors of the core to ERRORs of the server: one place that knows SQLSTATEs.
//!
//! | | |
//! |---|---|
//! | 22P02 | text that is no game or no board |
//! | 22P03 | binary input that is neither |
//! | 22003 | a half-move that a game does not have |
//! | XX001 | stored bytes that do not decode |

use chess_core::CorruptGame;
use chess_core::board::CorruptBoard;
use chess_core::fen::FenError;
use chess_core::game::PlyOutOfRange;
use chess_core::movetext::MovetextError;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode};

use crate::encoding::for_message;

/// Text input that is refused: the parts of its ERROR.
pub struct InputError {
    /// What the message quotes and complains of.
    pub message: String,
    /// The place and the reason.
    pub detail: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl From<MovetextError> for InputError {
    fn from(error: MovetextError) -> InputError {
        let hint = match error.kind {
            chess_core::movetext::MovetextErrorKind::Tag => Some("Use pgngames() to read PGN with tags."),
            _ => None,
        };
        InputError {
            message: format!("invalid input syntax for type chessgame: \"{}\"", error.token),
            detail: sentence(&error.to_string()),
            hint,
        }
    }
}

impl InputError {
    /// The text `input` is no FEN.
    pub fn fen(input: &str, error: &FenError) -> InputError {
        let mut shown: String = input.chars().take(100).collect();
        if shown.len() < input.len() {
            shown.push_str("...");
        }
        InputError {
            message: format!("invalid input syntax for type chessboard: \"{shown}\""),
            detail: sentence(&error.to_string()),
            hint: None,
        }
    }
}

/// A message as a sentence of its own: DETAIL and HINT begin with a capital and end with a stop.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let head: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{head}{}.", chars.as_str())
}

/// Raises an ERROR.
#[cold]
#[inline(never)]
pub fn raise(code: PgSqlErrorCode, message: String, detail: Option<String>, hint: Option<&str>) -> ! {
    let mut report = ErrorReport::new(code, for_message(message), "chess");
    if let Some(detail) = detail {
        report = report.set_detail(for_message(detail));
    }
    if let Some(hint) = hint {
        report = report.set_hint(hint);
    }
    report.report(PgLogLevel::ERROR);
    unreachable!("an ERROR does not return")
}

/// The stored bytes of a game do not decode.
#[cold]
pub fn corrupt_game(error: CorruptGame) -> ! {
    let detail = sentence(&error.to_string());
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored chessgame".into(), Some(detail), None)
}

/// The stored bytes of a board do not decode.
#[cold]
pub fn corrupt_board(error: CorruptBoard) -> ! {
    let detail = sentence(&error.to_string());
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored chessboard".into(), Some(detail), None)
}

/// Binary input is refused.
#[cold]
pub fn invalid_binary(type_name: &str, reason: &str) -> ! {
    let message = format!("invalid binary representation of type {type_name}");
    raise(PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION, message, Some(sentence(reason)), None)
}

/// A game is shorter than the half-move asked for.
#[cold]
pub fn ply_out_of_range(ply: i32, error: PlyOutOfRange) -> ! {
    let detail = match error.ply_count {
        1 => "The game has 1 half-move.".to_string(),
        count => format!("The game has {count} half-moves."),
    };
    let message = format!("half-move {ply} is out of range");
    raise(PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, message, Some(detail), None)
}

/// A number of half-moves must not be negative.
pub fn non_negative(plies: i32) -> u32 {
    match u32::try_from(plies) {
        Ok(plies) => plies,
        Err(_) => raise(
            PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
            format!("number of half-moves must not be negative: {plies}"),
            None,
            None,
        ),
    }
}
