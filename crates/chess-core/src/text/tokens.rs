//! Tokens of move text: takes text; returns words, brackets, comments and glyphs with their offsets, in linear time.

use crate::pause::{Pauses, pause};
pub(crate) use crate::text::lines::{at_line_start, line_end};
use crate::text::spellings::{MAX_LEN, result_in_brackets};

/// The kinds of tokens. [`Tokens::next`] skips complete comments, escape lines and glyphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A move, a move number, a result, or any other word.
    Word,
    Open,
    Close,
    UnterminatedComment,
    /// `{…}`, only from [`Tokens::next_with_notes`].
    Comment,
    /// `;…`, likewise.
    LineComment,
    /// `%…`, likewise.
    Escape,
    /// `$1`, `!?` or `(.)`, likewise.
    Glyph,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub at: usize,
}

/// The bytes that end a word.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = (byte as u8).is_ascii_whitespace() || matches!(byte as u8, b'{' | b'(' | b')' | b';' | b'$');
        byte += 1;
    }
    ends
};

/// Splits move text into tokens, and knows their offsets.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    pub at: usize,
    /// The offset of the last comment; `usize::MAX` if there is none, or it was already examined.
    pub comment: usize,
    /// Whether there was anything other than words and closing brackets, or a word that is an annotation.
    pub noted: bool,
    /// Whether a move of the main line was written in numbers, `5254`.
    pub in_numbers: bool,
    pauses: Pauses,
}

/// Whether what follows a bracket may be a result and another bracket.
fn may_be_result(inside: &[u8]) -> bool {
    let first = inside.iter().find(|byte| **byte != b' ');
    // `½` begins with C2, dashes with E2
    first.is_some_and(|first| matches!(first, b'0' | b'1' | b'*' | b'+' | b'-' | b'=' | 0xc2 | 0xe2))
        && inside.get(..MAX_LEN).unwrap_or(inside).iter().take_while(|byte| **byte != b'(').any(|byte| *byte == b')')
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Tokens<'a> {
        Tokens { text, at, comment: usize::MAX, noted: false, in_numbers: false, pauses: Pauses::default() }
    }

    /// The end of the last comment if comments nest, provided that it is after `at`. In a variation, brackets after `at`
    /// must not become text of the comment.
    #[cold]
    pub(crate) fn nested_comment_end(&mut self, at: usize, in_variation: bool) -> Option<usize> {
        let from = std::mem::replace(&mut self.comment, usize::MAX);
        let comment = self.text.as_bytes().get(from..)?;
        let mut depth = 0u32;
        let mut pauses = Pauses::default();
        for (i, byte) in comment.iter().enumerate() {
            pauses.step();
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'(' | b')' | b';' | b'%' if in_variation && from + i >= at => return None,
                _ => continue,
            }
            if depth == 0 {
                return Some(from + i + 1).filter(|end| *end > at);
            }
        }
        None
    }

    /// At a brace that closes no comment: the end of the last comment if comments nest, and whether words of it were read as if
    /// they stood beside it.
    #[cold]
    pub(crate) fn nested_end_at_brace(&mut self, at: usize, in_variation: bool) -> Option<(usize, bool)> {
        let from = self.comment;
        let end = self.text[at..].starts_with('}').then(|| self.nested_comment_end(at, in_variation)).flatten()?;
        let inside = &self.text[from..at];
        let close = inside.find('}').unwrap_or(inside.len());
        Some((end, inside[close..].contains(char::is_alphabetic)))
    }

    #[inline(always)]
    fn token(&mut self, kind: TokenKind, end: usize) -> Token<'a> {
        let token = Token { kind, text: &self.text[self.at..end], at: self.at };
        self.at = end;
        token
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        self.read::<false>()
    }

    /// The next token, including comments, escape lines and glyphs.
    pub(crate) fn next_with_notes(&mut self) -> Option<Token<'a>> {
        self.read::<true>()
    }

    #[inline(always)]
    fn read<const NOTES: bool>(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            self.pauses.step();
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
                if self.at.is_multiple_of(1 << 16) {
                    pause();
                }
            }
            let first = *bytes.get(self.at)?;
            match first {
                b'{' => match self.text[self.at..].find('}') {
                    Some(len) => {
                        self.noted = true;
                        self.comment = self.at;
                        if NOTES {
                            return Some(self.token(TokenKind::Comment, self.at + len + 1));
                        }
                        self.at += len + 1;
                    }
                    None => return Some(self.token(TokenKind::UnterminatedComment, bytes.len())),
                },
                b';' | b'%' if first == b';' || at_line_start(self.text, self.at) => {
                    let end = line_end(self.text, self.at);
                    self.noted = true;
                    if NOTES {
                        let kind = if first == b';' { TokenKind::LineComment } else { TokenKind::Escape };
                        return Some(self.token(kind, end));
                    }
                    self.at = end;
                }
                b'(' => {
                    if may_be_result(&bytes[self.at + 1..])
                        && let Some((_, end)) = result_in_brackets(self.text, self.at)
                    {
                        return Some(self.token(TokenKind::Word, end));
                    }
                    self.noted = true;
                    // signs in brackets: zugzwang, space, shortage of time
                    if let [_, b'.' | b'_' | b'+', b')', ..] = bytes[self.at..] {
                        if NOTES {
                            return Some(self.token(TokenKind::Glyph, self.at + 3));
                        }
                        self.at += 3;
                        continue;
                    }
                    return Some(self.token(TokenKind::Open, self.at + 1));
                }
                b')' => return Some(self.token(TokenKind::Close, self.at + 1)),
                b'$' | b'!' | b'?' => {
                    self.noted = true;
                    let glyph = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'!' | b'?');
                    let end = self.at + 1 + bytes[self.at + 1..].iter().take_while(|byte| glyph(byte)).count();
                    if NOTES {
                        return Some(self.token(TokenKind::Glyph, end));
                    }
                    self.at = end;
                }
                _ => {
                    let mut end = self.at + 1;
                    while bytes.get(end).is_some_and(|byte| !ENDS_WORD[usize::from(*byte)]) {
                        end += 1;
                    }
                    return Some(self.token(TokenKind::Word, end));
                }
            }
        }
    }
}
