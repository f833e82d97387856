//! From a game to the positions that are to be analyzed.

use std::collections::HashSet;
use std::ops::ControlFlow;

use anyhow::Result;
use chess_core::board::key::polyglot_key;
use chess_core::board::{Board, fen};
use chess_core::facts::positions;
use chess_core::facts::rules::Status;
use chess_core::text::clocks_evals::MATE;
use chess_core::{Game, GameRef};
use chess_uci::Standing;
use chess_uci::root::canonical;

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Question {
    /// The half-move after which it first occurs.
    pub ply: u32,
    /// The canonical board, the same for all boards of the position.
    pub board: Board,
    /// Its FEN.
    pub fen: String,
    /// The hash by which the tables identify the position.
    pub key: i64,
    /// The half-move clock when it first occurs.
    pub clock: i32,
}

/// How a position is evaluated.
pub enum Open {
    /// By an engine.
    Engine(Box<chess_uci::Root>),
    /// Not at all: the game is over, with this value for White.
    Nobody(i32),
    /// Not at all, for this reason.
    Nothing(String),
}

impl Question {
    /// The question about the board after a number of half-moves.
    pub fn new(ply: u32, board: &Board) -> Question {
        let board = canonical(board);
        let (fen, key, clock) = (fen::write(&board), polyglot_key(&board) as i64, board.halfmove_clock as i32);
        Question { ply, board, fen, key, clock }
    }

    /// Decides how the position is evaluated.
    pub fn open(&self) -> Open {
        match Standing::of(&self.board) {
            Ok(Standing::Open(root)) => Open::Engine(root),
            Ok(Standing::Over(Status::WhiteWins)) => Open::Nobody(MATE),
            Ok(Standing::Over(Status::BlackWins)) => Open::Nobody(-MATE),
            Ok(Standing::Over(_)) => Open::Nobody(0),
            Err(error) => Open::Nothing(error.to_string()),
        }
    }
}

/// The positions of a game within `plies`, each once.
///
/// # Errors
///
/// The bytes are not a valid game.
pub fn questions(game: &[u8], plies: (u32, u32)) -> Result<Vec<Question>> {
    // Anybody may write to the tables, so stored bytes are checked like foreign ones.
    let game = Game::from_bytes(game)?;
    let view: GameRef<'_> = game.view();
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    positions::each(view, |ply, board| {
        if ply > plies.1 {
            return ControlFlow::Break(());
        }
        if ply >= plies.0 {
            let question = Question::new(ply, board);
            if seen.insert(question.fen.clone()) {
                questions.push(question);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_core::text::movetext;

    #[test]
    fn each_position_once_within_the_plies() {
        let game = movetext::read("1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5").unwrap();
        let plies = |range| -> Vec<u32> {
            questions(game.as_bytes(), range).unwrap().iter().map(|question| question.ply).collect()
        };
        assert_eq!(plies((0, u32::MAX)), [0, 1, 2, 3, 5, 6]);
        assert_eq!(plies((4, 5)), [4, 5]);
        assert!(plies((7, 99)).is_empty());
        assert!(questions(&[1, 2, 3], (0, 9)).is_err());
    }

    #[test]
    fn what_is_over_is_not_asked() {
        let game = movetext::read("1. f3 e5 2. g4 Qh4# 0-1").unwrap();
        let all = questions(game.as_bytes(), (0, 99)).unwrap();
        assert!(matches!(all[4].open(), Open::Nobody(eval) if eval == -MATE));
        assert!(matches!(all[3].open(), Open::Engine(_)));
    }
}
