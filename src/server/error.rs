//! ERRORs of the server: how they are raised, and those that every extension has.
//!
//! Messages start in lower case and have no full stop; DETAIL and HINT are sentences.

use std::borrow::Cow;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode, pg_sys};

/// The parts of an error for refused text input.
pub struct InputError {
    /// The SQLSTATE.
    pub code: PgSqlErrorCode,
    /// The message, with the quoted text.
    pub message: String,
    /// The place and the reason.
    pub detail: String,
    /// Advice for the user.
    pub hint: Option<Cow<'static, str>>,
}

/// The longest refused text in which a hint is looked for: that reads it again.
pub const MAX_HINTED: usize = 8192;

/// The part of a text that a message quotes.
pub fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(100).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// Makes a sentence of a message, for DETAIL and HINT: with a capital and a full stop.
pub fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let head: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{head}{}.", chars.as_str())
}

/// The SQLSTATE of refused text input.
pub const INVALID_TEXT: PgSqlErrorCode = PgSqlErrorCode::ERRCODE_INVALID_TEXT_REPRESENTATION;

/// Text is invalid UTF-8 from byte `at` on, counted from 1.
#[cold]
pub fn invalid_encoding(at: usize) -> ! {
    let code = PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
    raise(code, format!("invalid UTF-8 in text at byte {at}"), None, None)
}

/// Prepares the text of a message. The server reports messages unconverted, so where its encoding is not UTF-8,
/// non-ASCII characters are escaped.
pub fn for_message(text: String) -> String {
    // SAFETY: reads a setting of the server.
    if text.is_ascii() || unsafe { pg_sys::GetDatabaseEncoding() } == pg_sys::pg_enc::PG_UTF8 as i32 {
        return text;
    }
    let escaped = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    text.chars().map(escaped).collect()
}

/// Raises an ERROR.
#[cold]
#[inline(never)]
pub fn raise(code: PgSqlErrorCode, message: String, detail: Option<String>, hint: Option<&str>) -> ! {
    let mut report = ErrorReport::new(code, for_message(message), "chess");
    if let Some(detail) = detail {
        report = report.set_detail(for_message(detail));
    }
    if let Some(hint) = hint {
        report = report.set_hint(hint);
    }
    report.report(PgLogLevel::ERROR);
    unreachable!("an ERROR does not return")
}

/// The maximum size of an allocation in PostgreSQL (MaxAllocSize in utils/memutils.h).
pub const MAX_ALLOC: usize = 0x3fff_ffff;

/// Raises an ERROR if a value of this size is impossible.
pub fn check_size(size: usize) {
    if size > MAX_ALLOC {
        let detail = format!("It would take {size} bytes; a value has at most {MAX_ALLOC}.");
        raise(PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED, "the result is too long".into(), Some(detail), None);
    }
}

/// The elements of a stored array exceed its bounds.
#[cold]
pub fn corrupt_array() -> ! {
    let detail = "An element does not end within the array.".to_string();
    raise(PgSqlErrorCode::ERRCODE_DATA_CORRUPTED, "invalid stored array".into(), Some(detail), None)
}

/// Binary input is refused.
#[cold]
pub fn invalid_binary(type_name: &str, reason: &str) -> ! {
    let message = format!("invalid binary representation of type {type_name}");
    raise(PgSqlErrorCode::ERRCODE_INVALID_BINARY_REPRESENTATION, message, Some(sentence(reason)), None)
}

/// An argument is less than 0, but is a number of things.
#[cold]
pub fn negative(name: &str) -> ! {
    let message = format!("{name} must not be negative");
    raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, None)
}

/// An argument is not a valid name of its kind.
#[cold]
pub fn unknown_name(what: &str, name: &str, hint: &str) -> ! {
    let message = format!("invalid {what}: \"{}\"", shortened(name));
    raise(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, message, None, Some(hint))
}
