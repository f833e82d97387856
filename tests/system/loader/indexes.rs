//! Indexes that a load makes: which, beside which, and what is said of their cost.

use chess_system::{Database, Program, generated, wait_for};

/// The columns of the index for positions, which the explorer knows it by.
const COLUMNS: &str = "USING chess (game, white_elo, black_elo, chess.result_code(result), lower(dates), \
    chess.last_day(dates), chess.speed_number(time_control), chess.mean_elo(white_elo, black_elo))";

/// How to load a file of `games` games with the options of a command line.
fn load<'a>(db: &'a Database<'_>, games: usize) -> impl Fn(&str) -> Program + 'a {
    let file = db.file("gen.pgn", generated(7, games));
    move |words| db.pgn("load").words(words).arg(&file)
}

/// How many indexes the table has, and for how many of them a condition holds.
fn indexes(db: &Database<'_>, condition: &str) -> String {
    db.sql(&format!(
        "SELECT count(*), count(*) FILTER (WHERE {condition}) FROM pg_indexes WHERE schemaname = 'chess' AND tablename = 'games' AND indexname ~ '(idx|gin)$'"
    ))
}

/// How many indexes of the access method there are.
fn chess_indexes(db: &Database<'_>) -> String {
    db.sql("SELECT count(*) FROM pg_indexes WHERE schemaname = 'chess' AND indexdef LIKE '%USING chess%'")
}

/// The names of the GIN indexes.
fn gins(db: &Database<'_>) -> Vec<String> {
    db.rows("SELECT indexname FROM pg_indexes WHERE schemaname = 'chess' AND indexdef LIKE '%USING gin%' ORDER BY 1")
}

#[test]
#[ignore = "needs a server"]
fn a_load_makes_ten_indexes() {
    let db = Database::with_extension("nine");
    load(&db, 100)("--index").succeeds();
    assert_eq!(indexes(&db, &format!("indexdef LIKE '%{COLUMNS}'")), "11|1", "one for positions");
}

/// Indexes of a user that have names of the program's, but other definitions.
#[test]
#[ignore = "needs a server"]
fn no_index_of_the_user_is_replaced() {
    let db = Database::with_extension("same_names");
    load(&db, 100)("").succeeds();
    for mine in [
        "games_game_gin ON chess.games USING gin (game) WITH (fastupdate = off)",
        "games_game_chess ON chess.games USING chess (game, white_elo)",
        "games_game_idx ON chess.games (game) WHERE result = '1-0'",
        "games_white_elo_idx ON chess.games (white_elo DESC)",
        "games_black_elo_idx ON chess.games (black_elo) INCLUDE (white_elo)",
        "games_dates_idx ON chess.games USING gist (dates)",
    ] {
        db.sql(&format!("CREATE INDEX {mine}"));
    }
    db.sql("CREATE SCHEMA other; CREATE TABLE other.games AS SELECT * FROM chess.games");
    let migrate = |words: &str| db.pgn("migrate").words(words).succeeds();
    let all = || {
        db.sql("SELECT string_agg(indexdef, '; ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'chess' AND indexname ~ 'game_(gin|chess|idx)|(elo|dates)_idx'")
    };
    let before = all();
    assert!(!migrate("").contains("can replace"));
    let done = migrate("--index");
    assert!(done.contains("index games_chess_idx (chess) in ") && !done.contains("dropped"), "{done}");
    assert_eq!(all(), before);
    // An index of the same name on another table of the schema is not the program's.
    db.sql("DROP INDEX chess.games_white_elo_idx; CREATE TABLE chess.mine (white_elo integer); CREATE INDEX games_white_elo_idx ON chess.mine (white_elo)");
    assert!(!migrate("--index").contains("dropped"));
    // an index that does not replace others
    db.sql("DROP INDEX chess.games_chess_idx, chess.games_black_elo_idx; CREATE INDEX games_black_elo_idx ON chess.games (black_elo)");
    for (made, undone) in [
        (
            "CREATE INDEX games_chess_idx ON chess.games USING chess (game) WHERE result = '1-0'",
            "INDEX chess.games_chess_idx",
        ),
        (
            "CREATE INDEX games_chess_idx ON chess.games USING chess (getFirstMoves(game, 1))",
            "INDEX chess.games_chess_idx",
        ),
        (
            "CREATE TABLE chess.other (game chessgame); CREATE INDEX games_chess_idx ON chess.other USING chess (game)",
            "TABLE chess.other",
        ),
        ("CREATE VIEW chess.games_chess_idx AS SELECT 1", "VIEW chess.games_chess_idx"),
        ("CREATE TYPE chess.games_chess_idx AS (n integer)", "TYPE chess.games_chess_idx"),
    ] {
        db.sql(made);
        let refused = db.pgn("migrate --index").fails();
        assert!(refused.contains("games_chess_idx is not an index of all games"), "{made}: {refused}");
        db.sql(&format!("DROP {undone}"));
    }
    db.sql("DROP INDEX chess.games_dates_idx; CREATE INDEX games_dates_idx ON chess.games USING spgist (dates)");
    assert!(
        migrate("--index").contains("dropped games_black_elo_idx\ndropped games_dates_idx"),
        "the program made them so"
    );
}

/// What has the name of an index of the program, and is none, stays, and the user learns of it.
#[test]
#[ignore = "needs a server"]
fn namesakes_are_named_and_stay() {
    let db = Database::with_extension("namesakes");
    let load = load(&db, 100);
    load("").succeeds();
    db.sql(
        "CREATE INDEX games_white_id_idx ON chess.games (black_id); CREATE TABLE chess.games_ratings_idx (n integer);
         CREATE VIEW chess.games_result_idx AS SELECT 1; CREATE TABLE chess.mine (n integer);
         CREATE INDEX games_ply_count_idx ON chess.mine (n); CREATE INDEX games_event_id_idx ON chess.games USING hash (event_id);
         CREATE INDEX games_latest_idx ON chess.games (lower(dates), id); CREATE TABLE chess.games_equal_hash (n integer);
         CREATE INDEX games_black_id_idx ON chess.games (black_id) WHERE result = '1-0';
         UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.games_white_id_idx'::regclass;
         ALTER TABLE chess.games DROP CONSTRAINT games_site_id_fkey, ADD CONSTRAINT games_site_id_fkey CHECK (site_id > -5)",
    );
    let all = || {
        db.sql("SELECT string_agg(c.oid || pg_get_indexdef(c.oid), '; ' ORDER BY c.oid) FROM pg_class c WHERE relname ~ 'games_.*_(idx|hash)' AND relkind <> 'i' OR relname ~ '(white_id|ply_count|event_id|latest|black_id)_idx'")
    };
    let before = all();
    let said = load("--index --dedupe").succeeds();
    for (name, what) in [
        ("games_white_id_idx", "another index (btree (black_id))"),
        ("games_ratings_idx", "a table"),
        ("games_result_idx", "a view"),
        ("games_ply_count_idx", "an index of chess.mine"),
        ("games_event_id_idx", "another index (hash (event_id))"),
        ("games_latest_idx", "another index (btree (lower(dates), id))"),
        ("games_black_id_idx", "another index (btree (black_id) WHERE (result = '1-0'::text))"),
        ("games_equal_hash", "a table"),
    ] {
        let line = format!("index {name} is missing, because {what} has its name: rename that one");
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    let key = "no foreign key from games.site_id to sites: another constraint has the name games_site_id_fkey: rename that one";
    assert!(said.contains(key) && !said.contains("dropped"), "{said}");
    assert_eq!(all(), before);
    assert!(load("--index").succeeds().contains("there already: games_"));

    let said = db.pgn("doctor").fails();
    assert!(said.contains("wrong: index games_ratings_idx is missing, because a table has its name"), "{said}");
    for remedy in said.lines().map(str::trim).filter(|line| line.contains(" RENAME TO ")) {
        remedy.trim_end_matches(';').split("; ").for_each(|statement| _ = db.sql(statement));
    }
    let said = db.pgn("doctor").output();
    assert!(!said.stdout.contains("games_ratings_idx") && !said.stdout.contains("has its name"), "{}", said.stdout);
}

/// Two jobs create indexes in two sessions, neither of which waits for the other.
#[test]
#[ignore = "needs a server"]
fn two_sessions_create_indexes() {
    let db = Database::with_extension("two_sessions");
    let load = load(&db, 100);
    load("").succeeds();
    let mut writer = db.session();
    writer.sql("BEGIN; LOCK TABLE chess.games IN ROW EXCLUSIVE MODE");
    let mut program = load("--index --jobs 2").spawn();
    let waits = "datname = current_database() AND query LIKE 'LOCK TABLE%' AND wait_event_type = 'Lock'";
    let both = format!("{waits} AND (SELECT count(*) FROM pg_stat_activity WHERE {waits}) = 2");
    db.wait_for_activity("two sessions that create indexes", &both, Some(&mut program));
    writer.sql("COMMIT");
    let said = program.ends(0);
    let numbers = said.lines().filter_map(|line| line.strip_prefix("index ")?.split_once(" of 11: games_"));
    let mut numbers: Vec<u32> = numbers.map(|(number, _)| number.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=11).collect::<Vec<_>>(), "{said}");
    assert_eq!(indexes(&db, &format!("indexdef LIKE '%{COLUMNS}'")), "11|1");
}

#[test]
#[ignore = "needs a server"]
fn no_second_index_of_positions_is_made_unasked() {
    let db = Database::with_extension("second_index");
    let load = load(&db, 4000);
    load("--index=gin").succeeds();
    assert_eq!(indexes(&db, "indexdef LIKE '%USING gin (game)'"), "14|1", "fourteen, one of them GIN");
    let said = load("--index").succeeds();
    assert_eq!(chess_indexes(&db), "0");
    let told = said.lines().filter(|line| {
        line.starts_with("positions are indexed already: games_game_gin (chessgame_ops, ")
            && line.contains(" MB); --index=chess ")
            && line.contains(" about 1 MB more")
    });
    assert_eq!(told.count(), 1, "what is there and what another costs is said: {said}");
    let said = load("--index=chess").succeeds();
    assert_eq!((gins(&db), chess_indexes(&db)), (vec!["games_game_gin".to_owned()], "1".to_owned()));
    assert_eq!(said.matches("about 1 MB more").count(), 1, "its cost is said before: {said}");
    assert!(
        said.lines().any(|line| line.starts_with("index games_chess_idx is created beside games_game_gin")),
        "{said}"
    );
    let said = load("--index=chess").succeeds();
    assert!(!said.contains("MB more"), "once it is there, nothing is said of costs: {said}");
    let known = said.lines().find(|line| line.starts_with("indexes that are there already: "));
    assert!(known.is_some_and(|known| known.contains("games_chess_idx")), "what is there is not made again: {said}");
    assert_eq!(said.lines().find(|line| line.starts_with("index ")), None);
}

/// Indexes that look as if they were of positions, and are of other things.
#[test]
#[ignore = "needs a server"]
fn an_index_of_something_else_is_none_of_positions() {
    let db = Database::with_extension("something_else");
    let load = load(&db, 100);
    load("").succeeds();
    db.sql(
        "CREATE INDEX first_moves ON chess.games USING chess (getFirstMoves(game, 10));
         CREATE INDEX tags ON chess.games USING gin (tags)",
    );
    let said = db.pgn("doctor").fails();
    assert!(said.contains("wrong: index games_chess_idx is missing"), "{said}");
    let said = load("--index").succeeds();
    assert!(said.contains("games_chess_idx (chess) in "), "{said}");
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index");
    // one of positions, by which the explorer does not answer
    for there in ["mine", "games_chess_idx"] {
        db.sql(&format!("DROP INDEX chess.games_chess_idx; CREATE INDEX {there} ON chess.games USING chess (game)"));
        let said = db.pgn("doctor").output().stdout;
        let remedy = said.lines().skip_while(|line| !line.contains("by which the explorer answers")).nth(1);
        let remedy = remedy.unwrap_or_else(|| panic!("{said}"));
        remedy.trim().trim_end_matches(';').split("; ").for_each(|statement| _ = db.sql(statement));
        assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index");
        assert!(!db.pgn("doctor").output().stdout.contains("by which the explorer answers"));
    }
}

#[test]
#[ignore = "needs a server"]
fn one_index_replaces_others() {
    let db = Database::with_extension("replaced");
    let load = load(&db, 400);
    load("--index=gin").succeeds();
    let migrate = |words: &str| db.pgn("migrate").words(words).succeeds();
    let advice = migrate("");
    assert!(
        advice.contains(" MB can replace games_black_elo_idx, games_game_gin, games_game_idx, games_white_elo_idx (")
            && advice.contains("chess-pgn migrate --index"),
        "{advice}"
    );
    assert_eq!(gins(&db), ["games_game_gin"], "nothing is dropped unasked");
    db.sql("CREATE INDEX mine ON chess.games USING gin (game); CREATE INDEX games_game_chess ON chess.games USING chess (game)");
    let done = migrate("--index");
    assert!(done.contains("index games_chess_idx (chess) in ") && done.contains("dropped games_game_gin"), "{done}");
    assert!(done.contains("dropped games_game_chess"), "one without attributes: {done}");
    assert_eq!(gins(&db), ["mine"], "an index of the user's stays");
    for name in ["games_game_idx", "games_white_elo_idx", "games_black_elo_idx"] {
        assert!(done.contains(&format!("dropped {name}")), "openings and ratings are in the index: {done}");
    }
    assert_eq!(indexes(&db, &format!("indexdef LIKE '%{COLUMNS}'")), "11|1");
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index");
    assert!(!migrate("").contains("can replace"));
    assert!(!migrate("--index").contains("index games_chess_idx"), "it is not built again");
    db.sql("DROP INDEX chess.games_event_id_idx");
    let done = migrate("--index");
    assert!(done.contains("index games_event_id_idx (btree) in "), "one that earlier versions did not have: {done}");
    assert_eq!(indexes(&db, "indexdef LIKE '%(event_id)'"), "11|1");
    // what an interrupted CREATE INDEX CONCURRENTLY leaves
    db.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.games_chess_idx'::regclass");
    assert!(migrate("--index").contains("index games_chess_idx (chess) in "));
    assert_eq!(db.sql("SELECT indisvalid FROM pg_index WHERE indexrelid = 'chess.games_chess_idx'::regclass"), "t");
    db.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'chess.games_chess_idx'::regclass");
    let said = load("--index=chess").succeeds();
    assert!(said.contains("dropped games_chess_idx, which was not finished"), "{said}");
    assert!(said.contains("index 1 of 1: games_chess_idx (chess) in "), "{said}");
    assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index");
}

/// A second run does not drop what the first has not finished, nor does it wait where the first waits for it: a load would,
/// in its ANALYZE.
#[test]
#[ignore = "needs a server"]
fn runs_that_create_indexes_follow_each_other() {
    let db = Database::with_extension("two_migrations");
    let load = load(&db, 100);
    load("--index=gin").succeeds();
    let mut writer = db.session();
    writer.sql("BEGIN; LOCK TABLE chess.games IN ROW EXCLUSIVE MODE");
    let mut first = db.pgn("migrate --index").spawn();
    db.wait_for_activity(
        "CREATE INDEX CONCURRENTLY, which waits for the writer",
        "query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'",
        Some(&mut first),
    );
    let asks = "query LIKE 'SELECT pg_catalog.pg_try_advisory_lock(%chess-pgn indexes%'";
    let mut second = db.pgn("migrate --index").spawn();
    db.wait_for_activity("the second run", asks, Some(&mut second));
    let mut third = load("").spawn();
    db.wait_for_activity(
        "a load",
        &format!("{asks} AND (SELECT count(*) FROM pg_stat_activity WHERE {asks}) > 1"),
        Some(&mut third),
    );
    writer.sql("COMMIT");
    let said = first.ends(0);
    assert!(said.contains("index games_chess_idx (chess) in ") && said.contains("dropped games_game_gin"), "{said}");
    let said = second.ends(0);
    assert!(said.contains("waiting for it") && !said.contains("index games_chess_idx"), "{said}");
    let said = third.ends(0);
    assert!(said.contains("waiting for it"), "{said}");
    assert_eq!(indexes(&db, &format!("indexdef LIKE '%{COLUMNS}'")), "11|1");
    assert_eq!(db.sql("SELECT count(*) FROM pg_index WHERE NOT indisvalid"), "0");
    let held = "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database()";
    assert_eq!(db.sql(held), "0");
}

#[test]
#[ignore = "needs a server"]
fn one_index_replaces_those_of_partitions() {
    let db = Database::with_extension("replaced_parts");
    db.pgn("schema --partition-by id:3").succeeds();
    load(&db, 300)("--index=gin").succeeds();
    db.pgn("migrate --index").succeeds();
    assert_eq!(gins(&db), [""; 0]);
    let found = "SELECT count(*) FROM chess.games WHERE hasBoard(game, finalBoard('1. e4'))";
    let by_index = db.sql(&format!("SET enable_seqscan = off; {found}"));
    assert_eq!(by_index, db.sql(&format!("SET enable_bitmapscan = off; SET enable_indexscan = off; {found}")));
}

/// A circle like that of REINDEX CONCURRENTLY: ANALYZE waits for a lock on its table, whose session waits for a builder of
/// an index, which waits for the snapshot of ANALYZE. Nobody waits for the snapshot of VACUUM, so the lock is taken between
/// the two steps of VACUUM (ANALYZE), by a session that has queued up for it behind the first.
#[test]
#[ignore = "needs a server"]
fn a_load_goes_on_after_a_deadlock() {
    let db = Database::with_extension("deadlock");
    load(&db, 50)("").succeeds();
    db.sql("CREATE TABLE other (a int)");
    // Only the load looks for a deadlock, once, and so late that the circle has closed by then.
    let session = || {
        let mut session = db.session();
        session.sql("SET deadlock_timeout = '1h'; SET statement_timeout = '5min'");
        session
    };
    let (mut builder, mut holder, mut locker) = (session(), session(), session());
    let lock = "BEGIN; LOCK TABLE chess.events IN SHARE UPDATE EXCLUSIVE MODE";
    holder.sql(lock);
    let file = db.file("more.pgn", generated(8, 50));
    let mut program = db.pgn("load").arg(&file).env("PGOPTIONS", "-c deadlock_timeout=15s").spawn();
    let waits = "query LIKE 'VACUUM (ANALYZE)%events' AND wait_event_type = 'Lock'";
    db.wait_for_activity("VACUUM", waits, Some(&mut program));
    std::thread::scope(|scope| {
        let locked = scope.spawn(move || {
            locker.sql(lock);
            locker
        });
        let queued = "query LIKE 'BEGIN; LOCK%' AND wait_event_type = 'Lock'";
        db.wait_for_activity("the lock behind it", queued, Some(&mut program));
        holder.sql("COMMIT");
        let mut locker = locked.join().expect("the lock after VACUUM");
        db.wait_for_activity("ANALYZE", waits, Some(&mut program));
        scope.spawn(move || builder.sql("CREATE INDEX CONCURRENTLY other_a ON other (a)"));
        db.wait_for_activity(
            "the builder",
            "query LIKE 'CREATE INDEX%' AND wait_event = 'virtualxid'",
            Some(&mut program),
        );
        // LOCK has no snapshot for which the builder would wait.
        locker.sql("LOCK TABLE other IN SHARE MODE; COMMIT");
    });
    let said = program.ends(0);
    let again = "VACUUM (ANALYZE) \"chess\".events: a deadlock with another session, trying again";
    assert!(said.contains(again), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "100");
}

/// Another circle: a statement of the program waits for a lock, whose session waits for a builder of an index, which waits for the
/// snapshot of the statement. A statement that creates an index waits without one; one that changes tables is tried again.
#[test]
#[ignore = "needs a server"]
fn statements_on_tables_in_use_end_no_command() {
    let all = [
        ("dedupe", "schema", "", "load --dedupe"),
        ("replace", "schema", "", "migrate --index"),
        ("parts", "schema --partition-by id:3", "", "load --index --jobs 2"),
        ("upgrade", "schema", "UPDATE chess.info SET value = '4' WHERE name = 'schema version'", "migrate"),
    ];
    std::thread::scope(|scope| {
        for (name, tables, before, command) in all {
            scope.spawn(move || circle(name, tables, before, command));
        }
    });
}

/// Closes the circle around a command.
fn circle(name: &str, tables: &str, before: &str, command: &str) {
    let db = Database::with_extension(&format!("circle_{name}"));
    db.pgn(tables).succeeds();
    load(&db, 50)("").succeeds();
    db.sql(before);
    db.sql("CREATE TABLE other (a int)");
    // Only the program looks for a deadlock, once, and so late that the circle has closed by then.
    let session = || {
        let mut session = db.session();
        session.sql("SET deadlock_timeout = '1h'; SET statement_timeout = '5min'");
        session
    };
    let (mut builder, mut holder) = (session(), session());
    holder.sql("BEGIN; LOCK TABLE chess.games IN SHARE UPDATE EXCLUSIVE MODE");
    let program = db.pgn(command).env("PGOPTIONS", "-c deadlock_timeout=15s");
    let mut program =
        if command.starts_with("load") { program.arg(db.file("more.pgn", generated(8, 50))) } else { program }.spawn();
    let waits = "wait_event_type = 'Lock' AND wait_event = 'relation'";
    db.wait_for_activity("the program", waits, Some(&mut program));
    std::thread::scope(|scope| {
        let built = scope.spawn(move || builder.sql("CREATE INDEX CONCURRENTLY other_a ON other (a)"));
        wait_for("the builder, which waits or is done", || {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'virtualxid'";
            built.is_finished() || db.sql(waits) == "1"
        });
        holder.sql("LOCK TABLE other IN SHARE MODE; COMMIT");
    });
    program.ends(0);
}

/// Each wants to create the index of equal games.
#[test]
#[ignore = "needs a server"]
fn first_loads_without_duplicates_run_at_once() {
    let db = Database::with_extension("first_loads");
    load(&db, 50)("").succeeds();
    let mut writer = db.session();
    writer.sql("BEGIN; LOCK TABLE chess.games IN SHARE UPDATE EXCLUSIVE MODE");
    let files = [8, 9].map(|seed| db.file(&format!("{seed}.pgn"), generated(seed, 50)));
    let loads = files.map(|file| db.pgn("load --dedupe").arg(file).spawn());
    let waits = "datname = current_database() AND (wait_event = 'relation' OR query LIKE 'SELECT pg_catalog.pg_try_advisory_lock(%chess-pgn indexes%')";
    let both = format!("{waits} AND (SELECT count(*) FROM pg_stat_activity WHERE {waits}) > 1");
    db.wait_for_activity("two loads", &both, None);
    writer.sql("COMMIT");
    for load in loads {
        load.ends(0);
    }
    assert_eq!(db.sql("SELECT count(*) FROM pg_indexes WHERE indexname = 'games_equal_hash'"), "1");
}
