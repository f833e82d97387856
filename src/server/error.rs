//! Turns errors of the core into ERRORs of the server, with their SQLSTATEs.
//!
//! | | |
//! |---|---|
//! | 22P02 | text that is not a game or a board |
//! | 22P03 | binary input that is neither |
//! | 22003 | a half-move that a game does not have |
//! | 22023 | a move or a position against the rules; an invalid name |
//! | 22021 | text that is not valid in the server's encoding |
//! | 54000 | a result that no value can hold |
//! | XX001 | stored bytes that do not decode |

use chess_core::board::fen::{self, FenError};
use chess_core::board::{CorruptBoard, IllegalPosition};
use chess_core::facts::rules::PlayError;
use chess_core::game::PlyOutOfRange;
use chess_core::text::movetext;
use chess_core::text::movetext::MovetextError;
use chess_core::text::one_move::MoveError;
use chess_core::text::uci::{UciError, UciErrorKind};
use chess_core::{Board, CorruptGame};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode};

use crate::server::encoding::for_message;

/// The ERROR for refused text input, in parts.
pub struct InputError {
    /// The message, with what it quotes.
    pub message: String,
    /// The place and the reason.
    pub detail: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl From<MovetextError> for InputError {
    fn from(error: MovetextError) -> InputError {
        let hint = match error.kind {
            chess_core::text::movetext::MovetextErrorKind::Tag => Some("Use pgngames() to read PGN with tags."),
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
    /// The text `input` is not a FEN.
    pub fn fen(input: &str, error: &FenError) -> InputError {
        InputError {
            message: format!("invalid input syntax for type chessboard: \"{}\"", shortened(input)),
            detail: sentence(&error.to_string()),
            hint: movetext::read(input)
                .is_ok_and(|game| game.view().ply_count() > 0)
                .then_some("These are moves; finalBoard(moves) is the board after them."),
        }
    }
}

/// The part of a text that a message quotes.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(100).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// A message as a sentence of its own: DETAIL and HINT begin with a capital and end with a stop.
pub fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let head: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{head}{}.", chars.as_str())
}

/// The SQLSTATE of text input that is refused.
pub const INVALID_TEXT: PgSqlErrorCode = PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION;

/// Text is not valid UTF-8 from byte `at` on, counted from 1.
#[cold]
pub fn invalid_encoding(at: usize) -> ! {
    let code = PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
    raise(code, format!("invalid UTF-8 in text at byte {at}"), None, None)
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

/// The most that PostgreSQL allocates at once (MaxAllocSize in utils/memutils.h).
pub const MAX_ALLOC: usize = 0x3fff_ffff;

/// Raises an ERROR if no value can be this large.
pub fn check_size(size: usize) {
    if size > MAX_ALLOC {
        let detail = format!("It would take {size} bytes; a value has at most {MAX_ALLOC}.");
        raise(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, "the result is too long".into(), Some(detail), None);
    }
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

/// The rules do not apply to a board.
#[cold]
pub fn illegal_position(board: &Board, reason: IllegalPosition) -> ! {
    let message = format!("illegal position: \"{}\"", fen::write(board));
    raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, Some(sentence(&reason.to_string())), None)
}

/// Malformed text is one error, a move against the rules another.
fn move_error_code(error: MoveError) -> PgSqlErrorCode {
    match error {
        MoveError::Malformed | MoveError::NullMove => INVALID_TEXT,
        MoveError::Illegal | MoveError::Ambiguous => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
    }
}

/// A move cannot be played on a board.
#[cold]
pub fn refused_move(board: &Board, text: &str, error: PlayError) -> ! {
    let error = match error {
        PlayError::Position(reason) => illegal_position(board, reason),
        PlayError::Move(error) => error,
    };
    let (what, detail) = match error {
        MoveError::Malformed | MoveError::NullMove => ("invalid move", sentence(&error.to_string())),
        MoveError::Illegal => ("illegal move", format!("The position is {}.", fen::write(board))),
        MoveError::Ambiguous => ("ambiguous move", format!("The position is {}.", fen::write(board))),
    };
    raise(move_error_code(error), format!("{what}: \"{}\"", shortened(text)), Some(detail), None)
}

/// A text is not a game in UCI.
#[cold]
pub fn refused_uci(error: &UciError) -> ! {
    let code = match &error.kind {
        UciErrorKind::Move(_, reason, _) => move_error_code(*reason),
        UciErrorKind::Start(_) => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        UciErrorKind::Fen(_) | UciErrorKind::NoMoves => INVALID_TEXT,
    };
    let message = format!("invalid game in UCI: \"{}\"", error.token);
    raise(code, message, Some(sentence(&error.to_string())), None)
}

/// An argument names nothing of its kind.
#[cold]
pub fn unknown_name(what: &str, name: &str, hint: &str) -> ! {
    let message = format!("invalid {what}: \"{}\"", shortened(name));
    raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, Some(hint))
}
