//! Records games: takes legal moves, returns a packed [`Game`].
//!
//! A [`GameStart`] is a legal position, prepared once for many games. A [`Recorder`] plays moves from there and writes
//! their codes.

use std::fmt;

use crate::board::Board;
use crate::game::legality::Position;
use crate::game::slots::Step;
use crate::game::start::GameStart;
use crate::game::{Game, GameResult, Remains};

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

    /// The board after the moves so far, with its clocks.
    pub fn board(&self) -> Board {
        let game = self.clone().finish(GameResult::Unknown, false);
        game.view().board_at(self.plies).expect("a recorded game").expect("its last half-move")
    }

    /// The number of half-moves so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The number of the move that comes next.
    pub(crate) fn move_number(&self) -> u32 {
        self.position.replay.move_number(self.plies)
    }

    /// Plays a move that is legal in [`Recorder::position`].
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the step is illegal; it then has no effect.
    pub fn play(&mut self, step: Step) -> Result<(), IllegalMove> {
        if !self.position.is_legal(step) {
            return Err(IllegalMove);
        }
        self.play_legal(step);
        Ok(())
    }

    /// [`Recorder::play`] for a step that is known to be legal.
    #[inline(always)]
    pub(crate) fn play_legal(&mut self, step: Step) {
        self.position.replay.encode(step, &mut self.moves);
        self.position.play(step);
        self.plies += 1;
    }

    /// Plays a null move, which has no code: the moves after it belong to no game. Returns false in check.
    pub(crate) fn pass(&mut self) -> bool {
        let Some(passed) = self.position.passed() else { return false };
        self.position = passed;
        self.plies += 1;
        true
    }

    /// The last half-move, `None` for a null move; `before` is the mark before it.
    pub(crate) fn last_step(&self, before: &Mark<'a>) -> Option<Step> {
        before.position.replay.decode(&self.moves[before.len..])
    }

    /// The current place in the game.
    pub(crate) fn mark(&self) -> Mark<'a> {
        Mark { position: self.position.clone(), len: self.moves.len(), plies: self.plies }
    }

    /// Goes back to an earlier mark. Returns the moves after it, for [`Recorder::go_on`].
    pub(crate) fn go_back(&mut self, to: &Mark<'a>) -> Vec<u8> {
        self.position = to.position.clone();
        self.plies = to.plies;
        self.moves.split_off(to.len)
    }

    /// Undoes [`Recorder::go_back`]: from the mark `back`, whatever has been played since, to the mark `to`.
    pub(crate) fn go_on(&mut self, back: &Mark<'a>, moves: &[u8], to: Mark<'a>) {
        self.moves.truncate(back.len);
        self.moves.extend_from_slice(moves);
        self.position = to.position;
        self.plies = to.plies;
    }

    /// Ends the game.
    pub fn finish(self, result: GameResult, chess960: bool) -> Game {
        let remains = Remains::of(self.position.replay.state);
        Game::assemble(result, chess960, self.plies, remains, &self.start.bytes, &self.moves)
    }
}

/// A place in a game, see [`Recorder::mark`].
#[derive(Clone, Debug)]
pub(crate) struct Mark<'a> {
    position: Position<'a>,
    len: usize,
    plies: u32,
}

impl<'a> Mark<'a> {
    /// The position at the mark.
    pub(crate) fn position(&self) -> &Position<'a> {
        &self.position
    }

    /// The number of half-moves before it.
    pub(crate) fn plies(&self) -> u32 {
        self.plies
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
