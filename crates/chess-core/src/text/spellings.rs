//! The spellings of moves and results in people's PGN that the standard does not have.
//!
//! Takes a position, a text and the place of a word that [`crate::text::san`] does not accept there; returns the
//! one thing that stands there, and where it ends. It is never asked about what the standard reads, and a move
//! is accepted only if it is the one legal move that fits. It knows
//! * captures without `x`, and `x` or `:` where nothing is taken; `ed5`, `exd`, `ed`, `ed5:`; `BxN`
//! * the move's first square: `g1-f3`, `Ng1f3`, `e7e8q`, `e1g1`; spaces at the sign: `R x e5`, `O - O`
//! * figurines, the letters K D T L S, pieces in small and files in capital letters
//! * `o-o`, `OO`, `00`; dashes, crosses and blanks of Unicode; `e8(Q)`, `e8/Q`
//! * `e4,`; `1)`; `1e4`; `e4N`, `e4ch`, `e4+-`, and signs and words such as `+-`, `±`, `N`, `mate` by themselves
//! * `½-½`, `1/2`, `1:0`, `1 - 0`, and results without a blank after the move: `Rc10-1`
//! * stray brackets and quotes; `[…]` and `<…>` outside comments, which hold no moves of the game
//!
//! A thing is looked for in a window of so many characters, so that time is linear in the text.

use crate::board::kinds::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::board::squares::members;
use crate::game::GameResult;
use crate::game::legality::{Position, is_last_rank};
use crate::game::slots::Step;
use crate::pause::Pauses;
use crate::text::san::SanError;

/// What a text has at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// A legal move.
    Move(Step),
    /// A move of the shape of one, but none or more than one that is legal.
    NoMove(SanError),
    /// A null move.
    Null,
    /// The result.
    Result(GameResult),
    /// A number, a sign or a word that plays nothing.
    Remark,
}

/// The longest thing that is read, in characters after spelling them out in ASCII.
const WINDOW: usize = 48;

/// The longest thing in bytes of text, but for long brackets.
pub(crate) const MAX_LEN: usize = 2 * WINDOW * 4;

/// The longest text in `[…]` or `<…>`, in bytes.
const MAX_BRACKETS: usize = 1 << 12;

/// A sign of no meaning to the game, as those of evaluations.
const SIGN: u8 = 1;
/// Any other character beyond ASCII.
const OTHER: u8 = 2;

/// The text from a place on, in ASCII.
struct Window {
    bytes: [u8; WINDOW],
    /// Where the character of each byte ends in the text.
    ends: [usize; WINDOW],
    len: usize,
}

impl Window {
    fn new(text: &str, at: usize) -> Window {
        let mut window = Window { bytes: [0; WINDOW], ends: [at; WINDOW], len: 0 };
        // Characters without width leave no byte: they are passed over up to the same number.
        for (i, found) in text[at..].char_indices().take(2 * WINDOW) {
            let end = at + i + found.len_utf8();
            let mut buffer = [0; 1];
            let ascii: &[u8] = if found.is_ascii() {
                buffer[0] = match found as u8 {
                    byte if byte.is_ascii_control() => b' ',
                    byte => byte,
                };
                &buffer
            } else {
                spelled_out(found)
            };
            if window.len + ascii.len() > WINDOW {
                break;
            }
            for byte in ascii {
                window.bytes[window.len] = *byte;
                window.ends[window.len] = end;
                window.len += 1;
            }
            // A character without width belongs to the one before it.
            if ascii.is_empty() && window.len > 0 {
                window.ends[window.len - 1] = end;
            }
        }
        window
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// What a character beyond ASCII stands for.
fn spelled_out(found: char) -> &'static [u8] {
    match found {
        '½' | '«' => b"1/2",
        '♔' | '♚' => b"K",
        '♕' | '♛' => b"Q",
        '♖' | '♜' => b"R",
        '♗' | '♝' => b"B",
        '♘' | '♞' => b"N",
        '♙' | '♟' => b"P",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{96}' | '\u{97}' => b"-",
        '×' | '✕' | '✖' | '⨯' => b"x",
        'О' | 'о' | 'Ο' | 'ο' | 'Ø' => b"O",
        '…' => b"...",
        '∶' | '：' => b":",
        '†' | '‡' => b"+",
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe0e}' | '\u{fe0f}' | '\u{feff}' => b"",
        '±' | '∓' | '⩲' | '⩱' | '∞' | '÷' | '¹' | '²' | '³' | '°' | '·' | '•' | '¤' | '¬' | '§' | '¶' => {
            &[SIGN]
        }
        '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{e000}'..='\u{f8ff}' => &[SIGN],
        '‘' | '’' | '‚' | '′' => b"'",
        '“' | '”' | '„' | '»' | '″' => b"\"",
        other if other.is_whitespace() || other.is_control() => b" ",
        _ => &[OTHER],
    }
}

/// Reads what stands at `at`, where no word of the standard does; `None` if it is nothing that is known.
/// What comes out ends after `at`.
#[cold]
#[inline(never)]
pub(crate) fn read(position: &Position<'_>, text: &str, at: usize) -> Option<(Spelled, usize)> {
    if matches!(text.as_bytes()[at], b'}' | b')' | b']' | b'"' | b',') {
        return Some((Spelled::Remark, at + 1));
    }
    if let Some(found) = begun_before(position, text, at) {
        return Some(found);
    }
    let window = Window::new(text, at);
    let after_number = text[..at].chars().rev().take(8).find(|before| !before.is_whitespace()) == Some('.');
    let (spelled, len) = match thing(position, window.bytes(), after_number) {
        Some(found) => found,
        None => return brackets(text, at).map(|end| (Spelled::Remark, end)),
    };
    // Nothing but characters without width: to the end of them.
    let end = if len == 0 {
        text[at..].chars().next().map_or(at, |first| at + first.len_utf8())
    } else {
        window.ends[len - 1]
    };
    (end > at).then_some((spelled, end))
}

/// Reads `1 - 0` and `0 - 0` at their dash: what stands before it has passed for a move number.
fn begun_before(position: &Position<'_>, text: &str, at: usize) -> Option<(Spelled, usize)> {
    if !matches!(spelled_out_first(text, at), Some(b'-' | b':')) {
        return None;
    }
    // A few blanks at most, so that none are looked at again and again.
    let blank = text[..at].bytes().rev().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = &text[..at - blank];
    let from = before.strip_suffix(['0', '1'])?.len();
    // The number of a move may end so, but not with the rank of a square before it.
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

/// The first byte of the character at a place, in ASCII.
fn spelled_out_first(text: &str, at: usize) -> Option<u8> {
    let first = text[at..].chars().next()?;
    if first.is_ascii() { Some(first as u8) } else { spelled_out(first).first().copied() }
}

fn castles(position: &Position<'_>, long: bool) -> Spelled {
    let step = Step::Castle { long };
    if position.is_legal(step) { Spelled::Move(step) } else { Spelled::NoMove(SanError::Illegal) }
}

/// Passes over what belongs to no game: blanks, characters of control or without width, stray brackets. Where it ends.
pub(crate) fn skip_strays(text: &str, at: usize) -> usize {
    let mut pauses = Pauses::default();
    let is_stray = |found: char| {
        pauses.step();
        found.is_whitespace()
            || found.is_control()
            || matches!(found, '}' | ')' | '\u{fffd}' | '\u{ff}')
            || spelled_out(found).is_empty()
    };
    text.len() - text[at..].trim_start_matches(is_stray).len()
}

/// Reads a result that ends a game: at the start of a word, behind its last move, or behind a blank or a sign within
/// it. Where it ends.
#[cold]
#[inline(never)]
pub(crate) fn final_result(text: &str, word: &str, at: usize) -> Option<usize> {
    let window = Window::new(text, at);
    let bytes = window.bytes();
    // What ends a sentence belongs to it.
    let at_end = |window: &Window, end: usize| {
        let end = window.ends[end - 1];
        Some(text.len() - text[end..].trim_start_matches(['.', ',', '!', '?']).len())
    };
    if let Some((_, end)) = result(bytes, 0) {
        return at_end(&window, end);
    }
    let move_at = number(bytes).unwrap_or(0);
    let last_move = castling(bytes, move_at).map(|(_, end)| end).or_else(|| Some(shape(bytes, move_at)?.end));
    if let Some((_, end)) = last_move.and_then(|end| result(bytes, signs(bytes, end))) {
        return at_end(&window, end);
    }
    // The longest result has seven characters, and one that is none before it.
    let tail = word.char_indices().rev().nth(7).map_or(0, |(from, _)| from);
    let is_apart =
        |(_, found): &(usize, char)| !(found.is_ascii_alphanumeric() || matches!(found, '-' | '/' | ':' | '½' | '.'));
    word[tail..].char_indices().filter(is_apart).find_map(|(i, found)| {
        let window = Window::new(text, at + tail + i + found.len_utf8());
        result(window.bytes(), 0).and_then(|(_, end)| at_end(&window, end))
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
        [_] => word == "*",
        [.., b'[', b'E', b'v', b'e', b'n', b't'] => true,
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'.' | b'+' | b'#' | b'!' | b'?')),
        [] => false,
    }
}

/// What a window begins with, and how long that is.
fn thing(position: &Position<'_>, bytes: &[u8], after_number: bool) -> Option<(Spelled, usize)> {
    if let Some((found, end)) = result(bytes, 0) {
        return Some((Spelled::Result(found), end));
    }
    if let Some(end) = null_move(bytes) {
        return Some((Spelled::Null, end));
    }
    if let Some((long, end)) = castling(bytes, 0) {
        return Some((castles(position, long), marks(bytes, end)));
    }
    if let Some(end) = number(bytes) {
        return Some((Spelled::Remark, end));
    }
    let found = moves(position, bytes);
    // Behind a number a letter is a move that is cut off.
    let remark = remark(bytes).filter(|end| !(after_number && *end == 1 && bytes[0].is_ascii_alphabetic()));
    match (found, remark) {
        (Some((Ok(step), end)), None) => Some((Spelled::Move(step), marks(bytes, end))),
        (Some((Err(error), end)), None) => Some((Spelled::NoMove(error), marks(bytes, end))),
        (None, Some(end)) => Some((Spelled::Remark, end)),
        // A letter apart is a piece, or a remark on the move before.
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
            Some(b'-') if bytes.get(1).is_some_and(u8::is_ascii_alphabetic) => Some((Spelled::Remark, 1)),
            Some(_) => None,
        },
    }
}

/// The move that a window begins with, and its end.
fn moves(position: &Position<'_>, bytes: &[u8]) -> Option<(Result<Step, SanError>, usize)> {
    let found = shape(bytes, 0).map(|shape| (shape.step(position), shape.end));
    // D is a queen, or the d-file in capitals.
    let mut file = [0; WINDOW];
    if bytes.first() == Some(&b'D') && !matches!(found, Some((Ok(_), _))) {
        file[..bytes.len()].copy_from_slice(bytes);
        file[0] = b'd';
        let other = shape(&file[..bytes.len()], 0).map(|shape| (shape.step(position), shape.end));
        return other.filter(|(step, _)| step.is_ok()).or(found);
    }
    found
}

/// What may stand anywhere.
fn is_stray(byte: u8) -> bool {
    matches!(byte, b' ' | b'}' | b')' | b']' | b',' | b'.' | b':' | b'"' | b'\'' | b'|' | b'_' | b'/' | b'\\' | SIGN)
}

/// A thing ends where this stands: a blank, a sign, a result, or the number of the next move.
fn is_end(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None => true,
        Some(byte) if is_stray(*byte) => *byte != b'/',
        Some(b'{' | b'(' | b'[' | b'<' | b';' | b'$' | b'!' | b'?') => true,
        Some(b'0'..=b'9') => {
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            bytes.get(at + digits) == Some(&b'.') || result(bytes, at).is_some()
        }
        Some(_) => result(bytes, at).is_some(),
    }
}

/// Passes over a few blanks.
fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take(3).take_while(|byte| **byte == b' ').count()
}

/// A result at a place; its end. `1-0`, `1:0`, `1 - 0`, `1-O`, `1/2-1/2`, `0.5-0.5`, `1/2`, `*`.
fn result(bytes: &[u8], at: usize) -> Option<(GameResult, usize)> {
    let rest = bytes.get(at..)?;
    let half = |from: usize| {
        ["1/2", "0.5", "0,5"]
            .iter()
            .find(|half| bytes[from.min(bytes.len())..].starts_with(half.as_bytes()))
            .map(|_| from + 3)
    };
    let separated = |from: usize| {
        let sign = blanks(bytes, from);
        matches!(bytes.get(sign), Some(b'-' | b':')).then(|| blanks(bytes, sign + 1))
    };
    let ends = |end: usize| match bytes.get(end) {
        None => true,
        Some(byte) => {
            is_stray(*byte) && !matches!(byte, b'/' | b':')
                || matches!(*byte, b'{' | b'(' | b'[' | b';' | b'$' | b'!' | b'?' | OTHER)
        }
    };
    if let Some(first) = half(at) {
        let found = match separated(first).and_then(half) {
            Some(second) => Some(second),
            None => rest.starts_with(b"1/2").then_some(first),
        };
        return found.filter(|end| ends(*end)).map(|end| (GameResult::Draw, end));
    }
    let (found, end) = match *rest.first()? {
        b'*' => (GameResult::Unknown, at + 1),
        first @ (b'0' | b'1' | b'O') => {
            let second = separated(at + 1)?;
            match (first, bytes.get(second)?) {
                (b'1', b'0' | b'O') => (GameResult::WhiteWins, second + 1),
                (b'0' | b'O', b'1') => (GameResult::BlackWins, second + 1),
                _ => return None,
            }
        }
        _ => return None,
    };
    ends(end).then_some((found, end))
}

fn null_move(bytes: &[u8]) -> Option<usize> {
    let spellings: [&[u8]; 7] = [b"--", b"Z0", b"@@@@", b"null", b"NULL", b"pass", b"0000"];
    let len = spellings.iter().find(|spelling| bytes.starts_with(spelling)).map(|spelling| spelling.len())?;
    is_end(bytes, marks(bytes, len)).then_some(len)
}

/// Castling at a place, whether it is long, and its end.
fn castling(bytes: &[u8], at: usize) -> Option<(bool, usize)> {
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
    // Without dashes all letters are the same.
    let alike = bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count();
    match alike {
        2 | 3 => Some((alike == 3, at + alike)).filter(|(_, end)| ends(end)),
        _ => None,
    }
}

/// The end of a move number with its dots or other signs, and of the number alone before a move.
fn number(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 4 {
        return None;
    }
    let signs =
        bytes[digits..].iter().take_while(|byte| matches!(byte, b'.' | b',' | b':' | b')' | b'-' | b'_')).count();
    match bytes.get(digits + signs) {
        None | Some(b' ') => Some(digits + signs),
        Some(b'/' | b'=') => None,
        Some(next) if next.is_ascii_alphabetic() || signs > 0 && !next.is_ascii_digit() => Some(digits + signs),
        Some(_) => None,
    }
}

/// The end of the signs of check and the like behind a move: `+`, `#`, `!?`, `=`, `+-`, `e.p.`, `ch`, `N`.
fn marks(bytes: &[u8], at: usize) -> usize {
    let mut at = signs(bytes, at);
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        let words: [&[u8]; 13] =
            [b"e.p.", b"e.p", b"ep.", b"ep", b"dblch", b"dbl", b"dis", b"ch.", b"ch", b"mate", b"TN", b"N", b"D"];
        let word = words
            .iter()
            .find(|word| rest.starts_with(word) && !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric));
        match word {
            Some(word) => at = signs(bytes, at + word.len()),
            None => return at,
        }
    }
}

/// The end of a run of signs; a sign before a result is its own.
fn signs(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        if !matches!(*byte, b'+' | b'-' | b'/' | b'=' | b'#' | b'!' | b'?' | b'^' | b':' | SIGN)
            || result(bytes, at).is_some()
        {
            break;
        }
        at += 1;
    }
    at
}

/// Words that say something of a move or of the end.
const WORDS: [&[u8]; 28] = [
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

/// The end of signs or of a word that plays nothing.
fn remark(bytes: &[u8]) -> Option<usize> {
    let end = signs(bytes, 0);
    if end > 0 && is_end(bytes, end) {
        return Some(end);
    }
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'.').count();
    if matches!(&bytes[..letters], b"N" | b"D" | b"TN") && is_end(bytes, letters) {
        return Some(letters);
    }
    let word = bytes[..letters].to_ascii_lowercase();
    let known = WORDS.contains(&word.strip_suffix(b".").unwrap_or(&word)) || WORDS.contains(&word.as_slice());
    (known && is_end(bytes, letters)).then_some(letters)
}

/// The end of `[…]` or `<…>`, which are no tags.
fn brackets(text: &str, at: usize) -> Option<usize> {
    let inside = &text.as_bytes()[at..];
    let close = match inside.first()? {
        b'[' => b']',
        b'<' => b'>',
        _ => return None,
    };
    let len = inside.iter().take(MAX_BRACKETS).position(|byte| *byte == close)?;
    (!inside[..len].contains(&b'"')).then_some(at + len + 1)
}

/// What the text of a move says.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The roles that may move, a bit each; two where a letter has two meanings.
    roles: u8,
    from: u64,
    to: u64,
    /// Whether something is taken for certain.
    takes: bool,
    /// The role of what is taken.
    victim: Option<u8>,
    promotion: Option<u8>,
    /// Where the text ends, without marks.
    end: usize,
}

impl Shape {
    /// The one legal move of this shape.
    fn step(&self, position: &Position<'_>) -> Result<Step, SanError> {
        let mut found = None;
        for role in PAWN..=KING {
            if self.roles >> role & 1 == 0 {
                continue;
            }
            for to in members(self.to) {
                if self.promotion.is_some() != (role == PAWN && is_last_rank(to))
                    || self.takes && !position.takes(role, to)
                    || self.victim.is_some_and(|victim| position.kind_at(to) % 6 != victim || !position.takes(role, to))
                {
                    continue;
                }
                for from in members(position.sources(role, to) & self.from) {
                    if position.is_safe(from, to)
                        && found.replace(Step::Plain { from, to, promotion: self.promotion }).is_some()
                    {
                        return Err(SanError::Ambiguous);
                    }
                }
            }
        }
        if found.is_none() && self.roles >> KING & 1 == 1 && self.from.is_power_of_two() && self.to.is_power_of_two() {
            found = position.step(self.from.trailing_zeros() as u8, self.to.trailing_zeros() as u8, self.promotion);
        }
        found.ok_or(SanError::Illegal)
    }
}

/// Files and ranks as a move's text names them.
#[derive(Clone, Copy, Default)]
struct Place {
    file: Option<u8>,
    rank: Option<u8>,
}

impl Place {
    fn squares(self) -> u64 {
        let file = self.file.map_or(!0, |file| 0x0101_0101_0101_0101 << file);
        self.rank.map_or(file, |rank| file & 0xff << (8 * rank))
    }

    fn is_square(self) -> bool {
        self.file.is_some() && self.rank.is_some()
    }
}

fn place(bytes: &[u8], at: usize, capital: bool) -> (Place, usize) {
    let mut place = Place::default();
    let mut end = at;
    match bytes.get(end) {
        Some(file @ b'a'..=b'h') => place.file = Some(file - b'a'),
        Some(file @ b'A'..=b'H') if capital && matches!(bytes.get(end + 1), Some(b'1'..=b'8')) => {
            place.file = Some(file - b'A')
        }
        _ => (),
    }
    end += usize::from(place.file.is_some());
    if let Some(rank @ b'1'..=b'8') = bytes.get(end) {
        place.rank = Some(rank - b'1');
        end += 1;
    }
    (place, end)
}

/// The role that a letter stands for: English, and German, Dutch or Scandinavian where that is another letter.
fn role(letter: u8) -> Option<u8> {
    Some(match letter {
        b'P' => PAWN,
        b'N' | b'S' | b'n' => KNIGHT,
        b'B' | b'L' => BISHOP,
        b'R' | b'T' | b'r' => ROOK,
        b'Q' | b'D' | b'q' => QUEEN,
        b'K' | b'k' => KING,
        _ => return None,
    })
}

const ALL_ROLES: u8 = 0x3f;

/// Reads the shape of a move.
fn shape(bytes: &[u8], at: usize) -> Option<Shape> {
    let first = *bytes.get(at)?;
    let is_square = matches!(bytes.get(at + 1), Some(b'1'..=b'8'))
        && !matches!(bytes.get(at + 2), Some(b'a'..=b'h' | b'x' | b'A'..=b'H'));
    let mut roles = match role(first) {
        // D5 and B5 are squares in capitals.
        Some(_) if is_square => None,
        Some(role) => Some(1 << role),
        // A bishop in small letters where no pawn of the b-file gets to.
        None if first == b'b' && matches!(bytes.get(at + 1), Some(b'b' | b'd'..=b'h')) => Some(1 << BISHOP),
        None if first == b'b'
            && bytes.get(at + 1) == Some(&b'x')
            && matches!(bytes.get(at + 2), Some(b'b' | b'd'..=b'h')) =>
        {
            Some(1 << BISHOP)
        }
        None => None,
    };
    let mut from = at + usize::from(roles.is_some());
    // A letter apart, or R(a)d1.
    let mut origin = Place::default();
    if roles.is_some() {
        from = blanks(bytes, from);
        if let Some([b'(', inside, b')']) = bytes.get(from..from + 3) {
            (origin, _) = place(&[*inside], 0, false);
            if origin.file.is_none() && origin.rank.is_none() {
                return None;
            }
            from += 3;
        }
    }
    let (mut target, mut end) = (Place::default(), from);
    if origin.file.is_none() && origin.rank.is_none() {
        (target, end) = place(bytes, from, true);
    }
    let (sign, after_sign, takes) = separator(bytes, end);
    let (mut second, mut second_end) = place(bytes, after_sign, true);
    let mut victim = None;
    if !second.is_square() && takes && second.rank.is_none() {
        // BxN, and nothing more said of where.
        let taken = bytes.get(after_sign).filter(|letter| letter.is_ascii_uppercase()).and_then(|letter| role(*letter));
        if let Some(taken) =
            taken.filter(|_| !bytes.get(after_sign + 1).is_some_and(|next| next.is_ascii_alphanumeric()))
        {
            victim = Some(taken);
            second = Place::default();
            second_end = after_sign + 1;
        }
    }
    let is_pawn = roles.is_none_or(|roles| roles == 1 << PAWN);
    let mut must_take = false;
    if second.is_square() && (sign || roles.is_some() || target.file.is_some()) {
        // A first place of rank alone without a piece is none: that would be a move number.
        if roles.is_none() && target.file.is_none() && !takes {
            return None;
        }
        if origin.file.is_none() && origin.rank.is_none() {
            origin = target;
        }
        (target, end) = (second, second_end);
    } else if victim.is_some() {
        if roles.is_none() && target.file.is_none() {
            return None;
        }
        (origin, target, end) = (target, Place::default(), second_end);
    } else if is_pawn
        && target.file.is_some()
        && target.rank.is_none()
        && second.file.is_some()
        && second.rank.is_none()
    {
        // exd, ed: from one file to the next.
        (origin, target, end) = (target, second, second_end);
        must_take = true;
    } else if !target.is_square() {
        return None;
    }
    if roles.is_none() && origin.is_square() {
        roles = Some(ALL_ROLES);
    }
    let roles = roles.unwrap_or(1 << PAWN);
    let mut promotion = None;
    if roles & 1 << PAWN != 0 && target.rank.is_none_or(|rank| matches!(rank, 0 | 7)) {
        (promotion, end) = promotes(bytes, end);
    }
    let shape = Shape { roles, from: origin.squares(), to: target.squares(), takes: must_take, victim, promotion, end };
    // "ed" in a word is no move.
    is_end(bytes, marks(bytes, end)).then_some(shape)
}

/// Signs between two squares: whether there are any, their end, whether they say that something is taken.
fn separator(bytes: &[u8], at: usize) -> (bool, usize, bool) {
    let from = blanks(bytes, at);
    let (end, takes) = match bytes.get(from) {
        Some(b'x' | b'X') => (blanks(bytes, from + 1), true),
        Some(b'-') if matches!(bytes.get(from + 1), Some(b'x' | b':')) => (from + 2, true),
        Some(b'-') => (blanks(bytes, from + 1), false),
        // Behind a blank these belong to no move.
        Some(b':' | b'*') if from == at => (from + 1, true),
        _ => return (false, at, false),
    };
    (true, end, takes)
}

/// What a pawn becomes, and where that ends: `=Q`, `Q`, `q`, `(Q)`, `/Q`.
fn promotes(bytes: &[u8], at: usize) -> (Option<u8>, usize) {
    let mut from = blanks(bytes, at);
    let opened = bytes.get(from) == Some(&b'(');
    if opened || matches!(bytes.get(from), Some(b'=' | b'/' | b':')) {
        from = blanks(bytes, from + 1);
    } else {
        from = at;
    }
    let letter = bytes.get(from).map(|letter| if *letter == b'b' { b'B' } else { *letter });
    let Some(found) = letter.and_then(role).filter(|role| (KNIGHT..=QUEEN).contains(role)) else { return (None, at) };
    match (opened, bytes.get(from + 1)) {
        (true, Some(b')')) => (Some(found), from + 2),
        (true, _) => (None, at),
        (false, _) => (Some(found), from + 1),
    }
}
