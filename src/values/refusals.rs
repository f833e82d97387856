//! Errors of the core as ERRORs of the server, with their SQLSTATEs.
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

use chess_core::board::fen;
use chess_core::board::{CorruptBoard, IllegalPosition};
use chess_core::facts::rules::PlayError;
use chess_core::game::PlyOutOfRange;
use chess_core::game::start::StartError;
use chess_core::text::movetext::{MovetextError, MovetextErrorKind};
use chess_core::text::one_move::MoveError;
use chess_core::text::uci::{UciError, UciErrorKind};
use chess_core::{Board, CorruptGame};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode};

use crate::server::error::{INVALID_TEXT, raise, sentence, shortened};

/// The stored bytes of a game do not decode.
#[cold]
pub fn corrupt_game(error: CorruptGame) -> ! {
    let detail = sentence(&error.to_string());
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored chessgame".into(), Some(detail), None)
}

/// Warns that ANALYZE has skipped games whose bytes do not decode.
#[cold]
pub fn warn_of_damaged_games(count: usize, first: &CorruptGame) {
    let games = if count == 1 { "game is" } else { "games are" };
    let message = format!("{count} damaged {games} left out of the statistics");
    ErrorReport::new(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, message, "chess")
        .set_detail(sentence(&format!("the first one: {first}")))
        .set_hint("Find them by reading every game, for example with finalBoard(game), and restore them from a backup.")
        .report(PgLogLevel::WARNING);
}

/// The stored bytes of a board do not decode.
#[cold]
pub fn corrupt_board(error: CorruptBoard) -> ! {
    let detail = sentence(&error.to_string());
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored chessboard".into(), Some(detail), None)
}

/// The stored bytes of a position do not decode.
#[cold]
pub fn corrupt_position() -> ! {
    let detail = "The bytes are not a packed position.".to_string();
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored chessposition".into(), Some(detail), None)
}

/// A game is shorter than the requested half-move.
#[cold]
pub fn ply_out_of_range(ply: i32, error: PlyOutOfRange) -> ! {
    let detail = plies_of(error.ply_count);
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

/// Malformed text and illegal moves have different codes.
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

/// A move cannot be told on another board, because the boards differ by more than a symmetry.
#[cold]
pub fn not_symmetric(board: &Board, other: &Board) -> ! {
    let detail = format!("{} is not among the symmetricBoards of {}.", fen::write(other), fen::write(board));
    raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "boards are not symmetric".into(), Some(detail), None)
}

/// No game can start from a board.
#[cold]
pub fn refused_start(board: &Board, error: StartError) -> ! {
    match error {
        StartError::Illegal(reason) => illegal_position(board, reason),
        StartError::Clock => {
            let message = format!("no game can start from \"{}\"", fen::write(board));
            raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, Some(sentence(&error.to_string())), None)
        }
    }
}

/// A text is not a sequence of moves from a board.
#[cold]
pub fn refused_moves(error: MovetextError) -> ! {
    let code = match error.kind {
        MovetextErrorKind::Illegal(_) | MovetextErrorKind::Ambiguous(_) => {
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
        }
        _ => INVALID_TEXT,
    };
    raise(code, format!("invalid moves: \"{}\"", error.token), Some(sentence(&error.to_string())), None)
}

/// A game has fewer half-moves than takeBack is to remove.
#[cold]
pub fn taken_back_too_many(plies: u32, ply_count: u32) -> ! {
    let message = format!("cannot take back {plies} half-moves");
    let detail = plies_of(ply_count);
    raise(PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, message, Some(detail), None)
}

/// The length of a game in a sentence.
fn plies_of(ply_count: u32) -> String {
    match ply_count {
        1 => "The game has 1 half-move.".to_string(),
        count => format!("The game has {count} half-moves."),
    }
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
