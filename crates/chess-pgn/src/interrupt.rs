//! Handles Ctrl-C and SIGTERM: the first signal requests an orderly end, the second exits at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The conventional exit status of an interrupted program (128 + SIGINT).
pub const EXIT: i32 = 130;

/// Whether the user has requested an end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the handlers.
    pub fn new() -> Result<Interrupt> {
        let wanted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the first signal finds the flag unset and sets it, the second finds it set and exits.
            flag::register_conditional_shutdown(signal, EXIT, Arc::clone(&wanted))?;
            flag::register(signal, Arc::clone(&wanted))?;
        }
        Ok(Interrupt(wanted))
    }

    /// Whether the user has requested an end.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
