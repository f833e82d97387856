//! A game of a PGN text, and the reason why it cannot be read to its end.

use std::borrow::Cow;
use std::fmt;

use crate::board::Board;
use crate::board::fen::quote;
use crate::game::Game;
use crate::game::legality::Position;
use crate::text::error::{Incomplete, MovetextError};
use crate::text::outcome::Outcome;
use crate::text::tags::{StartTags, tag_outcome, value_of};
use crate::text::tree::Tree;

/// One game of a PGN text.
#[derive(Clone, Debug)]
pub struct PgnGame<'a> {
    /// Its number in the text, from 1.
    pub number: u32,
    /// Its offset in the text, in bytes.
    pub offset: usize,
    /// The line of its start, from 1.
    pub line: u32,
    /// Names and values of its tags, in order. Names may be repeated.
    pub tags: Vec<(&'a str, Cow<'a, str>)>,
    /// The game, or its readable beginning with the error; after [`PgnError::Ambiguous`] the whole game.
    pub game: Result<Game, Incomplete<PgnError>>,
    /// The result after the moves, if there is one.
    pub outcome: Option<Outcome>,
    /// Whether the text ends within the game: no result follows its moves, and no other game follows.
    pub open_end: bool,
    /// The text of the whole game.
    pub text: &'a str,
    /// The part of the text with moves, comments and result.
    pub movetext: &'a str,
    /// The original text of the moves, if it has comments, variations, glyphs or unreadable parts. Comments before the tags
    /// come first.
    pub annotated: Option<Cow<'a, str>>,
}

/// Why a game of a PGN text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnError {
    /// This line in the section of tags is not a tag; shortened.
    Tag(String),
    /// The moves, or a tag about the start position.
    Movetext(MovetextError),
    /// A half-move is ambiguous, but its reading `san` alone leads to the end of the game, which is whole; `others` are
    /// ambiguous likewise.
    Ambiguous {
        /// The half-move.
        ply: u32,
        /// Its text.
        token: String,
        /// How it is read.
        san: String,
        /// The number of other ambiguous half-moves.
        others: usize,
    },
    /// The file ends after the tags ([`PgnGame::ends_file`]).
    EndsInTags,
    /// The file ends before a half-move, without the result that the Result tag states.
    EndsWithoutResult(u32, Outcome),
    /// The file ends immediately after a word, which may be truncated: the half-move, or that before it, and the word.
    EndsInWord(u32, String),
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnError::Tag(line) => write!(f, "malformed tag: {line}"),
            PgnError::Movetext(error) => error.fmt(f),
            PgnError::Ambiguous { ply, token, san, others } => {
                write!(
                    f,
                    "half-move {ply}, \"{token}\": ambiguous move, read as {san}, from which alone the game goes on"
                )?;
                match others {
                    0 => Ok(()),
                    _ => write!(f, "; and {others} more"),
                }
            }
            PgnError::EndsInTags => f.write_str("the file ends after the tags"),
            PgnError::EndsWithoutResult(ply, result) => {
                write!(f, "half-move {ply}: the file ends without the result {result} of the Result tag")
            }
            PgnError::EndsInWord(ply, word) => {
                write!(f, "half-move {ply}, \"{word}\": the file ends with this word, which may be cut off")
            }
        }
    }
}

impl std::error::Error for PgnError {}

impl PgnError {
    /// Whether the reason is the end of the file.
    pub fn is_end(&self) -> bool {
        matches!(self, PgnError::EndsInTags | PgnError::EndsWithoutResult(..) | PgnError::EndsInWord(..))
    }
}

/// The tags about the start.
pub(super) fn start_of<'a>(tags: &[(&str, Cow<'a, str>)]) -> StartTags<'a> {
    let mut start = StartTags { forgives: true, ..StartTags::default() };
    for (name, value) in tags {
        start.take(name, value.clone());
    }
    start
}

impl PgnGame<'_> {
    /// The game with its comments, glyphs and variations, and the board before its moves.
    ///
    /// # Errors
    ///
    /// [`MovetextError`] if the tags about the start cannot be read.
    pub fn tree(&self) -> Result<(Board, Tree<'_>), MovetextError> {
        let tags = start_of(&self.tags);
        let (start, chess960) = (tags.start()?, tags.is_chess960()?);
        let text = self.annotated.as_deref().unwrap_or(self.movetext);
        Ok((Position::new(&start).board(0, start.replay.halfmove_clock), Tree::read(&start, chess960, text)))
    }

    /// Treats the game as the last one of a file, which may be truncated. If so, the game is kept, and has an error at
    /// its end. Signs of truncation: only tags; no result after the moves although there is a Result tag; no space or line
    /// break after the last word. Not for other games, because some programs write no results after the moves.
    pub fn ends_file(mut self) -> Self {
        let Ok(game) = &self.game else { return self };
        if !self.open_end {
            return self;
        }
        let plies = game.view().ply_count();
        let result = value_of(&self.tags, "Result").and_then(tag_outcome);
        let body = self.movetext.trim();
        let reason = match (result, self.movetext.chars().next_back()) {
            _ if body.is_empty() && self.tags.is_empty() => return self,
            _ if body.is_empty() => PgnError::EndsInTags,
            (Some(outcome), _) => PgnError::EndsWithoutResult(plies + 1, outcome),
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
