//! Single moves: text in SAN or UCI to a legal move, and back to UCI.

use std::fmt;

use crate::board::fen::push_square;
use crate::board::squares;
use crate::game::legality::Position;
use crate::game::slots::Step;
use crate::text::san::{self, San, SanError};

/// Why a text is not a move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// It is neither SAN nor UCI.
    Malformed,
    /// It is a null move.
    NullMove,
    /// The position does not allow it.
    Illegal,
    /// The position has more than one such move.
    Ambiguous,
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoveError::Malformed => "neither a move in standard algebraic notation nor in UCI notation",
            MoveError::NullMove => "null moves are not supported",
            MoveError::Illegal => "illegal move",
            MoveError::Ambiguous => "ambiguous move",
        })
    }
}

impl std::error::Error for MoveError {}

/// Reads a move in UCI (`e2e4`, `e7e8q`; castling as `e1g1` or `e1h1`) or in any SAN that
/// [`crate::text::movetext`] accepts.
///
/// # Errors
///
/// [`MoveError`] if the text is not a legal move in the position.
///
/// # Examples
///
/// ```
/// use chess_core::game::legality::Position;
/// use chess_core::text::one_move::MoveError;
/// use chess_core::text::one_move::read;
/// use chess_core::game::start::GameStart;
///
/// let start = Position::new(GameStart::standard());
/// assert_eq!(read(&start, "g1f3"), read(&start, "Nf3"));
/// assert_eq!(read(&start, "e5"), Err(MoveError::Illegal));
/// assert_eq!(read(&start, "castles"), Err(MoveError::Malformed));
/// ```
pub fn read(position: &Position<'_>, text: &str) -> Result<Step, MoveError> {
    if is_uci(text) {
        return read_uci(position, text);
    }
    if san::is_null_move(text) {
        return Err(MoveError::NullMove);
    }
    let san = San::read(text).ok_or(MoveError::Malformed)?;
    san.step(position).map_err(|error| match error {
        SanError::Ambiguous => MoveError::Ambiguous,
        SanError::Illegal => MoveError::Illegal,
    })
}

fn is_uci(text: &str) -> bool {
    let square = |file: u8, rank: u8| matches!(file, b'a'..=b'h') && matches!(rank, b'1'..=b'8');
    match *text.as_bytes() {
        [b'0', b'0', b'0', b'0'] => true,
        [a, b, c, d] => square(a, b) && square(c, d),
        [a, b, c, d, role] => {
            square(a, b) && square(c, d) && matches!(role.to_ascii_lowercase(), b'q' | b'r' | b'b' | b'n')
        }
        _ => false,
    }
}

/// Reads a move, in UCI only.
pub fn read_uci(position: &Position<'_>, text: &str) -> Result<Step, MoveError> {
    if !is_uci(text) {
        return Err(MoveError::Malformed);
    }
    if text == "0000" {
        return Err(MoveError::NullMove);
    }
    let square = |at| squares::from_name(&text[at..at + 2]).ok_or(MoveError::Malformed);
    let promotion = text.as_bytes().get(4).and_then(|letter| san::officer(letter.to_ascii_uppercase()));
    position.step(square(0)?, square(2)?, promotion).ok_or(MoveError::Illegal)
}

/// Appends a move of a position in UCI.
///
/// Castling is written as the king's move (`e1g1`) if king and rook stand as in standard chess and
/// the game is not marked as Chess960, otherwise as the king's move to its rook (`e1h1`).
pub fn push_uci(out: &mut String, position: &Position<'_>, step: Step, chess960: bool) {
    let (from, to) = position.ends(step);
    let is_standard = |rook: &u8| from % 8 == 4 && matches!(rook % 8, 0 | 7) && !chess960;
    push_square(out, from);
    push_square(out, position.castling_rook(step).filter(|rook| !is_standard(rook)).unwrap_or(to));
    out.extend(step.promotion().map(|role| san::letter(role).to_ascii_lowercase()));
}
