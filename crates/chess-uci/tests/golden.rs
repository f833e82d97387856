//! Parses recordings of three engines of Debian 12: only their greetings are unknown lines.
//!
//! Each file records the same dialogue: `uci`, then searches of `e2e4` with two lines, a mate, a stalemate, a mate in
//! one, and one limited by nodes.

use chess_uci::Score;
use chess_uci::line::{Line, read};

/// The number of a line, its score and moves.
type Told = (Option<u32>, Score, String);

struct Seen {
    name: String,
    options: Vec<(String, String, String)>,
    /// The lines of each search, and the best move.
    searches: Vec<(Vec<Told>, Option<String>)>,
    other: Vec<String>,
}

fn seen(text: &str) -> Seen {
    let mut seen = Seen { name: String::new(), options: Vec::new(), searches: Vec::new(), other: Vec::new() };
    let mut lines = Vec::new();
    for text in text.lines() {
        match read(text) {
            Line::Name(name) => seen.name = name.to_owned(),
            Line::Option(option) => {
                seen.options.push((option.name.into(), option.kind.into(), option.default.into()));
            }
            Line::Info(info) => lines.extend(info.score.map(|score| (info.multipv, score, info.pv.join(" ")))),
            Line::BestMove(best) => seen.searches.push((std::mem::take(&mut lines), best.map(str::to_owned))),
            Line::Author(_) | Line::UciOk | Line::ReadyOk => (),
            Line::Other if text.is_empty() => (),
            Line::Other => seen.other.push(text.to_owned()),
        }
    }
    seen
}

fn option<'a>(seen: &'a Seen, name: &str) -> (&'a str, &'a str) {
    let found = seen.options.iter().find(|(known, _, _)| known == name).unwrap_or_else(|| panic!("no {name}"));
    (&found.1, &found.2)
}

#[test]
fn stockfish() {
    let seen = seen(include_str!("golden/stockfish-15.1.txt"));
    assert_eq!((seen.name.as_str(), seen.options.len()), ("Stockfish 15.1", 21));
    assert_eq!(option(&seen, "Debug Log File"), ("string", ""));
    assert_eq!(option(&seen, "Clear Hash"), ("button", ""));
    assert_eq!(option(&seen, "EvalFile"), ("string", "nn-ad9b42354671.nnue"));
    assert_eq!(seen.other, ["Stockfish 15.1 by the Stockfish developers (see AUTHORS file)"]);
    let best: Vec<_> = seen.searches.iter().map(|(_, best)| best.as_deref()).collect();
    assert_eq!(best, [Some("d7d5"), None, None, Some("a1a8"), Some("a1a8")]);
    assert_eq!(seen.searches[0].0.len(), 10);
    assert_eq!(seen.searches[0].0[8], (Some(1), Score::Cp(-43), "d7d5 e4d5 d8d5 d2d4".into()));
    assert_eq!(seen.searches[1].0, [(None, Score::Mate(0), String::new())]);
    assert_eq!(seen.searches[2].0, [(None, Score::Cp(0), String::new())]);
    assert_eq!(seen.searches[3].0[3], (Some(1), Score::Mate(1), "a1a8".into()));
    let Line::Info(info) = read(
        "info depth 125 seldepth 2 multipv 1 score mate 1 wdl 1000 0 0 nodes 2000 nps 400000 hashfull 0 tbhits 0 time 5 pv a1a8",
    ) else {
        panic!()
    };
    assert_eq!((info.wdl, info.seldepth, info.nodes, info.time_ms), (Some([1000, 0, 0]), Some(2), Some(2000), Some(5)));
    assert!(include_str!("golden/stockfish-15.1.txt").contains("wdl 1000 0 0 nodes 2000"));
}

#[test]
fn fairy_stockfish() {
    let seen = seen(include_str!("golden/fairy-stockfish-11.1.txt"));
    assert_eq!((seen.name.as_str(), seen.options.len()), ("Fairy-Stockfish 11.1 LB 64", 25));
    assert_eq!(option(&seen, "Protocol"), ("combo", "uci"));
    assert_eq!(option(&seen, "UCI_Variant"), ("combo", "chess"));
    assert_eq!(option(&seen, "Minimum Thinking Time"), ("spin", "20"));
    assert_eq!(seen.other, ["Fairy-Stockfish 11.1 LB 64 by Fabian Fichter"]);
    let best: Vec<_> = seen.searches.iter().map(|(_, best)| best.as_deref()).collect();
    assert_eq!(best, [Some("b8c6"), None, None, Some("a1a8"), Some("e2e3")]);
    assert_eq!(seen.searches[0].0[9], (Some(2), Score::Cp(-6), "e7e6 b1c3 b8c6 d2d4 d7d5".into()));
}

/// This engine ends lines with spaces, orders words differently, and answers a finished game with an earlier move.
#[test]
fn ethereal() {
    let seen = seen(include_str!("golden/ethereal-12.00.txt"));
    assert_eq!((seen.name.as_str(), seen.options.len()), ("Ethereal 12.00", 10));
    assert_eq!(option(&seen, "MoveOverhead"), ("spin", "100"));
    assert!(seen.other.is_empty());
    let best: Vec<_> = seen.searches.iter().map(|(_, best)| best.as_deref()).collect();
    assert_eq!(best, [Some("b8c6"), Some("b8c6"), Some("b8c6"), Some("a1a8"), Some("g1f3")]);
    assert_eq!(seen.searches[0].0[8], (Some(1), Score::Cp(32), "b8c6 d2d3 e7e6 c2c3 g8f6".into()));
    assert_eq!(seen.searches[3].0[3], (Some(1), Score::Mate(1), "a1a8".into()));
}
