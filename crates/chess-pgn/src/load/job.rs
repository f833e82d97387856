//! What the reading thread hands to those that store: a piece with its source.

use std::sync::Arc;

use super::state::{Input, State};
use crate::read::ocgdb;
use crate::read::split::Piece;

/// What a job is to store.
pub enum Content {
    /// Text.
    Pgn(Piece),
    /// Rows of another database.
    Ocgdb(ocgdb::Rows),
}

/// A piece on its way to the server. One that is dropped on the way is lost, and its source knows.
pub struct Job {
    /// Where it is from.
    pub input: Arc<Input>,
    /// The ordinal of the piece in its source, from 0.
    pub number: usize,
    /// The games.
    pub content: Content,
    stored: bool,
}

impl Job {
    /// A piece that is to be stored.
    pub fn new(input: &Arc<Input>, number: usize, content: Content) -> Job {
        input.sent();
        Job { input: Arc::clone(input), number, content, stored: false }
    }

    /// It is stored.
    pub fn stored(mut self) -> State {
        self.stored = true;
        self.input.stored()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if !self.stored {
            self.input.lost();
        }
    }
}
