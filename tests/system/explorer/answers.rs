//! The answers of the explorer, compared with a replay (replay.sql) under every kind of plan.

use std::thread;

use chess_system::{Database, number};

use crate::{index, load};

/// Compares positions with the settings: each move of the explorer's answer is that of the replay.
fn compare(db: &Database<'_>, what: &str, settings: &[&str]) {
    let mut session = db.session();
    for setting in settings {
        session.sql(&format!("SET {setting}"));
    }
    session.sql(&format!("SELECT setseed(0.{})", number("SEED", 5)));
    let compared = session.sql(&format!("SELECT replay.compare({})", number("POSITIONS", 200)));
    assert!(compared.parse::<u32>().unwrap() > 50, "{what}: moves were compared: {compared}");
}

#[test]
#[ignore = "needs a server"]
fn the_explorer_answers_as_a_replay_does_whatever_the_plan() {
    let db = Database::new("replay");
    load(&db);
    db.sql("SELECT replay.fill()");
    compare(&db, "without indexes", &[]);
    index(&db);
    let parallel = [
        "max_parallel_workers_per_gather = 4",
        "parallel_setup_cost = 0",
        "parallel_tuple_cost = 0",
        "min_parallel_table_scan_size = 0",
        "enable_bitmapscan = off",
    ];
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index");
    compare(&db, "by the index", &[]);
    // The games are asked where there is no index of the columns that the explorer knows.
    db.sql("DROP INDEX chess.games_chess_idx; CREATE INDEX ON chess.games USING chess (game)");
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "games");
    let plans: [(&str, &[&str]); 4] = [
        ("with indexes", &[]),
        ("by indexes alone", &["enable_seqscan = off"]),
        ("by bitmaps alone", &["enable_seqscan = off", "enable_indexscan = off"]),
        ("in parallel", &parallel),
    ];
    thread::scope(|scope| {
        for (what, settings) in plans {
            let db = &db;
            scope.spawn(move || compare(db, what, settings));
        }
    });
}
