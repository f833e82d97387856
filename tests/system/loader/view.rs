//! Rows that somebody writes through the view.

use std::thread;

use chess_system::{Database, generated};

/// Executes a statement and, while it is done but not committed, another one: the rows of the other.
fn while_open(db: &Database<'_>, first: &str, other: &str) -> String {
    let open = "/* kept open */";
    thread::scope(|scope| {
        let mut holder = db.session();
        scope.spawn(move || {
            holder.sql("BEGIN");
            holder.sql(first);
            let blocked =
                "EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))";
            holder.sql(&format!("DO 'BEGIN {open} WHILE NOT {blocked} LOOP PERFORM pg_sleep(0.01); END LOOP; END'"));
            holder.sql("COMMIT");
        });
        db.wait_for_activity(
            "a change that is not committed",
            &format!("query LIKE '%{open}%' AND state = 'active'"),
            None,
        );
        db.sql(other)
    })
}

#[test]
#[ignore = "needs a server"]
fn rows_are_written_through_the_view() {
    let db = Database::with_extension("own_rows");
    db.pgn("schema").succeeds();
    db.sql("INSERT INTO chess.pgn_view (white, black, event, date, game) VALUES ('Me', 'You', 'Club', '2026.01.??', '1. e4 e5 2. Qh5 1-0')");
    let mine = "SELECT white, black, event, coalesce(site, '?'), date, dates, result, ply_count, source_id FROM chess.pgn_view WHERE source_id IS NULL";
    let expected = "Me|You|Club|?|2026.01.??|[2026-01-01,2026-02-01)|1-0|3|";
    assert_eq!(db.sql(mine), expected, "an INSERT makes names and what follows from the game");
    db.sql("UPDATE chess.pgn_view SET game = '1. e4 e5 2. Qh5 Ke7 3. Qxe5# 0-1', black = 'Me', date = '2026' WHERE white = 'Me'");
    let changed = "SELECT white, black, dates, result, ply_count, (SELECT count(*) FROM chess.players WHERE name = 'Me') FROM chess.pgn_view WHERE white = 'Me'";
    assert_eq!(db.sql(changed), "Me|Me|[2026-01-01,2027-01-01)|0-1|5|1", "an UPDATE, and no name twice");
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.games WHERE facts IS DISTINCT FROM gameFacts(game)"),
        "0",
        "facts follow the game"
    );
    let refusal = db.refuses("INSERT INTO chess.pgn_view (white) VALUES ('Me')");
    assert_eq!((&*refusal.code, &*refusal.message), ("23502", "a game is missing"));
    let refusal = db.refuses("INSERT INTO chess.pgn_view (game, ply_count) VALUES ('1. e4', 2)");
    assert!(refusal.message.contains("ply_count follows from the game"), "{refusal:?}");

    db.pgn("load --dedupe").arg(db.file("gen.pgn", generated(7, 100))).succeeds();
    let pgn = db.pgn("export --where").arg("source IS NULL").writes();
    assert_eq!(pgn.matches("Qxe5#").count(), 1, "a load leaves rows of one's own, and they are exported");
    db.sql("INSERT INTO chess.games (game) VALUES ('1. a3')");
    let row = db.sql("SELECT result, ply_count FROM chess.games WHERE source_id IS NULL AND white_id IS NULL");
    assert_eq!(row, "*|1", "a row of the table itself");
    db.sql("DELETE FROM chess.pgn_view WHERE source_id IS NULL");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games WHERE source_id IS NULL"), "0", "a DELETE");
}

#[test]
#[ignore = "needs a server"]
fn two_may_change_one_game_through_the_view() {
    let db = Database::with_extension("two_writers");
    db.pgn("schema").succeeds();
    db.sql("INSERT INTO chess.pgn_view (white, game) VALUES ('Me', '1. e4')");
    while_open(
        &db,
        "UPDATE chess.pgn_view SET round = '7', event = 'Cup' WHERE white = 'Me'",
        "UPDATE chess.pgn_view SET eco = 'C20' WHERE white = 'Me'",
    );
    assert_eq!(
        db.sql("SELECT round, event, eco FROM chess.pgn_view WHERE white = 'Me'"),
        "7|Cup|C20",
        "both changes are there"
    );
    let gone = while_open(
        &db,
        "DELETE FROM chess.pgn_view WHERE white = 'Me'",
        "UPDATE chess.pgn_view SET eco = 'C21' WHERE white = 'Me' RETURNING eco",
    );
    assert_eq!(gone, "", "a game that is gone meanwhile");
}
