//! Proves that a merge of rich segments equals a build of the living games, and that other merges lose no game.

use std::collections::BTreeSet;

use crate::common::games::{Rng, effort};
use crate::common::{Built, ROOMS, Table, build, keys_of, questions, row, rows, shape, with_keys};
use chess_core::search::hybrid_keys::Key;
use chess_index::fault::Fault;
use chess_index::mask::mark_dead;
use chess_index::merge::{MergeError, merge};
use chess_index::writer::Shape;

/// Builds segments of parts of rows and marks some of their games as dead. Returns them and the living rows.
fn segments(rng: &mut Rng, rows: &Table, room: usize, rich: bool, sizes: &[usize]) -> (Vec<Built>, Table) {
    let (mut segments, mut living, mut from) = (Vec::new(), Vec::new(), 0);
    for (nth, size) in sizes.iter().enumerate() {
        let part = rows[from..from + size].to_vec();
        from += size;
        let mut built = build(Shape { segment: 100 + nth as u32, ..shape(room, rich) }, 0, &part);
        let share = [0, 2, 7][nth % 3];
        let dead: Vec<u32> = (0..*size as u32).filter(|_| share > 0 && rng.one_in(share)).collect();
        mark(&mut built, &dead);
        let is_dead = |game: usize| dead.binary_search(&(game as u32)).is_ok();
        living.extend(part.into_iter().enumerate().filter(|(game, _)| !is_dead(*game)).map(|(_, row)| row));
        segments.push(built);
    }
    (segments, living)
}

fn mark(built: &mut Built, dead: &[u32]) {
    for game in dead {
        let page = built.segment.mask_page_of(*game) as usize;
        assert_eq!(mark_dead(&mut built.pages[page], &[*game]), Ok(1));
        assert_eq!(mark_dead(&mut built.pages[page], &[*game]), Ok(0));
    }
    built.check();
}

fn merged(segments: &[Built], shape: Shape) -> Built {
    let inputs: Vec<_> = segments.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let mut pages = Vec::new();
    let segment = merge(&inputs, shape, &mut pages).unwrap();
    let built = Built { segment, pages };
    built.check();
    built
}

#[test]
fn a_merge_of_rich_segments_is_a_build_byte_by_byte() {
    let mut rng = Rng(40);
    let count = effort(2400, 300);
    let rows = rows(41, count);
    for sizes in [vec![count], vec![0, count / 2, 1, count / 3], vec![count / 9; 8], vec![]] {
        for room in ROOMS {
            let (segments, living) = segments(&mut rng, &rows, room, true, &sizes);
            for rich in [true, false] {
                let built = build(shape(room, rich), 1 << 30, &living);
                let merged = merged(&segments, shape(room, rich));
                assert_eq!(merged.segment, built.segment);
                assert_eq!(merged.pages, built.pages);
            }
        }
    }
}

#[test]
fn merges_in_tiers_lose_no_game() {
    let mut rng = Rng(42);
    let part = effort(60, 12);
    let rows = rows(43, 16 * part);
    let (leaves, living) = segments(&mut rng, &rows, ROOMS[0], false, &[part; 16]);
    let tiers: Vec<Built> = leaves.chunks(4).map(|four| merged(four, shape(ROOMS[0], false))).collect();
    let whole = merged(&tiers, shape(ROOMS[1], false));
    let keys: Vec<Vec<Key>> = living.iter().map(|(_, game)| keys_of(game)).collect();
    for (_, _, _, question) in questions(&mut rng, &living, effort(500, 100)) {
        let (found, wanted) = (whole.games(&question), with_keys(&keys, &question));
        assert_eq!(found, wanted, "{question:?}");
        // Each tier has the same games as the next, though perhaps in lists of another class.
        let mut before = BTreeSet::new();
        let mut first = 0;
        for tier in &tiers {
            before.extend(tier.games(&question).iter().map(|game| first + game));
            first += tier.segment.games;
        }
        assert!(found.iter().copied().eq(before));
    }
    let mut pointers = Vec::new();
    whole.segment.each_row(&whole.pages[..], |_, row| pointers.push(row)).unwrap();
    assert_eq!(pointers, living.iter().map(|(row, _)| *row).collect::<Vec<_>>());
}

#[test]
fn all_games_of_a_segment_may_be_dead() {
    let rows = rows(44, 90);
    let mut built = build(shape(ROOMS[0], true), 0, &rows);
    mark(&mut built, &(0..90).collect::<Vec<_>>());
    let question = &questions(&mut Rng(45), &rows, 1)[0].3;
    assert_eq!(built.games(question), []);
    let empty = merged(&[built], shape(ROOMS[0], true));
    assert_eq!((empty.segment.games, empty.segment.postings, empty.segment.pages), (0, 0, 1));
    assert_eq!(empty.games(question), []);
}

/// Dead games belong to one segment: a reused row pointer is alive in another.
#[test]
fn a_row_pointer_may_be_dead_here_and_alive_there() {
    let first = rows(46, 60);
    let again: Table = rows(47, 60).into_iter().map(|(_, game)| (row(5), game)).collect();
    let mut before = build(shape(ROOMS[0], false), 0, &first);
    mark(&mut before, &[5]);
    let after = build(Shape { segment: 8, ..shape(ROOMS[0], false) }, 0, &again[..1]);
    let both = merged(&[before, after], shape(ROOMS[0], false));
    let mut pointers = Vec::new();
    both.segment.each_row(&both.pages[..], |_, pointer| pointers.push(pointer)).unwrap();
    assert_eq!(pointers.iter().filter(|pointer| **pointer == row(5)).count(), 1);
    assert_eq!(pointers.last(), Some(&row(5)));
}

#[test]
fn a_merge_names_the_segment_that_cannot_be_read() {
    let rows = rows(48, 100);
    let mut parts: Vec<Built> = [&rows[..50], &rows[50..]].map(|part| build(shape(ROOMS[0], true), 0, part)).into();
    let leaf = parts[1].pages.iter().position(|page| page[12] == 3).unwrap();
    parts[1].pages[leaf][4] ^= 1;
    let inputs: Vec<_> = parts.iter().map(|built| (&built.segment, &built.pages[..])).collect();
    let error = merge(&inputs, shape(ROOMS[0], true), &mut Vec::new()).unwrap_err();
    assert_eq!(error, MergeError::Fault { segment: 1, fault: Fault::Replaced { page: leaf as u32 } });
    assert_eq!(error.to_string(), format!("page {leaf} belongs to another segment"));
}

#[test]
fn dead_games_are_not_found() {
    let rows = rows(49, effort(700, 120));
    let mut built = build(shape(ROOMS[0], false), 0, &rows);
    let keys: Vec<Vec<Key>> = rows.iter().map(|(_, game)| keys_of(game)).collect();
    let mut rng = Rng(50);
    let dead: Vec<u32> = (0..rows.len() as u32).filter(|_| rng.one_in(3)).collect();
    mark(&mut built, &dead);
    for (_, _, _, question) in questions(&mut rng, &rows, 200) {
        let mut wanted = with_keys(&keys, &question);
        wanted.retain(|game| dead.binary_search(game).is_err());
        assert_eq!(built.games(&question), wanted);
    }
}
