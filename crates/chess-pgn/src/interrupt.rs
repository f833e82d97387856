//! Handles Ctrl-C and SIGTERM: the first signal requests an orderly end, the second exits at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Result;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

/// The conventional exit status of an interrupted program (128 + SIGINT).
pub const EXIT: i32 = 130;

/// Whether the program has an [`Interrupt`], and so ends in an orderly way after the first signal.
static IS_ORDERLY: AtomicBool = AtomicBool::new(false);

/// Whether the user has requested an end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the handlers.
    pub fn new() -> Result<Interrupt> {
        IS_ORDERLY.store(true, Ordering::Relaxed);
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

/// Calls `clean` when the user requests an end. Without an [`Interrupt`], the signal then ends the program.
pub fn before_the_end(clean: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            clean();
            if !IS_ORDERLY.load(Ordering::Relaxed) {
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    });
    Ok(())
}
