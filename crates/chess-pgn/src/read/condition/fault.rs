//! Why a text is not a condition: a reason and its place in the text come in, lines for people go out.

use std::error::Error;
use std::fmt;

use chess_core::text::excerpt::excerpt;

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    reason: String,
    hint: Option<String>,
    /// The character, from 1, and a line that points at it.
    at: usize,
    excerpt: String,
}

impl Fault {
    /// The reason, at this offset of the text.
    pub fn new(text: &str, at: usize, reason: impl Into<String>) -> Fault {
        let (at, excerpt) = excerpt(text, at);
        Fault { reason: reason.into(), hint: None, at, excerpt }
    }

    /// The same with advice.
    pub fn hint(self, hint: impl Into<String>) -> Fault {
        Fault { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at character {}", self.reason, self.at)?;
        self.excerpt.lines().try_for_each(|line| write!(f, "\n  {line}"))?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n{hint}"))
    }
}

impl Error for Fault {}
