//! Proves replay and search against shakmaty: after every half-move of random legal games all six
//! FEN fields, the position key, the legal en passant file and the EPD are shakmaty's own, and a
//! finder answers what comparing shakmaty's positions one by one answers.

use chess_core::board::fen;
use chess_core::board::key;
use chess_core::search::any_board::AnyFinder;
use chess_core::search::distance::least_half_moves;
use chess_core::search::finder::{Finder, Matching};
use chess_core::search::index_keys::position_keys;
use chess_core::search::nearest::{Compared, Nearest, NearestFinder, distance};
use chess_core::{Board, Game};
use shakmaty::fen::{Epd, Fen};
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Chess, EnPassantMode, Position};

use crate::common::{
    CUSTOM_STARTS, Played, Rng, STANDARD, Style, any_start, board_of, chess960, effort, legal_en_passant_file,
    oracle_start, pack, play,
};

const ALL: [Matching; 2] = [Matching::Position, Matching::Placement];

fn key_of(position: &Chess) -> u64 {
    let mut key = if position.turn().is_white() { Zobrist64::zobrist_for_white_turn().0 } else { 0 };
    for (square, piece) in position.board() {
        key ^= Zobrist64::zobrist_for_piece(square, piece).0;
    }
    key
}

fn same(a: &Chess, b: &Chess, matching: Matching) -> bool {
    match matching {
        Matching::Position => a == b,
        Matching::Placement => a.board() == b.board(),
    }
}

/// Checks every half-move that is a multiple of `step`.
fn check_replay(played: &Played, game: &Game, step: usize) {
    let view = game.view();
    assert_eq!(view.ply_count() as usize, played.moves.len());
    let mut keys = Vec::new();
    position_keys(view, &mut keys).unwrap();
    assert_eq!(keys.len(), played.positions.len());
    for (ply, position) in played.positions.iter().enumerate() {
        assert_eq!(keys[ply], key_of(position), "{} ply {ply}", played.fen);
        if ply % step != 0 && ply + 1 != played.positions.len() {
            continue;
        }
        let board = view.board_at(ply as u32).unwrap().unwrap();
        assert_eq!(board, board_of(played, ply), "{} ply {ply}", played.fen);
        let text = fen::write(&board);
        if !played.fen.ends_with(" 0") {
            assert_eq!(text, Fen::from_position(position, EnPassantMode::Always).to_string());
        }
        assert_eq!(fen::read(&text).unwrap(), board);
        assert_eq!(Board::from_bytes(&board.to_bytes()).unwrap(), board);
        assert_eq!(board.position().unwrap(), *position);
        assert_eq!(key::position_key(&board), keys[ply]);
        assert_eq!(board.legal_en_passant_file(), legal_en_passant_file(position), "{text}");
        assert_eq!(fen::write_epd(&board), Epd::from_position(position, EnPassantMode::Legal).to_string());
    }
    assert_eq!(view.board_at(view.ply_count() + 1).unwrap().unwrap_err().ply_count, view.ply_count());
}

/// Looks for positions of `from` in `game`, as played in `played`.
fn check_search(played: &Played, game: &Game, from: &Played, step: usize) {
    for (ply, target) in from.positions.iter().enumerate().step_by(step) {
        for matching in ALL {
            let expected = played.positions.iter().position(|p| same(p, target, matching)).map(|n| n as u32);
            let finder = Finder::new(&board_of(from, ply), matching);
            let found = |limit| finder.find(game.view(), limit).unwrap();
            assert_eq!(found(u32::MAX), expected, "{} {matching:?} ply {ply} of {}", played.fen, from.fen);
            if let Some(first) = expected {
                assert_eq!(found(first), expected);
                assert_eq!(found(first + 1), expected);
                assert!(first == 0 || found(first - 1).is_none());
                assert!(finder.is_in(game.view(), first).unwrap());
            }
        }
    }
}

/// The same for all of them at once.
fn check_search_of_any(played: &Played, game: &Game, from: &Played, step: usize) {
    let mut any = AnyFinder::default();
    (0..from.positions.len()).step_by(step).for_each(|ply| any.add(&board_of(from, ply)));
    any.prepare();
    let is_one = |p: &_| from.positions.iter().step_by(step).any(|target| same(p, target, Matching::Position));
    let expected = played.positions.iter().position(is_one).map(|ply| {
        let mut targets = from.positions.iter().step_by(step);
        (ply as u32, targets.position(|target| same(&played.positions[ply], target, Matching::Position)).unwrap())
    });
    assert_eq!(any.find(game.view()).unwrap(), expected, "{} any of {}", played.fen, from.fen);
}

/// Boards that differ from one in the game in a single field; the expectation compares fields.
fn check_near_misses(rng: &mut Rng, played: &Played, game: &Game, count: usize) {
    for _ in 0..count {
        let mut board = board_of(played, rng.below(played.positions.len()));
        match rng.below(6) {
            0 => board.turn ^= 1,
            1 => board.castling[rng.below(2)] ^= 1 << rng.below(8),
            2 => board.castling = [0, 0],
            3 => {
                let (a, b) = (rng.below(64), rng.below(64));
                board.kinds.swap(a, b);
            }
            4 => board.en_passant = rng.one_in(2).then(|| (if board.turn == 0 { 40 } else { 16 }) + rng.below(8) as u8),
            _ => {
                board.kinds[rng.below(64)] = rng.below(13) as u8;
                board.halfmove_clock ^= 1;
            }
        }
        // If shakmaty accepts the board, it determines the legal en passant capture.
        let file = match board.position() {
            Ok(position) => legal_en_passant_file(&position),
            Err(_) => board.legal_en_passant_file(),
        };
        assert_eq!(board.legal_en_passant_file(), file, "{}", fen::write(&board));
        for matching in ALL {
            let expected = (0..played.positions.len()).find(|ply| {
                let here = Board::from_position(&played.positions[*ply]);
                let placement = here.kinds == board.kinds;
                let turn = here.turn == board.turn;
                match matching {
                    Matching::Placement => placement,
                    Matching::Position => {
                        let same_file = legal_en_passant_file(&played.positions[*ply]) == file;
                        placement && turn && here.castling == board.castling && same_file
                    }
                }
            });
            let found = Finder::new(&board, matching).find(game.view(), u32::MAX).unwrap();
            assert_eq!(found, expected.map(|n| n as u32), "{} {matching:?} {}", played.fen, fen::write(&board));
            if matching == Matching::Position {
                let mut any = AnyFinder::default();
                any.add(&board);
                any.prepare();
                let found = found.map(|ply| (ply, 0));
                assert_eq!(any.find(game.view()).unwrap(), found, "{} any, {}", played.fen, fen::write(&board));
            }
        }
    }
}

/// The nearest positions to boards of another game, to those that differ a little, and to any placement, are those that
/// comparing all positions finds.
fn check_nearest(rng: &mut Rng, played: &Played, game: &Game, from: &Played, count: usize) {
    let positions: Vec<Board> = played.positions.iter().map(Board::from_position).collect();
    for _ in 0..count {
        let mut board = Board::from_position(rng.pick(&from.positions));
        for _ in 0..[0, 0, 3, 300][rng.below(4)] {
            board.kinds[rng.below(64)] = rng.below(13) as u8;
        }
        for compared in [Compared::Pieces, Compared::Pawns] {
            let of = |board: &Board| match compared {
                Compared::Pieces => board.clone(),
                Compared::Pawns => {
                    Board { kinds: board.kinds.map(|kind| if kind % 6 == 0 { kind } else { 12 }), ..board.clone() }
                }
            };
            let apart = |position: &Board| distance(&of(position), &of(&board));
            let least = positions.iter().map(apart).min().unwrap();
            let ply = positions.iter().position(|position| apart(position) == least).unwrap();
            let found = NearestFinder::new(&board, compared).find(game.view()).unwrap();
            let expected = Nearest { distance: least, ply: ply as u32 };
            assert_eq!(found, expected, "{} {compared:?} {}", played.fen, fen::write(&board));
        }
    }
}

/// No position of a game from the standard start occurs earlier than the lower bound for its board; counts those that
/// occur exactly then.
fn check_least_half_moves(played: &Played) -> usize {
    let mut exact = 0;
    for (ply, position) in played.positions.iter().enumerate() {
        let board = Board::from_position(position);
        let least = least_half_moves(&board, false) as usize;
        assert!(least <= ply, "half-move {ply}, at least {least}: {}", fen::write(&board));
        assert!(least_half_moves(&board, true) as usize <= least, "{}", fen::write(&board));
        exact += usize::from(least == ply);
    }
    exact
}

fn check(rng: &mut Rng, played: &Played) {
    let game = pack(played);
    assert_eq!(Game::from_bytes(game.as_bytes()).unwrap(), game);
    check_replay(played, &game, 1);
    check_search(played, &game, played, 1);
    check_search_of_any(played, &game, played, 1);
    check_near_misses(rng, played, &game, 20);
    check_nearest(rng, played, &game, played, 6);
    let start = any_start(rng);
    let other = play(rng, &start, 80, Style::Special);
    check_nearest(rng, played, &game, &other, 3);
}

#[test]
fn standard_games() {
    let mut rng = Rng(1);
    let mut at_their_earliest = 0;
    for _ in 0..effort(150, 8) {
        let plies = rng.below(250);
        let played = play(&mut rng, STANDARD, plies, Style::Special);
        check(&mut rng, &played);
        at_their_earliest += check_least_half_moves(&played);
    }
    assert!(at_their_earliest > effort(150, 8), "{at_their_earliest}");
}

#[test]
fn all_chess960_starts() {
    let mut rng = Rng(2);
    let first = rng.below(960);
    for number in (0..960).step_by(effort(1, 40)) {
        let plies = 10 + rng.below(60);
        let played = play(&mut rng, &chess960((first + number) % 960), plies, Style::Special);
        check(&mut rng, &played);
    }
}

#[test]
fn the_chess960_numbers_are_the_published_ones() {
    assert_eq!(chess960(518), STANDARD);
    assert!(chess960(0).ends_with("BBQNNRKR w KQkq - 0 1"));
    assert!(chess960(959).ends_with("RKRNNQBB w KQkq - 0 1"));
    let mut all: Vec<String> = (0..960).map(chess960).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 960);
}

#[test]
fn all_starts_are_legal() {
    let illegal = |start: &&&str| fen::read(start).unwrap().position().is_err();
    assert_eq!(CUSTOM_STARTS.iter().filter(illegal).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn custom_starts() {
    let mut rng = Rng(3);
    for start in CUSTOM_STARTS {
        for _ in 0..effort(40, 2) {
            let plies = rng.below(120);
            let played = play(&mut rng, start, plies, Style::Special);
            check(&mut rng, &played);
        }
    }
}

#[test]
fn special_moves_do_occur() {
    let mut rng = Rng(4);
    let mut seen = [0usize; 7];
    for round in 0..effort(400, 250) {
        let start = if round % 2 == 0 { STANDARD.to_string() } else { any_start(&mut rng) };
        let played = play(&mut rng, &start, 200, Style::Special);
        for m in &played.moves {
            seen[0] += usize::from(m.is_castle());
            seen[1] += usize::from(m.is_en_passant());
            if let Some(role) = m.promotion() {
                seen[role as usize] += 1;
                seen[6] += usize::from(m.is_capture());
            }
        }
    }
    // castling, en passant, promotions to knight, bishop, rook and queen, promotions with captures
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn long_games() {
    let mut rng = Rng(5);
    for (start, plies) in [(STANDARD, 256), (STANDARD, 601), ("nnnnk3/nnnn4/8/8/8/8/BBBB4/BBBBK3 b - - 7 30", 700)] {
        let played = play(&mut rng, start, plies, Style::Endless);
        assert!(played.moves.len() >= plies);
        let game = pack(&played);
        check_replay(&played, &game, 1);
        check_search(&played, &game, &played, effort(3, 40));
        check_search_of_any(&played, &game, &played, effort(3, 40));
        check_near_misses(&mut rng, &played, &game, 30);
        check_nearest(&mut rng, &played, &game, &played, 30);
    }
    let played = play(&mut rng, STANDARD, 5_000, Style::Endless);
    assert_eq!(played.moves.len(), 5_000);
    let game = pack(&played);
    assert_eq!(Game::from_bytes(game.as_bytes()).unwrap(), game);
    check_replay(&played, &game, effort(1, 50));
    check_search(&played, &game, &played, effort(50, 500));
    check_search_of_any(&played, &game, &played, effort(50, 500));
}

/// Games with common starts and openings share many positions, often by transposition.
#[test]
fn boards_of_other_games() {
    let mut rng = Rng(6);
    for start in [STANDARD.to_string(), chess960(100), chess960(700), CUSTOM_STARTS[0].into(), CUSTOM_STARTS[9].into()]
    {
        let group: Vec<(Played, Game)> = (0..effort(12, 4))
            .map(|n| {
                let played = play(&mut rng, &start, if n % 3 == 0 { 4 } else { 70 }, Style::Special);
                let game = pack(&played);
                (played, game)
            })
            .collect();
        for (played, game) in &group {
            for (from, _) in &group {
                check_search(played, game, from, 1);
                check_search_of_any(played, game, from, 1);
            }
        }
    }
    // games of the same few moves in every order: transpositions
    let sets: [[&[&str]; 2]; 2] =
        [[&["e4", "d4", "Nf3"], &["e5", "d5", "Nf6"]], [&["Nf3", "g3", "Bg2", "O-O"], &["Nf6", "g6", "Bg7", "O-O"]]];
    for set in sets {
        let mut games = Vec::new();
        for _ in 0..effort(30, 10) {
            let mut position = oracle_start(STANDARD);
            let mut left = set.map(<[&str]>::to_vec);
            let mut played = play(&mut rng, STANDARD, 0, Style::Special);
            while let Some(side) = Some(&mut left[usize::from(position.turn().is_black())]).filter(|s| !s.is_empty()) {
                let at = rng.below(side.len());
                let san: shakmaty::san::San = side.remove(at).parse().unwrap();
                let Ok(m) = san.to_move(&position) else { break };
                position.play_unchecked(m);
                played.moves.push(m);
                played.positions.push(position.clone());
            }
            let game = pack(&played);
            games.push((played, game));
        }
        for (played, game) in &games {
            for (from, _) in &games {
                check_search(played, game, from, 1);
                check_search_of_any(played, game, from, 1);
            }
        }
    }
}

#[test]
fn en_passant_counts_only_if_a_capture_is_legal() {
    let game = chess_core::text::movetext::read("1. e4 e6 2. e5 d5 3. Nf3").unwrap();
    let find = |text: &str| Finder::new(&fen::read(text).unwrap(), Matching::Position).find(game.view(), 99).unwrap();
    // no pawn can capture on e3, whatever the field says
    assert_eq!(find("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"), Some(1));
    assert_eq!(find("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 9 9"), Some(1));
    // exd6 is legal: the field is part of the position.
    assert_eq!(find("rnbqkbnr/ppp2ppp/4p3/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"), Some(4));
    assert_eq!(find("rnbqkbnr/ppp2ppp/4p3/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3"), None);
    // a side that would need a lost right again cannot have it
    assert_eq!(find("rnbqkbnr/ppp2ppp/4p3/3pP3/8/8/PPPP1PPP/RNBQKBNR w Kkq d6 0 3"), None);
}
