//! Single moves: text to move, and everything about a move that can be said.
//!
//! In go legal positions of [`shakmaty`] and texts in SAN or UCI; out come moves, which are legal,
//! and their [`MoveDetails`].

use std::fmt;

use shakmaty::san::SanError;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Chess, File, Move, Position, Square};

use crate::board::kind_of;
use crate::movetext::{push_san, read_san};

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
/// use chess_core::moves::{MoveError, read};
/// use shakmaty::Chess;
///
/// let start = Chess::default();
/// assert_eq!(read(&start, "g1f3"), read(&start, "Nf3"));
/// assert_eq!(read(&start, "e5"), Err(MoveError::Illegal));
/// assert_eq!(read(&start, "castles"), Err(MoveError::Malformed));
/// ```
pub fn read(position: &Chess, text: &str) -> Result<Move, MoveError> {
    if is_uci(text) {
        return read_uci(position, text);
    }
    if matches!(text, "--" | "Z0" | "@@@@" | "null") {
        return Err(MoveError::NullMove);
    }
    let san = read_san(text).map_err(|_| MoveError::Malformed)?;
    let played = san.to_move(position).map_err(|error| match error {
        SanError::AmbiguousSan => MoveError::Ambiguous,
        SanError::IllegalSan => MoveError::Illegal,
    })?;
    if position.is_legal(played) { Ok(played) } else { Err(MoveError::Illegal) }
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
pub fn read_uci(position: &Chess, text: &str) -> Result<Move, MoveError> {
    if !is_uci(text) {
        return Err(MoveError::Malformed);
    }
    let uci: UciMove = text.to_ascii_lowercase().parse().map_err(|_| MoveError::Malformed)?;
    if uci == UciMove::Null {
        return Err(MoveError::NullMove);
    }
    if let Ok(played) = uci.to_move(position) {
        return Ok(played);
    }
    // Castling with a king that does not start on its e-file, named by where the king goes.
    if let UciMove::Normal { from, to, promotion: None } = uci {
        for side in CastlingSide::ALL {
            let castles = position.castling_moves(side);
            if let Some(castle) =
                castles.iter().find(|castle| castle.from() == Some(from) && king_target(**castle) == to)
            {
                return Ok(*castle);
            }
        }
    }
    Err(MoveError::Illegal)
}

/// Where the moving piece ends: for castling that is the king's new square.
fn king_target(played: Move) -> Square {
    match played {
        Move::Castle { king, rook } => {
            Square::from_coords(CastlingSide::from_king_side(king < rook).king_to_file(), king.rank())
        }
        _ => played.to(),
    }
}

/// Appends a move in UCI.
///
/// Castling is written as the king's move (`e1g1`) where king and rook stand as in standard chess and
/// the game is none of Chess960, else as the king's move to its rook (`e1h1`).
pub fn push_uci(out: &mut String, played: Move, chess960: bool) {
    let is_standard = match played {
        Move::Castle { king, rook } => king.file() == File::E && matches!(rook.file(), File::A | File::H) && !chess960,
        _ => true,
    };
    let uci = if is_standard { UciMove::from_standard(played) } else { UciMove::from_chess960(played) };
    uci.append_to_string(out);
}

/// The legal moves of a position in a fixed order: by from-square, to-square, promotion.
pub fn legal_moves(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_unstable_by_key(|played| (played.from(), played.to(), played.promotion()));
    moves
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
    pub fn describe(&mut self, position: &Chess, played: Move, number: u32, chess960: bool) {
        let turn = position.turn();
        let color = u8::from(turn.is_black());
        self.number = number;
        self.turn = color;
        self.san.clear();
        push_san(&mut self.san, position, played);
        self.uci.clear();
        push_uci(&mut self.uci, played, chess960);
        self.piece = kind_of(played.role().of(turn));
        self.from = played.from().map_or(0, |square| square as u8);
        self.to = king_target(played) as u8;
        self.captured = played.capture().map(|role| kind_of(role.of(!turn)));
        self.promotion = played.promotion().map(|role| kind_of(role.of(turn)));
        self.is_mate = self.san.ends_with('#');
        self.is_check = self.is_mate || self.san.ends_with('+');
        self.is_castling = matches!(played, Move::Castle { .. });
        self.is_en_passant = matches!(played, Move::EnPassant { .. });
    }
}
