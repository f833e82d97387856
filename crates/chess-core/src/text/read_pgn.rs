//! PGN files: text to games with their tags.
//!
//! Every game of the text is returned, in order, readable or not: one that cannot be read to its end is an
//! error with the moves up to there, and does not affect the next. A game is
//! * a section of tags, blank lines or none, and moves up to a result or the next section of tags
//! * or moves without tags, up to a result
//!
//! Impossible castling rights in a FEN tag are dropped from the game; the tag stays as it is.
//!
//! A blank line and a tag after it end the game even inside an unclosed comment or variation: no game swallows the
//! next. Between games, comments and `%` lines are skipped.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::board::fen::quote;
use crate::game::{Game, GameResult};
use crate::pause::Pauses;
use crate::text::movetext::{
    self, Incomplete, MovetextError, QUOTES, StartTags, TokenKind, Tokens, at_line_start, line_end, read_tag,
    read_tag_otherwise,
};
use crate::text::spellings::{final_result, may_end_game, skip_strays};

/// One game of a PGN text.
#[derive(Clone, Debug)]
pub struct PgnGame<'a> {
    /// Counted from 1.
    pub number: u32,
    /// Where the game starts, in bytes from the start of the text.
    pub offset: usize,
    /// The line where the game starts, counted from 1.
    pub line: u32,
    /// Names and values in the order of the text; a name may occur twice.
    pub tags: Vec<(&'a str, Cow<'a, str>)>,
    /// The whole game; or how much of it can be read, and why no more.
    pub game: Result<Game, Incomplete<PgnError>>,
    /// Whether the text ends within the game: no result follows its moves, and no other game follows.
    pub open_end: bool,
    /// The text of the whole game.
    pub text: &'a str,
    /// The moves of it, with comments and result.
    pub movetext: &'a str,
    /// What is to be kept beside the moves, as its author has written it, if there is more in it than they hold: comments,
    /// variations, glyphs, or a rest that cannot be read. Comments that stand before the tags come first.
    pub annotated: Option<Cow<'a, str>>,
}

/// Why a game of a PGN text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnError {
    /// A line of the tag section is not a tag; shortened.
    Tag(String),
    /// The moves, or a tag about the start position.
    Movetext(MovetextError),
    /// The file ends after the tags, see [`PgnGame::ends_file`].
    EndsInTags,
    /// The file ends before a half-move, without the result that the Result tag states.
    EndsWithoutResult(u32, GameResult),
    /// The file ends right after a word without a blank: the word of a half-move, or the one before it.
    EndsInWord(u32, String),
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnError::Tag(line) => write!(f, "malformed tag: {line}"),
            PgnError::Movetext(error) => error.fmt(f),
            PgnError::EndsInTags => f.write_str("the file ends behind the tags"),
            PgnError::EndsWithoutResult(ply, result) => {
                write!(f, "half-move {ply}: the file ends without the result {} of the Result tag", result.as_str())
            }
            PgnError::EndsInWord(ply, word) => {
                write!(f, "half-move {ply}, \"{word}\": the file ends with this word, which may be cut off")
            }
        }
    }
}

impl std::error::Error for PgnError {}

impl PgnError {
    /// Whether the fault is a premature end of the file.
    pub fn is_end(&self) -> bool {
        matches!(self, PgnError::EndsInTags | PgnError::EndsWithoutResult(..) | PgnError::EndsInWord(..))
    }
}

impl PgnGame<'_> {
    /// Treats this game as the last of a file, which may be truncated. A truncated game is kept and marked as
    /// unreadable from its end on. Signs of truncation: only tags; no result after the moves although the Result tag
    /// states one; no blank or line break after the last word. Earlier games are not treated so, because some programs
    /// write no results after the moves.
    pub fn ends_file(mut self) -> Self {
        let Ok(game) = &self.game else { return self };
        if !self.open_end {
            return self;
        }
        let plies = game.view().ply_count();
        let result = self.tags.iter().find(|(name, _)| *name == "Result").and_then(|(_, value)| tag_result(value));
        let body = self.movetext.trim();
        let reason = match (result, self.movetext.chars().next_back()) {
            _ if body.is_empty() && self.tags.is_empty() => return self,
            _ if body.is_empty() => PgnError::EndsInTags,
            (Some(result), _) => PgnError::EndsWithoutResult(plies + 1, result),
            (None, Some(last)) if !(last.is_whitespace() || last.is_control() || matches!(last, '}' | ')')) => {
                let word = body.rsplit(char::is_whitespace).next().unwrap_or(body);
                PgnError::EndsInWord(plies.max(1), quote(word))
            }
            _ => return self,
        };
        self.annotated = self.annotated.or_else(|| Some(Cow::Borrowed(body)).filter(|body| !body.is_empty()));
        self.game = Err(Incomplete { prefix: Some(game.clone()).filter(|_| plies > 0), reason });
        self
    }
}

/// The result that a Result tag states, including informal spellings: `½-½`, `1/2`, `1 : 0`.
pub fn tag_result(text: &str) -> Option<GameResult> {
    if let Some(result) = GameResult::from_token(text) {
        return Some(result);
    }
    let plain: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    match plain.replace('½', "1/2").replace(':', "-").as_str() {
        "1/2" | "0.5-0.5" => Some(GameResult::Draw),
        plain => GameResult::from_token(plain),
    }
}

/// The games of a PGN text.
///
/// # Examples
///
/// ```
/// use chess_core::text::read_pgn::games;
///
/// let text = "[White \"Fool\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"X\"]\n\n1. Ke3 *\n";
/// let read: Vec<_> = games(text).collect();
/// assert_eq!(read.len(), 2);
/// assert_eq!(read[0].game.as_ref().unwrap().view().ply_count(), 4);
/// assert!(read[1].game.is_err());
/// ```
pub fn games(text: &str) -> Games<'_> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let line_break = if text.contains('\n') { '\n' } else { '\r' };
    Games { text, at, number: 0, line: 1, line_break, counted_to: 0, section: 0 }
}

/// See [`games`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    text: &'a str,
    at: usize,
    number: u32,
    line: u32,
    /// What lines are counted by: CR in a text that has no LF.
    line_break: char,
    counted_to: usize,
    /// The first tag after a blank line that was found behind `at`, so that it is looked for once.
    section: usize,
}

/// The lines of a section of tags that are not tags.
#[derive(Clone, Copy)]
struct Malformed<'a> {
    /// The first of them.
    line: &'a str,
    /// Whether one of them should have said where the game starts.
    hides_start: bool,
}

impl<'a> Iterator for Games<'a> {
    type Item = PgnGame<'a>;

    fn next(&mut self) -> Option<PgnGame<'a>> {
        let preface = self.skip_between_games();
        if self.at == self.text.len() {
            return None;
        }
        let offset = self.at;
        self.line += self.text[self.counted_to..offset].matches(self.line_break).count() as u32;
        self.counted_to = offset;
        self.number += 1;
        let (tags, malformed) = self.read_tags();
        let (movetext, has_result) = self.take_movetext();
        let open_end = !has_result && self.at == self.text.len();
        let mut start = StartTags { possible_rights: true, ..StartTags::default() };
        for (name, value) in &tags {
            start.take(name, value.clone());
        }
        let mut noted = malformed.is_some_and(|malformed| malformed.hides_start);
        let mut read = || movetext::read_moves_noting(&start, movetext, &mut noted);
        let game = match malformed {
            None => read().map_err(|incomplete| incomplete.with_reason(PgnError::Movetext)),
            Some(malformed) => Err(Incomplete {
                // From an unknown start position, the moves would mean other moves.
                prefix: if malformed.hides_start {
                    None
                } else {
                    read().map_or_else(|incomplete| incomplete.prefix, Some).filter(|game| game.view().ply_count() > 0)
                },
                reason: PgnError::Tag(quote(malformed.line)),
            }),
        };
        let text = self.text[offset..self.at].trim_ascii_end();
        let body = movetext.trim();
        let annotated = match (preface.is_empty(), noted) {
            (true, false) => None,
            (true, true) => Some(Cow::Borrowed(body)).filter(|body| !body.is_empty()),
            (false, _) => Some(Cow::Owned(format!("{preface}{body}"))),
        };
        Some(PgnGame { number: self.number, offset, line: self.line, tags, game, open_end, text, movetext, annotated })
    }
}

impl<'a> Games<'a> {
    /// Passes over what stands between games; the comments in it come out, each with a line break.
    fn skip_between_games(&mut self) -> String {
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

    /// Reads tags up to the moves or the next game, including the lines that are not tags.
    fn read_tags(&mut self) -> (Vec<(&'a str, Cow<'a, str>)>, Option<Malformed<'a>>) {
        let mut tags: Vec<(&str, Cow<'_, str>)> = Vec::new();
        // The names of the first so many tags; only blank lines ask for them.
        let (mut names, mut named) = (HashSet::new(), 0);
        let mut malformed: Option<Malformed<'_>> = None;
        // What lies between two tags is read once, however long it is.
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

    /// Consumes the text up to and including the result, or up to the next tags; true if there is a result.
    fn take_movetext(&mut self) -> (&'a str, bool) {
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
                        // The next game may follow the result without a blank.
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
        // Comments, glyphs and variations behind the result are of this game.
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

    /// The first place from `from` on where a blank line precedes a tag, or the end of the text.
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

/// Where the variation ends that opens at `at`, if it does.
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

/// Whether a tag seems to start here: `[Name "`.
pub fn opens_tag(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"[") else { return false };
    let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let after = name[len..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    len > 0 && (after == Some(&b'"') || after.is_some_and(|first| !first.is_ascii()) && is_quoted(&name[len..]))
}

/// Whether a typographic quote comes next.
fn is_quoted(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    QUOTES.iter().any(|quote| text.starts_with(quote.encode_utf8(&mut [0; 4]).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::fen;

    fn plies(text: &str) -> Vec<Option<u32>> {
        games(text).map(|g| g.game.ok().map(|game| game.view().ply_count())).collect()
    }

    #[test]
    fn games_are_told_apart() {
        let tags = "[Event \"a\"]\n[White \"b\"]\n";
        assert_eq!(plies(""), []);
        assert_eq!(plies(" \n; nothing\n% at all\n{ here }\n"), []);
        assert_eq!(plies("1. e4 *\n1. d4 d5 1-0 {ended} *"), [Some(1), Some(2), Some(0)]);
        // Two blank lines before the moves, none before them, none before the next game.
        assert_eq!(
            plies(&format!("{tags}\n\n1. e4 e5 1-0\n{tags}1. d4 *\n\n{tags}\n*\n")),
            [Some(2), Some(1), Some(0)]
        );
        // No result, no moves.
        assert_eq!(plies(&format!("{tags}\n1. e4 e5\n\n{tags}\n\n{tags}\n1. d4 *")), [Some(2), Some(0), Some(1)]);
        let crlf = format!("{tags}\n\n1. e4 e5\n\n{tags}\n1. c4 *\n").replace('\n', "\r\n");
        assert_eq!(plies(&crlf), [Some(2), Some(1)]);
        // A blank line within the tags.
        assert_eq!(games("[Event \"a\"]\n\n[White \"b\"]\n\n1. e4 *").next().unwrap().tags.len(), 2);
    }

    #[test]
    fn a_bad_game_stops_no_other() {
        for bad in ["1. e4 {open", "1. e4 (1. d4", "1. e4 e9", "1. e5", "(", "{", "1. e4 e5 [White \"x\"] x", "[x"] {
            let text =
                format!("[Event \"1\"]\n\n{bad}\n\n[Event \"2\"]\n\n1. e4 {{}} *\n\n[Event \"3\"]\n\n1. d4 d5 1-0\n");
            let read: Vec<_> = games(&text).collect();
            assert_eq!(read.len(), 3, "{bad}");
            assert!(read[0].game.is_err(), "{bad}");
            assert!(read[1].game.is_ok() && read[2].game.is_ok(), "{bad}");
        }
        let read: Vec<_> = games("[Event broken]\n[White \"w\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. d4 *").collect();
        assert_eq!(read[0].game.as_ref().unwrap_err().to_string(), "malformed tag: [Event broken]");
        assert_eq!((read[0].tags.len(), read[1].game.is_ok(), read.len()), (1, true, 2));
    }

    #[test]
    fn a_game_is_kept_up_to_what_cannot_be_read() {
        let cases = [
            ("1. e4 e5 2. Ke3 Nf6 1-0", Some("1. e4 e5"), "half-move 3, \"Ke3\": illegal move in "),
            ("1. e4 -- 2. d4 *", Some("1. e4"), "half-move 2, \"--\": null moves are not supported"),
            ("1. e4 e5 {and so on 1-0", Some("1. e4 e5"), "half-move 3, \"{and so on 1-0\": the comment is"),
            ("1. e4 hello 1-0", Some("1. e4"), "half-move 2, \"hello\": not a move"),
            ("1. Ke3 *", None, "half-move 1, \"Ke3\""),
            ("{", None, "half-move 1, \"{\""),
            ("[Event broken]\n[White \"w\"]\n\n1. e4 1-0", Some("1. e4 1-0"), "malformed tag: [Event broken]"),
            // Without its start, the moves would mean other moves.
            ("[FEN broken]\n\n1. e4 1-0", None, "malformed tag: [FEN broken]"),
            ("[Event broken]\n[Variant x]\n\n1. e4 1-0", None, "malformed tag: [Event broken]"),
            ("[Event broken]\n\n*", None, "malformed tag: [Event broken]"),
        ];
        for (text, moves, reason) in cases {
            let incomplete = games(text).next().unwrap().game.unwrap_err();
            let prefix = incomplete.prefix.as_ref().map(|prefix| movetext::write(prefix.view()).unwrap());
            assert_eq!(prefix.as_deref(), moves, "{text}");
            assert!(incomplete.to_string().starts_with(reason), "{text}: {incomplete}");
        }
    }

    #[test]
    fn a_game_may_begin_on_the_line_of_a_result() {
        let results = [
            "1-0", "1-0 ", "*", "* ", "1/2-1/2", "1/2", "½-½", "1:0", "1 - 0", "0-1.", "{x}1-0", "e5 1-0", "e51-0",
            "1-0 {x}",
        ];
        for result in results {
            let text = format!("[Event \"a\"]\n\n1. e4 {result}[Event \"b\"]\n[White \"w\"]\n\n1. d4 d5 *\n");
            let read: Vec<_> = games(&text).collect();
            assert_eq!(read.len(), 2, "{result}");
            assert!(read.iter().all(|game| game.game.is_ok()), "{result}: {:?}", read[0].game);
            assert_eq!((read[1].tags.len(), read[1].tags[0].1.as_ref()), (2, "b"), "{result}");
        }
    }

    #[test]
    fn a_file_may_be_cut_off() {
        let last = |text: &str| {
            let game = games(text).last().unwrap().ends_file();
            let kept =
                game.game.as_ref().map_or_else(|error| error.prefix.as_ref(), Some).map(|game| game.view().ply_count());
            (kept, game.game.err().map(|error| error.to_string()).unwrap_or_default())
        };
        let tags = "[Event \"a\"]\n\n1. e4\n\n[Event \"b\"]\n[Result \"1-0\"]\n\n";
        let without = "the file ends without the result 1-0 of the Result tag";
        for (text, kept, reason) in [
            ("1. e4 e5 1-0", 2, String::new()),
            ("1. e4 e5 1-0 {good", 0, "half-move 1, \"{good\": the comment is not terminated".into()),
            ("1. e4 e5 2. Nf3", 3, format!("half-move 4: {without}")),
            ("1. e4 e5 2. Nf3\n", 3, format!("half-move 4: {without}")),
            ("1. e4 e5 2. Nf3 {x} (2. f4)\n\n", 3, format!("half-move 4: {without}")),
            ("1. e4 e5 2.", 2, format!("half-move 3: {without}")),
            ("1. e4 e5 1", 2, format!("half-move 3: {without}")),
            ("1. e4 e5 {x", 2, "half-move 3, \"{x\": the comment is not terminated".into()),
            ("1. e4 e5 2. Nf", 2, "half-move 3, \"Nf\": not a move in standard algebraic notation".into()),
            ("", 0, "the file ends behind the tags".into()),
        ] {
            let (found, why) = last(&format!("{tags}{text}"));
            assert_eq!((found.unwrap_or(0), why), (kept, reason), "{text}");
        }
        let word =
            |ply, word| format!("half-move {ply}, \"{word}\": the file ends with this word, which may be cut off");
        for (text, reason) in [
            ("[White \"x\"]\n\n1. e4 e5 2. Nf3", word(3, "Nf3")),
            ("1. e4 e5 2.", word(2, "2.")),
            ("1. e4 e5 ; a comm", word(2, "comm")),
            ("[Result \"?\"]\n\n1. e4 $1", word(1, "$1")),
            ("[White \"x\"]\n[Site \"y\"]\n", "the file ends behind the tags".into()),
            ("1. e4 e5 2. Nf3\n", String::new()),
            ("[White \"x\"]\n\n1. e4 e5 {x}", String::new()),
            ("1. e4 e5 (1... c5)", String::new()),
            ("[Result \"1-0\"]\n\n*", String::new()),
        ] {
            assert_eq!(last(text).1, reason, "{text}");
        }
        // A missing result is accepted in earlier games of a file, and in text that is not a file.
        assert!(games(&format!("{tags}1. d4")).all(|game| game.game.is_ok()));
        let text = format!("{tags}1. d4 d5 2. c4");
        assert_eq!(games(&text).last().unwrap().ends_file().annotated.as_deref(), Some("1. d4 d5 2. c4"));
    }

    #[test]
    fn castling_rights_that_cannot_be_are_left_out() {
        let start = |fen: &str| {
            let text = format!("[FEN \"{fen}\"]\n\n1. e4 *");
            let read = games(&text).next().unwrap();
            assert_eq!(read.tags[0].1, fen);
            read.game.map(|game| fen::write(&game.view().start_board().unwrap())).map_err(|error| error.to_string())
        };
        for (rights, possible) in [
            ("KQkq", "Kkq"),
            ("Kq", "Kq"),
            ("Qq", "q"),
            ("Q", "-"),
            ("HAha", "Kkq"),
            ("ABCDEFGHabcdefgh", "Kkq"),
            ("xyz", "-"),
            ("KQkqx", "Kkq"),
        ] {
            let fen = |rights| format!("r3k2r/8/8/8/8/8/4P3/4K2R w {rights} - 0 1");
            assert_eq!(start(&fen(rights)), Ok(fen(possible)), "{rights}");
            assert_eq!(movetext::read(&format!("[FEN \"{}\"] 1. e4", fen(rights))).is_ok(), rights == possible);
        }
        // Other errors in a FEN are not repaired.
        for fen in ["4k3/8/8/8/8/8/4P3/8 w KQkq - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w KQkq e9 0 1", "8/8 w KQkq"] {
            assert!(start(fen).is_err(), "{fen}");
        }
    }

    /// As files of the old Macintosh have them.
    #[test]
    fn lines_may_end_with_carriage_returns() {
        let text = "[Event \"a\"]\n[White \"open\n[Black \"b\"]\n\n1. e4 ; good (\n1... e5\n% { no move\n2. Nf3 *\n\n\
                    [Event \"b\"]\n\n1. d4 {open\n\n[Event \"c\"]\n\n[Event \"d\"]\n\n% {\n1. c4 c5\n";
        let read = |text: &str| {
            let of = |game: PgnGame<'_>| {
                let tags: Vec<_> = game.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
                (game.line, game.offset, tags, game.game.map(|game| game.view().ply_count()).map_err(|e| e.to_string()))
            };
            games(text).map(of).collect::<Vec<_>>()
        };
        let lines = read(text);
        assert_eq!(lines.iter().map(|game| game.0).collect::<Vec<_>>(), [1, 10, 14, 16]);
        assert_eq!(lines[0].3, Ok(3));
        assert_eq!(read(&text.replace('\n', "\r")), lines);
    }

    #[test]
    fn what_is_written_beside_the_moves_is_kept() {
        let annotated = |text: &str| games(text).next().unwrap().annotated.map(Cow::into_owned);
        for plain in [
            "1. e4 e5 2. Nf3+ d6 1/2-1/2\n",
            "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.O-O Nf6 5.d4 exd4 6.e5 d5 7.exd6 e.p. O-O *",
            "1) e4 e5 2) Nf3 *",
            "1e4 e5 2Nf3 *",
            "1. e2-e4 e7-e5 2. \u{2658}f3 Sc6 *",
            "1. e4 \0 e5 *",
            "*",
            "",
        ] {
            assert_eq!(annotated(&format!("[White \"x\"]\n\n{plain}")), None, "{plain}");
        }
        for text in [
            "1. e4!",
            "1. e4 e5!? 2. Nf3",
            "1. e4 {x}",
            "1. e4 (1. d4)",
            "1. e4 $1",
            "1. e4 ; x",
            "1. e4 +-",
            "1. e4+- e5",
            "1. e4 = e5",
            "1. e4 \u{b1}",
            "1. e4 N",
            "1. e4 e5 2. \u{2658}f3!",
            "1. e4\n% x\ne5",
            "1. e4 e9",
            "1. Ke3 *",
            "1. e4 -- 2. d4",
            "1. e4 1-0 {x}",
        ] {
            assert_eq!(annotated(&format!("[White \"x\"]\n\n{text}\n\n")).as_deref(), Some(text));
        }
        // A tag that is malformed is no part of the moves, unless they may mean others.
        assert_eq!(annotated("[Event broken]\n\n1. e4 1-0"), None);
        assert_eq!(annotated("[Event broken]\n\n1. e4 e9 1-0").as_deref(), Some("1. e4 e9 1-0"));
        assert_eq!(annotated("[FEN broken]\n\n1. e4 1-0").as_deref(), Some("1. e4 1-0"));
        // Comments before the tags, or before moves without tags.
        let before = "% no\n{By me,\n} ; in haste\n[White \"x\"]\n\n1. e4 *";
        assert_eq!(annotated(before).as_deref(), Some("{By me,\n}\n; in haste\n1. e4 *"));
        assert_eq!(annotated("{By me.} 1. e4 *").as_deref(), Some("{By me.}\n1. e4 *"));
        let two: Vec<_> = games("1. e4 {x} * {y}\n\n{z} 1. d4 *").map(|game| game.annotated).collect();
        assert_eq!(two, [Some("1. e4 {x} * {y}\n\n{z}".into()), None]);
        // What stands behind the result is of the game before it, as far as it is closed.
        let behind = |text: &str| games(text).map(|game| game.annotated.map(Cow::into_owned)).collect::<Vec<_>>();
        let text = "1. e4 e5 1-0 $18 (1... c5 (1... e6) {x}) {y}";
        assert_eq!(behind(&format!("{text}\n\n1. d4 *")), [Some(text.into()), None]);
        assert_eq!(behind("1. e4 * (1. d4\n[White \"x\"]\n\n1. c4 *").len(), 3);
        assert_eq!(behind("1. e4 * ) (1. d4 {x\n\n[White \"x\"]\n\n1. c4 *").len(), 3);
    }

    #[test]
    fn tags_and_places() {
        let text = "\u{feff}[Event \"The \\\"Big\\\" one\\\\\"]\n[Site \"un\"escaped\"] [Round \"\"]\n\n1. e4 {[%clk 1:00]\n[%eval 0.1] [Event \"no\"]} e5 *\n\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *";
        let read: Vec<_> = games(text).collect();
        let tags: Vec<_> = read[0].tags.iter().map(|(n, v)| (*n, v.as_ref())).collect();
        assert_eq!(tags, [("Event", "The \"Big\" one\\"), ("Site", "un\"escaped"), ("Round", "")]);
        assert_eq!(read[0].game.as_ref().unwrap().view().ply_count(), 2);
        assert_eq!((read[0].line, read[1].line, read[1].offset), (1, 7, text.find("[FEN").unwrap()));
        assert!(read[1].game.as_ref().unwrap().view().has_custom_start());
        assert!(read[1].text.ends_with("1. e4 *"));
    }
}
