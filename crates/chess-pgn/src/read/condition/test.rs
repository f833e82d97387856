//! One test of a condition: a word and what it is compared with come in; for a game, whether the test can hold and whether
//! it can fail go out.

use chess_core::search::material::Material;
use chess_core::search::pattern::Matcher;
use chess_core::text::tags::is_chess960;
use chess_core::{CorruptGame, Finder, GameRef, GameResult};

use super::words::{Fact, Scale, Tags, Text, opening, result};

/// Whether a test can hold and whether it can fail, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub can_hold: bool,
    pub can_fail: bool,
}

impl Answer {
    /// The moves will tell.
    pub const OPEN: Answer = Answer { can_hold: true, can_fail: true };

    pub fn of(holds: bool) -> Answer {
        Answer { can_hold: holds, can_fail: !holds }
    }

    pub fn turned(self) -> Answer {
        Answer { can_hold: self.can_fail, can_fail: self.can_hold }
    }

    pub fn and(self, other: Answer) -> Answer {
        Answer { can_hold: self.can_hold && other.can_hold, can_fail: self.can_fail || other.can_fail }
    }

    fn of_fact<T>(fact: Fact<T>, holds: impl FnOnce(Option<T>) -> bool) -> Answer {
        fact.map_or(Answer::OPEN, |value| Answer::of(holds(value)))
    }

    /// What the search in a game says.
    fn of_search(
        game: Option<GameRef<'_>>,
        search: impl FnOnce(GameRef<'_>) -> Result<Option<u32>, CorruptGame>,
    ) -> Answer {
        // a game that was just read decodes
        game.map_or(Answer::OPEN, |game| Answer::of(matches!(search(game), Ok(Some(_)))))
    }
}

/// A comparison of what has an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Is,
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Order {
    /// Whether all of a range of integers compares so with another one.
    fn holds(self, (first, end): (i64, i64), (other_first, other_end): (i64, i64)) -> bool {
        match self {
            Order::Is => first >= other_first && end <= other_end,
            Order::Below => end <= other_first,
            Order::AtMost => end <= other_end,
            Order::Above => first >= other_end,
            Order::AtLeast => first >= other_first,
        }
    }
}

/// What a text is compared with.
#[derive(Clone, Debug)]
pub enum Likeness {
    /// The same text.
    Is(String),
    /// A part of it, in lower case.
    Has(String),
}

impl Likeness {
    fn holds(&self, text: &str) -> bool {
        match self {
            Likeness::Is(value) => text == value,
            Likeness::Has(part) => text.to_lowercase().contains(part),
        }
    }
}

/// A test.
#[derive(Clone, Debug)]
pub enum Test {
    Scale(Scale, Order, (i64, i64)),
    Text(Text, Likeness),
    Result(GameResult),
    Chess960(bool),
    /// The opening has this name, in lower case, or is a variation of it.
    Opening(String),
    OpeningHas(String),
    Position(Finder),
    Material(Material),
    Pattern(Box<Matcher>),
    ScaleUnknown(Scale),
    TextUnknown(Text),
    OpeningUnknown,
}

impl Test {
    pub fn answer(&mut self, tags: Tags<'_, '_>, game: Option<GameRef<'_>>) -> Answer {
        let named = |holds: &dyn Fn(&str) -> bool| {
            let name = game.map(|game| opening(game).map(|opening| opening.name.to_lowercase()));
            Answer::of_fact(name, |name| name.is_some_and(|name| holds(&name)))
        };
        match self {
            Test::Scale(scale, order, other) => {
                Answer::of_fact(scale.of(tags, game), |value| value.is_some_and(|value| order.holds(value, *other)))
            }
            Test::Text(text @ Text::Title(_), Likeness::Is(title)) => {
                Answer::of(text.of(tags).any(|value| value.trim().eq_ignore_ascii_case(title)))
            }
            Test::Text(text, likeness) => Answer::of(text.of(tags).any(|value| likeness.holds(value))),
            Test::Result(wanted) => Answer::of_fact(result(tags, game), |result| result == Some(*wanted)),
            Test::Chess960(wanted) => match game {
                Some(game) => Answer::of(game.is_chess960() == *wanted),
                // games of other variants are not read
                None => {
                    let other = tags.iter().any(|(name, value)| {
                        name.eq_ignore_ascii_case("Variant")
                            && !matches!(value.trim(), "" | "?" | "-")
                            && is_chess960(value).is_none()
                    });
                    if other { Answer::of(false) } else { Answer::OPEN }
                }
            },
            Test::Opening(wanted) => named(&|name| {
                let rest = name.strip_prefix(wanted.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']))
            }),
            Test::OpeningHas(part) => named(&|name| name.contains(part.as_str())),
            Test::Position(finder) => Answer::of_search(game, |game| finder.find(game, u32::MAX)),
            Test::Material(material) => Answer::of_search(game, |game| material.find(game, u32::MAX)),
            Test::Pattern(matcher) => Answer::of_search(game, |game| matcher.find(game, u32::MAX)),
            Test::ScaleUnknown(scale) => Answer::of_fact(scale.of(tags, game), |value| value.is_none()),
            Test::TextUnknown(text) => Answer::of(text.of(tags).next().is_none()),
            Test::OpeningUnknown => Answer::of_fact(game.map(opening), |opening| opening.is_none()),
        }
    }
}

/// The order of a sign.
pub fn order(sign: &str) -> Option<Order> {
    Some(match sign {
        "=" => Order::Is,
        "<" => Order::Below,
        "<=" => Order::AtMost,
        ">" => Order::Above,
        ">=" => Order::AtLeast,
        _ => return None,
    })
}
