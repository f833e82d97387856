//! An engine that does everything wrong, or is none.

use std::thread;

use chess_system::{Database, PATIENCE};

use crate::{fake, no_engine_is_left, pgn};

/// What an engine does wrong, the exit code, the rows, and what is said: one of these texts, with a second one behind it.
struct Fault {
    name: &'static str,
    code: i32,
    rows: &'static str,
    said: &'static [&'static str],
    then: &'static str,
}

const fn fault(
    name: &'static str,
    code: i32,
    rows: &'static str,
    said: &'static [&'static str],
    then: &'static str,
) -> Fault {
    Fault { name, code, rows, said, then }
}

const ABOUT_THE_START: &str = "(game 1, half-move 0)";

/// It knows a move for each of the two positions.
const FAULTS: [Fault; 12] = [
    fault("", 0, "done -30, done 30", &["1 of 1 games: 2 positions analyzed, 0 known, 0 failed"], ""),
    fault("starts-late", 0, "done -30, done 30", &[" 0 failed"], ""),
    fault("once-dies", 0, "done -30, done 30", &[" 0 failed"], ""),
    fault("once-hangs", 0, "done -30, done 30", &[" 0 failed"], ""),
    fault("half-lines", 0, "failed, done 20", &["named \"e2e4\" as the best move, which is not legal"], ""),
    fault("dies-at-start", 1, "", &["cannot open network file"], ""),
    fault("dies", 1, "failed", &["Fake 1 ended (signal: 11"], ""),
    fault("hangs", 1, "failed", &["this engine gets no more positions"], ""),
    fault("never-ready", 1, "", &["did not answer in time (readyok)"], ""),
    fault("none", 1, "failed", &["named no best move although there are legal moves, asked about "], ABOUT_THE_START),
    fault(
        "illegal",
        1,
        "failed",
        &["named \"e1e8\" as the best move, which is not legal, asked about "],
        ABOUT_THE_START,
    ),
    fault(
        "floods",
        1,
        "failed",
        &["wrote more than 64 MiB about one position, asked about ", "did not answer in time (bestmove), asked about "],
        ABOUT_THE_START,
    ),
];

/// Analyzes two positions with a faulty engine. Where it hangs, each costs the whole deadline; where an answer is
/// expected, the deadline is long enough for slow machines.
fn analyze(fault: &Fault) {
    let db = Database::loaded(&format!("fault_{}", fault.name.replace('-', "_")), "1. e4 e5 *\n");
    let deadline = match fault.name {
        "hangs" | "floods" | "never-ready" => 3,
        "once-hangs" => 20,
        _ => PATIENCE.as_secs(),
    };
    let said = pgn(&db, "analyze --workers 1 --nodes 10 --plies 0..1 --deadline")
        .arg(deadline.to_string())
        .arg("--engine")
        .arg(fake(&db))
        .env("FAKE_FAULT", fault.name)
        .env("FAKE_MARK", db.path("mark"))
        .ends(fault.code);
    let rows = "SELECT string_agg(status || coalesce(' ' || evals[1], ''), ', ' ORDER BY board::text COLLATE \"C\") FROM chess.analysis";
    assert_eq!(db.sql(rows), fault.rows, "{}: {said}", fault.name);
    let told = said.lines().any(|line| {
        fault.said.iter().any(|text| line.split_once(text).is_some_and(|(_, rest)| rest.contains(fault.then)))
    });
    assert!(told, "{}: {said}", fault.name);
    no_engine_is_left(&db);
}

#[test]
#[ignore = "needs a server"]
fn an_engine_may_do_everything_wrong() {
    // side by side, because some wait for their deadlines
    thread::scope(|scope| {
        for fault in &FAULTS {
            scope.spawn(|| analyze(fault));
        }
    });
}

#[test]
#[ignore = "needs a server"]
fn what_is_no_engine_is_refused() {
    let db = Database::loaded("no_engine", "1. e4 e5 *\n");
    pgn(&db, "analyze --engine /etc/passwd").fails();
    let said = pgn(&db, "analyze --engine no-such-engine").fails();
    assert!(said.contains("engine no-such-engine was not found"), "{said}");
    assert!(!said.contains("same command again"), "no advice that does not help: {said}");
    let said = pgn(&db, "analyze --option Skill=3 --engine").arg(fake(&db)).fails();
    assert!(said.contains("has no option \"Skill\""), "{said}");
}

#[test]
#[ignore = "needs a server"]
fn what_has_failed_is_asked_again_if_asked_for() {
    let db = Database::loaded("retry", "1. e4 e5 *\n");
    let analyze = |words: &str| pgn(&db, "analyze --nodes 10 --plies 0..0").words(words).arg("--engine").arg(fake(&db));
    analyze("").succeeds();
    db.sql("DELETE FROM chess.analysis; DELETE FROM chess.analyzed_games");
    db.sql(
        "INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, reason, board)
         SELECT zobrist(startboard()), 0, e.id, 1, 'nodes', 10, 'failed', 'once', startboard() FROM chess.engines e WHERE e.name = 'Fake 1' AND NOT e.reproducible",
    );
    let said = analyze("").succeeds();
    assert!(said.contains(" 0 positions analyzed"), "{said}");
    analyze("--retry").succeeds();
    let stored = || db.sql("SELECT status, evals[1] FROM chess.analysis WHERE key = zobrist(startboard())");
    assert_eq!(stored(), "done|30");

    // what has an evaluation is not replaced by a failure
    db.sql(
        "UPDATE chess.analysis SET status = 'stopped', depth = 20, evals = ARRAY[41] WHERE key = zobrist(startboard());
         DELETE FROM chess.analyzed_games",
    );
    analyze("--retry").env("FAKE_FAULT", "illegal").output();
    assert_eq!(stored(), "stopped|41");
    analyze("--retry").succeeds();
    assert_eq!(stored(), "done|30");
}

/// The last line tells programs how the analysis ended, and standard output contains nothing but lines of JSON.
#[test]
#[ignore = "needs a server"]
fn each_line_of_json_is_json() {
    let db = Database::loaded("json_lines", "1. e4 e5 *\n");
    let last = |fault: &str, code: i32| {
        let program = pgn(&db, "analyze --json --workers 1 --nodes 10 --plies 0..1 --engine").arg(fake(&db));
        let output = program.env("FAKE_FAULT", fault).output();
        assert_eq!(output.code, Some(code), "{}", output.stderr);
        let lines: Vec<serde_json::Value> =
            output.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        lines.last().cloned().unwrap()
    };
    let failed = last("dies-at-start", 1);
    assert_eq!(failed["done"], false);
    assert!(failed["error"].as_str().unwrap().contains("cannot open network file"), "{failed}");
    assert_eq!(
        last("", 0),
        serde_json::json!({ "positions": 2, "searched": 2, "failed": 0, "games": 1, "of": 1, "done": true, "error": null })
    );
    no_engine_is_left(&db);
}
