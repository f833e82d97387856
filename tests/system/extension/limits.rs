//! The private memory of a backend stays within what `work_mem` and `maintenance_work_mem` leave it: functions of many rows,
//! index builds, ANALYZE. `pgngames` needs about what a function of PostgreSQL over the same text does. In: `MEGABYTES` of PGN,
//! `PLIES` of one game.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use chess_system::{Client, Database, number, supply, wait_for};

use crate::{proc, run, server};

/// The private memory of a process in kB, now or at its peak. The peak of all memory (VmHWM) also counts files and shared
/// memory, which seldom shrink.
fn private_kb(pid: &str) -> i64 {
    let status = proc(pid, "status");
    let kb: HashMap<&str, i64> = status
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, value)| Some((name, value.split_whitespace().next()?.parse().ok()?)))
        .collect();
    kb["RssAnon"].max(kb["VmHWM"] - kb["RssFile"] - kb["RssShmem"])
}

/// The greatest private memory, in MB, of a new backend that executes a statement with a setting.
fn peak(db: &Client, setting: &str, statement: &str) -> i64 {
    let mut session = db.session();
    session.sql(&format!("SET {setting}"));
    let pid = session.sql("SELECT pg_backend_pid()");
    let over = AtomicBool::new(false);
    let kb = thread::scope(|scope| {
        let seen = scope.spawn(|| {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(private_kb(&pid));
                thread::sleep(Duration::from_millis(10));
            }
            // a short statement is seen by its peak
            most.max(private_kb(&pid))
        });
        session.sql(statement);
        over.store(true, Ordering::Relaxed);
        seen.join().expect("the memory")
    });
    println!("{:4} MB with {setting}: {statement:.80}", kb / 1024);
    kb / 1024
}

#[track_caller]
fn at_most(mb: i64, db: &Client, setting: &str, statement: &str) -> i64 {
    let peak = peak(db, setting, statement);
    assert!(peak <= mb, "{peak} MB with {setting}, more than {mb}: {statement}");
    peak
}

#[test]
#[ignore = "needs a server"]
fn memory_stays_within_its_settings() {
    let (megabytes, plies) = (number("MEGABYTES", 100), number("PLIES", 1_000_000));
    let server = server(&[]);
    let db = Database::on(&server, "chess");
    supply(&db, 6000, 10);
    run(
        &db,
        &[
            "CREATE TABLE many AS SELECT s.game FROM supply AS s, generate_series(1, 10)",
            "CREATE TABLE texts (value text)",
            "ALTER TABLE texts ALTER value SET STORAGE EXTERNAL",
            r#"INSERT INTO texts SELECT string_agg(E'[White "A"]\n\n' || game::text || E' *\n', E'\n') FROM supply"#,
            &format!("UPDATE texts SET value = repeat(value, 1 + {megabytes} * 1000000 / length(value))"),
            &format!("CREATE TABLE long_games AS SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', {plies} / 4)::chessgame AS game"),
            "CREATE TABLE long_columns AS SELECT s.game AS game FROM long_games AS s, generate_series(1, 30)",
            "CHECKPOINT",
        ],
    );

    let small = "work_mem = '64kB'";
    for call in ["moves(game)", "positions(game)"] {
        at_most(40, &db, small, &format!("SELECT count(*) FROM long_games, {call}"));
    }
    // the text itself is in memory, once; a hundred megabytes and some for the rest
    let split = r"SELECT count(*) FROM texts, string_to_table(value, E'\n\n')";
    let theirs = at_most(i64::from(megabytes) * 3 / 2 + 40, &db, small, split);
    at_most(theirs + 20, &db, small, "SELECT count(*) FROM texts, pgngames(value)");
    // statistics arrive with a delay
    wait_for("50 MB of rows that went to disk: fewer show too little", || {
        db.sql("SELECT temp_bytes >= 50000000 FROM pg_stat_database WHERE datname = 'chess'") == "t"
    });
    let sorting = "SELECT count(*) FROM (SELECT game FROM many ORDER BY game OFFSET 0) AS g";
    at_most(20, &db, "work_mem = '1MB'", sorting);

    // what an index build takes is bounded by the setting: with more of it, it takes more
    let maintenance = "maintenance_work_mem = '16MB'";
    at_most(48, &db, maintenance, "CREATE INDEX ON many (game)");
    at_most(48, &db, maintenance, "CREATE INDEX ON many USING gin (game)");
    let more = peak(&db, "maintenance_work_mem = '1GB'", "CREATE INDEX ON many USING gin (game)");
    assert!(more > 48, "an index build takes no more with more memory: {more} MB");
    db.sql("DELETE FROM many WHERE random() < 0.5");
    at_most(48, &db, maintenance, "VACUUM many");
    at_most(64, &db, "default_statistics_target = 100", "ANALYZE many");
    at_most(320, &db, "default_statistics_target = 1000", "ANALYZE many");
    at_most(40, &db, "default_statistics_target = 100", "ANALYZE long_columns");
}
