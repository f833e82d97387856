//! What the program says. Lines that tell about the work come in, and go to standard output or standard error; nothing in them
//! commands a terminal, whatever names and messages of others they hold. If one cannot be written to standard output, the work
//! goes on, and [`failed`] has the error for the end of the program. [`taken`] is for output that is the work itself.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context as _, Result};
use chess_db::terminal;

static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Writes a line, as `println!` does.
macro_rules! say {
    ($($line:tt)*) => { $crate::output::line(format_args!($($line)*)) };
}
pub(crate) use say;

/// Writes a line to standard error, as `eprintln!` does.
macro_rules! tell {
    ($($line:tt)*) => { $crate::output::aside(format_args!($($line)*)) };
}
pub(crate) use tell;

/// Writes a line.
pub fn line(line: fmt::Arguments<'_>) {
    text(&format!("{line}\n"));
}

/// Writes lines.
pub fn text(lines: &str) {
    note(io::stdout().write_all(terminal::lines(lines).as_bytes()));
}

/// Writes a line to standard error. Where that is closed, nobody wants to know.
pub fn aside(line: fmt::Arguments<'_>) {
    _ = writeln!(io::stderr(), "{}", terminal::lines(&line.to_string()));
}

/// Returns the function that writes a line about these output files: to standard error if one of them is standard output.
pub fn about(files: &[&Path]) -> fn(fmt::Arguments<'_>) {
    if files.iter().any(|file| is_stdout(file)) { aside } else { line }
}

/// Remembers the error of a write to standard output. A reader that has closed the pipe, as `head` does, is none.
pub fn note(written: io::Result<()>) {
    if let Err(error) = is_open(written) {
        // only the first is told
        let _ = FAILED.set(error);
    }
}

/// Returns false if the reader of standard output has closed the pipe.
///
/// # Errors
///
/// All others of standard output.
pub fn taken(written: io::Result<()>) -> Result<bool> {
    is_open(written).context("cannot write to standard output")
}

/// The two streams that the caller of a program gives it for its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    Output,
    Error,
}

/// The standard stream that a file of this name is: `-` is standard output, and so is `/dev/stdout`, and the file to which a shell
/// has redirected it.
pub fn standard(name: &Path) -> Option<Standard> {
    if name.as_os_str() == "-" {
        return Some(Standard::Output);
    }
    let named = fs::metadata(name).ok()?;
    let is = |stream: BorrowedFd<'_>| {
        let open = stream.try_clone_to_owned().and_then(|open| File::from(open).metadata());
        open.is_ok_and(|open| (open.dev(), open.ino()) == (named.dev(), named.ino()))
    };
    if is(io::stdout().as_fd()) {
        Some(Standard::Output)
    } else if is(io::stderr().as_fd()) {
        Some(Standard::Error)
    } else {
        None
    }
}

/// Whether a file of this name is standard output.
pub fn is_stdout(name: &Path) -> bool {
    standard(name) == Some(Standard::Output)
}

/// The outcome of a write, but false if the reader has closed the pipe.
///
/// # Errors
///
/// All others.
pub fn is_open(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

/// The first error.
pub fn failed() -> Option<&'static io::Error> {
    FAILED.get()
}
