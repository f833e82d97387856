//! Proves that the lists of patterns have the games that have their keys, and that a selection misses no game that matches.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::common::games::{Rng, effort};
use crate::common::{Built, ROOMS, Table, build, rows, shape};
use chess_core::Game;
use chess_core::search::material::Material;
use chess_core::search::pattern::{Pattern, STANDARD_SIGNATURE, material_key, pattern_keys};
use chess_index::block::Block;
use chess_index::mask::mark_dead;
use chess_index::merge::merge;
use chess_index::select::{Selection, Sought, is_certain};
use chess_index::writer::Shape;

const PATTERNS: [&str; 24] = [
    "flip(isolated(Pd))",
    "mate or stalemate",
    "O-O-O or o-o",
    "Nd5",
    "Nd5 and ke8",
    "flip(Nd5 and not [bn] attacks d5)",
    "Pe4 pe5 Nf3 nc6",
    "Rxc3 directly Pxc3",
    "Pxp then Qxq",
    "[Pp]-.=[QRBNqrbn]",
    "Pa7 then Qa8",
    "KRPPPvKRPPP",
    "KRP*vKRP*",
    "K[QRBN]?P*vK[QRBN]?P*",
    "flip(Q = 2 and q = 1)",
    "flip(B = 2 and N = 0 and b = 1 and n = 1)",
    "flip(imbalance Pv for 2)",
    "oppositebishops and [QRNqrn] = 0",
    "P = 8 and p = 7",
    "P = 8 and p = 8",
    "Q = 0 and q = 0 and Ke4",
    "K-h1 then R-g1",
    "check then within 3 mate",
    "enpassant",
];

fn patterns() -> Vec<Pattern> {
    PATTERNS.iter().map(|text| Pattern::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

fn keys_of(game: &Option<Game>) -> Vec<u64> {
    let mut keys = Vec::new();
    if let Some(game) = game {
        pattern_keys(game.view(), &mut keys).unwrap();
    }
    keys
}

fn selected(built: &Built, patterns: &[&Pattern], among: Option<&[u32]>) -> Option<Vec<u32>> {
    select(built, patterns, among).map(|(found, _)| found)
}

/// The games of a selection, and whether it is certain that they match.
fn select(built: &Built, patterns: &[&Pattern], among: Option<&[u32]>) -> Option<(Vec<u32>, bool)> {
    let trees: Vec<_> = patterns.iter().map(|pattern| pattern.key_tree()).collect();
    let certainties: Vec<_> = patterns.iter().map(|pattern| pattern.certainty().map(RefCell::new)).collect();
    let sought = |(tree, certainty)| Sought { tree, certainty: Option::as_ref(certainty) };
    let sought: Vec<_> = trees.iter().zip(&certainties).map(sought).collect();
    let mut selection = Selection::new(&built.pages[..], &built.segment, &sought, among).unwrap()?;
    if let ([only], None) = (&*sought, among) {
        // What the leaves tell without the lists holds; the lists may tell more, such as that they are empty.
        let is_certain = is_certain(&built.pages[..], &built.segment, only).unwrap();
        assert!(!is_certain || selection.is_certain());
    }
    let (mut games, mut found) = (Vec::new(), Vec::new());
    while selection.next(&built.pages[..], &built.segment, &mut games).unwrap() {
        found.append(&mut games);
    }
    assert!(found.is_sorted_by(|a, b| a < b) && found.last().is_none_or(|game| *game < built.segment.games));
    Some((found, selection.is_certain()))
}

fn games_of(built: &Built, key: u64) -> Vec<u32> {
    let (mut block, mut games) = (Block::default(), Vec::new());
    if let Some(list) = built.segment.pattern_list(&built.pages[..], key).unwrap() {
        let mut reader = list.read();
        while reader.next(&built.pages[..], &built.segment, &mut block).unwrap() {
            games.append(&mut block.games);
        }
        assert_eq!(games.len(), list.count as usize);
    }
    games
}

fn check_lists(built: &Built, rows: &Table) {
    let mut wanted: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (number, (_, game)) in (0..).zip(rows) {
        keys_of(game).into_iter().for_each(|key| wanted.entry(key).or_default().push(number));
    }
    wanted.remove(&material_key(STANDARD_SIGNATURE));
    let described = built.segment.patterns.unwrap();
    assert_eq!(described.lists, wanted.len() as u64);
    assert_eq!(described.postings, wanted.values().map(|games| games.len() as u64).sum::<u64>());
    for (key, games) in &wanted {
        assert_eq!(games_of(built, *key), *games, "{key:x}");
    }
    for key in
        [0, material_key(STANDARD_SIGNATURE), material_key(0xff_ffff_ffff), 2 << 40 | 800, 3 << 40 | 164, u64::MAX]
    {
        assert_eq!(games_of(built, key), []);
    }
}

/// Compares selections with the keys of the games, and with the games themselves.
fn check_selections(built: &Built, rows: &Table, seed: u64) {
    let mut rng = Rng(seed);
    let patterns = patterns();
    let keys: Vec<Vec<u64>> = rows.iter().map(|(_, game)| keys_of(game)).collect();
    let matches: Vec<Vec<u32>> = patterns
        .iter()
        .map(|pattern| {
            let mut matcher = pattern.matcher();
            let mut has = |game: &Option<Game>| {
                game.as_ref().is_some_and(|game| matcher.find(game.view(), u32::MAX).unwrap().is_some())
            };
            (0..).zip(rows).filter(|(_, (_, game))| has(game)).map(|(number, _)| number).collect()
        })
        .collect();
    for (pattern, matches) in patterns.iter().zip(&matches) {
        let tree = pattern.key_tree();
        let Some((found, is_certain)) = select(built, &[pattern], None) else {
            assert!(!tree.is_known());
            continue;
        };
        assert!(!is_certain || found == *matches, "{pattern} is not certain");
        assert!(matches.iter().all(|game| found.binary_search(game).is_ok()), "{pattern} misses a game");
        let may_match = |game: &u32| tree.may_match_game(&keys[*game as usize]);
        assert!((0..rows.len() as u32).filter(may_match).all(|game| found.binary_search(&game).is_ok()), "{pattern}");
        if tree.nodes().len() == 1 {
            assert!(found.iter().all(may_match), "{pattern}");
        }
    }
    for _ in 0..effort(60, 20) {
        let (a, b) = (rng.below(patterns.len()), rng.below(patterns.len()));
        let share = 1 + rng.below(40);
        let among: Option<Vec<u32>> =
            rng.one_in(2).then(|| (0..rows.len() as u32).filter(|_| rng.one_in(share)).collect());
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let given = among.as_deref().unwrap_or(&all);
        let (found, is_certain) =
            select(built, &[&patterns[a], &patterns[b]], among.as_deref()).unwrap_or((given.to_vec(), false));
        assert!(found.iter().all(|game| given.binary_search(game).is_ok()));
        let is_wanted = |game: &&u32| matches[b].binary_search(game).is_ok() && given.binary_search(game).is_ok();
        let wanted: Vec<u32> = matches[a].iter().filter(is_wanted).copied().collect();
        assert!(wanted.iter().all(|game| found.binary_search(game).is_ok()), "{} and {}", patterns[a], patterns[b]);
        assert!(!is_certain || found == wanted, "{} and {}", patterns[a], patterns[b]);
    }
}

#[test]
fn lists_and_selections_are_those_of_the_games() {
    for (seed, count) in [(50, 0), (51, 1), (52, 70), (53, effort(2500, 200))] {
        let rows = rows(seed, count);
        for room in ROOMS {
            let built = build(shape(room, seed % 2 == 0), 0, &rows);
            built.check();
            check_lists(&built, &rows);
            check_selections(&built, &rows, seed);
        }
    }
}

/// More games than a window has, and lists that are bitmaps.
#[test]
fn several_windows() {
    let few = rows(54, effort(150, 40));
    let many: Table =
        (0..effort(40_000, 17_000)).map(|n| (crate::common::row(n), few[n * n % 997 % few.len()].1.clone())).collect();
    let built = build(shape(ROOMS[1], false), 1 << 30, &many);
    built.check();
    check_lists(&built, &many);
    let keys: Vec<Vec<u64>> = few.iter().map(|(_, game)| keys_of(game)).collect();
    for pattern in patterns() {
        let tree = pattern.key_tree();
        let Some(found) = selected(&built, &[&pattern], None) else { continue };
        let may_match: Vec<bool> = keys.iter().map(|keys| tree.may_match_game(keys)).collect();
        let wanted = (0..many.len()).filter(|n| may_match[n * n % 997 % few.len()]);
        assert!(wanted.into_iter().all(|game| found.binary_search(&(game as u32)).is_ok()), "{pattern}");
    }
}

/// A reader that passes over blocks finds all games from there on.
#[test]
fn readers_pass_over_games() {
    let few = rows(55, 60);
    let many: Table = (0..5000).map(|n| (crate::common::row(n), few[n * n % 997 % few.len()].1.clone())).collect();
    let built = build(shape(ROOMS[0], false), 1 << 30, &many);
    let mut rng = Rng(56);
    for key in keys_of(&few[1].1).into_iter().chain(keys_of(&few[2].1)) {
        let all = games_of(&built, key);
        let Some(list) = built.segment.pattern_list(&built.pages[..], key).unwrap() else { continue };
        let (mut reader, mut block, mut from, mut found) = (list.read(), Block::default(), 0, Vec::<u32>::new());
        let mut blocks = 0;
        while reader.next_from(&built.pages[..], &built.segment, from, &mut block).unwrap() {
            found.extend(block.games.iter().filter(|game| **game >= from));
            let last = block.games.last().unwrap() + 1;
            let wanted = all.iter().filter(|game| (from..last).contains(game)).count();
            assert_eq!(found.len(), wanted);
            found.clear();
            from = last.max(from) + rng.below(900) as u32;
            blocks += 1;
        }
        assert!(all.last().is_none_or(|last| *last < from));
        assert!(blocks * 64 <= all.len() + 64 * 40, "{blocks} blocks of {} games", all.len());
    }
}

#[test]
fn a_merge_keeps_patterns_if_all_have_them() {
    let rows = rows(57, effort(900, 150));
    let (first, second) = rows.split_at(rows.len() / 3);
    let part = |number, patterns, rows: &[_]| {
        let mut built = build(Shape { segment: number, patterns, ..shape(ROOMS[1], true) }, 0, rows);
        let mask = built.segment.mask_page_of(0) as usize;
        mark_dead(&mut built.pages[mask], &[0, 1]).unwrap();
        built
    };
    for (a, b, wanted) in [(true, true, true), (true, false, false), (true, true, false)] {
        let parts = [part(1, a, first), part(2, b, second)];
        let inputs = parts.each_ref().map(|built| (&built.segment, &built.pages[..]));
        let mut pages = Vec::new();
        let into = Shape { segment: 3, patterns: wanted || a != b, ..shape(ROOMS[1], true) };
        let segment = merge(&inputs, into, &mut pages).unwrap();
        let merged = Built { segment, pages };
        merged.check();
        let living: Table = [&first[2..], &second[2..]].concat();
        let direct = build(Shape { patterns: wanted, ..into }, 0, &living);
        assert_eq!(merged.segment, direct.segment);
        assert_eq!(merged.pages, direct.pages);
        assert_eq!(selected(&merged, &[&patterns()[3]], None).is_some(), wanted);
    }
}

/// Material as a pattern is found by a key of its own.
#[test]
fn materials_are_exact() {
    let rows = rows(58, effort(1200, 200));
    let built = build(shape(ROOMS[1], false), 0, &rows);
    let mut seen = 0;
    for (_, game) in rows.iter().step_by(7) {
        let Some(game) = game else { continue };
        let material = Material::of(&game.view().board_at(game.view().ply_count()).unwrap().unwrap());
        let Ok(pattern) = Pattern::read(&material.to_string()) else { continue };
        let Some((found, is_certain)) = select(&built, &[&pattern], None) else { continue };
        assert!(is_certain, "{material}");
        let has = |game: &Option<Game>| {
            game.as_ref().is_some_and(|game| material.find(game.view(), u32::MAX).unwrap().is_some())
        };
        let wanted: Vec<u32> = (0..).zip(&rows).filter(|(_, (_, game))| has(game)).map(|(number, _)| number).collect();
        assert_eq!(found, wanted, "{material}");
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}
