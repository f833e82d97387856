//! PGN move text: text to [`Game`] and back.
//!
//! Reading takes the main line and accepts
//! * leading tags `[FEN "…"]`, `[SetUp "…"]`, `[Variant "…"]` (standard chess or Chess960)
//! * move numbers in any spacing (`1.e4`, `1. e4`, `1 e4`, `2... Nf6`); what they say does not matter
//! * SAN with too much disambiguation, with missing or wrong `+` and `#`, `0-0` for `O-O`,
//!   `e8Q` for `e8=Q`, a trailing `e.p.`
//! * comments `{…}` and `;…`, escape lines `%…`, variations `(…)`, glyphs `$1`, `!?`: all skipped
//! * one result token at the end (`1-0`, `0-1`, `1/2-1/2`, `*`); [`read`] alone also takes the `~` of
//!   an upper bound
//! * no moves at all: a game of 0 half-moves
//!
//! Writing gives one line of canonical SAN: `1. e4 e5 2. Nf3 1-0`. An unknown result is not written.

use std::borrow::Cow;
use std::fmt;

use shakmaty::san::{ParseSanError, San, SanError};
use shakmaty::{Chess, Move, Position};

use crate::board::Board;
use crate::fen::{self, FenError, quote};
use crate::game::{CorruptGame, Game, GameRef, GameResult};
use crate::legality::plain_san;
use crate::pause::Pauses;
use crate::recorder::{GameStart, Recorder, StartError};

/// Why a text is no game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovetextError {
    /// The half-move that was to be read, counted from 1.
    pub ply: u32,
    /// The token that could not be read, shortened.
    pub token: String,
    /// What is wrong with it.
    pub kind: MovetextErrorKind,
}

/// What can be wrong with a move text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MovetextErrorKind {
    /// The token is no move in SAN, nor anything else of move text.
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
    /// A `)` without its `(`.
    UnopenedVariation,
    /// Something follows the result.
    AfterResult,
    /// A tag that is malformed, or not one of FEN, SetUp and Variant.
    Tag,
    /// A Variant tag that names other rules.
    Variant,
    /// A FEN tag that is no FEN.
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
            MovetextErrorKind::UnopenedVariation => write!(f, "half-move {ply}, \"{token}\": no variation is open"),
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

/// What the tags of a game say about its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTags<'a> {
    /// The value of the FEN tag.
    pub fen: Option<Cow<'a, str>>,
    /// The value of the Variant tag.
    pub variant: Option<Cow<'a, str>>,
}

impl<'a> StartTags<'a> {
    /// Takes a tag that bears on the start; false if it does not.
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
        let error = |kind| MovetextError::new(1, fen, kind);
        let board = fen::read(fen).map_err(|reason| error(MovetextErrorKind::Fen(reason)))?;
        let start = GameStart::new(&board).map_err(|reason| error(MovetextErrorKind::Start(reason)))?;
        Ok(Cow::Owned(start))
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
/// use chess_core::movetext;
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
            return read_tokens(&tags, rest, GameResult::ALL);
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
    let inner = text.strip_prefix('[')?.trim_ascii_start();
    let name_len = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|len| *len > 0)?;
    let (name, after) = inner.split_at(name_len);
    let value = after.trim_ascii_start().strip_prefix('"')?;
    let mut unescaped: Option<String> = None;
    let mut chars = value.char_indices();
    while let Some((at, found)) = chars.next() {
        let kept = match found {
            '\n' => return None,
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

/// Reads the moves of a game whose tags have been read.
///
/// # Errors
///
/// [`MovetextError`], naming the half-move and the token.
pub fn read_moves(tags: &StartTags<'_>, text: &str) -> Result<Game, MovetextError> {
    read_tokens(tags, text, GameResult::OF_PGN)
}

/// Reads moves that may end with one of `results`.
fn read_tokens(tags: &StartTags<'_>, text: &str, results: &[GameResult]) -> Result<Game, MovetextError> {
    let chess960 = tags.is_chess960()?;
    let start = tags.start()?;
    let mut recorder = Recorder::new(&start);
    let mut result = None;
    let mut depth = 0u32;
    let mut opened_at = 0;
    let mut tokens = Tokens::new(text, 0);
    while let Some(token) = tokens.next() {
        let error = |kind| MovetextError::new(recorder.plies() + 1, token.text, kind);
        match token.kind {
            TokenKind::UnterminatedComment => return Err(error(MovetextErrorKind::UnterminatedComment)),
            TokenKind::Open => {
                if depth == 0 {
                    opened_at = token.at;
                }
                depth += 1;
            }
            TokenKind::Close if depth == 0 => return Err(error(MovetextErrorKind::UnopenedVariation)),
            TokenKind::Close => depth -= 1,
            TokenKind::Word if depth > 0 => (),
            TokenKind::Word => {
                if result.is_some() {
                    return Err(error(MovetextErrorKind::AfterResult));
                }
                result = results.iter().copied().find(|result| result.as_str() == token.text);
                if result.is_none() {
                    read_word(&mut recorder, token.text)?;
                }
            }
        }
    }
    if depth > 0 {
        let kind = MovetextErrorKind::UnterminatedVariation;
        return Err(MovetextError::new(recorder.plies() + 1, &text[opened_at..], kind));
    }
    Ok(recorder.finish(result.unwrap_or_default(), chess960))
}

/// Reads a move number, or a move number and a move, or a move.
fn read_word(recorder: &mut Recorder<'_>, word: &str) -> Result<(), MovetextError> {
    let error = |recorder: &Recorder<'_>, kind| MovetextError::new(recorder.plies() + 1, word, kind);
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let dots = word[digits..].bytes().take_while(|byte| *byte == b'.').count();
    let is_castling = word.starts_with("0-0");
    let text = if is_castling { word } else { &word[digits + dots..] };
    // The null move of UCI would else pass for a move number.
    if word != "0000" && text.is_empty()
        || (digits + dots == 0 && matches!(text.trim_end_matches(['+', '#', '!', '?']), "e.p." | "ep" | "e.p"))
    {
        return Ok(());
    }
    if word == "0000" || matches!(text, "--" | "Z0" | "@@@@" | "null" | "0000") {
        return Err(error(recorder, MovetextErrorKind::NullMove));
    }
    if digits > 0 && dots == 0 && !is_castling {
        return Err(error(recorder, MovetextErrorKind::NotSan));
    }
    let san = read_san(text).map_err(|_| error(recorder, MovetextErrorKind::NotSan))?;
    let board = |recorder: &Recorder<'_>| Box::new(Board::from_position(recorder.position()));
    let plain = plain_san(recorder.position(), &san).ok_or(());
    let played = plain.or_else(|()| san.to_move(recorder.position())).map_err(|reason| {
        let kind = match reason {
            SanError::AmbiguousSan => MovetextErrorKind::Ambiguous(board(recorder)),
            SanError::IllegalSan => MovetextErrorKind::Illegal(board(recorder)),
        };
        error(recorder, kind)
    })?;
    if recorder.play_legal(played).is_err() {
        return Err(error(recorder, MovetextErrorKind::Illegal(board(recorder))));
    }
    Ok(())
}

/// Reads one move in SAN, in the spellings that the head of this file lists.
pub(crate) fn read_san(word: &str) -> Result<San, ParseSanError> {
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    let word = word.strip_suffix("e.p.").or_else(|| word.strip_suffix("e.p")).unwrap_or(word);
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    let bytes = word.as_bytes();
    match bytes {
        [] => Err(ParseSanError),
        [b'0', ..] => San::from_ascii(word.replace('0', "O").as_bytes()),
        [head @ .., rank @ (b'1' | b'8'), role @ (b'N' | b'B' | b'R' | b'Q')] => {
            San::from_ascii(&[head, &[*rank, b'=', *role]].concat())
        }
        _ => match San::from_ascii(bytes)? {
            San::Put { .. } | San::Null => Err(ParseSanError),
            San::Normal { promotion: Some(shakmaty::Role::Pawn | shakmaty::Role::King), .. } => Err(ParseSanError),
            san => Ok(san),
        },
    }
}

/// What move text is made of; glyphs and complete comments are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A move, a move number, a result, or anything that is none of them.
    Word,
    Open,
    Close,
    UnterminatedComment,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub at: usize,
}

/// Splits move text. Also knows where it stands, for [`crate::pgn`].
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    pub text: &'a str,
    pub at: usize,
    pauses: Pauses,
}

/// The end of the line that `text[at]` is on, without its line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |len| at + len)
}

/// Whether a line starts at `at`.
pub(crate) fn at_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Tokens<'a> {
        Tokens { text, at, pauses: Pauses::default() }
    }

    fn token(&mut self, kind: TokenKind, end: usize) -> Token<'a> {
        let token = Token { kind, text: &self.text[self.at..end], at: self.at };
        self.at = end;
        token
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            self.pauses.step();
            match bytes[self.at] {
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'{' => match self.text[self.at..].find('}') {
                    Some(len) => self.at += len + 1,
                    None => return Some(self.token(TokenKind::UnterminatedComment, bytes.len())),
                },
                b';' => self.at = line_end(self.text, self.at),
                b'%' if at_line_start(self.text, self.at) => self.at = line_end(self.text, self.at),
                b'(' => return Some(self.token(TokenKind::Open, self.at + 1)),
                b')' => return Some(self.token(TokenKind::Close, self.at + 1)),
                b'$' | b'!' | b'?' => {
                    let glyph = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'!' | b'?');
                    self.at += 1 + bytes[self.at + 1..].iter().take_while(|byte| glyph(byte)).count();
                }
                _ => {
                    let ends =
                        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'(' | b')' | b';' | b'$');
                    let len = bytes[self.at..].iter().position(ends).unwrap_or(bytes.len() - self.at);
                    return Some(self.token(TokenKind::Word, self.at + len));
                }
            }
        }
        None
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
    game.decode(|position, played| {
        if position.turn().is_white() {
            out.push_str(&format!("{number}. "));
        } else {
            if first {
                out.push_str(&format!("{number}... "));
            }
            number += 1;
        }
        first = false;
        push_san(out, position, played);
        out.push(' ');
    })
}

/// Appends the canonical SAN of a legal move.
pub fn push_san(out: &mut String, position: &Chess, played: Move) {
    San::from_move(position, played).append_to_string(out);
    let mut after = position.clone();
    after.play_unchecked(played);
    if after.is_check() {
        out.push(if after.legal_moves().is_empty() { '#' } else { '+' });
    }
}
