//! How two games agree in what is stored beside their moves. In: [`Facts`] of both. Out: for each kind of tag whether the
//! values agree, differ, or say nothing.

use chess_core::text::names::words;

use crate::spelling::person::{Likeness, Person};

/// What is stored of a game, as far as it is evidence.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The packed game.
    pub game: Vec<u8>,
    /// White and Black.
    pub players: [Player; 2],
    /// The first day that the date can mean, and the day after the last.
    pub days: Option<(i32, i32)>,
    /// The event.
    pub event: Option<String>,
    /// The site.
    pub site: Option<String>,
    /// The round.
    pub round: Option<String>,
    /// The result.
    pub result: String,
    /// The time of day at which the game began, from its tags.
    pub time: Option<String>,
    /// The address of the game on the Web, or its number at the server where it was played.
    pub address: Option<String>,
    /// Tenths of a second left after each half-move.
    pub clocks: Option<Vec<Option<i32>>>,
    /// The number of half-moves that the game shares with games of other players. They are no evidence, because they
    /// may be opening theory.
    pub known: u32,
}

/// A player of a game.
#[derive(Clone, Debug)]
pub struct Player {
    /// The name.
    pub name: Person,
    /// The id of the canonical row in the table `players`; two spellings of one player share it.
    pub number: Option<i32>,
    /// The FIDE id.
    pub fide_id: Option<i32>,
}

impl Default for Player {
    fn default() -> Player {
        Player { name: Person::new(""), number: None, fide_id: None }
    }
}

/// Clocks of fewer half-moves prove nothing.
const FEWEST_CLOCKS: usize = 8;
/// Clocks agree if they differ by at most this number of tenths of a second, because programs round differently.
const CLOSE_CLOCKS: u32 = 20;

/// How the values of one tag agree in two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both games have the same value.
    Same,
    /// One of the values is missing or says nothing.
    Unknown,
    /// The values contradict each other.
    Different,
}

/// How the dates of two games agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dates {
    /// Both dates are the same day.
    Same,
    /// At least one date is only a month or a year, and the other date lies within it.
    Compatible,
    /// A date is missing.
    Unknown,
    /// Both dates are days, and differ by this number of days.
    Apart(i32),
    /// At least one date is only a month or a year, and the other date lies outside of it.
    Other,
}

/// How the players of two games agree: the weaker agreement of White and Black.
pub fn players(first: &Facts, second: &Facts) -> Likeness {
    let [white, black] = [0, 1].map(|side| player(&first.players[side], &second.players[side]));
    white.min(black)
}

fn player(first: &Player, second: &Player) -> Likeness {
    let names = first.name.compare(&second.name);
    match (first.fide_id, second.fide_id) {
        // One FIDE id under two unrelated names is often a wrong id, so it proves nothing.
        (Some(mine), Some(others)) if mine == others && names == Likeness::Different => Likeness::Unknown,
        (Some(mine), Some(others)) if mine == others => Likeness::Same,
        (Some(_), Some(_)) => Likeness::Different,
        _ if first.number.is_some() && first.number == second.number => Likeness::Same,
        _ => names,
    }
}

/// Compares the days that two dates can mean.
pub fn dates(first: Option<(i32, i32)>, second: Option<(i32, i32)>) -> Dates {
    let (Some(first), Some(second)) = (first, second) else { return Dates::Unknown };
    let is_day = |(first, end): (i32, i32)| end - first == 1;
    let apart = (second.0 - (first.1 - 1)).max(first.0 - (second.1 - 1));
    match apart {
        1.. if is_day(first) && is_day(second) => Dates::Apart(apart),
        1.. => Dates::Other,
        _ if is_day(first) && is_day(second) => Dates::Same,
        _ => Dates::Compatible,
    }
}

/// Compares rounds part by part: `5`, `05` and `5.3` can be one round, but `5.3` and `5.4` are two boards or two games
/// of a match.
pub fn rounds(first: Option<&str>, second: Option<&str>) -> Agreement {
    let parts = |round: Option<&str>| -> Vec<String> {
        words(round.unwrap_or_default()).iter().map(|part| part.trim_start_matches('0').to_owned()).collect()
    };
    let (first, second) = (parts(first), parts(second));
    if first.is_empty() || second.is_empty() {
        return Agreement::Unknown;
    }
    match first.iter().zip(&second).all(|(mine, others)| mine == others) {
        true => Agreement::Same,
        false => Agreement::Different,
    }
}

/// Compares events. They are the same if all words of one occur in the other. Different events are weak evidence,
/// because one tournament has many names.
pub fn events(first: Option<&str>, second: Option<&str>) -> Agreement {
    let (first, second) = (words(first.unwrap_or_default()), words(second.unwrap_or_default()));
    let (short, long) = if first.len() > second.len() { (second, first) } else { (first, second) };
    if short.is_empty() {
        return Agreement::Unknown;
    }
    match short.iter().all(|word| long.contains(word)) {
        true => Agreement::Same,
        false => Agreement::Different,
    }
}

/// Compares results. `*` says nothing.
pub fn results(first: &str, second: &str) -> Agreement {
    match (first, second) {
        ("*", _) | (_, "*") => Agreement::Unknown,
        (first, second) if first == second => Agreement::Same,
        _ => Agreement::Different,
    }
}

/// Whether the games have different addresses at the same server, which gives each game its own address.
pub fn other_address(first: &Facts, second: &Facts) -> bool {
    let address = |facts: &Facts| {
        let site = facts.site.as_ref().filter(|site| site.contains("://"));
        facts.address.as_ref().or(site).map(|address| address.trim().trim_end_matches('/').to_lowercase())
    };
    let server =
        |address: &str| address.split("://").nth(1).map(|rest| rest.split('/').next().unwrap_or_default().to_owned());
    match (address(first), address(second)) {
        // Different servers can hold copies of one game; equal addresses can be those of a whole tournament.
        (Some(first), Some(second)) => first != second && server(&first) == server(&second),
        _ => false,
    }
}

/// Whether the games began at different times of the same day. On different days the times prove nothing: time zones
/// shift them, and some programs store the time of the file instead.
pub fn other_time(first: &Facts, second: &Facts) -> bool {
    match (&first.time, &second.time) {
        (Some(mine), Some(others)) => mine != others && dates(first.days, second.days) == Dates::Same,
        _ => false,
    }
}

/// Compares the clocks: eight of ten agree in twins, fewer than four of ten in different games.
pub fn clocks(first: &Facts, second: &Facts) -> Agreement {
    let (Some(first), Some(second)) = (&first.clocks, &second.clocks) else { return Agreement::Unknown };
    let both: Vec<(i32, i32)> =
        first.iter().zip(second).filter_map(|(mine, others)| Some(((*mine)?, (*others)?))).collect();
    let close = both.iter().filter(|(mine, others)| mine.abs_diff(*others) <= CLOSE_CLOCKS).count();
    let moved = both.iter().any(|(mine, _)| *mine != both[0].0);
    if both.len() < FEWEST_CLOCKS || !moved {
        return Agreement::Unknown;
    }
    match close * 10 / both.len() {
        8.. => Agreement::Same,
        ..=3 => Agreement::Different,
        _ => Agreement::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_rounds() {
        assert_eq!(dates(Some((0, 1)), Some((0, 1))), Dates::Same);
        assert_eq!(dates(Some((0, 1)), Some((1, 2))), Dates::Apart(1));
        assert_eq!(dates(Some((5, 6)), Some((1, 2))), Dates::Apart(4));
        assert_eq!(dates(Some((0, 31)), Some((3, 4))), Dates::Compatible);
        assert_eq!(dates(Some((0, 31)), Some((31, 59))), Dates::Other);
        assert_eq!(dates(None, Some((1, 2))), Dates::Unknown);
        for (first, second, expected) in [
            ("5", "5", Agreement::Same),
            ("5", "05", Agreement::Same),
            ("5", "5.3", Agreement::Same),
            ("5(2)", "5.2", Agreement::Same),
            ("5.3", "5.4", Agreement::Different),
            ("5", "6", Agreement::Different),
            ("-", "6", Agreement::Unknown),
            ("Final", "final", Agreement::Same),
        ] {
            assert_eq!(rounds(Some(first), Some(second)), expected, "{first} {second}");
        }
        assert_eq!(events(Some("TCh-CHN"), Some("6th TCh-CHN")), Agreement::Same);
        assert_eq!(events(Some("?"), Some("6th TCh-CHN")), Agreement::Unknown);
        assert_eq!(events(Some("Gedenkturnier Köln"), Some("KOELN, Gedenkturnier 1911")), Agreement::Same);
        assert_eq!(events(Some("Hastings"), Some("London")), Agreement::Different);
    }
}
