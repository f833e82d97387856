//! Sets of squares: the part of the language that is asked of a board alone.
//!
//! Takes a text and boards; returns squares.

use super::language::error::{Fault, PatternError, limits};
use super::language::parse;
use super::program::{At, Program};
use super::step::evaluate::Values;
use super::step::moment::Moment;
use crate::board::Board;

/// A set of squares in the language of patterns, such as `passed(P)` or `A attacks k`.
#[derive(Clone, Debug)]
pub struct SquareSet {
    program: Program,
    at: At,
    values: Values,
}

impl SquareSet {
    /// Reads a set.
    ///
    /// # Errors
    ///
    /// [`PatternError`] with the place, if the text is not a set or asks for moves.
    pub fn read(text: &str) -> Result<SquareSet, PatternError> {
        SquareSet::compile(text).map_err(|fault| fault.explain(text))
    }

    fn compile(text: &str) -> Result<SquareSet, Fault> {
        let parsed = parse::set(text)?;
        if text.len() > limits::BYTES {
            return Err(Fault::too_long(text, "the text", text.len()));
        }
        let (program, at) = Program::of_set(parsed)?;
        if program.needs_game {
            return Err(Fault::new(0, "a board has no half-move that led to it"));
        }
        Ok(SquareSet { values: Values::new(&program), program, at })
    }

    /// The squares on a board, bit 0 for a1.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::{Board, search::pattern::SquareSet};
    ///
    /// assert_eq!(SquareSet::read("P | N[edge]")?.of(&Board::default()), 0xff42);
    /// # Ok::<_, chess_core::search::pattern::PatternError>(())
    /// ```
    pub fn of(&mut self, board: &Board) -> u64 {
        self.values.clear();
        self.values.value(&self.program, &Moment::board(board), self.at)
    }
}
