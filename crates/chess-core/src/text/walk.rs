//! Walks over the parts of an annotated move text: moves, comments, glyphs, variations, results.
//!
//! Takes the start of a game and the text of its moves; [`Walk`] returns the parts in order and plays every line, to any
//! depth up to [`MAX_DEPTH`]. A line ends at a move that cannot be played, with the reason; the words after it are returned
//! as remarks. A variation begins before the move that it replaces, also where that move is the one that ends the line.
//! Null moves are played in variations; packed games cannot hold them, so that the game of such a line ends there. Time and
//! memory are linear in the text.

use crate::board::Board;
use crate::game::recorder::{Mark, Recorder};
use crate::game::slots::Step;
use crate::game::start::GameStart;
use crate::game::{Game, GameResult};
use crate::pause::Pauses;
use crate::text::glyphs::{self, glyph, sign};
use crate::text::outcome::Outcome;
use crate::text::san;
use crate::text::spellings;
use crate::text::tokens::{TokenKind, Tokens};
use crate::text::words::{Unread, goes_on, is_en_passant, is_next_number, is_silent, read_thing, word_end_behind};

/// The maximum depth of variations that are played; moves in deeper ones are words.
pub const MAX_DEPTH: usize = 4096;

/// A part of an annotated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A half-move was played; in a variation it may be a null move.
    Move,
    /// A comment, without its delimiters.
    Comment(&'a str),
    /// A glyph by its number: `$1`, or `!` for 1, `?` for 2 and so on.
    Glyph(u32),
    /// A variation opens.
    Open,
    /// A variation closes.
    Close,
    /// A result of the main line.
    Result(GameResult),
    /// A word that says something else: `resigns`, `[…]`, a result in a variation, a word of a line that has ended.
    Remark(&'a str),
    /// Signs that only separate words or mark a check, `e.p.`, or an escape line.
    Word(&'a str),
}

/// Why a line ends before its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// The half-move that was expected, from 1.
    pub ply: u32,
    /// The token with the error.
    pub token: String,
    /// The error.
    pub reason: &'static str,
}

impl LineEnd {
    fn new(plies: u32, word: &str, reason: &'static str) -> LineEnd {
        LineEnd { ply: plies + 1, token: crate::board::fen::quote(word), reason }
    }
}

impl std::fmt::Display for LineEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "half-move {}, \"{}\": {}", self.ply, self.token, self.reason)
    }
}

/// An open line.
#[derive(Debug)]
pub(super) struct Line<'s> {
    number: u32,
    parent: u32,
    first_ply: u32,
    /// The mark before its last half-move, which a variation replaces.
    pub(super) before: Option<Mark<'s>>,
    end: Option<LineEnd>,
    /// Whether the half-move that ends the line is the last one in it, which a variation replaces.
    at_end: bool,
    /// The mark before its first null move, where its game ends, and why.
    passed: Option<(Mark<'s>, LineEnd)>,
    /// For continuing with the parent: the mark before this line, the parent's moves after it, and the parent's mark.
    parent_goes_on: Option<(Mark<'s>, Vec<u8>, Mark<'s>)>,
    /// The last comment before the line. One inside the line must not extend beyond it.
    outer_comment: usize,
}

/// The rest of the word of a result, unless it is the markup of a page.
#[derive(Debug)]
enum Attached {
    Signs,
    /// An error, as for whoever reads the game.
    Text,
}

/// Iterates over the parts of an annotated text.
#[derive(Debug)]
pub struct Walk<'s, 'a> {
    tokens: Tokens<'a>,
    pub(super) recorder: Recorder<'s>,
    pub(super) lines: Vec<Line<'s>>,
    opened: u32,
    /// The result of the main line, and the end of the first one in the text.
    result: Option<(GameResult, usize)>,
    /// The number of open variations beyond [`MAX_DEPTH`].
    pub(super) too_deep: u32,
    /// The range of the rest of a word.
    word: (usize, usize),
    /// What is attached to a result as the rest of its word.
    attached: Option<Attached>,
    /// The range of signs attached to a move.
    glued: (usize, usize),
}

impl<'s, 'a> Walk<'s, 'a> {
    /// Starts with the main line.
    pub fn new(start: &'s GameStart, text: &'a str) -> Walk<'s, 'a> {
        let main = Line {
            number: 0,
            parent: 0,
            first_ply: 1,
            before: None,
            end: None,
            at_end: false,
            passed: None,
            parent_goes_on: None,
            outer_comment: usize::MAX,
        };
        Walk {
            tokens: Tokens::new(text, 0),
            recorder: Recorder::new(start),
            lines: vec![main],
            opened: 0,
            result: None,
            too_deep: 0,
            word: (0, 0),
            attached: None,
            glued: (0, 0),
        }
    }

    pub(super) fn line(&self) -> &Line<'s> {
        self.lines.last().expect("the main line stays open")
    }

    /// The number of the current line: 0 for the main line; variations are numbered from 1 as they open.
    pub fn number(&self) -> u32 {
        self.line().number
    }

    /// The number of the parent line.
    pub fn parent(&self) -> u32 {
        self.line().parent
    }

    /// The first half-move of the line, numbered as in the game.
    pub fn first_ply(&self) -> u32 {
        self.line().first_ply
    }

    /// The number of half-moves from the start of the game to the last one of this line.
    pub fn ply(&self) -> u32 {
        self.recorder.plies()
    }

    /// The side of the last half-move of this line: 0 is White, 1 Black.
    pub(super) fn turn_before(&self) -> u8 {
        1 - self.recorder.position().turn()
    }

    /// Why the game of the line ends before its text.
    pub fn line_end(&self) -> Option<&LineEnd> {
        let line = self.line();
        line.passed.as_ref().map(|(_, reason)| reason).or(line.end.as_ref())
    }

    /// Whether no move of the current line is read any more.
    pub(super) fn is_over(&self) -> bool {
        self.too_deep > 0 || self.line().end.is_some()
    }

    /// The mark before the last half-move of the line.
    pub(super) fn before(&self) -> &Mark<'s> {
        self.line().before.as_ref().expect("a half-move was played")
    }

    /// The offset of the text that was not read yet.
    pub fn at(&self) -> usize {
        if self.word.0 < self.word.1 { self.word.0 } else { self.tokens.at }
    }

    /// The game up to the last half-move of this line, or up to its first null move.
    pub fn game(&self, chess960: bool) -> Game {
        let mut recorder = self.recorder.clone();
        if let Some((before, _)) = &self.line().passed {
            recorder.go_back(before);
        }
        recorder.finish(GameResult::Unknown, chess960)
    }

    /// The next part. At [`Event::Close`] the current line is still the variation.
    pub fn next_event(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.glued_sign() {
            return Some(event);
        }
        loop {
            if self.word.0 < self.word.1 {
                match self.thing() {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let token = self.tokens.next_with_notes()?;
            return Some(match token.kind {
                TokenKind::Word => {
                    self.word = (token.at, token.at + token.text.len());
                    continue;
                }
                TokenKind::Open => {
                    self.open();
                    Event::Open
                }
                TokenKind::Close if self.too_deep == 0 && self.lines.len() == 1 => Event::Word(token.text),
                TokenKind::Close => Event::Close,
                TokenKind::Comment => Event::Comment(&token.text[1..token.text.len() - 1]),
                TokenKind::LineComment | TokenKind::UnterminatedComment => Event::Comment(&token.text[1..]),
                TokenKind::Escape => Event::Word(token.text),
                TokenKind::Glyph => {
                    match glyph(token.text).or_else(|| glyphs::first(token.text)) {
                        Some((number, len)) => {
                            // other signs can follow
                            self.glued = (token.at + len, token.at + token.text.len());
                            Event::Glyph(number)
                        }
                        None => Event::Remark(token.text),
                    }
                }
            });
        }
    }

    /// The next of the signs attached to a move: a glyph, or others that say something.
    fn glued_sign(&mut self) -> Option<Event<'a>> {
        while self.glued.0 < self.glued.1 {
            let signs = &self.tokens.text[self.glued.0..self.glued.1];
            let glyph = signs.char_indices().find_map(|(from, _)| Some((from, glyphs::at(&signs[from..])?)));
            let (event, len) = match glyph {
                Some((0, (number, len))) => (Some(Event::Glyph(number)), len),
                found => {
                    let others = &signs[..found.map_or(signs.len(), |(from, _)| from)];
                    (Some(Event::Remark(others)).filter(|_| spellings::says_more(others)), others.len())
                }
            };
            self.glued.0 += len;
            if event.is_some() {
                return event;
            }
        }
        None
    }

    fn open(&mut self) {
        if self.lines.len() > MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let here = self.recorder.mark();
        let line = self.line();
        let parent = line.number;
        let (before, end) = match (&line.end, &line.before) {
            (None, Some(before)) => (before.clone(), None),
            (None, None) => (here.clone(), None),
            // The position before a later half-move is unknown: its variations end like their parent.
            (Some(end), _) => (here.clone(), Some(end.clone()).filter(|_| !line.at_end)),
        };
        let passed = line.passed.clone().filter(|(passed, _)| passed.plies() < before.plies());
        let moves = self.recorder.go_back(&before);
        self.opened += 1;
        self.lines.push(Line {
            number: self.opened,
            parent,
            first_ply: self.recorder.plies() + 1,
            before: None,
            end,
            at_end: false,
            passed,
            parent_goes_on: Some((before, moves, here)),
            // One before the line does not reach into it: it would be read again for each of many variations.
            outer_comment: std::mem::replace(&mut self.tokens.comment, usize::MAX),
        });
    }

    /// Continues with the parent. To be called after [`Event::Close`].
    pub(super) fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(line) = self.lines.pop()
            && let Some((before, moves, here)) = line.parent_goes_on
        {
            self.recorder.go_on(&before, &moves, here);
            self.tokens.comment = line.outer_comment;
        }
    }

    /// The first item of the word; `None` for a move number.
    fn thing(&mut self) -> Option<Event<'a>> {
        let (at, end) = self.word;
        let text = self.tokens.text;
        let word = &text[at..end];
        match self.attached.take() {
            Some(Attached::Signs) => {
                self.word = (end, end);
                return Some(sign(word).map_or_else(|| self.word_or_remark(word), Event::Glyph));
            }
            Some(Attached::Text) => return Some(self.end_line(word, "text after the result")),
            None => (),
        }
        let in_variation = self.lines.len() > 1;
        if self.is_over() {
            self.word = (end, end);
            if is_later_move(word) {
                self.lines.last_mut().expect("the main line stays open").at_end = false;
            }
            return Some(self.word_or_remark(word));
        }
        if let Some((known, result_end)) = self.result.filter(|_| !in_variation) {
            if known != GameResult::Unknown || !goes_on(&self.recorder, text, result_end, at) {
                return Some(self.behind_result(known, result_end));
            }
            self.result = None;
        }
        if let Some((comment_end, was_read)) = self.tokens.nested_end_at_brace(at, in_variation) {
            if was_read {
                return Some(self.end_line(word, Unread::NotSan.reason()));
            }
            self.word = (end, end);
            self.tokens.at = comment_end;
            return Some(Event::Comment(&text[at + 1..comment_end.max(at + 2) - 1]));
        }
        let before = self.recorder.mark();
        let plies = self.recorder.plies();
        let (result, read_to) =
            match read_thing(&mut self.recorder, text, at, word, &mut self.tokens.in_numbers, in_variation) {
                Ok(read) => read,
                Err(unread) => return Some(self.unread(unread, before)),
            };
        if read_to > end {
            self.tokens.at = read_to;
        }
        self.word = (read_to.min(end), end);
        let read = &text[at..read_to];
        if self.recorder.plies() > plies {
            self.lines.last_mut().expect("the main line stays open").before = Some(before);
            self.glued = (at + glyphs::glued(read), read_to);
            return Some(Event::Move);
        }
        match result {
            Some(_) if in_variation => Some(Event::Remark(read)),
            Some(result) => {
                self.result = Some((result, spellings::end_of_result(text, read_to)));
                let rest = &text[self.word.0..end];
                self.attached = match rest.contains(char::is_alphanumeric) {
                    true if !rest.starts_with('<') => Some(Attached::Text),
                    false if !rest.is_empty() => Some(Attached::Signs),
                    _ => None,
                };
                Some(Event::Result(result))
            }
            None if is_number(&self.recorder, read, word) && !(in_variation && is_alone(text, at, read_to)) => None,
            None if glyphs::is_run(read) => {
                self.glued = (at, read_to);
                self.glued_sign().or(Some(Event::Word(read)))
            }
            None => Some(sign(read).map_or_else(|| self.word_or_remark(read), Event::Glyph)),
        }
    }

    /// The word behind a known result of the main line: another one, or a remark.
    fn behind_result(&mut self, known: GameResult, result_end: usize) -> Event<'a> {
        let (at, end) = self.word;
        let text = self.tokens.text;
        let remark = || spellings::text_behind_result(text, at).map(|end| (None, end));
        let Some((more, read_to)) = spellings::behind_result(text, at).or_else(remark) else {
            return self.end_line(&text[at..end], "text after the result");
        };
        let word_end = word_end_behind(text, read_to, end);
        self.word = (word_end.min(end), end);
        self.tokens.at = self.tokens.at.max(read_to);
        let more = more.map(Outcome::result);
        let known = more.filter(|_| known == GameResult::Unknown).unwrap_or(known);
        self.result = Some((known, result_end));
        more.map_or_else(|| self.word_or_remark(&text[at..word_end]), Event::Result)
    }

    /// What a word is that is no legal move: the rest of a comment within a comment, a null move of a variation, or the
    /// end of its line. `before` is the place in the game.
    fn unread(&mut self, unread: Unread, before: Mark<'s>) -> Event<'a> {
        let (at, end) = self.word;
        let text = self.tokens.text;
        let word = &text[at..end];
        let in_variation = self.lines.len() > 1;
        if let Some(comment_end) = self.tokens.nested_comment_end(at, in_variation) {
            self.word = (end, end);
            self.tokens.at = comment_end;
            return Event::Comment(&text[at..comment_end - 1]);
        }
        let reason = unread.reason();
        let plies = self.recorder.plies();
        if unread == Unread::Null && in_variation && self.recorder.pass() {
            let line = self.lines.last_mut().expect("the variation");
            line.passed.get_or_insert_with(|| (before.clone(), LineEnd::new(plies, word, reason)));
            line.before = Some(before);
            self.word = (end, end);
            self.glued = (at + word.find(['!', '?']).unwrap_or(word.len()), end);
            return Event::Move;
        }
        self.end_line(word, reason)
    }

    /// Ends the current line at its next half-move, a word that cannot be read.
    fn end_line(&mut self, word: &'a str, reason: &'static str) -> Event<'a> {
        let end = LineEnd::new(self.recorder.plies(), word, reason);
        let line = self.lines.last_mut().expect("the main line stays open");
        (line.end, line.at_end) = (Some(end), true);
        self.word.0 = self.word.1;
        Event::Remark(word)
    }

    /// A word without a meaning for the moves.
    fn word_or_remark(&self, word: &'a str) -> Event<'a> {
        let says = !spellings::said(word).is_empty() && (self.is_over() || !is_en_passant(word));
        if says { Event::Remark(word) } else { Event::Word(word) }
    }

    /// Whether the variation that has just opened is in a line that has ended, or too deep to be read.
    pub(super) fn is_in_ended_line(&self) -> bool {
        self.too_deep > 0 || self.lines.iter().rev().nth(1).is_some_and(|parent| parent.end.is_some())
    }

    /// The last half-move of the line; `None` for a null move.
    pub(super) fn last_step(&self) -> Option<Step> {
        self.recorder.last_step(self.before())
    }

    /// The board after it, with an unknown half-move clock.
    pub(super) fn board(&self) -> Board {
        self.recorder.position().board(self.ply(), 0)
    }

    /// The last half-move of the line in SAN.
    pub(super) fn push_san(&self, out: &mut String) {
        match self.last_step() {
            Some(step) => {
                san::push(out, self.before().position(), step);
                san::push_mark(out, self.recorder.position());
            }
            None => out.push_str(san::NULL_MOVE),
        }
    }
}

/// Whether what was read of a word is a move number. A whole word without a dot is one only where it fits.
fn is_number(recorder: &Recorder<'_>, read: &str, word: &str) -> bool {
    let is_loose = || read == word && !read.contains('.') && !is_next_number(recorder, read);
    read.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && is_silent(read) && !is_loose()
}

/// Whether a number without a dot is all that its brackets hold.
fn is_alone(text: &str, from: usize, to: usize) -> bool {
    text[..from].ends_with('(') && text[to..].starts_with(')') && !text[from..to].contains('.')
}

/// Whether a word after the end of a line may be one of its moves: not a number, a sign, or the result.
fn is_later_move(word: &str) -> bool {
    word.contains(char::is_alphabetic) && !is_en_passant(word)
}

impl<'a> Walk<'_, 'a> {
    /// Calls `visit` with every part. At [`Event::Close`] the current line is still the variation.
    pub fn each(mut self, mut visit: impl FnMut(&Self, Event<'a>)) {
        let mut pauses = Pauses::default();
        while let Some(event) = self.next_event() {
            pauses.step();
            let closes = event == Event::Close;
            visit(&self, event);
            if closes {
                self.close();
            }
        }
        // Lines that the text leaves open end with it.
        while self.lines.len() > 1 {
            self.too_deep = 0;
            visit(&self, Event::Close);
            self.close();
        }
    }
}
