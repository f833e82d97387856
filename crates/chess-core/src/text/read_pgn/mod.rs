//! PGN files: takes a text, returns its games with their tags.
//!
//! Every game is returned, in order. One that cannot be read to its end has an error and the moves before it, and does
//! not affect the next one. A game is
//! * a section of tags, optional blank lines, and moves up to a result or the next section of tags
//! * or moves without tags, up to a result
//!
//! A move that is ambiguous is the one after which alone the game can be read to its end; the game then has both all of its
//! moves and the error [`PgnError::Ambiguous`].
//!
//! What a start can do without is forgiven in a FEN tag, such as impossible castling rights; the tag stays as it is.
//!
//! `0-0` at the end of a game is a result if the Result tag says so, or if there is none and castling is illegal.
//!
//! A blank line followed by a tag ends the game, even inside an open comment or variation, so that no game swallows the
//! next one. Comments before and between tags belong to the game of these tags.
//!
//! [`sections`] finds the tags and the moves of a game.

mod game;
mod sections;

use std::borrow::Cow;
use std::ops::Range;

pub use self::game::{PgnError, PgnGame};
use self::sections::{Malformed, Moves};
use crate::board::fen::quote;
use crate::game::Game;
use crate::text::error::{Incomplete, MovetextError, MovetextErrorKind};
use crate::text::movetext::{self, Understood};
use crate::text::outcome::Outcome;
pub use crate::text::tags::{is_blank, opens_tag, says_nothing, tag_outcome, value_of};

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

/// The iterator returned by [`games`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    text: &'a str,
    at: usize,
    number: u32,
    line: u32,
    /// The character by which lines are counted: CR in a text without LF.
    line_break: char,
    counted_to: usize,
    /// The offset of the next tag after a blank line, cached because many games may precede it.
    section: usize,
}

impl<'a> Iterator for Games<'a> {
    type Item = PgnGame<'a>;

    fn next(&mut self) -> Option<PgnGame<'a>> {
        self.next_unread().map(Unread::read)
    }
}

/// A game whose tags are known and whose moves are not read yet: whoever does not want it saves most of the work.
#[derive(Clone, Debug)]
pub struct Unread<'a> {
    /// As [`PgnGame::number`].
    pub number: u32,
    /// As [`PgnGame::offset`].
    pub offset: usize,
    /// As [`PgnGame::line`].
    pub line: u32,
    /// As [`PgnGame::tags`].
    pub tags: Vec<(&'a str, Cow<'a, str>)>,
    /// As [`PgnGame::text`].
    pub text: &'a str,
    preface: String,
    malformed: Option<Malformed<'a>>,
    moves: Moves<'a>,
    /// Whether the text ends with the game.
    at_end: bool,
}

impl<'a> Games<'a> {
    /// The next game, before its moves are read.
    pub fn next_unread(&mut self) -> Option<Unread<'a>> {
        let mut preface = self.skip_between_games();
        if self.at == self.text.len() {
            return None;
        }
        let offset = self.at;
        self.line += self.text[self.counted_to..offset].matches(self.line_break).count() as u32;
        self.counted_to = offset;
        self.number += 1;
        let (tags, malformed) = self.read_tags(&mut preface);
        let claimed = value_of(&tags, "Result").and_then(tag_outcome);
        let moves = self.take_moves(claimed, !tags.is_empty());
        let text = self.text[offset..self.at].trim_ascii_end();
        let at_end = self.at == self.text.len();
        Some(Unread { number: self.number, offset, line: self.line, tags, text, preface, malformed, moves, at_end })
    }
}

impl<'a> Unread<'a> {
    /// Reads the moves.
    pub fn read(self) -> PgnGame<'a> {
        let Unread { number, offset, line, tags, text, preface, malformed, moves, at_end } = self;
        let Moves { text: movetext, mut outcome, last } = moves;
        let start = game::start_of(&tags);
        // Comments before the tags are part of the text: braces in them can change how the moves are read.
        let written = match preface.as_str() {
            "" => Cow::Borrowed(movetext),
            preface => Cow::Owned(format!("{preface}{movetext}")),
        };
        // The last word of the moves may be a result, but look like a move or a sign: then a plain result takes its place.
        let as_result = |(at, outcome): &(Range<usize>, Outcome)| {
            let (from, to) = (preface.len() + at.start, preface.len() + at.end);
            format!("{}{}{}", &written[..from], outcome.result().as_str(), &written[to..])
        };
        let mut other = last.as_ref().filter(|_| outcome.is_some()).map(as_result);
        let mut read = movetext::read_written(&start, other.as_deref().unwrap_or(&written));
        if let (Some(last), None, Err(error)) = (&last, outcome, &read)
            && matches!(error.reason.kind, MovetextErrorKind::Illegal(_))
        {
            let as_result = as_result(last);
            let again = movetext::read_written(&start, &as_result);
            if again.is_ok() {
                (read, other, outcome) = (again, Some(as_result), Some(last.1));
            }
        }
        let body = other.map_or(written, Cow::Owned);
        let open_end = outcome.is_none() && at_end;
        let hides_start = malformed.is_some_and(|malformed| malformed.hides_start);
        let (mut noted, mut understood) = (true, Vec::new());
        let read = read.map(|written| {
            (noted, understood) = (written.noted || hides_start, written.understood);
            written.game
        });
        let read = match read {
            Ok(game) if tags.is_empty() && outcome.is_none() && game.view().ply_count() == 0 => {
                let reason = MovetextError::new(1, body.trim(), MovetextErrorKind::NotSan);
                Err(Incomplete { prefix: None, reason })
            }
            read => read,
        };
        let game = judged(read, malformed, &understood, &body);
        let body = match body {
            Cow::Borrowed(body) => unambiguous(body, &understood),
            Cow::Owned(body) => Cow::Owned(unambiguous(&body, &understood).into_owned()),
        };
        // A game may have no moves after the comments before it.
        let annotated = Some(body).filter(|body| !body.is_empty() && (noted || !preface.is_empty()));
        PgnGame { number, offset, line, tags, game, outcome, open_end, text, movetext, annotated }
    }
}

/// The game of which the moves were read, or its beginning and why it is no more: a malformed line among its tags, moves that
/// are none, or a move that is only understood from those after it.
fn judged(
    read: Result<Game, Incomplete>,
    malformed: Option<Malformed<'_>>,
    understood: &[Understood],
    body: &str,
) -> Result<Game, Incomplete<PgnError>> {
    let game = match malformed {
        None => read.map_err(|incomplete| incomplete.with_reason(PgnError::Movetext)),
        Some(malformed) => Err(Incomplete {
            // From another start, the moves would mean something else.
            prefix: if malformed.hides_start {
                None
            } else {
                read.map_or_else(|incomplete| incomplete.prefix, Some).filter(|game| game.view().ply_count() > 0)
            },
            reason: PgnError::Tag(quote(malformed.line)),
        }),
    };
    match (game, understood) {
        (Ok(game), [first, others @ ..]) => {
            let reason = PgnError::Ambiguous {
                ply: first.ply,
                token: quote(&body[first.place.clone()]),
                san: first.san.clone(),
                others: others.len(),
            };
            Err(Incomplete { prefix: Some(game), reason })
        }
        (game, _) => game,
    }
}

/// The text of the moves, in which ambiguous ones are spelled as they were understood: whoever reads its comments finds the
/// same moves.
fn unambiguous<'a>(movetext: &'a str, understood: &[Understood]) -> Cow<'a, str> {
    if understood.is_empty() {
        return Cow::Borrowed(movetext.trim());
    }
    let (mut text, mut at) = (String::with_capacity(movetext.len() + 8 * understood.len()), 0);
    for one in understood {
        text.push_str(&movetext[at..one.place.start]);
        if let Some(glyph) = one.glyph {
            text.push_str(&format!("${glyph} "));
        }
        text.push_str(&one.san);
        at = one.place.end;
    }
    text.push_str(&movetext[at..]);
    Cow::Owned(text.trim().to_owned())
}

#[cfg(test)]
mod tests;
