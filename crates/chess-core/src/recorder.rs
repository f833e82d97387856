//! Recording a game: legal moves in, a packed [`Game`] out.
//!
//! A [`GameStart`] is a legal position made ready once for many games; a [`Recorder`] plays moves from
//! there on shakmaty's board and writes their code. What joins shakmaty's moves and the steps of the
//! slot code is here, too.

use std::fmt;
use std::sync::LazyLock;

use shakmaty::{Chess, Move, Position, Role, Square};

use crate::board::{Board, IllegalPosition, role_of};
use crate::game::{Game, GameResult, Remains};
use crate::legality::is_plainly_legal;
use crate::replay::{Replay, STANDARD, Start};
use crate::slots::Step;

/// A position that games start from, ready for reading and replaying them.
#[derive(Clone, Debug)]
pub struct GameStart {
    pub(crate) position: Chess,
    pub(crate) replay: Start,
    /// The packed board; empty for the standard start.
    pub(crate) bytes: Vec<u8>,
}

static STANDARD_START: LazyLock<GameStart> =
    LazyLock::new(|| GameStart { position: Chess::default(), replay: STANDARD.clone(), bytes: Vec::new() });

impl GameStart {
    /// The largest clocks of a start position. A value of PostgreSQL has less than 2^30 bytes, so
    /// that no clock of a game leaves the range of [`MAX_CLOCK`](crate::board::MAX_CLOCK).
    pub const MAX_CLOCK: u32 = 1 << 30;

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
        let position = board.position().map_err(StartError::Illegal)?;
        let replay = Start::new(board).ok_or(StartError::TooManyPieces)?;
        Ok(GameStart { position, replay, bytes: board.to_bytes() })
    }
}

/// Why no game can start from a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The rules of chess do not apply to it.
    Illegal(IllegalPosition),
    /// A side has more than sixteen pieces.
    TooManyPieces,
    /// A clock is above [`GameStart::MAX_CLOCK`].
    Clock,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Illegal(reason) => write!(f, "the start position is illegal: {reason}"),
            StartError::TooManyPieces => write!(f, "the start position is illegal: a side has more than 16 pieces"),
            StartError::Clock => write!(f, "the clocks of a start position go up to {}", GameStart::MAX_CLOCK),
        }
    }
}

impl std::error::Error for StartError {}

/// Records the moves of a game.
#[derive(Clone, Debug)]
pub struct Recorder<'a> {
    start: &'a GameStart,
    position: Chess,
    replay: Replay<'a>,
    moves: Vec<u8>,
    plies: u32,
}

impl<'a> Recorder<'a> {
    /// Starts a game.
    pub fn new(start: &'a GameStart) -> Recorder<'a> {
        Recorder {
            start,
            position: start.position.clone(),
            replay: Replay::new(&start.replay),
            moves: Vec::with_capacity(128),
            plies: 0,
        }
    }

    /// The position after the moves so far.
    pub fn position(&self) -> &Chess {
        &self.position
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
    pub fn play(&mut self, played: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(played) {
            return Err(IllegalMove);
        }
        self.play_legal(played)
    }

    /// [`Recorder::play`] for a move that is known to be legal.
    pub(crate) fn play_legal(&mut self, played: Move) -> Result<(), IllegalMove> {
        let before = self.moves.len();
        if !encode(&self.replay, played, &mut self.moves) {
            return Err(IllegalMove);
        }
        self.replay.run::<false, true>(&self.moves[before..], 1, |_, _| false).map_err(|_| IllegalMove)?;
        self.position.play_unchecked(played);
        self.plies += 1;
        Ok(())
    }

    /// Ends the game.
    pub fn finish(self, result: GameResult, chess960: bool) -> Game {
        let remains = Remains::of(self.replay.state);
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

pub(crate) fn is_legal(position: &Chess, played: Move) -> bool {
    is_plainly_legal(position, played) || position.is_legal(played)
}

/// Builds the shakmaty move of a step, from what stands on its squares; it may be illegal.
pub(crate) fn move_of(position: &Chess, step: Step) -> Option<Move> {
    match step {
        Step::Castle { long } => {
            let side = if long { shakmaty::CastlingSide::QueenSide } else { shakmaty::CastlingSide::KingSide };
            let king = position.board().king_of(position.turn())?;
            Some(Move::Castle { king, rook: position.castles().rook(position.turn(), side)? })
        }
        Step::Plain { from, to, promotion } => {
            let (from, to) = (Square::new(from.into()), Square::new(to.into()));
            let role = position.board().role_at(from)?;
            let capture = position.board().role_at(to);
            if role == Role::Pawn && from.file() != to.file() && capture.is_none() {
                return Some(Move::EnPassant { from, to });
            }
            let promotion = match promotion {
                None => None,
                Some(role) => Some(role_of(role)?),
            };
            Some(Move::Normal { role, from, capture, to, promotion })
        }
    }
}

/// A move as the slot code sees it.
pub(crate) fn step_of(played: Move) -> Option<Step> {
    match played {
        Move::Castle { king, rook } => Some(Step::Castle { long: rook < king }),
        Move::Normal { from, to, promotion, .. } => {
            let promotion = promotion.map(|role| role as u8 - 1);
            Some(Step::Plain { from: from as u8, to: to as u8, promotion })
        }
        Move::EnPassant { from, to } => Some(Step::Plain { from: from as u8, to: to as u8, promotion: None }),
        Move::Put { .. } => None,
    }
}

/// Appends the code of a move; false if it is none of the side to move.
pub(crate) fn encode(replay: &Replay<'_>, played: Move, out: &mut Vec<u8>) -> bool {
    let (Some(step), Some(from)) = (step_of(played), played.from()) else { return false };
    replay.encode(from as u8, step, out)
}
