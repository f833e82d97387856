//! Entrance for the output of engines.

use chess_core::board::fen;
use chess_core::facts::rules;
use chess_uci::line::{Line, read};
use chess_uci::root::canonical;
use chess_uci::{Score, Standing};

/// Input: a FEN on the first line, then lines of an engine. Accepted moves are legal, and scores fit into PGN comments.
pub fn engine(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
    let board = fen::read(first).map(|board| canonical(&board)).unwrap_or_default();
    let standing = Standing::of(&board);
    for line in lines.lines() {
        let (score, moves) = match read(line) {
            Line::Info(info) => (info.score, info.pv),
            Line::BestMove(best) => (None, best.into_iter().collect()),
            Line::Option(option) => {
                assert!(!option.name.is_empty() && !option.name.contains('\n'));
                continue;
            }
            _ => continue,
        };
        assert!(moves.len() <= 64 && moves.iter().all(|text| matches!(text.len(), 4 | 5)));
        for turn in 0..2 {
            let eval = score.unwrap_or(Score::Cp(0)).for_white(turn);
            assert!(eval.abs() <= 100_000 && !(89_991..90_001).contains(&eval.abs()), "{line}");
        }
        let Ok(Standing::Open(root)) = &standing else { continue };
        let legal = root.legal(moves.iter().copied(), 32);
        assert!(legal.len() <= moves.len());
        let mut board = board.clone();
        for text in &legal {
            board = rules::play(&board, text).unwrap_or_else(|error| panic!("{text} in {first}: {error:?}"));
        }
        // what is written reads back unchanged
        assert_eq!(root.legal(legal.iter().map(String::as_str), 32), legal);
    }
}
