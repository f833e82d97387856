//! Informal notation of moves and results, as people write PGN.
//!
//! Takes a position, a text, and the offset of a word that [`crate::text::san`] does not accept; returns the item there
//! and its end. Standard notation never gets here, and a move is accepted only if it is the only legal one that matches.
//! Accepted are
//! * captures without `x`, and `x` or `:` without a capture; `ed5`, `exd`, `ed`, `ed5:`; `BxN`
//! * moves with their from-square: `g1-f3`, `Ng1f3`, `e7e8q`, `e1g1`; spaces around signs: `R x e5`, `O - O`; in numbers,
//!   as in correspondence chess: `7163`, `57581`
//! * figurines, the letters K D T L S, pieces in lower case and files in upper case
//! * `o-o`, `OO`, `00`; dashes, crosses and spaces of Unicode; `e8(Q)`, `e8/Q`
//! * `e4,`; `1)`; `1e4`; `e4N`, `e4ch`, `e4+-`, and signs and words such as `+-`, `±`, `N`, `mate` by themselves
//! * `½-½`, `1/2`, `1:0`, `1 - 0`, and results attached to a move: `Rc10-1`
//! * stray brackets and quotes; `[…]` and `<…>` outside comments, which contain no moves of the game

mod marks;
mod moves;
mod window;

use self::marks::{
    any_outcome, blanks, brackets, castling, closing_words, is_end, is_stray, marks, null_move, outcome, remark,
    result, signs, value,
};
use self::moves::{is_numeral_move, moves, number, numeric, shape};
pub(crate) use self::window::MAX_LEN;
use self::window::{SIGN, WINDOW, Window, spelled_out, spelled_out_first};
use crate::game::GameResult;
use crate::game::legality::Position;
use crate::game::slots::Step;
use crate::pause::Pauses;
use crate::text::glyphs::{self, is_sign};
use crate::text::lines::{at_line_start, begins_line, is_blank, line_ahead, line_end, near_line_end, opens_tag};
use crate::text::outcome::Outcome;
use crate::text::san::SanError;

/// An item of informal notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// A legal move.
    Move(Step),
    /// Text in the shape of a move that none or several legal moves match.
    NoMove(SanError),
    /// A null move.
    Null,
    /// A result.
    Result(GameResult),
    /// A number, a sign or a word other than a move.
    Remark,
}

/// Reads the item at `at`, which is not standard notation; `None` if it is unknown. Returns its end, which is after `at`.
#[cold]
#[inline(never)]
pub(crate) fn read(position: &Position<'_>, text: &str, at: usize) -> Option<(Spelled, usize)> {
    match text.as_bytes()[at] {
        b'}' | b')' | b']' | b'"' | b',' => return Some((Spelled::Remark, at + 1)),
        b'(' => return result_in_brackets(text, at).map(|(found, end)| (Spelled::Result(found.result()), end)),
        first if first.is_ascii_alphabetic() => {
            if let Some((found, len)) = closing_words(last_words(text, at)) {
                return Some((Spelled::Result(found.result()), at + len));
            }
        }
        _ => (),
    }
    if let Some(found) = begun_before(position, text, at) {
        return Some(found);
    }
    if let Some(end) = sign_alone(text, at) {
        return Some((Spelled::Remark, end));
    }
    let window = Window::new(text, at);
    let (spelled, len) = match item(position, window.bytes(), is_after_number(text, at)) {
        Some(found) => found,
        None => return brackets(text, at).map(|end| (Spelled::Remark, end)),
    };
    // only characters without width: skips the first one
    let end = if len == 0 {
        text[at..].chars().next().map_or(at, |first| at + first.len_utf8())
    } else {
        window.ends[len - 1]
    };
    (end > at).then_some((spelled, end))
}

/// The end of the evaluation, the time or the date at `at`.
pub(crate) fn value_at(text: &str, at: usize) -> Option<usize> {
    spelled_out_first(text, at).filter(|first| matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.'))?;
    let window = Window::new(text, at);
    value(window.bytes(), 0).map(|end| window.ends[end - 1])
}

/// What a word says, without the signs around it that only separate words or mark a check.
pub(crate) fn said(word: &str) -> &str {
    let is_layout = |byte: &u8| is_stray(*byte) && *byte != SIGN || matches!(byte, b'+' | b'-' | b'#' | b'*');
    let separates = |found: char| match found {
        _ if found.is_ascii() => found.is_ascii_control() || is_layout(&(found as u8)),
        _ => spelled_out(found).iter().all(is_layout),
    };
    word.trim_matches(separates)
}

/// Whether what is attached to a move says more than the move does.
pub(crate) fn says_more(attached: &str) -> bool {
    let said = said(attached);
    !said.is_empty() && !glyphs::MARKS.iter().any(|mark| mark.trim_end_matches('.') == said)
}

/// All legal moves that the ambiguous move at `at` can be, and its end.
pub(crate) fn steps(position: &Position<'_>, text: &str, at: usize) -> Option<(Vec<Step>, usize)> {
    let window = Window::new(text, at);
    let shape = shape(window.bytes(), 0)?;
    Some((shape.steps(position), window.ends[marks(window.bytes(), shape.end) - 1]))
}

/// The glyph of the remark at `at`, such as `N`, the move behind it, and its end.
pub(crate) fn behind_remark(position: &Position<'_>, text: &str, at: usize) -> Option<(u32, Step, usize)> {
    let window = Window::new(text, at);
    let bytes = window.bytes();
    let end = remark_at(bytes, is_after_number(text, at))?;
    let glyph = glyphs::sign(&text[at..window.ends[end - 1]])?;
    let from = blanks(bytes, end);
    let (step, len) = moves(position, &bytes[from..])?;
    Some((glyph, step.ok()?, window.ends[marks(bytes, from + len) - 1]))
}

/// Reads `1 - 0`, `1 / 2 - 1 / 2` and `0 - 0` at the sign: the digit before it was read as a move number.
fn begun_before(position: &Position<'_>, text: &str, at: usize) -> Option<(Spelled, usize)> {
    if !matches!(spelled_out_first(text, at), Some(b'-' | b':' | b'/')) {
        return None;
    }
    // A few spaces at most, so that the time stays linear.
    let blank = text[..at].bytes().rev().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = &text[..at - blank];
    let from = before.strip_suffix(['0', '1'])?.len();
    // Not in a longer move number; but the digit before may be the rank of a square.
    let bytes = &text.as_bytes()[..from];
    if bytes.last().is_some_and(u8::is_ascii_digit) && !matches!(bytes, [.., b'a'..=b'h' | b'A'..=b'H', _]) {
        return None;
    }
    let window = Window::new(text, from);
    let bytes = window.bytes();
    let (found, end) = match (result(bytes, 0), castling(bytes, 0)) {
        (Some((result, end)), _) => (Spelled::Result(result), end),
        (None, Some((long, end))) => (castles(position, long), marks(bytes, end)),
        (None, None) => return None,
    };
    Some((found, window.ends[end - 1])).filter(|(_, end)| *end > at)
}

/// The end of the sign at `at`, if it stands alone. Signs of letters are in [`remark`], after the moves.
fn sign_alone(text: &str, at: usize) -> Option<usize> {
    let first = text[at..].chars().next()?;
    let (_, len) = glyphs::at(&text[at..]).filter(|_| is_sign(first) && first != '×')?;
    // At its end it would be the mark of an opening, which is no game.
    if &text[at..at + len] == "~" && text[at + len..].trim_start().is_empty() {
        return None;
    }
    let ends = |next: char| !(next.is_ascii_alphanumeric() || is_sign(next));
    text[at + len..].chars().next().is_none_or(|next| ends(next) || !first.is_ascii()).then_some(at + len)
}

fn castles(position: &Position<'_>, long: bool) -> Spelled {
    let step = Step::Castle { long };
    if position.is_legal(step) { Spelled::Move(step) } else { Spelled::NoMove(SanError::Illegal) }
}

/// The text from `at` on, if it is short enough to be the last words of a game; else nothing.
fn last_words(text: &str, at: usize) -> &str {
    if text.len() - at <= MAX_LEN { text[at..].trim_end() } else { "" }
}

/// Reads the whole value of a Result tag: the outcome and the remaining text, which starts apart from it.
pub(crate) fn whole_outcome(text: &str) -> Option<(Outcome, &str)> {
    if let Some((found, end)) = closing_words(text) {
        return (end == text.len()).then_some((found, ""));
    }
    let window = Window::new(text, 0);
    let (found, end) = any_outcome(window.bytes(), 0)?;
    let rest = &text[window.ends[end - 1]..];
    let is_apart = |first: char| first.is_whitespace() || matches!(first, '(' | '[' | ',' | ';');
    rest.chars().next().is_none_or(is_apart).then_some((found, rest))
}

/// Reads the result at `at` that a Result tag may say, too: also `0-0`, `- - +`. Returns its end.
pub(crate) fn claimed_outcome(text: &str, at: usize) -> Option<(Outcome, usize)> {
    let window = Window::new(text, at);
    any_outcome(window.bytes(), 0).map(|(found, end)| (found, window.ends[end - 1]))
}

/// Reads a result in brackets that ends a game, `(1-0)`, and its end. Elsewhere it is a variation.
#[cold]
pub(crate) fn result_in_brackets(text: &str, at: usize) -> Option<(Outcome, usize)> {
    let window = Window::new(text, at);
    let bytes = window.bytes();
    let (found, end) = outcome(bytes, blanks(bytes, 1))?;
    let close = blanks(bytes, end);
    let end = (bytes.get(close) == Some(&b')')).then(|| window.ends[close])?;
    ends_game(text, end).then_some((found, end))
}

/// What follows a result: the same or another one, or a remark on it, and its end.
#[cold]
pub(crate) fn behind_result(text: &str, at: usize) -> Option<(Option<Outcome>, usize)> {
    if let Some((found, len)) = closing_words(last_words(text, at)) {
        // a side that forfeits behind moves has played
        return Some((Some(Outcome::of_result(found.result())), at + len));
    }
    if text[at..].starts_with('(') {
        return result_in_brackets(text, at).map(|(found, end)| (Some(found), end));
    }
    let window = Window::new(text, at);
    if let Some((found, end)) = outcome(window.bytes(), 0) {
        return Some((Some(found), window.ends[end - 1]));
    }
    let end = remark(window.bytes()).filter(|end| *end > 1)?;
    Some((None, window.ends[end - 1]))
}

/// The end of other words behind a result, up to the end of their line or to a comment, `on time`, `32 moves`. None of them
/// may begin moves; but a move number may stand alone before the end or the next tags. Words on a line of their own may be
/// about the next game.
#[cold]
pub(crate) fn text_behind_result(text: &str, at: usize) -> Option<usize> {
    let ahead = line_ahead(&text[at..]);
    // A part of a word may look like a move.
    let whole = if near_line_end(&text[at..]).is_none() { ahead.rfind(char::is_whitespace) } else { None };
    let line = &ahead[..whole.unwrap_or(ahead.len())];
    let line = &line[..line.find(['{', '(', ';', '$', '[']).unwrap_or(line.len())];
    let words = line.trim_end();
    let is_number = words.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && {
        let behind = text[at + line.len()..].trim_start();
        behind.is_empty() || behind.starts_with('[')
    };
    // Words of two letters, `ff` or `ed`, are no pawns here.
    let is_word = |word: &str| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let begins_no_moves = || words.split_whitespace().all(|word| is_word(word) || !may_begin_moves(word));
    let is_apart = || words.contains(char::is_alphabetic) && begins_line(text, at);
    (!words.chars().all(is_blank) && !is_apart() && (is_number || begins_no_moves())).then_some(at + words.len())
}

/// What follows after comments and glyphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The end of the text, or the next game.
    End,
    /// A result.
    Result,
    /// More of the game.
    More,
}

/// Whether nothing but comments, glyphs and results follows until the text or the game ends.
pub(crate) fn ends_game(text: &str, at: usize) -> bool {
    next(text, at) != Next::More
}

/// What follows after the comments and glyphs at `at`.
pub(crate) fn next(text: &str, mut at: usize) -> Next {
    let mut pauses = Pauses::default();
    let end_if = |is_end| if is_end { Next::End } else { Next::More };
    loop {
        pauses.step();
        at = text.len() - text[at..].trim_start().len();
        at = match text.as_bytes().get(at) {
            None => return Next::End,
            Some(b'{') => match text[at..].find('}') {
                Some(len) => at + len + 1,
                None => return Next::More,
            },
            Some(b';') => line_end(text, at),
            Some(b'%') if at_line_start(text, at) => line_end(text, at),
            Some(b'$') => at + 1 + text[at + 1..].bytes().take_while(u8::is_ascii_digit).count(),
            Some(b'[') => return end_if(opens_tag(&text.as_bytes()[at..])),
            // the first move of another game
            Some(b'1') if text[at..].starts_with("1.") => return end_if(!text[at..].starts_with("1..")),
            Some(_) => {
                let found = result(Window::new(text, at).bytes(), 0);
                return if found.is_some() { Next::Result } else { Next::More };
            }
        };
    }
}

/// The result that the last words of a text say, such as `White resigns`.
#[cold]
pub(crate) fn result_in_words(text: &str) -> Option<GameResult> {
    let text = text.trim_end();
    let from = text.floor_char_boundary(text.len().saturating_sub(MAX_LEN));
    let spaces = text[from..].char_indices().rev().filter(|(_, found)| found.is_whitespace());
    let starts = spaces.take(4).map(|(i, space)| from + i + space.len_utf8()).chain((from == 0).then_some(0));
    starts.filter_map(|start| closing_words(&text[start..])).last().map(|(found, _)| found.result())
}

/// Skips what shows nothing, and stray brackets. Returns the end.
pub(crate) fn skip_strays(text: &str, at: usize) -> usize {
    let mut pauses = Pauses::default();
    let is_stray = |found: char| {
        pauses.step();
        is_blank(found) || matches!(found, '}' | ')')
    };
    text.len() - text[at..].trim_start_matches(is_stray).len()
}

/// Reads the result that ends a game: at the start of a word, after a move in it, or after a sign in it. Returns the end
/// of the result, too.
#[cold]
#[inline(never)]
pub(crate) fn final_result(text: &str, word: &str, at: usize) -> Option<(Outcome, usize)> {
    if word.starts_with('(') {
        return result_in_brackets(text, at);
    }
    let window = Window::new(text, at);
    let bytes = window.bytes();
    // punctuation after it belongs to it
    let at_end = |window: &Window, (found, end): (Outcome, usize)| {
        let end = window.ends[end - 1];
        (found, text.len() - text[end..].trim_start_matches(['.', ',', '!', '?']).len())
    };
    if let Some(found) = outcome(bytes, 0) {
        return Some(at_end(&window, found));
    }
    let move_at = number(bytes).unwrap_or(0);
    let last_move = castling(bytes, move_at).map(|(_, end)| end).or_else(|| Some(shape(bytes, move_at)?.end));
    if let Some(found) = last_move.and_then(|end| outcome(bytes, signs(bytes, end))) {
        return Some(at_end(&window, found));
    }
    // The longest result has seven characters and follows another one.
    let tail = word.char_indices().rev().nth(7).map_or(0, |(from, _)| from);
    let is_apart =
        |(_, found): &(usize, char)| !(found.is_ascii_alphanumeric() || matches!(found, '-' | '/' | ':' | '½' | '.'));
    word[tail..].char_indices().filter(is_apart).find_map(|(i, found)| {
        let window = Window::new(text, at + tail + i + found.len_utf8());
        outcome(window.bytes(), 0).map(|found| at_end(&window, found))
    })
}

/// Whether a word may contain an informal result. Tests only its last bytes, so that almost no move needs the full
/// check. Excludes move numbers with a dot, moves and castling. The tag of the next game may follow without a blank.
#[inline(always)]
pub(crate) fn may_end_game(word: &str) -> bool {
    match *word.as_bytes() {
        [.., before, last @ (b'0'..=b'9' | b'O' | b'o')] => match before {
            b'-' => last.is_ascii_digit() || word == "1-O",
            b'a'..=b'h' | b'A'..=b'H' => false,
            b'.' => last == b'5',
            _ => last.is_ascii_digit(),
        },
        [.., b'-' | b'/' | b':', b'0'..=b'2', b'.'] | [b'0' | b'1'] => true,
        [only] => matches!(only, b'*' | b'+' | b'-' | b'='),
        [.., b'0' | b'1', b'F' | b'f'] | [.., b'-' | b':' | b'/', b'+'] => true,
        [.., b'[', b'E', b'v', b'e', b'n', b't'] => true,
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'.' | b'+' | b'#' | b'!' | b'?')),
        [] => false,
    }
}

/// Whether a move with its number, a move or a result may stand at the start of a text, in any position.
pub(crate) fn may_begin_moves(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with('.') {
        return true;
    }
    // some write a number without a dot
    let behind = text[digits..].trim_start_matches([' ', '\t', ')']);
    let text = if digits > 0 && behind.len() + digits < text.len() { behind } else { text };
    outcome(Window::new(text, 0).bytes(), 0).is_some() || begins_move(text)
}

/// Whether a move without its number may stand at the start of a text, in any position.
pub(crate) fn begins_move(text: &str) -> bool {
    let window = Window::new(text, 0);
    let bytes = window.bytes();
    castling(bytes, 0).is_some() || shape(bytes, 0).is_some() || numeric(bytes).is_some()
}

/// The number at `at`, if it has a dot and a move behind it: its value, and whether the move is Black's.
pub(crate) fn numbered(text: &str, at: usize) -> Option<(u32, bool)> {
    let rest = &text[at..];
    let digits = rest.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let behind = rest[digits..].trim_start_matches(|found: char| matches!(found, '.' | '…') || found.is_whitespace());
    let dots = &rest[digits..rest.len() - behind.len()];
    let count = dots.bytes().filter(|byte| *byte == b'.').count();
    let is_black = count > 1 || dots.contains('…');
    (dots.starts_with(['.', '…']) && begins_move(behind)).then_some((number, is_black))
}

/// Whether the first move of a game stands at `at` with its number.
pub(crate) fn is_first_move(text: &str, at: usize) -> bool {
    numbered(text, at) == Some((1, false))
}

/// The end of a result without the signs attached to it.
pub(crate) fn end_of_result(text: &str, end: usize) -> usize {
    let is_attached = |last: char| !(last.is_alphanumeric() || last.is_ascii_whitespace() || last == '*');
    text[..end].trim_end_matches(is_attached).len()
}

/// Whether the move at `at` shows that a `*`, which ends at `end`, is that of a footnote: it is attached to a move, or stands
/// between a move with a number and one without on the same line.
pub(crate) fn is_footnote(text: &str, end: usize, at: usize) -> bool {
    let is_mark = |last: char| last.is_ascii_alphanumeric() || matches!(last, '+' | '#' | '!' | '?');
    let Some(before) = text[..end].strip_suffix('*') else { return false };
    let is_within = || !text[end..at].contains(['\n', '\r']) && ends_with_numbered(before);
    (before.ends_with(is_mark) || is_within()) && begins_move(&text[at..])
}

/// Whether the last word of a text has a number with a dot before it.
fn ends_with_numbered(text: &str) -> bool {
    let back = text.chars().rev().take(WINDOW).skip_while(|last| last.is_whitespace());
    let mut before_word = back.skip_while(|last| !last.is_whitespace() && *last != '.');
    before_word.find(|last| !last.is_whitespace()) == Some('.')
}

/// Whether the digits at `at` are a move in numbers, and no move number: at least four, and no period behind them.
pub(crate) fn is_in_numbers(text: &str, at: usize) -> bool {
    let digits = text[at..].bytes().take(WINDOW).take_while(u8::is_ascii_digit).count();
    digits >= 4 && !text[at + digits..].starts_with('.')
}

/// Whether the digits at `at` are of squares, and do not stand before the first move, as a year may.
pub(crate) fn begins_in_numbers(text: &str, at: usize) -> bool {
    let digits = text[at..].bytes().take(WINDOW).take_while(u8::is_ascii_digit).count();
    let is_year = text[at + digits..].trim_start().starts_with("1.");
    !is_year && text[at..at + digits].bytes().all(|digit| matches!(digit, b'1'..=b'8'))
}

/// Whether a move number with a dot stands before `at`.
fn is_after_number(text: &str, at: usize) -> bool {
    text[..at].chars().rev().take(8).find(|before| !before.is_whitespace()) == Some('.')
}

/// The end of the remark at the start of a window. A letter after a number is a truncated move.
fn remark_at(bytes: &[u8], after_number: bool) -> Option<usize> {
    remark(bytes).filter(|end| !(after_number && *end == 1 && bytes[0].is_ascii_alphabetic()))
}

/// The item at the start of a window, and its end.
fn item(position: &Position<'_>, bytes: &[u8], after_number: bool) -> Option<(Spelled, usize)> {
    if let Some((found, end)) = result(bytes, 0) {
        return Some((Spelled::Result(found), end));
    }
    if let Some(end) = null_move(bytes) {
        return Some((Spelled::Null, end));
    }
    if let Some((long, end)) = castling(bytes, 0) {
        return Some((castles(position, long), marks(bytes, end)));
    }
    if let Some((from, to, promotion, end)) = numeric(bytes)
        && let Some(step) = position.step(from, to, promotion)
    {
        return Some((Spelled::Move(step), marks(bytes, end)));
    }
    if let Some(end) = number(bytes) {
        return Some((Spelled::Remark, end));
    }
    let found = moves(position, bytes);
    let remark = remark_at(bytes, after_number);
    match (found, remark) {
        (Some((Ok(step), end)), None) => Some((Spelled::Move(step), marks(bytes, end))),
        (Some((Err(_), _)), None) if bytes.starts_with(b"x ") => Some((Spelled::Remark, 1)),
        (Some((Err(error), end)), None) => Some((Spelled::NoMove(error), marks(bytes, end))),
        (None, Some(end)) => Some((Spelled::Remark, end)),
        // A single letter is a piece, or a remark on the move before.
        (Some((piece, end)), Some(remark_end)) => {
            let next = moves(position, &bytes[blanks(bytes, remark_end)..]);
            Some(match (piece, next) {
                (Ok(_), Some((Ok(_), _))) => (Spelled::NoMove(SanError::Ambiguous), end),
                (Ok(step), _) => (Spelled::Move(step), marks(bytes, end)),
                (Err(_), _) => (Spelled::Remark, remark_end),
            })
        }
        (None, None) => match bytes.first() {
            None => Some((Spelled::Remark, 0)),
            Some(first) if is_stray(*first) => Some((Spelled::Remark, 1)),
            Some(b'-') if bytes.get(1).is_some_and(u8::is_ascii_alphabetic) || is_numeral_move(bytes, 1) => {
                Some((Spelled::Remark, 1))
            }
            // what makes a result bold, `**1-0**`, and ornaments
            Some(b'*') => {
                let stars = bytes.iter().take_while(|byte| **byte == b'*').count();
                (stars - 1..=stars).find(|at| result(bytes, *at).is_some()).map(|at| (Spelled::Remark, at))
            }
            // the cross of a weak point
            Some(b'x') if is_end(bytes, 1) => Some((Spelled::Remark, 1)),
            Some(_) => None,
        },
    }
}
