//! What is stored is what the engine says when it is asked by hand.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use chess_system::Database;

use crate::{analyze, no_engine_is_left};

/// The best move and the last exact score, as White sees it, of a Stockfish that is asked directly.
fn by_hand(fen: &str, chess960: bool) -> String {
    let mut engine = Command::new("stockfish")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stockfish: run scripts/setup.sh test");
    let mut stdin = engine.stdin.take().unwrap();
    write!(
        stdin,
        "uci\nsetoption name UCI_ShowWDL value true\nsetoption name Threads value 1\nsetoption name Hash value 16\n\
         setoption name UCI_Chess960 value {chess960}\nisready\nucinewgame\nisready\nposition fen {fen}\ngo nodes 20000\n"
    )
    .unwrap();
    let mut score = String::new();
    let mut best = String::new();
    for line in BufReader::new(engine.stdout.take().unwrap()).lines().map(Result::unwrap) {
        let words: Vec<&str> = line.split(' ').collect();
        if let Some(at) = words.iter().position(|&word| word == "score").filter(|_| !line.contains("bound")) {
            score = words[at + 1..at + 3].join(" ");
        }
        if words[0] == "bestmove" {
            best = words[1].to_owned();
            break;
        }
    }
    // only now: the end of its input would end the search
    drop(stdin);
    engine.wait().unwrap();
    let (kind, value) = score.split_once(' ').unwrap();
    let value: i32 = value.parse().unwrap();
    let value = match kind {
        "mate" if value > 0 => 100_000 - value,
        "mate" => -100_000 - value,
        _ => value,
    };
    format!("{best}|{}", if fen.contains(" w ") { value } else { -value })
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn special_positions_have_the_answers_of_the_engine() {
    let db = Database::new("special");
    db.pgn("load").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/special.pgn")).succeeds();
    analyze(&db, "--nodes 20000 --reproducible").succeeds();
    let stored = db.rows("SELECT board, castling(board) ~ '[^KQkq-]' OR board::text LIKE '%1RK1R3%', best || '|' || evals[1] FROM chess.analysis WHERE status = 'done'");
    assert!(stored.len() >= 12, "{stored:?}");
    for row in &stored {
        let (fen, rest) = row.split_once('|').unwrap();
        let (chess960, answer) = rest.split_once('|').unwrap();
        assert_eq!(answer, by_hand(fen, chess960 == "t"), "{fen}");
    }

    let mates = "SELECT eval FROM chess.evaluations e JOIN chess.pgn_view v ON v.id = e.game_id WHERE v.event = 'mate in two' AND ply IN (0, 2) ORDER BY ply";
    assert_eq!(db.rows(mates), ["99998", "99999"], "mate in two, mate in one");
    let over = "SELECT v.event, a.status, a.evals[1] FROM chess.pgn_view v JOIN chess.analysis a ON sameposition(a.board, finalBoard(v.game)) WHERE a.status = 'over' ORDER BY 1";
    assert_eq!(
        db.rows(over),
        ["mate in two|over|100000", "stalemate|over|0", "underpromotion|over|100000"],
        "the end is on the board"
    );
    let promotions =
        "SELECT best, CASE WHEN best = 'a7a8q' THEN CASE WHEN evals[1] > 200 THEN 't' END ELSE evals[1]::text END
        FROM chess.analysis WHERE board::text ~ '^6(br/5P|k1/P)' ORDER BY evals[1] DESC";
    assert_eq!(db.rows(promotions), ["f7f8n|99999", "a7a8q|t"]);
    let clocks = "SELECT halfmove_clock FROM chess.analysis WHERE halfmove_clock > 0 ORDER BY 1";
    assert_eq!(db.rows(clocks), ["80", "81", "82"], "a clock above 60 is part of the position");
    let found = "SELECT count(*), count(eval) FROM chess.evaluations e JOIN chess.pgn_view v ON v.id = e.game_id WHERE v.event = 'a clock that counts'";
    assert_eq!(db.sql(found), "4|4", "and its games find it");

    analyze(&db, "--nodes 5000 --multipv 3 --where").arg("event = 'promotion'").succeeds();
    let lines =
        "SELECT cardinality(evals), cardinality(pvs), evals[1] > evals[2] AND pvs[1] ~ '^a7a8q' AND pvs[2] !~ '^a7a8q'
        FROM chess.analysis WHERE multipv = 3 AND board::text LIKE '6k1/P6r/%'";
    assert_eq!(db.sql(lines), "3|3|t", "three lines are stored");
    no_engine_is_left(&db);
}
