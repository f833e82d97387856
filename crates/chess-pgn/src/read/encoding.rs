//! Bytes to text: UTF-8 if they are valid, otherwise a single-byte encoding.
//!
//! PGN comes as UTF-8, as Latin-1, and as both in one file if files were concatenated. So it is
//! decided game by game, where tags tell games apart: what is valid UTF-8 is taken as such, for
//! text in another encoding practically never is; everything else is read as windows-1252, which is
//! Latin-1 and gives a character to every byte. An encoding that the user names is taken for all.
//!
//! Encodings of several bytes apart from UTF-8 may hide brackets in their characters and are left
//! to `iconv`.

use std::borrow::Cow;
use std::ops::Range;

use anyhow::{Result, bail};
use encoding_rs::{UTF_8, WINDOWS_1252};

use super::cuts::{BOM, cuts, has_inner_bom};

/// How bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 if it is valid, otherwise windows-1252.
    Auto,
    /// UTF-8; games that are not are rejected.
    Utf8,
    /// Another encoding of one byte a character.
    Other(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// The encoding that a user names.
    pub fn from_label(label: &str) -> Result<Encoding> {
        if label.eq_ignore_ascii_case("auto") {
            return Ok(Encoding::Auto);
        }
        match encoding_rs::Encoding::for_label(label.as_bytes()) {
            Some(found) if found == UTF_8 => Ok(Encoding::Utf8),
            Some(found) if found.is_single_byte() => Ok(Encoding::Other(found)),
            Some(found) => bail!("{} is not supported: convert with iconv -t UTF-8", found.name()),
            None => bail!("unknown encoding \"{label}\""),
        }
    }
}

/// A run of text in one encoding.
pub struct Unit<'a> {
    /// Where it starts in the bytes.
    pub at: usize,
    /// Its bytes.
    pub raw: &'a [u8],
    /// The text.
    pub text: Cow<'a, str>,
    /// Whether bytes were no text in the encoding asked for.
    pub malformed: bool,
}

impl<'a> Unit<'a> {
    /// Turns places in the text into places in the bytes.
    pub fn place(&self) -> Place<'_> {
        Place { text: &self.text, same: self.text.len() == self.raw.len(), known: (0, 0) }
    }
}

/// See [`Unit::place`]. Places are asked for in ascending order.
pub struct Place<'u> {
    text: &'u str,
    /// Whether text and bytes are the same but for the characters that are not ASCII.
    same: bool,
    /// A place in the text and the same in the bytes.
    known: (usize, usize),
}

impl Place<'_> {
    /// The place in the bytes.
    pub fn raw_offset(&mut self, offset: usize) -> usize {
        if self.same {
            return offset;
        }
        let (text_at, raw_at) = self.known;
        self.known = (offset, raw_at + self.text[text_at..offset].chars().count());
        self.known.1
    }

    /// The number of bytes of so many bytes of text.
    pub fn raw_len(&self, offset: usize, len: usize) -> usize {
        if self.same { len } else { self.text[offset..offset + len].chars().count() }
    }
}

/// Splits bytes into runs of one encoding each.
pub fn units(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = Unit<'_>> {
    let whole = std::str::from_utf8(bytes).is_ok() && !has_inner_bom(bytes) || matches!(encoding, Encoding::Other(_));
    let mut starts = if whole { None } else { Some(cuts(bytes)) };
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let start = at?;
        at = starts.as_mut().and_then(Iterator::next);
        Some(unit(start, &bytes[start..at.unwrap_or(bytes.len())], encoding))
    })
}

fn unit(at: usize, raw: &[u8], encoding: Encoding) -> Unit<'_> {
    // A mark is kept: the PGN reader skips it, and places are counted with it.
    let marked = raw.starts_with(BOM);
    let decoded = |text, malformed| Unit { at, raw, text, malformed };
    let single_byte = |encoding: &'static encoding_rs::Encoding| match encoding.decode_without_bom_handling(raw).0 {
        // Blanks, so that the characters are still as many as the bytes.
        text if marked => Cow::Owned(format!("   {}", text.chars().skip(3).collect::<String>())),
        text => text,
    };
    match (encoding, std::str::from_utf8(raw)) {
        (Encoding::Other(encoding), _) => decoded(single_byte(encoding), false),
        (_, Ok(text)) => decoded(Cow::Borrowed(text), false),
        (Encoding::Auto, Err(_)) => decoded(single_byte(WINDOWS_1252), false),
        (Encoding::Utf8, Err(_)) => {
            // One character a byte, for the places; what is shown of such a game is what it holds.
            let text = raw.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' }).collect();
            decoded(Cow::Owned(text), true)
        }
    }
}

/// Where the games in `bytes` stand.
pub fn starts(bytes: &[u8], encoding: Encoding) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for unit in units(bytes, encoding) {
        let mut place = unit.place();
        for game in chess_core::text::read_pgn::games(&unit.text) {
            let start = unit.at + place.raw_offset(game.offset);
            found.push(start..start + place.raw_len(game.offset, game.text.len()));
        }
    }
    found
}
