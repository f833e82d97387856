//! Positions as they are sent to an engine, and the check of the moves that it returns.
//!
//! Takes boards; returns a [`Root`] only for a legal position with moves left, so that no other reaches an engine.
//! Castling that exists only in Chess960 needs the engine's Chess960 mode. Moves are returned in the project's notation
//! (`e1g1`, in Chess960 `e1h1`), whichever the engine uses.

use std::fmt;

use chess_core::Board;
use chess_core::board::fen;
use chess_core::facts::rules::{self, Status};
use chess_core::game::recorder::Recorder;
use chess_core::game::start::{GameStart, StartError};
use chess_core::text::one_move::{push_uci, read_uci};

/// Up to this half-move clock, [`canonical`] sets it to 0: the fifty-move rule is at least twenty moves away, more than
/// a search usually sees.
pub const MAX_FREE_CLOCK: u32 = 60;

/// Whether an engine can search a board.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It can.
    Open(Box<Root>),
    /// There are no moves: it is mate or stalemate.
    Over(Status),
}

/// A legal position with moves left.
#[derive(Clone, Debug)]
pub struct Root {
    /// The position.
    start: GameStart,
    turn: u8,
    chess960: bool,
    /// The arguments of the command `position`.
    words: String,
    /// The FEN, for messages.
    fen: String,
}

impl Standing {
    /// Examines a board without history.
    ///
    /// # Errors
    ///
    /// The rules do not apply to the board, or a clock is out of range.
    pub fn of(board: &Board) -> Result<Standing, StartError> {
        let fen = fen::write(board);
        Standing::with_words(board, format!("fen {fen}"), needs_chess960(board))
    }

    /// Examines the last board of a game. The engine is sent the start and the moves, so that it knows of repetitions.
    /// Takes the start, the moves in the engine's UCI notation, and the last board.
    ///
    /// # Errors
    ///
    /// As for [`Standing::of`].
    pub fn in_game(start: &Board, moves: &[String], board: &Board) -> Result<Standing, StartError> {
        let mut words = format!("fen {}", fen::write(start));
        if !moves.is_empty() {
            words.push_str(" moves ");
            words.push_str(&moves.join(" "));
        }
        Standing::with_words(board, words, needs_chess960(start))
    }

    fn with_words(board: &Board, words: String, chess960: bool) -> Result<Standing, StartError> {
        let start = GameStart::new(board)?;
        let status = rules::status_of_board(board).map_err(StartError::Illegal)?;
        if matches!(status, Status::WhiteWins | Status::BlackWins | Status::Stalemate) {
            return Ok(Standing::Over(status));
        }
        let root = Root { start, turn: board.turn, chess960, words, fen: fen::write(board) };
        Ok(Standing::Open(Box::new(root)))
    }
}

impl Root {
    /// The side to move: 0 is White, 1 Black.
    pub fn turn(&self) -> u8 {
        self.turn
    }

    /// Whether the engine must support Chess960.
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// The arguments of the command `position`.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The legal moves at the beginning of `moves`, in the project's notation, at most `limit`.
    pub fn legal<'m>(&self, moves: impl IntoIterator<Item = &'m str>, limit: usize) -> Vec<String> {
        let mut recorder = Recorder::new(&self.start);
        let mut legal = Vec::new();
        for text in moves.into_iter().take(limit) {
            let Ok(step) = read_uci(recorder.position(), text) else { break };
            let mut written = String::with_capacity(5);
            push_uci(&mut written, recorder.position(), step, false);
            if recorder.play(step).is_err() {
                break;
            }
            legal.push(written);
        }
        legal
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen)
    }
}

/// Whether a castling right exists only in Chess960.
pub fn needs_chess960(board: &Board) -> bool {
    (0..2).any(|color| {
        let rights = board.castling[color];
        let king = chess_core::board::kinds::KING + 6 * color as u8;
        rights != 0 && (rights & !0b1000_0001 != 0 || board.kinds[56 * color + 4] != king)
    })
}

/// The representative of all boards of a position: without a move number, with an en passant square only if such a
/// capture is legal, and with the half-move clock 0 if it is at most [`MAX_FREE_CLOCK`]. An analysis of it serves all
/// of them.
pub fn canonical(board: &Board) -> Board {
    let mut board = board.with_legal_en_passant();
    if board.halfmove_clock <= MAX_FREE_CLOCK {
        board.halfmove_clock = 0;
    }
    board.fullmove_number = 1;
    board
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(text: &str) -> Standing {
        Standing::of(&fen::read(text).unwrap()).unwrap()
    }

    #[test]
    fn only_what_an_engine_can_answer() {
        for illegal in ["8/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/8 w - - 0 1", "k6K/8/8/8/8/8/8/R7 w - - 0 1"] {
            assert!(Standing::of(&fen::read(illegal).unwrap()).is_err(), "{illegal}");
        }
        let mate = standing("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert!(matches!(mate, Standing::Over(Status::WhiteWins)));
        assert!(matches!(standing("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Standing::Over(Status::Stalemate)));
        // A position drawn by rule has moves left.
        assert!(matches!(standing("7k/8/6K1/8/8/8/8/8 b - - 0 1"), Standing::Open(_)));
    }

    #[test]
    fn moves_are_checked_and_spelt_alike() {
        let Standing::Open(root) = standing("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1") else { panic!() };
        assert!(!root.is_chess960());
        assert_eq!(root.legal(["e1h1", "e8c8", "g1g2", "a8a1"], 9), ["e1g1", "e8c8", "g1g2"]);
        assert_eq!(root.legal(["e1h1", "e8c8"], 1), ["e1g1"]);
        assert!(root.legal(["e1e3"], 9).is_empty());
        let Standing::Open(root) = standing("1k6/8/8/8/8/8/8/1K4R1 w G - 0 1") else { panic!() };
        assert!(root.is_chess960());
        assert_eq!(root.legal(["b1g1"], 9), ["b1g1"]);
    }

    #[test]
    fn one_board_for_a_position() {
        let of = |text: &str| fen::write(&canonical(&fen::read(text).unwrap()));
        assert_eq!(of("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 40"), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
        assert_eq!(of("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 40"), "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        assert_eq!(of("4k3/8/8/8/4P3/8/8/4K3 b - - 60 99"), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
        assert_eq!(of("4k3/8/8/8/4P3/8/8/4K3 b - - 61 99"), "4k3/8/8/8/4P3/8/8/4K3 b - - 61 1");
    }

    #[test]
    fn a_game_is_told_with_its_moves() {
        let start = Board::default();
        let after = rules::play(&start, "e4").unwrap();
        let Standing::Open(root) = Standing::in_game(&start, &["e2e4".to_owned()], &after).unwrap() else { panic!() };
        assert_eq!(root.words(), "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4");
        assert_eq!((root.turn(), root.legal(["e7e5", "e7e5"], 9)), (1, vec!["e7e5".to_owned()]));
    }
}
