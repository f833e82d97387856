//! What all threads of a load know: what the user asks for, and how far they are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Error;
use chess_db::schema::Schema;

use super::totals::Totals;
use crate::read::encoding::Encoding;
use crate::read::record::Keep;

/// What a user asks for.
pub struct Options {
    /// Where the tables are.
    pub schema: Schema,
    /// The number of connections that store.
    pub jobs: usize,
    /// About how many bytes of PGN go into one transaction.
    pub batch: usize,
    /// What is kept of comments.
    pub keep: Keep,
    /// Whether equal games are stored once.
    pub dedupe: bool,
    /// Whether a file that has changed is loaded as a new source.
    pub changed: bool,
    /// How bytes are read.
    pub encoding: Encoding,
}

/// What all threads of a load tell one another.
#[derive(Default)]
pub struct Shared {
    /// The counters.
    pub totals: Totals,
    /// Whether the load is to stop.
    stop: AtomicBool,
    /// What went wrong.
    errors: Mutex<Vec<Error>>,
}

impl Shared {
    /// Whether the load is to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Something went wrong that stops nothing else.
    pub fn report(&self, error: Error) {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    }

    /// Something went wrong that stops the load. The first error is the cause; the others follow from it.
    pub fn fail(&self, error: Error) {
        if !self.stop.swap(true, Ordering::Relaxed) {
            self.report(error);
        }
    }

    /// All that went wrong.
    pub fn into_errors(self) -> Vec<Error> {
        self.errors.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
