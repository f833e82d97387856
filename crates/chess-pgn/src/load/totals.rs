//! Counters of a load, shared by its threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// For each part of the condition, the games that were left out because they fail it.
    left_out: Mutex<Vec<u64>>,
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
    /// All games that were left out.
    pub left_out: u64,
    /// See [`Totals`].
    pub before: u64,
}

impl Totals {
    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, number: usize) {
        counter.fetch_add(number as u64, Ordering::Relaxed);
    }

    /// Adds games that were left out, for each part of the condition.
    pub fn leave_out(&self, games: &[u64]) {
        let mut left_out = self.lock_left_out();
        let parts = left_out.len().max(games.len());
        left_out.resize(parts, 0);
        left_out.iter_mut().zip(games).for_each(|(sum, games)| *sum += games);
    }

    /// For each part of the condition the games that were left out; the last parts may be missing.
    pub fn left_out(&self) -> Vec<u64> {
        self.lock_left_out().clone()
    }

    fn lock_left_out(&self) -> MutexGuard<'_, Vec<u64>> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
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
            left_out: self.lock_left_out().iter().sum(),
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
            "left_out": self.left_out,
            "before": self.before,
        })
    }

    /// The games read in this run, apart from those loaded before.
    pub fn read(&self) -> u64 {
        self.stored + self.rejected + self.duplicates + self.left_out
    }
}
