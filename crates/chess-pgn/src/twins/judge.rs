//! Decides whether two games are twins, which means that they record one game. In: everything that is stored of both,
//! and how many of their moves also occur in games of other players. Out: the kind of twins with a score and the
//! reasons, or `None`.
//!
//! Each piece of evidence, such as equal moves, equal dates or different rounds, adds or subtracts points. The points
//! are about the natural logarithm of how much more often twins show this evidence than different games of the same
//! players that begin alike. Two games are twins if the sum reaches the threshold [`LEAST`]; the logistic function
//! converts the sum to a probability, the score. docs/twins.md has the table of points and the measured errors.

use chess_core::GameRef;
use chess_core::game::CorruptGame;
use clap::ValueEnum;

use super::agreement::{self, Agreement, Dates, Facts};
use super::shape::Shape;
use crate::spelling::person::Likeness;

/// A game with fewer half-moves than this is a stub: a record without, or almost without, the moves.
pub const STUB: u32 = 10;
/// Games of different players with fewer equal half-moves than this are never twins: openings have as many in common.
const LEAST_OTHERS: u32 = 16;
/// The threshold: the minimum sum of points that makes twins of two games.
const LEAST: f64 = 2.0;

/// Points for each piece of evidence, in the order of the table in docs/twins.md.
mod points {
    /// Before any evidence: most games that begin alike are no twins.
    pub const AT_FIRST: f64 = -3.0;

    /// An equal half-move that is in no game of other players.
    pub const OWN_PLY: f64 = 0.3;
    /// The maximum for equal half-moves, if all are equal.
    pub const ALL_EQUAL: Limit = Limit { from: 30.0, each: 0.3, most: 15.0 };
    /// … if one player has won both.
    pub const ALL_EQUAL_WON: Limit = Limit { from: 14.0, each: 0.3, most: 15.0 };
    /// … of other players.
    pub const ALL_EQUAL_OTHERS: f64 = 15.0;
    /// The maximum if one game begins the other.
    pub const BEGINNING: Limit = Limit { from: 20.0, each: 0.15, most: 12.0 };
    /// … if one player has won both.
    pub const BEGINNING_WON: Limit = Limit { from: 14.0, each: 0.3, most: 12.0 };
    /// The maximum if one or two half-moves differ and those behind them are equal again.
    pub const FEW_CHANGED: f64 = 9.0;
    /// The maximum if other half-moves differ.
    pub const CHANGED: f64 = 6.0;
    /// The maximum for other players, if half-moves differ or are missing.
    pub const PART_EQUAL_OTHERS: f64 = 12.0;

    /// A changed, missing or added half-move.
    pub const EDIT: f64 = -0.8;
    /// Half-moves differ, and the other game goes on for long.
    pub const GOES_ON: f64 = -3.0;
    /// Several half-moves differ, and the rounds are not known to be the same.
    pub const DEVIATES: f64 = -1.5;

    pub const SAME_PLAYERS: f64 = 2.0;
    pub const SIMILAR_PLAYERS: f64 = 0.5;
    pub const UNKNOWN_PLAYERS: f64 = -2.0;
    pub const OTHER_PLAYERS: f64 = -5.0;
    /// Other players in the same event.
    pub const OTHERS_SAME_EVENT: f64 = 2.5;
    /// Other players, of whom one has won in both games.
    pub const OTHERS_WON: f64 = 2.0;
    /// Other players in the same round of the same event, on the same day or the next.
    pub const OTHERS_SAME_ROUND: f64 = 1.5;

    pub const SAME_DAY: f64 = 2.5;
    pub const NEXT_DAY: f64 = 0.5;
    pub const COMPATIBLE_DATES: f64 = 1.0;
    pub const WITHIN_WEEKS: f64 = -2.5;
    pub const WITHIN_A_YEAR: f64 = -4.0;
    pub const YEARS_APART: f64 = -5.0;
    pub const OTHER_MONTHS: f64 = -3.0;

    pub const SAME_ROUND: f64 = 2.0;
    pub const OTHER_ROUND: f64 = -4.0;
    pub const SAME_EVENT: f64 = 1.0;
    pub const OTHER_EVENT: f64 = -1.0;

    pub const SAME_RESULT: f64 = 0.5;
    pub const OTHER_RESULT: f64 = -2.0;
    /// A game without a result begins the other one.
    pub const BEGINNING_WITHOUT_RESULT: f64 = 0.5;
    /// A game with another result begins the other one. A record that was cut off has the same result or `*`.
    pub const BEGINNING_OTHER_RESULT: f64 = -4.0;
    /// A stub of the same event with the same result.
    pub const STUB: f64 = 0.6;

    pub const SAME_CLOCKS: f64 = 6.0;

    /// The share of what the tags of a record with wrong names count against twins: they may be wrong, too.
    pub const WRONG_RECORD: f64 = 0.25;

    /// A maximum that grows with the number of half-moves.
    pub struct Limit {
        from: f64,
        each: f64,
        most: f64,
    }

    impl Limit {
        /// The maximum for a game of this number of half-moves.
        pub fn of(&self, plies: u32) -> f64 {
            (self.each * (f64::from(plies) - self.from)).clamp(2.0, self.most)
        }
    }
}

/// The longest continuation of the longer game behind changed half-moves, in half-moves, that is no evidence.
const LONG: u32 = 12;
/// More changed half-moves than this are those of a game that deviates, not of a typing error.
const TYPING_ERRORS: u32 = 4;
/// Other players whose won games share this number of half-moves that nobody else has played are a sign of wrong names.
const OWN_OF_OTHERS: u32 = 10;

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

/// The sum of points so far, and the reasons in words.
struct Evidence {
    points: f64,
    words: String,
}

impl Evidence {
    fn add(&mut self, points: f64, words: &str) {
        self.points += points;
        self.words += if self.words.is_empty() { "" } else { ", " };
        self.words += words;
    }

    /// Adds evidence without words.
    fn add_silently(&mut self, points: f64) {
        self.points += points;
    }
}

/// Decides whether two games are twins; `None` if they are not.
pub fn judge(first: &Facts, second: &Facts) -> Result<Option<Verdict>, CorruptGame> {
    let Some(shape) = Shape::new(GameRef::new(&first.game)?, GameRef::new(&second.game)?)? else { return Ok(None) };
    Ok(Pair::new(first, second, shape).and_then(|pair| pair.judge()))
}

/// Two games, and how they agree.
struct Pair<'f> {
    first: &'f Facts,
    shape: Shape,
    /// The equal half-moves that are in no game of other players.
    own: u32,
    players: Likeness,
    dates: Dates,
    round: Agreement,
    event: Agreement,
    result: Agreement,
    clocks: Agreement,
}

impl Pair<'_> {
    /// Compares two games. Returns `None` if they cannot be twins.
    fn new<'f>(first: &'f Facts, second: &Facts, shape: Shape) -> Option<Pair<'f>> {
        let known = first.known.max(second.known).min(shape.equal());
        let pair = Pair {
            first,
            shape,
            own: shape.equal() - known,
            players: agreement::players(first, second),
            dates: agreement::dates(first.days, second.days),
            round: agreement::rounds(first.round.as_deref(), second.round.as_deref()),
            event: agreement::events(first.event.as_deref(), second.event.as_deref()),
            result: agreement::results(&first.result, &second.result),
            clocks: agreement::clocks(first, second),
        };
        let excluded = agreement::other_address(first, second)
            || agreement::other_time(first, second)
            || pair.clocks == Agreement::Different
            // more than a quarter of the shorter game would have to change
            || shape.edits * 4 > shape.shorter
            || pair.has_other_players() && shape.equal() < LEAST_OTHERS;
        (!excluded).then_some(pair)
    }

    fn judge(&self) -> Option<Verdict> {
        let mut evidence = Evidence { points: points::AT_FIRST, words: String::new() };
        self.add_equal_moves(&mut evidence);
        self.add_changed_moves(&mut evidence);
        self.add_players(&mut evidence);
        self.add_dates(&mut evidence);
        self.add_round(&mut evidence);
        self.add_event(&mut evidence);
        self.add_result(&mut evidence);
        self.add_tournament(&mut evidence);
        if self.clocks == Agreement::Same {
            evidence.add(points::SAME_CLOCKS, "the same clocks");
        }
        if evidence.points < LEAST {
            return None;
        }
        let score = 1.0 / (1.0 + (-evidence.points).exp());
        Some(Verdict { kind: self.kind(), score: (score * 1000.0).floor() as f32 / 1000.0, reason: evidence.words })
    }

    fn kind(&self) -> Kind {
        match self.shape.edits {
            _ if self.has_other_players() => Kind::OtherPlayers,
            _ if self.is_exact() => Kind::Same,
            0 if self.is_stub() => Kind::Stub,
            0 => Kind::Prefix,
            _ => Kind::LastMoves,
        }
    }

    /// All half-moves are equal.
    fn is_exact(&self) -> bool {
        self.shape.edits == 0 && self.shape.more == 0
    }

    /// One game is the beginning of the other, which goes on.
    fn is_beginning(&self) -> bool {
        self.shape.edits == 0 && self.shape.more > 0
    }

    fn is_stub(&self) -> bool {
        self.shape.edits == 0 && self.shape.shorter < STUB
    }

    fn has_same_players(&self) -> bool {
        self.players >= Likeness::Alike
    }

    /// The players are not the same. If a name is only missing, they may be.
    fn has_other_players(&self) -> bool {
        self.players == Likeness::Different
    }

    /// One player has won both games.
    fn is_won(&self) -> bool {
        self.result == Agreement::Same && self.first.result != "1/2-1/2"
    }

    /// What the tags of this pair count if they differ.
    fn weight(&self) -> f64 {
        if self.is_exact() && !self.has_same_players() { points::WRONG_RECORD } else { 1.0 }
    }

    fn add_equal_moves(&self, evidence: &mut Evidence) {
        let shape = self.shape;
        let mut words = match shape.edits {
            _ if self.is_exact() => format!("all {} half-moves equal", shape.shorter),
            0 => format!("the {} half-moves of one begin the other", shape.shorter),
            edits => format!("{} half-moves equal, {edits} changed", shape.equal()),
        };
        if self.own > 0 {
            words += &format!(", {} of them in no other game", self.own);
        }
        evidence.add((f64::from(self.own) * points::OWN_PLY).min(self.most()), &words);
    }

    /// The maximum of points for equal half-moves. Two players often repeat prepared moves, up to a quick draw or until one of
    /// them deviates, so that many equal moves prove little. A repeated loss is rare: a game that somebody has won reaches the
    /// maximum with fewer moves.
    fn most(&self) -> f64 {
        let plies = self.shape.shorter;
        let is_rematch = self.round == Agreement::Different || matches!(self.dates, Dates::Apart(2..) | Dates::Other);
        let won_once = self.is_won() && !is_rematch;
        match self.has_same_players() {
            true if self.is_exact() && won_once => points::ALL_EQUAL_WON.of(plies),
            true if self.is_exact() => points::ALL_EQUAL.of(plies),
            true if self.is_beginning() && won_once => points::BEGINNING_WON.of(plies),
            true if self.is_beginning() => points::BEGINNING.of(plies),
            true if self.shape.edits <= 2 && self.shape.equal() > self.shape.common => points::FEW_CHANGED,
            true => points::CHANGED,
            false if self.is_exact() => points::ALL_EQUAL_OTHERS,
            false => points::PART_EQUAL_OTHERS,
        }
    }

    fn add_changed_moves(&self, evidence: &mut Evidence) {
        if self.shape.edits == 0 {
            return;
        }
        evidence.add_silently(points::EDIT * f64::from(self.shape.edits));
        if self.shape.more > LONG {
            evidence.add_silently(points::GOES_ON);
        }
        // In blitz matches, the same players repeat an opening on the same day and deviate from it later.
        if self.shape.edits > TYPING_ERRORS && self.round != Agreement::Same {
            evidence.add_silently(points::DEVIATES);
        }
    }

    fn add_players(&self, evidence: &mut Evidence) {
        match self.players {
            Likeness::Same => evidence.add(points::SAME_PLAYERS, "the same players"),
            Likeness::Alike => evidence.add(points::SIMILAR_PLAYERS, "players with similar names"),
            Likeness::Unknown => evidence.add(points::UNKNOWN_PLAYERS, "players not known"),
            Likeness::Different => evidence.add(points::OTHER_PLAYERS, "other players"),
        }
        // Two players of a tournament hardly ever repeat a game of two others, except for draws.
        if self.has_other_players() && self.event == Agreement::Same {
            evidence.add_silently(points::OTHERS_SAME_EVENT);
        }
        if self.has_other_players() && self.is_won() && self.own >= OWN_OF_OTHERS {
            evidence.add_silently(points::OTHERS_WON);
        }
    }

    fn add_dates(&self, evidence: &mut Evidence) {
        match self.dates {
            Dates::Same => evidence.add(points::SAME_DAY, "the same day"),
            Dates::Compatible => evidence.add(points::COMPATIBLE_DATES, "dates that agree"),
            Dates::Unknown => (),
            Dates::Apart(1) => evidence.add(points::NEXT_DAY, "a day apart"),
            Dates::Apart(days) => {
                let points = match days {
                    ..15 => points::WITHIN_WEEKS,
                    15..367 => points::WITHIN_A_YEAR,
                    _ => points::YEARS_APART,
                };
                evidence.add(points * self.weight(), &format!("{days} days apart"));
            }
            Dates::Other => evidence.add(points::OTHER_MONTHS * self.weight(), "other dates"),
        }
    }

    fn add_round(&self, evidence: &mut Evidence) {
        match self.round {
            Agreement::Same => evidence.add(points::SAME_ROUND, "the same round"),
            Agreement::Unknown => (),
            Agreement::Different => evidence.add(points::OTHER_ROUND * self.weight(), "other rounds"),
        }
    }

    fn add_event(&self, evidence: &mut Evidence) {
        match self.event {
            Agreement::Same => evidence.add(points::SAME_EVENT, "the same event"),
            Agreement::Unknown => (),
            Agreement::Different => evidence.add(points::OTHER_EVENT * self.weight(), "other events"),
        }
    }

    fn add_result(&self, evidence: &mut Evidence) {
        match self.result {
            Agreement::Same => evidence.add_silently(points::SAME_RESULT),
            Agreement::Unknown if self.is_beginning() => evidence.add_silently(points::BEGINNING_WITHOUT_RESULT),
            Agreement::Unknown => (),
            Agreement::Different if self.is_beginning() => {
                evidence.add(points::BEGINNING_OTHER_RESULT, "other results");
            }
            Agreement::Different => evidence.add(points::OTHER_RESULT * self.weight(), "other results"),
        }
    }

    /// Several tags that agree prove more than each of them alone.
    fn add_tournament(&self, evidence: &mut Evidence) {
        let is_same_event = self.event == Agreement::Same;
        if self.is_stub() && self.has_same_players() && is_same_event && self.result == Agreement::Same {
            evidence.add_silently(points::STUB);
        }
        let is_same_day = matches!(self.dates, Dates::Same | Dates::Apart(1));
        if self.has_other_players() && is_same_event && self.round == Agreement::Same && is_same_day {
            evidence.add_silently(points::OTHERS_SAME_ROUND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::agreement::Player;
    use super::*;
    use crate::spelling::person::Person;
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
}
