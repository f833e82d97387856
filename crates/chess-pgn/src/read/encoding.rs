//! Decodes bytes as UTF-8 and windows-1252, also where both are in one game.
//!
//! A PGN file is in UTF-8, in Latin-1, or in both if files were concatenated or edited by several programs. So every
//! sequence of bytes is decoded for itself ([`decode`]): one wrong byte in a comment changes no name. Valid UTF-8 is
//! practically never meant as windows-1252, except for a few sequences, such as `Ä“`, which follow the rest of the game.
//! Windows-1252 includes Latin-1 and has a character for every byte. An encoding that the user names applies to all games.
//!
//! A game whose bytes show letters of DOS ([`super::dos`]) is in code page 850, which has those of 437.
//!
//! Other multibyte encodings may have brackets inside characters. They are left to `iconv`, except for UTF-16
//! ([`super::utf16`]).

use std::borrow::Cow;
use std::ops::Range;

use anyhow::{Result, bail};
use encoding_rs::{UTF_8, WINDOWS_1252};

use super::cuts::{BOM, cuts, has_inner_bom};
use super::dos::{self, CP850, CodePage};

/// The encoding of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 if it is valid, otherwise windows-1252.
    Auto,
    /// UTF-8; games that are not are rejected.
    Utf8,
    /// Another single-byte encoding.
    Other(&'static encoding_rs::Encoding),
    /// A code page of DOS.
    Dos(CodePage),
}

impl Encoding {
    /// The encoding with a label such as `latin1`.
    pub fn from_label(label: &str) -> Result<Encoding> {
        if label.eq_ignore_ascii_case("auto") {
            return Ok(Encoding::Auto);
        }
        if let Some(page) = CodePage::from_label(label) {
            return Ok(Encoding::Dos(page));
        }
        match encoding_rs::Encoding::for_label(label.as_bytes()) {
            Some(found) if found == UTF_8 => Ok(Encoding::Utf8),
            Some(found) if found.is_single_byte() => Ok(Encoding::Other(found)),
            Some(found) => bail!("{} is not supported: convert with iconv -t UTF-8", found.name()),
            None => bail!("unknown encoding \"{label}\": if iconv knows it, convert with iconv -t UTF-8"),
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
    /// Whether every byte is a character.
    by_bytes: bool,
    /// Whether the bytes are invalid in the encoding that the user named.
    pub malformed: bool,
}

impl<'a> Unit<'a> {
    /// Maps offsets in the text to offsets in the bytes.
    pub fn place(&self) -> Place<'_> {
        Place { unit: self, known: (0, 0) }
    }
}

/// See [`Unit::place`]. Calls need ascending offsets.
pub struct Place<'u> {
    unit: &'u Unit<'u>,
    /// The last mapped offset in the text, and its offset in the bytes.
    known: (usize, usize),
}

impl Place<'_> {
    /// The offset in the bytes for an offset in the text.
    pub fn raw_offset(&mut self, offset: usize) -> usize {
        self.known = (offset, self.known_from(offset));
        self.known.1
    }

    /// The number of bytes for `len` bytes of text.
    pub fn raw_len(&self, offset: usize, len: usize) -> usize {
        self.known_from(offset + len) - self.known_from(offset)
    }

    fn known_from(&self, offset: usize) -> usize {
        let Unit { raw, text, by_bytes, .. } = self.unit;
        let (text_at, raw_at) = self.known;
        if text.len() == raw.len() {
            return offset;
        }
        let between = &text[text_at..offset];
        if *by_bytes {
            return raw_at + between.chars().count();
        }
        // A character is its own bytes or, if these are not there, a single byte of windows-1252.
        between.chars().fold(raw_at, |at, found| {
            let is_own = raw[at..].starts_with(found.encode_utf8(&mut [0; 4]).as_bytes());
            at + if is_own { found.len_utf8() } else { 1 }
        })
    }
}

/// What the bytes beyond ASCII in a text are.
#[derive(Default)]
struct Evidence {
    /// Sequences that are UTF-8 and make no sense in windows-1252.
    utf8: usize,
    /// Bytes that are not valid UTF-8.
    single: usize,
}

/// Decodes UTF-8, and the bytes that are none as windows-1252.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let evidence = evidence(bytes);
    if evidence.utf8 == 0 && dos::seems(bytes) {
        return Cow::Owned(CP850.decode(bytes));
    }
    let is_utf8 = evidence.utf8 >= evidence.single;
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 16);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for (i, found) in chunk.valid().char_indices() {
            let sequence = &bytes[at + i..at + i + found.len_utf8()];
            if is_utf8 || found.is_ascii() || !is_doubtful(bytes, at + i, sequence.len()) {
                text.push(found);
            } else {
                text.push_str(&WINDOWS_1252.decode_without_bom_handling(sequence).0);
            }
        }
        at += chunk.valid().len();
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
        at += chunk.invalid().len();
    }
    Cow::Owned(text)
}

fn evidence(bytes: &[u8]) -> Evidence {
    let mut found = Evidence::default();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let sequences = chunk.valid().char_indices().filter(|(_, found)| !found.is_ascii());
        found.utf8 += sequences.filter(|(i, found)| !is_doubtful(bytes, at + i, found.len_utf8())).count();
        found.single += chunk.invalid().len();
        at += chunk.valid().len() + chunk.invalid().len();
    }
    found
}

/// Whether the UTF-8 sequence at `at` could as well be windows-1252: a letter with an accent and quotes, a dash or an
/// ellipsis, where these can stand.
fn is_doubtful(bytes: &[u8], at: usize, len: usize) -> bool {
    let is_punctuation =
        |byte: &u8| matches!(byte, 0x82 | 0x84 | 0x85 | 0x8b | 0x91..=0x94 | 0x96 | 0x97 | 0x9b | 0xa0 | 0xab | 0xbb);
    let sequence = &bytes[at..at + len];
    let next = bytes.get(at + len);
    // A capital does not follow a small letter, and few signs stand before a letter.
    let capital_inside = sequence[0] < 0xdf && at > 0 && bytes[at - 1].is_ascii_lowercase();
    let inside_word =
        !matches!(sequence[len - 1], 0x92 | 0x96 | 0x97 | 0xa0) && next.is_some_and(u8::is_ascii_alphabetic);
    sequence[1..].iter().all(is_punctuation) && !capital_inside && !inside_word
}

/// Splits bytes into units of one encoding each.
pub fn units(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = Unit<'_>> {
    let whole = std::str::from_utf8(bytes).is_ok() && !has_inner_bom(bytes)
        || matches!(encoding, Encoding::Other(_) | Encoding::Dos(_));
    let mut starts = if whole { None } else { Some(cuts(bytes)) };
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let start = at?;
        at = starts.as_mut().and_then(Iterator::next);
        Some(unit(start, &bytes[start..at.unwrap_or(bytes.len())], encoding))
    })
}

fn unit<'a>(at: usize, raw: &'a [u8], encoding: Encoding) -> Unit<'a> {
    let unit = |text, by_bytes, malformed| Unit { at, raw, text, by_bytes, malformed };
    // A byte order mark is not removed: the PGN reader skips it, and offsets include it.
    let single = |text: Cow<'a, str>| match raw.starts_with(BOM) {
        // Spaces replace the mark, so that there is still one character per byte.
        true => unit(Cow::Owned(format!("   {}", text.chars().skip(3).collect::<String>())), true, false),
        false => unit(text, true, false),
    };
    match (encoding, std::str::from_utf8(raw)) {
        (Encoding::Other(encoding), _) => single(encoding.decode_without_bom_handling(raw).0),
        (Encoding::Dos(page), _) => single(Cow::Owned(page.decode(raw))),
        (_, Ok(text)) => unit(Cow::Borrowed(text), false, false),
        (Encoding::Auto, Err(_)) => unit(decode(raw), false, false),
        (Encoding::Utf8, Err(_)) => {
            // One character per byte, so that offsets can be mapped; a rejected game is shown with its original bytes.
            let text = raw.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '\u{fffd}' }).collect();
            unit(Cow::Owned(text), true, true)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_pages_have_names() {
        for (label, text) in [("cp437", "üáÇßα"), ("CP850", "üáÇßÓ"), ("ibm852", "üáÇßÓ")] {
            let Ok(Encoding::Dos(page)) = Encoding::from_label(label) else { panic!("{label}") };
            let found = page.decode(b"\x81\xa0\x80\xe1\xe0");
            assert_eq!(found, text, "{label}");
        }
        let why = Encoding::from_label("cp861").unwrap_err().to_string();
        assert_eq!(why, "unknown encoding \"cp861\": if iconv knows it, convert with iconv -t UTF-8");
        assert!(matches!(Encoding::from_label("ibm866"), Ok(Encoding::Other(_))));
    }

    #[test]
    fn one_wrong_byte_changes_nothing_else() {
        for (bytes, text) in [
            (&b"M\xc3\xbcller {sch\xf6n}"[..], "Müller {schön}"),
            (b"M\xc3\xbcller {\xff}", "Müller {ÿ}"),
            (b"W\xc5\x82odzimierz \xc5\x81 {\x80}", "Włodzimierz Ł {€}"),
            (b"\xd0\x9a\xd0\xb0\xd1\x80 {\xe9}", "Кар {é}"),
            (b"M\xfcller {sch\xf6n}", "Müller {schön}"),
            // valid UTF-8 by accident
            (b"Spa\xdf\x93, \xfcber CAF\xc9\x92S", "Spaß“, über CAFÉ’S"),
            (b"libert\xe9\x85\xbb \xe0 Paris", "liberté…» à Paris"),
            (b"\x84\xc4\x93 M\xfcller", "„Ä“ Müller"),
            (b"\xe2\x80\x93 \xfc", "– ü"),
            (b"cut \xc3", "cut Ã"),
            (b"M\xc3\xbcller", "Müller"),
            // of DOS
            (b"M\x81ller, J\x94rg", "Müller, Jörg"),
            (b"Schr\x94der, K\x84the", "Schröder, Käthe"),
            (b"Andr\x82 {Wei\xe1}", "André {Weiß}"),
            (b"\x84gut\x93 {\x82gut\x91 \x85\x94}", "„gut“ {‚gut‘ …”}"),
        ] {
            assert_eq!(decode(bytes), text);
            // Offsets in the text are mapped to those in the bytes.
            let unit = unit(0, bytes, Encoding::Auto);
            let mut place = unit.place();
            let lens: Vec<usize> = text
                .char_indices()
                .map(|(i, found)| {
                    assert!(place.raw_offset(i) < bytes.len(), "{text} {i}");
                    place.raw_len(i, found.len_utf8())
                })
                .collect();
            assert_eq!(lens.iter().sum::<usize>(), bytes.len(), "{text}");
        }
    }
}
