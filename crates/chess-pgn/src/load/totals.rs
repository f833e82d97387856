//! Counters of a load, shared by its threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

/// The counters.
#[derive(Default)]
pub struct Totals {
    /// Bytes read, before decompression.
    pub bytes: Arc<AtomicU64>,
    /// Games stored.
    pub stored: AtomicU64,
    /// Stored games of which only the beginning could be read.
    pub incomplete: AtomicU64,
    /// Games written to the table `rejected`.
    pub rejected: AtomicU64,
    /// Skipped games that equal a stored game.
    pub duplicates: AtomicU64,
    /// Games that another run has loaded from the same source.
    pub before: AtomicU64,
}

/// A snapshot of the counters.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// See [`Totals`].
    pub bytes: u64,
    /// See [`Totals`].
    pub stored: u64,
    /// See [`Totals`].
    pub incomplete: u64,
    /// See [`Totals`].
    pub rejected: u64,
    /// See [`Totals`].
    pub duplicates: u64,
    /// See [`Totals`].
    pub before: u64,
}

impl Totals {
    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, number: usize) {
        counter.fetch_add(number as u64, Ordering::Relaxed);
    }

    /// The counters now.
    pub fn count(&self) -> Count {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Count {
            bytes: get(&self.bytes),
            stored: get(&self.stored),
            incomplete: get(&self.incomplete),
            rejected: get(&self.rejected),
            duplicates: get(&self.duplicates),
            before: get(&self.before),
        }
    }
}

impl Count {
    /// The counters for programs.
    pub fn json(&self) -> Value {
        json!({
            "bytes": self.bytes,
            "stored": self.stored,
            "incomplete": self.incomplete,
            "rejected": self.rejected,
            "duplicates": self.duplicates,
            "before": self.before,
        })
    }

    /// The games read in this run, apart from those loaded before.
    pub fn read(&self) -> u64 {
        self.stored + self.rejected + self.duplicates
    }
}
