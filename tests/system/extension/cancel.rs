//! Every kind of long work ends within a second of `pg_cancel_backend`; but for one, see below. The delay before it and the time
//! to the end are processor time of the backend, so that other load does not matter. Work that ends before the delay is cancelled
//! earlier. In: `SCALE` times 8,000 games, `MEGABYTES` of PGN.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use chess_system::{Client, Database, Refusal, number, supply, tool};

use crate::{proc, run, server};

/// Processor time that a process has taken, in ms.
fn taken(pid: &str) -> i64 {
    static TICKS_PER_SECOND: LazyLock<i64> =
        LazyLock::new(|| tool("getconf").arg("CLK_TCK").writes().trim().parse().expect("CLK_TCK"));
    let stat = proc(pid, "stat");
    // the name of the program, in parentheses, may have spaces; user and system time follow in fields 14 and 15
    let (_, fields) = stat.rsplit_once(") ").expect("fields");
    let ticks: i64 = fields.split(' ').skip(11).take(2).map(|field| field.parse::<i64>().expect("ticks")).sum();
    ticks * 1000 / *TICKS_PER_SECOND
}

/// Cancels a statement after `delay` ms of work. Returns the ms until its end, or how it ended before.
fn attempt(db: &Client, statement: &str, delay: i64) -> Result<i64, Result<Vec<String>, Refusal>> {
    let mut worker = db.session();
    worker.sql("SET enable_indexscan = off");
    let pid = worker.sql("SELECT pg_backend_pid()");
    let over = AtomicBool::new(false);
    let begun = taken(&pid);
    thread::scope(|scope| {
        let cancelling = scope.spawn(|| {
            while taken(&pid) < begun + delay {
                if over.load(Ordering::Relaxed) {
                    return None;
                }
                thread::sleep(Duration::from_millis(10));
            }
            let before = taken(&pid);
            db.sql(&format!("SELECT pg_cancel_backend({pid})"));
            Some(before)
        });
        let ended = worker.attempt(statement);
        over.store(true, Ordering::Relaxed);
        let after = taken(&pid);
        match (cancelling.join().expect("the cancelling thread"), &ended) {
            (Some(before), Err(refusal)) if refusal.code == "57014" => Ok(after - before),
            _ => Err(ended),
        }
    })
}

/// Cancels a statement after `delay` ms of work, or sooner if it ends before. Returns the ms until its end.
#[track_caller]
fn cancelled(db: &Client, statement: &str, delay: i64) -> i64 {
    let mut delay = delay;
    loop {
        match attempt(db, statement, delay) {
            Ok(took) => {
                println!("{took:5} ms: {statement:.100}");
                return took;
            }
            Err(ended) => {
                delay /= 2;
                // a shorter delay would be hardly any work
                assert!(delay >= 10, "ended before it was cancelled, by {ended:?}: {statement}");
            }
        }
    }
}

#[track_caller]
fn within(most: i64, db: &Client, statement: &str, delay: i64) {
    let took = cancelled(db, statement, delay);
    assert!(took <= most, "{took} ms, more than {most}: {statement}");
}

/// A server with a table of many games.
fn with_many(check: impl FnOnce(&Database<'_>)) {
    let server = server(&[]);
    let db = Database::on(&server, "chess");
    supply(&db, 8000, 10);
    let scale = number("SCALE", 40);
    db.sql(&format!("CREATE TABLE many AS SELECT s.game FROM supply AS s, generate_series(1, {scale})"));
    db.sql("CREATE TABLE long_games AS SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', 500000)::chessgame AS game");
    check(&db);
}

/// What is asked of many games.
#[test]
#[ignore = "needs a server"]
fn searches_and_builds() {
    with_many(|db| {
        let board = "getboard('1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5', 7)";
        // different parts, so that none is computed once and shared
        let parts: String = ["a", "b", "c", "d"]
            .iter()
            .flat_map(|file| {
                [3, 4, 5].map(|rank| format!("shift(between(.[{file}{rank}-h6], near(N{file}{rank}, 1..2))) + "))
            })
            .collect();
        db.sql(&format!(
            "CREATE FUNCTION pattern(n int) RETURNS text LANGUAGE sql AS $$ SELECT '{parts}halfmove = ' || n $$"
        ));
        for (delay, statement) in [
            (500, &*format!("SELECT count(*) FROM many AS a, generate_series(100, 200) AS n WHERE hasboard(game, {board}, n)")),
            (500, "SELECT count(*) FROM many AS a, (SELECT getboard(game, 0) AS b FROM many) AS b WHERE hasboard(game, b)"),
            (500, &format!("SELECT count(*) FROM many AS a, generate_series(100, 200) AS n WHERE haspieces(game, {board}, n)")),
            (500, "SELECT count(game::text) FROM many"),
            (500, "SELECT count(game::text::chessgame) FROM many"),
            (500, "SELECT DISTINCT game FROM many, generate_series(1, 100)"),
            (100, "CREATE INDEX ON many (game)"),
            (1000, "CREATE INDEX ON many USING gin (game)"),
            (1000, "CREATE INDEX ON many USING chess (game)"),
            (1000, "CREATE INDEX ON many USING chess (game) WITH (patterns = off, sums = 0)"),
            (500, "SELECT count(pattern(n)::chesspattern) FROM generate_series(1, 1000000) AS n"),
            (1000, "SELECT count(*) FROM long_games WHERE game @@ pattern(1)::chesspattern"),
            (1000, "ALTER TABLE many ALTER game SET STATISTICS 10000; ANALYZE many"),
            (
                2000,
                "SELECT count(*) FROM many
                 WHERE game && (SELECT array_agg(getboard('1. a3 a6 2. h3', 3)) FROM generate_series(1, 1000000))",
            ),
            (
                500,
                "SELECT count(hasboard(game, '4k3/8/8/8/8/8/8/4K3 w - - 0 1')), count(hasboard(game, getboard('1. Nc3', 1)))
                 FROM long_games, generate_series(1, 100000)",
            ),
        ] {
            within(1000, db, statement, delay);
        }
        // in one sort, which begins when all games are read
        db.sql("CREATE TABLE sorted AS SELECT game FROM many LIMIT 100000");
        let sorting = "SET maintenance_work_mem = '8GB'; CREATE INDEX ON sorted USING chess (game) WITH (patterns = off, sums = 0)";
        for delay in [2000, 2500, 3000, 3500] {
            within(250, db, sorting, delay);
        }
    });
}

/// Arrays of boards that differ, as they are read: by the scan, by each index, by the planner.
#[test]
#[ignore = "needs a server"]
fn arrays_of_boards() {
    with_many(|db| {
        run(
            db,
            &[
                "CREATE TABLE boards AS SELECT array_agg(format('4k3/8/8/8/8/8/4P3/4K3 w - - %s %s', n % 1000, n / 1000)::chessboard) AS a
                 FROM generate_series(1, 3000000) AS n",
                "ALTER TABLE boards ALTER a SET STORAGE EXTERNAL",
                "CREATE TABLE different AS SELECT array_agg(getboard(game, n)) AS a
                 FROM (SELECT game FROM supply LIMIT 4000) AS s, generate_series(0, plycount(game)) AS n",
                "CREATE TABLE few AS SELECT game FROM supply LIMIT 100",
                "CREATE INDEX few_gin ON few USING gin (game)",
                "ANALYZE few",
            ],
        );
        for operator in ["@>>", "&&"] {
            within(250, db, &format!("SELECT count(*) FROM many, boards WHERE game {operator} a"), 300);
        }
        for operator in ["@>>", "&&"] {
            let many = "FROM few, different, generate_series(1, 1000) WHERE game";
            within(250, db, &format!("SET enable_seqscan = off; SELECT count(*) {many} {operator} a"), 500);
        }
    });
}

/// Texts of a hundred megabytes, and games of millions of half-moves.
#[test]
#[ignore = "needs a server"]
fn long_texts_and_long_games() {
    let megabytes = u64::from(number("MEGABYTES", 100));
    let server = server(&[]);
    let db = Database::on(&server, "chess");
    supply(&db, 8000, 10);
    run(
        &db,
        &[
            "CREATE TABLE texts (name text, value text)",
            "ALTER TABLE texts ALTER value SET STORAGE EXTERNAL",
            r#"INSERT INTO texts SELECT 'moves', string_agg(E'[White "A"]\n\n' || game::text || E' *\n', E'\n') FROM supply"#,
            &format!("UPDATE texts SET value = repeat(value, 1 + {megabytes} * 1000000 / length(value))"),
            &format!(
                "INSERT INTO texts VALUES ('variation', '1. e4 ' || repeat('(1. d4 d5) ', {}) || 'e5 *'),
                 ('long', repeat('Nf3 Nf6 Ng1 Ng8 ', {})),
                 ('comment', '1. e4 {{' || repeat('[%csl Ra1] word ', {}) || '}} e5 *'),
                 ('deep', '1. e4 ' || repeat('(1. d4 ', {deep}) || repeat(')', {deep}) || ' e5 *'),
                 ('tags', repeat('[A \"b\"]' || chr(10), {}) || '1. e4 *')",
                megabytes * 100_000,
                megabytes * 62_500,
                megabytes * 60_000,
                megabytes * 100_000,
                deep = megabytes * 70_000,
            ),
            "CREATE TABLE longest_game AS SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', 5000000)::chessgame AS game",
            "CREATE TABLE codes AS SELECT moves2(game) AS codes FROM longest_game",
        ],
    );
    within(1000, &db, "SELECT count(*) FROM texts, pgngames(value) WHERE name = 'moves'", 500);
    // one call each, cancelled during its work
    let of = |question: &str, names: &[&str], delay| {
        for name in names {
            within(1000, &db, &format!("{question} WHERE name = '{name}'"), delay);
        }
    };
    of("SELECT count(*) FROM texts, pgngames(value)", &["variation", "long", "tags"], 200);
    of("SELECT plycount(value::chessgame) FROM texts", &["variation", "long"], 200);
    of("SELECT count(*) FROM texts, annotations('', value)", &["variation", "long", "comment", "deep"], 200);
    of("SELECT pgn('1. e4 e5', '{}', value) FROM texts", &["variation", "long", "comment", "deep"], 100);
    of("SELECT count(*) FROM texts, variations('', value)", &["variation"], 200);
    of(
        "SELECT count(svgboard(startboard(), drawings => value)) FROM texts, generate_series(1, 100) AS n",
        &["comment"],
        200,
    );
    within(1000, &db, "SELECT plycount(frommoves2(codes)) FROM codes", 200);
    run(
        &db,
        &[
            "CREATE TABLE tags AS SELECT jsonb_build_object('A', jsonb_agg(n::text)) AS tags FROM generate_series(1, 4000000) AS n",
            "CREATE TABLE named AS SELECT string_agg(format('[A%s \"b\"]', n), E'\\n') || ' 1. e4 *' AS value
             FROM generate_series(1, 400000) AS n",
        ],
    );
    for call in ["pgn('1. e4 e5', tags)", "pgn('1. e4 e5', tags, '1. e4 e5')"] {
        within(250, &db, &format!("SELECT length({call}) FROM tags"), 200);
    }
    within(250, &db, "SELECT count(tags) FROM named, pgngames(value)", 200);
    within(1000, &db, "SELECT count(game::text) FROM longest_game", 200);
    let nearest = "SELECT min(game <-> '8/8/8/8/8/8/8/8 w - -') FROM longest_game, generate_series(1, 1000)";
    within(250, &db, nearest, 200);
}

/// The calls of the extension's functions, aggregates and input functions with a text at `$1`, one for each argument that can be
/// one. The other arguments are short.
const CALLS_WITH_TEXT: &str = r#"
    WITH ours AS (
        SELECT classid, objid FROM pg_depend JOIN pg_extension AS e ON refobjid = e.oid AND extname = 'chess'
        WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'),
    calls AS (
        SELECT p.oid, (
            SELECT string_agg(CASE
                WHEN i = n THEN CASE type WHEN 'jsonb' THEN 'jsonb_build_object(''A'', $1)' WHEN 'text[]' THEN 'ARRAY[$1]' ELSE '$1' END
                ELSE CASE type
                    WHEN 'text' THEN '''w'''
                    WHEN 'chessboard' THEN 'startboard()'
                    WHEN 'chessgame' THEN '''1. e4 e5''::chessgame'
                    WHEN 'regclass' THEN '''pg_class''::regclass'
                    WHEN 'date' THEN '''2000-01-01''::date'
                    WHEN 'boolean' THEN 'true'
                    WHEN 'integer' THEN '1'
                    WHEN 'bigint' THEN '1::bigint'
                    ELSE CASE WHEN type LIKE '%[]' OR type = 'jsonb' THEN '''{}''::' || type ELSE 'NULL::' || type END END
                END, ', ' ORDER BY i)
            FROM unnest(p.proargtypes) WITH ORDINALITY AS a (oid, i), format_type(a.oid, NULL) AS type) AS arguments
        FROM ours JOIN pg_proc AS p ON objid = p.oid AND classid = 'pg_proc'::regclass,
            unnest(p.proargtypes) WITH ORDINALITY AS argument (type, n)
        WHERE argument.type = ANY ('{text,text[],jsonb}'::regtype[]) AND NOT 'internal'::regtype = ANY (p.proargtypes))
    SELECT format('%s(%s)', oid::regproc, arguments) FROM calls
    UNION ALL SELECT format('$1::%s', t.oid::regtype) FROM ours JOIN pg_type AS t ON objid = t.oid AND classid = 'pg_type'::regclass
        WHERE typtype = 'b' AND typcategory <> 'A'
    ORDER BY 1"#;

/// A text of tens of megabytes is refused at once, or reading it can be cancelled, whatever reads it and whatever it consists of.
/// On a slow or busy machine the text alone takes most of the time, so what a call may take is counted in times of a checksum.
#[test]
#[ignore = "needs a server"]
fn long_texts_as_any_argument() {
    const BYTES: usize = 60_000_000;
    const MOST_MS: i64 = 450;
    let server = server(&[]);
    let db = Database::on(&server, "chess");
    db.sql("CREATE EXTENSION chess");
    let calls = db.rows(CALLS_WITH_TEXT);
    assert!(calls.len() > 40, "{calls:?}");
    let mut late = Vec::new();
    for call in &calls {
        let mut session = db.session();
        session.sql("SET statement_timeout = '100ms'");
        let pid = session.sql("SELECT pg_backend_pid()");
        for letters in ["(", " ", "P", "1:", "1-", "8/", "{", "1. e4 ", "\u{a0}"] {
            let text = format!("repeat(repeat('{letters}', 1000), {})", BYTES / letters.len() / 1000);
            let statement = format!("SELECT count(x) FROM (SELECT {} AS x OFFSET 0) AS s", call.replace("$1", &text));
            let begun = taken(&pid);
            let ended = session.attempt(&statement);
            let took = taken(&pid) - begun;
            println!("{took:5} ms: {call} of {letters:?}");
            if took <= MOST_MS {
                continue;
            }
            session.sql("SET statement_timeout = 0");
            let begun = taken(&pid);
            session.sql(&format!("SELECT md5({text})"));
            let checksum = taken(&pid) - begun;
            session.sql("SET statement_timeout = '100ms'");
            println!("{checksum:5} ms: its checksum");
            if took > 4 * checksum {
                late.push(format!("{took} ms, {call} of {letters:?}: {ended:.100?}"));
            }
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// A game of 1,176,490 half-moves and as many positions, all different: six rooks, each on its file from rank 1 to 7, and the
/// white king count through all they can be, a step each move; the black king goes to and fro.
const WIDE_GAME: &str = "CREATE FUNCTION steps() RETURNS SETOF text LANGUAGE plpgsql AS $$
    DECLARE
      at int[] := '{0,0,0,0,0,0,0}'; step int[] := '{1,1,1,1,1,1,1}'; last int[] := '{6,6,6,6,6,6,4}'; letters text := 'abcdefh';
      j int; place text; n int := 0;
    BEGIN
      LOOP
        j := 1;
        WHILE j <= 7 AND at[j] + step[j] NOT BETWEEN 0 AND last[j] LOOP step[j] := -step[j]; j := j + 1; END LOOP;
        EXIT WHEN j > 7;
        place := substr(letters, j, 1) || at[j] + 1;
        at[j] := at[j] + step[j];
        n := n + 1;
        RETURN NEXT place || substr(letters, j, 1) || at[j] + 1 || CASE n % 2 WHEN 1 THEN ' g8h8' ELSE ' h8g8' END;
      END LOOP;
    END $$;
    CREATE TABLE wide_game AS SELECT fromuci('fen 6k1/6pp/8/8/8/8/8/RRRRRR1K w - - 0 1 moves ' ||
     (SELECT string_agg(m, ' ' ORDER BY n) FROM steps() WITH ORDINALITY AS s (m, n))) AS game";

#[test]
#[ignore = "needs a server"]
fn keys_of_huge_games() {
    let server = server(&[]);
    let db = Database::on(&server, "chess");
    run(
        &db,
        &[
            "CREATE EXTENSION chess",
            "CREATE TABLE big AS SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', 500000)::chessgame AS game FROM generate_series(1, 60)",
            WIDE_GAME,
            "CREATE TABLE wide_games (game chessgame)",
            "CREATE INDEX wide_gin ON wide_games USING gin (game)",
        ],
    );
    within(1000, &db, "CREATE INDEX ON big USING gin (game)", 1000);
    let wide = "INSERT INTO wide_games SELECT game FROM wide_game, generate_series(1, 100)";
    within(1000, &db, wide, 1000);
    // Without a pending list PostgreSQL inserts the keys of one row one after the other and cannot be interrupted; how long
    // that takes is shown by an array of as many numbers.
    run(
        &db,
        &[
            "ALTER INDEX wide_gin SET (fastupdate = off)",
            "CREATE TABLE arrays AS SELECT array_agg((random() * 9e18)::bigint) AS a FROM generate_series(1, 1176490)",
            "CREATE TABLE wide_arrays (a bigint[])",
            "CREATE INDEX ON wide_arrays USING gin (a) WITH (fastupdate = off)",
        ],
    );
    let theirs = cancelled(&db, "INSERT INTO wide_arrays SELECT a FROM arrays, generate_series(1, 100)", 1000);
    within(1000.max(2 * theirs), &db, wide, 1000);
    run(&db, &["DROP INDEX wide_gin", "INSERT INTO wide_games SELECT game FROM wide_game, generate_series(1, 20)"]);
    within(1000, &db, "CREATE INDEX ON wide_games USING gin (game)", 1000);
}

/// A statement whose time ends during a flush has done the flush, so that the next one need not begin it again.
#[test]
#[ignore = "needs a server"]
fn statements_shorter_than_a_flush_finish_one() {
    let db = Database::new("short_statements");
    supply(&db, 8000, 10);
    run(
        &db,
        &[
            "CREATE TABLE short AS SELECT game FROM supply LIMIT 0",
            "CREATE INDEX short_chess ON short USING chess (game)",
        ],
    );
    let mut session = db.session();
    session.sql("SET statement_timeout = '10ms'");
    let flushed = (0..50).any(|_| {
        for n in 1..=200 {
            let _ = session.attempt(&format!(
                "INSERT INTO short SELECT game FROM supply WHERE id BETWEEN 20 * {n} AND 20 * {n} + 50"
            ));
        }
        db.sql("SELECT count(*) >= 3 FROM chess_index_info('short_chess') WHERE part = 'segment'") == "t"
    });
    assert!(flushed, "no flush has ended");
}

/// What a `CREATE INDEX CONCURRENTLY` leaves that ended while it waited has no pages, and is not damaged.
#[test]
#[ignore = "needs a server"]
fn unfinished_indexes_are_not_valid() {
    let db = Database::with_extension("unfinished");
    db.sql("CREATE TABLE games AS SELECT '1. e4'::chessgame AS game");
    let (mut writer, mut builder) = (db.session(), db.session());
    writer.sql("BEGIN; LOCK TABLE games IN ROW EXCLUSIVE MODE");
    builder.sql("SET lock_timeout = '10ms'");
    assert_eq!(builder.refuses("CREATE INDEX CONCURRENTLY left_over ON games USING chess (game)").code, "55P03");
    for call in
        ["chess_index_info('left_over')", "chess_index_check('left_over', false)", "chess_index_merge('left_over')"]
    {
        assert_eq!(db.refuses(&format!("SELECT {call}")).code, "55000", "{call}");
    }
}
