//! The next move in an opening explorer: what a game played in a given position.
//!
//! Takes a [`Board`] and many games; returns in SAN the move after the first occurrence of the position. The legal
//! moves are written in SAN once, so each game costs only a search.

use crate::board::Board;
use crate::facts::moves::legal_steps;
use crate::game::legality::Position;
use crate::game::replay::Replay;
use crate::game::slots::Step;
use crate::game::state::Course;
use crate::game::{CorruptGame, GameRef};
use crate::search::finder::{Finder, Matching};
use crate::text::san;

/// A position, prepared for many games.
#[derive(Clone, Debug)]
pub struct Explorer {
    finder: Finder,
    /// The legal moves in SAN; `None` if no game can have the position.
    moves: Option<Vec<(Step, String)>>,
}

impl Explorer {
    /// Prepares the search for `board`.
    pub fn new(board: &Board) -> Explorer {
        let mut asked = board.with_legal_en_passant();
        asked.halfmove_clock = 0;
        asked.fullmove_number = 1;
        let moves = legal_steps(&asked).ok().map(|(start, steps)| {
            let position = Position::new(&start);
            let with_san = |step| {
                let mut san = String::new();
                san::push(&mut san, &position, step);
                san::push_mark(&mut san, &position.after(step));
                (step, san)
            };
            steps.into_iter().map(with_san).collect()
        });
        Explorer { finder: Finder::new(&asked, Matching::Position), moves }
    }

    /// The move in SAN that the game plays after the first occurrence of the position; `None` if it does not occur, or
    /// only at the end.
    ///
    /// # Errors
    ///
    /// [`CorruptGame`] if the stored bytes do not decode. Only what had to be read is checked.
    pub fn next_move(&self, game: GameRef<'_>) -> Result<Option<&str>, CorruptGame> {
        let Some(moves) = &self.moves else { return Ok(None) };
        let Some(ply) = self.finder.find(game, u32::MAX)? else { return Ok(None) };
        if ply == game.ply_count() {
            return Ok(None);
        }
        let start = game.start_position()?;
        let mut replay = Replay::<Course>::new(&start);
        replay.run(game.moves(), ply, |_, _| false)?;
        let rest = &game.moves()[game.code_len_of(ply)..];
        let step = replay.decode(rest);
        let found = moves.iter().find(|(known, _)| Some(*known) == step);
        found.map(|(_, san)| Some(san.as_str())).ok_or(CorruptGame::Move(ply + 1))
    }
}
