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

    /// The board of a FEN without what a game can start without: impossible castling rights (king or rook not on their
    /// squares), an impossible en passant square, clocks that are no numbers, anything behind them. Programs and people
    /// write such. `None` if no game can start there for another reason.
    pub fn possible_board(fen: &str) -> Option<Board> {
        // Some programs write `_` for the blanks.
        let fields: Vec<&str> = fen.split(|found: char| found.is_whitespace() || found == '_').collect();
        let mut fields = fields.into_iter().filter(|field| !field.is_empty());
        let placement = fields.next()?;
        let turn = match fields.next()?.to_ascii_lowercase().as_str() {
            "w" | "white" => "w",
            "b" | "black" => "b",
            _ => return None,
        };
        let [rights, square, clock, number] = [(); 4].map(|()| fields.next().unwrap_or("-"));
        let mut board = fen::read(&format!("{placement} {turn}")).ok()?;
        GameStart::new(&board).ok()?;
        let mut add = |rights: &str, square: &str, clocks: &str| {
            let Ok(one) = fen::read(&format!("{placement} {turn} {rights} {square} {clocks}")) else { return false };
            let more = Board {
                castling: [0, 1].map(|color| board.castling[color] | one.castling[color]),
                en_passant: board.en_passant.or(one.en_passant),
                halfmove_clock: board.halfmove_clock.max(one.halfmove_clock),
                fullmove_number: board.fullmove_number.max(one.fullmove_number),
                ..board.clone()
            };
            let is_possible = GameStart::new(&more).is_ok();
            if is_possible {
                board = more;
            }
            is_possible
        };
        for right in rights.chars().take(MAX_RIGHTS) {
            add(right.encode_utf8(&mut [0; 4]), "-", "");
        }
        let square = square.to_ascii_lowercase();
        // Some programs name the square of the pawn, not the one behind it.
        if !add("-", &square, "") {
            add("-", &square.replace('4', "3").replace('5', "6"), "");
        }
        add("-", "-", clock);
        add("-", "-", &format!("0 {number}"));
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
