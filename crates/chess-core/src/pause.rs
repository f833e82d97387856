//! Lets the caller interrupt long work.
//!
//! A text may be one game of a gigabyte. A caller that must be able to stop reading it [sets](set) a function
//! that is called every few thousand steps of reading and writing, and every million half-moves of a
//! replay, and that may unwind: nothing is left half done, because nothing is shared.

use std::sync::OnceLock;

static PAUSE: OnceLock<fn()> = OnceLock::new();

/// Sets the function for the whole process, once; later calls change nothing.
pub fn set(pause: fn()) {
    PAUSE.get_or_init(|| pause);
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
        self.steps += 1;
        if self.steps == Self::EVERY {
            self.steps = 0;
            pause();
        }
    }
}

#[cold]
pub(crate) fn pause() {
    if let Some(pause) = PAUSE.get() {
        pause();
    }
}
