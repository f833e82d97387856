//! Single moves: text to move, and everything about a move that can be said.
//!
//! In go legal positions and texts in SAN or UCI; out come moves, which are legal, and their
//! [`MoveDetails`].

use std::fmt;

use shakmaty::{Chess, Move, Position as _};

use crate::board::{Board, IllegalPosition};
use crate::fen::push_square;
use crate::legality::Position;
use crate::recorder::GameStart;
use crate::san::{self, San, SanError};
use crate::slots::{NO_KIND, PAWN, Step};
use crate::squares;

/// Why a text is no move of a position.
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
            MoveError::Malformed => "neither a move in standard algebraic notation nor one of UCI",
            MoveError::NullMove => "null moves are not supported",
            MoveError::Illegal => "illegal move",
            MoveError::Ambiguous => "ambiguous move",
        })
    }
}

impl std::error::Error for MoveError {}

/// Reads a move in UCI (`e2e4`, `e7e8q`; castling as `e1g1` or `e1h1`) or in any SAN that
/// [`crate::movetext`] accepts.
///
/// # Errors
///
/// [`MoveError`] if the text is no legal move of the position.
///
/// # Examples
///
/// ```
/// use chess_core::legality::Position;
/// use chess_core::moves::{MoveError, read};
/// use chess_core::recorder::GameStart;
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

/// Reads a move in UCI alone.
///
/// # Errors
///
/// [`MoveError`] if the text is no legal move of the position.
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
/// Castling is written as the king's move (`e1g1`) where king and rook stand as in standard chess and
/// the game is none of Chess960, else as the king's move to its rook (`e1h1`).
pub fn push_uci(out: &mut String, position: &Position<'_>, step: Step, chess960: bool) {
    let (from, to) = position.ends(step);
    let is_standard = |rook: &u8| from % 8 == 4 && matches!(rook % 8, 0 | 7) && !chess960;
    push_square(out, from);
    push_square(out, position.castling_rook(step).filter(|rook| !is_standard(rook)).unwrap_or(to));
    out.extend(step.promotion().map(|role| san::letter(role).to_ascii_lowercase()));
}

/// The legal moves of a position in a fixed order: by from-square, to-square, promotion.
pub fn legal_moves(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_unstable_by_key(|played| (played.from(), played.to(), played.promotion()));
    moves
}

/// The legal moves of a board, in the same order, and the start of a game in which they are.
pub(crate) fn legal_steps(board: &Board) -> Result<(GameStart, Vec<Step>), IllegalPosition> {
    let moves = legal_moves(&board.position()?);
    Ok((GameStart::at(board)?, moves.into_iter().filter_map(Step::of).collect()))
}

/// Calls `visit` with each legal move of a board, in the same order.
///
/// # Errors
///
/// [`IllegalPosition`] if the rules do not apply to the board.
pub fn each_legal(board: &Board, mut visit: impl FnMut(&MoveDetails)) -> Result<(), IllegalPosition> {
    let (start, steps) = legal_steps(board)?;
    let position = Position::new(&start);
    let mut details = MoveDetails::default();
    for step in steps {
        details.describe(&position, step, board.fullmove_number, false);
        visit(&details);
    }
    Ok(())
}

/// Everything about a move. Kinds of pieces are those of [`crate::slots`], squares those of
/// [`crate::squares`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveDetails {
    /// The number of the move, counted up after Black's half-move.
    pub number: u32,
    /// Whose move it is: 0 White, 1 Black.
    pub turn: u8,
    /// Standard algebraic notation, with its mark of check or mate.
    pub san: String,
    /// UCI, see [`push_uci`].
    pub uci: String,
    /// The kind of the piece that moves; the king, if it castles.
    pub piece: u8,
    /// Where it comes from.
    pub from: u8,
    /// Where it goes; the king, if it castles.
    pub to: u8,
    /// The kind of the piece that it takes.
    pub captured: Option<u8>,
    /// The kind that a pawn becomes.
    pub promotion: Option<u8>,
    /// Whether the move gives check.
    pub is_check: bool,
    /// Whether it mates.
    pub is_mate: bool,
    /// Whether it castles.
    pub is_castling: bool,
    /// Whether it takes en passant.
    pub is_en_passant: bool,
}

impl MoveDetails {
    /// Describes a legal move of a position, in place of what was described before.
    pub fn describe(&mut self, position: &Position<'_>, step: Step, number: u32, chess960: bool) {
        let color = position.turn();
        let (from, to) = position.ends(step);
        self.number = number;
        self.turn = color;
        self.piece = position.kind_at(from);
        self.from = from;
        self.to = to;
        self.promotion = step.promotion().map(|role| 6 * color + role);
        self.is_castling = matches!(step, Step::Castle { .. });
        let is_taken = !self.is_castling && position.takes(self.piece % 6, to);
        self.is_en_passant = is_taken && position.kind_at(to) == NO_KIND;
        self.captured = match position.kind_at(to) {
            _ if !is_taken => None,
            NO_KIND => Some(6 * (1 - color) + PAWN),
            kind => Some(kind),
        };
        let after = position.after(step);
        self.is_check = after.is_check();
        self.is_mate = after.is_mate();
        self.san.clear();
        san::push(&mut self.san, position, step);
        san::push_mark(&mut self.san, &after);
        self.uci.clear();
        push_uci(&mut self.uci, position, step, chess960);
    }
}
