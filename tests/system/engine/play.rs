//! Games between engines.

use std::fs;

use chess_system::{Database, tool, wait_for};

use crate::{fake, no_engine_is_left, pgn};

#[test]
#[ignore = "needs a server and Stockfish"]
fn games_between_engines_end_by_the_rules() {
    let db = Database::new("play");
    let play = |words: &str| pgn(&db, "play --schema play").words(words);
    play("--nodes 300 --games 2 --swap --from").arg("8/8/8/4k3/8/8/4P3/4K2R w K - 0 1").succeeds();
    let ends = "SELECT count(*), bool_and(status(game) <> 'in progress'), bool_and(result = result(game) AND result <> '*') FROM play.pgn_view";
    assert_eq!(db.sql(ends), "2|t|t");
    let evals = "SELECT bool_and(cardinality(evals) = ply_count), bool_and(clocks IS NULL) FROM play.pgn_view";
    assert_eq!(db.sql(evals), "t|t", "an evaluation for each half-move, no clocks");
    play("--clock 0.05+0.02 --event blitz").succeeds();
    let clocks = "SELECT coalesce(cardinality(clocks), 0) = ply_count, time_control, coalesce(31 >= ALL (clocks), true) FROM play.pgn_view WHERE event = 'blitz'";
    assert_eq!(db.sql(clocks), "t|3+0.02|t", "clocks for each half-move");
    play("--black stockfish --nodes 100 --event cheat --white").arg(fake(&db)).env("FAKE_FAULT", "illegal").succeeds();
    let cheat = "SELECT result, tags->>'Termination' FROM play.pgn_view WHERE event = 'cheat'";
    assert_eq!(db.sql(cheat), "0-1|rules infraction", "an engine that cheats loses");
    let alone =
        ["--black", "stockfish", "--nodes", "100", "--event", "alone", "--from", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"];
    play("--white").arg(fake(&db)).args(alone).env("FAKE_FAULT", "illegal").succeeds();
    let draw = db.sql(&cheat.replace("'cheat'", "'alone'"));
    assert_eq!(draw, "1/2-1/2|rules infraction", "a king alone cannot win");
    // this engine always plays e2e4
    play("--nodes 100 --event unscored --white").arg(fake(&db)).env("FAKE_FAULT", "no-score").succeeds();
    let unscored =
        "SELECT ply_count, evals[1] IS NULL, evals[2] IS NOT NULL, result FROM play.pgn_view WHERE event = 'unscored'";
    assert_eq!(db.sql(unscored), "2|t|t|0-1", "a move without a score is one");
    play("--nodes 100 --event options --games 2 --swap --white-option")
        .arg("Style=Very Wild")
        .words("--white-option Hash=32 --white")
        .arg(fake(&db))
        .succeeds();
    let options =
        "SELECT tags->>'WhiteOptions', tags->>'BlackOptions' FROM play.pgn_view WHERE event = 'options' ORDER BY id";
    assert_eq!(db.rows(options), ["Style=Very Wild; Hash=32|", "|Style=Very Wild; Hash=32"]);
    play("--from").arg("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").fails();
    play("--from").arg("8/8/8/8/8/8/8/8 w - - 0 1").fails();
    play("--nodes 200 --event 960 --from").arg("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1").succeeds();
    assert_eq!(db.sql("SELECT isChess960(game) FROM play.pgn_view WHERE event = '960'"), "t");
    no_engine_is_left(&db);
}

#[test]
#[ignore = "needs a server"]
fn a_move_is_broken_off_by_a_signal() {
    let db = Database::new("play_stopped");
    let log = db.path("log");
    let program = pgn(&db, "play --clock 600 --white").arg(fake(&db)).arg("--black").arg(fake(&db));
    let mut program = program.env("FAKE_FAULT", "until-stopped").env("FAKE_LOG", &log).spawn();
    let is_thinking = || fs::read_to_string(&log).is_ok_and(|log| log.contains("go movetime"));
    wait_for("a move", || is_thinking() || !program.runs());
    tool("kill").arg("-INT").arg(program.id().to_string()).succeeds();
    program.ends(130);
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "0");
    assert!(fs::read_to_string(&log).unwrap().contains("stop"), "the engine was told");
    no_engine_is_left(&db);
}
