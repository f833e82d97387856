//! Lines of PGN: where one ends, whether something is the first on it, and whether it starts with a tag.
//!
//! Takes text and offsets.

/// The end of the line at `at`, without its line break: LF, CR LF, or CR as in old files.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |len| at + len)
}

/// The maximum number of bytes of a line that are searched before any of it is read. A whole file may be one line, which is
/// searched again for each of its games.
const AHEAD: usize = 1024;

/// Returns the end of the line at the start of a text; `None` if the first `AHEAD` bytes do not contain it.
pub(crate) fn near_line_end(text: &str) -> Option<usize> {
    let near = &text.as_bytes()[..text.len().min(AHEAD)];
    let end = near.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    end.or_else(|| (text.len() <= AHEAD).then_some(text.len()))
}

/// Returns the line at the start of a text, but no more than `AHEAD` bytes of it.
pub(crate) fn line_ahead(text: &str) -> &str {
    &text[..near_line_end(text).unwrap_or_else(|| text.floor_char_boundary(AHEAD))]
}

/// Whether a line starts at `at`.
pub(crate) fn at_line_start(text: &str, at: usize) -> bool {
    at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r')
}

/// Whether a character shows nothing: white space, control characters such as the `^Z` at the end of old files, characters
/// without width, and what stands for bytes that could not be decoded.
pub fn is_blank(found: char) -> bool {
    found.is_whitespace() || found.is_control() || matches!(found, '\u{fffd}' | '\u{ff}') || has_no_width(found)
}

/// Whether a character has no width, such as a byte order mark.
pub(crate) fn has_no_width(found: char) -> bool {
    matches!(found, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe0e}' | '\u{fe0f}' | '\u{feff}')
}

/// The text before `at` without what indents its line.
pub(crate) fn before_indent(text: &str, at: usize) -> &str {
    text[..at].trim_end_matches(|found| !matches!(found, '\n' | '\r') && is_blank(found))
}

/// Whether `at` is the first thing on its line.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    let before = before_indent(text, at);
    before.is_empty() || before.ends_with(['\n', '\r'])
}

/// Quotes that people and word processors put around values of tags.
pub(crate) const QUOTES: [char; 10] = ['"', '“', '”', '„', '‟', '«', '»', '″', '’', '‘'];

/// Whether a text seems to start with a tag: `[Name "`, perhaps with `=` or `:` before the quote.
pub fn opens_tag(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"[") else { return false };
    let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let blanks = |text: &[u8]| text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let mut at = len + blanks(&name[len..]);
    if matches!(name.get(at), Some(b'=' | b':')) {
        at += 1 + blanks(&name[at + 1..]);
    }
    len > 0
        && match name.get(at) {
            Some(b'"' | b'\'' | b'`') => true,
            Some(first) => !first.is_ascii() && is_quoted(&name[at..]),
            None => false,
        }
}

/// Whether a text starts with a quote, after spaces.
fn is_quoted(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    QUOTES.iter().any(|quote| text.starts_with(quote.encode_utf8(&mut [0; 4]).as_bytes()))
}
