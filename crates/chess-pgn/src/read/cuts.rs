//! Finds places in bytes of PGN where a game certainly begins, whatever precedes them.
//!
//! Such a place is a tag at the start of a line, below a blank line, below something other than tags and comments (since
//! blank lines and comments may also separate tags). [`chess_core::text::read_pgn`] always begins a new game there. A byte order
//! mark before the tag, which shows that files were concatenated, stands for the blank line.

use chess_core::text::read_pgn::{is_blank, opens_tag};
use memchr::{memchr_iter, memmem};

/// The byte order mark of UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// The last such place in `bytes`, apart from the start.
pub fn last_cut(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(newline) = memchr::memrchr(b'\n', &bytes[..end]) {
        if is_cut(bytes, newline + 1) {
            return Some(newline + 1);
        }
        end = newline;
    }
    None
}

/// The first such place in `bytes`, apart from the start.
pub fn first_cut(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).map(|newline| newline + 1).find(|at| is_cut(bytes, *at))
}

/// Whether a game certainly begins at `at`, the start of a line.
fn is_cut(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    match rest.strip_prefix(BOM) {
        // a file that was joined; its other tags may follow those of the game before
        Some(rest) => rest.starts_with(b"[Event \"") && follows_moves(&bytes[..at]),
        None => opens_tag(rest) && follows_blank_line(&bytes[..at]) && follows_moves(&bytes[..at]),
    }
}

/// Whether the last line is blank.
fn follows_blank_line(above: &[u8]) -> bool {
    let line = above.strip_suffix(b"\n").unwrap_or(above).rsplit(|byte| *byte == b'\n').next();
    line.is_some_and(|line| line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')))
}

/// Whether the last line that shows something, apart from escape lines, is neither of a tag nor of a comment.
fn follows_moves(above: &[u8]) -> bool {
    let lines = above.rsplit(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"%"));
    let mut shown = lines.map(String::from_utf8_lossy);
    let shows_nothing = |found| is_blank(found) || matches!(found, '}' | ')');
    let Some(line) = shown.find(|line| !line.chars().all(shows_nothing)) else { return false };
    let line = line.trim_matches(is_blank);
    !(line.starts_with(['[', '{', ';']) || line.ends_with([']', '}']))
}

/// Places where the encoding may change: where games certainly begin.
pub fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let cut = at + first_cut(&bytes[at..])?;
        at = cut;
        Some(cut)
    })
}

/// Counts line breaks: LF, or CR if there is no LF, as in old files.
pub fn line_breaks(bytes: &[u8]) -> u64 {
    match memchr_iter(b'\n', bytes).count() {
        0 => memchr_iter(b'\r', bytes).count() as u64,
        lines => lines as u64,
    }
}

/// Whether a byte order mark stands at the start of a line other than the first.
pub fn has_inner_bom(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"\n\xef\xbb\xbf").is_some()
}
