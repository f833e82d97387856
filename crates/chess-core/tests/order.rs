//! The order of games is total, games are equal if and only if their bytes are, the order of the first eight bytes
//! agrees with it, and the games that begin with an opening are exactly those between its bounds.

use std::cmp::Ordering;

use crate::common::{CUSTOM_STARTS, Rng, STANDARD, Style, chess960, effort, pack, play, random_game};
use chess_core::board::fen;
use chess_core::board::kinds::NO_KIND;
use chess_core::game::recorder::Recorder;
use chess_core::game::slots::Step;
use chess_core::game::start::GameStart;
use chess_core::text::movetext;
use chess_core::{Board, CorruptGame, Game, GameResult};
use shakmaty::Position as _;

/// Games that have much in common: equal starts, prefixes of each other, other results and marks.
fn pool(rng: &mut Rng) -> Vec<Game> {
    let empty = movetext::read("").unwrap();
    let mut games = vec![empty.clone(), empty.view().upper_bound()];
    let starts =
        [STANDARD.to_string(), STANDARD.to_string(), chess960(3), CUSTOM_STARTS[0].into(), CUSTOM_STARTS[5].into()];
    for start in &starts {
        for _ in 0..effort(12, 6) {
            let plies = rng.below(30);
            let mut played = play(rng, start, plies, Style::Special);
            for _ in 0..3 {
                let cut = rng.below(played.moves.len() + 1);
                played.moves.truncate(cut);
                played.positions.truncate(cut + 1);
                for result in [GameResult::Unknown, GameResult::WhiteWins, GameResult::Draw, GameResult::UpperBound] {
                    played.result = result;
                    played.chess960 = rng.one_in(3);
                    games.push(pack(&played));
                }
            }
        }
    }
    games.extend((0..effort(60, 20)).map(|_| random_game(rng, 20)));
    games
}

fn cmp(a: &Game, b: &Game) -> Ordering {
    a.view().cmp(b.view())
}

#[test]
fn the_order_is_total() {
    let mut rng = Rng(31);
    let games = pool(&mut rng);
    for a in &games {
        for b in &games {
            assert_eq!(cmp(a, b), cmp(b, a).reverse(), "{a:?} {b:?}");
            assert_eq!(cmp(a, b).is_eq(), a.as_bytes() == b.as_bytes(), "{a:?} {b:?}");
            let prefixes = a.view().order_prefix().cmp(&b.view().order_prefix());
            assert!(prefixes.is_eq() || prefixes == cmp(a, b), "{a:?} {b:?}");
        }
    }
    for _ in 0..effort(2_000_000, 100_000) {
        let (a, b, c) = (rng.pick(&games), rng.pick(&games), rng.pick(&games));
        if cmp(a, b).is_le() && cmp(b, c).is_le() {
            assert!(cmp(a, c).is_le(), "{a:?} {b:?} {c:?}");
        }
    }
}

#[test]
fn the_prefix_tells_most_games_apart() {
    let mut rng = Rng(32);
    let games: Vec<Game> = (0..200).map(|_| pack(&play(&mut rng, STANDARD, 40, Style::Special))).collect();
    let mut prefixes: Vec<u64> = games.iter().map(|game| game.view().order_prefix()).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    assert!(prefixes.len() > 190);
}

/// The start and the squares of all moves.
fn moves(game: &Game) -> (String, Vec<Step>) {
    let mut moves = Vec::new();
    game.view().decode(|_, step| moves.extend(step)).unwrap();
    (chess_core::board::fen::write(&game.view().start_board().unwrap()), moves)
}

#[test]
fn openings_are_ranges() {
    let mut rng = Rng(33);
    let games = pool(&mut rng);
    let listed: Vec<_> = games.iter().map(moves).collect();
    let mut begun = 0;
    for (opening, (opening_start, opening_moves)) in games.iter().zip(&listed) {
        let (lower, upper) = (opening.view().lower_bound(), opening.view().upper_bound());
        assert_eq!(cmp(&lower, &upper), Ordering::Less);
        assert_eq!(Game::from_bytes(lower.as_bytes()).unwrap(), lower);
        assert_eq!(Game::from_bytes(upper.as_bytes()), Err(CorruptGame::UpperBound));
        assert_eq!(upper.view().upper_bound(), upper);
        assert_eq!(lower.view().lower_bound(), lower);
        assert_eq!(upper.view().lower_bound(), lower);
        for (game, (start, moves)) in games.iter().zip(&listed) {
            let begins = game.view().starts_with(opening.view());
            let between = cmp(&lower, game).is_le() && cmp(game, &upper).is_lt();
            assert_eq!(begins, between, "{game:?} {opening:?}");
            // the upper bound of the same opening is beyond its end
            let is_bound = game.view().result() == GameResult::UpperBound && moves.len() == opening_moves.len();
            let same_moves = start == opening_start && moves.starts_with(opening_moves);
            assert_eq!(begins, same_moves && !is_bound, "{game:?} {opening:?}");
            begun += usize::from(begins && game != opening);
        }
    }
    assert!(begun > 1_000, "{begun}");
}

#[test]
fn sorting_puts_openings_side_by_side() {
    let mut rng = Rng(34);
    let mut games = pool(&mut rng);
    games.sort_by(cmp);
    for opening in &games {
        let inside: Vec<bool> = games.iter().map(|game| game.view().starts_with(opening.view())).collect();
        let changes = inside.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes <= 2, "{opening:?}");
    }
    let text = |game: &Game| movetext::write(game.view()).unwrap();
    let sorted =
        ["", "1. e4", "1. e4 1-0", "1. e4 e5", "1. e4 e5 1/2-1/2", "1. e4 e5 2. Nf3 *", "1. e4 e5 ~", "1. e4 ~", "~"];
    let game_or_bound = |text: &&str| match text.strip_suffix('~') {
        Some(opening) => movetext::read(opening).unwrap().view().upper_bound(),
        None => movetext::read(text).unwrap(),
    };
    let mut read: Vec<Game> = sorted.iter().rev().map(game_or_bound).collect();
    read.sort_by(cmp);
    assert_eq!(read.iter().map(text).collect::<Vec<_>>(), sorted.map(|text| text.trim_end_matches(" *").to_string()));
}

#[test]
fn first_moves_are_openings() {
    let mut rng = Rng(35);
    for game in pool(&mut rng) {
        let (start, moves_of_game) = moves(&game);
        let count = game.view().ply_count();
        for n in (0..=count + 1).chain([u32::MAX]) {
            let opening = game.view().first_moves(n).unwrap();
            assert_eq!(Game::from_bytes(opening.as_bytes()).unwrap(), opening);
            let view = opening.view();
            assert_eq!(view.ply_count(), n.min(count));
            assert_eq!((view.result(), view.is_chess960()), (GameResult::Unknown, false));
            assert_eq!(moves(&opening), (start.clone(), moves_of_game[..n.min(count) as usize].to_vec()));
            // all of them begin with their own first moves, except the bound of the whole game
            let is_bound = game.view().result() == GameResult::UpperBound && n >= count;
            assert_eq!(game.view().starts_with(view), !is_bound);
            assert_eq!(view.first_moves(n).unwrap(), opening);
            assert_eq!(game.view().board_at(n.min(count)), view.board_at(n.min(count)));
        }
    }
}

/// Games from the same start with every move that is legal after their first ones.
fn siblings(game: &Game) -> Vec<Game> {
    let mut all = Vec::new();
    for plies in 0..game.view().ply_count() {
        let opening = game.view().first_moves(plies).unwrap();
        let board = opening.view().board_at(plies).unwrap().unwrap();
        let start = GameStart::new(&game.view().start_board().unwrap()).unwrap();
        for m in board.position().unwrap().legal_moves() {
            let mut recorder = Recorder::new(&start);
            opening.view().decode(|_, step| step.into_iter().for_each(|step| recorder.play(step).unwrap())).unwrap();
            recorder.play(Step::of(m).unwrap()).unwrap();
            all.push(recorder.finish(GameResult::Unknown, false));
        }
    }
    all
}

#[test]
fn after_an_opening_comes_a_game() {
    let mut rng = Rng(36);
    let games = pool(&mut rng);
    let (mut same_start, mut other_start) = (0, 0);
    for opening in &games {
        let next = opening.view().successor().unwrap();
        let view = opening.view();
        assert_eq!(Game::from_bytes(next.as_bytes()).as_ref(), Ok(&next), "{opening:?}");
        let upper = view.upper_bound();
        assert_eq!(cmp(&upper, &next), Ordering::Less, "{opening:?}");
        let least = siblings(&view.lower_bound()).into_iter().filter(|other| cmp(other, &upper).is_gt()).min_by(cmp);
        match least {
            // the least of all games that differ in one half-move, and no later game is less
            Some(least) => {
                same_start += 1;
                assert_eq!(next, least, "{opening:?}");
            }
            None => {
                other_start += 1;
                let (before, after) = (view.start_board().unwrap(), next.view().start_board().unwrap());
                assert_eq!(next.view().ply_count(), 0);
                if view.has_custom_start() {
                    let clocks = (after.halfmove_clock, after.fullmove_number);
                    assert_ne!(clocks, (before.halfmove_clock, before.fullmove_number));
                    let (halfmove_clock, fullmove_number) = (before.halfmove_clock, before.fullmove_number);
                    assert_eq!(Board { halfmove_clock, fullmove_number, ..after }, before, "{opening:?}");
                }
            }
        }
        for game in games.iter().filter(|game| game.view().result() != GameResult::UpperBound) {
            let is_between = cmp(game, &upper).is_gt() && cmp(game, &next).is_lt();
            assert!(!is_between || view.has_custom_start() && next.view().ply_count() == 0, "{opening:?} {game:?}");
        }
    }
    assert!(same_start > 100 && other_start > 5, "{same_start} {other_start}");
}

#[test]
fn the_first_start_but_the_standard_one() {
    let next = movetext::read("").unwrap().view().successor().unwrap();
    let least = next.view().start_board().unwrap();
    assert_eq!(fen::write(&least), "8/8/8/8/8/8/8/K1k5 w - - 0 0");
    // White to move, no rights, clocks of 0: only fewer squares or other pieces sort before
    let mut tried = 0;
    for occupied in 0..=5u64 {
        for kinds in 0..144u8 {
            let mut board = Board { kinds: [NO_KIND; 64], ..least.clone() };
            let kinds = [kinds / 12, kinds % 12];
            for (square, kind) in (0..3).filter(|square| occupied >> square & 1 == 1).zip(kinds) {
                board.kinds[square] = kind;
            }
            if board.to_bytes() < least.to_bytes() {
                tried += 1;
                assert!(GameStart::new(&board).is_err(), "{}", fen::write(&board));
            }
        }
    }
    assert!(tried > 200);
}

#[test]
fn the_standard_board_with_other_clocks() {
    let text = |clocks: &str| format!("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {clocks}\"]");
    let opening = movetext::read(&text("0 0")).unwrap();
    // 0 1 would be the standard start, which sorts before all others
    assert_eq!(movetext::write(opening.view().successor().unwrap().view()).unwrap(), text("0 2"));
}

#[test]
fn after_the_last_clocks() {
    let last = (1u32 << 30) - 1;
    for (halfmoves, moves, expected) in [
        (0, 1, Some((0, 2))),
        (0, 127, Some((0, 128))),
        (0, 255, Some((0, last))),
        (0, last, Some((1, 0))),
        (127, last, Some((128, 0))),
        (255, last, Some((last, 0))),
        (0, 1 << 30, Some((0, last))),
        (last, last, None),
    ] {
        let text = format!("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - {halfmoves} {moves}\"]");
        let opening = movetext::read(&text).unwrap();
        let next = opening.view().successor().unwrap();
        assert_eq!(
            cmp(&opening.view().upper_bound(), &next),
            if expected.is_some() { Ordering::Less } else { Ordering::Equal }
        );
        let board = next.view().start_board().unwrap();
        let clocks = (board.halfmove_clock, board.fullmove_number);
        assert_eq!(clocks, expected.unwrap_or((halfmoves, moves)), "{text}");
        assert_eq!(Game::from_bytes(next.as_bytes()).is_ok(), expected.is_some());
    }
}

#[test]
fn games_have_half_moves_in_common() {
    let mut rng = Rng(32);
    let games = pool(&mut rng);
    for a in &games {
        for b in &games {
            let (a, b) = (a.view(), b.view());
            let common = a.common_plies(b);
            assert_eq!(common, b.common_plies(a));
            let same = |plies: u32| a.first_moves(plies).unwrap() == b.first_moves(plies).unwrap();
            let shorter = a.ply_count().min(b.ply_count());
            assert!(common <= shorter);
            match a.start_bytes() == b.start_bytes() {
                true => assert!(same(common) && (common == shorter || !same(common + 1)), "{a:?} {b:?}"),
                false => assert_eq!(common, 0),
            }
        }
    }
}
