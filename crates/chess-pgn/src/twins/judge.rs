//! Decides whether two games are twins, which means that they record one game. In: everything that is stored of both,
//! and how many of their moves also occur in games of other players. Out: the kind of twins with a score and the
//! reasons, or `None`.
//!
//! Each piece of evidence, such as equal moves, equal dates or different rounds, adds or subtracts points. The points
//! are about the natural logarithm of how much more often twins show this evidence than different games of the same
//! players that begin alike. Two games are twins if the sum reaches the threshold [`LEAST`]; the logistic function
//! converts the sum to a probability, the score. docs/twins.md has the table of points and the measured errors.

use std::fmt::Write;

use chess_core::GameRef;
use chess_core::game::CorruptGame;
use chess_core::text::names::words;
use clap::ValueEnum;

use super::shape::Shape;
use crate::spelling::person::{Likeness, Person};

/// A game with fewer half-moves than this is a stub: a record without, or almost without, the moves.
pub const STUB: u32 = 10;
/// Games of different players with fewer equal half-moves than this are never twins: so many are common in openings.
const LEAST_OTHERS: u32 = 16;
/// The threshold: the minimum sum of points that makes twins of two games.
const LEAST: f64 = 2.0;

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

/// The kinds of twins, by what distinguishes the two records. `--help` shows these descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Kind {
    /// Equal moves
    Same,
    /// One game is the beginning of the other, which goes on
    Prefix,
    /// Some moves differ, mostly the last ones
    LastMoves,
    /// One game has fewer than 10 half-moves and is the beginning of the other
    Stub,
    /// Equal moves by other players: one record has wrong names
    OtherPlayers,
}

impl Kind {
    /// The name of the kind in the table `twins`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Same => "same",
            Kind::Prefix => "prefix",
            Kind::LastMoves => "last_moves",
            Kind::Stub => "stub",
            Kind::OtherPlayers => "other_players",
        }
    }
}

/// The decision that two games are twins.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The kind.
    pub kind: Kind,
    /// The probability that they are twins, from 0 to 1.
    pub score: f32,
    /// The evidence in words, for the column `reason`.
    pub reason: String,
}

/// How the values of one tag agree in two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    Same,
    Unknown,
    Different,
}

/// How the dates of two games agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dates {
    /// Both dates are the same day.
    Same,
    /// At least one date is only a month or a year, and the other date lies within it.
    Compatible,
    Unknown,
    /// Both dates are days, and differ by this number of days.
    Apart(i32),
    /// At least one date is only a month or a year, and the other date lies outside of it.
    Other,
}

/// The sum of points so far, and the reasons in words.
#[derive(Default)]
struct Evidence {
    points: f64,
    words: String,
}

impl Evidence {
    fn add(&mut self, points: f64, words: &str) {
        self.points += points;
        if !words.is_empty() {
            let comma = if self.words.is_empty() { "" } else { ", " };
            // writing to a String cannot fail
            let _ = write!(self.words, "{comma}{words}");
        }
    }
}

/// Decides whether two games are twins; `None` if they are not.
///
/// # Errors
///
/// [`CorruptGame`] if the stored bytes do not decode.
pub fn judge(first: &Facts, second: &Facts) -> Result<Option<Verdict>, CorruptGame> {
    let Some(shape) = Shape::new(GameRef::new(&first.game)?, GameRef::new(&second.game)?)? else { return Ok(None) };
    Ok(judge_shape(first, second, shape))
}

fn judge_shape(first: &Facts, second: &Facts, shape: Shape) -> Option<Verdict> {
    let players = players(first, second);
    let same_players = players >= Likeness::Alike;
    let exact = shape.edits == 0 && shape.more == 0;
    let clocks = clocks(first, second);
    if other_address(first, second) || other_time(first, second) || clocks == Agreement::Different {
        return None;
    }
    let dates = dates(first.days, second.days);
    let round = rounds(first.round.as_deref(), second.round.as_deref());
    let event = events(first.event.as_deref(), second.event.as_deref());
    let result = match (&*first.result, &*second.result) {
        ("*", _) | (_, "*") => Agreement::Unknown,
        (first, second) if first == second => Agreement::Same,
        _ => Agreement::Different,
    };
    // More than a quarter of the shorter game would have to change.
    if shape.edits * 4 > shape.shorter {
        return None;
    }

    let mut evidence = Evidence::default();
    evidence.add(-3.0, "");
    let known = first.known.max(second.known).min(shape.equal());
    let own = shape.equal() - known;
    // Two players often repeat prepared moves, up to a quick draw or until one of them deviates, so equal moves between
    // the same players prove less than their number suggests. A repeated loss is rare: a decided game reaches the
    // maximum of points with fewer moves.
    let decided = result == Agreement::Same && first.result != "1/2-1/2";
    let again = round == Agreement::Different || matches!(dates, Dates::Apart(2..) | Dates::Other);
    let beyond = |plies: f64, points: f64, most: f64| (points * (f64::from(shape.shorter) - plies)).clamp(2.0, most);
    let most = match (exact, same_players, shape.edits) {
        (true, true, _) if decided && !again => beyond(14.0, 0.3, 15.0),
        (true, true, _) => beyond(30.0, 0.3, 15.0),
        (true, false, _) => 15.0,
        (false, true, 0) if decided && !again => beyond(14.0, 0.3, 12.0),
        (false, true, 0) => beyond(20.0, 0.15, 12.0),
        (false, true, _) if shape.edits <= 2 && shape.equal() > shape.common => 9.0,
        (false, true, _) => 6.0,
        (false, false, _) => 12.0,
    };
    let mut words = match (exact, shape.edits) {
        (true, _) => format!("all {} half-moves equal", shape.shorter),
        (false, 0) => format!("the {} half-moves of one begin the other", shape.shorter),
        (false, 1) => format!("{} half-moves equal, 1 changed", shape.equal()),
        (false, edits) => format!("{} half-moves equal, {edits} changed", shape.equal()),
    };
    if own > 0 {
        let _ = write!(words, ", {own} of them in no other game");
    }
    evidence.add((f64::from(own) * 0.3).min(most), &words);
    if shape.edits > 0 {
        evidence.add(-0.8 * f64::from(shape.edits), "");
        if shape.more > 12 {
            evidence.add(-3.0, "");
        }
        // In blitz matches, the same players repeat an opening on the same day and deviate from it later.
        if shape.edits > 4 && round != Agreement::Same {
            evidence.add(-1.5, "");
        }
    }
    match players {
        Likeness::Same => evidence.add(2.0, "the same players"),
        Likeness::Alike => evidence.add(0.5, "players with similar names"),
        Likeness::Unknown => evidence.add(-2.0, "players not known"),
        Likeness::Different if shape.equal() < LEAST_OTHERS => return None,
        Likeness::Different => evidence.add(-5.0, "other players"),
    }
    // If one record has wrong names, its other tags may be wrong as well, so differences between them count only a
    // quarter. An equal event counts in favour: two players of one tournament hardly ever repeat a game of two others,
    // except for draws.
    let weight = if same_players || !exact { 1.0 } else { 0.25 };
    let others = players == Likeness::Different;
    if others && event == Agreement::Same {
        evidence.add(2.5, "");
    }
    if others && decided && own >= 10 {
        evidence.add(2.0, "");
    }
    match dates {
        Dates::Same => evidence.add(2.5, "the same day"),
        Dates::Compatible => evidence.add(1.0, "dates that agree"),
        Dates::Unknown => (),
        Dates::Apart(1) => evidence.add(0.5, "a day apart"),
        Dates::Apart(days) => {
            let points = match days {
                ..15 => -2.5,
                15..367 => -4.0,
                _ => -5.0,
            };
            evidence.add(points * weight, &format!("{days} days apart"));
        }
        Dates::Other => evidence.add(-3.0 * weight, "other dates"),
    }
    match round {
        Agreement::Same => evidence.add(2.0, "the same round"),
        Agreement::Unknown => (),
        Agreement::Different => evidence.add(-4.0 * weight, "other rounds"),
    }
    match event {
        Agreement::Same => evidence.add(1.0, "the same event"),
        Agreement::Unknown => (),
        Agreement::Different => evidence.add(-weight, "other events"),
    }
    match result {
        Agreement::Same => evidence.add(0.5, ""),
        Agreement::Unknown if !exact && shape.edits == 0 => evidence.add(0.5, ""),
        Agreement::Unknown => (),
        // A record that was cut off has the same result or `*`, not another result.
        Agreement::Different if !exact && shape.edits == 0 => evidence.add(-4.0, "other results"),
        Agreement::Different => evidence.add(-2.0 * weight, "other results"),
    }
    let is_stub = shape.edits == 0 && shape.shorter < STUB;
    if is_stub && same_players && event == Agreement::Same && result == Agreement::Same {
        evidence.add(0.6, "");
    }
    if others && round == Agreement::Same && event == Agreement::Same && matches!(dates, Dates::Same | Dates::Apart(1))
    {
        evidence.add(1.5, "");
    }
    if clocks == Agreement::Same {
        evidence.add(6.0, "the same clocks");
    }
    if evidence.points < LEAST {
        return None;
    }
    let kind = match (same_players, exact, shape.edits) {
        // If a name is only missing, the players are not different.
        (false, ..) if players == Likeness::Different => Kind::OtherPlayers,
        (_, true, _) => Kind::Same,
        (_, _, 0) if is_stub => Kind::Stub,
        (_, _, 0) => Kind::Prefix,
        _ => Kind::LastMoves,
    };
    let score = 1.0 / (1.0 + (-evidence.points).exp());
    Some(Verdict { kind, score: (score * 1000.0).floor() as f32 / 1000.0, reason: evidence.words })
}

/// How the players of two games agree: the weaker agreement of White and Black.
fn players(first: &Facts, second: &Facts) -> Likeness {
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

fn dates(first: Option<(i32, i32)>, second: Option<(i32, i32)>) -> Dates {
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
fn rounds(first: Option<&str>, second: Option<&str>) -> Agreement {
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
fn events(first: Option<&str>, second: Option<&str>) -> Agreement {
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

/// Whether the games have different addresses at the same server, which gives each game its own address.
fn other_address(first: &Facts, second: &Facts) -> bool {
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
fn other_time(first: &Facts, second: &Facts) -> bool {
    match (&first.time, &second.time) {
        (Some(mine), Some(others)) => mine != others && dates(first.days, second.days) == Dates::Same,
        _ => false,
    }
}

/// Compares the clocks. They agree if most differ by at most two seconds, because programs round differently.
fn clocks(first: &Facts, second: &Facts) -> Agreement {
    const FEWEST: usize = 8;
    let (Some(first), Some(second)) = (&first.clocks, &second.clocks) else { return Agreement::Unknown };
    let both: Vec<(i32, i32)> =
        first.iter().zip(second).filter_map(|(mine, others)| Some(((*mine)?, (*others)?))).collect();
    let close = both.iter().filter(|(mine, others)| mine.abs_diff(*others) <= 20).count();
    let moved = both.iter().any(|(mine, _)| *mine != both[0].0);
    if both.len() < FEWEST || !moved {
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
    use chess_core::text::movetext;

    const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 \
        11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5 16. d5 c4 17. Bg5 h6 18. Be3 Nc5 19. Qd2 h5";

    /// A game with tags that no other game of these tests has.
    fn facts(moves: &str) -> Facts {
        let player = |name| Player { name: Person::new(name), number: None, fide_id: None };
        Facts {
            game: movetext::read(moves).unwrap().into_bytes(),
            players: [player("Karpov, Anatoly"), player("Spassky, Boris V")],
            days: Some((-9000, -8999)),
            event: Some("Candidates".to_owned()),
            round: Some("3".to_owned()),
            result: "1-0".to_owned(),
            known: 20,
            ..Facts::default()
        }
    }

    fn kind(first: &Facts, second: &Facts) -> Option<Kind> {
        let there = judge(first, second).unwrap();
        assert_eq!(there, judge(second, first).unwrap());
        there.map(|verdict| {
            assert!((0.85..1.0).contains(&verdict.score) && !verdict.reason.is_empty());
            verdict.kind
        })
    }

    /// Judges the sample game against a changed copy of it.
    fn changed(change: impl FnOnce(&mut Facts)) -> Option<Kind> {
        let mut other = facts(GAME);
        change(&mut other);
        kind(&facts(GAME), &other)
    }

    fn cut(len: usize) -> Vec<u8> {
        movetext::read(GAME).unwrap().view().first_moves(len as u32).unwrap().into_bytes()
    }

    #[test]
    fn twins() {
        assert_eq!(changed(|_| ()), Some(Kind::Same));
        assert_eq!(changed(|game| game.result = "*".into()), Some(Kind::Same));
        assert_eq!(changed(|game| game.days = Some((-9001, -9000))), Some(Kind::Same));
        assert_eq!(changed(|game| game.days = None), Some(Kind::Same));
        assert_eq!(changed(|game| game.event = Some("Candidates match 1974".into())), Some(Kind::Same));
        assert_eq!(changed(|game| game.round = Some("03.1".into())), Some(Kind::Same));
        assert_eq!(changed(|game| game.players[0].name = Person::new("Anatolij Karpow")), Some(Kind::Same));
        assert_eq!(changed(|game| game.game = cut(30)), Some(Kind::Prefix));
        assert_eq!(changed(|game| game.game = cut(10)), Some(Kind::Prefix));
        assert_eq!(changed(|game| game.game = cut(9)), Some(Kind::Stub));
        assert_eq!(changed(|game| game.game = cut(0)), Some(Kind::Stub));
        let typo = GAME.replace("18. Be3", "18. Bd2").replace("19. Qd2", "19. Be3");
        assert_eq!(changed(|game| game.game = facts(&typo).game), Some(Kind::LastMoves));
        let early = GAME.replace("4. Ba4 Nf6 5. O-O Be7", "4. Ba4 Be7 5. O-O Nf6");
        assert_eq!(changed(|game| game.game = facts(&early).game), Some(Kind::LastMoves));
        assert_eq!(changed(|game| game.players[0].name = Person::new("Fischer, R")), Some(Kind::OtherPlayers));
        assert_eq!(changed(|game| game.players[0].name = Person::new("")), Some(Kind::Same));
    }

    #[test]
    fn rematches() {
        let later = |moves: &str| {
            let mut other = facts(moves);
            other.days = Some((-8990, -8989));
            other.round = Some("5".into());
            other
        };
        // the same players repeat a draw, and an opening that one of them leaves late
        let draw = "1. e4 e5 2. Nf3 Nf6 3. Nxe5 d6 4. Nf3 Nxe4 5. d4 d5 6. Bd3 Be7 7. O-O O-O 8. c4 Nf6 9. h3 dxc4 10. Bxc4 Nbd7";
        assert_eq!(kind(&facts(draw), &later(draw)), None);
        let deviates = GAME.replace("18. Be3 Nc5 19. Qd2 h5", "18. Bd2 Nc5 19. Qc1 h5 20. Be3 Kh7 21. Qd2 Bg7");
        assert_eq!(kind(&facts(GAME), &later(&deviates)), None);
        // two blitz games of one match, with only the day as a date
        let blitz = |moves: &str, result: &str| Facts { round: None, result: result.into(), ..facts(moves) };
        let goes_on = format!("{draw} 11. Nc3 Nb6 12. Bb3 Nfd5");
        assert_eq!(kind(&blitz(draw, "1/2-1/2"), &blitz(&goes_on, "1-0")), None);
        assert_eq!(kind(&blitz(draw, "1/2-1/2"), &blitz(&goes_on, "1/2-1/2")), Some(Kind::Prefix));
        // the same players repeat a trap in another round of the day
        let trap = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 g6 6. f4 Bg7 7. e5 Nh5 8. Bb5+ Bd7 9. e6 fxe6 10. Nxe6 Bxc3+ 11. bxc3 Qc8";
        let first = facts(&format!("{trap} 12. Bxd7+ Kxd7 13. Ng5"));
        assert_eq!(kind(&first, &Facts { round: Some("4".into()), ..first.clone() }), None);
        // other players, then the same ones again, play a beginner's mate
        let mate = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#";
        let mut others = facts(mate);
        others.players = [
            Player { name: Person::new("Ann"), ..Player::default() },
            Player { name: Person::new("Bob"), ..Player::default() },
        ];
        assert_eq!(kind(&facts(mate), &others), None);
        assert_eq!(kind(&facts(mate), &later(mate)), None);
    }

    #[test]
    fn what_excludes_twins() {
        let both = |change: fn(&mut Facts, usize)| {
            let mut games = [facts(GAME), facts(GAME)];
            games.iter_mut().enumerate().for_each(|(number, game)| change(game, number));
            kind(&games[0], &games[1])
        };
        assert_eq!(both(|game, number| game.site = Some(format!("https://lichess.org/{number}"))), None);
        assert_eq!(both(|game, _| game.site = Some("https://lichess.org/a".into())), Some(Kind::Same));
        assert_eq!(both(|game, number| game.site = Some(format!("https://server{number}.org/1"))), Some(Kind::Same));
        assert_eq!(both(|game, number| game.time = Some(format!("12:0{number}:00"))), None);
        let clocks = |step: usize| Some((0..38).map(|ply| Some(36_000 - (ply * step) as i32)).collect());
        let mut games = [facts(GAME), facts(GAME)];
        (games[0].clocks, games[1].clocks) = (clocks(300), clocks(100));
        assert_eq!(kind(&games[0], &games[1]), None);
        games[1].clocks = clocks(300);
        assert_eq!(kind(&games[0], &games[1]), Some(Kind::Same));
        // clocks of a user's rows, which may be any numbers
        games[1].clocks = Some((0..38).map(|ply| Some(if ply % 2 == 0 { i32::MIN } else { i32::MAX })).collect());
        assert_eq!(kind(&games[0], &games[1]), None);
        // all values are equal, as from a board that was not connected
        (games[0].clocks, games[1].clocks) = (clocks(0), clocks(0));
        assert_eq!(kind(&games[0], &games[1]), Some(Kind::Same));
        let id = |side: &mut Player, id| side.fide_id = Some(id);
        let mut games = [facts(mate()), facts(mate())];
        id(&mut games[0].players[0], 1);
        id(&mut games[1].players[0], 2);
        assert_eq!(kind(&games[0], &games[1]), None);
        // one FIDE id stands under names of different players
        id(&mut games[1].players[0], 1);
        assert_eq!(kind(&games[0], &games[1]), Some(Kind::Same));
        games[1].players[0].name = Person::new("Somebody, Else");
        assert_eq!(kind(&games[0], &games[1]), None);
        games[0].players[0].name = Person::new("Else");
        for (game, number) in games.iter_mut().zip([7, 7]) {
            game.players[0] = Player { number: Some(number), fide_id: None, ..game.players[0].clone() };
        }
        assert_eq!(kind(&games[0], &games[1]), Some(Kind::Same), "united by the user");
    }

    fn mate() -> &'static str {
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#"
    }

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
