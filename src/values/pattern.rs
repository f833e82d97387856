//! A stored pattern: bytes of a datum in, [`Pattern`] out, and back.
//!
//! A datum has a version byte and the canonical text of the pattern in ASCII.

use std::cell::RefCell;

use chess_core::search::material::Material;
use chess_core::search::pattern::Pattern;
use pgrx::PgSqlErrorCode;

use crate::server::error::{raise, sentence};
use crate::server::fmgr::Bytes;

/// The version of the stored text and of the binary format.
pub const VERSION: u8 = 1;

/// A pattern as a datum.
pub fn stored(pattern: &Pattern) -> Bytes<Vec<u8>> {
    Bytes([&[VERSION], pattern.as_str().as_bytes()].concat())
}

/// The text in the bytes of a datum.
pub fn spelling(bytes: &[u8]) -> &str {
    match bytes {
        [VERSION, text @ ..] => std::str::from_utf8(text).unwrap_or_else(|_| corrupt_pattern("it is not text")),
        _ => corrupt_pattern("unknown format version"),
    }
}

/// The stored bytes of a pattern do not decode.
#[cold]
fn corrupt_pattern(reason: &str) -> ! {
    let code = PgSqlErrorCode::ERRCODE_DATA_CORRUPTED;
    raise(code, "invalid stored chesspattern".into(), Some(sentence(reason)), None)
}

/// The pattern in the bytes of a datum.
///
/// Planning and running a query asks for its pattern about five times, and reading a pattern that is searched for
/// everywhere on the board takes milliseconds. So the last few are cached.
pub fn pattern_of(bytes: &[u8]) -> Pattern {
    let known =
        CACHE.with_borrow(|cache| cache.iter().find(|(known, _)| known == bytes).map(|(_, pattern)| pattern.clone()));
    known.unwrap_or_else(|| {
        let pattern = Pattern::read(spelling(bytes)).unwrap_or_else(|error| corrupt_pattern(&error.to_string()));
        CACHE.with_borrow_mut(|cache| {
            cache.truncate(CACHE_SIZE - 1);
            cache.insert(0, (bytes.to_vec(), pattern.clone()));
        });
        pattern
    })
}

const CACHE_SIZE: usize = 4;

thread_local! {
    /// Patterns with their bytes, the most recent first.
    static CACHE: RefCell<Vec<(Vec<u8>, Pattern)>> = const { RefCell::new(Vec::new()) };
}

/// The datum of the pattern that is equivalent to a material; `None` if no pattern expresses it.
pub fn pattern_of_material(material: Material) -> Option<Vec<u8>> {
    Pattern::read(&material.to_string()).ok().map(|pattern| stored(&pattern).0)
}
