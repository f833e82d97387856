//! Proves that the metapage survives a round trip, hands no block out twice, refuses damage, and that the tiers keep the
//! number of segments and the work of merges bounded.

use crate::common::games::{Rng, effort};
use chess_index::meta::{Full, MOST_PARTS, Meta, State, tail};
use chess_index::page::is_sealed;
use chess_index::segment::MOST_GAMES;
use chess_index::tiers::{Merger, groups, next};

const ROOM: usize = 8160;

/// The blocks of all parts.
fn owned(meta: &Meta) -> Vec<u32> {
    let extents = meta.all().flat_map(|part| &part.extents);
    let mut blocks: Vec<u32> = extents.flat_map(|extent| extent.first..extent.first + extent.len).collect();
    blocks.sort_unstable();
    blocks
}

fn check(meta: &Meta) {
    let content = meta.write(ROOM).unwrap();
    assert!(is_sealed(&content) && content.len() <= ROOM);
    assert_eq!(Meta::read(&content).as_ref(), Ok(meta));
    let last = meta.pending.pages.checked_sub(1);
    let tail = tail(&content).unwrap();
    assert_eq!(tail.map(|tail| (tail.number, tail.page)), last.map(|page| (meta.pending.number, page)));
    assert_eq!(tail.map(|tail| tail.block), last.and_then(|page| meta.pending.block(page)));
    let blocks = owned(meta);
    assert!(blocks.windows(2).all(|pair| pair[0] < pair[1]), "a block was given twice");
    assert!(!blocks.contains(&0), "the block of the metapage was given");
    let end = blocks.last().map_or(1, |last| last + 1);
    assert_eq!(meta.free_blocks(end) as usize, end as usize - 1 - blocks.len());
    for part in meta.all() {
        assert_eq!((0..part.blocks()).filter_map(|page| part.block(page)).count(), part.blocks() as usize);
        assert_eq!(part.block(part.blocks()), None);
    }
}

/// Segments begin, grow, are finished and dropped in any order, and games become pending meanwhile.
#[test]
fn blocks_are_owned_once() {
    for seed in 0..effort(20, 2) {
        let mut rng = Rng(seed as u64);
        let mut meta = Meta::default();
        check(&meta);
        for _ in 0..300 {
            let live: Vec<u32> = meta.in_state(State::Live).map(|part| part.number).collect();
            let unfinished = meta.in_state(State::Flushing).next().map(|part| part.number);
            match (rng.below(6), unfinished) {
                (0, None) if meta.has_room(ROOM) => {
                    meta.begin(State::Flushing).unwrap();
                }
                (1 | 2, Some(number)) => meta.grow(number, 1 + rng.below(40) as u32, ROOM, 0).unwrap(),
                (3, Some(number)) => {
                    let part = meta.part_mut(number).unwrap();
                    part.state = State::Live;
                    part.pages = part.blocks() - part.blocks() / 3;
                    part.games = part.pages * 30;
                    part.trim();
                    assert_eq!(part.blocks(), part.pages);
                }
                (4, _) if !live.is_empty() => {
                    let dropped = live[rng.below(live.len())];
                    meta.parts.retain(|part| part.number != dropped);
                }
                (5, _) if rng.below(10) == 0 && meta.has_room(ROOM) => {
                    meta.parts.retain(|part| part.state != State::Closed);
                    meta.close_pending().unwrap();
                    assert_eq!((meta.pending.pages, meta.pending.blocks()), (0, 0));
                }
                _ => {
                    let (number, page) = (meta.pending.number, meta.pending.pages);
                    while meta.pending.block(page).is_none() {
                        meta.grow(number, 16, ROOM, 0).unwrap();
                    }
                    meta.pending.pages += 1;
                }
            }
            check(&meta);
        }
    }
}

/// Two segments that grow in turns, with holes around them, never fill the page with extents.
#[test]
fn extents_stay_few() {
    let mut meta = Meta::default();
    for round in 0..40 {
        let numbers = [State::Flushing, State::Merging].map(|state| meta.begin(state).unwrap());
        let is_small = |meta: &Meta| numbers.iter().any(|number| meta.part(*number).unwrap().blocks() < 960);
        while is_small(&meta) {
            for number in numbers {
                meta.grow(number, 16, ROOM, 0).unwrap();
            }
            check(&meta);
        }
        for (nth, number) in numbers.into_iter().enumerate() {
            let part = meta.part_mut(number).unwrap();
            part.pages = part.blocks() - 5;
            part.state = State::Live;
            part.trim();
            if nth == 0 || round % 2 == 0 {
                meta.parts.retain(|part| part.number != number);
            }
        }
    }
}

#[test]
fn limits() {
    let mut meta = Meta::default();
    assert_eq!(meta.grow(99, 1, ROOM, 0), Err(Full));
    for _ in 0..MOST_PARTS {
        meta.begin(State::Live).unwrap();
    }
    assert_eq!(meta.begin(State::Live), Err(Full));
    assert!(!meta.has_room(ROOM));
    meta.pending.pages = 1;
    assert_eq!(meta.close_pending(), Err(Full));
    meta.pending.pages = 0;
    assert!(meta.write(100).is_err());
    check(&meta);
}

fn some_meta() -> Meta {
    let mut meta = Meta::default();
    for (state, games) in [(State::Live, 300_000), (State::Live, 4_100), (State::Closed, 4_000), (State::Merging, 0)] {
        let number = meta.begin(state).unwrap();
        for _ in 0..2 {
            meta.grow(number, 20, ROOM, 0).unwrap();
            meta.grow(1, 5, ROOM, 0).unwrap();
        }
        let part = meta.part_mut(number).unwrap();
        (part.games, part.pages, part.dead) = (games, 33, games / 100);
    }
    (meta.pending.pages, meta.pending.games) = (36, 2_900);
    meta
}

/// A reader returns an answer or an error for any bytes, and refuses a page whose checksum is wrong.
#[test]
fn damage() {
    let content = some_meta().write(ROOM).unwrap();
    for at in 0..content.len() {
        for bit in 0..8 {
            let mut damaged = content.clone();
            damaged[at] ^= 1 << bit;
            assert!(Meta::read(&damaged).is_err());
            let _ = tail(&damaged);
            crate::common::seal(&mut damaged);
            if let Ok(mut meta) = Meta::read(&damaged) {
                assert_eq!(meta.write(usize::MAX), Ok(damaged));
                let _ = (meta.grow(1, 7, ROOM, 0), meta.free_blocks(1_000), meta.close_pending());
                let _ = (next(&meta, Merger::Insert, ROOM), next(&meta, Merger::Vacuum, ROOM));
            }
        }
    }
    for len in 0..content.len() {
        assert!(Meta::read(&content[..len]).is_err());
    }
}

/// Merges the segments that the tiers select; returns the number of games written, and of pages in the largest merge.
fn merge(meta: &mut Meta, merger: Merger) -> (u64, u32) {
    let (mut written, mut largest) = (0, 0);
    loop {
        let numbers = next(meta, merger, ROOM);
        if numbers.is_empty() {
            return (written, largest);
        }
        let merged = || meta.parts.iter().filter(|part| numbers.contains(&part.number));
        let (games, pages) = (merged().map(|part| part.living()).sum(), merged().map(|part| part.pages).sum());
        meta.parts.retain(|part| !numbers.contains(&part.number));
        flush(meta, games);
        written += u64::from(games);
        largest = largest.max(pages);
    }
}

fn flush(meta: &mut Meta, games: u32) {
    let number = meta.begin(State::Live).unwrap();
    let part = meta.part_mut(number).unwrap();
    (part.games, part.pages) = (games, games / 20 + 1);
}

/// Games are inserted without a VACUUM. As long as segments are few, no merge takes long. Five million games are at most 130
/// segments, and each is written a few times.
#[test]
fn tiers_without_vacuum() {
    for pending in [64, 1_000, 3_072, 4_096] {
        let (mut meta, mut written, mut most) = (Meta::default(), 0, 0);
        let games = if pending == 64 { 200_000 } else { 5_000_000 };
        for _ in 0..games / pending {
            flush(&mut meta, pending);
            let before = meta.parts.len();
            let (games, largest) = merge(&mut meta, Merger::Insert);
            assert!(largest <= 1_400 || before > 128, "{largest} pages are merged, of {before} segments");
            written += games;
            most = most.max(meta.parts.len());
        }
        assert!(most <= 130, "{most} segments of {pending} games each");
        let times = written as f64 / f64::from(games);
        assert!(times < 9.0, "written {times} times");
    }
}

/// An INSERT leaves a merge that has failed to VACUUM, unless there are too many segments.
#[test]
fn a_failed_merge_is_left_to_vacuum() {
    let mut meta = Meta::default();
    (0..8).for_each(|_| flush(&mut meta, 3_072));
    assert_eq!(next(&meta, Merger::Insert, ROOM).len(), 8);
    meta.begin(State::Merging).unwrap();
    assert_eq!(next(&meta, Merger::Insert, ROOM), []);
    assert_eq!(next(&meta, Merger::Vacuum, ROOM).len(), 8);
    (0..121).for_each(|_| flush(&mut meta, 3_072));
    assert_eq!(next(&meta, Merger::Insert, ROOM).len(), 8);
}

/// VACUUM leaves fewer segments, and none in which more than a quarter is dead.
#[test]
fn tiers_with_vacuum() {
    let mut meta = Meta::default();
    for round in 0..2_000 {
        flush(&mut meta, 10 + 97 * (round % 50));
        merge(&mut meta, Merger::Vacuum);
        assert!(meta.parts.len() <= 7 * 5, "{} segments", meta.parts.len());
    }
    let part = meta.parts.last_mut().unwrap();
    (part.games, part.dead) = (30_000, 7_501);
    let number = part.number;
    assert_eq!(next(&meta, Merger::Insert, ROOM), []);
    assert_eq!(next(&meta, Merger::Vacuum, ROOM), [number]);
    merge(&mut meta, Merger::Vacuum);
    assert!(meta.parts.iter().all(|part| part.dead == 0));
}

/// No merge makes a segment of more games than it can have, however many segments there are; those that fit are merged.
#[test]
fn merges_end_at_the_limit_of_a_segment() {
    let limit = u64::from(MOST_GAMES);
    let mut full = Meta::default();
    (0..40).for_each(|_| flush(&mut full, MOST_GAMES));
    assert_eq!(next(&full, Merger::Vacuum, ROOM), []);
    assert_eq!(next(&full, Merger::Insert, ROOM), []);
    assert_eq!(groups(&full).len(), 40);
    for seed in 0..effort(50, 5) {
        let mut rng = Rng(seed as u64);
        let mut meta = Meta::default();
        for _ in 0..40 {
            let games = 1u32 << (20 + rng.below(11));
            flush(&mut meta, games + rng.below(games as usize) as u32);
        }
        let all = |meta: &Meta| meta.parts.iter().map(|part| u64::from(part.games)).sum::<u64>();
        let before = all(&meta);
        let grouped = groups(&meta);
        assert!(grouped.iter().flatten().map(|part| part.number).eq(meta.parts.iter().map(|part| part.number)));
        let games = |group: &[&chess_index::meta::Part]| group.iter().map(|part| u64::from(part.games)).sum::<u64>();
        assert!(grouped.iter().all(|group| games(group) <= limit));
        assert!(grouped.windows(2).all(|pair| games(&pair[0]) + games(&pair[1][..1]) > limit));
        loop {
            let numbers = next(&meta, Merger::Vacuum, ROOM);
            if numbers.is_empty() {
                break;
            }
            let merged = meta.parts.iter().filter(|part| numbers.contains(&part.number));
            let games = merged.map(|part| u64::from(part.living())).sum::<u64>();
            assert!(numbers.len() > 1 && games <= limit, "{numbers:?}, {games} games");
            meta.parts.retain(|part| !numbers.contains(&part.number));
            flush(&mut meta, games as u32);
        }
        assert_eq!(all(&meta), before);
        // Were there no limit, there would be seven segments in a tier at most.
        let small = meta.parts.iter().filter(|part| part.games < MOST_GAMES / 16).count();
        assert!(small <= 3 * 7, "{small} of {} segments", meta.parts.len());
    }
}
