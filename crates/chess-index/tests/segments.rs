//! Proves that a segment answers like a replay of its games: no game is missed, every candidate has a key of the
//! question, and notes and rows are those of the games.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::RangeInclusive;

use crate::common::games::{Rng, STANDARD, Style, effort, pack, play};
use crate::common::{Built, ROOMS, build, keys_of, questions, replayed, row, rows, shape, values_of, with_keys};
use chess_core::search::hybrid_keys::{Key, Note};
use chess_core::text::movetext;
use chess_core::{Game, GameRef};
use chess_index::block::Block;
use chess_index::build::{BuildError, Builder};
use chess_index::check::is_found;
use chess_index::common::CommonGames;
use chess_index::key::{Class, Question};
use chess_index::members::Members;
use chess_index::rows::Row;
use chess_index::search::List;
use chess_index::sink::{Sink, Spill};

/// The sort uses at least a megabyte; the tests have more postings than that, so that they cover several runs.
const LITTLE: usize = 0;
const MUCH: usize = 1 << 30;

fn check_answers(built: &Built, rows: &[(Row, Option<Game>)], seed: u64) {
    let keys: Vec<Vec<Key>> = rows.iter().map(|(_, game)| keys_of(game)).collect();
    let mut rng = Rng(seed);
    for (board, matching, limit, question) in questions(&mut rng, rows, effort(300, 40)) {
        let found = built.games(&question);
        assert_eq!(found, with_keys(&keys, &question), "{question:?}");
        let wanted = replayed(rows, &board, matching, limit);
        assert!(wanted.iter().all(|game| found.binary_search(game).is_ok()), "{board:?} {limit} misses a game");
        let mut pointers = Vec::new();
        built.segment.rows(&built.pages[..], &found, |game, row| pointers.push((game, row))).unwrap();
        let expected: Vec<_> = found.iter().map(|game| (*game, rows[*game as usize].0)).collect();
        assert_eq!(pointers, expected);

        // Of the games in one block none is left out, whatever else is.
        let Some((_, Row { block: wanted, .. })) = expected.get(rng.below(expected.len().max(1))).copied() else {
            continue;
        };
        pointers.clear();
        let skips = |blocks: RangeInclusive<u32>| !blocks.contains(&wanted);
        built.segment.rows_outside(&built.pages[..], &found, skips, |game, row| pointers.push((game, row))).unwrap();
        assert!(pointers.iter().all(|pointer| expected.binary_search(pointer).is_ok()) && pointers.is_sorted());
        let here = |pointers: &[(u32, Row)]| pointers.iter().filter(|(_, row)| row.block == wanted).count();
        assert_eq!(here(&pointers), here(&expected));
    }
    for (number, keys) in keys.iter().enumerate().step_by(rows.len() / 100 + 1) {
        assert_eq!(is_found(&built.pages[..], &built.segment, number as u32, keys), Ok(true), "{number}");
    }
    let mut all = Vec::new();
    built.segment.each_row(&built.pages[..], |game, row| all.push((game, row))).unwrap();
    let expected: Vec<_> = (0..).zip(rows.iter().map(|(row, _)| *row)).collect();
    assert_eq!(all, expected);
}

#[test]
fn no_game_is_missed() {
    for (seed, count) in [(1, 0), (2, 1), (3, 20), (4, effort(2500, 200))] {
        let rows = rows(seed, count);
        for room in ROOMS {
            for rich in [false, true] {
                for memory in [LITTLE, MUCH] {
                    let built = build(shape(room, rich), memory, &rows);
                    built.check();
                    if count > 0 {
                        check_answers(&built, &rows, seed);
                    }
                }
            }
        }
    }
}

/// Games of one question, of all of several, and of one of several, as far as they are asked for.
#[test]
fn common_games_come_one_after_the_other() {
    let rows = rows(9, effort(4000, 300));
    for (room, rich) in [(ROOMS[0], true), (ROOMS[1], false)] {
        let Built { segment, pages } = build(shape(room, rich), MUCH, &rows);
        let mut rng = Rng(10);
        let asked = questions(&mut rng, &rows, effort(200, 30)).into_iter().map(|(.., question)| {
            let games: BTreeSet<u32> = segment.games(&pages[..], &question).unwrap().into_iter().collect();
            (segment.lists(&pages[..], &question).unwrap(), games)
        });
        let asked: Vec<_> = asked.collect();
        let mut shared = 0;
        for _ in 0..effort(2000, 60) {
            let groups: Vec<Vec<_>> =
                (0..rng.below(4)).map(|_| (0..rng.below(4)).map(|_| rng.pick(&asked)).collect()).collect();
            let lists = |group: &Vec<&(Vec<List>, _)>| group.iter().flat_map(|(lists, _)| lists.clone()).collect();
            let mut common = CommonGames::new(groups.iter().map(lists).collect());
            let mut wanted: Vec<u32> = (0..segment.games).collect();
            for group in &groups {
                wanted.retain(|game| group.iter().any(|(_, games)| games.contains(game)));
            }
            let enough = rng.below(wanted.len() + 2);
            let found: Vec<u32> =
                std::iter::from_fn(|| common.next(&pages[..], &segment).unwrap()).take(enough).collect();
            assert_eq!(found, wanted[..enough.min(wanted.len())]);
            shared += usize::from(groups.len() > 1 && !wanted.is_empty());
        }
        assert!(shared > effort(20, 2), "only {shared} questions had games in common");
    }
}

#[test]
fn the_memory_of_a_build_changes_no_byte() {
    let rows = rows(5, 3000);
    for rich in [false, true] {
        let built = build(shape(ROOMS[1], rich), MUCH, &rows);
        assert!(built.segment.postings > 1 << 15, "{} postings fit into the least memory", built.segment.postings);
        assert_eq!(build(shape(ROOMS[1], rich), LITTLE, &rows).pages, built.pages);
    }
}

/// A game of 20,000 half-moves, whose keys exceed the memory of the sort.
#[test]
fn a_long_game() {
    let plies = effort(20_000, 1500);
    let long = pack(&play(&mut Rng(6), STANDARD, plies, Style::Endless));
    let mut rows = rows(7, 30);
    rows.extend((30..effort(36, 31)).map(|number| (row(number), Some(long.clone()))));
    let built = build(shape(ROOMS[0], false), LITTLE, &rows);
    built.check();
    check_answers(&built, &rows, 8);
}

/// Adds the games of a block, none of which may have been told before.
fn tell(block: &Block, told: &mut BTreeMap<u32, Option<Note>>) {
    for (nth, game) in block.games.iter().enumerate() {
        assert_eq!(told.insert(*game, block.notes.get(nth).copied()), None);
    }
}

/// Long lists contain the notes that sums need: the half-move played in the position, unless it needs a replay.
#[test]
fn notes_are_those_of_the_games() {
    let rows = rows(9, effort(2500, 400));
    let mut wanted: BTreeMap<u64, BTreeMap<u32, Note>> = BTreeMap::new();
    for (number, (_, game)) in rows.iter().enumerate() {
        for key in keys_of(game) {
            if let Key::Position(hash, note) = key {
                wanted.entry(hash).or_default().entry(number as u32).or_insert(note);
            }
        }
    }
    let built = build(shape(ROOMS[0], false), MUCH, &rows);
    let (mut long, mut rng) = (0, Rng(12));
    for (hash, wanted) in wanted {
        let lists = built.segment.lists(&built.pages[..], &Question { exact: vec![hash], tail: None }).unwrap();
        let mut found = BTreeMap::new();
        for list in &lists {
            let mut block = Block::default();
            let mut reader = list.read();
            let (mut count, mut listed) = (0, Vec::new());
            while reader.next(&built.pages[..], &built.segment, &mut block).unwrap() {
                count += block.games.len();
                listed.extend_from_slice(&block.games);
                assert_eq!(block.notes.len(), if list.class == Class::Plain { 0 } else { block.games.len() });
                found.extend(block.games.iter().copied().zip(block.notes.iter().copied()));
            }
            assert_eq!(count, list.count as usize);
            let notes: BTreeMap<u32, Option<Note>> = listed
                .iter()
                .map(|game| (*game, found.get(game).copied().filter(|_| list.class != Class::Plain)))
                .collect();
            let mut members = Members::of(list, &built.pages[..], &built.segment).unwrap();
            let mut told = BTreeMap::new();
            for _ in 0..3 {
                let asked: Vec<u32> = (0..rows.len() as u32).filter(|_| rng.below(40) == 0).collect();
                members.decode(&built.pages[..], &built.segment, &asked, |block| tell(block, &mut told)).unwrap();
                assert!(asked.iter().all(|game| told.get(game) == notes.get(game)));
            }
            members.decode_rest(&built.pages[..], &built.segment, |block| tell(block, &mut told)).unwrap();
            assert_eq!(told, notes);
        }
        let is_long = wanted.len() > 16;
        long += usize::from(is_long);
        assert_eq!(found, if is_long { wanted } else { BTreeMap::new() });
    }
    assert!(long > effort(20, 5), "{long} long lists");
}

#[test]
fn an_opening_finds_the_games_that_begin_with_it() {
    let rows = rows(10, effort(1500, 300));
    let built = build(shape(ROOMS[1], false), MUCH, &rows);
    let mut rng = Rng(11);
    let mut most = 0;
    for _ in 0..effort(400, 60) {
        let Some(game) = &rng.pick(&rows).1 else { continue };
        let plies = rng.below(game.view().ply_count() as usize + 1) as u32;
        let opening = game.view().first_moves(plies).unwrap();
        let found = built.games(&Question::opening(opening.view()).unwrap());
        let begins = |game: &Option<Game>| game.as_ref().is_some_and(|game| game.view().starts_with(opening.view()));
        for number in (0..rows.len()).filter(|number| begins(&rows[*number].1)) {
            assert!(found.binary_search(&(number as u32)).is_ok());
            most = most.max(plies);
        }
    }
    assert!(most > 28, "{most}");
    assert!(Question::opening(GameRef::new(&[0x20, 5, 0, 0, 32]).unwrap()).is_err());
}

#[test]
fn a_limit_asks_for_no_more_keys_than_it_needs() {
    let board = movetext::read("1. e4 c5").unwrap().view().board_at(2).unwrap().unwrap();
    assert_eq!(Question::position(&board, 28).tail, None);
    assert!(Question::position(&board, 29).tail.is_some());
    let [position, placement] = [Question::position(&board, u32::MAX), Question::placement(&board, u32::MAX)];
    assert_eq!((position.exact.len(), placement.exact.len()), (1, 2));
    assert_eq!(position.tail, placement.tail);
}

/// A sink and a temporary file that fail after a number of calls, like a cancelled build.
struct Failing(usize);

impl Failing {
    fn step(&mut self) -> Result<(), &'static str> {
        self.0 = self.0.checked_sub(1).ok_or("cancelled")?;
        Ok(())
    }
}

struct FailingSink(Failing, Vec<Vec<u8>>);

impl Sink for FailingSink {
    type Error = &'static str;

    fn put(&mut self, number: u32, content: &[u8]) -> Result<(), &'static str> {
        self.0.step()?;
        self.1.put(number, content).map_err(|never: Infallible| match never {})
    }

    fn get(&mut self, number: u32, content: &mut Vec<u8>) -> Result<(), &'static str> {
        self.0.step()?;
        self.1.get(number, content).map_err(|never: Infallible| match never {})
    }
}

struct FailingSpill(Failing, Vec<u8>);

impl Spill for FailingSpill {
    type Error = &'static str;

    fn write(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        self.0.step()?;
        self.1.write(bytes).map_err(|never| match never {})
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<(), &'static str> {
        self.0.step()?;
        self.1.read(at, into).map_err(|never| match never {})
    }
}

#[test]
fn a_build_ends_with_the_first_error_of_its_files() {
    let rows = rows(12, 2500);
    let attempt = |puts, spills| {
        let mut builder = Builder::new(shape(ROOMS[0], false), LITTLE, FailingSpill(Failing(spills), Vec::new()));
        let mut sink = FailingSink(Failing(puts), Vec::new());
        for (row, game) in &rows {
            builder.add(*row, game.as_ref().map(Game::view), &values_of(*row), &mut sink)?;
        }
        builder.finish(&mut sink)
    };
    let segment = attempt(usize::MAX, usize::MAX).unwrap();
    let pages = segment.pages as usize;
    for puts in (0..pages).step_by(pages / 10 + 1).chain([pages - 1]) {
        assert_eq!(attempt(puts, usize::MAX), Err(BuildError::Sink("cancelled")), "{puts} of {pages}");
    }
    assert_eq!(attempt(pages, usize::MAX), Ok(segment));
    let mut spills = 0;
    while let Err(error) = attempt(usize::MAX, spills) {
        assert_eq!(error, BuildError::Spill("cancelled"));
        spills += 1;
    }
    assert!(spills > 4, "{spills}");
}

#[test]
fn a_game_that_does_not_decode_ends_a_build() {
    let mut builder = Builder::new(shape(ROOMS[0], false), LITTLE, Vec::new());
    let damaged = GameRef::new(&[0x20, 1, 0xff, 0xff, 32, 203]).unwrap();
    let error = builder.add(row(0), Some(damaged), &[], &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "half-move 1 does not decode to a legal move");
}
