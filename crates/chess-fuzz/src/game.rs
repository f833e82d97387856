//! Properties of every accepted game, and of every function on stored bytes that are not a valid game.

use std::ops::ControlFlow;

use chess_core::board::key;
use chess_core::facts::explorer::Explorer;
use chess_core::facts::moves::MoveDetails;
use chess_core::facts::openings;
use chess_core::facts::positions;
use chess_core::facts::rules;
use chess_core::game::slots::Step;
use chess_core::search::finder::Matching;
use chess_core::search::hybrid_keys::{Key, each_key, tail_key};
use chess_core::search::index_keys::position_keys;
use chess_core::search::material::Material;
use chess_core::search::nearest::{Compared, Nearest, NearestFinder};
use chess_core::text::movetext;
use chess_core::text::read_pgn::games;
use chess_core::text::two_byte_moves::{self, Numbering};
use chess_core::text::uci;
use chess_core::text::write_pgn;
use chess_core::{Board, CorruptGame, Finder, Game, GameRef, GameResult};
use shakmaty::Position;

/// Checks a game against its bytes, its texts, and shakmaty, which replays it.
pub fn check(game: &Game) {
    let view = game.view();
    assert_eq!(Game::from_bytes(game.as_bytes()).as_ref(), Ok(game));
    let text = movetext::write(view).unwrap();
    assert_eq!(movetext::read(&text).as_ref(), Ok(game), "{text}");
    check_boards(view, &text);
    check_texts(game, &text);
    check_order(view, &text);
    survive(game.as_bytes(), view.ply_count() / 2);
}

/// Compares replay, search and keys with shakmaty's positions after each move.
fn check_boards(view: GameRef<'_>, text: &str) {
    let start = view.start_board().unwrap();
    let mut theirs = Vec::new();
    let mut position = start.position().unwrap();
    view.decode(|_, step| {
        let Some(step) = step else { return };
        let played = position.legal_moves().into_iter().find(|played| Step::of(*played) == Some(step));
        position.play_unchecked(played.unwrap_or_else(|| panic!("{step:?} in {text}")));
        theirs.push(position.clone());
    })
    .unwrap();
    let mut ours = Vec::new();
    positions::each(view, |ply, board| {
        assert_eq!(ply as usize, ours.len());
        ours.push(board.clone());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!((ours.len(), theirs.len()), (view.ply_count() as usize + 1, view.ply_count() as usize), "{text}");
    assert_eq!(ours[0], start, "{text}");
    let mut keys = Vec::new();
    position_keys(view, &mut keys).unwrap();
    let (mut exact, mut tails) = (Vec::new(), Vec::new());
    each_key(view, |key| match key {
        Key::Position(key, _) => exact.push(key),
        Key::Tail(key) => tails.push(key),
    })
    .unwrap();
    assert_eq!(keys.len(), ours.len(), "{text}");
    for (ply, board) in ours.iter().enumerate() {
        if ply > 0 {
            let there = Board::from_position(&theirs[ply - 1]);
            assert_eq!(
                (board.kinds, board.turn, board.castling, board.en_passant),
                (there.kinds, there.turn, there.castling, there.en_passant),
                "{text} {ply}"
            );
        }
        assert_eq!(keys[ply], key::position_key(board), "{text} {ply}");
        let is_found = exact.get(ply).map_or_else(|| tails.contains(&tail_key(board)), |key| *key == keys[ply]);
        assert!(is_found, "{text} {ply}");
    }
    let last = ours.len() - 1;
    for ply in [0, 1, last / 2, last].into_iter().filter(|ply| *ply <= last) {
        assert_eq!(view.board_at(ply as u32), Ok(Ok(ours[ply].clone())), "{text} {ply}");
        for matching in [Matching::Position, Matching::Placement] {
            let found = Finder::new(&ours[ply], matching).find(view, u32::MAX).unwrap();
            assert!(found.is_some_and(|found| found as usize <= ply), "{text} {ply} {matching:?}");
        }
        let Nearest { distance, ply: nearest } = NearestFinder::new(&ours[ply], Compared::Pieces).find(view).unwrap();
        assert!(
            distance == 0 && nearest as usize <= ply && ours[nearest as usize].kinds == ours[ply].kinds,
            "{text} {ply}"
        );
        let found = Material::of(&ours[ply]).find(view, u32::MAX).unwrap();
        assert!(found.is_some_and(|found| found as usize <= ply), "{text} {ply}");
    }
    assert_eq!(view.board_at(view.ply_count() + 1).unwrap().unwrap_err().ply_count, view.ply_count());
    assert!(rules::repetitions(view).unwrap() >= 1 && rules::status_of_game(view).is_ok(), "{text}");
}

/// Other notations read back as the same game.
fn check_texts(game: &Game, text: &str) {
    let view = game.view();
    let opening = view.lower_bound();
    let in_uci = uci::write(view).unwrap();
    assert_eq!(uci::read(&in_uci).as_ref(), Ok(&opening), "{in_uci}");
    for numbering in [Numbering::Plain, Numbering::Ocgdb] {
        let codes = two_byte_moves::write(view, numbering).unwrap();
        let start = view.start_board().unwrap();
        let read = two_byte_moves::read(&codes, &start, view.result(), view.is_chess960(), numbering);
        assert_eq!(read.as_ref(), Ok(game), "{text} {numbering:?}");
    }
    if view.result() != GameResult::UpperBound {
        let export = write_pgn::write(view, &[("White", "a \"b\" \\c"), ("Result", "?")]).unwrap();
        let read: Vec<_> = games(&export).map(|game| game.game).collect();
        assert_eq!(read, [Ok(game.clone())], "{export}");
    }
}

/// A game lies between the bounds of each of its openings; the order of prefixes agrees with that of games.
fn check_order(view: GameRef<'_>, text: &str) {
    assert!(view.cmp(view).is_eq());
    for plies in [0, 1, view.ply_count() / 2, view.ply_count()] {
        let opening = view.first_moves(plies).unwrap();
        let (lower, upper) = (opening.view().lower_bound(), opening.view().upper_bound());
        let inside = view.starts_with(opening.view());
        assert_eq!(inside, view.cmp(lower.view()).is_ge() && view.cmp(upper.view()).is_lt(), "{text} {plies}");
        assert!(inside, "{text} {plies}");
        for bound in [lower, upper] {
            let by_prefix = view.order_prefix().cmp(&bound.view().order_prefix());
            assert!(by_prefix.is_eq() || by_prefix == view.cmp(bound.view()), "{text} {plies}");
        }
    }
}

/// Calls every function with bytes that may not be a game: each returns an answer or an error, and all that decode
/// every move agree on whether that succeeds.
pub fn survive(bytes: &[u8], ply: u32) {
    let accepted = Game::from_bytes(bytes);
    let Ok(view) = GameRef::new(bytes) else {
        assert!(accepted.is_err());
        return;
    };
    let readable = view.decode(|_, _| ()).is_ok();
    assert_eq!(accepted.is_ok(), readable && view.result() != GameResult::UpperBound);
    if let Ok(game) = &accepted {
        assert_eq!(game.as_bytes(), bytes);
    }
    assert_eq!(movetext::write(view).is_ok(), readable);
    assert_eq!(uci::write(view).is_ok(), readable);
    assert_eq!(write_pgn::write(view, &[]).is_ok(), readable);
    assert_eq!(two_byte_moves::write(view, Numbering::Plain).is_ok(), readable);
    let mut details = MoveDetails::default();
    let described = view.decode(|position, step| {
        if let Some(step) = step {
            details.describe(position, step, u32::MAX, view.is_chess960());
        }
    });
    assert_eq!(described.is_ok(), readable);

    // these functions check less, so they must accept all that decoding accepts
    let mut keys = Vec::new();
    let mut boards = Vec::new();
    agree(readable, position_keys(view, &mut keys));
    agree(readable, each_key(view, |_| ()));
    agree(readable, rules::repetitions(view));
    agree(readable, rules::status_of_game(view));
    agree(readable, openings::of_game(view));
    agree(
        readable,
        positions::each(view, |at, board| {
            if at <= 1 || at == ply {
                boards.push(board.clone());
            }
            if at > 2000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }),
    );
    boards.push(Board::default());
    boards.iter().for_each(|board| search(readable, view, board, ply));
    for at in [0, 1, ply, view.ply_count(), u32::MAX] {
        agree(readable, view.board_at(at));
        agree(readable, view.first_moves(at).map(|first| agree(readable, first.view().board_at(at))));
    }
    let (lower, upper) = (view.lower_bound(), view.upper_bound());
    assert!(lower.view().cmp(upper.view()).is_lt());
    assert!(view.cmp(upper.view()).is_le() || view.result() == GameResult::UpperBound);
    let _ = (view.order_prefix(), view.start_board(), view.starts_with(lower.view()));
}

/// Looks for a board in bytes that may not be a game.
fn search(readable: bool, view: GameRef<'_>, board: &Board, ply: u32) {
    agree(readable, Explorer::new(board).next_move(view));
    agree(readable, Material::of(board).find(view, ply));
    for compared in [Compared::Pieces, Compared::Pawns] {
        agree(readable, NearestFinder::new(board, compared).find(view));
    }
    for matching in [Matching::Position, Matching::Placement] {
        for limit in [0, ply, u32::MAX] {
            agree(readable, Finder::new(board, matching).find(view, limit));
        }
    }
}

/// A function succeeds on readable bytes.
fn agree<T>(readable: bool, outcome: Result<T, CorruptGame>) {
    assert!(outcome.is_ok() || !readable);
}
