//! A temporary file, for a build's postings beyond `maintenance_work_mem` or a scan's rows beyond `work_mem`.
//!
//! The server counts it against `temp_file_limit` and removes it at the end of the transaction, if not before.

use std::convert::Infallible;
use std::ptr::NonNull;

use chess_index::sink::Spill;
use pgrx::{PgSqlErrorCode, check_for_interrupts, pg_sys};

use crate::server::error::raise;
use crate::server::versions;

/// A temporary file, created by the first write.
#[derive(Default)]
pub struct TemporaryFile {
    file: Option<NonNull<pg_sys::BufFile>>,
    /// Bytes written.
    end: u64,
    /// Current position in the file.
    at: u64,
}

impl TemporaryFile {
    /// Leaves the file to the end of the transaction, which may have closed it already.
    pub fn forget(&mut self) {
        self.file = None;
    }

    fn go_to(&mut self, file: NonNull<pg_sys::BufFile>, at: u64) {
        // SAFETY: an open file; 0 is SEEK_SET.
        if self.at != at && unsafe { pg_sys::BufFileSeek(file.as_ptr(), 0, at as pg_sys::off_t, 0) } != 0 {
            failed("could not seek in a temporary file");
        }
        self.at = at;
    }
}

fn failed(message: &str) -> ! {
    raise(PgSqlErrorCode::ERRCODE_IO_ERROR, message.into(), None, None)
}

impl Spill for TemporaryFile {
    type Error = Infallible;

    fn write(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        check_for_interrupts!();
        let file = *self.file.get_or_insert_with(|| {
            // SAFETY: makes a file of this transaction.
            NonNull::new(unsafe { pg_sys::BufFileCreateTemp(false) }).expect("a temporary file")
        });
        self.go_to(file, self.end);
        // SAFETY: an open file.
        unsafe { versions::write_temporary_file(file.as_ptr(), bytes) };
        self.end += bytes.len() as u64;
        self.at = self.end;
        Ok(())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), Infallible> {
        check_for_interrupts!();
        let file = self.file.unwrap_or_else(|| failed("there is no temporary file to read"));
        self.go_to(file, at);
        // SAFETY: an open file; fills `into`.
        if unsafe { pg_sys::BufFileRead(file.as_ptr(), into.as_mut_ptr().cast(), into.len()) } != into.len() {
            failed("could not read a temporary file");
        }
        self.at += into.len() as u64;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.filter(|_| !std::thread::panicking()) {
            // SAFETY: an open file of this transaction.
            unsafe { pg_sys::BufFileClose(file.as_ptr()) }
        }
    }
}
