//! Proves that stored sums are those of a replay of all games, and that builds and merges make the same.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::common::games::effort;
use crate::common::{Built, ROOMS, Table, build, keys_of, merged, row, rows, seal, shape, values_in, with_sums};
use chess_core::Game;
use chess_core::search::hybrid_keys::{Key, Note};
use chess_index::block::Block;
use chess_index::build::Builder;
use chess_index::check::check;
use chess_index::fault::Fault;
use chess_index::key::{Class, Question};
use chess_index::merge::merge;
use chess_index::summed::Ranking;
use chess_index::sums::{ListSums, Sum};
use chess_index::writer::Shape;

/// Lists of more games are long.
const SHORT: usize = 16;

/// The sums of each position, by a look at every game.
fn replayed(rows: &Table) -> BTreeMap<u64, Vec<Sum>> {
    let mut lists: BTreeMap<u64, BTreeMap<(u32, Option<i32>), Sum>> = BTreeMap::new();
    for (game, (row, moves)) in rows.iter().enumerate() {
        let values = values_in(5, *row);
        let mut known = HashSet::new();
        for key in keys_of(moves) {
            let Key::Position(hash, note) = key else { continue };
            if !known.insert(hash) {
                continue;
            }
            let none = Sum { note, result: values[2], games: 0, rated: [0; 2], ratings: [0; 2], day: None, game: 0 };
            let sum = lists.entry(hash).or_default().entry((note.bits(), values[2])).or_insert(none);
            sum.games += 1;
            for (side, rating) in values[..2].iter().enumerate() {
                let rating = rating.unwrap_or(0).max(0);
                sum.rated[side] += u32::from(rating > 0);
                sum.ratings[side] += rating as u64;
            }
            sum.day = sum.day.max(values[3]);
            sum.game = if sum.games == 1 { game as u32 } else { 0 };
        }
    }
    lists.into_iter().map(|(hash, sums)| (hash, sums.into_values().collect())).collect()
}

/// The leaders are the first sixteen games and those equal to the last of them, unless they are more than 64.
fn compare_leaders(built: &Built, rows: &Table, hash: u64, sums: &ListSums) {
    let lists = built.segment.lists(&built.pages[..], &Question { exact: vec![hash], tail: None }).unwrap();
    let (mut block, mut games) = (Block::default(), Vec::new());
    let mut reader = lists.iter().find(|list| list.class != Class::Plain).unwrap().read();
    while reader.next(&built.pages[..], &built.segment, &mut block).unwrap() {
        games.extend(block.games.iter().copied().zip(block.notes.iter().copied()));
    }
    for ranking in Ranking::ALL {
        let number =
            |(game, _): &(u32, Note)| ranking.number(*values_in(5, rows[*game as usize].0).first_chunk().unwrap());
        let mut numbers: Vec<i64> = games.iter().map(number).collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let mut wanted: Vec<_> = games.iter().copied().filter(|of| number(of) >= numbers[15]).collect();
        wanted.truncate(if wanted.len() > 64 { 0 } else { 64 });
        assert_eq!(sums.leaders(ranking).collect::<Vec<_>>(), wanted);
    }
}

/// Compares all sums of a segment. Returns how many lists have some, and how many have none because they take too much room.
fn compare(built: &Built, rows: &Table, least: usize) -> (usize, usize) {
    built.check();
    let (mut stored, mut large) = (0, 0);
    for (hash, wanted) in replayed(rows) {
        let games: u32 = wanted.iter().map(|sum| sum.games).sum();
        match built.segment.sums(&built.pages[..], hash).unwrap() {
            Some(sums) => {
                assert_eq!(sums.sums, wanted);
                compare_leaders(built, rows, hash, &sums);
                assert!(games as usize >= least);
                stored += 1;
            }
            None => large += usize::from(games as usize >= least),
        }
        assert_eq!(built.segment.sums(&built.pages[..], hash ^ 1).unwrap(), None);
    }
    assert_eq!(built.segment.sums.map_or(0, |sums| sums.lists as usize), stored);
    (stored, large)
}

#[test]
fn sums_are_those_of_a_replay() {
    let rows = rows(70, effort(6000, 1200));
    for room in ROOMS {
        for rich in [false, true] {
            for least in [1, 17, 60] {
                let shape = Shape { sums: least, ..with_sums(shape(room, rich)) };
                let (stored, large) = compare(&build(shape, 0, &rows), &rows, (least as usize).max(SHORT + 1));
                assert!(stored >= 5, "{stored}");
                // The sums of the start position do not fit into the smallest page.
                assert_eq!(large > 0, room == ROOMS[0], "{large} of {stored} in pages of {room}");
            }
        }
    }
}

#[test]
fn some_segments_have_no_sums() {
    let rows = rows(71, 300);
    let all = with_sums(shape(ROOMS[1], false));
    assert!(build(Shape { columns: 4, ..all }, 0, &rows).segment.sums.is_some());
    for shape in
        [Shape { sums: 0, ..all }, Shape { sums: 301, ..all }, Shape { columns: 3, ..all }, Shape { columns: 0, ..all }]
    {
        let built = build(shape, 0, &rows);
        built.check();
        assert_eq!(built.segment.sums, None);
    }
}

#[test]
fn merges_make_the_sums_of_a_build() {
    let rows = rows(72, effort(2400, 600));
    let shape = with_sums(shape(ROOMS[1], true));
    let (merged, built, living) = merged(&rows, shape, 7);
    assert_eq!((merged.segment, &merged.pages), (built.segment, &built.pages));
    assert!(compare(&merged, &living, SHORT + 1).0 >= 5);
    // Without notes of short lists.
    let poor = Shape { rich: false, ..shape };
    let poor_parts: Vec<Built> = living
        .chunks(200)
        .enumerate()
        .map(|(nth, part)| build(Shape { segment: 30 + nth as u32, ..poor }, 0, part))
        .collect();
    let inputs: Vec<_> = poor_parts.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let mut pages = Vec::new();
    let segment = merge(&inputs, poor, &mut pages).unwrap();
    assert!(segment.sums.is_some());
    Built { segment, pages }.check();
}

/// However few games may wait for their attributes, the lists have the same sums. Values of any size are summed.
#[test]
fn games_wait_in_any_number() {
    let large = |nth: usize, values: &mut Vec<Option<i32>>| match nth % 50 {
        7 => values[0] = Some(i32::MAX),
        8 => values[1] = Some(70_000),
        9 => values[2] = Some(-1 - nth as i32),
        10 => values[3] = Some(i32::MIN),
        11 => values[3] = Some(i32::MAX),
        _ => (),
    };
    for (seed, room) in [(74, ROOMS[0]), (75, ROOMS[1])] {
        let rows = rows(seed, effort(3000, 800));
        let mut known = None;
        for waiting in [u32::MAX, 1, 16, 17, 100, 5000] {
            let shape = Shape { waiting, ..with_sums(shape(room, false)) };
            let (mut builder, mut pages) = (Builder::new(shape, 0, Vec::new()), Vec::new());
            for (nth, (row, game)) in rows.iter().enumerate() {
                let mut values = values_in(5, *row);
                large(nth, &mut values);
                builder.add(*row, game.as_ref().map(Game::view), &values, &mut pages).unwrap();
            }
            let segment = builder.finish(&mut pages).unwrap();
            assert_eq!(check(&pages[..], segment.number, segment.pages - 1), Ok(segment), "{waiting}");
            let hashes: BTreeSet<u64> = replayed(&rows).into_keys().collect();
            let sums: Vec<_> = hashes.iter().map(|hash| segment.sums(&pages[..], *hash).unwrap()).collect();
            assert!(sums.iter().flatten().count() >= 5);
            assert_eq!(known.get_or_insert_with(|| sums.clone()), &sums, "{waiting}");
        }
    }
}

/// A check recomputes the sums, so that it finds wrong ones under a right checksum.
#[test]
fn a_check_finds_wrong_sums() {
    let rows: Table = rows(73, 400).into_iter().enumerate().map(|(nth, (_, game))| (row(nth), game)).collect();
    let Built { segment, mut pages } = build(with_sums(shape(ROOMS[1], false)), 0, &rows);
    let page = pages.iter().position(|page| page[12] == 13).unwrap();
    let mut wrong = 0;
    for at in 16..pages[page].len() {
        pages[page][at] ^= 1;
        seal(&mut pages[page]);
        let checked = check(&pages[..], segment.number, segment.pages - 1);
        assert!(matches!(checked, Err(Fault::Damaged { .. })), "byte {at}");
        wrong += 1;
        pages[page][at] ^= 1;
    }
    assert!(wrong > 100, "{wrong}");
}
