//! What the reading thread passes to the storing threads: a piece and its source.

use std::sync::Arc;

use super::state::{Input, State};
use crate::read::ocgdb;
use crate::read::split::Piece;

/// The content of a job.
pub enum Content {
    /// PGN text.
    Pgn(Piece),
    /// Rows of an ocgdb database.
    Ocgdb(ocgdb::Rows),
}

/// A piece to be stored. Dropping it unstored marks its source as failed.
pub struct Job {
    /// The source.
    pub input: Arc<Input>,
    /// The index of the piece in its source, from 0.
    pub number: usize,
    /// The games.
    pub content: Content,
    stored: bool,
}

impl Job {
    /// Creates the job and counts it as unfinished in its source.
    pub fn new(input: &Arc<Input>, number: usize, content: Content) -> Job {
        input.sent();
        Job { input: Arc::clone(input), number, content, stored: false }
    }

    /// Marks the piece as stored.
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
