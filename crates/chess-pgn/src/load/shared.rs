//! State that all threads of a load share: options, counters, errors, and whether to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Error;
use chess_db::schema::Schema;

use super::totals::Totals;
use crate::read::condition::Condition;
use crate::read::encoding::Encoding;
use crate::read::record::Keep;

/// The options of a load.
pub struct Options {
    /// The schema with the tables.
    pub schema: Schema,
    /// The number of storing connections.
    pub jobs: usize,
    /// The approximate number of bytes of PGN per transaction.
    pub batch: usize,
    /// Which games are stored; without a condition all.
    pub condition: Option<Condition>,
    /// Which parts of a game are stored besides its moves.
    pub keep: Keep,
    /// Whether games that equal a stored one are skipped.
    pub dedupe: bool,
    /// Whether a changed file is loaded as a new source.
    pub changed: bool,
    /// Whether files are recognized by all of their bytes, and nothing is added to sources of other files.
    pub apart: bool,
    /// The encoding of the files.
    pub encoding: Encoding,
    /// The most bytes that are read of a file, after decompression.
    pub most: Option<u64>,
    /// Whether the progress is reported as lines of JSON on standard output.
    pub json: bool,
}

/// State of a load, shared by its threads.
#[derive(Default)]
pub struct Shared {
    /// The counters.
    pub totals: Totals,
    /// The ids of the sources that were read.
    sources: Mutex<Vec<i32>>,
    /// Whether the load is stopping.
    stop: AtomicBool,
    /// The errors so far.
    errors: Mutex<Vec<Error>>,
}

impl Shared {
    /// Whether the load is stopping.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the load.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Records that a source is read.
    pub fn reads(&self, source: i32) {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if !sources.contains(&source) {
            sources.push(source);
        }
    }

    /// The ids of the sources that were read.
    pub fn sources(&self) -> Vec<i32> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records an error; the load continues.
    pub fn report(&self, error: Error) {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    }

    /// Records an error and stops the load. Only the first such error is kept, because the others follow from it.
    pub fn fail(&self, error: Error) {
        if !self.stop.swap(true, Ordering::Relaxed) {
            self.report(error);
        }
    }

    /// The recorded errors.
    pub fn into_errors(self) -> Vec<Error> {
        self.errors.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
