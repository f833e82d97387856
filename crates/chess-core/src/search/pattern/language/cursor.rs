//! A place in the text of a pattern, and the smallest things that are read there.

use super::error::Fault;
use super::tree::{BLACK, Contents, NOTHING, WHATEVER, WHITE};
use crate::board::kinds::LETTERS;

/// A place in a text.
pub(super) struct Lexer<'a> {
    pub text: &'a str,
    pub at: usize,
}

pub(super) fn not_understood(at: usize) -> Fault {
    Fault::new(at, "not understood")
}

impl Lexer<'_> {
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn letters(&self) -> &str {
        let rest = self.rest();
        &rest[..rest.bytes().take_while(u8::is_ascii_alphabetic).count()]
    }

    /// A letter, or several in brackets.
    pub(super) fn contents(&mut self) -> Result<Contents, Fault> {
        let at = self.at;
        if let Some(contents) = self.peek().and_then(contents_of) {
            self.at += 1;
            return Ok(contents);
        }
        if !self.take(b'[') {
            let fault = not_understood(at);
            return Err(match self.peek() {
                Some(b'0') => fault,
                None => Fault::new(at, "pieces or squares expected"),
                _ => fault,
            });
        }
        let inverse = self.take(b'^');
        let mut contents = 0;
        let letters_at = self.at;
        while let Some(more) = self.peek().filter(|byte| *byte != b'.').and_then(contents_of) {
            contents |= more;
            self.at += 1;
        }
        if self.at == letters_at || !self.take(b']') {
            return Err(Fault::new(self.at, "letters of KQRBNPA and kqrbnpa, or _, expected in brackets"));
        }
        let contents = if inverse { WHATEVER & !contents } else { contents };
        if contents == 0 {
            return Err(Fault::new(at, "nothing is left that could stand there"));
        }
        Ok(contents)
    }

    pub(super) fn digits(&mut self) -> Result<u32, Fault> {
        let at = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[at..self.at].parse().ok().filter(|number| *number <= MOST).ok_or_else(|| too_great(at))
    }
}

/// The greatest number in a pattern.
const MOST: u32 = 1 << 30;

fn too_great(at: usize) -> Fault {
    Fault::new(at, format!("a number of at most {MOST} expected"))
}

/// Adds two numbers that the text at `at` sums up, such as those of `P2P3`. The canonical form has the sum, which must be
/// readable again.
pub(super) fn sum(at: usize, first: u32, second: u32) -> Result<u32, Fault> {
    first.checked_add(second).filter(|sum| *sum <= MOST).ok_or_else(|| too_great(at))
}

/// What a letter stands for.
pub(super) fn contents_of(letter: u8) -> Option<Contents> {
    match letter {
        b'A' => Some(WHITE),
        b'a' => Some(BLACK),
        b'_' => Some(NOTHING),
        b'.' => Some(WHATEVER),
        _ => LETTERS.iter().position(|known| *known == letter).map(|kind| 1 << kind),
    }
}
