//! Whole games in UCI notation: parses and writes them.
//!
//! Parsing accepts the arguments of `position` in the UCI protocol: `startpos moves e2e4 e7e5`, `fen … moves …`, or
//! only moves. Writing gives only moves for a game from the standard start, otherwise `fen … moves …`. UCI has no
//! results: they are not written, and unknown after parsing.

use std::fmt;

use crate::board::fen::{self, FenError, quote};
use crate::game::recorder::Recorder;
use crate::game::start::{GameStart, StartError};
use crate::game::{CorruptGame, Game, GameRef, GameResult};
use crate::pause::Pauses;
use crate::text::one_move::{MoveError, push_uci, read_uci};

/// Why a text is not a game in UCI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciError {
    /// The token with the error, shortened.
    pub token: String,
    /// The error.
    pub kind: UciErrorKind,
}

/// Errors in a game in UCI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UciErrorKind {
    /// `fen` is not followed by a FEN.
    Fen(FenError),
    /// No game can start from the position.
    Start(StartError),
    /// The start position is followed by something other than `moves`.
    NoMoves,
    /// The half-move, from 1, is not a legal move in the position with this FEN.
    Move(u32, MoveError, String),
}

impl fmt::Display for UciError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = &self.token;
        match &self.kind {
            UciErrorKind::Fen(reason) => write!(f, "FEN \"{token}\": {reason}"),
            UciErrorKind::Start(reason) => write!(f, "FEN \"{token}\": {reason}"),
            UciErrorKind::NoMoves => write!(f, "\"{token}\": \"moves\" must follow the start position"),
            UciErrorKind::Move(ply, MoveError::Malformed, _) => {
                write!(f, "half-move {ply}, \"{token}\": not a move in UCI notation")
            }
            UciErrorKind::Move(ply, reason @ MoveError::NullMove, _) => {
                write!(f, "half-move {ply}, \"{token}\": {reason}")
            }
            UciErrorKind::Move(ply, reason, fen) => write!(f, "half-move {ply}, \"{token}\": {reason} in {fen}"),
        }
    }
}

impl std::error::Error for UciError {}

/// Parses a game.
///
/// # Errors
///
/// [`UciError`], naming the half-move and the token.
///
/// # Examples
///
/// ```
/// use chess_core::text::movetext;
/// use chess_core::text::uci;
///
/// let game = uci::read("e2e4 e7e5 g1f3").unwrap();
/// assert_eq!(movetext::write(game.view()).unwrap(), "1. e4 e5 2. Nf3");
/// assert_eq!(uci::write(game.view()).unwrap(), "e2e4 e7e5 g1f3");
/// ```
pub fn read(text: &str) -> Result<Game, UciError> {
    let mut tokens = text.split_ascii_whitespace().peekable();
    tokens.next_if_eq(&"position");
    let custom;
    let mut start = GameStart::standard();
    let mut named = tokens.next_if_eq(&"startpos").is_some();
    if !named && tokens.next_if_eq(&"fen").is_some() {
        named = true;
        // Collects one field more than a FEN has, to detect a surplus.
        let mut fields = Vec::new();
        while fields.len() < 7
            && let Some(field) = tokens.next_if(|token| *token != "moves")
        {
            fields.push(field);
        }
        let text = fields.join(" ");
        let error = |kind| UciError { token: quote(&text), kind };
        let board = fen::read(&text).map_err(|reason| error(UciErrorKind::Fen(reason)))?;
        custom = GameStart::new(&board).map_err(|reason| error(UciErrorKind::Start(reason)))?;
        start = &custom;
    }
    if tokens.next_if_eq(&"moves").is_none()
        && named
        && let Some(token) = tokens.peek()
    {
        return Err(UciError { token: quote(token), kind: UciErrorKind::NoMoves });
    }
    let mut recorder = Recorder::new(start);
    let mut pauses = Pauses::default();
    for token in tokens {
        pauses.step();
        match read_uci(recorder.position(), token) {
            Ok(step) => recorder.play_legal(step),
            Err(reason) => {
                let kind = UciErrorKind::Move(recorder.plies() + 1, reason, fen::write(&recorder.board()));
                return Err(UciError { token: quote(token), kind });
            }
        }
    }
    Ok(recorder.finish(GameResult::Unknown, false))
}

/// Writes a game.
pub fn write(game: GameRef<'_>) -> Result<String, CorruptGame> {
    let mut out = String::with_capacity(64 + 5 * game.moves().len());
    if game.has_custom_start() {
        out.push_str("fen ");
        out.push_str(&fen::write(&game.start_board()?));
        out.push_str(" moves ");
    }
    let chess960 = game.is_chess960();
    game.decode(|position, step| {
        if let Some(step) = step {
            push_uci(&mut out, position, step, chess960);
            out.push(' ');
        }
    })?;
    out.pop();
    Ok(out)
}
