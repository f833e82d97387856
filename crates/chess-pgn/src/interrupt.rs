//! Ctrl-C and SIGTERM: the first asks to end when what is in work is done, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What a shell expects of a program that was interrupted.
pub const EXIT: i32 = 130;

/// Whether the user wants an end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub fn new() -> Result<Interrupt> {
        let wanted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal sets the flag, the second finds it set.
            flag::register_conditional_shutdown(signal, EXIT, Arc::clone(&wanted))?;
            flag::register(signal, Arc::clone(&wanted))?;
        }
        Ok(Interrupt(wanted))
    }

    /// Whether the user wants an end.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
