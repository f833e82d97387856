//! `chess-pgn doctor`: nothing is wrong with a database that was set up as the documents say; whatever a test breaks is found,
//! and the statement that is printed mends it.

use chess_system::{Database, Server, generated, pg_config, tool, wait_for};

/// A server that keeps what it writes, whose autovacuum leaves to the test what is broken, and with little memory.
fn server() -> Server {
    let server = Server::stopped(
        &[
            "fsync = on",
            "full_page_writes = on",
            "autovacuum = on",
            "autovacuum_naptime = 1d",
            "shared_buffers = 400kB",
            "wal_level = replica",
        ],
        5432,
    );
    server.start();
    server
}

/// A database with the two roles of docs/explorer.md.
fn healthy(server: &Server) -> Database<'_> {
    let db = Database::on(server, "healthy");
    db.pgn("load --index").arg(db.file("games.pgn", generated(3, 3000))).succeeds();
    db.sql(
        "CREATE ROLE chess_web_read LOGIN; GRANT USAGE ON SCHEMA chess TO chess_web_read;
         GRANT SELECT ON ALL TABLES IN SCHEMA chess TO chess_web_read;
         ALTER DEFAULT PRIVILEGES IN SCHEMA chess GRANT SELECT ON TABLES TO chess_web_read;
         REVOKE TEMPORARY ON DATABASE healthy FROM PUBLIC;
         CREATE ROLE chess_web LOGIN; GRANT CREATE ON DATABASE healthy TO chess_web",
    );
    db
}

/// The statements that it prints for what is wrong.
fn remedies(said: &str) -> Vec<&str> {
    let mut is_wrong = false;
    said.lines()
        .filter(|line| {
            if !line.starts_with("    ") {
                is_wrong = line.starts_with("wrong: ");
            }
            is_wrong && line.starts_with("    ")
        })
        .map(str::trim)
        .collect()
}

#[test]
#[ignore = "needs a server"]
fn what_is_broken_is_found_and_mended() {
    let server = server();
    let db = healthy(&server);
    let said = db.pgn("doctor").succeeds();
    assert!(said.ends_with("nothing is wrong\n"), "{said}");
    assert!(
        said.contains("worth a change: the index of the games has ")
            && said.contains("ALTER SYSTEM SET shared_buffers"),
        "{said}"
    );
    for (what, breaks) in [
        ("index games_event_id_idx is missing", "DROP INDEX chess.games_event_id_idx"),
        ("index games_ratings_idx is missing", "DROP INDEX chess.games_ratings_idx"),
        ("index games_chess_idx is missing", "DROP INDEX chess.games_chess_idx"),
        (
            "index chess.games_result_idx is not valid",
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.games_result_idx'::regclass",
        ),
        (
            "index chess.games_result_idx_ccnew is not valid",
            "CREATE INDEX games_result_idx_ccnew ON chess.games (result);
             UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.games_result_idx_ccnew'::regclass",
        ),
        (
            "no foreign key from rejected.game_id to games",
            "ALTER TABLE chess.rejected DROP CONSTRAINT rejected_game_id_fkey",
        ),
        ("no foreign key from twins.a to games", "ALTER TABLE chess.twins DROP CONSTRAINT twins_a_fkey"),
        (
            "the foreign key from games.event_id to events was not validated",
            "ALTER TABLE chess.games DROP CONSTRAINT games_event_id_fkey,
             ADD CONSTRAINT games_event_id_fkey FOREIGN KEY (event_id) REFERENCES chess.events (id) NOT VALID",
        ),
        ("triggers of chess.games are off", "ALTER TABLE chess.games DISABLE TRIGGER ALL"),
        ("triggers of chess.events are off", "ALTER TABLE chess.events ENABLE REPLICA TRIGGER name_is_same"),
        ("trigger name_is_same of chess.players is missing", "DROP TRIGGER name_is_same ON chess.players"),
        ("trigger pgn_view_write of chess.pgn_view is missing", "DROP TRIGGER pgn_view_write ON chess.pgn_view"),
        ("knows nothing of chess.games", "DELETE FROM pg_statistic WHERE starelid = 'chess.games'::regclass"),
        ("changed rows", "UPDATE chess.games SET eco = 'A00'"),
        ("VACUUM has seen 0 of", "UPDATE pg_class SET relallvisible = 0 WHERE oid = 'chess.games'::regclass"),
        ("autovacuum leaves chess.players out", "ALTER TABLE chess.players SET (autovacuum_enabled = off)"),
        (
            "autovacuum leaves long values of chess.games out",
            "ALTER TABLE chess.games SET (toast.autovacuum_enabled = no, fillfactor = 90)",
        ),
        ("chess_web_read may not look into schema chess", "REVOKE USAGE ON SCHEMA chess FROM chess_web_read"),
        (
            "chess_web_read may not read 1 tables and views, such as chess.players",
            "REVOKE SELECT ON chess.players FROM chess_web_read",
        ),
        ("chess_web_read may not call 1 functions", "REVOKE EXECUTE ON FUNCTION chess.speed(text) FROM PUBLIC"),
        ("chess_web_read may not look into schema public", "REVOKE USAGE ON SCHEMA public FROM PUBLIC"),
        (
            "chess_web_read may not call 1 functions, such as public.turn(public.chessboard)",
            "REVOKE EXECUTE ON FUNCTION turn(chessboard) FROM PUBLIC",
        ),
        ("chess_web_read may change 1 tables, such as chess.games", "GRANT DELETE ON chess.games TO chess_web_read"),
        (
            "will not be able to read tables",
            "ALTER DEFAULT PRIVILEGES IN SCHEMA chess REVOKE SELECT ON TABLES FROM chess_web_read",
        ),
        ("chess_web_read may do anything", "ALTER ROLE chess_web_read SUPERUSER"),
        ("chess_web has all that pg_read_server_files may do", "GRANT pg_read_server_files TO chess_web"),
        ("chess_web may do more than the page needs", "ALTER ROLE chess_web CREATEROLE"),
        ("may not connect", "REVOKE CONNECT ON DATABASE healthy FROM PUBLIC"),
        ("chess_web may not make the schema chess_web", "REVOKE CREATE ON DATABASE healthy FROM chess_web"),
        ("the schema chess_web belongs to postgres", "CREATE SCHEMA chess_web"),
    ] {
        db.sql(breaks);
        // counts of changed rows arrive later than the changes
        let mut said = String::new();
        wait_for(what, || {
            said = db.pgn("doctor").output().stdout;
            said.contains(what)
        });
        db.pgn("doctor").fails();
        for remedy in remedies(&said) {
            db.sql(remedy);
        }
        wait_for("the end of what was wrong", || db.pgn("doctor").output().code == Some(0));
    }
    assert_eq!(db.sql("SELECT to_regclass('chess.games_result_idx_ccnew')"), "", "it was mended, not dropped");
}

#[test]
#[ignore = "needs a server"]
fn statistics_are_missed_where_the_planner_misses_them() {
    let server = server();
    let db = healthy(&server);
    db.sql("ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY; CREATE ROLE onlooker LOGIN; GRANT pg_read_all_data TO onlooker");
    let said = db.pgn("doctor -d user=onlooker").succeeds();
    assert!(!said.contains("knows nothing"), "{said}");

    db.pgn("schema --schema parts --partition-by id:3").succeeds();
    db.pgn("load --schema parts").arg(db.file("games.pgn", generated(3, 300))).succeeds();
    let doctor = || db.pgn("doctor --schema parts").output().stdout;
    assert!(!doctor().contains("knows nothing"), "{}", doctor());
    db.sql("DELETE FROM pg_statistic WHERE starelid = 'parts.games'::regclass");
    let said = doctor();
    assert!(said.contains("knows nothing of parts.games: "), "{said}");
    db.sql("VACUUM (ANALYZE) parts.games");
    assert!(!doctor().contains("knows nothing"), "{}", doctor());
}

#[test]
#[ignore = "needs a server"]
fn an_index_of_some_partitions_is_completed() {
    let db = Database::new("partly");
    db.pgn("schema --partition-by id:4").succeeds();
    db.pgn("load --index").arg(db.file("games.pgn", generated(3, 3000))).succeeds();
    let partitions =
        db.rows("SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'chess.games'::regclass ORDER BY 1");
    let said = || db.pgn("doctor").output().stdout;
    let mend =
        || remedies(&said()).into_iter().filter(|remedy| remedy.contains("mine")).for_each(|remedy| _ = db.sql(remedy));
    db.sql("CREATE INDEX mine ON ONLY chess.games (eco, (id % 2)) WHERE id > 5");
    assert!(said().contains("DROP INDEX chess.mine;"), "{}", said());

    let first = &partitions[0];
    db.sql(&format!(
        "CREATE INDEX mine1 ON {first} (eco, (id % 2)) WHERE id > 5; ALTER INDEX chess.mine ATTACH PARTITION chess.mine1"
    ));
    let lacks =
        format!("wrong: index chess.mine is not valid: it lacks 3 of 4 partitions, such as {}\n", partitions[1]);
    assert!(said().contains(&lacks) && !said().contains("DROP INDEX"), "{}", said());
    mend();
    assert!(!said().contains("mine"), "{}", said());
    let is_kept = "SELECT indisvalid AND to_regclass('chess.mine1') IS NOT NULL FROM pg_index WHERE indexrelid = 'chess.mine'::regclass";
    assert_eq!(db.sql(is_kept), "t");

    db.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.mine'::regclass");
    assert!(said().contains("wrong: index chess.mine is not valid\n"), "{}", said());
    mend();
    assert!(!said().contains("mine"), "{}", said());
}

#[test]
#[ignore = "needs a server"]
fn a_standby_is_told_where_statements_run() {
    let server = server();
    let db = healthy(&server);
    db.sql("ALTER SYSTEM SET autovacuum = off");
    db.sql("ALTER SYSTEM SET fsync = off");
    db.sql("REVOKE CREATE ON DATABASE healthy FROM chess_web; SELECT pg_reload_conf()");
    wait_for("the setting", || db.pgn("doctor").output().stdout.contains("autovacuum is off"));
    let said = db.pgn("doctor").fails();
    assert!(!said.contains("standby"), "{said}");
    server.crash();
    server.write("standby.signal", b"");
    server.start();
    let said = db.pgn("doctor").fails();
    assert_eq!(said.matches("this is a standby").count(), 1, "{said}");
    assert!(
        said.contains("GRANT CREATE") && said.contains("fsync is off") && !said.contains("autovacuum is off"),
        "{said}"
    );
}

/// A dump without data has the tables and not the rows that say what they are.
#[test]
#[ignore = "needs a server"]
fn tables_without_rows_of_info_are_told_from_those_of_others() {
    let db = Database::new("rowless");
    db.pgn("load --schema Own").arg(db.file("game.pgn", "1. e4 *\n")).succeeds();
    let dump = db.program(tool(pg_config("bindir").join("pg_dump")));
    let rows = dump.words("--data-only --table=\"Own\".info").writes();
    db.sql("TRUNCATE \"Own\".info");
    let copies = "pg_dump --data-only --table='\"Own\".info' OLD | psql NEW";
    for words in ["doctor --schema Own", "migrate --schema Own", "load --schema Own -"] {
        let said = db.pgn(words).fails();
        assert!(said.contains("Own.info does not say") && said.contains(copies), "{words}: {said}");
    }
    db.psql().input(rows).succeeds();
    db.pgn("migrate --schema Own").succeeds();
}

#[test]
#[ignore = "needs a server"]
fn settings_and_versions_are_looked_at() {
    let server = server();
    let db = healthy(&server);
    for (what, remedy, breaks, mends) in [
        (
            "the database has the SQL of 0.3.0",
            "ALTER EXTENSION chess UPDATE;",
            "UPDATE pg_extension SET extversion = '0.3.0' WHERE extname = 'chess'",
            concat!("UPDATE pg_extension SET extversion = '", env!("CARGO_PKG_VERSION"), "' WHERE extname = 'chess'"),
        ),
        (
            "the tables are at version 3",
            "chess-pgn migrate",
            "UPDATE chess.info SET value = '3' WHERE name = 'schema version'",
            "UPDATE chess.info SET value = '5' WHERE name = 'schema version'",
        ),
        (
            "autovacuum is off",
            "ALTER SYSTEM SET autovacuum = on;",
            "ALTER SYSTEM SET autovacuum = off",
            "ALTER SYSTEM RESET autovacuum",
        ),
        (
            "track_counts is off",
            "ALTER SYSTEM SET track_counts = on;",
            "ALTER SYSTEM SET track_counts = off",
            "ALTER SYSTEM RESET track_counts",
        ),
        ("fsync is off", "ALTER SYSTEM SET fsync = on;", "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM RESET fsync"),
    ] {
        let change = |statement: &str| {
            db.sql(statement);
            db.sql("SELECT pg_reload_conf()");
        };
        change(breaks);
        wait_for(what, || db.pgn("doctor").output().stdout.contains(what));
        let said = db.pgn("doctor").fails();
        assert!(remedies(&said).iter().any(|line| line.starts_with(remedy)), "{said}");
        change(mends);
        wait_for("what was before", || db.pgn("doctor").output().code == Some(0));
    }
    let said = db.pgn("doctor --reader nobody").fails();
    assert!(said.contains("CREATE ROLE nobody LOGIN;"), "{said}");
    db.sql("GRANT TEMPORARY ON DATABASE healthy TO PUBLIC");
    let said = db.pgn("doctor").succeeds();
    assert!(said.contains("worth a change: chess_web_read may make temporary tables"), "{said}");
    db.sql("SET client_min_messages = error; DROP EXTENSION chess CASCADE; CREATE EXTENSION chess");
    assert_eq!(remedies(&db.pgn("doctor").fails()), ["restore a backup"]);
    let empty = Database::on(&server, "nothing");
    let said = empty.pgn("doctor").fails();
    assert_eq!(remedies(&said), ["CREATE EXTENSION chess;"]);
    empty.sql("CREATE EXTENSION chess");
    let said = empty.pgn("doctor").fails();
    assert_eq!(remedies(&said), ["chess-pgn load --schema \"chess\" --index games.pgn"]);
}

#[test]
#[ignore = "needs a server"]
fn a_role_without_rights_is_told_what_it_lacks() {
    let server = server();
    let db = healthy(&server);
    db.sql(
        "CREATE ROLE stranger LOGIN;
         CREATE SCHEMA closed; CREATE TABLE closed.things AS SELECT n AS id FROM generate_series(1, 100) AS n; ANALYZE closed.things;
         CREATE SEQUENCE closed.numbers; GRANT SELECT ON closed.things, closed.numbers TO PUBLIC",
    );
    for grant in
        ["GRANT USAGE ON SCHEMA \"chess\" TO stranger;", "GRANT SELECT ON ALL TABLES IN SCHEMA \"chess\" TO stranger;"]
    {
        assert_eq!(remedies(&db.pgn("doctor -d user=stranger").fails()), [grant]);
        db.sql(grant);
    }
}

/// An index with a condition runs code of its owner when a query is planned.
#[test]
#[ignore = "needs a server"]
fn no_query_of_tables_of_others_is_advised() {
    let server = server();
    let db = healthy(&server);
    db.sql(
        "CREATE ROLE stranger LOGIN; GRANT CREATE, USAGE ON SCHEMA chess TO stranger; SET ROLE stranger;
         CREATE TABLE chess.things (id bigint GENERATED BY DEFAULT AS IDENTITY); INSERT INTO chess.things SELECT generate_series(1, 1000);
         ANALYZE chess.things; RESET ROLE",
    );
    let said = db.pgn("doctor").fails();
    let query = "SELECT setval('chess.things_id_seq', (SELECT max(id) FROM chess.things))";
    assert!(said.contains(&format!("-- as role stranger: {query}")), "{said}");
    db.sql("ALTER TABLE chess.things OWNER TO CURRENT_USER");
    assert!(remedies(&db.pgn("doctor").fails()).contains(&&*format!("{query};")));
}

#[test]
#[ignore = "needs a server"]
fn no_code_of_others_runs() {
    let server = server();
    let db = healthy(&server);
    db.sql(
        "CREATE FUNCTION evil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it ran'; END $$;
         ALTER TABLE chess.info RENAME TO facts_about;
         CREATE VIEW chess.info AS SELECT name, evil() AS value FROM chess.facts_about",
    );
    let said = db.pgn("doctor").fails();
    assert!(said.contains("chess.info is not a table of chess-pgn") && !said.contains("it ran"), "{said}");
}
