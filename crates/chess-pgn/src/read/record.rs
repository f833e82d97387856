//! Converts a game of a PGN text to a row of the table `games`, or of `rejected`.
//!
//! A tag goes to its column if it has one. If the column cannot reproduce the value exactly, `tags` keeps the original,
//! so that an export writes what was read. Unknown values become NULL, whether the tag is missing or says so
//! ([`is_unknown`]).

use std::borrow::Cow;
use std::fmt;

use chess_core::board::fen;
use chess_core::text::annotated::without_nul;
use chess_core::text::clocks_evals::{ClocksEvals, Commands, may_have_values};
use chess_core::text::dates::{Days, days};
use chess_core::text::movetext::{Incomplete, MovetextErrorKind};
use chess_core::text::outcome::Outcome;
use chess_core::text::read_pgn::{PgnError, PgnGame, says_nothing, value_of};
use chess_core::{Game, GameRef, GameResult};
use chess_db::lichess;
use chess_db::names::Name;
use chess_db::pgn::{claimed_result, is_unknown};
use serde_json::{Map, Value};

/// The maximum length in bytes of a value with a column: longer ones could not be indexed.
pub const MAX_VALUE: usize = 2000;
const UNKNOWN_DATE: &str = "????.??.??";

pub type Text<'a> = Option<Cow<'a, str>>;

/// A row of `games`, with names in place of their ids.
#[derive(Debug, PartialEq)]
pub struct Record<'a> {
    /// Event, site, White, Black.
    pub names: [Text<'a>; 4],
    /// The FIDE ids of White and Black.
    pub fide_ids: [Option<i32>; 2],
    /// The date as written.
    pub date: Text<'a>,
    /// The days that the date can mean.
    pub days: Option<Days>,
    /// The round.
    pub round: Text<'a>,
    /// The ratings of White and Black.
    pub elo: [Option<i32>; 2],
    /// The result from the tag or, without one, from the moves.
    pub result: &'static str,
    /// The time control.
    pub time_control: Text<'a>,
    /// The ECO code.
    pub eco: Text<'a>,
    /// All other tags as a JSON object.
    pub tags: Option<String>,
    /// The game.
    pub game: Game,
    /// Clocks and evaluations.
    pub clocks_evals: ClocksEvals,
    /// Why the game is incomplete.
    pub error: Option<String>,
    /// The text of the moves, if it holds more than the game and the columns.
    pub annotated: Text<'a>,
}

/// The result of converting a game: a row, with the reason if it is incomplete; or only a reason.
pub type Read<'a> = Result<(Record<'a>, Option<Rejection>), Rejection>;

/// A game for the table `rejected`.
pub struct RejectedGame<'a> {
    /// Its offset in the source.
    pub offset: u64,
    /// Its line, from 1.
    pub line: u64,
    /// Its number in the source, from 1.
    pub number: u64,
    /// The half-move that cannot be read, if there is one.
    pub ply: Option<u32>,
    /// The reason.
    pub reason: String,
    /// The text of the game.
    pub text: Cow<'a, str>,
    /// Its bytes, if the text does not determine them.
    pub raw: Option<&'a [u8]>,
}

/// Why a game cannot be read to its end.
#[derive(Debug, PartialEq)]
pub struct Rejection {
    /// The reason.
    pub reason: String,
    /// The half-move that cannot be read, if there is one.
    pub ply: Option<u32>,
}

impl From<&PgnError> for Rejection {
    fn from(error: &PgnError) -> Rejection {
        let ply = match error {
            PgnError::Tag(_) | PgnError::EndsInTags => None,
            PgnError::Ambiguous { ply, .. } | PgnError::EndsWithoutResult(ply, _) | PgnError::EndsInWord(ply, _) => {
                Some(*ply)
            }
            PgnError::Movetext(error) => match error.kind {
                MovetextErrorKind::Tag
                | MovetextErrorKind::Variant
                | MovetextErrorKind::Fen(_)
                | MovetextErrorKind::Start(_) => None,
                _ => Some(error.ply),
            },
        };
        Rejection { reason: error.to_string(), ply }
    }
}

impl Rejection {
    /// A reason that does not concern a half-move.
    pub fn new(reason: impl fmt::Display) -> Rejection {
        Rejection { reason: reason.to_string(), ply: None }
    }
}

/// Replaces NUL bytes, which PostgreSQL cannot store, by `\0`, and says so. Other control characters, which would command the
/// terminal that shows the reason, become blanks.
pub fn printable(reason: &str) -> Cow<'_, str> {
    let is_other = |found: char| found.is_control() && found != '\0';
    let shown = if reason.contains(is_other) { reason.replace(is_other, " ").into() } else { Cow::Borrowed(reason) };
    if !shown.contains('\0') {
        return shown;
    }
    Cow::Owned(format!("{} (\\0 is a NUL byte)", shown.replace('\0', "\\0")))
}

/// Which parts of a game are stored besides complete main lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    /// Whether incomplete games are rejected.
    pub whole_only: bool,
    /// Comments, variations, glyphs, and unreadable text at the end.
    pub annotations: bool,
    /// Clocks.
    pub clocks: bool,
    /// Evaluations.
    pub evals: bool,
}

impl Keep {
    /// What is stored of a game: all of it, or its readable beginning.
    pub fn readable<'g>(&self, read: &'g PgnGame<'_>) -> Option<&'g Game> {
        match &read.game {
            Ok(game) => Some(game),
            Err(Incomplete { prefix, .. }) => prefix.as_ref().filter(|_| !self.whole_only),
        }
    }

    /// The columns for clocks and evaluations, and the annotated text if it holds more than these. The text of an
    /// incomplete game is always kept.
    pub fn beside<'a>(&self, text: Text<'a>, game: GameRef<'_>, whole: bool) -> (ClocksEvals, Text<'a>) {
        let Some(text) = text else { return (ClocksEvals::default(), None) };
        if !(self.clocks || self.evals) || !may_have_values(&text) {
            return (ClocksEvals::default(), Some(text).filter(|_| self.annotations));
        }
        let found = Commands::find(&text, game);
        let mut columns = found.values();
        columns.clocks = columns.clocks.filter(|_| self.clocks);
        columns.evals = columns.evals.filter(|_| self.evals);
        if !self.annotations {
            return (columns, None);
        }
        let rest = match found.text_without(&columns) {
            None if whole => None,
            Some(Cow::Owned(rest)) => Some(Cow::Owned(rest)),
            _ => Some(text),
        };
        (columns, rest)
    }
}

impl<'a> Record<'a> {
    /// Converts a game of a PGN text.
    pub fn new(read: PgnGame<'a>, keep: Keep) -> Read<'a> {
        let (game, error) = match read.game {
            Ok(game) => (game, None),
            Err(Incomplete { prefix, reason }) => match prefix {
                Some(game) if !keep.whole_only => (game, Some(Rejection::from(&reason))),
                _ => return Err(Rejection::from(&reason)),
            },
        };
        let (clocks_evals, annotated) = keep.beside(read.annotated, game.view(), error.is_none());
        let mut record = Record::from_parts(read.tags, game, read.outcome, clocks_evals)?;
        record.set_annotated(annotated);
        record.incomplete(error)
    }

    /// Sets the text of the moves, in which U+FFFD takes the place of NUL bytes, which PostgreSQL cannot store.
    pub fn set_annotated(&mut self, text: Text<'a>) {
        self.annotated = text.map(|text| match text {
            Cow::Borrowed(text) => without_nul(text),
            Cow::Owned(text) if text.contains('\0') => Cow::Owned(without_nul(&text).into_owned()),
            owned => owned,
        });
    }

    /// The id of lichess, if the site is its address of the game.
    pub fn lichess_id(&self) -> Option<i64> {
        lichess::of_site(self.names[1].as_deref()?)
    }

    /// The names of [`Record::names`] that have rows, those of players with their FIDE ids. An address of lichess has none.
    pub fn known_by(&self) -> [Option<Name<'_>>; 4] {
        let [event, site, white, black] = self.names.each_ref().map(Option::as_deref);
        let [white_id, black_id] = self.fide_ids;
        [
            event.map(|name| (name, None)),
            site.filter(|site| lichess::of_site(site).is_none()).map(|name| (name, None)),
            white.map(|name| (name, white_id)),
            black.map(|name| (name, black_id)),
        ]
    }

    /// Adds the reason why the game is incomplete, if it is.
    pub fn incomplete(mut self, error: Option<Rejection>) -> Read<'a> {
        self.error = error.as_ref().map(|error| printable(&error.reason).into_owned());
        Ok((self, error))
    }

    /// Converts tags and a game. `outcome` is the result after its moves, if that says more than the game can hold.
    pub fn from_parts(
        tags: Vec<(&'a str, Cow<'a, str>)>,
        game: Game,
        outcome: Option<Outcome>,
        clocks_evals: ClocksEvals,
    ) -> Result<Record<'a>, Rejection> {
        let days = days_of(&tags);
        let (columns, mut rest) = sorted(tags)?;
        drop_start_tags(&mut rest, &game)?;
        let [event, site, date, round, white, black, result, white_elo, black_elo, time_control, eco] = columns;
        let mut elo = |name: &str, text: Text<'a>| {
            let text = text?;
            let number = rating(&text);
            if number.is_none_or(|number| number.to_string() != text) {
                put_first(&mut rest, name, &text);
            }
            number
        };
        let elo = [elo("WhiteElo", white_elo), elo("BlackElo", black_elo)];
        let (result, unlike) = results(result, game.view().result(), outcome);
        if let Some(text) = unlike {
            put_first(&mut rest, "Result", &text);
        }
        let fide_ids = fide_ids(&rest);
        // Values that mean "unknown" become NULL, and `tags` keeps other spellings than the one that an export writes.
        let mut known = |name: &str, text: Text<'a>, unknown: Option<&str>| {
            let text = text?;
            if !is_unknown(name, &text) {
                return Some(text);
            }
            if unknown != Some(&*text) {
                put_first(&mut rest, name, &text);
            }
            None
        };
        let [event, site, white, black, round] =
            [("Event", event), ("Site", site), ("White", white), ("Black", black), ("Round", round)]
                .map(|(name, text)| known(name, text, Some("?")));
        let date = known("Date", date, Some(UNKNOWN_DATE));
        let (time_control, eco) = (known("TimeControl", time_control, None), known("ECO", eco, None));
        Ok(Record {
            names: [event, site, white, black],
            fide_ids,
            days,
            date,
            round,
            elo,
            result,
            time_control,
            eco,
            tags: (!rest.is_empty()).then(|| Value::Object(rest).to_string()),
            game,
            clocks_evals,
            error: None,
            annotated: None,
        })
    }
}

/// The result for its column, and the text of the tag or behind the moves that the column cannot hold, such as `0-0`. The tag
/// decides, unless it says nothing.
fn results(tag: Text<'_>, of_moves: GameResult, outcome: Option<Outcome>) -> (&'static str, Text<'_>) {
    let column = tag.as_deref().and_then(claimed_result).unwrap_or(of_moves).as_str();
    let marked = outcome.filter(|outcome| !outcome.is_plain()).map(|outcome| Cow::Owned(outcome.to_string()));
    let text = match (tag, marked) {
        (None, marked) => marked,
        (Some(text), Some(marked)) if matches!(&*text, "*" | "?") => Some(marked),
        (Some(text), _) => Some(text).filter(|text| text != "?"),
    };
    (column, text.filter(|text| text != column))
}

/// The tags that have a column, and the others. Of several, the first one that says something has the column. A name in another
/// case, such as `WHITE`, stands for the column where no exact one says something, and stays among the others.
fn sorted<'a>(tags: Vec<(&'a str, Cow<'a, str>)>) -> Result<([Text<'a>; 11], Map<String, Value>), Rejection> {
    let mut rest = Map::new();
    let mut columns: [Text<'a>; 11] = Default::default();
    let mut others: [Text<'a>; 11] = Default::default();
    for (name, value) in tags {
        if value.contains('\0') {
            return Err(Rejection::new(format_args!("tag {name} holds a NUL byte, which PostgreSQL cannot store")));
        }
        let place = COLUMNS.iter().position(|column| *column == name);
        match place.map(|place| &mut columns[place]) {
            Some(column) if column.is_none() => *column = Some(value),
            Some(Some(first)) if says_nothing(first) && !says_nothing(&value) => {
                let first = std::mem::replace(first, value);
                // A table has a column of results, whose `*` stands before what the tags say.
                if name != "Result" {
                    add_tag(&mut rest, name, &first);
                }
            }
            _ => {
                add_tag(&mut rest, name, &value);
                let other =
                    COLUMNS.iter().position(|column| column.eq_ignore_ascii_case(name)).filter(|_| place.is_none());
                if let Some(other) = other.map(|place| &mut others[place]).filter(|other| other.is_none()) {
                    *other = Some(value).filter(|value| !says_nothing(value));
                }
            }
        }
    }
    for ((column, other), name) in columns.iter_mut().zip(others).zip(COLUMNS) {
        if other.is_some() && column.as_ref().is_none_or(|value| says_nothing(value)) {
            *column = other;
        }
        if let Some(len) = column.as_ref().map(|value| value.len()).filter(|len| *len > MAX_VALUE) {
            return Err(Rejection::new(format_args!("tag {name} is longer than {MAX_VALUE} bytes: {len}")));
        }
    }
    Ok((columns, rest))
}

/// The days that the date of a game can mean; without a date those of UTCDate, or those on which its event began.
pub fn days_of(tags: &[(&str, Cow<'_, str>)]) -> Option<Days> {
    let of = |name: &'static str| tags.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name));
    let values = |name| of(name).map(|(_, value)| &**value);
    let date = value_of(tags, "Date").filter(|date| !is_unknown("Date", date)).and_then(days);
    date.or_else(|| values("UTCDate").chain(values("EventDate")).find_map(days))
}

/// The rating that a tag says, perhaps with a sign after the thousands, and with a mark of a provisional one, a title, or the
/// point of a spreadsheet behind it.
pub fn rating(text: &str) -> Option<i32> {
    let text = text.trim();
    let grouped;
    let text = match text.as_bytes() {
        [b'1'..=b'9', b',' | b'.' | b' ', a, b, c, rest @ ..]
            if [a, b, c].iter().all(|byte| byte.is_ascii_digit()) && !rest.first().is_some_and(u8::is_ascii_digit) =>
        {
            grouped = format!("{}{}", &text[..1], &text[2..]);
            &grouped
        }
        _ => text,
    };
    let (number, behind) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let is_mark = matches!(behind, "" | "?" | "P" | "p" | "*" | ".0") || behind.starts_with(' ');
    number.parse().ok().filter(|_| is_mark)
}

/// The tags with a column.
const COLUMNS: [&str; 11] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "TimeControl", "ECO"];

/// The FIDE ids of White and Black, which are different positive numbers.
fn fide_ids(tags: &Map<String, Value>) -> [Option<i32>; 2] {
    let ids = ["WhiteFideId", "BlackFideId"].map(|name| {
        let id: i32 = tags.get(name)?.as_str()?.trim().parse().ok()?;
        (id > 0).then_some(id)
    });
    if ids[0] == ids[1] { [None; 2] } else { ids }
}

/// Adds a tag; repeated tags become an array.
fn add_tag(tags: &mut Map<String, Value>, name: &str, value: &str) {
    match tags.get_mut(name) {
        None => {
            tags.insert(name.to_owned(), value.into());
        }
        Some(Value::Array(values)) => values.push(value.into()),
        Some(first) => *first = Value::Array(vec![first.take(), value.into()]),
    }
}

fn put_first(tags: &mut Map<String, Value>, name: &str, value: &str) {
    let others = tags.remove(name);
    add_tag(tags, name, value);
    match others {
        None => (),
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).for_each(|v| add_tag(tags, name, v)),
        Some(other) => add_tag(tags, name, other.as_str().unwrap_or_default()),
    }
}

/// Drops the tags about the start position, which the game itself holds.
fn drop_start_tags(tags: &mut Map<String, Value>, game: &Game) -> Result<(), Rejection> {
    let view = game.view();
    if view.is_chess960() && tags.get("Variant").is_some_and(|value| value == "Chess960") {
        tags.remove("Variant");
    }
    if view.has_custom_start() {
        let start =
            view.start_board().map_err(|error| Rejection::new(format_args!("the game does not read back: {error}")))?;
        if tags.get("FEN").is_some_and(|value| *value == fen::write(&start)) {
            tags.remove("FEN");
        }
        if tags.get("SetUp").is_some_and(|value| value == "1") {
            tags.remove("SetUp");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_have_marks() {
        for text in ["1500", " 1500 ", "1500?", "1500P", "1500.0", "1500 GM", "1,500", "1.500", "1 500", "1,500 GM"] {
            assert_eq!(rating(text), Some(1500), "{text}");
        }
        for text in ["-1", "", "?", "1500-1600", "1500.5", "GM", "99999999999", "1,5000", "1,50", ",500"] {
            assert_eq!(rating(text), None, "{text}");
        }
    }

    #[test]
    fn reasons_command_no_terminal() {
        assert_eq!(printable("malformed tag: [Ev\u{1b}[2J\u{9b}\n\"x\"]"), "malformed tag: [Ev [2J  \"x\"]");
        assert_eq!(printable("a\0\tb"), "a\\0 b (\\0 is a NUL byte)");
        assert_eq!(printable("ä"), "ä");
    }

    /// A name in another case is that of its column, unless there is an exact one that says something.
    #[test]
    fn names_of_tags_in_any_case() {
        let text = "[EVENT \"Club\"]\n[white \"Kasparov\"]\n[Black \"Karpov\"]\n[BLACK \"?\"]\n[DATE \"1985.10.01\"]\n[Result \"*\"]\n[RESULT \"1-0\"]\n[WHITEELO \"2700\"]\n\n1. e4 c5";
        let read = chess_core::text::read_pgn::games(text).next().unwrap();
        let (record, _) = Record::new(read, Keep::default()).unwrap();
        let names = record.names.each_ref().map(Option::as_deref);
        assert_eq!(names, [Some("Club"), None, Some("Kasparov"), Some("Karpov")]);
        assert_eq!((record.result, record.elo[0], record.date.as_deref()), ("1-0", Some(2700), Some("1985.10.01")));
        assert!(record.days.is_some());
        assert_eq!(
            record.tags.as_deref(),
            Some(
                r#"{"BLACK":"?","DATE":"1985.10.01","EVENT":"Club","RESULT":"1-0","WHITEELO":"2700","white":"Kasparov"}"#
            ),
            "the spelling stays"
        );
    }

    #[test]
    fn of_two_tags_the_one_that_says_something_counts() {
        for (tags, name, rest) in [
            ("[White \"?\"]\n[White \"Morphy\"]", Some("Morphy"), Some(r#"{"White":"?"}"#)),
            ("[White \"\"]\n[White \"Morphy\"]\n[White \"x\"]", Some("Morphy"), Some(r#"{"White":["","x"]}"#)),
            ("[White \"Morphy\"]\n[White \"?\"]", Some("Morphy"), Some(r#"{"White":"?"}"#)),
            ("[White \"Morphy\"]\n[White \"x\"]", Some("Morphy"), Some(r#"{"White":"x"}"#)),
            ("[White \"?\"]\n[White \"?\"]", None, Some(r#"{"White":"?"}"#)),
        ] {
            let text = format!("{tags}\n\n1. e4 *");
            let read = chess_core::text::read_pgn::games(&text).next().unwrap();
            let (record, _) = Record::new(read, Keep::default()).unwrap();
            assert_eq!((record.names[2].as_deref(), record.tags.as_deref()), (name, rest), "{tags}");
        }
    }

    #[test]
    fn ids_of_players() {
        let ids = |white: Value, black: Value| {
            fide_ids(&Map::from_iter([("WhiteFideId".to_owned(), white), ("BlackFideId".to_owned(), black)]))
        };
        assert_eq!(ids("1503014".into(), " 5000017 ".into()), [Some(1_503_014), Some(5_000_017)]);
        for wrong in ["", "0", "-5", "?", "1503014x", "99999999999"] {
            assert_eq!(ids(wrong.into(), "5000017".into()), [None, Some(5_000_017)], "{wrong:?}");
        }
        assert_eq!(ids(vec!["1503014", "4100018"].into(), "5000017".into()), [None, Some(5_000_017)], "of two, none");
        assert_eq!(ids("5000017".into(), "5000017".into()), [None; 2], "nobody plays himself");
    }
}
