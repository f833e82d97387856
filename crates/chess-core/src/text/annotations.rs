//! Clocks and evaluations in the comments of a move text: `{[%clk 0:03:00] [%eval 0.17]}`.
//!
//! A comment belongs to the half-move before it; those in variations are ignored. Of several clocks or
//! evaluations after a half-move the first counts. What cannot be read is ignored.
//!
//! * a clock is in tenths of a second: `0:03:00` is 1800, `0:00:09.5` is 95
//! * an evaluation is in centipawns, from White's side: `0.17` is 17; mate in n half-way between
//!   numbers and infinity: `#3` is 99997 and `#-3` is -99997 ([`MATE`] less n), `#0` is [`MATE`]

use crate::text::movetext::{TokenKind, Tokens, at_line_start, is_move, line_end};

/// Mate on the board, and the bound of all evaluations.
pub const MATE: i32 = 100_000;

/// The most that an evaluation without mate can be: ten moves short of a mate in 10,000.
const MAX_CENTIPAWNS: i32 = 89_990;

/// What the comments of a game say: an entry for each half-move, or nothing if no half-move has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Tenths of a second left for the side that has moved.
    pub clocks: Option<Vec<Option<i32>>>,
    /// Evaluations after the half-move.
    pub evals: Option<Vec<Option<i32>>>,
}

impl Annotations {
    /// Reads the comments of a move text whose moves have been read: `plies` half-moves.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::annotations::Annotations;
    ///
    /// let read = Annotations::read("1. e4 {[%eval 0.17] [%clk 0:01:00]} e5 {[%clk 0:00:59.5]} *", 2);
    /// assert_eq!(read.clocks, Some(vec![Some(600), Some(595)]));
    /// assert_eq!(read.evals, Some(vec![Some(17), None]));
    /// ```
    pub fn read(movetext: &str, plies: u32) -> Annotations {
        if !movetext.contains("[%") {
            return Annotations::default();
        }
        let plies = plies as usize;
        let mut clocks = vec![None; plies];
        let mut evals = vec![None; plies];
        let mut tokens = Tokens::new(movetext, 0);
        let mut ply = 0;
        let mut depth = 0u32;
        loop {
            let from = tokens.at;
            let token = tokens.next();
            let to = token.map_or(movetext.len(), |token| token.at);
            if depth == 0 && (1..=plies).contains(&ply) {
                for command in commands(movetext, from, to) {
                    let (place, value) = match command {
                        Command::Clock(value) => (&mut clocks[ply - 1], value),
                        Command::Eval(value) => (&mut evals[ply - 1], value),
                    };
                    place.get_or_insert(value);
                }
            }
            match token.map(|token| (token.kind, token.text)) {
                None => break,
                Some((TokenKind::Open, _)) => depth += 1,
                Some((TokenKind::Close, _)) => depth = depth.saturating_sub(1),
                Some((TokenKind::Word, word)) => ply += usize::from(depth == 0 && is_move(word)),
                Some(_) => (),
            }
        }
        // The moves were counted differently than they were played: better nothing than the wrong move.
        if ply != plies {
            return Annotations::default();
        }
        let present = |values: Vec<Option<i32>>| values.iter().any(Option::is_some).then_some(values);
        Annotations { clocks: present(clocks), evals: present(evals) }
    }
}

enum Command {
    Clock(i32),
    Eval(i32),
}

/// The commands in the comments of `text[from..to]`, which holds comments, glyphs and blanks alone.
fn commands(text: &str, from: usize, to: usize) -> impl Iterator<Item = Command> + '_ {
    let mut at = from;
    let mut end_of_comment = from;
    std::iter::from_fn(move || {
        while at < to {
            let rest = &text[at..to];
            if at >= end_of_comment {
                // Outside of comments: to the next one.
                match rest.as_bytes()[0] {
                    b'{' => end_of_comment = rest.find('}').map_or(to, |len| at + len),
                    b';' => end_of_comment = line_end(text, at),
                    b'%' if at_line_start(text, at) => at = line_end(text, at).saturating_sub(1),
                    _ => (),
                }
                at += 1;
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                continue;
            }
            let inside = &text[at..end_of_comment];
            let Some(open) = inside.find("[%") else {
                at = end_of_comment;
                continue;
            };
            let command = &inside[open + 2..];
            let len = command.find(']').unwrap_or(command.len());
            at += open + 2 + len;
            let (name, value) = command[..len].split_once(char::is_whitespace).unwrap_or((&command[..len], ""));
            let found = match name {
                "clk" => clock(value.trim()).map(Command::Clock),
                "eval" => eval(value.trim()).map(Command::Eval),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

/// `h:mm:ss`, `mm:ss` or `ss`, the seconds perhaps with a fraction.
fn clock(text: &str) -> Option<i32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || whole.split(':').count() > 3 {
        return None;
    }
    let mut seconds = 0i32;
    for part in whole.split(':') {
        if part.is_empty() || part.len() > 6 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let tenth = fraction.bytes().next().map_or(0, |digit| i32::from(digit - b'0'));
    seconds.checked_mul(10)?.checked_add(tenth)
}

/// Pawns, or `#n`; a depth may follow after a comma.
fn eval(text: &str) -> Option<i32> {
    let text = text.split(',').next().unwrap_or(text).trim();
    let (negative, digits) = match text.strip_prefix('#') {
        Some(mate) => {
            let (negative, digits) = sign(mate);
            let moves: i32 = digits.parse().ok().filter(|moves| (0..10_000).contains(moves))?;
            let value = MATE - moves;
            return Some(if negative { -value } else { value });
        }
        None => sign(text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || whole.len() > 6 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let digit = |n: usize| fraction.as_bytes().get(n).map_or(0, |digit| i32::from(digit - b'0'));
    let pawns: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let value = (pawns * 100 + digit(0) * 10 + digit(1) + i32::from(digit(2) >= 5)).min(MAX_CENTIPAWNS);
    Some(if negative { -value } else { value })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Writes a clock as `[%clk …]` holds it.
pub fn write_clock(tenths: i32) -> String {
    let seconds = tenths.max(0) / 10;
    let clock = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if tenths.max(0) % 10 == 0 { clock } else { format!("{clock}.{}", tenths % 10) }
}

/// Writes an evaluation as `[%eval …]` holds it.
pub fn write_eval(eval: i32) -> String {
    let sign = if eval < 0 { "-" } else { "" };
    let size = eval.unsigned_abs();
    if size > MAX_CENTIPAWNS as u32 {
        return format!("#{sign}{}", (MATE as u32).saturating_sub(size));
    }
    format!("{sign}{}.{:02}", size / 100, size % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_their_half_moves() {
        let text = "{[%clk 9:00:00]} 1. e4 $1 {x} {[%clk 0:03:00]} (1. d4 {[%clk 1:00:00] [%eval 3.0]} d5) 1... e5! \
                    { [%eval -1.255,20] [%clk 0:02:59.9] [%clk 0:00:01] }\n; [%clk 0:00:07]\n2.Nf3 ; [%eval #-3]\nexd6 e.p. \
                    {\u{e9} [%csl Ra1][%eval bad] [%eval #4]} 0-0 {[%eval .5} 1-0 {[%eval 1]}";
        let read = Annotations::read(text, 5);
        assert_eq!(read.clocks, Some(vec![Some(1800), Some(1799), None, None, None]));
        assert_eq!(read.evals, Some(vec![None, Some(-126), Some(-99_997), Some(99_996), Some(50)]));
        assert_eq!(Annotations::read(text, 4), Annotations::default());
        assert_eq!(Annotations::read("1. e4 {no} *", 1), Annotations::default());
    }

    #[test]
    fn written_as_read() {
        for tenths in [0, 5, 600, 35_999, 36_000, 1_234_567] {
            assert_eq!(clock(&write_clock(tenths)), Some(tenths));
        }
        for value in [0, 1, -5, 17, -100, 12_345, 89_990, 99_997, -99_997, MATE, -MATE, 90_001] {
            assert_eq!(eval(&write_eval(value)), Some(value));
        }
        assert_eq!(
            (clock("90"), clock("1:30"), clock("1:2:3:4"), clock("0:0a:1"), clock("")),
            (Some(900), Some(900), None, None, None)
        );
        assert_eq!(
            (eval("999999"), eval("-0.01"), eval("+2"), eval("x"), eval("#x"), eval("")),
            (Some(89_990), Some(-1), Some(200), None, None, None)
        );
    }
}
