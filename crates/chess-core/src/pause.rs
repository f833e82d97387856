//! Lets the caller interrupt long work.
//!
//! A text may be a single game of a gigabyte. A caller that must be able to cancel reading it [sets](set) a function,
//! which is called every few thousand steps of parsing and writing and every million half-moves of a replay. It may
//! unwind: no state is shared, so none is left inconsistent.

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::OnceLock;

thread_local! {
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

static PAUSE: OnceLock<fn()> = OnceLock::new();

/// Sets the function for the process. Later calls have no effect.
pub fn set(pause: fn()) {
    PAUSE.get_or_init(|| pause);
}

/// The steps of this thread for parsing, compiling and optimizing patterns. The difference between two calls measures
/// the work between them independently of the machine's load.
pub fn steps() -> u64 {
    COUNTED.get()
}

/// Counts a step of this thread, and pauses every few thousand.
#[inline]
pub(crate) fn count(steps: usize) {
    let before = COUNTED.get();
    let now = before.wrapping_add(steps as u64);
    COUNTED.set(now);
    if now / u64::from(Pauses::EVERY) != before / u64::from(Pauses::EVERY) {
        pause();
    }
}

/// Counts the steps of one task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    steps: u32,
}

impl Pauses {
    const EVERY: u32 = 4096;

    #[inline(always)]
    pub(crate) fn step(&mut self) {
        self.steps(1);
    }

    /// Counts a step that takes as long as `steps` short ones.
    #[inline(always)]
    pub(crate) fn steps(&mut self, steps: u32) {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= Self::EVERY {
            self.steps = 0;
            pause();
        }
    }
}

/// Sorts, and pauses every few thousand comparisons. Ascending runs are merged. If the pause unwinds, the items are in no
/// order.
pub fn sort<T: Ord>(items: &mut [T]) {
    /// Fewer are sorted within milliseconds, without the cost of counting.
    const FEW: usize = 1 << 17;
    if items.len() < FEW { items.sort() } else { sort_by(items, T::cmp) }
}

/// [`sort`], in the order of a comparison.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut pauses = Pauses::default();
    items.sort_by(|a, b| {
        pauses.step();
        compare(a, b)
    });
}

/// Lets the caller interrupt the work.
#[cold]
pub fn pause() {
    if let Some(pause) = PAUSE.get() {
        pause();
    }
}
