//! Lines of PGN: where one ends, whether something is the first on it, and whether it starts with a tag.
//!
//! Takes text and offsets.

/// The end of the line at `at`, without its line break: LF, CR LF, or CR as in old files.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |len| at + len)
}

/// Whether a line starts at `at`.
pub(crate) fn at_line_start(text: &str, at: usize) -> bool {
    at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r')
}

/// The text before `at` without what indents its line: blanks and characters without width.
pub(crate) fn before_indent(text: &str, at: usize) -> &str {
    let is_blank = |found: char| {
        found.is_whitespace() && !matches!(found, '\n' | '\r') || matches!(found, '\u{feff}' | '\u{200b}' | '\0')
    };
    text[..at].trim_end_matches(is_blank)
}

/// Whether `at` is the first thing on its line.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    let before = before_indent(text, at);
    before.is_empty() || before.ends_with(['\n', '\r'])
}

/// Quotes that people and word processors put around values of tags.
pub(crate) const QUOTES: [char; 10] = ['"', '“', '”', '„', '‟', '«', '»', '″', '’', '‘'];

/// Whether a text seems to start with a tag: `[Name "`.
pub fn opens_tag(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"[") else { return false };
    let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let after = name[len..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    len > 0
        && (matches!(after, Some(b'"' | b'\'' | b'`'))
            || after.is_some_and(|first| !first.is_ascii()) && is_quoted(&name[len..]))
}

/// Whether a text starts with a quote, after spaces.
fn is_quoted(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    QUOTES.iter().any(|quote| text.starts_with(quote.encode_utf8(&mut [0; 4]).as_bytes()))
}
