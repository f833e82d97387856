//! Informal notation of moves: takes a position and the bytes of a [`Window`](super::window::Window), returns the only
//! legal move that matches.

use super::marks::{blanks, castling, is_end, marks};
use super::window::WINDOW;
use crate::board::kinds::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK};
use crate::board::squares::members;
use crate::game::legality::{Position, is_last_rank};
use crate::game::slots::Step;
use crate::text::san::SanError;

/// The move at the start of a window, and its end.
pub(super) fn moves(position: &Position<'_>, bytes: &[u8]) -> Option<(Result<Step, SanError>, usize)> {
    let found = shape(bytes, 0).map(|shape| (shape.step(position), shape.end));
    // D is a queen (Dame), or the d-file in upper case.
    let mut file = [0; WINDOW];
    if bytes.first() == Some(&b'D') && !matches!(found, Some((Ok(_), _))) {
        file[..bytes.len()].copy_from_slice(bytes);
        file[0] = b'd';
        let other = shape(&file[..bytes.len()], 0).map(|shape| (shape.step(position), shape.end));
        return other.filter(|(step, _)| step.is_ok()).or(found);
    }
    found
}

/// The squares and the promotion of a move in the numeric notation of correspondence chess at the start of a window: files
/// and ranks as digits, `5254`, and a fifth for the piece, `57581`. Its end, too.
pub(super) fn numeric(bytes: &[u8]) -> Option<(u8, u8, Option<u8>, usize)> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let square = |at: usize| match bytes[at..] {
        [file @ b'1'..=b'8', rank @ b'1'..=b'8', ..] => Some(8 * (rank - b'1') + (file - b'1')),
        _ => None,
    };
    let promotion = match (digits, bytes.get(4)) {
        (4, _) => None,
        (5, Some(piece @ b'1'..=b'4')) => Some([QUEEN, ROOK, BISHOP, KNIGHT][usize::from(piece - b'1')]),
        _ => return None,
    };
    let ends = bytes.get(digits) != Some(&b'.') && is_end(bytes, marks(bytes, digits));
    Some((square(0)?, square(2)?, promotion, digits)).filter(|_| ends)
}

/// Whether a move that begins with a digit stands at `at`: castling with zeros, or one in numbers.
pub(super) fn is_numeral_move(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit) && (castling(bytes, at).is_some() || numeric(&bytes[at..]).is_some())
}

/// The end of a move number, with its dots or other signs if it has them.
pub(super) fn number(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_alone = || matches!(bytes.get(digits), None | Some(b' '));
    if digits == 0 || digits > 4 && !is_alone() {
        return None;
    }
    let signs =
        bytes[digits..].iter().take_while(|byte| matches!(byte, b'.' | b',' | b':' | b')' | b'-' | b'_')).count();
    // The last digit of `40-0` is of castling; that of `100-0-0` may be.
    if digits > 1
        && bytes[digits - 1] == b'0'
        && let Some((long, _)) = castling(bytes, digits - 1)
    {
        return (!long).then_some(digits - 1);
    }
    match bytes.get(digits + signs) {
        None | Some(b' ') => Some(digits + signs),
        Some(_) if signs > 0 && is_numeral_move(bytes, digits + signs) => Some(digits + signs),
        Some(b'/' | b'=') => None,
        Some(next) if next.is_ascii_alphabetic() || signs > 0 && !next.is_ascii_digit() => Some(digits + signs),
        Some(_) => None,
    }
}

/// A parsed move, before it is applied to a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// A bit for each role that the moving piece may have.
    roles: u8,
    from: u64,
    to: u64,
    /// Whether it must be a capture.
    takes: bool,
    /// The role of the captured piece, if it is named.
    victim: Option<u8>,
    promotion: Option<u8>,
    /// The end of the text, without marks.
    pub(super) end: usize,
}

impl Shape {
    /// The only legal move of this shape.
    fn step(&self, position: &Position<'_>) -> Result<Step, SanError> {
        match self.steps(position)[..] {
            [] => Err(SanError::Illegal),
            [step] => Ok(step),
            _ => Err(SanError::Ambiguous),
        }
    }

    /// All legal moves of this shape.
    pub(super) fn steps(&self, position: &Position<'_>) -> Vec<Step> {
        let mut found = Vec::new();
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
                    if position.is_safe(from, to) {
                        found.push(Step::Plain { from, to, promotion: self.promotion });
                    }
                }
            }
        }
        if found.is_empty() && self.roles >> KING & 1 == 1 && self.from.is_power_of_two() && self.to.is_power_of_two() {
            let squares = (self.from.trailing_zeros() as u8, self.to.trailing_zeros() as u8);
            found.extend(position.step(squares.0, squares.1, self.promotion));
        }
        found
    }
}

/// The file and the rank in the text of a move.
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
        Some(file @ b'A'..=b'H') if capital && matches!(bytes.get(end + 1), Some(b'1'..=b'8' | b'x' | b'X')) => {
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

/// The role for a letter in English, or in German, Dutch or Scandinavian languages if it is not ambiguous.
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

/// The piece whose letter stands at `at`, as a set of one role; `None` if a square begins there.
fn mover(bytes: &[u8], at: usize) -> Option<u8> {
    let first = *bytes.get(at)?;
    // D5 and B5 are squares in upper case
    let is_square = matches!(first, b'B' | b'D')
        && matches!(bytes.get(at + 1), Some(b'1'..=b'8'))
        && !matches!(bytes.get(at + 2), Some(b'a'..=b'h' | b'x' | b'A'..=b'H'));
    if is_square {
        return None;
    }
    // a bishop in lower case, if no pawn from the b-file can get there
    let target = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'x'));
    let is_bishop = first == b'b' && matches!(bytes.get(target), Some(b'b' | b'd'..=b'h'));
    role(first).or(is_bishop.then_some(BISHOP)).map(|role| 1 << role)
}

/// The piece that is taken, as in BxN, where a letter at `at` ends the word.
fn victim(bytes: &[u8], at: usize) -> Option<u8> {
    let letter = bytes.get(at).filter(|letter| letter.is_ascii_uppercase())?;
    let ends = !bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric());
    role(*letter).filter(|_| ends)
}

/// Parses the shape of a move at `at`.
pub(super) fn shape(bytes: &[u8], at: usize) -> Option<Shape> {
    let mut roles = mover(bytes, at);
    let mut from = at + usize::from(roles.is_some());
    // a letter followed by spaces, or R(a)d1
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
    let mut taken = None;
    if !second.is_square() && takes && second.rank.is_none() {
        taken = victim(bytes, after_sign);
        if taken.is_some() {
            (second, second_end) = (Place::default(), after_sign + 1);
        }
    }
    let is_pawn = roles.is_none_or(|roles| roles == 1 << PAWN);
    let mut must_take = false;
    if second.is_square() && (sign || roles.is_some() || target.file.is_some()) {
        // A rank alone without a piece would be a move number.
        if roles.is_none() && target.file.is_none() && !takes {
            return None;
        }
        if origin.file.is_none() && origin.rank.is_none() {
            origin = target;
        }
        (target, end) = (second, second_end);
    } else if taken.is_some() {
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
        // exd, ed: from one file to another
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
    let shape =
        Shape { roles, from: origin.squares(), to: target.squares(), takes: must_take, victim: taken, promotion, end };
    // "ed" inside a word is not a move
    is_end(bytes, marks(bytes, end)).then_some(shape)
}

/// Parses the sign between two squares: whether there is one, its end, whether it marks a capture.
fn separator(bytes: &[u8], at: usize) -> (bool, usize, bool) {
    let from = blanks(bytes, at);
    let (end, takes) = match bytes.get(from) {
        Some(b'x' | b'X') => (blanks(bytes, from + 1), true),
        Some(b'-') if matches!(bytes.get(from + 1), Some(b'x' | b':')) => (from + 2, true),
        Some(b'-') => (blanks(bytes, from + 1), false),
        // after a space these are not part of a move
        Some(b':' | b'*') if from == at => (from + 1, true),
        _ => return (false, at, false),
    };
    (true, end, takes)
}

/// Parses a promotion: `=Q`, `Q`, `q`, `(Q)`, `/Q`. Returns the role and the end.
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
