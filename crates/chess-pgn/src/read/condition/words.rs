//! The words of conditions: tags and moves of a game come in, what a word means for it goes out.
//!
//! Names and meanings are those of the columns of `pgn_view` and of the explorer's filters, where these have them.

use std::borrow::Cow;

use chess_core::facts::openings::{self, Opening};
use chess_core::text::read_pgn::value_of;
use chess_core::text::time_control::TimeControl;
use chess_core::{GameRef, GameResult};
use chess_db::pgn::{claimed_result, is_unknown};

use crate::read::record::{days_of, rating};

/// The tags of a game.
pub type Tags<'t, 'a> = &'t [(&'a str, Cow<'a, str>)];

/// What a condition asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// What has an order.
    Scale(Scale),
    /// Values of tags.
    Text(Text),
    /// The result.
    Result,
    /// Chess or Chess960.
    Variant,
    /// The name of the opening.
    Opening,
    /// A position that occurs.
    Position,
    /// Material that occurs.
    Material,
    /// A pattern that occurs.
    Pattern,
}

/// What has an order. Values are ranges of integers, because a date may be a year, and a code the beginning of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The mean of both ratings, rounded down as `mean_elo` of the tables has it.
    Rating,
    WhiteElo,
    BlackElo,
    LeastElo,
    GreatestElo,
    /// How far the ratings are apart.
    Difference,
    /// Half-moves.
    PlyCount,
    /// Moves.
    Length,
    Date,
    Speed,
    Eco,
}

/// Values of tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// The first tag of each of these names.
    Of(&'static [&'static str]),
    /// Titles, which have no case.
    Title(&'static [&'static str]),
    /// All tags of a name.
    Tag(String),
}

/// What stands before the name of a tag.
pub const TAG: &str = "tag.";

/// All words but those of single tags.
pub const WORDS: [(&str, Word); 28] = [
    ("rating", Word::Scale(Scale::Rating)),
    ("white_elo", Word::Scale(Scale::WhiteElo)),
    ("black_elo", Word::Scale(Scale::BlackElo)),
    ("least_elo", Word::Scale(Scale::LeastElo)),
    ("greatest_elo", Word::Scale(Scale::GreatestElo)),
    ("difference", Word::Scale(Scale::Difference)),
    ("date", Word::Scale(Scale::Date)),
    ("speed", Word::Scale(Scale::Speed)),
    ("time_control", Word::Text(Text::Of(&["TimeControl"]))),
    ("termination", Word::Text(Text::Of(&["Termination"]))),
    ("result", Word::Result),
    ("variant", Word::Variant),
    ("ply_count", Word::Scale(Scale::PlyCount)),
    ("length", Word::Scale(Scale::Length)),
    ("player", Word::Text(Text::Of(&["White", "Black"]))),
    ("white", Word::Text(Text::Of(&["White"]))),
    ("black", Word::Text(Text::Of(&["Black"]))),
    ("title", Word::Text(Text::Title(&["WhiteTitle", "BlackTitle"]))),
    ("white_title", Word::Text(Text::Title(&["WhiteTitle"]))),
    ("black_title", Word::Text(Text::Title(&["BlackTitle"]))),
    ("event", Word::Text(Text::Of(&["Event"]))),
    ("site", Word::Text(Text::Of(&["Site"]))),
    ("round", Word::Text(Text::Of(&["Round"]))),
    ("eco", Word::Scale(Scale::Eco)),
    ("opening", Word::Opening),
    ("position", Word::Position),
    ("material", Word::Material),
    ("pattern", Word::Pattern),
];

/// What is known of a game: `None` if only its moves tell, which are not read yet; in it `None` if the game has no value.
pub type Fact<T> = Option<Option<T>>;

/// The first known value of a tag.
fn known<'t>(tags: Tags<'t, '_>, name: &str) -> Option<&'t str> {
    value_of(tags, name).filter(|value| !is_unknown(name, value))
}

impl Scale {
    /// Returns the numbers that the value of a game can mean, as a range without its end: a date without a day means all
    /// days of its month or year, and every other value one number.
    pub fn of(self, tags: Tags<'_, '_>, game: Option<GameRef<'_>>) -> Fact<(i64, i64)> {
        // as in the explorer, 0 is not a rating
        let elo = |name| {
            let text = value_of(tags, name)?;
            rating(text).filter(|elo| *elo > 0).map(i64::from)
        };
        let both =
            |of: fn(i64, i64) -> i64| elo("WhiteElo").zip(elo("BlackElo")).map(|(white, black)| of(white, black));
        let number = |number: Option<i64>| number.map(|number| (number, number + 1));
        let plies = game.map(|game| i64::from(game.ply_count()));
        Some(match self {
            Scale::Rating => number(both(|white, black| (white + black) / 2)),
            Scale::WhiteElo => number(elo("WhiteElo")),
            Scale::BlackElo => number(elo("BlackElo")),
            Scale::LeastElo => number(both(i64::min)),
            Scale::GreatestElo => number(both(i64::max)),
            Scale::Difference => number(both(|white, black| (white - black).abs())),
            Scale::PlyCount => number(Some(plies?)),
            Scale::Length => number(Some((plies? + 1) / 2)),
            Scale::Date => days_of(tags).map(|days| (days.first.into(), days.end.into())),
            Scale::Speed => {
                let speed = known(tags, "TimeControl").and_then(TimeControl::speed);
                number(speed.map(|speed| speed as i64))
            }
            // without the tag, as the page has it, the code of the opening
            Scale::Eco => match known(tags, "ECO") {
                Some(code) => codes(code),
                None => opening(game?).and_then(|opening| codes(opening.eco)),
            },
        })
    }
}

/// A code of the Encyclopaedia of Chess Openings, whatever follows it, or the beginning of one, as numbers.
pub fn codes(code: &str) -> Option<(i64, i64)> {
    let (volume @ b'A'..=b'E', rest) = code.as_bytes().split_first()? else { return None };
    let digits = rest.iter().take(2).take_while(|digit| digit.is_ascii_digit()).map(|digit| i64::from(digit - b'0'));
    let (number, size) =
        digits.fold((i64::from(volume - b'A'), 100), |(number, size), digit| (10 * number + digit, size / 10));
    Some((number * size, (number + 1) * size))
}

/// The opening of a game.
pub fn opening(game: GameRef<'_>) -> Option<Opening> {
    // a game that was just read decodes
    openings::of_game(game).ok().flatten()
}

impl Text {
    /// The known values of a game.
    pub fn of<'t>(&'t self, tags: Tags<'t, '_>) -> impl Iterator<Item = &'t str> {
        let (names, others): (&[&str], Option<&str>) = match self {
            Text::Of(names) | Text::Title(names) => (names, None),
            Text::Tag(name) => (&[], Some(name)),
        };
        let others = tags.iter().filter(move |(name, value)| others == Some(*name) && !is_unknown(name, value));
        names
            .iter()
            .filter_map(move |name| known(tags, name))
            .chain(others.map(|(_, value): &(_, Cow<'_, str>)| &**value))
    }
}

/// The result: that of the tag or, without one, of the moves.
pub fn result(tags: Tags<'_, '_>, game: Option<GameRef<'_>>) -> Fact<GameResult> {
    value_of(tags, "Result").and_then(claimed_result).or_else(|| game.map(GameRef::result)).map(Some)
}
