//! Decodes bytes as UTF-8 if they are valid, otherwise by a single-byte encoding.
//!
//! A PGN file is in UTF-8, in Latin-1, or in both if files were concatenated. So the encoding is determined for each
//! game, where tags separate them: valid UTF-8 is decoded as UTF-8, since text in other encodings is practically never
//! valid UTF-8; everything else is decoded as windows-1252, which includes Latin-1 and has a character for every byte.
//! An encoding that the user names applies to all games.
//!
//! Other multibyte encodings may have brackets inside characters. They are left to `iconv`.

use std::borrow::Cow;
use std::ops::Range;

use anyhow::{Result, bail};
use encoding_rs::{UTF_8, WINDOWS_1252};

use super::cuts::{BOM, cuts, has_inner_bom};

/// The encoding of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 if it is valid, otherwise windows-1252.
    Auto,
    /// UTF-8; games that are not are rejected.
    Utf8,
    /// Another single-byte encoding.
    Other(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// The encoding with a label such as `latin1`.
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

/// Consecutive bytes in one encoding.
pub struct Unit<'a> {
    /// Its offset in the bytes.
    pub at: usize,
    /// Its bytes.
    pub raw: &'a [u8],
    /// The text.
    pub text: Cow<'a, str>,
    /// Whether the bytes are invalid in the encoding that the user named.
    pub malformed: bool,
}

impl<'a> Unit<'a> {
    /// Maps offsets in the text to offsets in the bytes.
    pub fn place(&self) -> Place<'_> {
        Place { text: &self.text, same: self.text.len() == self.raw.len(), known: (0, 0) }
    }
}

/// See [`Unit::place`]. Calls need ascending offsets.
pub struct Place<'u> {
    text: &'u str,
    /// Whether offsets in text and bytes are equal.
    same: bool,
    /// The last mapped offset in the text, and its offset in the bytes.
    known: (usize, usize),
}

impl Place<'_> {
    /// The offset in the bytes for an offset in the text.
    pub fn raw_offset(&mut self, offset: usize) -> usize {
        if self.same {
            return offset;
        }
        let (text_at, raw_at) = self.known;
        self.known = (offset, raw_at + self.text[text_at..offset].chars().count());
        self.known.1
    }

    /// The number of bytes for `len` bytes of text.
    pub fn raw_len(&self, offset: usize, len: usize) -> usize {
        if self.same { len } else { self.text[offset..offset + len].chars().count() }
    }
}

/// Splits bytes into units of one encoding each.
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
    // A byte order mark is not removed: the PGN reader skips it, and offsets include it.
    let marked = raw.starts_with(BOM);
    let decoded = |text, malformed| Unit { at, raw, text, malformed };
    let single_byte = |encoding: &'static encoding_rs::Encoding| match encoding.decode_without_bom_handling(raw).0 {
        // Spaces replace the mark, so that there is still one character per byte.
        text if marked => Cow::Owned(format!("   {}", text.chars().skip(3).collect::<String>())),
        text => text,
    };
    match (encoding, std::str::from_utf8(raw)) {
        (Encoding::Other(encoding), _) => decoded(single_byte(encoding), false),
        (_, Ok(text)) => decoded(Cow::Borrowed(text), false),
        (Encoding::Auto, Err(_)) => decoded(single_byte(WINDOWS_1252), false),
        (Encoding::Utf8, Err(_)) => {
            // One character per byte, so that offsets can be mapped; a rejected game is shown with its original bytes.
            let text = raw.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' }).collect();
            decoded(Cow::Owned(text), true)
        }
    }
}

/// The ranges of the games in `bytes`.
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
