//! Annotated move text: comments, variations and glyphs, each at its place in the game.
//!
//! In go the start of a game and the text of its moves as the author wrote it. That text is what is stored
//! beside the packed game ([`crate::text::read_pgn::PgnGame::annotated`]), so that the words come back exactly; this
//! module finds its parts.
//! * [`Walk`] gives them one after the other and plays every line, to any depth up to [`MAX_DEPTH`]
//! * [`notes`] says what is written at each half-move, [`variations`] gives every variation as a whole game
//! * [`stream`] is what two texts must share to be the same but for layout
//!
//! Clocks and evaluations that are kept apart are put back by [`crate::text::annotations`].
//!
//! A line ends at what cannot be played (a null move, an illegal one), with a reason; what is written behind it
//! still comes out. Time and memory are linear in the text, but for the games of [`variations`] themselves.

use std::borrow::Cow;

use crate::game::recorder::{Mark, Recorder};
use crate::game::start::GameStart;
use crate::game::{Game, GameResult};
use crate::pause::Pauses;
use crate::text::glyphs::{self, glyph, sign};
use crate::text::movetext::{TokenKind, Tokens, Unread, read_thing};

/// How deep variations are played; what is deeper is kept as text alone.
pub const MAX_DEPTH: usize = 4096;

/// A text without NUL bytes, which PostgreSQL cannot store: in comments U+FFFD shows where one was, elsewhere a blank.
pub fn without_nul(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut tokens = Tokens::new(text, 0);
    let mut written = 0;
    while let Some(token) = tokens.next_with_notes() {
        if matches!(token.kind, TokenKind::Comment | TokenKind::LineComment | TokenKind::UnterminatedComment) {
            out.push_str(&text[written..token.at].replace('\0', " "));
            out.push_str(&token.text.replace('\0', "\u{fffd}"));
            written = token.at + token.text.len();
        }
    }
    out.push_str(&text[written..].replace('\0', " "));
    Cow::Owned(out)
}

/// A part of an annotated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A half-move was played.
    Move,
    /// A comment, without its signs.
    Comment(&'a str),
    /// A glyph by its number: `$1`, or `!` for 1, `?` for 2 and so on.
    Glyph(u32),
    /// A variation opens.
    Open,
    /// A variation closes.
    Close,
    /// The result at the end of a line.
    Result(GameResult),
    /// A word or a sign that plays nothing, an escape line, and all words of a line that has come to its end.
    Word(&'a str),
}

/// Why a line ends before its text does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// The half-move that was to be read, counted from 1.
    pub ply: u32,
    /// What stands there.
    pub token: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl std::fmt::Display for LineEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "half-move {}, \"{}\": {}", self.ply, self.token, self.reason)
    }
}

/// A line that is open.
#[derive(Debug)]
struct Line<'s> {
    number: u32,
    parent: u32,
    first_ply: u32,
    /// The place before its last half-move.
    before: Option<Mark<'s>>,
    end: Option<LineEnd>,
    /// Where its parent goes on: the place before the line, what the parent had played from there, and its own place.
    parent_goes_on: Option<(Mark<'s>, Vec<u8>, Mark<'s>)>,
    /// The last comment before it: one within it does not reach beyond it.
    outer_comment: usize,
}

/// The parts of an annotated text, one after the other.
#[derive(Debug)]
pub struct Walk<'s, 'a> {
    tokens: Tokens<'a>,
    recorder: Recorder<'s>,
    lines: Vec<Line<'s>>,
    opened: u32,
    /// How many variations beyond [`MAX_DEPTH`] are open.
    too_deep: u32,
    /// The rest of a word.
    word: (usize, usize),
    /// Whether the rest of the word is signs behind a result, which play nothing.
    behind_result: bool,
    /// The signs that stand behind a move without a blank, from a place up to another.
    glued: (usize, usize),
}

impl<'s, 'a> Walk<'s, 'a> {
    /// Begins with the main line.
    pub fn new(start: &'s GameStart, text: &'a str) -> Walk<'s, 'a> {
        let main = Line {
            number: 0,
            parent: 0,
            first_ply: 1,
            before: None,
            end: None,
            parent_goes_on: None,
            outer_comment: usize::MAX,
        };
        Walk {
            tokens: Tokens::new(text, 0),
            recorder: Recorder::new(start),
            lines: vec![main],
            opened: 0,
            too_deep: 0,
            word: (0, 0),
            behind_result: false,
            glued: (0, 0),
        }
    }

    fn line(&self) -> &Line<'s> {
        self.lines.last().expect("the main line stays open")
    }

    /// The number of the line that the last part belongs to: 0 for the main line, variations from 1 on as they open.
    pub fn number(&self) -> u32 {
        self.line().number
    }

    /// The number of the line that this one varies.
    pub fn parent(&self) -> u32 {
        self.line().parent
    }

    /// The first half-move of the line, counted from the start of the game.
    pub fn first_ply(&self) -> u32 {
        self.line().first_ply
    }

    /// The half-moves from the start of the game to the last one of this line.
    pub fn ply(&self) -> u32 {
        self.recorder.plies()
    }

    /// Why the line has come to its end before its text.
    pub fn line_end(&self) -> Option<&LineEnd> {
        self.line().end.as_ref()
    }

    /// Where in the text reading goes on.
    pub fn at(&self) -> usize {
        if self.word.0 < self.word.1 { self.word.0 } else { self.tokens.at }
    }

    /// The game from its start through this line.
    pub fn game(&self, chess960: bool) -> Game {
        self.recorder.clone().finish(GameResult::Unknown, chess960)
    }

    /// The next part; of a variation that closes, the line is still its own.
    pub fn next_event(&mut self) -> Option<Event<'a>> {
        if self.glued.0 < self.glued.1 {
            if let Some((number, len)) = glyphs::first(&self.tokens.text[self.glued.0..self.glued.1]) {
                self.glued.0 += len;
                return Some(Event::Glyph(number));
            }
            self.glued = (0, 0);
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
                TokenKind::Glyph => match glyph(token.text) {
                    Some(number) => Event::Glyph(number),
                    None => Event::Word(token.text),
                },
            });
        }
    }

    fn open(&mut self) {
        if self.lines.len() > MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        let here = self.recorder.mark();
        let line = self.line();
        let (parent, end) = (line.number, line.end.clone());
        // What varies a half-move that could not be played goes no further than its line.
        let before = line.before.clone().filter(|_| end.is_none()).unwrap_or_else(|| here.clone());
        let moves = self.recorder.go_back(&before);
        self.opened += 1;
        self.lines.push(Line {
            number: self.opened,
            parent,
            first_ply: self.recorder.plies() + 1,
            before: None,
            end,
            parent_goes_on: Some((before, moves, here)),
            outer_comment: self.tokens.comment,
        });
    }

    /// To be called once an [`Event::Close`] has been dealt with.
    fn close(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(line) = self.lines.pop()
            && let Some((before, moves, here)) = line.parent_goes_on
        {
            self.recorder.go_on(&before, &moves, here);
            self.tokens.comment = line.outer_comment;
        }
    }

    /// The first thing of the word; `None` for a move number.
    fn thing(&mut self) -> Option<Event<'a>> {
        let (at, end) = self.word;
        let text = self.tokens.text;
        let word = &text[at..end];
        if std::mem::take(&mut self.behind_result) {
            self.word = (end, end);
            return Some(sign(word).map_or(Event::Word(word), Event::Glyph));
        }
        if self.line().end.is_some() || self.too_deep > 0 {
            self.word = (end, end);
            return Some(Event::Word(word));
        }
        let before = self.recorder.mark();
        let plies = self.recorder.plies();
        let (result, read_to) = match read_thing(&mut self.recorder, text, at, word, self.lines.len() > 1) {
            Ok(read) => read,
            Err(unread) => {
                let in_variation = self.lines.len() > 1;
                if let Some(comment_end) = self.tokens.nested_comment_end(at, in_variation) {
                    self.word = (end, end);
                    self.tokens.at = comment_end;
                    return Some(Event::Comment(&text[at..comment_end - 1]));
                }
                let reason = match unread {
                    Unread::Null => "null moves are not supported",
                    Unread::NotSan => "not a move in standard algebraic notation",
                    Unread::Illegal => "illegal move",
                    Unread::Ambiguous => "ambiguous move",
                };
                let line_end = LineEnd { ply: plies + 1, token: crate::board::fen::quote(word), reason };
                self.lines.last_mut().expect("the main line stays open").end = Some(line_end);
                self.word = (end, end);
                return Some(Event::Word(word));
            }
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
            Some(result) => {
                let rest = &text[self.word.0..end];
                self.behind_result = !rest.is_empty() && !rest.contains(char::is_alphanumeric);
                Some(Event::Result(result))
            }
            None if read.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => None,
            None => Some(sign(read).map_or(Event::Word(read), Event::Glyph)),
        }
    }
}

impl<'a> Walk<'_, 'a> {
    /// Calls `visit` with every part; while it looks at [`Event::Close`] the variation is still open.
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
        // What the text leaves open ends with it.
        while self.lines.len() > 1 {
            self.too_deep = 0;
            visit(&self, Event::Close);
            self.close();
        }
    }
}

/// What is written at a half-move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The line: 0 for the main line, else the number of a variation.
    pub line: u32,
    /// The half-move from the start of the game; the one before the line where the line has none.
    pub ply: u32,
    /// The comments before it: at the start of a line, behind its number or behind a variation. White space is folded.
    pub before: String,
    /// The glyphs, as [`Event::Glyph`].
    pub glyphs: Vec<u32>,
    /// The comments behind it.
    pub after: String,
}

impl Note {
    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.glyphs.is_empty() && self.after.is_empty()
    }
}

fn add(text: &mut String, comment: &str) {
    let mut pauses = Pauses::default();
    for word in comment.split_whitespace() {
        pauses.step();
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

/// What is written in a text, ordered by line and half-move; only where something is.
///
/// # Examples
///
/// ```
/// use chess_core::game::start::GameStart;
/// use chess_core::text::annotated::notes;
///
/// let notes = notes(GameStart::standard(), "{Best by test.} 1. e4! e5 (1... c5 {sharp}) {So} 2. Nf3 $10 {quiet}");
/// let texts: Vec<_> = notes.iter().map(|note| (note.line, note.ply, &*note.before, &*note.after)).collect();
/// assert_eq!(texts, [(0, 1, "Best by test.", ""), (0, 3, "So", "quiet"), (1, 2, "", "sharp")]);
/// assert_eq!((&notes[0].glyphs[..], &notes[1].glyphs[..]), (&[1][..], &[10][..]));
/// ```
pub fn notes(start: &GameStart, text: &str) -> Vec<Note> {
    let mut found = Vec::new();
    // For each open line the half-move that it has come to, and the comments for the next one.
    let mut open = vec![(Note::default(), String::new(), true)];
    let close = |(mut note, before, _): (Note, String, bool), found: &mut Vec<Note>| {
        add(&mut note.after, &before);
        if !note.is_empty() {
            found.push(note);
        }
    };
    Walk::new(start, text).each(|walk, event| {
        let (note, before, comes_next) = open.last_mut().expect("the main line");
        match event {
            Event::Move => {
                let next =
                    Note { line: walk.number(), ply: walk.ply(), before: std::mem::take(before), ..Note::default() };
                let done = std::mem::replace(note, next);
                *comes_next = false;
                if !done.is_empty() {
                    found.push(done);
                }
            }
            Event::Comment(text) => add(if *comes_next { before } else { &mut note.after }, text),
            Event::Glyph(number) => note.glyphs.push(number),
            Event::Open => {
                let note = Note { line: walk.number(), ply: walk.ply(), ..Note::default() };
                open.push((note, String::new(), true));
            }
            Event::Close if open.len() > 1 => {
                close(open.pop().expect("a line that closes"), &mut found);
                if let Some((_, _, comes_next)) = open.last_mut() {
                    *comes_next = true;
                }
            }
            Event::Close | Event::Result(_) | Event::Word(_) => (),
        }
    });
    while let Some(line) = open.pop() {
        close(line, &mut found);
    }
    found.sort_by_key(|note| (note.line, note.ply));
    found
}

/// A variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// From 1 on, as they open.
    pub number: u32,
    /// The line that it varies, 0 for the main line.
    pub parent: u32,
    /// Its first half-move, from the start of the game.
    pub ply: u32,
    /// The game from its start through the variation, with unknown result.
    pub line: Game,
    /// Why it ends before its text.
    pub end: Option<LineEnd>,
}

/// What is held back of variations so that outer ones come before inner ones, in bytes of their games.
const MOST_HELD: usize = 16 << 20;

/// Calls `visit` with each variation in the order of their numbers: each comes before those within it, unless these
/// take more memory than is worth it.
pub fn variations(start: &GameStart, chess960: bool, text: &str, mut visit: impl FnMut(Variation)) {
    // A variation is known when it closes, and those within it have closed before.
    let mut inner: Vec<Variation> = Vec::new();
    let mut held = 0;
    Walk::new(start, text).each(|walk, event| {
        if event == Event::Close && walk.too_deep == 0 && walk.number() > 0 {
            inner.push(Variation {
                number: walk.number(),
                parent: walk.parent(),
                ply: walk.first_ply(),
                line: walk.game(chess960),
                end: walk.line_end().cloned(),
            });
            held += inner.last().map_or(0, |variation| variation.line.as_bytes().len());
            if walk.parent() == 0 || held > MOST_HELD {
                held = 0;
                inner.sort_unstable_by_key(|variation| variation.number);
                inner.drain(..).for_each(&mut visit);
            }
        }
    });
}

/// The main line of an annotated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainLine {
    /// The game, as far as it can be read.
    pub game: Game,
    /// Whether the text says how it ends, be it with `*`.
    pub has_result: bool,
    /// Why it ends before its text.
    pub end: Option<LineEnd>,
}

/// Reads the main line.
pub fn main_line(start: &GameStart, chess960: bool, text: &str) -> MainLine {
    let mut walk = Walk::new(start, text);
    let mut found = None;
    let mut pauses = Pauses::default();
    while let Some(event) = walk.next_event() {
        pauses.step();
        match event {
            Event::Close => walk.close(),
            Event::Result(result) if walk.number() == 0 => found = Some(result),
            _ => (),
        }
    }
    while walk.lines.len() > 1 {
        walk.too_deep = 0;
        walk.close();
    }
    let end = walk.line_end().cloned();
    MainLine { game: walk.recorder.finish(found.unwrap_or_default(), chess960), has_result: found.is_some(), end }
}

/// What two annotated texts must share to be the same but for layout: moves, comments with their white space
/// folded, glyphs, nesting and results, in order.
pub fn stream(start: &GameStart, text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    Walk::new(start, text).each(|walk, event| {
        parts.push(match event {
            Event::Move => {
                let before = walk.line().before.as_ref().expect("a half-move was played");
                format!("{:?}", walk.recorder.last_move(before))
            }
            Event::Comment(comment) => {
                let mut folded = String::from("{");
                add(&mut folded, comment);
                folded
            }
            Event::Glyph(number) => format!("${number}"),
            Event::Open => "(".into(),
            Event::Close => ")".into(),
            Event::Result(result) => result.as_str().into(),
            Event::Word(word) => format!("\"{word}"),
        });
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::movetext;

    fn lines(text: &str) -> Vec<(u32, u32, u32, String, Option<String>)> {
        let mut found = Vec::new();
        variations(GameStart::standard(), false, text, |line| {
            let moves = movetext::write(line.line.view()).unwrap();
            found.push((line.number, line.parent, line.ply, moves, line.end.map(|end| end.to_string())));
        });
        found
    }

    #[test]
    fn variations_of_variations_are_whole_games() {
        let text = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) (2. Nc3) d6) (1... e6) 2. Nf3 (2. f4 exf4 3. Nf3) Nc6 1-0";
        let moves: Vec<_> = lines(text).into_iter().map(|(n, parent, ply, moves, _)| (n, parent, ply, moves)).collect();
        let expected = [
            (1, 0, 2, "1. e4 c5 2. Nf3 d6"),
            (2, 1, 3, "1. e4 c5 2. c3 d5"),
            (3, 1, 3, "1. e4 c5 2. Nc3"),
            (4, 0, 2, "1. e4 e6"),
            (5, 0, 3, "1. e4 e5 2. f4 exf4 3. Nf3"),
        ];
        assert_eq!(moves, expected.map(|(n, parent, ply, moves)| (n, parent, ply, moves.to_string())));
        assert_eq!(
            movetext::write(main_line(GameStart::standard(), false, text).game.view()).unwrap(),
            "1. e4 e5 2. Nf3 Nc6 1-0"
        );
    }

    #[test]
    fn a_line_ends_at_what_cannot_be_played() {
        let text = "(1. d4) 1. e4 (1. c4 -- {threat} 2. Nc3 (2. Nf3)) e5 (1... e9 c5) 2. Nf3 (2. Ke3) Nc6 (2... d6";
        let ends: Vec<_> =
            lines(text).into_iter().map(|(n, _, _, moves, end)| (n, moves, end.unwrap_or_default())).collect();
        let expected = [
            (1, "1. d4", ""),
            (2, "1. c4", "half-move 2, \"--\": null moves are not supported"),
            (3, "1. c4", "half-move 2, \"--\": null moves are not supported"),
            (4, "1. e4", "half-move 2, \"e9\": not a move in standard algebraic notation"),
            (5, "1. e4 e5", "half-move 3, \"Ke3\": illegal move"),
            (6, "1. e4 e5 2. Nf3 d6", ""),
        ];
        assert_eq!(ends, expected.map(|(n, moves, end)| (n, moves.to_string(), end.to_string())));
        let written = notes(GameStart::standard(), text);
        assert_eq!((written.len(), written[0].line, &*written[0].after), (1, 2, "threat"));
    }

    /// As in reading the game, what is glued to the result neither plays nor is another result.
    #[test]
    fn signs_behind_the_result_say_nothing() {
        for (text, signs) in [("1. e4 e5 *[%", "[%"), ("1. e4 e5 1-0]*", "]*"), ("1. e4 e5 0-1}--", "}--")] {
            let main = main_line(GameStart::standard(), false, text);
            assert_eq!((Ok(main.game), main.end), (movetext::read(text), None), "{text}");
            assert_eq!(stream(GameStart::standard(), text).last().unwrap(), &format!("\"{signs}"));
        }
    }

    /// The number `9)` would take the bracket with it, and what follows would be of the variation.
    #[test]
    fn a_variation_ends_at_its_bracket() {
        for text in [
            "1. e4 (1. d4 2..9) e5",
            "1. e4 (1. d4 2) e5",
            "1. e4 (1. d4 ( 2) 9) e5",
            "1. e4 (1. d4 {{b} -- 2. c4 (2. e4)) e5 (1... c5 {x} y}) *",
        ] {
            let main = main_line(GameStart::standard(), false, text);
            assert_eq!(movetext::write(main.game.view()).unwrap(), "1. e4 e5", "{text}");
        }
    }

    #[test]
    fn notes_stand_where_they_are_written() {
        let text = "{a  b\n c} 1. e4!? {x} $14 {y} e5 +- (1... c5?! {s} (1... d5 ) {t}) 2. {u} Nf3 N ; line\n%skip\n d6 $300 $99999999999 *";
        let found: Vec<_> = notes(GameStart::standard(), text)
            .into_iter()
            .map(|n| (n.line, n.ply, n.before, n.glyphs, n.after))
            .collect();
        let note = |line, ply, before: &str, glyphs: &[u32], after: &str| {
            (line, ply, before.to_string(), glyphs.to_vec(), after.to_string())
        };
        assert_eq!(
            found,
            [
                note(0, 1, "a b c", &[5, 14], "x y"),
                note(0, 2, "", &[18], ""),
                note(0, 3, "u", &[146], "line"),
                note(0, 4, "", &[300], ""),
                note(1, 2, "", &[6], "s t"),
            ]
        );
    }

    #[test]
    fn a_stream_is_all_but_layout() {
        let start = GameStart::standard();
        let text = "1.e4! {king's pawn} e5\n(1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2";
        let other = "1. e2-e4 $1 {king's\n pawn } 1... e5 (1... c5 {sharp} 2. Nf3 ) 2. Nf3 $1 1/2-1/2";
        assert_eq!(stream(start, text), stream(start, other));
        for changed in [
            "1.e4 {king's pawn} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2",
            "1.e4! {king's pawn} e5 (1...c5 {sharp}) 2.Nf3$1 1/2",
            "1.e4! {king's  pawn} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1-0",
            "1.e4! {king's pawns} e5 (1...c5 {sharp} 2.Nf3) 2.Nf3$1 1/2",
            "1.e4! {king's pawn} e5 (1...c5 {sharp} 2.Nc3) 2.Nf3$1 1/2",
        ] {
            assert_ne!(stream(start, text), stream(start, changed));
        }
    }

    #[test]
    fn nul_bytes_leave_a_trace_in_comments_alone() {
        assert_eq!(without_nul("1. e4 {\u{e9}\0} \0 e5 ; \0"), "1. e4 {\u{e9}\u{fffd}}   e5 ; \u{fffd}");
        assert!(matches!(without_nul("1. e4 {x}"), Cow::Borrowed("1. e4 {x}")));
    }

    #[test]
    fn depth_and_length_take_their_time_and_no_more() {
        let start = GameStart::standard();
        let deep = |n: usize| format!("1. e4 {} {}", "(1. d4 ".repeat(n), ")".repeat(n));
        let mut count = 0;
        variations(start, false, &deep(1000), |line| {
            count += 1;
            assert_eq!(movetext::write(line.line.view()).unwrap(), "1. d4");
        });
        assert_eq!(count, 1000);
    }
}
