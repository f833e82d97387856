//! The sections of a game in a PGN text: comments before it, its tags, its moves.
//!
//! Advances [`Games`] over each section and returns its contents. Every part of the text is scanned a bounded number of
//! times, so that the time is linear.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::Games;
use crate::game::GameResult;
use crate::pause::Pauses;
use crate::text::lines::{
    at_line_start, before_indent, begins_line, is_blank, line_ahead, line_end, near_line_end, opens_tag,
};
use crate::text::outcome::Outcome;
use crate::text::spellings::{
    self, Next, behind_result, claimed_outcome, end_of_result, final_result, is_first_move, may_begin_moves,
    may_end_game, result_in_brackets, result_in_words, skip_strays, text_behind_result,
};
use crate::text::tags::{ROSTER, begins_tags, begins_two_tags, read_any_tag, read_tag, read_unopened_tag};
use crate::text::tokens::{Token, TokenKind, Tokens};
use crate::text::words::onward;

/// Malformed lines, or parts of lines, in a section of tags.
#[derive(Clone, Copy, Debug)]
pub(super) struct Malformed<'a> {
    /// The first one.
    pub(super) line: &'a str,
    /// Whether one of them may be a tag about the start.
    pub(super) hides_start: bool,
}

impl<'a> Malformed<'a> {
    /// The lines before and one more.
    fn and(before: Option<Malformed<'a>>, line: &'a str) -> Malformed<'a> {
        let name = line.trim_start_matches('[').trim_ascii_start();
        // A number of SetUp says nothing without a FEN.
        // A remark without brackets may begin with these words.
        let is_tag = |rest: &str| line.starts_with('[') || rest.trim_start().starts_with([':', '=', '"']);
        let hides_start = ["FEN", "Variant"].iter().any(|start| name.strip_prefix(start).is_some_and(is_tag))
            || name.contains("FEN \"");
        match before {
            Some(before) => Malformed { hides_start: before.hides_start || hides_start, ..before },
            None => Malformed { line: line.trim_ascii_end(), hides_start },
        }
    }
}

/// The moves of a game.
#[derive(Clone, Debug)]
pub(super) struct Moves<'a> {
    /// The text, with a result.
    pub(super) text: &'a str,
    /// The result.
    pub(super) outcome: Option<Outcome>,
    /// The range in `text` of a last word that may be something else than a result, such as `0-0`, and what it says as one.
    /// It is the result only if `outcome` is known.
    pub(super) last: Option<(Range<usize>, Outcome)>,
}

/// Whether a word is the number of a move, or ends with one.
fn is_number(word: &str) -> bool {
    word.ends_with('.') || !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The most lines of text that are skipped between two tags.
const MAX_LINES: usize = 8;

/// The length of the text at the start of `text` up to the end of its line, if it is no move and a tag follows it without a
/// blank line, and the name of that tag. `whole` says that `text` begins at the start of a line; only then are lines of any length
/// searched for their ends. Elsewhere each game on a long line would search the rest of it, which takes quadratic time.
fn text_before_tag(text: &str, whole: bool) -> Option<(usize, &str)> {
    let line_len = |text: &str| if whole { Some(line_end(text, 0)) } else { near_line_end(text) };
    let len = line_len(text)?;
    let mut at = 0;
    for _ in 0..MAX_LINES {
        let end = at + line_len(&text[at..])?;
        let line = text[at..end].trim_start_matches(is_blank);
        if at > 0
            && let Some((name, ..)) = read_any_tag(line)
        {
            return Some((len, name));
        }
        if line.is_empty() || line.contains('{') || may_begin_moves(line) {
            return None;
        }
        let line_break = if text[end..].starts_with("\r\n") { 2 } else { 1 };
        at = text.get(end + line_break..).map(|_| end + line_break)?;
    }
    None
}

/// Whether the tags at the start of `text` are of another game than `tags`, which begin with the same one: they repeat one
/// more of the roster.
fn repeat_roster(tags: &[(&str, Cow<'_, str>)], mut text: &str) -> bool {
    for _ in 1..ROSTER.len() {
        text = text.trim_ascii_start();
        let Some((name, _, len)) = read_any_tag(text) else { return false };
        if ROSTER[1..].contains(&name) && tags.iter().any(|(known, _)| *known == name) {
            return true;
        }
        text = &text[len..];
    }
    false
}

/// How the moves of a game end.
#[derive(Default)]
struct Ending {
    /// Where the word with the result begins; `None` if there is none.
    result_at: Option<usize>,
    outcome: Option<Outcome>,
    /// As [`Moves::last`], but the place is one in the whole text.
    last: Option<(Range<usize>, Outcome)>,
}

/// What begins with a bracket among the moves.
enum Bracketed {
    /// Tags of the next game.
    Tags,
    /// A tag within a line, up to here: what it says is no result of the game.
    Tag(usize),
}

/// Whether a word of the moves is the beginning of tags, or of one.
#[inline(always)]
fn bracketed(text: &str, token: &Token<'_>) -> Option<Bracketed> {
    // what shows nothing may stand before the bracket
    let may_be = matches!(token.text.as_bytes()[0], b'[' | 0..=b' ' | 0x7f..);
    if may_be { bracketed_apart(text, token) } else { None }
}

#[inline(never)]
fn bracketed_apart(text: &str, token: &Token<'_>) -> Option<Bracketed> {
    let word = token.text.trim_start_matches(is_blank);
    let at = token.at + token.text.len() - word.len();
    if !word.starts_with('[') {
        None
    } else if begins_tags(text, at) {
        Some(Bracketed::Tags)
    } else {
        let rest = line_ahead(&text[at..]);
        let is_within = opens_tag(rest.as_bytes()) && !rest.starts_with("[Event");
        read_tag(rest).filter(|_| is_within).map(|(_, _, len)| Bracketed::Tag(at + len))
    }
}

/// Whether the first move of another game stands at a word that begins a line, `1.`: numbers count up.
#[inline(always)]
fn begins_again(text: &str, token: &Token<'_>) -> bool {
    token.text.starts_with("1.") && begins_line(text, token.at) && is_first_move(text, token.at)
}

/// Returns the outcome that a word of the moves states, the end of the word, and whether the tag states the same. Such a word may
/// also be a move or a sign, so it counts only if the tag agrees, or if nothing follows and no tag says otherwise.
fn claimed_end(text: &str, at: usize, claimed: Option<Outcome>) -> Option<(Outcome, usize, bool)> {
    let (found, end) = claimed_outcome(text, at)?;
    let following = Some(spellings::next(text, end)).filter(|following| *following != Next::More)?;
    // `+-` is a forfeit only if the tag says so, not if White has won.
    let is_claimed = claimed
        .is_some_and(|claimed| claimed.halves() == found.halves() && (claimed.is_forfeit() || !found.is_forfeit()));
    // A result after the word shows that the word is castling.
    let is_unclaimed = following == Next::End && claimed.is_none_or(|claimed| claimed.halves().is_none());
    (is_claimed || is_unclaimed && !found.is_forfeit() && !found.is_plain()).then_some((found, end, is_claimed))
}

/// The tags of a game, as far as they have been read.
#[derive(Default)]
struct Tags<'a> {
    tags: Vec<(&'a str, Cow<'a, str>)>,
    /// The names of the first `named` tags, collected only when a blank line or a comment occurs.
    names: HashSet<&'a str>,
    named: usize,
    malformed: Option<Malformed<'a>>,
    /// Line breaks since the last tag, counted during the scan because the gap may be long.
    line_breaks: u32,
    /// Where the comments since the last tag begin. They belong to the moves if no tag follows.
    gap: Option<usize>,
}

impl<'a> Tags<'a> {
    /// Whether a tag that is separated from those before it belongs to the next game.
    fn belongs_to_next(&mut self, name: &str) -> bool {
        self.names.extend(self.tags[self.named..].iter().map(|(name, _)| *name));
        self.named = self.tags.len();
        name == "Event" || self.names.contains(name)
    }

    fn add_malformed(&mut self, line: &'a str) {
        self.malformed = Some(Malformed::and(self.malformed.take(), line));
    }
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
                    let end = line_end(self.text, self.at).min(self.next_section(self.at));
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

    /// Reads tags and malformed lines up to the moves or the next game. Appends comments between them to `comments`.
    pub(super) fn read_tags(&mut self, comments: &mut String) -> (Vec<(&'a str, Cow<'a, str>)>, Option<Malformed<'a>>) {
        let mut read = Tags::default();
        let mut pauses = Pauses::default();
        loop {
            pauses.step();
            let rest = &self.text[self.at..];
            let goes_on = match rest.bytes().next() {
                Some(byte) if byte.is_ascii_whitespace() => {
                    read.line_breaks = read.line_breaks.saturating_add((char::from(byte) == self.line_break).into());
                    self.at += 1;
                    true
                }
                Some(b'%') if at_line_start(self.text, self.at) => {
                    self.at = line_end(self.text, self.at);
                    true
                }
                Some(b'[') => self.take_tag(&mut read, comments),
                Some(b'{' | b';') if !read.tags.is_empty() => self.pass_comment(&mut read),
                Some(byte) if !byte.is_ascii_graphic() && skip_strays(self.text, self.at) > self.at => {
                    let end = skip_strays(self.text, self.at);
                    let lines = self.text[self.at..end].matches(self.line_break).count();
                    read.line_breaks = read.line_breaks.saturating_add(lines as u32);
                    self.at = end;
                    true
                }
                Some(byte)
                    if byte.is_ascii_alphabetic()
                        && read.gap.is_none()
                        && begins_line(self.text, self.at)
                        && let Some((name, value, len)) = read_unopened_tag(rest) =>
                {
                    read.tags.push((name, value));
                    self.at += len;
                    true
                }
                Some(_) => self.pass_line(&mut read),
                None => false,
            };
            if !goes_on {
                self.at = read.gap.unwrap_or(self.at);
                return (read.tags, read.malformed);
            }
        }
    }

    /// Reads the tag or malformed line that begins with the bracket here; returns whether it belongs to this game.
    fn take_tag(&mut self, read: &mut Tags<'a>, comments: &mut String) -> bool {
        let rest = &self.text[self.at..];
        let apart = std::mem::take(&mut read.line_breaks) > 1 || read.gap.is_some();
        let Some((name, value, len)) = read_any_tag(rest) else {
            if read.gap.is_none() {
                let line = &rest[..line_end(rest, 0)];
                read.add_malformed(line);
                self.at += line.len();
            }
            return read.gap.is_none();
        };
        let is_next = match apart {
            true => read.belongs_to_next(name),
            false => {
                name == "Event"
                    && read.tags.first().is_some_and(|(first, _)| *first == name)
                    && begins_line(self.text, self.at)
                    && repeat_roster(&read.tags, &rest[len..])
            }
        };
        if is_next {
            return false;
        }
        let end = self.at + len;
        if let Some(from) = read.gap.take() {
            self.at = from;
            comments.push_str(&self.skip_between_games());
        }
        read.tags.push((name, value));
        self.at = end;
        true
    }

    /// Skips a comment after tags; returns whether the comment has an end.
    fn pass_comment(&mut self, read: &mut Tags<'a>) -> bool {
        let rest = &self.text[self.at..self.next_section(self.at)];
        let len = match rest.starts_with(';') {
            true => Some(line_end(rest, 0)),
            false => rest.find('}').map(|len| len + 1),
        };
        read.gap.get_or_insert(self.at);
        self.at += len.unwrap_or(0);
        len.is_some()
    }

    /// Skips a line of text if there are tags of this game before and after it; returns whether that is so.
    fn pass_line(&mut self, read: &mut Tags<'a>) -> bool {
        let rest = &self.text[self.at..];
        let may_be = read.gap.is_none() && read.line_breaks < 2 && !(read.tags.is_empty() && read.malformed.is_none());
        let Some((len, next)) = may_be.then(|| text_before_tag(rest, begins_line(self.text, self.at))).flatten() else {
            return false;
        };
        if read.belongs_to_next(next) {
            return false;
        }
        // A line without letters and digits says nothing, so it is not reported as malformed.
        if rest[..len].contains(char::is_alphanumeric) {
            read.add_malformed(&rest[..len]);
        }
        self.at += len;
        read.line_breaks = 0;
        true
    }

    /// Consumes the moves up to and including a result behind which the game does not go on, or up to the next tags.
    /// `claimed` is the result of the tag: what else may be a move or a sign is the result if the tag says the same.
    pub(super) fn take_moves(&mut self, claimed: Option<Outcome>, has_tags: bool) -> Moves<'a> {
        let start = self.at;
        let limit = self.next_section(start);
        let first = limit - self.text[start..limit].trim_start().len();
        let mut known = None;
        loop {
            let from = self.at;
            let Ending { result_at, mut outcome, last } = self.take_to_result(limit, claimed);
            let end = self.at;
            if last.is_none() {
                outcome = outcome.or_else(|| result_in_words(&self.text[from..end]).map(Outcome::of_result));
            }
            known = outcome.filter(|found| known.is_none() || found.halves().is_some()).or(known);
            // A result alone, without tags, is a game; another one after it is the next.
            let has_moves = result_at.is_none_or(|at| at > first);
            let may_be_first = has_tags && from == start;
            let moves = &self.text[start..limit];
            let result_end = end_of_result(moves, end - start);
            let goes_on =
                |at: usize| result_at.is_some() && onward(moves, result_end, at - start, may_be_first).is_some();
            if !self.take_what_follows(limit, outcome.is_some() && (has_tags || has_moves), goes_on) {
                let last = last.map(|(at, found)| (at.start - start..at.end - start, found));
                return Moves { text: &self.text[start..self.at], outcome: known, last };
            }
        }
    }

    /// Consumes the moves up to and including a result, or up to the next game.
    fn take_to_result(&mut self, limit: usize, claimed: Option<Outcome>) -> Ending {
        let mut tokens = Tokens::new(&self.text[..limit], self.at);
        let mut depth = 0u32;
        let mut ending = Ending::default();
        let (mut before, mut moves) = ("", 0u32);
        self.at = limit;
        while let Some(token) = tokens.next() {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::UnterminatedComment => break,
                _ => {
                    match bracketed(self.text, &token) {
                        Some(Bracketed::Tags) => {
                            self.at = token.at;
                            break;
                        }
                        Some(Bracketed::Tag(end)) => tokens.at = end,
                        None if depth > 0 => (),
                        None if moves > 1 && begins_again(tokens.text, &token) => {
                            self.at = token.at;
                            break;
                        }
                        None if may_end_game(token.text) => {
                            if let Some((end, found)) = self.ending(tokens.text, &token, before, claimed) {
                                (self.at, ending) = (end, found);
                                break;
                            }
                        }
                        None => (),
                    }
                    moves += u32::from(depth == 0 && matches!(token.text.as_bytes(), [.., _, b'1'..=b'8']));
                    before = token.text;
                }
            }
        }
        ending
    }

    /// How the game ends with the word that may end it, and where.
    #[cold]
    fn ending(&self, text: &str, token: &Token<'_>, before: &str, claimed: Option<Outcome>) -> Option<(usize, Ending)> {
        // The next game may follow without a space.
        let next = token.text.strip_suffix("[Event");
        let next = next.filter(|word| opens_tag(&self.text.as_bytes()[token.at + word.len()..]));
        let word = next.unwrap_or(token.text);
        let result_at = Some(token.at);
        let found = match GameResult::from_token(word) {
            Some(result) => Some((Outcome::of_result(result), token.at + word.len())),
            None => final_result(text, word, token.at).filter(|_| !word.is_empty()),
        };
        if let Some((found, end)) = found {
            return Some((end, Ending { result_at, outcome: Some(found), last: None }));
        }
        if next.is_some() {
            return Some((token.at + word.len(), Ending::default()));
        }
        let (found, end, is_claimed) = claimed_end(text, token.at, claimed).filter(|_| !is_number(before))?;
        let outcome = Some(found).filter(|_| is_claimed);
        Some((end, Ending { result_at, outcome, last: Some((token.at..end, found)) }))
    }

    /// Consumes what belongs to a game after its moves: comments, glyphs, variations and, behind a result, further ones. Returns
    /// whether the game goes on there.
    fn take_what_follows(&mut self, limit: usize, has_result: bool, goes_on: impl Fn(usize) -> bool) -> bool {
        let mut pauses = Pauses::default();
        while self.at < limit {
            pauses.step();
            let next = self.text.len() - self.text[self.at..].trim_ascii_start().len();
            let end = match self.text.as_bytes().get(next) {
                Some(b'{') => self.text[next..limit].find('}').map(|len| next + len + 1),
                Some(b';') => Some(line_end(self.text, next).min(limit)),
                Some(b'$') => Some(next + 1 + self.text[next + 1..].bytes().take_while(u8::is_ascii_digit).count()),
                Some(b'(') => {
                    let text = &self.text[..limit];
                    result_in_brackets(text, next).map(|(_, end)| end).or_else(|| variation_end(text, next))
                }
                Some(_) if has_result && !goes_on(next) => {
                    let text = &self.text[..limit];
                    behind_result(text, next).map(|(_, end)| end).or_else(|| text_behind_result(text, next))
                }
                _ => None,
            };
            match end {
                Some(end) => self.at = end,
                None => break,
            }
        }
        goes_on(self.at)
    }

    /// The offset, from `from` on, of the next tags that begin a game even in a comment: after a blank line or, in a file
    /// that was appended to another one, a byte order mark; else an Event and one more. The end of the text if there are none.
    fn next_section(&mut self, from: usize) -> usize {
        if self.section <= from {
            let mut brackets = self.text[from..].match_indices('[').map(|(len, _)| from + len);
            let mut pauses = Pauses::default();
            let found = brackets.find(|at| {
                pauses.step();
                let is_joined = self.text[..*at].ends_with('\u{feff}');
                is_joined && self.text[*at..].starts_with("[Event") && opens_tag(&self.text.as_bytes()[*at..])
                    || begins_tags(self.text, *at)
                        && (after_blank_line(self.text, *at)
                            || is_joined
                            || self.text[*at..].starts_with("[Event")
                                && begins_two_tags(&self.text[*at..])
                                && !is_in_comment(self.text.as_bytes(), *at))
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
            _ if matches!(bracketed(text, &token), Some(Bracketed::Tags)) => return None,
            _ => (),
        }
    }
    None
}

/// The most bytes in which the end of a comment is looked for.
const IN_COMMENT: usize = 4096;

/// Whether a comment ends behind `at` before a blank line or another comment begins: it quotes tags.
fn is_in_comment(text: &[u8], at: usize) -> bool {
    let rest = &text[at..text.len().min(at + IN_COMMENT)];
    let is_blank_line = |at: usize, line_break: u8| {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t') || line_break == b'\n' && **byte == b'\r';
        rest[at + 1..].iter().find(|byte| !is_blank(byte)) == Some(&line_break)
    };
    let ends = |(at, byte): &(usize, &u8)| match **byte {
        b'{' | b'}' => true,
        b'\n' | b'\r' => is_blank_line(*at, **byte),
        _ => false,
    };
    rest.iter().enumerate().find(ends).is_some_and(|(_, byte)| *byte == b'}')
}

fn after_blank_line(text: &str, at: usize) -> bool {
    let above = before_indent(text, at);
    if let Some(above) = above.strip_suffix('\n') {
        let above = above.trim_end_matches([' ', '\t', '\r']);
        return above.is_empty() || above.ends_with('\n');
    }
    let above = above.strip_suffix('\r').unwrap_or("x");
    let above = before_indent(above, above.len());
    above.is_empty() || above.ends_with('\r')
}
