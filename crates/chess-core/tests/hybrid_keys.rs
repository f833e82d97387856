//! Tests of the keys of the access method `chess`: a search for any board of a game looks up one of the game's keys;
//! notes agree with shakmaty; a golden file pins keys and notes.
//!
//! Nothing rewrites `golden/hybrid_keys.tsv`: lines are added by hand from the output of a failing test.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use crate::common::{Played, Rng, STANDARD, Style, any_start, board_of, chess960, effort, pack, play};
use chess_core::board::fen;
use chess_core::board::key::position_key;
use chess_core::search::hybrid_keys::{EXACT_PLIES, Key, Next, Note, Rights, each_key, tail_key};
use chess_core::text::movetext;
use chess_core::{Board, GameRef};
use shakmaty::CastlingMode;

fn keys_of(game: GameRef<'_>) -> (Vec<(u64, Note)>, Vec<u64>) {
    let (mut exact, mut tail) = (Vec::new(), Vec::new());
    each_key(game, |key| match key {
        Key::Position(key, note) => exact.push((key, note)),
        Key::Tail(key) => tail.push(key),
    })
    .unwrap();
    (exact, tail)
}

/// The expected note in a game from the standard start.
fn note_of(played: &Played, ply: usize) -> Option<Next> {
    match played.moves.get(ply) {
        None => Some(Next::End),
        Some(played) if played.is_promotion() => None,
        Some(played) => {
            let uci = played.to_uci(CastlingMode::Standard).to_string();
            let square = |at: usize| (uci.as_bytes()[at] - b'a') + 8 * (uci.as_bytes()[at + 1] - b'1');
            Some(Next::Move { from: square(0), to: square(2) })
        }
    }
}

fn check(played: &Played) {
    let game = pack(played);
    let (exact, tail) = keys_of(game.view());
    let last = played.moves.len();
    assert_eq!(exact.len(), last.min(EXACT_PLIES as usize) + 1, "{}", played.fen);
    assert!(tail.windows(2).all(|pair| pair[0] != pair[1]), "{}", played.fen);
    let later: BTreeSet<u64> = tail.iter().copied().collect();
    for ply in 0..=last {
        let board = board_of(played, ply);
        let Some((key, note)) = exact.get(ply) else {
            assert!(later.contains(&tail_key(&board)), "{} {ply}", played.fen);
            continue;
        };
        assert_eq!(*key, position_key(&board), "{} {ply}", played.fen);
        let rights = Rights::of(&board);
        if game.view().has_custom_start() {
            assert_eq!(note.played(rights), None, "{} {ply}", played.fen);
        } else {
            assert_eq!(note.played(rights), note_of(played, ply), "{} {ply}", fen::write(&board));
        }
    }
    // Every key belongs to a position: the tail keys are those of the later boards, in order.
    let mut wanted: Vec<u64> = (exact.len()..=last).map(|ply| tail_key(&board_of(played, ply))).collect();
    wanted.dedup();
    assert_eq!(tail, wanted, "{}", played.fen);
}

#[test]
fn every_position_has_its_key() {
    let mut rng = Rng(27);
    for _ in 0..effort(6000, 150) {
        let start = any_start(&mut rng);
        let plies = rng.below(160);
        check(&play(&mut rng, &start, plies, Style::Special));
    }
    for _ in 0..effort(1500, 40) {
        let plies = rng.below(120);
        check(&play(&mut rng, STANDARD, plies, Style::Special));
        let start = chess960(rng.below(960));
        check(&play(&mut rng, &start, plies, Style::Special));
    }
    check(&play(&mut rng, STANDARD, effort(20_000, 600), Style::Endless));
}

#[test]
fn a_note_answers_only_for_the_rights_of_its_position() {
    // The knights return: the placement of half-move 0 recurs, later without O-O because of Rg1.
    let game = movetext::read("1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8 4. Ng1 Ng8 5. e4 *").unwrap();
    let (exact, _) = keys_of(game.view());
    let start = Board::default();
    assert_eq!(exact[0].0, exact[8].0);
    assert_eq!(exact[0].1.played(Rights::of(&start)), Some(Next::Move { from: 6, to: 21 }));
    assert_eq!(exact[8].1.played(Rights::of(&start)), None);
    let later = game.view().board_at(8).unwrap().unwrap();
    assert_eq!(exact[8].1.played(Rights::of(&later)), Some(Next::Move { from: 12, to: 28 }));
    assert_eq!(exact[0].1.played(Rights::of(&later)), None);
    assert_eq!(exact[9].1.played(Rights::of(&game.view().board_at(9).unwrap().unwrap())), Some(Next::End));

    // The en passant file counts only if a capture is legal.
    let game = movetext::read("1. e4 a6 2. e5 d5 3. exd6 *").unwrap();
    let (exact, _) = keys_of(game.view());
    let with = fen::read("rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3").unwrap();
    let without = Board { en_passant: None, ..with.clone() };
    assert_eq!(exact[4].1.played(Rights::of(&with)), Some(Next::Move { from: 36, to: 43 }));
    assert_eq!(exact[4].1.played(Rights::of(&without)), None);

    // Castling rooks on other files cannot occur in a game from the standard start.
    let chess960 = fen::read("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1").unwrap();
    assert_eq!(Rights::of(&chess960), Rights::UNKNOWN);
    assert_eq!(Note::from_bits(u32::MAX).played(Rights::UNKNOWN), None);
}

/// Notes of castling on both sides, an en passant capture and a promotion; all three forms of the tail key.
#[test]
fn golden_keys() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hybrid_keys.tsv");
    let golden = std::fs::read_to_string(path).unwrap();
    let lines: Vec<_> = golden.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 4);
    let mut wrong = String::new();
    for line in lines {
        let text = line.split('\t').next().unwrap();
        let game = movetext::read(text).unwrap();
        let (exact, tail) = keys_of(game.view());
        let mut now = format!("{text}\t");
        for (n, (key, note)) in exact.iter().enumerate() {
            let space = if n > 0 { " " } else { "" };
            write!(now, "{space}{key:016x}:{:05x}", note.bits()).unwrap();
        }
        now.push('\t');
        now.push_str(&tail.iter().map(|key| format!("{key:016x}")).collect::<Vec<_>>().join(" "));
        if now != line {
            writeln!(wrong, "{now}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "these lines are not the golden ones:\n{wrong}");
}

#[test]
fn a_move_is_written_as_the_king_goes_when_it_castles() {
    let game = movetext::read("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *").unwrap();
    let (exact, _) = keys_of(game.view());
    let next = |ply: usize| exact[ply].1.played(Rights::of(&game.view().board_at(ply as u32).unwrap().unwrap()));
    assert_eq!(next(6), Some(Next::Move { from: 4, to: 6 }));
    assert_eq!(next(7), Some(Next::Move { from: 60, to: 62 }));
}
