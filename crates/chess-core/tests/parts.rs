//! Games made from games, and single half-moves, compared with the whole game.

use chess_core::game::parts::{AppendError, append, between, without_last};
use chess_core::text::movetext::{read, write};
use chess_core::text::san;
use chess_core::{Game, GameResult};

fn game(text: &str) -> Game {
    read(text).unwrap()
}

fn text(game: &Game) -> String {
    write(game.view()).unwrap()
}

#[test]
fn parts_have_the_boards_of_the_whole() {
    let whole = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nge7 5. d4 exd4 6. c4 dxc3 1-0");
    let all = whole.view().ply_count();
    for from in 0..=all + 2 {
        for to in 0..=all + 2 {
            let part = between(whole.view(), from, to).unwrap().unwrap();
            let skipped = from.saturating_sub(1).min(all);
            let plies = to.min(all).saturating_sub(skipped);
            assert_eq!(part.view().ply_count(), plies, "{from} to {to}");
            for ply in 0..=plies {
                let of = |game: &Game, ply| game.view().board_at(ply).unwrap().unwrap();
                assert_eq!(of(&part, ply), of(&whole, skipped + ply), "{from} to {to}, {ply}");
            }
            assert_eq!(Game::from_bytes(part.as_bytes()).as_ref(), Ok(&part), "{from} to {to}");
        }
    }
}

#[test]
fn a_game_is_what_its_parts_make() {
    let texts = [
        "1. e4 d5 2. e5 f5 3. exf6 Nxf6 4. d4 g6 5. Bd3 Bg7 6. Nf3 O-O 1/2-1/2",
        "[Variant \"Chess960\"] [FEN \"bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1\"] 1. O-O O-O 2. g3 g6 *",
        "[FEN \"8/P6k/8/8/8/8/7K/8 w - - 3 70\"] 70. a8=Q Kg7 71. Qa1+ 1-0",
    ];
    for whole in texts.map(game) {
        for plies in 0..=whole.view().ply_count() {
            let head = without_last(whole.view(), plies).unwrap();
            assert_eq!(head.view().is_chess960(), whole.view().is_chess960());
            let tail = between(whole.view(), head.view().ply_count() + 1, u32::MAX).unwrap().unwrap();
            assert_eq!(append(head.view(), tail.view(), whole.view().result()).unwrap(), whole);
        }
    }
}

#[test]
fn results_and_refusals() {
    assert_eq!(text(&without_last(game("1. e4 e5 1-0").view(), 0).unwrap()), "1. e4 e5");
    assert_eq!(text(&without_last(game("1. e4 e5 1-0").view(), 1).unwrap()), "1. e4");
    let first = game("1. e4 e5 0-1");
    let behind = |fen: &str, moves: &str| {
        append(first.view(), game(&format!("[FEN \"{fen}\"] {moves}")).view(), GameResult::Draw)
    };
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(text(&behind(fen, "Ke2 1-0").unwrap()), "1. e4 e5 2. Ke2 1/2-1/2");
    let other = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(behind(other, "d4 h6 e4"), Err(AppendError::Illegal(3)));
}

#[test]
fn one_move_is_the_same_as_that_of_all() {
    for text in [
        "1. e4 d5 2. e5 f5 3. exf6 Nxf6 4. d4 g6 5. Bd3 Bg7 6. Nf3 O-O 7. Nbd2 Nbd7",
        "[FEN \"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3\"] 3. exf6 Nxf6",
        "[Variant \"Chess960\"] [FEN \"bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1\"] 1. O-O O-O 2. g3",
        "[FEN \"8/P6k/8/8/8/8/7K/8 b - - 3 70\"] 70... Kg6 71. a8=Q Kg7 72. Qa1+ Kg6 73. Qg1+",
        "1. f3 e5 2. g4 Qh4# 0-1",
        "",
    ] {
        let game = read(text).unwrap();
        let mut all = Vec::new();
        san::each(game.view(), |_, san| all.push(san.to_string())).unwrap();
        assert_eq!(all.len() as u32, game.view().ply_count());
        for (ply, one) in (1..).zip(&all) {
            assert_eq!(san::at(game.view(), ply).unwrap().as_ref(), Some(one), "{text}");
        }
        assert_eq!(san::at(game.view(), 0), Ok(None));
        assert_eq!(san::at(game.view(), game.view().ply_count() + 1), Ok(None));
    }
}
