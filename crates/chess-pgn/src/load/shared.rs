//! State that all threads of a load share: options, counters, errors, and whether to stop.

use std::io;
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
    /// The files that could not be read, but may be later.
    unread: Mutex<Vec<String>>,
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

    /// Records that a file could not be read; the load continues.
    pub fn report_file(&self, name: &str, error: Error) {
        if is_passing(&error) {
            self.unread.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
        }
        self.report(error);
    }

    /// The files that could not be read, but may be later.
    pub fn unread(&self) -> Vec<String> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

/// The classes of SQLSTATE of what passes: connections, deadlocks, resources, locks, shutdowns, the system.
const PASSING: [&str; 6] = ["08", "40", "53", "55", "57", "58"];

/// Whether an error is one of the system, or one of the server that passes, and so does not lie in what a file holds.
fn is_passing(error: &Error) -> bool {
    let passes = |error: &postgres::Error| {
        error.code().is_none_or(|code| PASSING.iter().any(|class| code.code().starts_with(class)))
    };
    error.chain().any(|cause| {
        cause.downcast_ref().is_some_and(passes)
            || cause.downcast_ref::<io::Error>().is_some_and(|error| error.raw_os_error().is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_may_pass() {
        let denied = Error::new(io::Error::from_raw_os_error(13));
        assert!(is_passing(&denied.context("games.pgn")));
        assert!(!is_passing(&Error::new(io::Error::from(io::ErrorKind::UnexpectedEof))));
        assert!(!is_passing(&Error::msg("no games in it")));
    }
}
