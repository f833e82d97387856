//! Groups of games for reports: the same whether one process or several add the games, and as counted by hand.

use std::collections::BTreeMap;

use chess_core::GameResult;
use chess_core::facts::groups::{Group, Groups, Part, Sample};
use chess_core::facts::sums::Summand;
use chess_gamegen::splitmix64;

/// All parts.
const ALL: u32 = (1 << Part::ALL.len()) - 1;
/// More than any of these tests needs.
const ROOM: usize = 1 << 28;

/// What the tests know of a game, with texts that it owns.
#[derive(Clone)]
struct Game {
    id: i64,
    result: &'static str,
    elos: [Option<i32>; 2],
    days: [Option<i32>; 2],
    plies: i32,
    players: [Option<i32>; 2],
    time_control: Option<&'static str>,
    facts: i32,
    opening: Vec<u8>,
}

impl Game {
    fn random(rng: &mut u64, id: i64) -> Game {
        let mut pick = |most: u64| (splitmix64(rng) % most) as i32;
        let day = [None, Some(i32::MIN), Some(pick(3)), Some(365 + pick(3))][pick(4) as usize];
        Game {
            id,
            result: ["1-0", "0-1", "1/2-1/2", "*", "?"][pick(5) as usize],
            elos: [0, 1].map(|_| [None, Some(-3), Some(0), Some(1500 + pick(4))][pick(4) as usize]),
            days: [day, day.map(|day| day.saturating_add(1 + pick(2)))],
            plies: pick(9),
            players: [0, 1].map(|_| [None, Some(pick(5))][pick(2) as usize]),
            time_control: [None, Some(""), Some("60+0")][pick(3) as usize],
            facts: pick(4),
            opening: (0..pick(3)).map(|_| pick(3) as u8).collect(),
        }
    }

    fn sample(&self) -> Sample<'_> {
        Sample {
            result: Some(self.result.as_bytes()),
            summand: Summand::new(GameResult::from_token(self.result), self.elos[0], self.elos[1]),
            id: Some(self.id),
            from: self.days[0],
            until: self.days[1],
            plies: self.plies,
            white: self.players[0],
            black: self.players[1],
            time_control: self.time_control.map(str::as_bytes),
            facts: Some(self.facts),
            termination: (self.facts == 1).then_some(b"time"),
            opening: Some(&self.opening),
            is_found: self.plies % 7 > 0,
            is_annotated: self.id % 3 == 0,
            is_old: self.id % 5 == 0,
        }
    }
}

fn games(count: i64) -> Vec<Game> {
    let mut rng = 7;
    (0..count).map(|id| Game::random(&mut rng, id)).collect()
}

fn groups(games: &[Game], count: usize) -> Groups {
    let mut groups = Groups::new(ALL, count, ROOM);
    games.iter().for_each(|game| groups.add(&game.sample()));
    groups
}

/// A group with the part of the report that it belongs to, and its number and label there.
type Row = (u32, Option<i64>, Option<Vec<u8>>, Group);

/// All groups, sorted.
fn rows(groups: &Groups) -> Vec<Row> {
    let mut rows = Vec::new();
    groups.each(|part, group| {
        rows.push((part as u32, group.number, group.label.as_deref().map(<[u8]>::to_vec), group.clone()));
    });
    rows.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    rows
}

#[test]
fn parts_of_the_games_add_up_to_all() {
    let games = games(2000);
    let whole = groups(&games, 7);
    for pieces in [1, 2, 3, 500] {
        let mut merged = Groups::like(&whole);
        for piece in games.chunks(games.len().div_ceil(pieces)) {
            merged.merge(&Groups::from_bytes(&groups(piece, 7).to_bytes()).unwrap());
        }
        assert!(rows(&merged) == rows(&whole), "{pieces} pieces");
    }
}

#[test]
fn every_grouping_has_every_game_once() {
    let games = games(1000);
    let found = games.iter().filter(|game| game.sample().is_found).count() as i64;
    let mut counts = BTreeMap::new();
    groups(&games, 0).each(|part, group| *counts.entry(part as u32).or_insert(0) += group.sums[0]);
    let expected = |part| if part == Part::Others as u32 { 1000 - found } else { found };
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), (0..10).map(|part| (part, expected(part))).collect::<Vec<_>>());
}

#[test]
fn a_group_is_as_by_hand() {
    let games = games(1000);
    let of_kind: Vec<&Game> =
        games.iter().filter(|game| game.facts == 1 && game.result == "0-1" && game.sample().is_found).collect();
    let mut found = 0;
    groups(&games, 0).each(|part, group| {
        if part == Part::Kind && group.number == Some(1) && group.label.as_deref() == Some(b"time\n0-1") {
            found += 1;
            let days = || of_kind.iter().filter_map(|game| game.days[0]);
            let moves = || of_kind.iter().map(|game| (game.plies + 1) / 2);
            assert_eq!(group.sums[0], of_kind.len() as i64);
            assert_eq!([1, 2, 3].map(|place| group.sums[place]), [0, 0, of_kind.len() as i64]);
            assert_eq!(
                group.sums[8],
                of_kind.iter().filter_map(|game| game.elos[0]).map(|elo| i64::from(elo.max(0))).sum()
            );
            assert_eq!(group.days, days().min().zip(days().max()));
            assert_eq!(group.id, of_kind.iter().map(|game| game.id).min());
            assert_eq!(group.moves, moves().map(i64::from).sum());
            assert_eq!(group.old, of_kind.iter().filter(|game| game.id % 5 == 0).count() as i64);
            assert_eq!((Some(group.shortest), Some(group.longest)), (moves().min(), moves().max()));
        }
    });
    assert_eq!(found, 1);
}

#[test]
fn ratings_and_months_make_few_groups() {
    let day = |year: u16, month: u8| chess_core::text::dates::first_day(year, month);
    let wanted = 1 << Part::Rating as u32 | 1 << Part::Months as u32;
    let mut groups = Groups::new(wanted, 0, ROOM);
    let mut rng = 3;
    for id in 0..1000 {
        let game = Game { plies: 1, elos: [Some(30_000 + 2 * id as i32); 2], ..Game::random(&mut rng, id) };
        let days = [(2024, 3, 2024, 4), (2024, 1, 2025, 1), (2023, 12, 2024, 2), (1, 1, 1, 2), (9999, 12, 10_000, 1)];
        let (year, month, end_year, end_month) = days[id as usize % days.len()];
        groups.add(&Game { days: [Some(day(year, month)), Some(day(end_year, end_month))], ..game }.sample());
    }
    let mut found: Vec<_> = Vec::new();
    groups.each(|part, group| found.push((part.name(), group.number, group.sums[0])));
    found.sort_unstable();
    let month = |number| ("months", number, 200);
    let months = [None, Some(101), Some(202_400), Some(202_403), Some(999_912)].map(month);
    assert_eq!(found, [&months[..], &[("rating", Some(9999), 1000)]].concat());
}

#[test]
fn lists_are_the_first_of_all_games() {
    let games = games(1000);
    let ratings = |game: &Game| game.elos.iter().flatten().map(|elo| (*elo).max(0)).sum::<i32>();
    let is_rated = |game: &Game| game.elos.iter().flatten().any(|elo| *elo > 0);
    for count in [0, 1, 9, 2000] {
        let mut lists: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        groups(&games, count).each(|part, group| {
            if part as u32 >= Part::BestRated as u32 {
                lists.entry(part as u32).or_default().extend(group.id);
            }
        });
        let expect = |part: Part, listed: &dyn Fn(&Game) -> bool, key: &dyn Fn(&Game) -> (i32, i32)| {
            let mut listed: Vec<&Game> = games.iter().filter(|game| game.sample().is_found && listed(game)).collect();
            listed.sort_by_key(|game| std::cmp::Reverse((key(game), game.id)));
            let ids: Vec<i64> = listed.iter().take(count).map(|game| game.id).collect();
            assert_eq!(lists.get(&(part as u32)).cloned().unwrap_or_default(), ids, "{count} of {part:?}");
        };
        expect(Part::BestRated, &is_rated, &|game| (ratings(game), 0));
        expect(Part::Newest, &|game| game.days[0].is_some(), &|game| (game.days[0].unwrap(), 0));
        expect(Part::Annotated, &|game| game.id % 3 == 0, &|game| (ratings(game), 0));
        expect(Part::WhiteWins, &|game| game.result == "1-0", &|game| (-game.plies, ratings(game)));
        expect(Part::BlackWins, &|game| game.result == "0-1", &|game| (-game.plies, ratings(game)));
    }
}

#[test]
fn too_many_groups_are_given_up() {
    let games = games(1000);
    let whole = groups(&games, 7);
    for room in [0, 1, 1000, 5000] {
        let mut small = Groups::new(ALL, 7, room);
        games.iter().for_each(|game| small.add(&game.sample()));
        assert!(small.is_too_large() && rows(&small).is_empty(), "{room} bytes");
        let small = Groups::from_bytes(&small.to_bytes()).unwrap();
        assert!(small.is_too_large());
        let mut merged = Groups::like(&whole);
        merged.merge(&whole);
        assert!(!merged.is_too_large());
        merged.merge(&small);
        assert!(merged.is_too_large() && rows(&merged).is_empty(), "with the groups of {room} bytes");
        merged.merge(&whole);
        assert!(merged.is_too_large(), "for good");
    }
    let mut merged = Groups::new(ALL, 7, 5000);
    merged.merge(&whole);
    assert!(merged.is_too_large(), "each fits, but not both");
}

#[test]
fn what_is_cut_off_is_no_state() {
    let bytes = groups(&games(20), 3).to_bytes();
    for len in 0..bytes.len() {
        assert!(Groups::from_bytes(&bytes[..len]).is_none(), "{len} bytes");
    }
}
