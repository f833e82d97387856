//! Text between the server's encoding and UTF-8, in which the core reads and writes.

use std::borrow::Cow;

use pgrx::pg_sys;

use crate::error::raise;

const UTF8: i32 = pg_sys::pg_enc::PG_UTF8 as i32;

/// Server text as UTF-8.
pub fn utf8(text: &[u8]) -> Cow<'_, str> {
    // SAFETY: converts `len` bytes at `start`; returns `start` itself where nothing is to be done, or
    // a new string that ends with NUL, in the current memory context.
    let converted = unsafe {
        let start = text.as_ptr().cast_mut().cast();
        let converted = pg_sys::pg_server_to_any(start, text.len() as i32, UTF8);
        if converted == start { text } else { std::ffi::CStr::from_ptr(converted).to_bytes() }
    };
    match std::str::from_utf8(converted) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => raise(
            pgrx::PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
            format!("invalid UTF-8 in text at byte {}", error.valid_up_to() + 1),
            None,
            None,
        ),
    }
}

/// UTF-8 as server text.
pub fn server_encoded(text: &str) -> Vec<u8> {
    // SAFETY: as above, the other way round.
    unsafe {
        let start = text.as_ptr().cast_mut().cast();
        let converted = pg_sys::pg_any_to_server(start, text.len() as i32, UTF8);
        if converted == start {
            text.as_bytes().to_vec()
        } else {
            let bytes = std::ffi::CStr::from_ptr(converted).to_bytes().to_vec();
            pg_sys::pfree(converted.cast());
            bytes
        }
    }
}
