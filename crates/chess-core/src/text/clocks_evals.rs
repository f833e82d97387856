//! Clocks and evaluations in the comments of a move text: `{[%clk 0:03:00] [%eval 0.17]}`.
//!
//! A comment belongs to the half-move before it; those in variations are ignored. If a half-move has several clocks or
//! evaluations, the first one counts. Unreadable values are ignored.
//!
//! * clocks are in tenths of a second: `0:03:00` is 1800, `0:00:09.5` is 95
//! * evaluations are in centipawns from White's point of view: `0.17` is 17; `#3`, mate in 3, is 99997 ([`MATE`] less 3),
//!   `#-3` is -99997. `#0` is a mate on the board: [`MATE`] if White has moved, less than 0 if Black has. `-#3`, `-M3` and `M-3` mean the same as `#-3`. A whole number with a depth behind a
//!   comma (`17,20`) is in centipawns, as ChessBase writes it
//! * comments of engine matches are evaluations, too: `+0.31/20 1.2s` of cutechess and fastchess and `(+0.31/20)` of others
//!   are from the side that has moved, and their mates (`-M16/30`) are counted in half-moves; `wv=0.31` in the comments of
//!   TCEC is White's, `ev=0.31` that of the side that has moved
//!
//! # In columns and in the text
//!
//! Values in columns need not be kept in the annotated text. [`Commands::text_without`] removes them,
//! [`Commands::text_with`] inserts them again at the same places:
//! * a comment that is exactly what [`comment`] writes, immediately after a half-move and its glyphs, is removed
//! * from other comments, such as `{[%clk 0:03:00] a novelty}`, the value is removed: `{[%clk] a novelty}`
//! * a value that the column cannot reproduce, such as `[%clk 0:03:00.57]`, stays in the text
//!
//! The text with inserted values has the same comments as the original, and removing them again gives the same text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::game::GameRef;
use crate::game::start::GameStart;
use crate::pause::Pauses;
use crate::text::tokens::{TokenKind, Tokens};
use crate::text::walk::{Event, Walk};
use crate::text::words::is_en_passant;

/// The evaluation of a mate on the board; the bound of all evaluations.
pub const MATE: i32 = 100_000;

/// The bound of evaluations without mate, below that of a mate in 10,000 moves.
const MAX_CENTIPAWNS: i32 = 89_990;

/// Clocks and evaluations of a game: a value for each half-move, or `None` if no half-move has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClocksEvals {
    /// Tenths of a second left for the side that has moved.
    pub clocks: Option<Vec<Option<i32>>>,
    /// Evaluations after the half-move.
    pub evals: Option<Vec<Option<i32>>>,
}

impl ClocksEvals {
    /// Reads the comments in a move text of `game`.
    ///
    /// # Examples
    ///
    /// ```
    /// use chess_core::text::{clocks_evals::ClocksEvals, movetext};
    ///
    /// let text = "1. e4 {[%eval 0.17] [%clk 0:01:00]} e5 {[%clk 0:00:59.5]} *";
    /// let read = ClocksEvals::read(text, movetext::read(text)?.view());
    /// assert_eq!(read.clocks, Some(vec![Some(600), Some(595)]));
    /// assert_eq!(read.evals, Some(vec![Some(17), None]));
    /// # Ok::<_, movetext::MovetextError>(())
    /// ```
    pub fn read(movetext: &str, game: GameRef<'_>) -> ClocksEvals {
        if may_have_values(movetext) { Commands::find(movetext, game).values() } else { ClocksEvals::default() }
    }

    /// Removes values that no comment can express, such as negative clocks. Returns the numbers of removed clocks and
    /// evaluations.
    pub fn drop_unwritable(&mut self) -> [usize; 2] {
        let drop = |values: &mut Option<Vec<Option<i32>>>, reads_back: fn(i32) -> bool| {
            let unwritable = values.iter_mut().flatten().filter(|value| value.is_some_and(|value| !reads_back(value)));
            unwritable.map(|value| *value = None).count()
        };
        [
            drop(&mut self.clocks, |value| clock(&write_clock(value)) == Some(value)),
            drop(&mut self.evals, |value| eval(&write_eval(value)) == Some(value)),
        ]
    }

    /// The values of a half-move, counted from 0, as a comment without braces; empty if there are none.
    pub fn comment(&self, place: usize) -> String {
        comment(self.eval(place), self.clock(place))
    }

    fn clock(&self, place: usize) -> Option<i32> {
        self.clocks.as_ref()?.get(place).copied().flatten()
    }

    fn eval(&self, place: usize) -> Option<i32> {
        self.evals.as_ref()?.get(place).copied().flatten()
    }

    fn value(&self, kind: Kind, place: usize) -> Option<i32> {
        match kind {
            Kind::Clock => self.clock(place),
            Kind::Eval => self.eval(place),
        }
    }
}

/// Whether a text can have clocks or evaluations. Looks only at how its comments begin.
pub fn may_have_values(movetext: &str) -> bool {
    if movetext.contains("[%") {
        return true;
    }
    let mut tokens = Tokens::new(if movetext.contains('{') { movetext } else { "" }, 0);
    std::iter::from_fn(|| tokens.next_with_notes()).any(|token| match token.kind {
        TokenKind::Comment | TokenKind::UnterminatedComment => {
            of_match(token.text[1..].trim_end_matches('}')).is_some()
        }
        // The reader of moves may count the semicolon to a nested comment, and find values behind it.
        TokenKind::LineComment | TokenKind::Escape => token.text.contains('{'),
        _ => false,
    })
}

/// The values of a half-move as a comment without braces; empty if there are none.
pub fn comment(eval: Option<i32>, clock: Option<i32>) -> String {
    let mut text = String::new();
    if let Some(eval) = eval {
        let _ = write!(text, "[%eval {}]", write_eval(eval));
    }
    if let Some(clock) = clock {
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}[%clk {}]", write_clock(clock));
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Eval,
    Clock,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Eval, Kind::Clock];

    /// The command without a value.
    fn bare(self) -> &'static str {
        match self {
            Kind::Eval => "[%eval]",
            Kind::Clock => "[%clk]",
        }
    }

    /// The command with a value.
    fn with(self, value: i32) -> String {
        match self {
            Kind::Eval => comment(Some(value), None),
            Kind::Clock => comment(None, Some(value)),
        }
    }
}

/// A command in a comment.
#[derive(Clone, Debug)]
struct Command {
    kind: Kind,
    /// Its range in the text, including brackets.
    place: Range<usize>,
    /// `None` for a bare command, whose value is in the column.
    value: Option<i32>,
}

/// The comments after a half-move.
#[derive(Clone, Debug, Default)]
struct Spot {
    /// The end of the half-move with its glyphs.
    behind: usize,
    /// The range of a comment immediately there, with braces, if no glyph follows it.
    first: Option<Range<usize>>,
    commands: Vec<Command>,
}

impl Spot {
    /// The first command of a kind, with or without a value.
    fn first(&self, kind: Kind, bare: bool) -> Option<&Command> {
        self.commands.iter().find(|command| command.kind == kind && command.value.is_none() == bare)
    }

    /// The number of commands of a kind.
    fn count(&self, kind: Kind) -> usize {
        self.commands.iter().filter(|command| command.kind == kind).count()
    }
}

/// The commands for clocks and evaluations in the comments of a game's main line, with their places.
#[derive(Clone, Debug)]
pub struct Commands<'a> {
    text: &'a str,
    /// One for each half-move of the game; empty if the text is of another game.
    spots: Vec<Spot>,
    /// The number of parts of the text other than moves and a result.
    notes: usize,
    /// Whether a comment contains the brace of another one.
    nested: bool,
}

/// Where a part of the text stands.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// Whether only glyphs stand between the half-move and this part.
    is_right: bool,
    /// Whether the part before this one is the first comment of the half-move.
    was_comment: bool,
}

impl Spot {
    /// Takes a comment of a half-move by `turn`. Returns whether it is the first one, right behind the half-move.
    fn take(&mut self, text: &str, said: &str, is_right_behind: bool, turn: u8) -> bool {
        let from = said.as_ptr() as usize - text.as_ptr() as usize;
        let to = from + said.len();
        let braced = from > 0 && text[..from].ends_with('{') && text[to..].starts_with('}');
        // Not after an attached move number: an inserted comment would separate it.
        let apart = text[self.behind..].starts_with(|next: char| next.is_whitespace() || next == '{');
        let is_first = is_right_behind && braced && apart;
        if is_first {
            self.first = Some(from - 1..to + 1);
        }
        let known = self.commands.len();
        commands(said, from, &mut self.commands);
        for command in &mut self.commands[known..] {
            if let Some(MATE) = command.value.map(i32::abs).filter(|_| command.kind == Kind::Eval) {
                command.value = Some(if turn == 0 { MATE } else { -MATE });
            }
        }
        if let Some((place, value, view)) = of_match(said) {
            let blacks = view == View::Mover && turn == 1;
            let value = Some(if blacks { -value } else { value });
            let place = from + place.start..from + place.end;
            self.commands.push(Command { kind: Kind::Eval, place, value });
        }
        is_first
    }
}

impl<'a> Commands<'a> {
    /// Finds them in a move text of `game`.
    pub fn find(text: &'a str, game: GameRef<'_>) -> Commands<'a> {
        let mut found = Commands { text, spots: Vec::new(), notes: 0, nested: false };
        let own_start;
        let start = if game.has_custom_start() {
            let Some(start) = game.start_board().ok().and_then(|board| GameStart::new(&board).ok()) else {
                return found;
            };
            own_start = start;
            &own_start
        } else {
            GameStart::standard()
        };
        let mut behind = Behind::default();
        Walk::new(start, text).each(|walk, event| {
            found.notes += usize::from(match event {
                Event::Move | Event::Result(_) | Event::Close => false,
                Event::Word(word) => !is_en_passant(word),
                Event::Remark(_) | Event::Comment(_) | Event::Glyph(_) | Event::Open => true,
            });
            if walk.number() > 0 || event == Event::Close || walk.line_end().is_some() {
                behind = Behind::default();
                return;
            }
            let last = behind;
            behind = Behind { is_right: event == Event::Move, was_comment: false };
            match event {
                Event::Move => found.spots.push(Spot { behind: walk.at(), ..Spot::default() }),
                Event::Glyph(_) => {
                    behind.is_right = last.is_right;
                    if let Some(spot) = found.spots.last_mut() {
                        if last.was_comment {
                            spot.first = None;
                        }
                        if last.is_right {
                            spot.behind = walk.at();
                        }
                    }
                }
                Event::Comment(said) => {
                    found.nested |= said.contains('{');
                    if let Some(spot) = found.spots.last_mut() {
                        behind.was_comment = spot.take(text, said, last.is_right, walk.turn_before());
                    }
                }
                _ => (),
            }
        });
        if found.spots.len() != game.ply_count() as usize {
            found.spots.clear();
        }
        found
    }

    /// The values for columns.
    pub fn values(&self) -> ClocksEvals {
        let column = |kind| {
            let value = |spot: &Spot| spot.first(kind, false).and_then(|command| command.value);
            let values: Vec<_> = self.spots.iter().map(value).collect();
            values.iter().any(Option::is_some).then_some(values)
        };
        ClocksEvals { clocks: column(Kind::Clock), evals: column(Kind::Eval) }
    }

    /// The text without the values in columns; `None` if only moves and a result would be left.
    pub fn text_without(&self, columns: &ClocksEvals) -> Option<Cow<'a, str>> {
        let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
        let mut taken = 0;
        for (n, spot) in self.spots.iter().enumerate() {
            if spot.commands.is_empty() {
                continue;
            }
            // the only command of a kind, if its value equals that of the column
            let told = |kind: Kind| {
                // With several commands, the next one would later count as the first.
                let command = spot.first(kind, false).filter(|_| spot.count(kind) == 1)?;
                let value = command.value.filter(|value| columns.value(kind, n) == Some(*value))?;
                let said = self.text[command.place.clone()].split_whitespace();
                said.eq(kind.with(value).split(' ')).then_some((command, value))
            };
            if let Some(comment) = &spot.first
                && !self.nested
                && self.is_whole(comment, &told)
            {
                let before = self.text[..comment.start].trim_end().len();
                let gap =
                    if self.text[comment.end..].starts_with(|next: char| !next.is_whitespace()) { " " } else { "" };
                edits.push((before..comment.end, gap));
                taken += 1;
                continue;
            }
            let mut bare: Vec<_> = Kind::ALL
                .iter()
                .filter_map(|kind| told(*kind).map(|(command, _)| (command.place.clone(), kind.bare())))
                .collect();
            bare.sort_by_key(|(place, _)| place.start);
            edits.extend(bare);
        }
        (self.notes > taken).then(|| if edits.is_empty() { self.text.into() } else { edited(self.text, &edits).into() })
    }

    /// Whether a comment has only values in columns, as [`comment`] writes them.
    fn is_whole<'s>(&self, place: &Range<usize>, told: &impl Fn(Kind) -> Option<(&'s Command, i32)>) -> bool {
        let inside =
            |kind: Kind| told(kind).filter(|(command, _)| place.contains(&command.place.start)).map(|(_, value)| value);
        let expected = comment(inside(Kind::Eval), inside(Kind::Clock));
        let said = &self.text[place.start + 1..place.end - 1];
        !expected.is_empty() && said.split_whitespace().eq(expected.split(' '))
    }

    /// The text with the values of columns. Where the text has a value of its own, that stays.
    pub fn text_with(&self, columns: &ClocksEvals) -> String {
        let mut edits: Vec<(Range<usize>, Cow<'_, str>)> = Vec::new();
        for (n, spot) in self.spots.iter().enumerate() {
            let mut missing = [None; 2];
            let mut inside = Vec::new();
            for (place, kind) in missing.iter_mut().zip(Kind::ALL) {
                let Some(value) = columns.value(kind, n) else { continue };
                match (spot.first(kind, false), spot.first(kind, true)) {
                    (Some(_), _) => (),
                    (None, Some(bare)) => inside.push((bare.place.clone(), kind.with(value).into())),
                    (None, None) => *place = Some(value),
                }
            }
            let [eval, clock] = missing;
            let said = comment(eval, clock);
            if !said.is_empty() {
                let next = self.text[spot.behind..].chars().next();
                let gap = if next.is_some_and(|next| !next.is_whitespace()) { " " } else { "" };
                edits.push((spot.behind..spot.behind, format!(" {{{said}}}{gap}").into()));
            }
            inside.sort_by_key(|(place, _)| place.start);
            edits.append(&mut inside);
        }
        edited(self.text, &edits)
    }
}

/// Replaces ranges of a text, which are in order.
fn edited(text: &str, edits: &[(Range<usize>, impl AsRef<str>)]) -> String {
    let mut out = String::with_capacity(text.len() + 16 * edits.len());
    let mut at = 0;
    for (place, other) in edits {
        out.push_str(&text[at..place.start]);
        out.push_str(other.as_ref());
        at = place.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Appends the commands in a comment, which is at offset `at` of the text.
fn commands(comment: &str, at: usize, found: &mut Vec<Command>) {
    let mut from = 0;
    let mut pauses = Pauses::default();
    while let Some(open) = comment[from..].find("[%") {
        pauses.step();
        let start = from + open;
        let command = &comment[start + 2..];
        let len = command.find(']').unwrap_or(command.len());
        from = start + 2 + len;
        let closed = from < comment.len();
        let ends_name = |found: char| found.is_whitespace() || found == ':' || found == '=';
        let (name, value) = command[..len].split_once(ends_name).unwrap_or((&command[..len], ""));
        let (kind, value) = match name.to_ascii_lowercase().as_str() {
            "clk" if value.is_empty() => (Kind::Clock, None),
            "eval" if value.is_empty() => (Kind::Eval, None),
            "clk" => (Kind::Clock, clock(value.trim())),
            "eval" => (Kind::Eval, eval(value.trim())),
            _ => continue,
        };
        let place = at + start..at + from + usize::from(closed);
        // commands with unreadable values are ignored
        if value.is_some() || closed && len == name.len() {
            found.push(Command { kind, place, value });
        }
    }
}

/// Parses `h:mm:ss`, `mm:ss` or `ss`; the seconds may have a fraction.
pub(crate) fn clock(text: &str) -> Option<i32> {
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

/// Parses pawns, or mate in moves as `#n`, `Mn` or `mate n`, with the sign before or behind that; a depth may follow after a
/// comma or slash, and makes a whole number one of centipawns.
pub(crate) fn eval(text: &str) -> Option<i32> {
    let (value, depth) = text.split_once([',', '/']).unwrap_or((text, ""));
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (negative, digits) = sign(value.trim());
    if text.contains(',') && is_whole(digits) && is_whole(depth.trim()) {
        let centipawns = digits.parse::<i32>().ok()?.min(MAX_CENTIPAWNS);
        return Some(if negative { -centipawns } else { centipawns });
    }
    Some(match score(value)? {
        Score::Mate(negative, moves) => mate(negative, moves),
        Score::Pawns(pawns) => pawns,
    })
}

/// A score without its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Score {
    /// Centipawns.
    Pawns(i32),
    /// Whether the other side mates, and in how many moves or half-moves.
    Mate(bool, i32),
}

fn mate(negative: bool, moves: i32) -> i32 {
    if negative { moves - MATE } else { MATE - moves }
}

fn score(text: &str) -> Option<Score> {
    let text = text.trim();
    let (negative, rest) = sign(text);
    let lower = rest.get(..4).filter(|word| word.eq_ignore_ascii_case("mate")).map(|word| &rest[word.len()..]);
    let after_mark = lower.or_else(|| rest.strip_prefix(['#', 'M', 'm'])).map(|rest| {
        let rest = rest.trim_start();
        rest.strip_prefix("in ").or(rest.strip_prefix([':', '='])).unwrap_or(rest).trim_start()
    });
    if let Some(digits) = after_mark {
        let (negative_behind, digits) = sign(digits);
        let moves =
            digits.parse().ok().filter(|moves| (0..10_000).contains(moves) && !digits.starts_with(['+', '-']))?;
        return Some(Score::Mate(negative != negative_behind, moves));
    }
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || whole.len() > 6 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let digit = |n: usize| fraction.as_bytes().get(n).map_or(0, |digit| i32::from(digit - b'0'));
    let pawns: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let value = (pawns * 100 + digit(0) * 10 + digit(1) + i32::from(digit(2) >= 5)).min(MAX_CENTIPAWNS);
    Some(Score::Pawns(if negative { -value } else { value }))
}

/// Whether a number is negative, and the number without its sign.
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−', '–']) {
        Some(digits) => (true, digits.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Whose view an evaluation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    White,
    Mover,
}

/// How far evaluations are looked for in comments of engine matches.
const MAX_MATCH_COMMENT: usize = 4096;

/// The evaluation in a comment of an engine match: its place and value, and whose view it is.
fn of_match(comment: &str) -> Option<(Range<usize>, i32, View)> {
    // Mates are counted in half-moves from the one that was played.
    let value = |score| match score {
        Score::Pawns(pawns) => pawns,
        Score::Mate(negative, plies) => mate(negative, (plies + 1) / 2),
    };
    let comment = &comment[..comment.floor_char_boundary(MAX_MATCH_COMMENT)];
    // wv=0.31, of TCEC
    let fields = if comment.contains('=') { comment } else { "" };
    for (name, view) in [("wv", View::White), ("ev", View::Mover)] {
        for field in fields.split([',', ';']) {
            if let Some((key, text)) = field.split_once('=')
                && key.trim() == name
                && let Some(found) = score(text)
            {
                let start = field.as_ptr() as usize - comment.as_ptr() as usize;
                return Some((start..start + field.len(), value(found), view));
            }
        }
    }
    // +0.31/20 1.2s; (+0.31/20); (Nf3) +0.31/20 12; each perhaps behind a clock
    let mut inside = comment.trim_start();
    while let Some((_, rest)) = inside.strip_prefix("[%").and_then(|command| command.split_once(']')) {
        inside = rest.trim_start();
    }
    let shown =
        inside.strip_prefix('(').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || "+-−M#".contains(c)));
    let inside = match shown {
        Some(inside) => inside,
        None if inside.starts_with('(') => inside.split_once(')')?.1.trim_start(),
        None => inside,
    };
    let (text, rest) = inside.split_once('/')?;
    let depth = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends = rest[depth..].chars().next().is_none_or(|next| next.is_whitespace() || matches!(next, ',' | ')' | ';'));
    if depth == 0 || !ends || text.len() > 16 {
        return None;
    }
    // Without these it could be a date, or points: 4.5/9.
    let is_signed = text.starts_with(|first: char| "+-−".contains(first));
    let has_cents = text.split_once('.').is_some_and(|(_, cents)| cents.len() > 1 || is_signed);
    let found = score(text).filter(|found| matches!(found, Score::Mate(..)) || has_cents)?;
    let start = inside.as_ptr() as usize - comment.as_ptr() as usize;
    Some((start..start + text.len() + 1 + depth, value(found), View::Mover))
}

/// Writes a clock for `[%clk …]`.
pub fn write_clock(tenths: i32) -> String {
    let seconds = tenths.max(0) / 10;
    let clock = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if tenths.max(0) % 10 == 0 { clock } else { format!("{clock}.{}", tenths % 10) }
}

/// Writes an evaluation for `[%eval …]`. As on Lichess, a second decimal of 0 is omitted.
pub fn write_eval(eval: i32) -> String {
    let sign = if eval < 0 { "-" } else { "" };
    let size = eval.unsigned_abs();
    if size > MAX_CENTIPAWNS as u32 {
        return format!("#{sign}{}", (MATE as u32).saturating_sub(size));
    }
    let (pawns, rest) = (size / 100, size % 100);
    if rest % 10 == 0 { format!("{sign}{pawns}.{}", rest / 10) } else { format!("{sign}{pawns}.{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::annotated::stream;
    use crate::text::movetext;
    use crate::text::read_pgn::games;

    fn read(text: &str) -> ClocksEvals {
        ClocksEvals::read(text, movetext::read(text).unwrap().view())
    }

    #[test]
    fn comments_belong_to_their_half_moves() {
        let text = "{[%clk 9:00:00]} 1. e4 $1 {x} {[%clk 0:03:00]} (1. d4 {[%clk 1:00:00] [%eval 3.0]} d5) 1... e5! \
                    { [%eval -1.255,20] [%clk 0:02:59.9] [%clk 0:00:01] }\n; [%clk 0:00:07]\n2.Nf3 ; [%eval #-3]\nd5 3. exd5 \
                    {\u{e9} [%csl Ra1][%eval bad] [%eval #4]} Qxd5 {[%eval .5} 1-0 {[%eval 1]}";
        let found = read(text);
        assert_eq!(found.clocks, Some(vec![Some(1800), Some(1799), None, None, None, None]));
        assert_eq!(found.evals, Some(vec![None, Some(-126), Some(-99_997), None, Some(99_996), Some(50)]));
        let other = movetext::read("1. e4").unwrap();
        assert_eq!(ClocksEvals::read(text, other.view()), ClocksEvals::default());
        assert_eq!(read("1. e4 {no} *"), ClocksEvals::default());
    }

    #[test]
    fn moves_may_be_spelt_in_many_ways() {
        let text = "1. e2 - e4 {[%clk 0:00:01]} e7-e5{[%clk 0:00:02]}2.Ng1f3 {[%clk 0:00:03]} N b8 c6 {[%clk 0:00:04]} 3. \u{2657}b5 {[%clk 0:00:05]} a6 4.O - O b5{[%clk 0:00:06]}";
        for game in games(text) {
            let prefix = game.game.unwrap_or_else(|error| error.prefix.unwrap());
            let clocks = ClocksEvals::read(text, prefix.view()).clocks.unwrap();
            assert_eq!(clocks.len(), prefix.view().ply_count() as usize);
            assert_eq!(&clocks[..3], [Some(10), Some(20), Some(30)]);
        }
    }

    /// Comments after an unreadable move belong to no half-move.
    #[test]
    fn a_game_that_is_cut_short_keeps_the_clocks_up_to_there() {
        let text = "1. e4 {[%clk 0:00:01]} e5 2. Ke3 {[%clk 0:00:02]} Nf6 {[%clk 0:00:03]}";
        let prefix = movetext::read("1. e4 e5").unwrap();
        assert_eq!(ClocksEvals::read(text, prefix.view()).clocks, Some(vec![Some(10), None]));
    }

    /// Removes values from a text and inserts them again.
    fn there_and_back(text: &str, clocks: bool, evals: bool) -> Option<String> {
        let game = movetext::read(text).unwrap();
        let commands = Commands::find(text, game.view());
        let mut columns = commands.values();
        columns.clocks = columns.clocks.filter(|_| clocks);
        columns.evals = columns.evals.filter(|_| evals);
        let without = commands.text_without(&columns)?;
        let with = Commands::find(&without, game.view()).text_with(&columns);
        let start = GameStart::standard();
        assert_eq!(stream(start, &with), stream(start, text), "{with}");
        let again = Commands::find(&with, game.view());
        let mut columns_again = again.values();
        columns_again.clocks = columns_again.clocks.filter(|_| clocks);
        columns_again.evals = columns_again.evals.filter(|_| evals);
        assert_eq!(columns_again, columns);
        assert_eq!(again.text_without(&columns).as_deref(), Some(&*without));
        Some(without.into_owned())
    }

    #[test]
    fn evaluations_of_engine_matches() {
        let evals = |text: &str| read(text).evals.unwrap_or_default();
        let (mate_in_4, mate_in_9, mated_in_1) = (Some(MATE - 4), Some(MATE - 9), Some(1 - MATE));
        for (text, expected) in [
            // cutechess and fastchess: of the side that has moved; mates in half-moves
            ("1. e4 {+0.31/20 1.2s} e5 {-0.25/18 0.9s} *", vec![Some(31), Some(25)]),
            ("1. e4 {+0.31/20 1.2s, n=1234, sd=31} e5 {+0.25/18} *", vec![Some(31), Some(-25)]),
            ("1. e4 {+M17/33 0.5s} e5 {-M17/30 0.4s} *", vec![mate_in_9, mate_in_9]),
            ("1. e4 {book} e5 {+M1/245 0.01s, Black mates} *", vec![None, mated_in_1]),
            ("1. e4 {see {this} good; x} e5 {+0.31/12 3s} *", vec![None, Some(-31)]),
            ("1. e4 {0.00/1 0s} e5 {(+0.25/18)} *", vec![Some(0), Some(-25)]),
            ("1. e4 {[%clk 0:01:00] +0.31/20 1.2s} e5 {(Nf3) -0.25/13 23} *", vec![Some(31), Some(25)]),
            // TCEC: wv is White's view, ev that of the side that has moved
            ("1. e4 {d=20, sd=32, mt=1200, wv=0.31,} e5 {ev=-0.40, d=20, wv=0.40} *", vec![Some(31), Some(40)]),
            ("1. e4 {ev=0.10, d=1} e5 {ev=0.12, d=25} *", vec![Some(10), Some(-12)]),
            // commands, always White's
            ("1. e4 {[%eval -M1]} e5 {[%eval M4]} *", vec![mated_in_1, mate_in_4]),
            ("1. e4 {[%eval -#1]} e5 {[%eval +#4]} *", vec![mated_in_1, mate_in_4]),
            ("1. e4 {[%eval #\u{2212}1]} e5 {[%eval #+4]} *", vec![mated_in_1, mate_in_4]),
            ("1. e4 {[%eval M-1]} e5 {[%eval mate 4]} *", vec![mated_in_1, mate_in_4]),
            ("1. e4 {[%eval mate in -1]} e5 {[%EVAL #4,20]} *", vec![mated_in_1, mate_in_4]),
            // mates on the board, of the side that has moved
            ("1. f3 e5 2. g4 Qh4# {[%eval #0]} *", vec![None, None, None, Some(-MATE)]),
            ("1. e4 f6 2. d4 g5 3. Qh5# {[%eval M0]} *", vec![None, None, None, None, Some(MATE)]),
            ("1. e4 {[%eval:0.30]} e5 {[%eval +0.30/20]} *", vec![Some(30), Some(30)]),
            ("1. e4 {[%eval 31,20]} e5 {[%eval -1234,0]} *", vec![Some(31), Some(-1234)]),
            ("1. e4 {[%eval 3.1,20]} e5 {[%eval 3]} *", vec![Some(310), Some(300)]),
            // other comments
            ("1. e4 {4.5/9} e5 {1/2 or 12/10 1990} *", vec![]),
            ("1. e4 {(1. d4) better} e5 {a=b, wv} *", vec![]),
            ("1. e4 {x +0.31/20} e5 {+0.31/x} *", vec![]),
        ] {
            assert_eq!(evals(text), expected, "{text}");
            // The comment stays, and says no more when it is written again.
            let game = movetext::read(text).unwrap();
            let columns = ClocksEvals { clocks: None, evals: Some(expected).filter(|evals| !evals.is_empty()) };
            assert_eq!(Commands::find(text, game.view()).text_with(&columns), text);
        }
    }

    #[test]
    fn what_columns_hold_is_not_kept_twice() {
        let cases = [
            ("1. e4 {[%eval 0.17] [%clk 0:03:00]} 1... e5 { [%clk 0:02:59]\n} *", None),
            (
                "1. e4! { [%clk 0:03:00] } {best} e5{[%clk 0:02:59]}2. Nf3 (2. f4 {[%clk 0:01:00]}) *",
                Some("1. e4! {best} e5 2. Nf3 (2. f4 {[%clk 0:01:00]}) *"),
            ),
            ("1. e4 {[%eval 0.17] [%clk\n0:03:00]} e5 {x} *", Some("1. e4 e5 {x} *")),
            ("1. e4 {[%clk 0:03:00] novelty} *", Some("1. e4 {[%clk] novelty} *")),
            ("1. e4 {good} {[%eval 0.17] [%clk 0:03:00]} *", Some("1. e4 {good} {[%eval] [%clk]} *")),
            ("1. e4 $1 {[%clk 0:03:00]} e5 {[%clk 0:02:00]} $2 *", Some("1. e4 $1 e5 {[%clk]} $2 *")),
            ("1. e4 ; [%clk 0:03:00]\n e5 {[%clk 0:02:00]}(1... c5) *", Some("1. e4 ; [%clk]\n e5 (1... c5) *")),
            ("1. e4 {a {[%clk 0:03:00]} b} e5 {[%clk 0:02:00]} *", Some("1. e4 {a {[%clk]} b} e5 {[%clk]} *")),
            ("1. e4 e52. {[%clk 0:03:00]} Nf3 *", Some("1. e4 e52. {[%clk]} Nf3 *")),
            ("1. e4 e5 2. {[%clk 0:03:00]} Nf3 {x} *", Some("1. e4 e5 2. Nf3 {x} *")),
            ("1. e4 {[%clk 0:03:00][%emt 0:00:01]} *", Some("1. e4 {[%clk][%emt 0:00:01]} *")),
        ];
        for (text, without) in cases {
            assert_eq!(there_and_back(text, true, true).as_deref(), without, "{text}");
        }
        let lichess = "1. e4 { [%eval 0.17] [%clk 0:00:30] } 1... c5 { [%eval 0.19] [%clk 0:00:30] } 0-1";
        let clocks_alone = "1. e4 { [%eval 0.17] [%clk] } 1... c5 { [%eval 0.19] [%clk] } 0-1";
        assert_eq!(there_and_back(lichess, true, false).as_deref(), Some(clocks_alone));
        assert_eq!(there_and_back(lichess, false, false).as_deref(), Some(lichess));
    }

    #[test]
    fn what_a_column_cannot_give_back_stays() {
        for text in [
            "1. e4 {[%clk 0:03:00.57]} e5 *",
            "1. e4 {[%eval 0.17,20]} e5 *",
            "1. e4 {[%clk 0:03:00 ]} e5 *",
            "1. e4 {[%clk]} {[%clk 0:01:00]} *",
            "1. e4 {[%clk 0:03:00]} {[%clk 0:02:00]} *",
            "1. e4 {[%clk 0:03:00} *",
        ] {
            assert_eq!(there_and_back(text, true, true).as_deref(), Some(text));
        }
    }

    #[test]
    fn columns_fill_what_the_text_leaves_open() {
        let text = "1. e4 {[%clk 0:03:00.57]} e5 {x [%eval]} 2. Nf3";
        let game = movetext::read(text).unwrap();
        let columns =
            ClocksEvals { clocks: Some(vec![Some(10), Some(20), None]), evals: Some(vec![None, Some(7), Some(5)]) };
        let with = Commands::find(text, game.view()).text_with(&columns);
        assert_eq!(with, "1. e4 {[%clk 0:03:00.57]} e5 {[%clk 0:00:02]} {x [%eval 0.07]} 2. Nf3 {[%eval 0.05]}");
    }

    #[test]
    fn what_no_comment_says_is_left_out() {
        let mut columns = ClocksEvals {
            clocks: Some(vec![Some(-1), None, Some(i32::MAX), Some(i32::MIN)]),
            evals: Some([0, MATE, MATE + 1, 89_990, 89_991, 90_000, 90_001, i32::MIN, -MATE].map(Some).to_vec()),
        };
        assert_eq!(columns.drop_unwritable(), [2, 4]);
        assert_eq!(columns.clocks, Some(vec![None, None, Some(i32::MAX), None]));
        let evals = [Some(0), Some(MATE), None, Some(89_990), None, None, Some(90_001), None, Some(-MATE)];
        assert_eq!(columns.evals, Some(evals.to_vec()));
        assert_eq!(columns.drop_unwritable(), [0, 0]);
    }

    #[test]
    fn written_as_read() {
        for tenths in [0, 5, 600, 35_999, 36_000, 1_234_567] {
            assert_eq!(clock(&write_clock(tenths)), Some(tenths));
        }
        for value in [0, 1, -5, 17, -100, 12_345, 89_990, 99_997, -99_997, MATE, -MATE, 90_001] {
            assert_eq!(eval(&write_eval(value)), Some(value));
        }
        assert_eq!([0, -40, 125, -5, 1000].map(write_eval), ["0.0", "-0.4", "1.25", "-0.05", "10.0"]);
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
