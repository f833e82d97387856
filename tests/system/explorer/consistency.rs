//! The explorer says the same by the index of the games as from the games, in every snapshot: under loads, INSERT, UPDATE, DELETE,
//! TRUNCATE and unload, their rollbacks and two-phase commits, VACUUM, merges and new indexes, in partitions, after a load or the
//! server is killed, and where a subscription brings the games. In: `ROUNDS`, `POSITIONS` to ask for.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use chess_system::{Database, Server, Session, generated, number, read, repository, wait_for};

use crate::{games, loaded};

/// The columns of the index that answers the explorer.
const ATTRIBUTES: &str = "(chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), \
    (chess.speed_number(time_control)), (chess.mean_elo(white_elo, black_elo))";

/// Gives a database with games what these tests ask by, and lists with sums also where few games have a position.
fn prepared(db: &Database<'_>) {
    db.sql("ALTER INDEX chess.games_chess_idx SET (sums = 20)");
    db.sql("REINDEX INDEX chess.games_chess_idx");
    assert_eq!(db.sql("SELECT lists > 5 FROM chess_index_info('chess.games_chess_idx') WHERE part = 'sums'"), "t");
    functions(db);
}

fn functions(db: &Database<'_>) {
    db.sql(&String::from_utf8(read(repository("tests/system/explorer/consistency.sql"))).unwrap());
}

/// A file of generated games, others than those of the database.
fn more(db: &Database<'_>, seed: u64, count: usize) -> PathBuf {
    db.file(&format!("{seed}.pgn"), generated(seed, count))
}

/// Compares both answers to questions in a snapshot of this session; they must not all be empty.
#[track_caller]
fn compare(session: &mut Session, what: &str) {
    let answered = session.sql(&format!("SELECT test.compare({})", number("POSITIONS", 300)));
    assert!(answered.parse::<u32>().is_ok_and(|answered| answered > 0), "{what}: questions had answers: {answered}");
}

/// The same in one snapshot after the statements of its transaction, which is taken back.
#[track_caller]
fn same_after(db: &Database<'_>, what: &str, statements: &[&str]) {
    let mut session = db.session();
    session.sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
    statements.iter().for_each(|statement| drop(session.sql(statement)));
    compare(&mut session, what);
    session.sql("ROLLBACK");
}

#[track_caller]
fn same(db: &Database<'_>, what: &str) {
    same_after(db, what, &[]);
}

#[track_caller]
fn source_is(db: &Database<'_>, source: &str, when: &str) {
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), source, "{when}");
}

#[track_caller]
fn sound(db: &Database<'_>) {
    assert_eq!(db.sql("SELECT chess_index_check(index, heap => true) FROM chess.explorer_indexes()"), "");
}

/// A server whose transactions survive crashes, can be prepared, and can be subscribed to.
fn lasting() -> Server {
    let server = Server::stopped(
        &["fsync = on", "wal_level = logical", "max_wal_senders = 4", "max_prepared_transactions = 4"],
        5432,
    );
    server.start();
    server
}

/// The games with every kind of tag, changed in the index.
fn dressed<'a>(server: &'a Server, name: &str) -> Database<'a> {
    let db = Database::on(server, name);
    db.pgn("load --index").arg(games(&db)).succeeds();
    prepared(&db);
    db.sql(&String::from_utf8(read(repository("tests/system/explorer/replay.sql"))).unwrap());
    db.sql("SELECT setseed(0.2)");
    db.sql("SELECT replay.dress()");
    db
}

const UPDATE: &str = "UPDATE chess.games SET result = '1-0', white_elo = nullif(white_elo, 2147483647) + 1, dates = NULL WHERE id % 7 = 0";
const DELETE: &str = "DELETE FROM chess.games WHERE id % 11 = 0";
/// Dates that are empty, endless, or before all others; ratings and results of every kind.
const ODD: &str = "INSERT INTO chess.games (game, dates, white_elo, black_elo, time_control, result)
    SELECT '1. e4 e5', d::daterange, (ARRAY[2147483647, -5, 1, NULL])[1 + (n + k) % 4], (ARRAY[2147483647, 0, 1, 1500])[1 + n * k % 4],
           (ARRAY['1+0', '99999999999/1', '', NULL])[1 + n % 4], (ARRAY['1-0', '0-1', '*', '1/2-1/2'])[1 + (n + 2 * k) % 4]
    FROM unnest(ARRAY['[2001-05-01,2003-01-01)', 'empty', '[-infinity,infinity)', '(,)', '(,2012-01-01)', '[2012-01-01,)', '(-infinity,2011-01-01)',
        '[2012-01-01,infinity]', '[-infinity,-infinity]', '(,-infinity]', '(,4714-11-24 BC)', '[infinity,)', '[2012-01-01,2012-01-01]', NULL])
        WITH ORDINALITY o (d, n), generate_series(1, 4) k";

#[test]
#[ignore = "needs a server"]
fn consistency_of_loads_and_changes() {
    let server = lasting();
    let db = dressed(&server, "changes");
    source_is(&db, "index", "after a load with an index");
    same(&db, "after UPDATE of all games");
    db.sql("VACUUM ANALYZE chess.games");
    same(&db, "after VACUUM");
    let second = more(&db, 2, 1500);
    db.pgn("load").arg(&second).succeeds();
    same(&db, "after a load into the index");
    for (n, change) in [
        "INSERT INTO chess.pgn_view (event, white, black, date, game) VALUES ('mine', 'Player 1', 'Player 2', '2016.01.??', '1. a4 h5 2. Ra3')",
        ODD,
        UPDATE,
        "UPDATE chess.pgn_view SET event = 'ours' WHERE id % 5 = 0",
        "UPDATE chess.games SET game = '1. e4 c5 2. Nf3' WHERE id % 13 = 0",
        DELETE,
    ]
    .into_iter()
    .enumerate()
    {
        same_after(&db, &format!("in its transaction: {change}"), &[change]);
        same(&db, &format!("after its rollback: {change}"));
        same_after(&db, &format!("after a savepoint: {change}"), &["SAVEPOINT one", change, "ROLLBACK TO one"]);
        let mut session = db.session();
        for statement in ["BEGIN", change, "PREPARE TRANSACTION 'two'"] {
            session.sql(statement);
        }
        same(&db, &format!("while it is prepared: {change}"));
        if n % 2 == 0 {
            db.sql("ROLLBACK PREPARED 'two'");
            db.sql(change);
        } else {
            db.sql("COMMIT PREPARED 'two'");
        }
        same(&db, &format!("after {change}"));
    }
    source_is(&db, "index", "after changes");
    db.sql("VACUUM chess.games");
    same(&db, "after VACUUM of changes");
    db.sql("SELECT chess_index_merge('chess.games_chess_idx')");
    same(&db, "after a merge");
    db.pgn("unload").arg(&second).succeeds();
    same(&db, "after unload");
    db.pgn("load").arg(&second).succeeds();
    sound(&db);
}

#[test]
#[ignore = "needs a server"]
fn consistency_while_indexes_come_and_go() {
    let db = loaded("coming_indexes");
    prepared(&db);
    let attributes =
        format!("CREATE INDEX games_chess_idx ON chess.games USING chess (game, white_elo, black_elo, {ATTRIBUTES})");
    db.sql("DROP INDEX chess.games_chess_idx");
    source_is(&db, "games", "without an index");
    same(&db, "without an index");
    db.sql(&format!("CREATE INDEX other ON chess.games USING chess (game, black_elo, white_elo, {ATTRIBUTES})"));
    db.sql(&format!(
        "CREATE INDEX part ON chess.games USING chess (game, white_elo, black_elo, {ATTRIBUTES}) WHERE id > 100"
    ));
    source_is(&db, "games", "with indexes of other columns and of some games");
    db.pgn("migrate --index").succeeds();
    source_is(&db, "index", "after migrate --index");
    same(&db, "after migrate --index");
    db.sql("ALTER INDEX chess.games_chess_idx RENAME TO named");
    db.sql("REINDEX INDEX CONCURRENTLY chess.named");
    source_is(&db, "index", "an index of any name");
    same(&db, "after REINDEX");

    // a transaction that began before an index was dropped, and asks later
    let snapshot = || {
        let mut session = db.session();
        session.sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
        session.sql("SELECT 1");
        session
    };
    let mut older = snapshot();
    db.sql("DROP INDEX chess.named");
    db.sql("DELETE FROM chess.games WHERE id % 17 = 0");
    same(&db, "after DROP INDEX");
    db.sql(&attributes);
    compare(&mut older, "an old snapshot, after its index was dropped");
    assert_eq!(
        older.sql("SELECT sum(games) > 0 FROM chess.explorer(startBoard())"),
        "t",
        "what it has is not forgotten"
    );
    older.sql("COMMIT");
    compare(&mut older, "the latest, of the same session");
    assert_eq!(older.sql("SELECT chess.explorer_source(startBoard())"), "index");

    // rows that were changed in place before their index was made, and a snapshot that sees them as they were
    db.sql("DROP INDEX chess.games_chess_idx");
    let mut older = snapshot();
    for statement in [
        "ALTER TABLE chess.games SET (fillfactor = 50)",
        "VACUUM FULL chess.games",
        "DROP INDEX chess.games_ratings_idx",
        "UPDATE chess.games SET white_elo = 1700 WHERE id % 3 = 0",
        &attributes,
    ] {
        db.sql(statement);
    }
    compare(&mut older, "a snapshot older than changes and index");
    older.sql("COMMIT");
    source_is(&db, "index", "when no old snapshot is left");
    same(&db, "when no old snapshot is left");
}

#[test]
#[ignore = "needs a server"]
fn consistency_of_two_at_once() {
    let db = loaded("two_at_once");
    prepared(&db);
    let loads = [3, 4].map(|seed| db.pgn("load").arg(more(&db, seed, 1500)).spawn());
    for _ in 0..3 {
        same(&db, "while two loads run");
    }
    for load in loads {
        load.ends(0);
    }
    same(&db, "after two loads at once");
    // changes, VACUUM and merges while questions are asked
    thread::scope(|scope| {
        let changes = scope.spawn(|| {
            for n in 1..=number("ROUNDS", 12) {
                for statement in [
                    &*format!("UPDATE chess.games SET result = '0-1' WHERE id % 19 = {n}"),
                    &format!("DELETE FROM chess.games WHERE id % 37 = {n}"),
                    &format!("INSERT INTO chess.games (game, result, dates) SELECT game, result, dates FROM chess.games WHERE id % 23 = {n}"),
                    "VACUUM chess.games",
                    "SELECT chess_index_merge('chess.games_chess_idx')",
                ] {
                    db.session().sql(statement);
                }
            }
        });
        while !changes.is_finished() {
            same(&db, "while games change, with VACUUM and merges");
        }
    });
    same(&db, "after changes, VACUUM and merges");
    sound(&db);
}

#[test]
#[ignore = "needs a server"]
fn consistency_after_kills() {
    let server = lasting();
    let db = dressed(&server, "killed");
    let last = more(&db, 100, 700);
    for round in 1..=u64::from(number("ROUNDS", 12)) {
        let (what, program) = match round % 3 {
            0 => ("a load", db.pgn("load --batch 16").arg(more(&db, 100 + round, 700))),
            1 => (
                "a merge",
                db.psql().args(["-c", "INSERT INTO chess.games (game, result) SELECT game, result FROM chess.games ORDER BY random() LIMIT 300"])
                    .args(["-c", "SELECT chess_index_merge('chess.games_chess_idx')"]),
            ),
            _ => ("an UPDATE", db.psql().args(["-c", "UPDATE chess.games SET dates = '[2012-01-01,2012-01-02)' WHERE id % 3 = 1"])),
        };
        let running = program.spawn();
        // some moment of the work; it may also be over
        thread::sleep(Duration::from_millis(round * 70 % 500));
        if round % 2 == 0 {
            server.crash();
            drop(running);
            server.start();
        } else {
            drop(running);
        }
        same(&db, &format!("round {round}: after {what} was killed"));
    }
    db.pgn("load --batch 16").arg(last).succeeds();
    same(&db, "at the end");
    sound(&db);
}

#[test]
#[ignore = "needs a server"]
fn consistency_of_partitions() {
    let db = Database::new("parted_games");
    db.pgn("schema --partition-by id:3").succeeds();
    db.pgn("load --index").arg(games(&db)).succeeds();
    functions(&db);
    db.sql(&String::from_utf8(read(repository("tests/system/explorer/replay.sql"))).unwrap());
    db.sql("SELECT setseed(0.3)");
    db.sql("SELECT replay.dress()");
    db.sql("VACUUM chess.games");
    source_is(&db, "index", "partitions");
    same(&db, "partitions");
    same_after(&db, "partitions, in the transaction that changes them", &[UPDATE, DELETE]);
    db.sql("ALTER TABLE chess.games DETACH PARTITION chess.games_3");
    source_is(&db, "index", "one partition fewer");
    same(&db, "one partition fewer");
    db.sql("ALTER TABLE chess.games ATTACH PARTITION chess.games_3 FOR VALUES WITH (MODULUS 3, REMAINDER 2)");
    same(&db, "that partition again");
    db.sql("DROP INDEX chess.games_chess_idx");
    db.sql(&format!("CREATE INDEX ON chess.games_1 USING chess (game, white_elo, black_elo, {ATTRIBUTES})"));
    source_is(&db, "games", "one partition has an index");
    same(&db, "one partition has an index");
}

#[test]
#[ignore = "needs a server"]
fn consistency_of_games_that_a_subscription_brings() {
    let server = lasting();
    let [db, copy] = ["published", "subscribed"].map(|name| {
        let db = Database::on(&server, name);
        db.pgn("load --index").arg(games(&db)).succeeds();
        db
    });
    functions(&copy);
    db.sql("CREATE PUBLICATION games FOR TABLE chess.games");
    db.sql("SELECT pg_create_logical_replication_slot('copy', 'pgoutput')");
    copy.sql(&format!(
        "CREATE SUBSCRIPTION copy CONNECTION '{}' PUBLICATION games WITH (create_slot = false, copy_data = false, slot_name = copy)",
        db.settings("postgres")
    ));
    for (change, there) in [
        (
            "INSERT INTO chess.games (id, game, result) OVERRIDING SYSTEM VALUE SELECT n, '1. e4 e5 2. Nf3', '1-0' FROM generate_series(1000001, 1000003) n",
            "(SELECT count(*) FROM chess.games WHERE id > 1000000) = 3",
        ),
        (
            "UPDATE chess.games SET result = '0-1' WHERE id = 1000002",
            "(SELECT result = '0-1' FROM chess.games WHERE id = 1000002)",
        ),
        ("DELETE FROM chess.games WHERE id = 1000003", "NOT EXISTS (SELECT FROM chess.games WHERE id = 1000003)"),
    ] {
        db.sql(change);
        wait_for(there, || copy.sql(&format!("SELECT {there}")) == "t");
        same(&copy, there);
    }
    for statement in ["DISABLE", "SET (slot_name = NONE)"] {
        copy.sql(&format!("ALTER SUBSCRIPTION copy {statement}"));
    }
    copy.sql("DROP SUBSCRIPTION copy");
}

#[test]
#[ignore = "needs a server"]
fn consistency_of_an_index_that_was_emptied() {
    let db = loaded("emptied");
    prepared(&db);
    db.sql("TRUNCATE chess.games CASCADE");
    assert_eq!(db.sql("SELECT count(*) FROM chess.explorer(startBoard())"), "0");
    db.pgn("load").arg(more(&db, 9, 300)).succeeds();
    same(&db, "after a load into the empty index");
}
