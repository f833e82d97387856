//! Words of move text: takes a word, plays its move, returns a result or why the word cannot be read.
//!
//! Standard notation is on the hot path of every reader. Informal notation, and words with several items attached to each
//! other, are read by separate functions, so that they do not slow it down.

use std::ops::Range;

use crate::game::GameResult;
use crate::game::legality::Position;
use crate::game::recorder::Recorder;
use crate::game::slots::Step;
use crate::pause::Pauses;
use crate::text::error::{MovetextError, MovetextErrorKind};
use crate::text::glyphs;
use crate::text::san::{self, San, SanError};
use crate::text::spellings::{self, Spelled};
use crate::text::tokens::{Token, TokenKind, Tokens};

/// Why a word cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    NotSan,
    Null,
    Illegal,
    Ambiguous,
}

impl Unread {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Unread::Null => "null moves are not supported",
            Unread::NotSan => "not a move in standard algebraic notation",
            Unread::Illegal => "illegal move",
            Unread::Ambiguous => "ambiguous move",
        }
    }
}

/// Reads a move number, a move with or without a number, or a result, which it returns.
#[inline(always)]
pub(crate) fn read_word(recorder: &mut Recorder<'_>, word: &str) -> Result<Option<GameResult>, Unread> {
    let (digits, dots) = number_and_dots(word.as_bytes());
    let text = &word[digits + dots..];
    // Zeros alone are not a move number, but castling or the null move of UCI.
    if text.is_empty() && !matches!(word, "00" | "000" | "0000") {
        return if dots > 0 || is_next_number(recorder, word) { Ok(None) } else { Err(Unread::NotSan) };
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

/// Whether digits are about the number of the next move, counted as in the game or from 1. Others are a move in numbers, or
/// something else, such as the time that a move took.
pub(crate) fn is_next_number(recorder: &Recorder<'_>, digits: &str) -> bool {
    digits.parse().is_ok_and(|number| is_near_next(recorder, number, 1))
}

/// Whether a number differs at most by so much from that of the next move.
fn is_near_next(recorder: &Recorder<'_>, number: u32, most: u32) -> bool {
    [recorder.move_number(), 1 + recorder.plies() / 2].iter().any(|next| number.abs_diff(*next) <= most)
}

/// Whether the moves go on at `at` behind the first result, which ends at `end`: where the game does, behind a `*`, with the
/// number that is next. Whatever else the game has there is an error.
#[cold]
pub(crate) fn goes_on(recorder: &Recorder<'_>, text: &str, end: usize, at: usize) -> bool {
    text[..end].ends_with('*')
        && match onward(text, end, at, recorder.plies() == 0) {
            Some(Onward::Number(number)) => is_near_next(recorder, number, 0),
            Some(Onward::Move) => true,
            None => false,
        }
}

/// What the game goes on with, if it does so behind a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Onward {
    /// With a move that has this number.
    Number(u32),
    /// With a move behind a `*` that is the mark of a footnote.
    Move,
}

/// How a game whose moves begin with the text goes on at `at`, behind its first result, which ends at `end`; `None` if it does
/// not. Whoever cuts a text into games asks here, and so does whoever reads the moves. A `*` may be an ornament before the first
/// move, which `may_be_first` allows, the mark of an adjournment before the next number, or that of a footnote.
#[cold]
pub(crate) fn onward(text: &str, end: usize, at: usize, may_be_first: bool) -> Option<Onward> {
    let at = spellings::skip_strays(text, at);
    match spellings::numbered(text, at) {
        Some((number, is_black)) => {
            let is_first = || may_be_first && number == 1 && text[..end].ends_with('*') && is_first_word(text, end);
            (number > 1 || is_black || is_first()).then_some(Onward::Number(number))
        }
        None => spellings::is_footnote(text, end, at).then_some(Onward::Move),
    }
}

/// The end of what was read of a word, up to `end`, behind a result: signs belong to it, but the number of a move does not.
pub(crate) fn word_end_behind(text: &str, end: usize, word_end: usize) -> usize {
    if text[end..].starts_with(char::is_alphanumeric) { end } else { end.max(word_end) }
}

/// Whether the word that ends at `end` is the first one outside of variations.
fn is_first_word(text: &str, end: usize) -> bool {
    let mut tokens = Tokens::new(text, 0);
    let mut depth = 0u32;
    while let Some(token) = tokens.next() {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ if depth == 0 => return token.at < end && end <= tokens.at,
            _ => (),
        }
    }
    false
}

/// Whether a text has only move numbers and what is invisible: no annotation. A number behind a dot is not of a move.
pub(crate) fn is_silent(text: &str) -> bool {
    let is_of_number = |found: char| found.is_ascii_digit() || matches!(found, '.' | ')' | '\u{feff}');
    let is_decimal = |pair: &[u8]| pair[0] == b'.' && pair[1].is_ascii_digit();
    text.chars().all(|found| is_of_number(found) || found.is_whitespace() || found.is_control())
        && !text.as_bytes().windows(2).any(is_decimal)
}

/// A reading of an ambiguous move: the move, and the range of its text, without and with attached signs.
pub(crate) struct Reading {
    pub step: Step,
    /// The glyph of the first letter, if that is no piece but a remark on the move before.
    pub glyph: Option<u32>,
    pub place: Range<usize>,
    pub end: usize,
}

/// The readings of the ambiguous move at `at`.
pub(crate) fn readings(position: &Position<'_>, text: &str, at: usize) -> Option<Vec<Reading>> {
    let word = Tokens::new(text, at).next()?.text;
    let (digits, dots) = number_and_dots(word.as_bytes());
    let from = at + digits + dots;
    let reading = |glyph, step, end| {
        let place = from..from + glyphs::glued(&text[from..end]);
        Reading { step, glyph, place, end }
    };
    if let Some(san) = San::read(&word[digits + dots..]) {
        return Some(san.steps(position).into_iter().map(|step| reading(None, step, at + word.len())).collect());
    }
    let (steps, end) = spellings::steps(position, text, from)?;
    let remark = spellings::behind_remark(position, text, from);
    let behind = remark.map(|(glyph, step, end)| reading(Some(glyph), step, end));
    Some(steps.into_iter().map(|step| reading(None, step, end)).chain(behind).collect())
}

/// Reads a word that is not standard notation, by informal spellings, with everything attached to it. `tokens` continue
/// after the text that was read, and after an error at the item with the error.
#[cold]
#[inline(never)]
pub(crate) fn read_otherwise(
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
        if let Some((end, was_read)) = tokens.nested_end_at_brace(at, false) {
            tokens.at = if was_read { at } else { end };
            return if was_read { Err(refused(recorder, rest, Unread::NotSan)) } else { Ok(None) };
        }
        match read_unread(recorder, text, at, rest, unread, &mut tokens.in_numbers) {
            Ok((found, end)) => {
                let said = &text[at..end];
                tokens.noted |= if recorder.plies() > plies {
                    let signs = &said[glyphs::glued(said)..];
                    !signs.is_ascii() || glyphs::first(signs).is_some() || spellings::says_more(signs)
                } else {
                    let is_number = said == token.text && said.bytes().all(|byte| byte.is_ascii_digit());
                    found.is_none() && (is_number || !is_silent(said))
                };
                at = end;
                if found.is_some() {
                    // Only signs and the markup of a page may be attached to the result.
                    let rest = text.get(at..word_end).unwrap_or_default();
                    if rest.contains(char::is_alphanumeric) && !rest.starts_with('<') {
                        return Err(MovetextError::new(recorder.plies() + 1, rest, MovetextErrorKind::AfterResult));
                    }
                    tokens.noted |= glyphs::first(rest).is_some() || !spellings::said(rest).is_empty();
                    tokens.at = at.max(word_end);
                    return Ok(found);
                }
            }
            Err(unread) => {
                // A nested comment has ended the outer one too early.
                if let Some(end) = tokens.nested_comment_end(at, false) {
                    tokens.at = end;
                    return Ok(None);
                }
                tokens.at = at;
                return Err(refused(recorder, rest, unread));
            }
        }
        if at >= word_end {
            tokens.at = at;
            return Ok(None);
        }
        // Continues with the rest of the word. It is not tokenized again, because it may be as long as the text.
        match read_word_apart(recorder, &text[at..word_end]) {
            Ok(found) => {
                tokens.at = word_end;
                return Ok(found);
            }
            Err(reason) => unread = reason,
        }
    }
}

/// Reads the first item of (the rest of) a word that is not standard notation. Returns a result and the end of the item,
/// including `!` and `?`. `in_numbers` is whether moves before it are in numbers.
fn read_unread(
    recorder: &mut Recorder<'_>,
    text: &str,
    at: usize,
    word: &str,
    unread: Unread,
    in_numbers: &mut bool,
) -> Result<(Option<GameResult>, usize), Unread> {
    if matches!(unread, Unread::Null | Unread::Ambiguous) {
        return Err(unread);
    }
    let value_end = spellings::value_at(text, at);
    let (digits, dots) = number_and_dots(word.as_bytes());
    // skips a move number, but not a result
    let from = at + if dots > 0 && !word.starts_with("0.5") { digits + dots } else { 0 };
    let found =
        value_end.map_or_else(|| spellings::read(recorder.position(), text, from), |end| Some((Spelled::Remark, end)));
    let (result, end) = match found {
        Some((Spelled::Move(step), end)) => {
            play_apart(recorder, step);
            *in_numbers |= spellings::is_in_numbers(text, from);
            (None, end)
        }
        // A move in numbers that was mistyped must not be left out.
        Some((Spelled::Remark, _))
            if spellings::is_in_numbers(text, from)
                && (*in_numbers || recorder.plies() == 0 && spellings::begins_in_numbers(text, from)) =>
        {
            return Err(Unread::Illegal);
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

/// Reads the next item of a word in any notation: plays a move, returns a result, and the end of the item. In a variation
/// no item extends beyond a bracket or a comment, as the move number `2)` and the remark `[(]` would: who skips the
/// variation looks for nothing else.
pub(crate) fn read_thing(
    recorder: &mut Recorder<'_>,
    text: &str,
    at: usize,
    word: &str,
    in_numbers: &mut bool,
    in_variation: bool,
) -> Result<(Option<GameResult>, usize), Unread> {
    match read_word_apart(recorder, word) {
        Ok(result) => Ok((result, at + word.len())),
        Err(unread) => {
            if !in_variation {
                return read_unread(recorder, text, at, word, unread, in_numbers);
            }
            let end = next_bracket(text, at + word.len());
            read_unread(recorder, &text[..end], at, word, unread, &mut in_numbers.clone())
        }
    }
}

/// The first bracket or comment from `from` on, or the farthest end of an item.
fn next_bracket(text: &str, from: usize) -> usize {
    let is_bracket = |byte: &u8| matches!(byte, b'(' | b')' | b'{' | b';' | b'%');
    let len = text.as_bytes()[from..].iter().take(spellings::MAX_LEN).position(is_bracket);
    len.map_or_else(|| text.floor_char_boundary(from + spellings::MAX_LEN), |len| from + len)
}

/// Copies of [`read_word`] and [`Recorder::play_legal`] for the rare path, so that only the common one inlines them. The
/// word may be the rest of one with many items: a longer one than any item is not standard notation.
#[cold]
#[inline(never)]
fn read_word_apart(recorder: &mut Recorder<'_>, word: &str) -> Result<Option<GameResult>, Unread> {
    // Signs behind a move are looked for from the end, which may be far.
    let (digits, dots) = number_and_dots(word.as_bytes());
    if word.len() - digits - dots > spellings::MAX_LEN {
        return Err(Unread::NotSan);
    }
    read_word(recorder, word)
}

#[cold]
#[inline(never)]
fn play_apart(recorder: &mut Recorder<'_>, step: Step) {
    recorder.play_legal(step);
}

/// The error for a word that cannot be read, at the current half-move.
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

/// Whether a word marks the move before it as an en passant capture.
pub(crate) fn is_en_passant(word: &str) -> bool {
    matches!(san::without_marks(word.as_bytes()), b"e.p." | b"ep" | b"e.p")
}

/// The number of digits at the start of a word, and of dots after them. Zeros of castling do not count.
#[inline(always)]
fn number_and_dots(word: &[u8]) -> (usize, usize) {
    if matches!(word, [b'A'..=b'z', ..] | [b'0', b'-', b'0', ..]) {
        return (0, 0);
    }
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits, word[digits..].iter().take_while(|byte| **byte == b'.').count())
}
