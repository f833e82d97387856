//! Informal notation other than moves of pieces: results, castling, move numbers, null moves, signs, remarks, brackets.
//!
//! Takes the bytes of a [`Window`](super::window::Window) and an offset; returns the end of what it finds there.

use super::window::{OTHER, SIGN};
use crate::game::GameResult;
use crate::text::glyphs::{MARKS, REMARKS};
use crate::text::lines::opens_tag;
use crate::text::outcome::Outcome;

/// The maximum length of `[…]` and `<…>` in bytes.
const MAX_BRACKETS: usize = 1 << 12;

/// Whether a character may occur anywhere.
pub(super) fn is_stray(byte: u8) -> bool {
    matches!(byte, b' ' | b'}' | b')' | b']' | b',' | b'.' | b':' | b'"' | b'\'' | b'|' | b'_' | b'/' | b'\\' | SIGN)
}

/// Whether an item ends at `at`: before a space, a sign, a result, or the next move number.
pub(super) fn is_end(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None => true,
        Some(byte) if is_stray(*byte) => *byte != b'/',
        Some(b'{' | b'(' | b'[' | b'<' | b';' | b'$' | b'!' | b'?') => true,
        Some(b'0'..=b'9') => {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            bytes.get(at + digits) == Some(&b'.') || result(bytes, at).is_some()
        }
        Some(_) => result(bytes, at).is_some() || value(bytes, at).is_some(),
    }
}

/// The end of an evaluation `+0.31/12`, a time `0:05` or a date `2004.05.12` at `at`: of numbers joined by signs. Behind a move
/// number stands a move or a result.
pub(super) fn value(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let is_signed = matches!(bytes.get(at), Some(b'+' | b'-'));
    let first = at + usize::from(is_signed);
    let whole = first + digits(first);
    if result(bytes, at).is_some() || result(bytes, first).is_some() {
        return None;
    }
    // Zeros behind another number may be castling.
    let is_no_number = is_signed || whole > first && bytes[first..whole].iter().all(|digit| *digit == b'0');
    let mut end = whole;
    while let Some(sign) = bytes.get(end) {
        let is_joined = match (sign, digits(end + 1)) {
            (b'.', 1..=4) => true,
            (b',', 1..=4) => whole > first,
            (b':', 2) => whole > first,
            (b'/', 1..=4) => end > whole,
            _ => false,
        };
        let is_in_numbers =
            || digits(end + 1) == 4 && bytes[end + 1..end + 5].iter().all(|digit| matches!(digit, b'1'..=b'8'));
        let is_thing = || castling(bytes, end + 1).is_some() || is_in_numbers() || result(bytes, end + 1).is_some();
        if !is_joined || !is_no_number && is_thing() {
            break;
        }
        end += 1 + digits(end + 1);
    }
    let is_over = || !(bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(|next| *next != b' '));
    (end > whole && is_over() && is_end(bytes, end)).then_some(end)
}

/// Skips a few spaces.
pub(super) fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take(3).take_while(|byte| **byte == b' ').count()
}

/// Reads a result at `at` and its end: `1-0`, `1:0`, `1 - 0`, `1-O`, `1/2-1/2`, `0.5-0.5`, `1/2`, `1/2-0`, `+:-`, `1F-0F`,
/// `*`. Not `0-0`, which is castling, nor signs such as `+-`, which evaluate a position: see [`any_outcome`].
pub(super) fn outcome(bytes: &[u8], at: usize) -> Option<(Outcome, usize)> {
    if bytes.get(at) == Some(&b'*') {
        return Some((Outcome::UNKNOWN, at + 1)).filter(|(_, end)| ends_result(bytes, at, *end));
    }
    let first = side(bytes, at)?;
    let sign = blanks(bytes, first.end);
    let separator = bytes.get(sign).copied().filter(|byte| matches!(byte, b'-' | b':'));
    let second = separator.and_then(|_| side(bytes, blanks(bytes, sign + 1)));
    let Some(second) = second else {
        let is_lone_half = first.halves == 1 && !first.is_sign && bytes[at] == b'1' && bytes[at + 1] == b'/';
        return Some((Outcome::played([1, 1]), first.end))
            .filter(|(_, end)| is_lone_half && ends_result(bytes, at, *end));
    };
    let zeros = first.halves + second.halves == 0 && !(first.is_forfeit || second.is_forfeit);
    let says_otherwise = separator == Some(b'-') && (zeros || first.is_sign || second.is_sign);
    let found = Outcome::of([first.halves, second.halves], first.is_forfeit || second.is_forfeit)?;
    (!says_otherwise && ends_result(bytes, at, second.end)).then_some((found, second.end))
}

/// The result that [`outcome`] finds, as one of PGN.
pub(super) fn result(bytes: &[u8], at: usize) -> Option<(GameResult, usize)> {
    outcome(bytes, at).map(|(found, end)| (found.result(), end))
}

/// Reads a result at `at` where nothing else can stand, such as in a tag; also `0-0`, `+-`, `+/-`, `- - +`, `--`.
pub(super) fn any_outcome(bytes: &[u8], at: usize) -> Option<(Outcome, usize)> {
    if let Some(found) = outcome(bytes, at) {
        return Some(found);
    }
    let first = side(bytes, at)?;
    let sign = blanks(bytes, first.end);
    let separated = matches!(bytes.get(sign), Some(b'-' | b':')) || first.is_sign && bytes.get(sign) == Some(&b'/');
    let behind = separated.then(|| side(bytes, blanks(bytes, sign + 1))).flatten();
    // Without a separator: `+-`, `1/2 1/2`.
    let beside =
        || side(bytes, sign).filter(|second| first.is_sign && second.is_sign || first.halves & second.halves == 1);
    let second = behind.or_else(beside)?;
    let found = Outcome::of([first.halves, second.halves], first.is_forfeit || second.is_forfeit)?;
    ends_result(bytes, at, second.end).then_some((found, second.end))
}

/// What a result says of one side.
struct Side {
    halves: u8,
    is_sign: bool,
    is_forfeit: bool,
    end: usize,
}

/// Reads one side of a result: `1`, `0`, `1/2`, `0.5`, the signs of forfeits `+`, `-` and `=`, and points with an `F`.
fn side(bytes: &[u8], at: usize) -> Option<Side> {
    let rest = bytes.get(at..)?;
    let half = [&b"1/2"[..], b"0.5", b"0,5", b".5"].into_iter().find(|half| rest.starts_with(half)).map(<[u8]>::len);
    let spaced_half = || {
        let slash = blanks(bytes, at + 1);
        let two = blanks(bytes, slash + 1);
        (rest[0] == b'1' && bytes.get(slash) == Some(&b'/') && bytes.get(two) == Some(&b'2')).then_some(two + 1 - at)
    };
    let (halves, is_sign, len) = match (*rest.first()?, half.or_else(spaced_half)) {
        (_, Some(len)) => (1, false, len),
        (b'1', _) => (2, false, 1),
        (b'0' | b'O', _) => (0, false, 1),
        (b'+', _) => (2, true, 1),
        (b'-', _) => (0, true, 1),
        (b'=', _) => (1, true, 1),
        _ => return None,
    };
    let end = at + len;
    let letter = !is_sign && matches!(bytes.get(end), Some(b'F' | b'f' | b'X')) && {
        let next = bytes.get(end + 1);
        next.is_none_or(|next| !next.is_ascii_alphanumeric())
    };
    Some(Side { halves, is_sign, is_forfeit: is_sign && halves != 1 || letter, end: end + usize::from(letter) })
}

/// Whether a result may end at `end`.
fn ends_result(bytes: &[u8], at: usize, end: usize) -> bool {
    match bytes.get(end) {
        None => true,
        Some(byte) => {
            is_stray(*byte) && !matches!(byte, b'/' | b':')
                || matches!(*byte, b'{' | b'(' | b'[' | b'<' | b';' | b'$' | b'!' | b'?' | OTHER)
                || matches!(*byte, b'*' | b'-' | b'=' | b'~') && bytes[at..end] != *b"*" && is_closed(bytes, end)
        }
    }
}

/// Whether the word ends at `at` with signs that are of no move.
fn is_closed(bytes: &[u8], at: usize) -> bool {
    let signs = bytes[at..].iter().take_while(|byte| matches!(byte, b'*' | b'-' | b'=' | b'~')).count();
    bytes.get(at + signs).is_none_or(|byte| *byte == b' ')
}

pub(super) fn null_move(bytes: &[u8]) -> Option<usize> {
    let spellings: [&[u8]; 7] = [b"--", b"Z0", b"@@@@", b"null", b"NULL", b"pass", b"0000"];
    let len = spellings.iter().find(|spelling| bytes.starts_with(spelling)).map(|spelling| spelling.len())?;
    is_end(bytes, marks(bytes, len)).then_some(len)
}

/// Reads castling at `at`: whether it is long, and its end.
pub(super) fn castling(bytes: &[u8], at: usize) -> Option<(bool, usize)> {
    let is_o = |at: usize| matches!(bytes.get(at), Some(b'O' | b'0' | b'o'));
    if !is_o(at) {
        return None;
    }
    let next = |from: usize| {
        let dash = blanks(bytes, from);
        let letter = blanks(bytes, dash + 1);
        (bytes.get(dash) == Some(&b'-') && is_o(letter)).then_some(letter + 1)
    };
    let ends = |end: &usize| is_end(bytes, marks(bytes, *end));
    let short = next(at + 1);
    let long = short.and_then(next);
    if let Some(end) = long.filter(ends) {
        return Some((true, end));
    }
    if let Some(end) = short.filter(ends) {
        return Some((false, end));
    }
    // Without dashes, all letters must be equal.
    let alike = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
    match alike {
        2 | 3 => Some((alike == 3, at + alike)).filter(|(_, end)| ends(end)),
        _ => None,
    }
}

/// The end of the marks after a move: `+`, `#`, `!?`, `=`, `+-`, `e.p.`, `ch`, `N`.
pub(super) fn marks(bytes: &[u8], at: usize) -> usize {
    let mut at = signs(bytes, at);
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        let word = MARKS.iter().chain(&REMARKS).find(|word| {
            rest.starts_with(word.as_bytes()) && !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric)
        });
        match word {
            Some(word) => at = signs(bytes, at + word.len()),
            None => return at,
        }
    }
}

/// The end of a run of signs. A sign that begins a result or an evaluation is not included.
pub(super) fn signs(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        let is_sign = matches!(*byte, b'+' | b'-' | b'/' | b'=' | b'#' | b'!' | b'?' | b'^' | b'&' | b':' | SIGN)
            || *byte == b'~' && at > 0;
        if !is_sign || result(bytes, at).is_some() || value(bytes, at).is_some() {
            break;
        }
        at += 1;
    }
    at
}

/// Words about a move or the end of a game.
const WORDS: [&[u8]; 30] = [
    b"ch",
    b"dbl",
    b"dblch",
    b"dis",
    b"disc",
    b"double",
    b"check",
    b"mate",
    b"checkmate",
    b"e.p.",
    b"e.p",
    b"ep",
    b"i.p",
    b"a.p",
    b"stalemate",
    b"white",
    b"black",
    b"resigns",
    b"resigned",
    b"resign",
    b"wins",
    b"won",
    b"draw",
    b"drawn",
    b"agreed",
    b"remis",
    b"forfeits",
    b"adjourned",
    b"and",
    b"by",
];

/// The end of signs or of a word other than a move.
pub(super) fn remark(bytes: &[u8]) -> Option<usize> {
    let end = signs(bytes, 0);
    if end > 0 && is_end(bytes, end) {
        return Some(end);
    }
    let spaced = [&b"e. p."[..], b"en passant", b"e/p"].into_iter().find(|words| bytes.starts_with(words));
    if let Some(words) = spaced.filter(|words| is_end(bytes, words.len())) {
        return Some(words.len());
    }
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.').count();
    // N:b5 is a capture
    let is_capture = bytes.get(letters) == Some(&b':');
    if matches!(&bytes[..letters], b"N" | b"D" | b"TN" | b"RR") && is_end(bytes, letters) && !is_capture {
        return Some(letters);
    }
    let word = bytes[..letters].to_ascii_lowercase();
    let known = WORDS.contains(&word.strip_suffix(b".").unwrap_or(&word)) || WORDS.contains(&word.as_slice());
    (known && is_end(bytes, letters)).then_some(letters)
}

/// The result that words say at the end of a game, and their end: `Draw agreed`, `White resigns`, `Black forfeits`, `Remis`.
pub(super) fn closing_words(text: &str) -> Option<(Outcome, usize)> {
    let mut words = text.split_inclusive(char::is_whitespace);
    let (mut end, mut side, mut found, mut is_forfeit) = (0, None, None, false);
    // Whoever writes more words writes a comment.
    for word in words.by_ref().take(6) {
        let letters = word.trim().trim_end_matches(['.', ',', '!']);
        let lower = letters.to_ascii_lowercase();
        match lower.as_str() {
            "white" => side = Some([GameResult::WhiteWins, GameResult::BlackWins]),
            "black" => side = Some([GameResult::BlackWins, GameResult::WhiteWins]),
            "draw" | "drawn" | "remis" | "nulle" | "tablas" | "patta" => found = found.or(Some(GameResult::Draw)),
            "wins" | "won" => found = found.or(side.map(|[own, _]| own)),
            "resigns" | "resigned" | "resign" => found = found.or(side.map(|[_, others]| others)),
            "forfeits" | "forfeited" | "defaults" | "defaulted" => {
                found = found.or(side.map(|[_, others]| others));
                is_forfeit = true;
            }
            "forfeit" | "default" => is_forfeit = true,
            _ if WORDS.contains(&lower.as_bytes()) => (),
            _ => return None,
        }
        end += word.len();
    }
    let found = Outcome::of_result(found.filter(|_| words.next().is_none())?);
    Some((if is_forfeit { found.forfeited() } else { found }, text[..end].trim_end().len()))
}

/// Returns the end of `[…]` or `<…>`, which may have others and comments inside; `None` for a tag. If the bracket is not closed and
/// a comment follows, it stands alone, and its own end is returned.
pub(super) fn brackets(text: &str, at: usize) -> Option<usize> {
    let inside = &text.as_bytes()[at..];
    let (open, close) = match inside.first()? {
        b'[' => (b'[', b']'),
        b'<' => (b'<', b'>'),
        _ => return None,
    };
    if opens_tag(inside) {
        return None;
    }
    let (mut depth, mut in_comment, mut has_comment) = (0u32, false, false);
    for (len, byte) in inside.iter().take(MAX_BRACKETS).enumerate() {
        match *byte {
            b'{' => (in_comment, has_comment) = (true, true),
            b'}' => in_comment = false,
            _ if in_comment => (),
            byte if byte == open => depth += 1,
            byte if byte == close && depth == 1 => return Some(at + len + 1),
            byte if byte == close => depth -= 1,
            _ => (),
        }
    }
    has_comment.then_some(at + 1)
}
