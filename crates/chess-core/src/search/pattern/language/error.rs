//! Why a text is not a pattern: the reason, the place, and an excerpt with a caret under it.

use std::fmt;

use super::advice::advice;
use crate::text::excerpt::excerpt;

/// What a pattern may have at most.
pub mod limits {
    /// Bytes of a pattern, as typed and in its normalized spelling.
    pub const BYTES: usize = 4096;
    /// Bytes of a normalized pattern that is already stored. It may exceed [`BYTES`] because earlier versions limited
    /// only the typed text, and the spelling takes up to four bytes for each typed byte.
    pub const SPELLING: usize = 4 * BYTES;
    /// Parentheses, and what else is written inside something of its own sort.
    pub const NESTING: usize = 64;
    /// What the transforms make of a pattern.
    pub const VARIANTS: usize = 256;
    /// Steps in time.
    pub const STEPS: usize = 64;
    /// Parts of the program that a pattern is compiled to.
    pub const PARTS: usize = 4096;
    /// Parts that are made, visited or joined from the text to the program, over all transforms.
    pub const WORK: usize = 40_000;
    /// Half-moves of a range of time, and of `for`.
    pub const HALF_MOVES: u32 = 10_000;
}

/// In what way a text is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternErrorKind {
    /// It does not follow the grammar, or says what cannot be meant.
    Syntax,
    /// The text, or its normalized spelling, is longer than [`limits::BYTES`].
    TooLong,
    /// It exceeds one of the other [`limits`].
    TooComplex,
}

/// Why a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Which of the three sorts it is.
    pub kind: PatternErrorKind,
    /// The reason, one sentence without its stop.
    pub reason: String,
    /// The character at which it was found, counted from 1.
    pub at: usize,
    /// A line of the text around that character, and below it a line that points at it.
    pub excerpt: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at character {}", self.reason, self.at)
    }
}

impl std::error::Error for PatternError {}

/// A reason with its place in bytes, before the text is looked at again.
#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: PatternErrorKind,
    pub at: usize,
    pub reason: String,
    pub hint: Option<String>,
}

impl Fault {
    pub fn new(at: usize, reason: impl Into<String>) -> Fault {
        Fault { kind: PatternErrorKind::Syntax, at, reason: reason.into(), hint: None }
    }

    pub fn too_complex(at: usize, reason: impl Into<String>) -> Fault {
        Fault { kind: PatternErrorKind::TooComplex, ..Fault::new(at, reason) }
    }

    pub fn too_long(text: &str, what: &str, bytes: usize) -> Fault {
        let reason = format!("{what} has {bytes} bytes, and a pattern at most {}", limits::BYTES);
        Fault { kind: PatternErrorKind::TooLong, ..Fault::new(limits::BYTES.min(text.len()), reason) }
    }

    pub fn hint(self, hint: impl Into<String>) -> Fault {
        Fault { hint: Some(hint.into()), ..self }
    }

    /// The error as the reader of `text` sees it.
    pub fn explain(self, text: &str) -> PatternError {
        let (at, excerpt) = excerpt(text, self.at);
        let known = if self.kind == PatternErrorKind::Syntax { advice(text, self.at) } else { None };
        let hint = known.map(str::to_owned).or(self.hint);
        PatternError { kind: self.kind, reason: self.reason, at, excerpt, hint }
    }
}
