//! A window on a text: its first characters, transliterated to ASCII.
//!
//! Figurines become letters, dashes and crosses of Unicode `-` and `x`, spaces of all kinds become spaces. The length is
//! limited, so that the time for a text is linear however many items it has.

use crate::text::glyphs::is_sign;
use crate::text::lines::has_no_width;

/// The maximum length of an item in characters, after transliteration to ASCII.
pub(super) const WINDOW: usize = 48;

/// The maximum length of an item in bytes of text, except for brackets.
pub(crate) const MAX_LEN: usize = 2 * WINDOW * 4;

/// A sign that is not part of a move, such as those of evaluations.
pub(super) const SIGN: u8 = 1;
/// Any other character beyond ASCII.
pub(super) const OTHER: u8 = 2;

/// The beginning of a text, transliterated to ASCII.
pub(super) struct Window {
    bytes: [u8; WINDOW],
    /// The end in the text of the character of each byte.
    pub(super) ends: [usize; WINDOW],
    len: usize,
}

impl Window {
    pub(super) fn new(text: &str, at: usize) -> Window {
        let mut window = Window { bytes: [0; WINDOW], ends: [at; WINDOW], len: 0 };
        // Characters without width have no bytes; as many of them as others are skipped.
        for (i, found) in text[at..].char_indices().take(2 * WINDOW) {
            let end = at + i + found.len_utf8();
            let mut buffer = [0; 1];
            let ascii: &[u8] = if found.is_ascii() {
                buffer[0] = match found as u8 {
                    byte if byte.is_ascii_control() => b' ',
                    byte => byte,
                };
                &buffer
            } else {
                spelled_out(found)
            };
            if window.len + ascii.len() > WINDOW {
                break;
            }
            for byte in ascii {
                window.bytes[window.len] = *byte;
                window.ends[window.len] = end;
                window.len += 1;
            }
            // A character without width belongs to the one before it.
            if ascii.is_empty() && window.len > 0 {
                window.ends[window.len - 1] = end;
            }
        }
        window
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The transliteration of a character beyond ASCII.
pub(super) fn spelled_out(found: char) -> &'static [u8] {
    match found {
        '½' | '«' => b"1/2",
        '♔' | '♚' => b"K",
        '♕' | '♛' => b"Q",
        '♖' | '♜' => b"R",
        '♗' | '♝' => b"B",
        '♘' | '♞' => b"N",
        '♙' | '♟' => b"P",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{96}' | '\u{97}' => b"-",
        '×' | '✕' | '✖' | '⨯' => b"x",
        'О' | 'о' | 'Ο' | 'ο' | 'Ø' => b"O",
        '…' => b"...",
        '∶' | '：' => b":",
        '†' | '‡' => b"+",
        other if has_no_width(other) => b"",
        '¹' | '²' | '³' => &[SIGN],
        '‘' | '’' | '‚' | '′' => b"'",
        '“' | '”' | '„' | '»' | '″' => b"\"",
        other if other.is_whitespace() || other.is_control() => b" ",
        other if is_sign(other) => &[SIGN],
        _ => &[OTHER],
    }
}

/// The first byte of the transliteration of the character at `at`.
pub(super) fn spelled_out_first(text: &str, at: usize) -> Option<u8> {
    let first = text[at..].chars().next()?;
    if first.is_ascii() { Some(first as u8) } else { spelled_out(first).first().copied() }
}
