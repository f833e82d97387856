//! The sections of a game in a PGN text: comments before it, its tags, its moves.
//!
//! Advances [`Games`] over each section and returns its contents. Every part of the text is scanned a bounded number of
//! times, so that the time is linear.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Games;
use crate::game::GameResult;
use crate::pause::Pauses;
use crate::text::spellings::{final_result, may_end_game, skip_strays};
use crate::text::tags::{opens_tag, read_tag, read_tag_otherwise};
use crate::text::tokens::{TokenKind, Tokens, at_line_start, line_end};

/// Malformed lines in a section of tags.
#[derive(Clone, Copy)]
pub(super) struct Malformed<'a> {
    /// The first one.
    pub(super) line: &'a str,
    /// Whether one of them may be a tag about the start.
    pub(super) hides_start: bool,
}

impl<'a> Games<'a> {
    /// Skips text between games; returns its comments, each with a line break.
    pub(super) fn skip_between_games(&mut self) -> String {
        let mut comments = String::new();
        let mut pauses = Pauses::default();
        loop {
            pauses.step();
            let rest = &self.text[self.at..];
            let line_comment = rest.starts_with(';') || rest.starts_with('%') && at_line_start(self.text, self.at);
            match rest.bytes().next() {
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(first) if line_comment => {
                    let end = line_end(self.text, self.at);
                    if first == b';' {
                        comments.extend([&self.text[self.at..end], "\n"]);
                    }
                    self.at = end;
                }
                Some(b'{') => {
                    let limit = self.next_section(self.at);
                    match self.text[self.at..limit].find('}') {
                        Some(len) => {
                            let end = self.at + len + 1;
                            comments.extend([&self.text[self.at..end], "\n"]);
                            self.at = end;
                        }
                        None => return comments,
                    }
                }
                Some(byte) if !(byte == b'[' || byte.is_ascii_alphanumeric()) => {
                    let end = skip_strays(self.text, self.at);
                    if end == self.at {
                        return comments;
                    }
                    self.at = end;
                }
                _ => return comments,
            }
        }
    }

    /// Reads tags and malformed lines up to the moves or the next game.
    pub(super) fn read_tags(&mut self) -> (Vec<(&'a str, Cow<'a, str>)>, Option<Malformed<'a>>) {
        let mut tags: Vec<(&str, Cow<'_, str>)> = Vec::new();
        // The names of the first `named` tags, collected only when a blank line occurs.
        let (mut names, mut named) = (HashSet::new(), 0);
        let mut malformed: Option<Malformed<'_>> = None;
        // Counted during the scan, because the gap between two tags may be long.
        let mut line_breaks = 0u32;
        let mut pauses = Pauses::default();
        loop {
            pauses.step();
            let rest = &self.text[self.at..];
            match rest.bytes().next() {
                Some(byte) if byte.is_ascii_whitespace() => {
                    line_breaks = line_breaks.saturating_add((char::from(byte) == self.line_break).into());
                    self.at += 1;
                }
                Some(b'%') if at_line_start(self.text, self.at) => self.at = line_end(self.text, self.at),
                Some(b'[') => {
                    let blank_line = std::mem::take(&mut line_breaks) > 1;
                    match read_tag(rest).or_else(|| read_tag_otherwise(rest)) {
                        Some((name, value, len)) => {
                            if blank_line {
                                names.extend(tags[named..].iter().map(|(name, _)| *name));
                                named = tags.len();
                                if name == "Event" || names.contains(name) {
                                    return (tags, malformed);
                                }
                            }
                            tags.push((name, value));
                            self.at += len;
                        }
                        None => {
                            let line = &self.text[self.at..line_end(self.text, self.at)];
                            let name = line[1..].trim_ascii_start();
                            let hides_start = ["FEN", "SetUp", "Variant"].iter().any(|start| name.starts_with(start));
                            let first = malformed.map_or(line.trim_ascii_end(), |malformed| malformed.line);
                            let hides_start = hides_start || malformed.is_some_and(|malformed| malformed.hides_start);
                            malformed = Some(Malformed { line: first, hides_start });
                            self.at += line.len();
                        }
                    }
                }
                Some(byte) if !byte.is_ascii_graphic() && skip_strays(self.text, self.at) > self.at => {
                    let end = skip_strays(self.text, self.at);
                    let lines = self.text[self.at..end].matches(self.line_break).count();
                    line_breaks = line_breaks.saturating_add(lines as u32);
                    self.at = end;
                }
                _ => return (tags, malformed),
            }
        }
    }

    /// Consumes the moves up to and including a result, or up to the next tags. Returns the text and whether there is a
    /// result.
    pub(super) fn take_movetext(&mut self) -> (&'a str, bool) {
        let start = self.at;
        let limit = self.next_section(start);
        let mut tokens = Tokens::new(&self.text[..limit], start);
        let mut depth = 0u32;
        let mut has_result = false;
        self.at = limit;
        while let Some(token) = tokens.next() {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::UnterminatedComment => break,
                _ => {
                    if at_line_start(self.text, token.at) && opens_tag(&self.text.as_bytes()[token.at..]) {
                        self.at = token.at;
                        break;
                    }
                    if depth == 0 && may_end_game(token.text) {
                        // The next game may follow the result without a space.
                        let next = token.text.strip_suffix("[Event");
                        let next = next.filter(|word| opens_tag(&self.text.as_bytes()[token.at + word.len()..]));
                        let word = next.unwrap_or(token.text);
                        let end = match GameResult::from_token(word) {
                            Some(_) => Some(token.at + word.len()),
                            None => final_result(tokens.text, word, token.at),
                        };
                        if let Some(end) = end {
                            has_result = true;
                            self.at = end;
                            break;
                        }
                    }
                }
            }
        }
        // Comments, glyphs and variations after the result belong to this game.
        while self.at < limit {
            let next = self.text.len() - self.text[self.at..].trim_ascii_start().len();
            let end = match self.text.as_bytes().get(next) {
                Some(b'{') => self.text[next..limit].find('}').map(|len| next + len + 1),
                Some(b';') => Some(line_end(self.text, next)),
                Some(b'$') => Some(next + 1 + self.text[next + 1..].bytes().take_while(u8::is_ascii_digit).count()),
                Some(b'(') => variation_end(&self.text[..limit], next),
                _ => None,
            };
            match end {
                Some(end) => self.at = end,
                None => break,
            }
        }
        (&self.text[start..self.at], has_result)
    }

    /// The offset of the next tag after a blank line, from `from` on, or the end of the text.
    fn next_section(&mut self, from: usize) -> usize {
        if self.section <= from {
            let mut brackets = self.text[from..].match_indices('[').map(|(len, _)| from + len);
            let mut pauses = Pauses::default();
            let found = brackets.find(|at| {
                pauses.step();
                after_blank_line(self.text, *at) && opens_tag(&self.text.as_bytes()[*at..])
            });
            self.section = found.unwrap_or(self.text.len());
        }
        self.section
    }
}

/// The end of the variation that opens at `at`, if it is closed.
fn variation_end(text: &str, at: usize) -> Option<usize> {
    let mut tokens = Tokens::new(text, at);
    let mut depth = 0u32;
    while let Some(token) = tokens.next() {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close if depth == 1 => return Some(tokens.at),
            TokenKind::Close => depth -= 1,
            TokenKind::UnterminatedComment => return None,
            _ if at_line_start(text, token.at) && opens_tag(&text.as_bytes()[token.at..]) => return None,
            _ => (),
        }
    }
    None
}

fn after_blank_line(text: &str, at: usize) -> bool {
    let above = text[..at].trim_end_matches('\u{feff}');
    if let Some(above) = above.strip_suffix('\n') {
        let above = above.trim_end_matches([' ', '\t', '\r']);
        return above.is_empty() || above.ends_with('\n');
    }
    let above = above.strip_suffix('\r').unwrap_or("x").trim_end_matches([' ', '\t']);
    above.is_empty() || above.ends_with('\r')
}
