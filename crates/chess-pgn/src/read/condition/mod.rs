//! Decides which games are wanted. It takes the text of `--where`, such as `rating >= 2000 and speed != bullet`, and returns for
//! a game the part of the text that the game fails, so that a load can count them.
//!
//! The tags of a game are asked before its moves are read, which saves most of the work on games that nobody wants.
//! Two values decide: a comparison with what a game does not have is false, and `!=` and `not` turn answers around. SQL
//! has a third one, by which `title != BOT` would leave out everybody without a title.
//!
//! 1. [`cursor`] takes the text apart into words and values
//! 2. [`words`] has the words that can be asked for
//! 3. [`test`] compares one of them with a value
//! 4. [`expression`] combines tests
//! 5. [`parse`] reads the grammar

mod cursor;
mod expression;
mod fault;
mod parse;
mod test;
mod words;

use chess_core::GameRef;

use self::expression::Term;
pub use self::fault::Fault;
use self::parse::Parser;
pub use self::words::Tags;

/// A condition on games. It has the memory of its searches, so each thread needs one of its own.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    terms: Vec<Term>,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    ///
    /// The reason and its place.
    pub fn read(text: &str) -> Result<Condition, Fault> {
        let mut parser = Parser::new(text);
        let terms = parser.terms()?;
        Ok(Condition { text: parser.written_from(0), terms })
    }

    /// Its text, in which single blanks part the words.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The texts of its parts.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &str> {
        self.terms.iter().map(|term| term.text.as_str())
    }

    /// The parts that games have failed, with their numbers.
    pub fn failed(&self, games: &[u64]) -> impl Iterator<Item = (&str, u64)> {
        self.parts().zip(games.iter().copied()).filter(|(_, games)| *games > 0)
    }

    /// The first part that a game fails, whatever its moves are if these are not given.
    pub fn fails(&mut self, tags: Tags<'_, '_>, game: Option<GameRef<'_>>) -> Option<usize> {
        self.terms.iter_mut().position(|term| !term.expression.answer(tags, game).can_hold)
    }
}

#[cfg(test)]
mod tests;
