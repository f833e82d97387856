//! Tags: `[Name "value"]`, with the quotes that people use, and the tags about the start and the result of a game.
//!
//! Takes text; returns names and values, and the [`GameStart`] that FEN and Variant tags describe.

use std::borrow::Cow;

use crate::board::fen;
use crate::game::GameResult;
use crate::game::start::GameStart;
use crate::pause::Pauses;
use crate::text::error::{MovetextError, MovetextErrorKind};
use crate::text::lines::{QUOTES, begins_line, line_ahead, near_line_end};
pub use crate::text::lines::{is_blank, opens_tag};
use crate::text::outcome::Outcome;
use crate::text::spellings::whole_outcome;

/// Parses a tag `[Name "value"]` at the start of `text`; returns name, value and length.
pub(crate) fn read_tag(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let (name, after) = tag_name(text)?;
    let value = after.trim_ascii_start().strip_prefix('"')?;
    let mut unescaped: Option<String> = None;
    let mut chars = value.char_indices();
    let mut pauses = Pauses::default();
    while let Some((at, found)) = chars.next() {
        pauses.step();
        let kept = match found {
            '\n' | '\r' => return None,
            '"' => {
                let close = value[at + 1..].trim_ascii_start().strip_prefix(']');
                if let Some(after) = close {
                    let value = unescaped.map_or(Cow::Borrowed(&value[..at]), Cow::Owned);
                    return Some((name, value, text.len() - after.len()));
                }
                // the next tag, behind a bracket that is missing
                let after = value[at + 1..].trim_start_matches([' ', '\t']);
                if opens_tag(after.as_bytes()) {
                    let value = unescaped.map_or(Cow::Borrowed(&value[..at]), Cow::Owned);
                    return Some((name, value, text.len() - after.len()));
                }
                // a quote that should have been escaped
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

/// Parses a tag in any of its spellings. Returns the same as [`read_tag`].
pub(crate) fn read_any_tag(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    read_tag(text).or_else(|| read_tag_otherwise(text))
}

/// The seven tags that every game has, in their order.
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Whether a line of tags begins at `at`, among moves or in a comment: one with a quote, or the first of two.
pub(crate) fn begins_tags(text: &str, at: usize) -> bool {
    begins_line(text, at) && (opens_tag(&text.as_bytes()[at..]) || begins_two_tags(&text[at..]))
}

/// Whether a text begins with two tags, alone on their lines or on one: without quotes only an event or a site and one of the
/// roster, because remarks stand in brackets, too.
pub(crate) fn begins_two_tags(text: &str) -> bool {
    let after_tag = |text: &'_ str, names: &[&str]| {
        let line = line_ahead(text);
        let (name, _, len) = read_any_tag(line)?;
        let is_alone = || matches!(line[len..].trim_start().as_bytes(), [] | [b'[', ..]);
        ((opens_tag(text.as_bytes()) || names.contains(&name)) && is_alone()).then_some(len)
    };
    let Some(len) = after_tag(text, &ROSTER[..2]) else { return false };
    let rest = text[len..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('\r').unwrap_or(rest);
    let rest = rest.strip_prefix('\n').unwrap_or(rest).trim_start_matches([' ', '\t']);
    after_tag(rest, &ROSTER).is_some()
}

/// The name of a tag and the text after it.
fn tag_name(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?.trim_ascii_start();
    let name_len = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|len| *len > 0)?;
    Some(inner.split_at(name_len))
}

/// Parses a tag that the standard does not allow: with typographic or missing quotes, or a value broken into lines.
/// Returns the same as [`read_tag`].
#[cold]
pub(crate) fn read_tag_otherwise(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let end = line_ahead(text).len();
    let (name, after) = tag_name(&text[..end])?;
    let inside = after.trim_start();
    let inside = inside.strip_prefix([':', '=']).map_or(inside, str::trim_start);
    let Some(opening) = inside.chars().next().filter(|first| is_quote(*first)) else {
        return read_bare_tag(name, after, end);
    };
    let value = &inside[opening.len_utf8()..];
    let start = end - value.len();
    let unquoted = |inside: &str| {
        let bare = inside.trim_end().strip_suffix(|last| closes(opening, last))?;
        Some(bare.len()).filter(|_| !bare.ends_with('\\'))
    };
    if let Some((close, len)) = value.match_indices(']').find_map(|(i, _)| Some((i, unquoted(&value[..i])?))) {
        let value = &value[..len];
        // the other half of ``…''
        let value = if is_single_quote(opening) { value.trim_matches(is_single_quote) } else { value };
        return Some((name, Cow::Borrowed(value), start + close + 1));
    }
    near_line_end(text)?;
    // the line without a final bracket or quote
    let line = value.trim_end();
    let inside = line.strip_suffix([']', ')', '}']).unwrap_or(line).trim_end();
    let is_closed = line.ends_with(']') || unquoted(inside).is_some();
    if !is_closed && let Some(broken) = read_broken_value(text, value) {
        let (value, end) = broken;
        return Some((name, Cow::Owned(value), end));
    }
    let bare = match unquoted(inside) {
        Some(len) => &inside[..len],
        None => {
            let bare = line.strip_suffix(']').unwrap_or(line);
            // a path that ends with a backslash has escaped its closing quote
            bare.strip_suffix('"').filter(|path| path.ends_with('\\') && !path.contains('"')).unwrap_or(bare)
        }
    };
    if bare.contains(['[', ']']) {
        return None;
    }
    Some((name, Cow::Borrowed(bare.trim_end()), start + line.len()))
}

fn is_single_quote(found: char) -> bool {
    matches!(found, '\'' | '`' | '´')
}

fn is_quote(found: char) -> bool {
    QUOTES.contains(&found) || is_single_quote(found)
}

/// Whether a value that this quote opens may end with `last`: an apostrophe ends only what single quotes open.
fn closes(opening: char, last: char) -> bool {
    QUOTES.contains(&last) || is_single_quote(last) && is_single_quote(opening)
}

/// The value of a tag without an opening quote, `[White Morphy]`. `after` is the line behind the name, and ends at `end`.
fn read_bare_tag<'a>(name: &'a str, after: &'a str, end: usize) -> Option<(&'a str, Cow<'a, str>, usize)> {
    let close = after.find(']')?;
    let value = after[..close].trim_end();
    let value = value.strip_suffix(QUOTES).unwrap_or(value).trim();
    let is_plain = after.starts_with([' ', '\t']) && !value.is_empty() && !value.contains(['[', '"']);
    is_plain.then(|| (name, Cow::Borrowed(value), end - after.len() + close + 1))
}

/// The most lines of a value that some program has wrapped.
const MAX_LINES: usize = 8;

/// Reads a value that goes on in the next lines, up to a quote and a bracket; a blank stands for each line break. `first`
/// is its part in the first line. Returns its end in the text, too. `None` if the next line is a tag, blank, or of moves.
fn read_broken_value(text: &str, first: &str) -> Option<(String, usize)> {
    let mut value = first.trim_end().to_owned();
    let mut at = near_line_end(text)?;
    for _ in 1..MAX_LINES {
        let rest = &text[at..];
        at += if rest.starts_with("\r\n") { 2 } else { 1 };
        let rest = text.get(at..)?;
        let line = &rest[..near_line_end(rest)?];
        let inside = line.trim();
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        if inside.is_empty() || inside.starts_with('[') || digits > 0 && inside[digits..].starts_with('.') {
            return None;
        }
        value.push(' ');
        let quoted = |close: usize| Some((inside[..close].trim_end().strip_suffix(QUOTES)?, close));
        let close = inside.match_indices(']').find_map(|(close, _)| quoted(close));
        // the bracket without its quote
        let close = close.or_else(|| inside.strip_suffix(']').map(|bare| (bare, inside.len() - 1)));
        if let Some((bare, close)) = close {
            value.push_str(bare);
            let indent = line.len() - line.trim_start().len();
            return Some((value.replace("\\\"", "\"").replace("\\\\", "\\"), at + indent + close + 1));
        }
        value.push_str(inside);
        at += line.len();
    }
    None
}

/// Parses a line of tags that lacks its opening bracket, `White "Morphy"]`. Returns the same as [`read_tag`].
#[cold]
pub(crate) fn read_unopened_tag(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let line = text[..near_line_end(text)?].trim_end();
    let name_len = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|len| *len > 0)?;
    let value = line[name_len..].trim_start().strip_prefix('"')?.strip_suffix(']')?.trim_end().strip_suffix('"')?;
    (!value.contains('"')).then(|| (&line[..name_len], Cow::Borrowed(value), line.len()))
}

/// A longer text is neither a result nor a variant.
const MAX_LEN: usize = 400;

/// Reads the value of a Result tag in any spelling; `None` if it is not a result.
///
/// # Examples
///
/// ```
/// use chess_core::text::tags::tag_outcome;
///
/// let forfeit = tag_outcome("- - +").unwrap();
/// assert_eq!((forfeit.halves(), forfeit.is_forfeit()), (Some([0, 2]), true));
/// assert_eq!(tag_outcome("½ : 0").unwrap().to_string(), "1/2-0");
/// assert_eq!(tag_outcome("won"), None);
/// ```
pub fn tag_outcome(text: &str) -> Option<Outcome> {
    if text.len() > MAX_LEN {
        return None;
    }
    if let Some(result) = GameResult::from_token(text) {
        return Some(Outcome::of_result(result));
    }
    let is_frame = |found: char| found.is_whitespace() || matches!(found, '(' | ')' | '[' | ']' | '{' | '}' | '"');
    let text = text.trim_matches(is_frame).trim_end_matches(|found| is_frame(found) || found == '.');
    if text.is_empty() {
        return None;
    }
    if matches!(text, "=" | "0.5" | "0,5") {
        return Some(Outcome::of_result(GameResult::Draw));
    }
    let (found, rest) = whole_outcome(text)?;
    let rest = rest.trim_matches(|found| is_frame(found) || matches!(found, ',' | ';' | '.'));
    let is_forfeit = FORFEITS.iter().any(|word| rest.eq_ignore_ascii_case(word));
    Some(if is_forfeit { found.forfeited() } else { found })
}

/// What is written behind a result that was not won at the board.
const FORFEITS: [&str; 16] = [
    "f",
    "ff",
    "x",
    "wo",
    "w/o",
    "w.o",
    "walkover",
    "def",
    "default",
    "by default",
    "forfeit",
    "forfeited",
    "by forfeit",
    "kl",
    "kampflos",
    "bye",
];

/// Returns the value of the first tag with a name that says something; of those that say nothing the first. Some programs write
/// names in capitals, so a name in another case counts if no tag with exactly this name says something, as in a game that was
/// written with the seven tags that every game has.
///
/// # Examples
///
/// ```
/// use chess_core::text::tags::value_of;
///
/// let tags = [("White", "?".into()), ("WHITE", "Morphy".into()), ("black", "Paulsen".into()), ("Black", "Anderssen".into())];
/// assert_eq!(["White", "Black", "Event"].map(|name| value_of(&tags, name)), [Some("Morphy"), Some("Anderssen"), None]);
/// assert_eq!(value_of(&[("Result", "*".into()), ("Result", "1-0".into())], "Result"), Some("1-0"));
/// ```
pub fn value_of<'t>(tags: &'t [(&str, Cow<'_, str>)], name: &str) -> Option<&'t str> {
    let exact = || tags.iter().filter(|(found, _)| *found == name);
    let other = || tags.iter().filter(|(found, _)| *found != name && found.eq_ignore_ascii_case(name));
    let said = exact().chain(other()).find(|(_, value)| !says_nothing(value));
    said.or_else(|| exact().next()).map(|(_, value)| &**value)
}

/// Whether a value only says that something is not known.
pub fn says_nothing(value: &str) -> bool {
    value.chars().all(|found| matches!(found, '?' | '*' | '.' | '-' | ' '))
}

/// The tags that determine the start of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartTags<'a> {
    /// The value of the FEN tag.
    pub fen: Option<Cow<'a, str>>,
    /// The value of the Variant tag.
    pub variant: Option<Cow<'a, str>>,
    /// Whether what a start can do without is forgiven in the FEN, such as impossible castling rights, and further results
    /// after the first one in the moves. Otherwise they are errors.
    pub forgives: bool,
}

/// Whether a tag is about the start of a game, in any case: readers take `Fen` and `SETUP` of other programs, too.
pub fn is_start_tag(name: &str) -> bool {
    StartTags::default().take(name, Cow::Borrowed(""))
}

/// Whether the value of a Variant tag means Chess960, and not chess; `None` if it means neither.
pub fn is_chess960(variant: &str) -> Option<bool> {
    if variant.len() > MAX_LEN {
        return None;
    }
    let letters: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
    match letters.to_ascii_lowercase().as_str() {
        "chess960" | "fischerandom" | "fischerrandom" | "fischerrandomchess" | "frc" | "wildfr" | "freestyle"
        | "freestylechess" => Some(true),
        "standard" | "standardchess" | "regular" | "chess" | "normal" | "classical" | "fromposition" => Some(false),
        _ => None,
    }
}

impl<'a> StartTags<'a> {
    /// Takes a tag; returns whether it affects the start.
    pub fn take(&mut self, name: &str, value: Cow<'a, str>) -> bool {
        // `Fen` and `SETUP` of other programs, too
        let place = match name {
            name if name.eq_ignore_ascii_case("FEN") => &mut self.fen,
            name if name.eq_ignore_ascii_case("Variant") => &mut self.variant,
            name => return name.eq_ignore_ascii_case("SetUp"),
        };
        // Empty values, "?" and "-" mean "unknown": they say nothing against another tag.
        if !matches!(value.trim(), "" | "?" | "-") {
            *place = Some(value);
        }
        true
    }

    pub(super) fn is_chess960(&self) -> Result<bool, MovetextError> {
        let Some(variant) = &self.variant else { return Ok(false) };
        is_chess960(variant).ok_or_else(|| MovetextError::new(1, variant, MovetextErrorKind::Variant))
    }

    /// The start of the game.
    pub(super) fn start(&self) -> Result<Cow<'static, GameStart>, MovetextError> {
        let Some(fen) = &self.fen else { return Ok(Cow::Borrowed(GameStart::standard())) };
        let start = fen::read(fen)
            .map_err(MovetextErrorKind::Fen)
            .and_then(|board| GameStart::new(&board).map_err(MovetextErrorKind::Start));
        let start = start.or_else(|kind| {
            let board = self.forgives.then(|| GameStart::possible_board(fen)).flatten();
            let start = board.and_then(|board| GameStart::new(&board).ok());
            start.ok_or_else(|| MovetextError::new(1, fen, kind))
        });
        Ok(Cow::Owned(start?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_erases_no_start() {
        let mut tags = StartTags::default();
        for (name, value) in [("FEN", "8/8"), ("FEN", ""), ("Variant", "Chess960"), ("Variant", "?"), ("fen", "-")] {
            assert!(tags.take(name, Cow::Borrowed(value)));
        }
        assert_eq!((tags.fen.as_deref(), tags.variant.as_deref()), (Some("8/8"), Some("Chess960")));
    }

    #[test]
    fn variants_in_all_spellings() {
        for (variant, chess960) in [
            ("FRC", Some(true)),
            ("Fischer Random Chess", Some(true)),
            ("wild/fr", Some(true)),
            ("Standard Chess", Some(false)),
            ("Regular", Some(false)),
            ("Crazyhouse", None),
        ] {
            assert_eq!(is_chess960(variant), chess960, "{variant}");
        }
    }

    #[test]
    fn results_in_all_spellings() {
        let says = |text: &str| tag_outcome(text).map(|found| (found.halves().unwrap_or([9; 2]), found.is_forfeit()));
        for (halves, forfeit, texts) in [
            (
                [2, 0],
                false,
                "1-0|1:0|1 - 0|1–0|1‑0|1—0|1-O| 1-0 |(1-0)|[1-0]|\"1-0\"|1-0.|1-0 (time)|1-0, on time|White wins|white won|Black resigns|Black resigned.",
            ),
            ([0, 2], false, "0-1|0:1|0 : 1|O-1|0−1|0-1 adjudicated|Black wins|White resigns"),
            (
                [1, 1],
                false,
                "1/2-1/2|½-½|½:½|1/2|½|1/2:1/2|1/2 - 1/2|1 / 2 - 1 / 2|0.5-0.5|0,5-0,5|.5-.5|0.5|½–½|½ ½|1/2 1/2|=|Draw|draw agreed|Remis|drawn|1/2-1/2 (agreed)",
            ),
            (
                [2, 0],
                true,
                "+:-|+/-|+-|+ -|+--|+ - -|+ : -|1-0F|1F-0F|1-0 ff|1-0 (ff)|1-0 forfeit|1-0 wo|1-0 w/o|1-0 kl.|1X-0F|+:–|(+:-)|Black forfeits|White wins by forfeit|white won by default",
            ),
            (
                [0, 2],
                true,
                "-:+|-/+|-+|--+|- - +|0F-1F|0-1F|−:+|white forfeits|White forfeited.|Black wins, by forfeit|White defaults",
            ),
            ([0, 0], true, "-:-|-/-|--|---|- - -|0F-0F|0-0 forfeit"),
            ([0, 0], false, "0-0|0:0|0 - 0|0–0"),
            ([1, 0], false, "1/2-0|½-0|1/2:0|0.5-0|½ - 0"),
            ([0, 1], false, "0-1/2|0-½|0 : ½|0-0.5"),
            ([1, 1], true, "½-½F"),
            ([1, 1], false, "=:=|=-="),
            ([9, 9], false, "*| * |(*)"),
        ] {
            for text in texts.split('|') {
                assert_eq!(says(text), Some((halves, forfeit)), "{text}");
            }
        }
        for none in [
            "",
            "?",
            "??",
            "-",
            "+",
            "won",
            "1",
            "0",
            "2-0",
            "1-1",
            "1/2-1",
            "3-1",
            "10-0",
            "1-01",
            "e4",
            "()",
            "adjourned",
            "forfeit",
            "forfeits",
            "0-0-0",
            "O-O-O",
            "1/3",
            "+:+",
            "--+-",
            "drawing",
            "black",
            &format!("{:400}1-0", ""),
        ] {
            assert_eq!(says(none), None, "{none}");
        }
    }

    #[test]
    fn written_results_read_back() {
        for text in ["*", "1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2", "+:-", "-:+", "-:-"] {
            let found = tag_outcome(text).unwrap();
            assert_eq!((found.to_string().as_str(), found.is_plain()), (text, GameResult::from_token(text).is_some()));
        }
    }
}
