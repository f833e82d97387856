//! The start of a game: a legal position, prepared once for many games.

use std::fmt;
use std::sync::LazyLock;

use crate::board::{Board, IllegalPosition, fen};
use crate::game::seating::{STANDARD, Start};
use crate::game::sets::Sets;

/// A start position, prepared for reading and replaying games.
#[derive(Clone, Debug)]
pub struct GameStart {
    pub(crate) replay: Start,
    pub(crate) sets: Sets,
    /// The packed board; empty for the standard start.
    pub(crate) bytes: Vec<u8>,
}

/// The maximum number of letters for castling rights.
const MAX_RIGHTS: usize = 20;

static STANDARD_START: LazyLock<GameStart> = LazyLock::new(|| GameStart::from(STANDARD.clone(), Vec::new()));

impl GameStart {
    /// The maximum clock of a start position. A value of PostgreSQL is shorter than 2^30 bytes, so that no clock of a
    /// game exceeds [`MAX_CLOCK`](crate::board::MAX_CLOCK).
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

    /// The board of a FEN without impossible castling rights (king or rook not on their squares), which some programs
    /// write. `None` if no game can start there for another reason.
    pub fn possible_board(fen: &str) -> Option<Board> {
        let mut fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        let rights = std::mem::replace(fields.get_mut(2)?, "-");
        let mut board = fen::read(&fields.join(" ")).ok()?;
        GameStart::new(&board).ok()?;
        for letter in rights.chars().take(MAX_RIGHTS) {
            let mut buffer = [0; 4];
            let mut fields = fields.clone();
            fields[2] = letter.encode_utf8(&mut buffer);
            let Ok(one) = fen::read(&fields.join(" ")) else { continue };
            let castling = [0, 1].map(|color| board.castling[color] | one.castling[color]);
            let more = Board { castling, ..board.clone() };
            if GameStart::new(&more).is_ok() {
                board = more;
            }
        }
        Some(board)
    }

    /// A start for a single move, with any clocks.
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
