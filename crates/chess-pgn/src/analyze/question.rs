//! A game to the positions that are asked about.

use std::collections::HashSet;
use std::ops::ControlFlow;

use anyhow::Result;
use chess_core::board::key::polyglot_key;
use chess_core::board::{Board, fen};
use chess_core::facts::positions;
use chess_core::facts::rules::Status;
use chess_core::text::annotations::MATE;
use chess_core::{Game, GameRef};
use chess_uci::Standing;
use chess_uci::root::canonical;

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Question {
    /// The half-move after which it arises first.
    pub ply: u32,
    /// The board that stands for all boards of the position.
    pub board: Board,
    /// Its FEN.
    pub fen: String,
    /// What the tables know it by.
    pub key: i64,
    /// Its half-move clock there.
    pub clock: i32,
}

/// What can be asked.
pub enum Open {
    /// The engine.
    Engine(Box<chess_uci::Root>),
    /// Nobody: so it stands for White.
    Nobody(i32),
    /// Nothing, for this reason.
    Nothing(String),
}

impl Question {
    /// What can be asked about it.
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

/// The positions of a game from the first to the last half-move of `plies`, each once.
///
/// # Errors
///
/// The bytes are no game.
pub fn questions(game: &[u8], plies: (u32, u32)) -> Result<Vec<Question>> {
    // Stored bytes are checked like those from outside.
    let game = Game::from_bytes(game)?;
    let view: GameRef<'_> = game.view();
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    positions::each(view, |ply, board| {
        if ply > plies.1 {
            return ControlFlow::Break(());
        }
        if ply >= plies.0 {
            let board = canonical(board);
            let fen = fen::write(&board);
            if seen.insert(fen.clone()) {
                let key = polyglot_key(&board) as i64;
                let clock = board.halfmove_clock as i32;
                questions.push(Question { ply, board, fen, key, clock });
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
