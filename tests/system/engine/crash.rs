//! Runs that are killed, interrupted, run at once, or lose their server: afterwards there are the rows of an unbroken run.

use std::sync::OnceLock;

use chess_system::{Database, Hurdle, Program, Server, tool};

use crate::{analyze, famous, load_famous, no_engine_is_left, rows};

/// A run over games enough to be killed in between.
fn run(db: &Database<'_>, words: &str) -> Program {
    analyze(db, "--nodes 1000 --reproducible").words(words).args(["--where", "id <= 12"])
}

/// The rows of an unbroken run.
fn unbroken() -> &'static str {
    static ROWS: OnceLock<String> = OnceLock::new();
    ROWS.get_or_init(|| {
        let db = famous("unbroken");
        run(&db, "").succeeds();
        rows(&db)
    })
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn a_run_that_is_killed_and_interrupted_goes_on() {
    let db = famous("killed");
    let hurdle = Hurdle::on(&db, &["chess.analysis"]);
    for _ in 0..3 {
        hurdle.stop_at(3);
        let mut killed = run(&db, "").spawn();
        hurdle.wait(&mut killed);
        killed.killed();
        hurdle.open();
        no_engine_is_left(&db);
    }
    hurdle.stop_at(2);
    let mut interrupted = run(&db, "").spawn();
    hurdle.wait(&mut interrupted);
    tool("kill").arg("-INT").arg(interrupted.id().to_string()).succeeds();
    hurdle.open();
    interrupted.ends(130);
    no_engine_is_left(&db);
    run(&db, "").succeeds();
    assert_eq!(rows(&db), unbroken());
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn two_runs_at_once_leave_nothing_out() {
    let db = famous("pair");
    let first = run(&db, "--workers 1").spawn();
    run(&db, "--workers 1").succeeds();
    first.ends(0);
    let said = run(&db, "").succeeds();
    assert!(said.contains(" 0 positions analyzed"), "{said}");
    assert_eq!(rows(&db), unbroken());
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn a_run_whose_server_crashes_can_be_repeated() {
    let server = Server::new();
    let db = Database::on(&server, "gone");
    load_famous(&db);
    let hurdle = Hurdle::on(&db, &["chess.analysis"]);
    hurdle.stop_at(2);
    let mut stopped = run(&db, "").spawn();
    hurdle.wait(&mut stopped);
    server.crash();
    let said = stopped.ends(1);
    assert_eq!(said.matches("run the same command again").count(), 1, "{said}");
    no_engine_is_left(&db);
    server.start();
    hurdle.open();
    run(&db, "").succeeds();
    assert_eq!(rows(&db), unbroken());
}
