//! Stored bytes: golden files pin them, only canonical bytes are accepted, and no bytes make a reader panic.
//!
//! # Golden files
//!
//! `golden/games.tsv` and `golden/boards.tsv` have bytes that were written once. Nothing rewrites them: a failing line
//! breaks a promise to every stored game. To add a line, put `?` for the bytes; the test fails and prints the line.
//! `?` for the bytes; the test fails and prints the line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{CUSTOM_STARTS, Rng, STANDARD, effort, random_game};
use chess_core::board::fen;
use chess_core::board::position::BoardPosition;
use chess_core::facts::openings::TABLE;
use chess_core::search::finder::{Finder, Matching};
use chess_core::search::index_keys::position_keys;
use chess_core::text::movetext;
use chess_core::{Board, CorruptGame, Game, GameRef, GameResult};

fn golden(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let lines = fs::read_to_string(path).unwrap();
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').map(|(hex, text)| (hex.into(), text.into())).expect(line)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect(text)).collect()
}

/// `opening` is immutable in SQL, so indexes store its results: another table would make them wrong.
#[test]
fn the_table_of_openings_is_that_of_this_version() {
    let hash = TABLE
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(
        hash, 0x42b6_8378_cc91_0e0a,
        "say in CHANGELOG that indexes on opening() need REINDEX, then pin this hash"
    );
}

#[test]
fn golden_games() {
    let mut wrong = Vec::new();
    let lines = golden("games.tsv");
    for (bytes, text) in &lines {
        if text.ends_with('~') {
            // The end of an opening, which versions before 0.3.0 accepted: its bytes stay readable.
            let bytes = unhex(bytes);
            assert_eq!(movetext::write(GameRef::new(&bytes).unwrap()).as_ref(), Ok(text));
            assert_eq!(Game::from_bytes(&bytes), Err(CorruptGame::UpperBound));
            assert!(movetext::read(text).is_err());
            continue;
        }
        let game = match movetext::read(text) {
            Ok(game) => game,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        if hex(game.as_bytes()) != *bytes {
            wrong.push(format!("{}\t{text}", hex(game.as_bytes())));
            continue;
        }
        let stored = Game::from_bytes(&unhex(bytes)).unwrap();
        let written = movetext::write(stored.view()).unwrap();
        if written != *text {
            wrong.push(format!("{bytes}\t{written}"));
        }
    }
    assert!(wrong.is_empty(), "these lines are not the golden ones:\n{}", wrong.join("\n"));
    assert!(lines.len() >= 30);
}

#[test]
fn golden_boards() {
    let mut wrong = Vec::new();
    let lines = golden("boards.tsv");
    for (bytes, text) in &lines {
        let board = fen::read(text).unwrap();
        if hex(&board.to_bytes()) != *bytes {
            wrong.push(format!("{}\t{text}", hex(&board.to_bytes())));
            continue;
        }
        assert_eq!(fen::write(&Board::from_bytes(&unhex(bytes)).unwrap()), *text);
    }
    assert!(wrong.is_empty(), "these lines are not the golden ones:\n{}", wrong.join("\n"));
    assert!(lines.len() >= 15);
}

/// The golden games exercise every slot of both sides, castling, escapes, results and flags.
#[test]
fn golden_games_leave_nothing_out() {
    let mut firsts = BTreeSet::new();
    let mut heads = BTreeSet::new();
    for (bytes, _) in golden("games.tsv") {
        let bytes = unhex(&bytes);
        let view = GameRef::new(&bytes).unwrap();
        heads.insert(bytes[0]);
        let (mut moves, mut color) = (view.moves(), view.start_board().unwrap().turn);
        while let Some(byte) = moves.first() {
            firsts.insert((color, *byte));
            moves = &moves[if *byte == 255 { 3 } else { 1 }..];
            color ^= 1;
        }
    }
    for color in 0..2 {
        for slot in [0..=7, 8..=8, 9..=9, 10..=36, 37..=50, 51..=64, 65..=77, 78..=90, 91..=98, 99..=106, 255..=255] {
            assert!(firsts.range((color, *slot.start())..=(color, *slot.end())).next().is_some(), "{color} {slot:?}");
        }
        for pawn in 0..8 {
            let bytes = (color, 107 + 12 * pawn)..=(color, 118 + 12 * pawn);
            assert!(firsts.range(bytes).next().is_some(), "{color} pawn {pawn}");
        }
        for index in 0..12 {
            assert!((0..8).any(|pawn| firsts.contains(&(color, 107 + 12 * pawn + index))), "{color} target {index}");
        }
    }
    for result in 0..=4 {
        assert!(heads.iter().any(|head| head & 7 == result), "result {result}");
    }
    assert!(heads.iter().any(|head| head & 0x10 != 0) && heads.iter().any(|head| head & 0x08 != 0));
}

fn finders() -> Vec<Finder> {
    let boards = [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/8/3pP3/8/PPP2PPP/RNBQKBNR b KQkq e3 0 1",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "8/8/8/8/8/8/8/8 b - - 0 1",
    ];
    let matchings = [Matching::Position, Matching::Placement];
    boards.iter().flat_map(|text| matchings.map(|matching| Finder::new(&fen::read(text).unwrap(), matching))).collect()
}

/// Calls every reader of game bytes; accepted bytes must be canonical.
fn read_everything(bytes: &[u8], finders: &[Finder]) -> bool {
    let accepted = Game::from_bytes(bytes);
    let Ok(view) = GameRef::new(bytes) else {
        assert!(accepted.is_err());
        return false;
    };
    assert_eq!(view.check(), view.decode(|_, _| ()), "{}", hex(bytes));
    for finder in finders {
        let _ = finder.find(view, u32::MAX);
        let _ = finder.is_in(view, 3);
    }
    let mut keys = Vec::new();
    let counted = position_keys(view, &mut keys);
    for ply in [0, 1, view.ply_count() / 2, view.ply_count(), u32::MAX] {
        let _ = view.board_at(ply);
        if let Ok(first) = view.first_moves(ply) {
            let _ = first.view().board_at(ply);
        }
    }
    let _ = view.successor();
    let _ = (view.upper_bound(), view.lower_bound(), view.order_prefix(), view.start_board(), view.result());
    assert!(view.cmp(view).is_eq());
    let text = movetext::write(view);
    match accepted {
        Ok(game) => {
            assert_eq!(game.as_bytes(), bytes);
            assert!(counted.is_ok() && keys.len() == view.ply_count() as usize + 1);
            assert!(view.board_at(view.ply_count()).unwrap().is_ok());
            let text = text.unwrap();
            assert_eq!(hex(movetext::read(&text).unwrap().as_bytes()), hex(bytes), "{text}");
            true
        }
        Err(CorruptGame::UpperBound) => {
            assert!(text.is_ok_and(|text| text.ends_with('~')), "{}", hex(bytes));
            false
        }
        Err(_) => {
            assert!(text.is_err(), "written, but not accepted: {}", hex(bytes));
            false
        }
    }
}

fn read_board(bytes: &[u8]) -> bool {
    let Ok(board) = Board::from_bytes(bytes) else { return false };
    assert_eq!(hex(&board.to_bytes()), hex(bytes));
    assert_eq!(fen::read(&fen::write(&board)).unwrap(), board, "{}", fen::write(&board));
    let _ = (board.position(), board.legal_en_passant_file(), fen::write_epd(&board));
    true
}

#[test]
fn every_truncation_and_every_changed_byte_of_a_game() {
    let finders = &finders()[..4];
    let mut rng = Rng(21);
    let mut games: Vec<Vec<u8>> = golden("games.tsv").iter().map(|(bytes, _)| unhex(bytes)).collect();
    games.extend((0..effort(40, 3)).map(|_| random_game(&mut rng, 40).as_bytes().to_vec()));
    games.retain(|bytes| bytes.len() <= effort(200, 60) && Game::from_bytes(bytes).is_ok());
    let (mut accepted, mut refused) = (0, 0);
    for bytes in games {
        assert!(read_everything(&bytes, finders));
        for len in 0..bytes.len() {
            assert!(!read_everything(&bytes[..len], finders), "{} cut to {len}", hex(&bytes));
        }
        for more in 0..=255 {
            assert!(!read_everything(&[&bytes[..], &[more]].concat(), finders), "{} and {more}", hex(&bytes));
        }
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            for value in (1..=255).step_by(effort(1, 16)) {
                changed[at] = bytes[at] ^ value;
                if read_everything(&changed, finders) { accepted += 1 } else { refused += 1 }
            }
            changed[at] = bytes[at];
        }
    }
    assert!(accepted > 100 && refused > accepted, "{accepted} {refused}");
}

#[test]
fn every_truncation_and_every_changed_byte_of_a_board() {
    let fens =
        golden("boards.tsv").into_iter().map(|(_, text)| text).chain(CUSTOM_STARTS.iter().map(|s| s.to_string()));
    let mut accepted = 0;
    for text in fens {
        let bytes = fen::read(&text).unwrap().to_bytes();
        assert!((11..=54).contains(&bytes.len()));
        assert!(read_board(&bytes));
        assert!((0..bytes.len()).all(|len| !read_board(&bytes[..len])), "{text}");
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            for value in 1..=255 {
                changed[at] = bytes[at] ^ value;
                accepted += usize::from(read_board(&changed));
            }
            changed[at] = bytes[at];
        }
    }
    assert!(accepted > 100);
}

fn read_position(bytes: &[u8]) -> bool {
    let Ok(position) = BoardPosition::from_bytes(bytes) else { return false };
    assert_eq!(hex(&position.to_bytes()), hex(bytes));
    assert_eq!(BoardPosition::of(fen::read(&fen::write_epd(position.board())).unwrap()), position);
    true
}

#[test]
fn every_truncation_and_every_changed_byte_of_a_position() {
    let mut accepted = 0;
    for (_, text) in golden("boards.tsv") {
        let bytes = BoardPosition::of(fen::read(&text).unwrap()).to_bytes();
        assert!((9..=44).contains(&bytes.len()));
        assert!(read_position(&bytes));
        assert!((0..bytes.len()).all(|len| !read_position(&bytes[..len])), "{text}");
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            for value in 1..=255 {
                changed[at] = bytes[at] ^ value;
                accepted += usize::from(read_position(&changed));
            }
            changed[at] = bytes[at];
        }
    }
    assert!(accepted > 100);
}

#[test]
fn random_bytes_never_panic() {
    let finders = &finders()[..2];
    let mut rng = Rng(22);
    let empty = |start: &&str| movetext::read(&format!("[FEN \"{start}\"]")).unwrap().as_bytes().to_vec();
    let starts: Vec<Vec<u8>> = CUSTOM_STARTS.iter().chain(&[STANDARD; 8]).map(empty).collect();
    let header_len = movetext::read("").unwrap().as_bytes().len();
    let mut accepted = 0;
    let mut bytes = Vec::new();
    for round in 0..effort(1_000_000, 20_000) {
        bytes.clear();
        let mut len = rng.below(24);
        match round % 4 {
            0 => (),
            // a sound header before random moves
            1 | 2 => {
                bytes.extend(rng.pick(&starts));
                bytes[0] |= *rng.pick(&[0, 1, 2, 4, 5, 8]);
                bytes[1] = if rng.one_in(2) { len } else { rng.below(128) } as u8;
            }
            // a start with random numbers of random pieces
            _ => {
                let mut board = Board::default();
                for _ in 0..rng.below(80) {
                    board.kinds[rng.below(64)] = rng.below(13) as u8;
                }
                board.turn = rng.below(2) as u8;
                board.castling = [rng.pick(&[0, 1, 0x80, 0x81, 0x12]), rng.pick(&[0, 1, 0x80, 0x81, 0x18])].map(|n| *n);
                board.en_passant = rng.one_in(2).then(|| *rng.pick(&[16, 23, 40, 47]));
                bytes.extend([0x30, len as u8]);
                bytes.extend((2..header_len).map(|_| rng.next() as u8));
                board.pack(&mut bytes);
                if rng.one_in(2) {
                    len = 0;
                }
            }
        }
        while bytes.len() < 200 && len > 0 {
            len -= 1;
            match rng.below(8) {
                0 => bytes.extend([255, rng.next() as u8, rng.next() as u8]),
                _ => bytes.push(rng.next() as u8),
            }
        }
        accepted += usize::from(read_everything(&bytes, finders));
        read_board(&bytes);
        read_position(&bytes);
    }
    assert!(accepted > 10, "{accepted}");
}

#[test]
fn other_spellings_of_a_game_are_refused() {
    let game = movetext::read("1. e4 e5 1-0").unwrap();
    let bytes = game.as_bytes();
    let moves_at = bytes.len() - 2;
    assert!(Game::from_bytes(bytes).is_ok());
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.to_vec();
        change(&mut bytes);
        Game::from_bytes(&bytes).is_ok()
    };
    assert!(changed(&|b| b[0] = 0x20), "another result is another game");
    assert!(!changed(&|b| b[0] = 0x40), "another version");
    assert!(!changed(&|b| b[0] = 0x25), "no such result");
    assert!(!changed(&|b| b[1] = 1), "too many moves");
    assert!(!changed(&|b| b[1] = 3), "too few moves");
    assert!(!changed(&|b| drop(b.splice(1..2, [0x82, 0]))), "a padded count");
    assert!(!changed(&|b| drop(b.splice(moves_at..=moves_at, [255, 0x31, 0xc0]))), "e2e4 as an escape");
    assert!(
        !changed(&|b| {
            b[0] |= 0x10;
            b.splice(moves_at..moves_at, Board::default().to_bytes());
        }),
        "the standard start spelt out"
    );
    assert_eq!(GameRef::new(bytes).unwrap().result(), GameResult::WhiteWins);
}
