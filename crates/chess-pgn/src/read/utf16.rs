//! Converts UTF-16 text to UTF-8, in constant memory. Takes an uncompressed stream; returns it, or its conversion.
//!
//! Editors of Windows save PGN in UTF-16. It begins with a byte order mark or, since PGN begins with ASCII, with
//! characters of which every other byte is 0, which no text in another encoding does.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE};

/// How many bytes tell.
const HEAD: usize = 8;

/// The encoding of a stream that begins like this, if it is UTF-16.
fn encoding(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let has_text = |place: usize| {
        let is_ascii =
            |pair: &[u8]| pair[1 - place] == 0 && (pair[place].is_ascii_graphic() || pair[place].is_ascii_whitespace());
        head.len() >= 4 && head.chunks_exact(2).all(is_ascii)
    };
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if has_text(0) => Some(UTF_16LE),
        _ if has_text(1) => Some(UTF_16BE),
        _ => None,
    }
}

/// The stream in UTF-8, if it is in UTF-16; else the stream.
pub fn to_utf8<'r>(mut input: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    let found = encoding(&head);
    let all = io::Cursor::new(head).chain(input);
    Ok(match found {
        None => Box::new(all),
        // The mark is not a part of the text.
        Some(encoding) => Box::new(Converted {
            input: all,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: Vec::new(),
            at_end: false,
            text: Vec::new(),
            written: 0,
        }),
    })
}

/// A stream that is converted while it is read.
struct Converted<R> {
    input: R,
    decoder: Decoder,
    /// Bytes that are not converted yet.
    raw: Vec<u8>,
    at_end: bool,
    /// Text, of which `written` bytes were returned.
    text: Vec<u8>,
    written: usize,
}

impl<R: Read> Converted<R> {
    /// How many bytes are converted at once.
    const STEP: usize = 1 << 14;

    fn convert(&mut self) -> io::Result<()> {
        let read = self.input.by_ref().take((Self::STEP - self.raw.len()) as u64).read_to_end(&mut self.raw)?;
        self.at_end = read == 0 && self.raw.is_empty() || self.raw.len() < Self::STEP;
        // Every two bytes are at most three of UTF-8, and wrong ones a replacement of three.
        self.text.resize(2 * Self::STEP + HEAD, 0);
        let (result, taken, written, _) = self.decoder.decode_to_utf8(&self.raw, &mut self.text, self.at_end);
        self.text.truncate(written);
        self.written = 0;
        self.raw.drain(..taken);
        self.at_end &= result == CoderResult::InputEmpty;
        Ok(())
    }
}

impl<R: Read> Read for Converted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.written == self.text.len() {
            if self.at_end {
                return Ok(0);
            }
            self.convert()?;
        }
        let rest = &self.text[self.written..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.written += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(bytes: &[u8]) -> String {
        let mut text = Vec::new();
        to_utf8(bytes).unwrap().read_to_end(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn both_byte_orders_with_and_without_a_mark() {
        for text in
            ["[White \"Müller, 弈 😀\"]\r\n\r\n1. e4 *\r\n".to_owned(), "[White \"é弈\"]\n".repeat(20_000), "1.".into()]
        {
            for mark in ["", "\u{feff}"] {
                let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
                let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                assert!(converted(&little) == text && converted(&big) == text, "{mark:?}");
            }
            assert_eq!(converted(text.as_bytes()), text);
        }
        assert_eq!(converted(b"[\0W\0h\0i\0t\0\x3d\xd8"), "[Whit\u{fffd}", "cut off");
        for other in ["", "*", "1.", "\u{feff}[W", "\0\0\0\0"] {
            assert_eq!(converted(other.as_bytes()), other);
        }
    }
}
