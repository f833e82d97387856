//! Recording a game: legal moves in, a packed [`Game`] out.
//!
//! A [`GameStart`] is a legal position made ready once for many games; a [`Recorder`] plays moves from
//! there and writes their code.

use std::fmt;
use std::sync::LazyLock;

use crate::board::{Board, IllegalPosition};
use crate::game::{Game, GameResult, Remains};
use crate::legality::{Position, Sets};
use crate::replay::{STANDARD, Start};
use crate::slots::Step;

/// A position that games start from, ready for reading and replaying them.
#[derive(Clone, Debug)]
pub struct GameStart {
    pub(crate) replay: Start,
    pub(crate) sets: Sets,
    /// The packed board; empty for the standard start.
    pub(crate) bytes: Vec<u8>,
}

static STANDARD_START: LazyLock<GameStart> = LazyLock::new(|| GameStart::from(STANDARD.clone(), Vec::new()));

impl GameStart {
    /// The largest clocks of a start position. A value of PostgreSQL has less than 2^30 bytes, so
    /// that no clock of a game leaves the range of [`MAX_CLOCK`](crate::board::MAX_CLOCK).
    pub const MAX_CLOCK: u32 = 1 << 30;

    fn from(replay: Start, bytes: Vec<u8>) -> GameStart {
        GameStart { sets: Sets::new(&replay), replay, bytes }
    }

    /// The start of standard chess.
    pub fn standard() -> &'static GameStart {
        &STANDARD_START
    }

    /// The start from `board`.
    ///
    /// # Errors
    ///
    /// [`StartError`] if no game can start there.
    pub fn new(board: &Board) -> Result<GameStart, StartError> {
        if *board == Board::default() {
            return Ok(GameStart::standard().clone());
        }
        if board.halfmove_clock > GameStart::MAX_CLOCK || board.fullmove_number > GameStart::MAX_CLOCK {
            return Err(StartError::Clock);
        }
        GameStart::at(board).map_err(StartError::Illegal)
    }

    /// The same for a single move, whatever the clocks.
    pub(crate) fn at(board: &Board) -> Result<GameStart, IllegalPosition> {
        board.position()?;
        let replay = Start::new(board).ok_or(IllegalPosition::TOO_MANY_PIECES)?;
        Ok(GameStart::from(replay, board.to_bytes()))
    }
}

/// Why no game can start from a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The rules of chess do not apply to it.
    Illegal(IllegalPosition),
    /// A clock is above [`GameStart::MAX_CLOCK`].
    Clock,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Illegal(reason) => write!(f, "the start position is illegal: {reason}"),
            StartError::Clock => write!(f, "the clocks of a start position go up to {}", GameStart::MAX_CLOCK),
        }
    }
}

impl std::error::Error for StartError {}

/// Records the moves of a game.
#[derive(Clone, Debug)]
pub struct Recorder<'a> {
    start: &'a GameStart,
    position: Position<'a>,
    moves: Vec<u8>,
    plies: u32,
}

impl<'a> Recorder<'a> {
    /// Starts a game.
    pub fn new(start: &'a GameStart) -> Recorder<'a> {
        Recorder { start, position: Position::new(start), moves: Vec::with_capacity(128), plies: 0 }
    }

    /// The position after the moves so far.
    pub fn position(&self) -> &Position<'a> {
        &self.position
    }

    /// The same with its clocks.
    pub fn board(&self) -> Board {
        let game = self.clone().finish(GameResult::Unknown, false);
        game.view().board_at(self.plies).expect("a recorded game").expect("its last half-move")
    }

    /// The number of half-moves so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Plays a move that is legal in [`Recorder::position`].
    ///
    /// # Errors
    ///
    /// [`IllegalMove`], and nothing happens, if it is not.
    pub fn play(&mut self, step: Step) -> Result<(), IllegalMove> {
        if !self.position.is_legal(step) {
            return Err(IllegalMove);
        }
        self.play_legal(step);
        Ok(())
    }

    /// [`Recorder::play`] for a move that is known to be legal.
    #[inline]
    pub(crate) fn play_legal(&mut self, step: Step) {
        self.position.replay.encode(step, &mut self.moves);
        self.position.play(step);
        self.plies += 1;
    }

    /// Ends the game.
    pub fn finish(self, result: GameResult, chess960: bool) -> Game {
        let remains = Remains::of(self.position.replay.state);
        Game::assemble(result, chess960, self.plies, remains, &self.start.bytes, &self.moves)
    }
}

/// The move is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove;

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the move is not legal in the position")
    }
}

impl std::error::Error for IllegalMove {}
