//! Converts text between the server's encoding and UTF-8, which the core uses.

use std::borrow::Cow;

use pgrx::pg_sys;

use crate::server::error::invalid_encoding;

const UTF8: i32 = pg_sys::pg_enc::PG_UTF8 as i32;
const SQL_ASCII: i32 = pg_sys::pg_enc::PG_SQL_ASCII as i32;

/// Server text as UTF-8.
///
/// # Errors
///
/// 22021 for invalid text, which is possible only in a database without an encoding (SQL_ASCII).
pub fn utf8(text: &[u8]) -> &str {
    // SAFETY: converts `len` bytes at `start`; returns `start` itself if nothing has to be converted, or a new
    // NUL-terminated string in the current memory context.
    let converted = unsafe {
        let start = text.as_ptr().cast_mut().cast();
        let converted = pg_sys::pg_server_to_any(start, text.len() as i32, UTF8);
        if converted == start { text } else { std::ffi::CStr::from_ptr(converted).to_bytes() }
    };
    std::str::from_utf8(converted).unwrap_or_else(|error| invalid_encoding(error.valid_up_to() + 1))
}

/// Server text as UTF-8, with a replacement character for invalid bytes.
pub fn utf8_lossy(text: &[u8]) -> Cow<'_, str> {
    // SAFETY: reads a setting of the server.
    if text.is_ascii() || unsafe { pg_sys::GetDatabaseEncoding() } == SQL_ASCII {
        return String::from_utf8_lossy(text);
    }
    Cow::Borrowed(utf8(text))
}

/// UTF-8 as server text.
pub fn server_encoded(text: &str) -> Cow<'_, [u8]> {
    // SAFETY: as above, the other way round.
    unsafe {
        let start = text.as_ptr().cast_mut().cast();
        let converted = pg_sys::pg_any_to_server(start, text.len() as i32, UTF8);
        if converted == start {
            return Cow::Borrowed(text.as_bytes());
        }
        let bytes = std::ffi::CStr::from_ptr(converted).to_bytes().to_vec();
        pg_sys::pfree(converted.cast());
        Cow::Owned(bytes)
    }
}

/// The letters that the server's encoding has.
pub enum Repertoire {
    /// All letters, or whatever the client sends (SQL_ASCII).
    Unicode,
    /// At least those of Latin-1.
    Latin1,
    /// Those of ASCII and others that are not known here.
    Other,
}

/// The letters that the server's encoding has.
pub fn repertoire() -> Repertoire {
    use pg_sys::pg_enc::{PG_LATIN1, PG_WIN1252};
    // SAFETY: reads a setting of the server.
    match unsafe { pg_sys::GetDatabaseEncoding() } {
        UTF8 | SQL_ASCII => Repertoire::Unicode,
        encoding if encoding == PG_LATIN1 as i32 || encoding == PG_WIN1252 as i32 => Repertoire::Latin1,
        _ => Repertoire::Other,
    }
}
