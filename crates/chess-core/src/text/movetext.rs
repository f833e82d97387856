//! PGN move text: parses a [`Game`], and writes it on one line.
//!
//! Parsing follows the main line and accepts
//! * leading tags `[FEN "…"]`, `[SetUp "…"]`, `[Variant "…"]` (standard chess or Chess960)
//! * move numbers in any spacing (`1.e4`, `1. e4`, `1 e4`, `2... Nf6`); their values are ignored, except that a number
//!   without a dot that does not fit is a move in numbers, `5254`, or a remark
//! * SAN as in [`crate::text::san`], and a trailing `e.p.` as a word of its own; if a word is not SAN, informal notation
//!   that exactly one legal move matches (`spellings`)
//! * comments `{…}` and `;…`, escape lines `%…`, variations `(…)`, glyphs `$1`, `!?`: all skipped
//! * one result at the end (`1-0`, `0-1`, `1/2-1/2`, `*`)
//! * no moves at all: a game of 0 half-moves. Without a result either, the text may only have comments, escape lines and
//!   move numbers: what else it says would be about no game
//!
//! Writing gives one line of canonical SAN: `1. e4 e5 2. Nf3 1-0`. An unknown result is not written.

use std::ops::Range;

use crate::board::fen;
use crate::game::recorder::Recorder;
use crate::game::{CorruptGame, Game, GameRef, GameResult};
pub use crate::text::error::{Incomplete, MovetextError, MovetextErrorKind};
use crate::text::outcome::Outcome;
use crate::text::san;
use crate::text::spellings::{behind_result, end_of_result, text_behind_result};
use crate::text::tags::{StartTags, read_tag};
use crate::text::tokens::{TokenKind, Tokens};
use crate::text::words::{Reading, goes_on, is_silent, read_otherwise, read_word, readings, word_end_behind};

/// Parses a game: optional tags about its start, then moves.
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
        let tag = rest.trim_ascii_start();
        if !tag.starts_with('[') {
            // keeps the white space, because a % after a space begins no escape line
            return read_moves(&tags, rest).map_err(|incomplete| incomplete.reason);
        }
        rest = tag;
        let tag = rest.split_inclusive(']').next().unwrap_or(rest);
        let error = || MovetextError::new(1, tag, MovetextErrorKind::Tag);
        let (name, value, len) = read_tag(rest).ok_or_else(error)?;
        if !tags.take(name, value) {
            return Err(error());
        }
        rest = &rest[len..];
    }
}

/// Parses the moves of a game, given its tags.
///
/// # Errors
///
/// [`Incomplete`]: the half-moves before the error, and the error.
pub fn read_moves(tags: &StartTags<'_>, text: &str) -> Result<Game, Incomplete> {
    read_moves_and_result(tags, text).map(|(game, _)| game)
}

/// [`read_moves`], and the result that the text has: `*` is one, too.
///
/// # Errors
///
/// [`Incomplete`], as [`read_moves`].
pub fn read_moves_and_result(tags: &StartTags<'_>, text: &str) -> Result<(Game, Option<GameResult>), Incomplete> {
    let without_moves = |reason| Incomplete { prefix: None, reason };
    let chess960 = tags.is_chess960().map_err(without_moves)?;
    let start = tags.start().map_err(without_moves)?;
    let mut recorder = Recorder::new(&start);
    match record(&mut recorder, &mut Tokens::new(text, 0), tags.forgives) {
        Ok(None)
            if recorder.plies() == 0
                && let Some(token) = about_no_game(text) =>
        {
            Err(without_moves(MovetextError::new(1, token, MovetextErrorKind::NotSan)))
        }
        Ok(result) => Ok((recorder.finish(result.unwrap_or_default(), chess960), result)),
        Err(reason) => Err(incomplete(recorder, chess960, reason)),
    }
}

/// The first token of a text without moves that needs a move or a result: a remark, a sign, a bracket.
#[cold]
fn about_no_game(text: &str) -> Option<&str> {
    let mut tokens = Tokens::new(text, 0);
    while let Some(token) = tokens.next_with_notes() {
        match token.kind {
            TokenKind::Comment | TokenKind::LineComment | TokenKind::Escape => (),
            TokenKind::Word if is_silent(token.text) => (),
            // PGN ends a comment at the first brace; what follows is still part of one that has another inside.
            TokenKind::Word if let Some(end) = tokens.nested_comment_end(token.at, false) => tokens.at = end,
            _ => return Some(token.text),
        }
    }
    None
}

/// The moves of a game that its author has written.
#[derive(Debug)]
pub struct Written {
    /// The game.
    pub game: Game,
    /// Whether the text has more than the moves: comments, variations, glyphs, other words, escape lines, or unreadable
    /// text. Move numbers and parts of a move do not count.
    pub noted: bool,
    /// The ambiguous moves, which are understood from those after them.
    pub understood: Vec<Understood>,
}

/// An ambiguous move of which only one reading leads to the end of the game.
#[derive(Debug)]
pub struct Understood {
    /// The half-move, from 1.
    pub ply: u32,
    /// Its place in the text, without signs attached to it.
    pub place: Range<usize>,
    /// The glyph of the move before, if the first letter is a remark on that: `N`.
    pub glyph: Option<u32>,
    /// The move that it is.
    pub san: String,
}

/// [`read_moves`] for the text of somebody else: a move of which only one reading leads to the end of the game is read so.
///
/// # Errors
///
/// [`Incomplete`], as [`read_moves`].
pub fn read_written(tags: &StartTags<'_>, text: &str) -> Result<Written, Incomplete> {
    let without_moves = |reason| Incomplete { prefix: None, reason };
    let chess960 = tags.is_chess960().map_err(without_moves)?;
    let start = tags.start().map_err(without_moves)?;
    let (mut recorder, mut tokens) = (Recorder::new(&start), Tokens::new(text, 0));
    let (recorder, tokens, result, understood) = match record(&mut recorder, &mut tokens, tags.forgives) {
        Ok(result) => (recorder, tokens, result.unwrap_or_default(), Vec::new()),
        Err(reason) => {
            let is_ambiguous = matches!(reason.kind, MovetextErrorKind::Ambiguous(_));
            let found = if is_ambiguous { understand(&recorder, &tokens) } else { None };
            found.ok_or_else(|| incomplete(recorder, chess960, reason))?
        }
    };
    let noted = tokens.noted || has_letter_or_sign(text);
    Ok(Written { game: recorder.finish(result, chess960), noted, understood })
}

fn incomplete(recorder: Recorder<'_>, chess960: bool, reason: MovetextError) -> Incomplete {
    let prefix = (recorder.plies() > 0).then(|| recorder.finish(GameResult::Unknown, chess960));
    Incomplete { prefix, reason }
}

/// The most readings of ambiguous moves that are tried in a game.
const MOST_READINGS: usize = 64;

/// Reads on from an ambiguous move, at which `tokens` stand, with each of its readings, and likewise from ambiguous moves
/// behind it. Returns the only game that reaches the end of the text.
#[cold]
#[inline(never)]
fn understand<'s, 'a>(
    recorder: &Recorder<'s>,
    tokens: &Tokens<'a>,
) -> Option<(Recorder<'s>, Tokens<'a>, GameResult, Vec<Understood>)> {
    // Each with the place of the choice in `choices` that has led there.
    let mut open = vec![(recorder.clone(), tokens.clone(), None)];
    let mut choices: Vec<(Option<usize>, Understood)> = Vec::new();
    let mut whole = None;
    while let Some((recorder, tokens, choice)) = open.pop() {
        for Reading { step, glyph, place, end } in readings(recorder.position(), tokens.text, tokens.at)? {
            if choices.len() == MOST_READINGS {
                return None;
            }
            let mut san = String::new();
            san::push(&mut san, recorder.position(), step);
            choices.push((choice, Understood { ply: recorder.plies() + 1, place, glyph, san }));
            let (mut recorder, mut tokens) = (recorder.clone(), tokens.clone());
            recorder.play(step).ok()?;
            tokens.noted |= glyph.is_some();
            tokens.at = end;
            match record(&mut recorder, &mut tokens, true) {
                Ok(result) if whole.is_none() => {
                    whole = Some((recorder, tokens, result.unwrap_or_default(), choices.len() - 1));
                }
                Ok(_) => return None,
                Err(MovetextError { kind: MovetextErrorKind::Ambiguous(_), .. }) => {
                    open.push((recorder, tokens, Some(choices.len() - 1)));
                }
                Err(_) => (),
            }
        }
    }
    let (recorder, tokens, result, last) = whole?;
    let mut choices: Vec<_> = choices.into_iter().map(Some).collect();
    let mut understood = Vec::new();
    let mut next = Some(last);
    while let Some((before, choice)) = next.and_then(|next| choices[next].take()) {
        understood.push(choice);
        next = before;
    }
    understood.reverse();
    Some((recorder, tokens, result, understood))
}

/// Whether a text may have more than one meaning: a `!` or a `?` can be part of the word of a move, and a `P` is read as a pawn
/// but stands for a knight in Dutch.
fn has_letter_or_sign(text: &str) -> bool {
    // Blocks of fixed size without an early exit are compiled to vector instructions.
    let (blocks, rest) = text.as_bytes().as_chunks::<32>();
    let is_one = |byte: &u8| u8::from(*byte == b'!') | u8::from(*byte == b'?') | u8::from(*byte == b'P');
    let in_block = |block: &[u8; 32]| block.iter().fold(0, |found, byte| found | is_one(byte)) > 0;
    blocks.iter().any(in_block) || rest.iter().any(|byte| is_one(byte) > 0)
}

/// Plays the moves of a text from where `tokens` are, outside of variations, and returns the result, if it has one. After an error of a
/// move, `tokens` are at that move. With `forgives`, further results and remarks may follow the result; of several results, the
/// first known one counts.
fn record(
    recorder: &mut Recorder<'_>,
    tokens: &mut Tokens<'_>,
    forgives: bool,
) -> Result<Option<GameResult>, MovetextError> {
    let mut result = None;
    let mut depth = 0u32;
    let mut opened_at = 0;
    // the last comment before the variation: one inside must not extend beyond it
    let mut outer_comment = usize::MAX;
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
            // a stray bracket, as in "1)", is ignored
            TokenKind::Close => {
                if depth == 1 {
                    tokens.comment = outer_comment;
                }
                depth = depth.saturating_sub(1);
            }
            TokenKind::Word if depth == 0 => {
                if let Some((known, end)) = result {
                    let is_over = known != GameResult::Unknown || !goes_on(recorder, tokens.text, end, token.at);
                    if is_over || !forgives {
                        let more = read_behind_result(tokens, token.at, known).filter(|_| forgives);
                        result = Some((more.ok_or_else(|| error(MovetextErrorKind::AfterResult))?, end));
                        continue;
                    }
                    tokens.noted = true;
                }
                let found = match read_word(recorder, token.text) {
                    Ok(found) => found,
                    Err(unread) => read_otherwise(recorder, tokens, token, unread)?,
                };
                result = found.map(|found| (found, end_of_result(tokens.text, tokens.at)));
            }
            _ => (),
        }
    }
    if depth > 0 {
        let kind = MovetextErrorKind::UnterminatedVariation;
        return Err(MovetextError::new(recorder.plies() + 1, &tokens.text[opened_at..], kind));
    }
    Ok(result.map(|(found, _)| found))
}

/// Reads what follows a known result: another one, or a remark. Returns what both say.
fn read_behind_result(tokens: &mut Tokens<'_>, at: usize, known: GameResult) -> Option<GameResult> {
    let found = behind_result(tokens.text, at);
    tokens.noted |= found.is_none();
    let (more, end) = found.or_else(|| text_behind_result(tokens.text, at).map(|end| (None, end)))?;
    let more = more.map_or(known, Outcome::result);
    tokens.noted |= more != known;
    tokens.at = word_end_behind(tokens.text, end, tokens.at);
    Some(if known == GameResult::Unknown { more } else { known })
}

/// Writes a game on one line, after the tags of a custom start.
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

/// Appends moves with numbers, starting with `number`, each followed by a space.
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
