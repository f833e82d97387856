//! Games made from games: parts, shortened and extended games.
//!
//! Takes and returns packed games. Half-moves are numbered from 1: half-move n leads from the board after n - 1
//! half-moves to the board after n.

use std::fmt;

use crate::game::recorder::Recorder;
use crate::game::start::{GameStart, StartError};
use crate::game::{CorruptGame, Game, GameRef, GameResult};

/// Why two games cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// One of the games does not decode.
    Corrupt(CorruptGame),
    /// A half-move of the second game, numbered from 1, is illegal after the first game.
    Illegal(u32),
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::Corrupt(reason) => reason.fmt(f),
            AppendError::Illegal(ply) => write!(f, "half-move {ply} is not legal after the game"),
        }
    }
}

impl std::error::Error for AppendError {}

impl From<CorruptGame> for AppendError {
    fn from(error: CorruptGame) -> AppendError {
        AppendError::Corrupt(error)
    }
}

/// The half-moves `from` to `to` of a game, as a game that starts from the board before them, without a result or
/// Chess960 mark, as [`GameRef::first_moves`]. Half-moves beyond the end are ignored.
///
/// # Errors
///
/// `Ok(Err(_))` if no game can start from that board because its clocks are too high; [`CorruptGame`] if the bytes do
/// not decode.
///
/// # Examples
///
/// ```
/// use chess_core::game::parts;
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1. e4 e5 2. Nf3 Nc6").unwrap();
/// let part = parts::between(game.view(), 3, 3).unwrap().unwrap();
/// let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
/// assert_eq!(movetext::write(part.view()).unwrap(), format!("[FEN \"{fen}\"] 2. Nf3"));
/// ```
pub fn between(game: GameRef<'_>, from: u32, to: u32) -> Result<Result<Game, StartError>, CorruptGame> {
    let skipped = from.saturating_sub(1).min(game.ply_count());
    if skipped == 0 {
        return Ok(Ok(game.first_moves(to)?));
    }
    let board = game.board_at(skipped)?.map_err(|_| CorruptGame::Length)?;
    let start = match GameStart::new(&board) {
        Ok(start) => start,
        Err(error) => return Ok(Err(error)),
    };
    let mut recorder = Recorder::new(&start);
    let mut ply = 0;
    let mut lost = None;
    game.decode(|_, step| {
        ply += 1;
        if ply > skipped
            && ply <= to
            && let Some(step) = step
            && recorder.play(step).is_err()
        {
            lost = lost.or(Some(ply));
        }
    })?;
    match lost {
        Some(ply) => Err(CorruptGame::Move(ply)),
        None => Ok(Ok(recorder.finish(GameResult::Unknown, false))),
    }
}

/// The game without its last `plies` half-moves. It must have that many. The result becomes unknown.
pub fn without_last(game: GameRef<'_>, plies: u32) -> Result<Game, CorruptGame> {
    let shorter = game.first_moves(game.ply_count().saturating_sub(plies))?;
    Ok(shorter.view().marked(GameResult::Unknown, game.is_chess960()))
}

/// A game followed by the moves of another one that starts from its last board, with a result.
///
/// # Errors
///
/// [`AppendError`] if a move is not legal there, or the bytes of a game do not decode.
pub fn append(game: GameRef<'_>, more: GameRef<'_>, result: GameResult) -> Result<Game, AppendError> {
    let start = GameStart::new(&game.start_board()?).map_err(|_| CorruptGame::Start)?;
    let mut recorder = Recorder::new(&start);
    let mut refused = None;
    for part in [game, more] {
        let before = recorder.plies();
        part.decode(|_, step| {
            if let Some(step) = step
                && refused.is_none()
                && recorder.play(step).is_err()
            {
                refused = Some(recorder.plies() - before + 1);
            }
        })?;
    }
    if let Some(ply) = refused {
        return Err(AppendError::Illegal(ply));
    }
    Ok(recorder.finish(result, game.is_chess960()))
}
