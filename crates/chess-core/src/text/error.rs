//! Errors in a move text: the half-move and the token with the error, and the game up to there.

use std::fmt;

use crate::board::Board;
use crate::board::fen::{self, FenError, quote};
use crate::game::Game;
use crate::game::start::StartError;

/// An error in a move text, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovetextError {
    /// The half-move that was expected, from 1.
    pub ply: u32,
    /// The token with the error, shortened.
    pub token: String,
    /// The error.
    pub kind: MovetextErrorKind,
}

/// Errors in a move text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MovetextErrorKind {
    /// The token is neither a move in SAN nor anything else that a move text may contain.
    NotSan,
    /// The move is illegal on this board.
    Illegal(Box<Board>),
    /// Several legal moves on this board match.
    Ambiguous(Box<Board>),
    /// A null move, which packed games cannot hold.
    NullMove,
    /// A `{` without its `}`.
    UnterminatedComment,
    /// A `(` without its `)`.
    UnterminatedVariation,
    /// There is text after the result.
    AfterResult,
    /// A tag is malformed, or is not FEN, SetUp or Variant.
    Tag,
    /// The Variant tag names other rules.
    Variant,
    /// The value of the FEN tag is not a FEN.
    Fen(FenError),
    /// No game can start from the FEN tag.
    Start(StartError),
}

impl fmt::Display for MovetextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ply, token) = (self.ply, &self.token);
        match &self.kind {
            MovetextErrorKind::NotSan => {
                write!(f, "half-move {ply}, \"{token}\": not a move in standard algebraic notation")
            }
            MovetextErrorKind::Illegal(board) => {
                write!(f, "half-move {ply}, \"{token}\": illegal move in {}", fen::write(board))
            }
            MovetextErrorKind::Ambiguous(board) => {
                write!(f, "half-move {ply}, \"{token}\": ambiguous move in {}", fen::write(board))
            }
            MovetextErrorKind::NullMove => write!(f, "half-move {ply}, \"{token}\": null moves are not supported"),
            MovetextErrorKind::UnterminatedComment => {
                write!(f, "half-move {ply}, \"{token}\": the comment is not terminated")
            }
            MovetextErrorKind::UnterminatedVariation => {
                write!(f, "half-move {ply}, \"{token}\": the variation is not terminated")
            }
            MovetextErrorKind::AfterResult => write!(f, "half-move {ply}, \"{token}\": text after the result"),
            MovetextErrorKind::Tag => {
                write!(f, "tag {token}: only FEN, SetUp and Variant tags may precede the moves, as [FEN \"...\"]")
            }
            MovetextErrorKind::Variant => {
                write!(f, "variant \"{token}\": only standard chess and Chess960 are supported")
            }
            MovetextErrorKind::Fen(reason) => write!(f, "tag FEN \"{token}\": {reason}"),
            MovetextErrorKind::Start(reason) => write!(f, "tag FEN \"{token}\": {reason}"),
        }
    }
}

impl std::error::Error for MovetextError {}

impl MovetextError {
    pub(crate) fn new(ply: u32, token: &str, kind: MovetextErrorKind) -> MovetextError {
        MovetextError { ply, token: quote(token), kind }
    }
}

/// A game that cannot be read to its end: its beginning and the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete<E = MovetextError> {
    /// The half-moves before the error, all of them legal, with unknown result; `None` if there are none.
    pub prefix: Option<Game>,
    /// The error.
    pub reason: E,
}

impl<E: fmt::Display> fmt::Display for Incomplete<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<E: std::error::Error> std::error::Error for Incomplete<E> {}

impl<E> Incomplete<E> {
    pub(crate) fn with_reason<F>(self, reason: impl FnOnce(E) -> F) -> Incomplete<F> {
        Incomplete { prefix: self.prefix, reason: reason(self.reason) }
    }
}
