//! What a load has done so far: counters that all threads share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counters.
#[derive(Default)]
pub struct Totals {
    /// Bytes read, as they are stored.
    pub bytes: Arc<AtomicU64>,
    /// Games stored.
    pub stored: AtomicU64,
    /// Games of those stored that end before their text does.
    pub incomplete: AtomicU64,
    /// Games recorded as rejected.
    pub rejected: AtomicU64,
    /// Games that were there already, under another source.
    pub duplicates: AtomicU64,
    /// Games that an earlier run, or another one at the same time, has loaded from the same source.
    pub before: AtomicU64,
}

/// The counters at one moment.
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
    /// The games read in this run, apart from those loaded before.
    pub fn read(&self) -> u64 {
        self.stored + self.rejected + self.duplicates
    }
}
