//! Standard output. Lines come in. One that cannot be written does not stop the work that it tells about: the work goes
//! on, and [`failed`] has the error for the end of the program.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Writes a line, as `println!` does.
macro_rules! say {
    ($($line:tt)*) => { $crate::output::line(format_args!($($line)*)) };
}
pub(crate) use say;

/// Writes a line.
pub fn line(line: fmt::Arguments<'_>) {
    note(writeln!(io::stdout(), "{line}"));
}

/// Remembers the error of a write to standard output. A reader that has closed the pipe, as `head` does, is none.
pub fn note(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        // only the first is told
        let _ = FAILED.set(error);
    }
}

/// The first error.
pub fn failed() -> Option<&'static io::Error> {
    FAILED.get()
}
