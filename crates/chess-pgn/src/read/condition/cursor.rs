//! The words of a condition: a text comes in; names, signs and values go out, each with its place.

use std::borrow::Cow;

use super::fault::Fault;

/// A place in a text that is read from left to right.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// What was read so far, as it is written.
    taken: Vec<&'a str>,
}

/// A value, and whether it stands in quotes.
pub struct Value<'a> {
    pub at: usize,
    pub text: Cow<'a, str>,
    pub is_quoted: bool,
}

/// The signs that compare, the longer ones first.
const SIGNS: [&str; 9] = ["<=", ">=", "!=", "<>", "==", "=", "<", ">", "~"];

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, taken: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The offset of the next word.
    pub fn place(&mut self) -> usize {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.at
    }

    /// How many words were read so far.
    pub fn words(&self) -> usize {
        self.taken.len()
    }

    /// The words from one on, with blanks between them.
    pub fn written_from(&self, word: usize) -> String {
        self.taken[word..].join(" ")
    }

    pub fn is_at_end(&mut self) -> bool {
        self.place() == self.text.len()
    }

    /// An error here.
    pub fn fault(&mut self, reason: impl Into<String>) -> Fault {
        let at = self.place();
        self.fault_at(at, reason)
    }

    /// An error at an offset.
    pub fn fault_at(&self, at: usize, reason: impl Into<String>) -> Fault {
        Fault::new(self.text, at, reason)
    }

    /// What stands next, for messages.
    pub fn next_shown(&mut self) -> String {
        self.place();
        match self.rest().split_whitespace().next() {
            None => "the end".to_owned(),
            Some(word) => format!("\"{}\"", word.chars().take(40).collect::<String>()),
        }
    }

    fn take(&mut self, len: usize) -> &'a str {
        let word = &self.rest()[..len];
        self.taken.push(word);
        self.at += len;
        word
    }

    fn name_len(&mut self) -> usize {
        self.place();
        let rest = self.rest();
        let is_of_name = |found: char| found.is_ascii_alphanumeric() || matches!(found, '_' | '.');
        let starts = rest.starts_with(|first: char| first.is_ascii_alphabetic());
        if starts { rest.find(|found| !is_of_name(found)).unwrap_or(rest.len()) } else { 0 }
    }

    /// A name: letters, digits, `_` and `.`.
    pub fn name(&mut self) -> Option<&'a str> {
        let len = self.name_len();
        (len > 0).then(|| self.take(len))
    }

    /// Takes a word of the grammar, in any case, if it is next.
    pub fn keyword(&mut self, word: &str) -> bool {
        let len = self.name_len();
        let found = self.rest()[..len].eq_ignore_ascii_case(word);
        if found {
            self.take(len);
        }
        found
    }

    /// Takes a sign if it is next.
    pub fn sign(&mut self, sign: char) -> bool {
        self.place();
        let found = self.rest().starts_with(sign);
        if found {
            self.take(sign.len_utf8());
        }
        found
    }

    /// Takes a sign that compares.
    pub fn comparison(&mut self) -> Option<&'static str> {
        self.place();
        let found = SIGNS.into_iter().find(|sign| self.rest().starts_with(sign))?;
        self.take(found.len());
        Some(found)
    }

    /// A value: text in quotes, which are doubled inside it, or all up to a blank, a comma or a parenthesis.
    pub fn value(&mut self) -> Result<Value<'a>, Fault> {
        let at = self.place();
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
            let mut close = 1;
            loop {
                match rest[close..].find(quote) {
                    None => return Err(self.fault(format!("the quote {quote} is not closed"))),
                    Some(len) if rest[close + len + 1..].starts_with(quote) => close += len + 2,
                    Some(len) => {
                        close += len;
                        break;
                    }
                }
            }
            let inside = &self.take(close + 1)[1..close];
            let doubled = [quote, quote].iter().collect::<String>();
            let text = match inside.contains(quote) {
                true => Cow::Owned(inside.replace(&doubled, &quote.to_string())),
                false => Cow::Borrowed(inside),
            };
            return Ok(Value { at, text, is_quoted: true });
        }
        let ends = |found: char| found.is_whitespace() || matches!(found, '(' | ')' | ',');
        match rest.find(ends).unwrap_or(rest.len()) {
            0 => {
                let next = self.next_shown();
                Err(self.fault(format!("expected a value, found {next}")))
            }
            len => Ok(Value { at, text: Cow::Borrowed(self.take(len)), is_quoted: false }),
        }
    }
}
