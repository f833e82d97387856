//! PGN move text: text to [`Game`] and back.
//!
//! Reading follows the main line and accepts
//! * leading tags `[FEN "…"]`, `[SetUp "…"]`, `[Variant "…"]` (standard chess or Chess960)
//! * move numbers in any spacing (`1.e4`, `1. e4`, `1 e4`, `2... Nf6`); their values do not matter
//! * SAN in the spellings of [`crate::text::san`], and a trailing `e.p.` as a word of its own; where that is not
//!   a move, what people write otherwise, if exactly one legal move fits (`spellings`)
//! * comments `{…}` and `;…`, escape lines `%…`, variations `(…)`, glyphs `$1`, `!?`: all skipped
//! * one result token at the end (`1-0`, `0-1`, `1/2-1/2`, `*`)
//! * no moves at all: a game of 0 half-moves
//!
//! Writing gives one line of canonical SAN: `1. e4 e5 2. Nf3 1-0`. An unknown result is not written.

use std::borrow::Cow;
use std::fmt;

use crate::board::Board;
use crate::board::fen::{self, FenError, quote};
use crate::game::recorder::Recorder;
use crate::game::slots::Step;
use crate::game::start::{GameStart, StartError};
use crate::game::{CorruptGame, Game, GameRef, GameResult};
use crate::pause::{Pauses, pause};
use crate::text::glyphs;
use crate::text::san::{self, San, SanError};
use crate::text::spellings::{self, Spelled};

/// Why a text is not a game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovetextError {
    /// The half-move being read, counted from 1.
    pub ply: u32,
    /// The token that could not be read, shortened.
    pub token: String,
    /// What is wrong with it.
    pub kind: MovetextErrorKind,
}

/// What can be wrong with a move text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MovetextErrorKind {
    /// The token is neither a move in SAN nor anything else that move text may contain.
    NotSan,
    /// The move is illegal on this board.
    Illegal(Box<Board>),
    /// More than one move of this board is meant.
    Ambiguous(Box<Board>),
    /// A null move: the packed game has none.
    NullMove,
    /// A `{` without its `}`.
    UnterminatedComment,
    /// A `(` without its `)`.
    UnterminatedVariation,
    /// Something follows the result.
    AfterResult,
    /// A tag that is malformed, or not one of FEN, SetUp and Variant.
    Tag,
    /// A Variant tag that names other rules.
    Variant,
    /// A FEN tag whose value is not a FEN.
    Fen(FenError),
    /// No game can start from the FEN tag.
    Start(StartError),
}

impl fmt::Display for MovetextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ply, token) = (self.ply, &self.token);
        match &self.kind {
            MovetextErrorKind::NotSan => {
                write!(f, "half-move {ply}, \"{token}\": not a move in standard algebraic notation")
            }
            MovetextErrorKind::Illegal(board) => {
                write!(f, "half-move {ply}, \"{token}\": illegal move in {}", fen::write(board))
            }
            MovetextErrorKind::Ambiguous(board) => {
                write!(f, "half-move {ply}, \"{token}\": ambiguous move in {}", fen::write(board))
            }
            MovetextErrorKind::NullMove => write!(f, "half-move {ply}, \"{token}\": null moves are not supported"),
            MovetextErrorKind::UnterminatedComment => {
                write!(f, "half-move {ply}, \"{token}\": the comment is not terminated")
            }
            MovetextErrorKind::UnterminatedVariation => {
                write!(f, "half-move {ply}, \"{token}\": the variation is not terminated")
            }
            MovetextErrorKind::AfterResult => write!(f, "half-move {ply}, \"{token}\": text after the result"),
            MovetextErrorKind::Tag => {
                write!(f, "tag {token}: only FEN, SetUp and Variant tags may precede the moves, as [FEN \"...\"]")
            }
            MovetextErrorKind::Variant => {
                write!(f, "variant \"{token}\": only standard chess and Chess960 are supported")
            }
            MovetextErrorKind::Fen(reason) => write!(f, "tag FEN \"{token}\": {reason}"),
            MovetextErrorKind::Start(reason) => write!(f, "tag FEN \"{token}\": {reason}"),
        }
    }
}

impl std::error::Error for MovetextError {}

impl MovetextError {
    fn new(ply: u32, token: &str, kind: MovetextErrorKind) -> MovetextError {
        MovetextError { ply, token: quote(token), kind }
    }
}

/// A game that could not be read to its end: its beginning, and the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete<E = MovetextError> {
    /// The half-moves before the place of the error, all of them legal, with unknown result; none if there are
    /// none.
    pub prefix: Option<Game>,
    /// What is wrong, and where.
    pub reason: E,
}

impl<E: fmt::Display> fmt::Display for Incomplete<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<E: std::error::Error> std::error::Error for Incomplete<E> {}

impl<E> Incomplete<E> {
    pub(crate) fn with_reason<F>(self, reason: impl FnOnce(E) -> F) -> Incomplete<F> {
        Incomplete { prefix: self.prefix, reason: reason(self.reason) }
    }
}

/// What the tags of a game say about its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTags<'a> {
    /// The value of the FEN tag.
    pub fen: Option<Cow<'a, str>>,
    /// The value of the Variant tag.
    pub variant: Option<Cow<'a, str>>,
    /// Whether impossible castling rights in the FEN are dropped; otherwise they are an error.
    pub possible_rights: bool,
}

impl<'a> StartTags<'a> {
    /// Accepts a tag that affects the start; false if it does not.
    pub fn take(&mut self, name: &str, value: Cow<'a, str>) -> bool {
        let place = match name {
            "FEN" => &mut self.fen,
            "Variant" => &mut self.variant,
            "SetUp" => return true,
            _ => return false,
        };
        // An empty value, or "?", is PGN for "not known".
        *place = Some(value).filter(|value| !matches!(value.trim(), "" | "?" | "-"));
        true
    }

    fn is_chess960(&self) -> Result<bool, MovetextError> {
        let Some(variant) = &self.variant else { return Ok(false) };
        let letters: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
        match letters.to_ascii_lowercase().as_str() {
            "chess960" | "fischerandom" | "fischerrandom" | "freestyle" | "freestylechess" => Ok(true),
            "standard" | "chess" | "normal" | "classical" | "fromposition" => Ok(false),
            _ => Err(MovetextError::new(1, variant, MovetextErrorKind::Variant)),
        }
    }

    fn start(&self) -> Result<Cow<'static, GameStart>, MovetextError> {
        let Some(fen) = &self.fen else { return Ok(Cow::Borrowed(GameStart::standard())) };
        let start = fen::read(fen)
            .map_err(MovetextErrorKind::Fen)
            .and_then(|board| GameStart::new(&board).map_err(MovetextErrorKind::Start));
        let start = start.or_else(|kind| {
            let board = self.possible_rights.then(|| GameStart::possible_board(fen)).flatten();
            let start = board.and_then(|board| GameStart::new(&board).ok());
            start.ok_or_else(|| MovetextError::new(1, fen, kind))
        });
        Ok(Cow::Owned(start?))
    }
}

/// Reads a game: optional start tags, then moves.
///
/// # Errors
///
/// [`MovetextError`], naming the half-move and the token.
///
/// # Examples
///
/// ```
/// use chess_core::text::movetext;
///
/// let game = movetext::read("1.f3 e5 {weak} 2. g4?? (2. e4 Nf6) Qh4 0-1")?;
/// assert_eq!(movetext::write(game.view()).unwrap(), "1. f3 e5 2. g4 Qh4# 0-1");
/// assert!(movetext::read("1. e4 e5 2. N").is_err());
/// # Ok::<_, movetext::MovetextError>(())
/// ```
pub fn read(text: &str) -> Result<Game, MovetextError> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tags = StartTags::default();
    loop {
        rest = rest.trim_ascii_start();
        if !rest.starts_with('[') {
            return read_moves(&tags, rest).map_err(|incomplete| incomplete.reason);
        }
        let tag = rest.split_inclusive(']').next().unwrap_or(rest);
        let error = || MovetextError::new(1, tag, MovetextErrorKind::Tag);
        let (name, value, len) = read_tag(rest).ok_or_else(error)?;
        if !tags.take(name, value) {
            return Err(error());
        }
        rest = &rest[len..];
    }
}

/// Reads a tag `[Name "value"]` at the start of `text`: name, value, length.
pub(crate) fn read_tag(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let (name, after) = tag_name(text)?;
    let value = after.trim_ascii_start().strip_prefix('"')?;
    let mut unescaped: Option<String> = None;
    let mut chars = value.char_indices();
    let mut pauses = Pauses::default();
    while let Some((at, found)) = chars.next() {
        pauses.step();
        let kept = match found {
            '\n' => return None,
            // In a file whose lines end so, the next tag.
            '\r' if value[at + 1..].starts_with('[') => return None,
            '"' => {
                let close = value[at + 1..].trim_ascii_start().strip_prefix(']');
                if let Some(after) = close {
                    let value = unescaped.map_or(Cow::Borrowed(&value[..at]), Cow::Owned);
                    return Some((name, value, text.len() - after.len()));
                }
                // A quote that should have been escaped.
                found
            }
            '\\' if value[at + 1..].starts_with(['"', '\\']) => {
                let text = unescaped.get_or_insert_with(|| value[..at].to_string());
                text.extend(chars.next().map(|(_, escaped)| escaped));
                continue;
            }
            _ => found,
        };
        if let Some(text) = &mut unescaped {
            text.push(kept);
        }
    }
    None
}

/// The name of a tag and what follows it.
fn tag_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?.trim_ascii_start();
    let name_len = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|len| *len > 0)?;
    Some(inner.split_at(name_len))
}

/// Reads a tag whose quotes are not those of the standard: typographic ones, or none at the end of the line. What
/// comes out is as from [`read_tag`].
#[cold]
pub(crate) fn read_tag_otherwise(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let (name, after) = tag_name(&text[..line_end(text, 0)])?;
    let value = after.trim_start().strip_prefix(QUOTES)?;
    let start = text.len() - text[line_end(text, 0)..].len() - value.len();
    for (end, _) in value.match_indices(']') {
        if let Some(bare) = value[..end].trim_end().strip_suffix(QUOTES) {
            return Some((name, Cow::Borrowed(bare), start + end + 1));
        }
    }
    // The line up to the bracket or the quote that ends it.
    let line = value.trim_end();
    let inside = line.strip_suffix(']').unwrap_or(line).trim_end();
    let bare = inside.strip_suffix(QUOTES).unwrap_or(inside);
    if bare.contains(['[', ']']) {
        return None;
    }
    Some((name, Cow::Borrowed(bare.trim_end()), start + line.len()))
}

/// What people, and the programs they write with, put around the value of a tag.
pub(crate) const QUOTES: [char; 10] = ['"', '“', '”', '„', '‟', '«', '»', '″', '’', '‘'];

/// Reads the moves of a game whose tags have been read.
///
/// # Errors
///
/// [`Incomplete`]: the half-moves up to the one that cannot be read, and why it cannot.
pub fn read_moves(tags: &StartTags<'_>, text: &str) -> Result<Game, Incomplete> {
    read_moves_noting(tags, text, &mut false)
}

/// The same, and says whether the text has more than the moves of the game: comments, variations, glyphs, words that play
/// nothing, escape lines, a rest that cannot be read. Move numbers and what belongs to a move are nothing more.
///
/// # Errors
///
/// [`Incomplete`], as [`read_moves`].
pub fn read_moves_noting(tags: &StartTags<'_>, text: &str, noted: &mut bool) -> Result<Game, Incomplete> {
    *noted = true;
    let without_moves = |reason| Incomplete { prefix: None, reason };
    let chess960 = tags.is_chess960().map_err(without_moves)?;
    let start = tags.start().map_err(without_moves)?;
    let mut recorder = Recorder::new(&start);
    match record(&mut recorder, text, noted) {
        Ok(result) => Ok(recorder.finish(result, chess960)),
        Err(reason) => {
            let prefix = (recorder.plies() > 0).then(|| recorder.finish(GameResult::Unknown, chess960));
            Err(Incomplete { prefix, reason })
        }
    }
}

/// Whether a text has a `!` or a `?`, which may be glued to a move.
fn has_suffix_glyph(text: &str) -> bool {
    // Blocks of one size without a way out are looked through many bytes at a time.
    let (blocks, rest) = text.as_bytes().as_chunks::<32>();
    let is_suffix = |byte: &u8| u8::from(*byte == b'!') | u8::from(*byte == b'?');
    let in_block = |block: &[u8; 32]| block.iter().fold(0, |found, byte| found | is_suffix(byte)) > 0;
    blocks.iter().any(in_block) || rest.iter().any(|byte| is_suffix(byte) > 0)
}

/// Plays the moves of a text; what it returns is the result.
fn record(recorder: &mut Recorder<'_>, text: &str, noted: &mut bool) -> Result<GameResult, MovetextError> {
    let mut result = None;
    let mut depth = 0u32;
    let mut opened_at = 0;
    // a comment within a variation does not reach beyond it
    let mut outer_comment = usize::MAX;
    let mut tokens = Tokens::new(text, 0);
    while let Some(token) = tokens.next() {
        let error = |kind| MovetextError::new(recorder.plies() + 1, token.text, kind);
        match token.kind {
            TokenKind::UnterminatedComment => return Err(error(MovetextErrorKind::UnterminatedComment)),
            TokenKind::Open => {
                if depth == 0 {
                    opened_at = token.at;
                    outer_comment = tokens.comment;
                }
                depth += 1;
            }
            // A stray bracket, as in "1)", says nothing.
            TokenKind::Close => {
                if depth == 1 {
                    tokens.comment = outer_comment;
                }
                depth = depth.saturating_sub(1);
            }
            TokenKind::Word if depth == 0 => {
                if result.is_some() {
                    return Err(error(MovetextErrorKind::AfterResult));
                }
                match read_word(recorder, token.text) {
                    Ok(found) => result = found,
                    Err(unread) => result = read_otherwise(recorder, &mut tokens, token, unread)?,
                }
            }
            _ => (),
        }
    }
    *noted = tokens.noted || has_suffix_glyph(text);
    if depth > 0 {
        let kind = MovetextErrorKind::UnterminatedVariation;
        return Err(MovetextError::new(recorder.plies() + 1, &text[opened_at..], kind));
    }
    Ok(result.unwrap_or_default())
}

/// Why a word is nothing that the standard knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    NotSan,
    Null,
    Illegal,
    Ambiguous,
}

/// Reads a move number, or a move number and a move, or a move; or a result, which it returns.
#[inline(always)]
fn read_word(recorder: &mut Recorder<'_>, word: &str) -> Result<Option<GameResult>, Unread> {
    let (digits, dots) = number_and_dots(word.as_bytes());
    let text = &word[digits + dots..];
    // Zeros alone would else pass for a move number: castling, or the null move of UCI.
    if text.is_empty() && !matches!(word, "00" | "000" | "0000") {
        return Ok(None);
    }
    let Some(san) = San::read(text).filter(|_| digits == 0 || dots > 0) else {
        if let Some(result) = GameResult::from_token(word) {
            return Ok(Some(result));
        }
        if word == "0000" || text == "0000" || san::is_null_move(text) {
            return Err(Unread::Null);
        }
        return if is_en_passant(word) { Ok(None) } else { Err(Unread::NotSan) };
    };
    let step = san.step(recorder.position()).map_err(|reason| match reason {
        SanError::Ambiguous => Unread::Ambiguous,
        SanError::Illegal => Unread::Illegal,
    })?;
    recorder.play_legal(step);
    Ok(None)
}

/// Reads a word in which the standard has no move, in the spellings that people have for it, and what is glued to
/// it; `tokens` go on behind what is read.
#[cold]
#[inline(never)]
fn read_otherwise(
    recorder: &mut Recorder<'_>,
    tokens: &mut Tokens<'_>,
    token: Token<'_>,
    mut unread: Unread,
) -> Result<Option<GameResult>, MovetextError> {
    let text = tokens.text;
    let word_end = token.at + token.text.len();
    let mut at = token.at;
    let mut pauses = Pauses::default();
    loop {
        pauses.step();
        let rest = &text[at..word_end];
        let plies = recorder.plies();
        match read_unread(recorder, text, at, rest, unread) {
            Ok((found, end)) => {
                // The number of a move, or what no eye sees, says nothing.
                let silent = |found: char| found.is_ascii_digit() || matches!(found, '.' | ')' | '\u{feff}');
                let is_silent = |found: char| silent(found) || found.is_whitespace() || found.is_control();
                let said = &text[at..end];
                tokens.noted |= if recorder.plies() > plies {
                    glyphs::first(&said[glyphs::glued(said)..]).is_some()
                } else {
                    found.is_none() && !said.chars().all(is_silent)
                };
                at = end;
                if found.is_some() {
                    // Behind the result only signs may be glued to it.
                    let rest = text.get(at..word_end).unwrap_or_default();
                    if rest.contains(char::is_alphanumeric) {
                        return Err(MovetextError::new(recorder.plies() + 1, rest, MovetextErrorKind::AfterResult));
                    }
                    tokens.at = at.max(word_end);
                    return Ok(found);
                }
            }
            Err(unread) => {
                // A comment within a comment has ended the outer one too early.
                if let Some(end) = tokens.nested_comment_end(at, false) {
                    tokens.at = end;
                    return Ok(None);
                }
                return Err(refused(recorder, rest, unread));
            }
        }
        if at >= word_end {
            tokens.at = at;
            return Ok(None);
        }
        // What is glued to it. A word is as long as the text may be, so that it is not looked for again.
        match read_word_apart(recorder, &text[at..word_end]) {
            Ok(found) => {
                tokens.at = word_end;
                return Ok(found);
            }
            Err(reason) => unread = reason,
        }
    }
}

/// Reads the first thing of a word, or of what is left of one, in which the standard has no move, and where it ends,
/// with its `!` and `?`.
fn read_unread(
    recorder: &mut Recorder<'_>,
    text: &str,
    at: usize,
    word: &str,
    unread: Unread,
) -> Result<(Option<GameResult>, usize), Unread> {
    if matches!(unread, Unread::Null | Unread::Ambiguous) {
        return Err(unread);
    }
    let (digits, dots) = number_and_dots(word.as_bytes());
    // A number is its own thing, unless it is a result.
    let from = at + if dots > 0 && !word.starts_with("0.5") { digits + dots } else { 0 };
    let (result, end) = match spellings::read(recorder.position(), text, from) {
        Some((Spelled::Move(step), end)) => {
            play_apart(recorder, step);
            (None, end)
        }
        Some((Spelled::Result(found), end)) => (Some(found), end),
        Some((Spelled::Remark, end)) => (None, end),
        Some((Spelled::NoMove(SanError::Illegal), _)) => return Err(Unread::Illegal),
        Some((Spelled::NoMove(SanError::Ambiguous), _)) => return Err(Unread::Ambiguous),
        Some((Spelled::Null, _)) => return Err(Unread::Null),
        None => return Err(unread),
    };
    let word_end = at + word.len();
    let glued = text.get(end..word_end).unwrap_or_default();
    Ok((result, end + glued.len() - glued.trim_start_matches(['!', '?']).len()))
}

/// Reads the next thing of a word, whatever its spelling: plays it if it is a move, and says where it ends. Within a
/// variation nothing reaches beyond the bracket that closes it, as the number `2)` would.
pub(crate) fn read_thing(
    recorder: &mut Recorder<'_>,
    text: &str,
    at: usize,
    word: &str,
    in_variation: bool,
) -> Result<(Option<GameResult>, usize), Unread> {
    match read_word_apart(recorder, word) {
        Ok(result) => Ok((result, at + word.len())),
        Err(unread) => {
            let end = if in_variation { closing_bracket(text, at + word.len()) } else { text.len() };
            read_unread(recorder, &text[..end], at, word, unread)
        }
    }
}

/// Where the first bracket stands that closes what was open at `from`; or as far as anything can reach.
fn closing_bracket(text: &str, from: usize) -> usize {
    let mut depth = 0;
    for (i, byte) in text.as_bytes()[from..].iter().take(spellings::MAX_LEN).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return from + i,
            b')' => depth -= 1,
            _ => (),
        }
    }
    text.floor_char_boundary(from + spellings::MAX_LEN)
}

/// [`read_word`] and [`Recorder::play_legal`] once more, so that the common way keeps its own copies of them.
#[cold]
#[inline(never)]
fn read_word_apart(recorder: &mut Recorder<'_>, word: &str) -> Result<Option<GameResult>, Unread> {
    read_word(recorder, word)
}

#[cold]
#[inline(never)]
fn play_apart(recorder: &mut Recorder<'_>, step: Step) {
    recorder.play_legal(step);
}

/// The error of a word that is nothing, at the place where reading ends.
fn refused(recorder: &Recorder<'_>, word: &str, unread: Unread) -> MovetextError {
    let board = || Box::new(recorder.board());
    let kind = match unread {
        Unread::NotSan => MovetextErrorKind::NotSan,
        Unread::Null => MovetextErrorKind::NullMove,
        Unread::Illegal => MovetextErrorKind::Illegal(board()),
        Unread::Ambiguous => MovetextErrorKind::Ambiguous(board()),
    };
    MovetextError::new(recorder.plies() + 1, word, kind)
}

/// Whether a word says of the move before that it took en passant.
pub(crate) fn is_en_passant(word: &str) -> bool {
    matches!(san::without_marks(word.as_bytes()), b"e.p." | b"ep" | b"e.p")
}

/// How many digits a word begins with, and how many dots follow them; castling may be written with zeros too.
#[inline(always)]
fn number_and_dots(word: &[u8]) -> (usize, usize) {
    if matches!(word, [b'A'..=b'z', ..] | [b'0', b'-', b'0', ..]) {
        return (0, 0);
    }
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits, word[digits..].iter().take_while(|byte| **byte == b'.').count())
}

/// What move text consists of; glyphs and complete comments are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A move, a move number, a result, or anything that is none of them.
    Word,
    Open,
    Close,
    UnterminatedComment,
    /// `{…}`, from [`Tokens::next_with_notes`] alone.
    Comment,
    /// `;…`, likewise.
    LineComment,
    /// `%…`, likewise.
    Escape,
    /// `$1` or `!?`, likewise.
    Glyph,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub at: usize,
}

/// The bytes that a word of move text does not contain.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = (byte as u8).is_ascii_whitespace() || matches!(byte as u8, b'{' | b'(' | b')' | b';' | b'$');
        byte += 1;
    }
    ends
};

/// Splits move text. Also knows where it stands, for [`crate::text::read_pgn`].
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    pub at: usize,
    /// Where the last comment starts; far away if there is none, or it is no longer asked for.
    pub comment: usize,
    /// Whether there was anything but words and closing brackets, or a word that plays nothing.
    noted: bool,
    pauses: Pauses,
}

/// The end of the line that `text[at]` is on, without its line break: LF, CR LF, or CR alone as in old files.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |len| at + len)
}

/// Whether a line starts at `at`.
pub(crate) fn at_line_start(text: &str, at: usize) -> bool {
    at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r')
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Tokens<'a> {
        Tokens { text, at, comment: usize::MAX, noted: false, pauses: Pauses::default() }
    }

    /// Where the last comment ends, if comments within it are closed first and `at` is still inside it. Within a
    /// variation its brackets are not to be taken for words of the comment.
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

    /// The same with comments, escape lines and glyphs, which [`Tokens::next`] passes over.
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
                    self.noted = true;
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

/// Writes a game on one line; a custom start comes first, as its tags.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn write(game: GameRef<'_>) -> Result<String, CorruptGame> {
    let mut out = String::with_capacity(64 + 6 * game.moves().len());
    if game.is_chess960() {
        out.push_str("[Variant \"Chess960\"] ");
    }
    let start = game.start_board()?;
    if game.has_custom_start() {
        out.push_str(&format!("[FEN \"{}\"] ", fen::write(&start)));
    }
    push_moves(&mut out, game, start.fullmove_number)?;
    match game.result() {
        GameResult::Unknown => out.truncate(out.trim_ascii_end().len()),
        result => out.push_str(result.as_str()),
    }
    Ok(out)
}

/// Appends move numbers, from `number` on, and moves, each with a space after it.
pub(crate) fn push_moves(out: &mut String, game: GameRef<'_>, mut number: u32) -> Result<(), CorruptGame> {
    let mut first = true;
    san::each(game, |turn, san| {
        if turn == 0 || first {
            push_number(out, number);
            out.push_str(if turn == 0 { ". " } else { "... " });
        }
        number += u32::from(turn);
        first = false;
        out.push_str(san);
        out.push(' ');
    })
}

fn push_number(out: &mut String, number: u32) {
    if number > 9 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}
