//! Handles the signals that ask a program to end, such as that of Ctrl-C: the first requests an orderly end, the second exits at
//! once.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
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
        for signal in ends() {
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
    let mut signals = Signals::new(ends())?;
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

/// The signals that ask for an end.
fn ends() -> Vec<c_int> {
    let mut signals = vec![SIGINT, SIGTERM, SIGQUIT];
    // A caller such as nohup has this signal ignored, so that the program outlives its terminal.
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

/// Whether the caller has the program ignore a signal. Where Linux does not tell, it counts as ignored.
fn is_ignored(signal: c_int) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Makes a write beyond the limit on the size of files an error, where it would end the program without any cleaning.
pub fn survive_limit_of_files() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}
