//! Proves that sums by groups are those of a replay of the games that meet conditions, or tell nothing.

use std::collections::{BTreeMap, HashSet};

use crate::common::games::Rng;
use crate::common::{Built, ROOMS, Table, keys_of, row, rows, seal, shape, with_sums};
use chess_core::Game;
use chess_core::search::hybrid_keys::{Key, Note};
use chess_core::text::movetext;
use chess_index::attributes::{Filter, Value, Within};
use chess_index::build::Builder;
use chess_index::check::check;
use chess_index::fault::Fault;
use chess_index::grouping::{Grouping, Groupings};
use chess_index::merge::merge;
use chess_index::sums::Sum;
use chess_index::writer::Shape;

/// 1 January 2024, and the first day of the year after.
const DAY: i32 = 8766;
const NEXT_YEAR: i32 = DAY + 366;

/// Ratings of White and Black, result, day, a number from 0 to 2, and the mean rating of a game. A year, or none, and two hundreds
/// or none, so that groups are few.
fn values_of(game: usize) -> [Value; 6] {
    let number = (game * 7919 % 10_007) as i32;
    let (white, black) = (2350 + number % 160, 2420 + number % 130);
    let (white, black) = ((number % 7 > 0).then_some(white), (number % 11 > 0).then_some(black));
    let day = (number % 5 > 0).then_some(DAY + number % 366);
    [white, black, Some(number % 3), day, Some(number % 2), white.zip(black).map(|(white, black)| (white + black) / 2)]
}

fn grouped(shape: Shape) -> Shape {
    let groupings = Groupings::new([(3, Grouping::Years), (4, Grouping::Each), (5, Grouping::Hundreds)]);
    Shape { columns: 6, groupings, ..with_sums(shape) }
}

fn built(shape: Shape, rows: &Table, first: usize) -> Built {
    let (mut builder, mut pages) = (Builder::new(shape, 0, Vec::new()), Vec::new());
    for (nth, (row, game)) in rows.iter().enumerate() {
        builder.add(*row, game.as_ref().map(Game::view), &values_of(first + nth), &mut pages).unwrap();
    }
    let segment = builder.finish(&mut pages).unwrap();
    assert_eq!(check(&pages[..], segment.number, segment.pages - 1), Ok(segment));
    Built { segment, pages }
}

/// Many games share a few beginnings, so the lists of those positions have groups. The random moves that follow make lists of so
/// many notes that they have none.
fn table(seed: u64) -> Table {
    let lines = ["1. e4 e5 2. Nf3", "1. e4 e5 2. f4", "1. e4 c5", "1. d4 d5"].map(|text| movetext::read(text).unwrap());
    let mut rng = Rng(seed);
    let mut of_row = |(row, game)| if rng.one_in(6) { (row, game) } else { (row, Some(rng.pick(&lines).clone())) };
    rows(seed, 6000).into_iter().map(&mut of_row).collect()
}

/// Positions, and the games of each with their notes.
fn lists(rows: &Table) -> BTreeMap<u64, Vec<(usize, Note)>> {
    let mut lists: BTreeMap<u64, Vec<(usize, Note)>> = BTreeMap::new();
    for (game, (_, moves)) in rows.iter().enumerate() {
        let mut known = HashSet::new();
        for key in keys_of(moves) {
            if let Key::Position(hash, note) = key
                && known.insert(hash)
            {
                lists.entry(hash).or_default().push((game, note));
            }
        }
    }
    lists
}

/// The sums of those games that meet the conditions.
fn replayed(games: &[(usize, Note)], filters: &[Filter]) -> Vec<Sum> {
    let mut sums: BTreeMap<(u32, Value), Sum> = BTreeMap::new();
    for (game, note) in games {
        let values = values_of(*game);
        if !filters.iter().all(|filter| filter.is_met(&values)) {
            continue;
        }
        let none = Sum { note: *note, result: values[2], games: 0, rated: [0; 2], ratings: [0; 2], day: None, game: 0 };
        let sum = sums.entry((note.bits(), values[2])).or_insert(none);
        sum.games += 1;
        for (side, rating) in values[..2].iter().enumerate() {
            sum.rated[side] += u32::from(rating.is_some());
            sum.ratings[side] += rating.unwrap_or(0) as u64;
        }
        sum.day = sum.day.max(values[3]);
        sum.game = if sum.games == 1 { *game as u32 } else { 0 };
    }
    sums.into_values().collect()
}

/// A condition, and whether groups decide it.
fn condition(rng: &mut Rng) -> (Filter, bool) {
    let between = |column, least: i32, most: i32| Filter { column, within: Within::between(least.into(), most.into()) };
    match rng.below(12) {
        0 => (between(2, rng.below(3) as i32, 2), true),
        1 => (Filter { column: 2, within: Within::any_of([(0, 0), (2, 2)]) }, true),
        2 => (between(3, DAY, NEXT_YEAR - 1), true),
        3 => (between(3, i32::MIN, DAY - 1), true),
        4 => (between(3, DAY + 1, i32::MAX), false),
        5 => (between(4, 1, 1), true),
        6 => (between(5, 2400, i32::MAX), true),
        7 => (between(5, 2300, 2399), true),
        8 => (between(5, 2420, 2460), false),
        9 => (Filter { column: 3 + 2 * rng.below(2), within: Within::Null }, true),
        10 => (Filter { column: 3 + 2 * rng.below(2), within: Within::NotNull }, true),
        _ => (between(0, 2400, i32::MAX), false),
    }
}

/// Asks about each list with random conditions. Returns the numbers of lists with groups and of lists without.
fn compare(built: &Built, rows: &Table, seed: u64) -> (usize, usize) {
    let (mut rng, mut some, mut none) = (Rng(seed), 0, 0);
    for (hash, games) in lists(rows).iter().filter(|(_, games)| games.len() > 16) {
        let ask = |filters: &[Filter]| built.segment.sums_of_met(&built.pages[..], *hash, filters).unwrap();
        let Some(all) = ask(&[]) else {
            none += 1;
            assert_eq!(ask(&[condition(&mut rng).0]), None);
            continue;
        };
        assert!(games.len() >= 16 * 17, "{} games", games.len());
        assert_eq!(all, replayed(games, &[]));
        some += 1;
        for _ in 0..40 {
            let asked: Vec<_> = (0..1 + rng.below(3)).map(|_| condition(&mut rng)).collect();
            let are_decided = asked.iter().all(|(_, is_decided)| *is_decided);
            let filters: Vec<Filter> = asked.into_iter().map(|(filter, _)| filter).collect();
            match ask(&filters) {
                Some(sums) => assert_eq!(sums, replayed(games, &filters), "{filters:?}"),
                None => assert!(!are_decided, "{filters:?}"),
            }
        }
        assert_eq!(built.segment.sums_of_met(&built.pages[..], hash ^ 1, &[]).unwrap(), None);
    }
    (some, none)
}

#[test]
fn groups_answer_as_a_replay() {
    let rows = table(80);
    for room in ROOMS {
        let built = built(grouped(shape(room, room == ROOMS[0])), &rows, 0);
        let (some, none) = compare(&built, &rows, 81);
        assert!(some >= 2 && none >= 5, "{some} lists with groups, {none} without");
        // A list fills several small pages with its groups.
        let pages = built.pages.iter().filter(|page| page[12] == 15).count();
        assert!(pages >= some && (room != ROOMS[0] || pages > some), "{pages} pages of {some} lists");
    }
}

/// However few games may wait for their attributes, the lists have the same groups.
#[test]
fn groups_do_not_depend_on_memory() {
    let rows = table(82);
    let mut known = None;
    for waiting in [u32::MAX, 40, 300, 3000] {
        let built = built(Shape { waiting, ..grouped(shape(ROOMS[1], false)) }, &rows, 0);
        let met = |hash: &u64| built.segment.sums_of_met(&built.pages[..], *hash, &[]).unwrap();
        let sums: Vec<_> = lists(&rows).keys().map(met).collect();
        assert!(sums.iter().flatten().count() >= 2);
        assert_eq!(known.get_or_insert_with(|| sums.clone()), &sums, "{waiting}");
    }
}

#[test]
fn a_merge_makes_the_groups_of_a_build() {
    let rows = table(83);
    let shape = grouped(shape(ROOMS[1], true));
    let half = rows.len() / 2;
    let halves = [(0, rows[..half].to_vec()), (half, rows[half..].to_vec())];
    let parts = halves.map(|(first, rows)| built(Shape { segment: 20 + first as u32, ..shape }, &rows, first));
    let inputs: Vec<_> = parts.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let mut pages = Vec::new();
    let segment = merge(&inputs, shape, &mut pages).unwrap();
    let whole = built(shape, &rows, 0);
    assert!((segment, &pages) == (whole.segment, &whole.pages), "the merge differs from the build");
    assert!(compare(&Built { segment, pages }, &rows, 84).0 >= 2);
    // Segments without groups are merged to one that has them.
    let plain = Shape { groupings: Groupings::default(), ..shape };
    let older = built(plain, &rows, 0);
    assert!(older.pages.iter().all(|page| page[12] < 14));
    let mut pages = Vec::new();
    let segment = merge(&[(&older.segment, &older.pages[..])], shape, &mut pages).unwrap();
    assert!((segment, &pages) == (whole.segment, &whole.pages), "the merge of older segments differs");
}

/// A check recomputes the groups, so that it finds wrong ones under a right checksum; readers survive them.
#[test]
fn a_check_finds_wrong_groups() {
    let game = movetext::read("1. e4 e5 2. Nf3").unwrap();
    let rows: Table = (0..500).map(|number| (row(number), Some(game.clone()))).collect();
    let Built { segment, mut pages } = built(grouped(shape(ROOMS[1], false)), &rows, 0);
    let hashes: Vec<u64> = lists(&rows).into_keys().collect();
    let mut wrong = 0;
    for page in (0..pages.len()).filter(|page| matches!(pages[*page][12], 14 | 15)).collect::<Vec<_>>() {
        for at in 16..pages[page].len() {
            for mask in [1, 0x40, 0x80, 0xff] {
                pages[page][at] ^= mask;
                seal(&mut pages[page]);
                let checked = check(&pages[..], segment.number, segment.pages - 1);
                assert!(matches!(checked, Err(Fault::Damaged { .. })), "page {page}, byte {at}, {mask}");
                for hash in &hashes {
                    let _ = segment.sums_of_met(&pages[..], *hash, &[]);
                }
                pages[page][at] ^= mask;
                wrong += 1;
            }
        }
        seal(&mut pages[page]);
    }
    assert!(wrong > 1000, "{wrong}");
    assert_eq!(check(&pages[..], segment.number, segment.pages - 1), Ok(segment));
}
