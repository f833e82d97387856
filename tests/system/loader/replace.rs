//! A stored game is replaced by a corrected one: what it was stays, and comes back.

use std::thread;

use chess_system::{Database, generated, gzipped, zipped};

/// A game with everything that has a column, and text beside it.
const CORRECTED: &str = "[Event \"Club\"]\n[Site \"Here\"]\n[Date \"2024.02.??\"]\n[Round \"3.1\"]\n[White \"Corrected, Ann\"]\n\
    [Black \"Other, Bob\"]\n[Result \"0-1\"]\n[WhiteElo \"2100\"]\n[BlackElo \"2050\"]\n[ECO \"C20\"]\n[Annotator \"Me\"]\n\
    [TimeControl \"5400+30\"]\n\n\
    1. e4 {[%clk 1:29:50] [%eval 0.30]} e5 2. Qh5 $6 {early} (2. Nf3) Nc6 3. Bc4 Nf6 4. Qxf7# 0-1\n";

const ROW: &str =
    "SELECT to_jsonb(v) - '{id,source,source_id,source_offset}'::text[] FROM chess.pgn_view v WHERE id = ";

#[test]
#[ignore = "needs a server"]
fn a_game_is_replaced_and_comes_back() {
    let db = Database::with_extension("corrected_game");
    db.pgn("load --index").arg(db.file("gen.pgn", generated(3, 50))).succeeds();
    db.pgn("load --schema fresh --clocks --evals").arg(db.file("corrected.pgn", CORRECTED)).succeeds();
    let game = db.sql("SELECT id FROM chess.games ORDER BY id OFFSET 20 LIMIT 1");
    let row = || db.sql(&format!("{ROW}{game}"));
    let (before, source) =
        (row(), db.sql(&format!("SELECT source_id, source_offset FROM chess.games WHERE id = {game}")));
    let others = "SELECT count(*), md5(string_agg(v::text, '|' ORDER BY id)) FROM chess.pgn_view v WHERE id <> ";
    let others = || db.sql(&format!("{others}{game}"));
    let around = others();
    let replace = |words: &str| db.pgn(&format!("replace --game {game} {words}"));

    let said = replace("-").input(CORRECTED).writes();
    assert_eq!(said.trim(), format!("game {game} replaced"));
    assert_eq!(row(), db.sql(&ROW.replace("chess.", "fresh.").replace(" WHERE id = ", "")), "as a load stores it");
    let found = format!(
        "SELECT id FROM chess.games WHERE hasBoard(game, finalBoard('1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#')) AND id = {game}"
    );
    assert_eq!(db.sql(&format!("SET enable_seqscan = off; {found}")), game, "the index has it");
    assert_eq!(db.sql(&format!("SELECT source_id, source_offset FROM chess.games WHERE id = {game}")), source);
    assert_eq!(others(), around);
    let said = replace("-").input(CORRECTED).writes();
    assert_eq!(said.trim(), format!("game {game} is so already"));
    assert_eq!(
        db.sql(&format!(
            "SELECT count(*), min(changed_by) = session_user::text FROM chess.earlier_games WHERE game_id = {game}"
        )),
        "1|t"
    );

    // ranges of dates are text in the kept row
    db.sql(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET datestyle = %L', current_database(), 'SQL, DMY'); END $$",
    );
    let second = CORRECTED.replace("Corrected, Ann", "Corrected, Anna").replace("2024.02.??", "2024.03.11");
    replace("-").input(second.clone()).succeeds();
    replace("--undo").succeeds();
    db.sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET datestyle', current_database()); END $$");
    assert_eq!(row(), db.sql(&ROW.replace("chess.", "fresh.").replace(" WHERE id = ", "")), "the last state but one");
    replace("--undo").succeeds();
    assert_eq!(row(), before, "the first state");
    let said = replace("--undo").fails();
    assert!(said.contains(&format!("nothing is known of what game {game} was before")), "{said}");

    let refused = [
        ("1. e4 e5 2. Ke3 1-0", "line 1"),
        ("", "0 games instead of one"),
        ("1. e4 *\n\n1. d4 *\n", "2 games instead of one"),
    ];
    for (pgn, reason) in refused {
        let said = replace("-").input(pgn).fails();
        assert!(said.contains(reason), "{pgn:?}: {said}");
    }
    assert!(db.pgn("replace --game 0 -").input("1. e4 *").fails().contains("there is no game 0"));
    assert_eq!((row(), others()), (before, around), "nothing has changed");
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "0");

    // the file goes with all that is known of its games
    replace("-").input(second).succeeds();
    db.pgn("unload").arg(db.path("gen.pgn")).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "0");
}

/// Of those who have seen the same version one replaces it.
#[test]
#[ignore = "needs a server"]
fn only_one_replaces_a_version() {
    let db = Database::loaded("versions_of_a_game", "[White \"A\"]\n\n1. e4 e5 *\n");
    let version = db.sql("SELECT xmin FROM chess.games");
    let game = db.sql("SELECT id FROM chess.games");
    let told: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|at| {
                let program = db.pgn(&format!("replace --json --game {game} --expect {version} -"));
                scope.spawn(move || program.input(format!("[White \"B{at}\"]\n\n1. d4 *\n")).output().stdout)
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let of = |word: &str| told.iter().filter(|said| said.contains(word)).count();
    assert_eq!((of("\"done\":true"), of("\"reason\":\"changed\"")), (1, 3), "{told:?}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "1");
}

/// In SQL any change can be kept.
#[test]
#[ignore = "needs a server"]
fn a_change_in_sql_is_kept() {
    let db = Database::loaded("kept_game", "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    db.sql(
        "BEGIN; SELECT chess.keep_game(id) FROM chess.games;
         UPDATE chess.pgn_view SET white = 'Adams, Michael', result = '0-1', date = '2001.01.01'; COMMIT",
    );
    assert_eq!(db.sql("SELECT white, result, dates FROM chess.pgn_view"), "Adams, Michael|0-1|[2001-01-01,2001-01-02)");
    assert_eq!(db.sql("SELECT chess.restore_game(id) FROM chess.games"), "t");
    assert_eq!(db.sql("SELECT white, result, dates FROM chess.pgn_view"), "A|1-0|");
    assert_eq!(db.sql("SELECT chess.restore_game(id) FROM chess.games"), "f");
    // the columns of users are restored exactly, whatever the settings are
    db.sql("ALTER TABLE chess.games ADD weight float8 DEFAULT 0.1::float8 + 0.2::float8, ADD pause interval DEFAULT '-1 day 2 hours'");
    let settings = "SET extra_float_digits = -10; SET intervalstyle = sql_standard";
    db.sql(&format!("{settings}; SELECT chess.keep_game(id) FROM chess.games; RESET ALL"));
    db.sql("UPDATE chess.games SET weight = 1, pause = '1 day'; SELECT chess.restore_game(id) FROM chess.games");
    assert_eq!(db.sql("SELECT weight, pause FROM chess.games"), "0.30000000000000004|-1 days +02:00:00");
    assert!(db.refuses("SELECT chess.keep_game(0)").message.contains("there is no game 0"));
    assert!(
        db.refuses("SELECT chess.keep_game(id, '1') FROM chess.games").message.contains("has been changed meanwhile")
    );
}

/// Of those who have seen the same version one undoes its last change.
#[test]
#[ignore = "needs a server"]
fn only_one_undoes_a_version() {
    let db = Database::loaded("undone_versions", "[White \"A\"]\n\n1. e4 e5 *\n");
    let game = db.sql("SELECT id FROM chess.games");
    for white in ["B", "C", "D"] {
        db.pgn(&format!("replace --game {game} -")).input(format!("[White \"{white}\"]\n\n1. e4 e5 *\n")).succeeds();
    }
    let version = db.sql("SELECT xmin FROM chess.games");
    let told: Vec<String> = thread::scope(|scope| {
        let undo = format!("replace --json --game {game} --undo --expect {version}");
        let runs: Vec<_> = (0..3)
            .map(|_| {
                let program = db.pgn(&undo);
                scope.spawn(move || program.output().stdout)
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let of = |word: &str| told.iter().filter(|said| said.contains(word)).count();
    assert_eq!((of("\"done\":true"), of("\"reason\":\"changed\"")), (1, 2), "{told:?}");
    assert_eq!(db.sql("SELECT white FROM chess.pgn_view"), "C");
    let refusal = db.refuses(&format!("SELECT chess.restore_game(id, '{version}') FROM chess.games"));
    assert_eq!((&*refusal.code, refusal.message), ("40001", format!("game {game} has been changed meanwhile")));
}

/// Tables have more than PGN says: days without a date, tags that are no texts, comments on other moves.
#[test]
#[ignore = "needs a server"]
fn what_pgn_does_not_say_stays() {
    let db = Database::loaded("beyond_pgn", "[White \"A\"]\n[Annotator \"Me\"]\n\n1. e4 e5 2. Nf3 *\n");
    db.sql(
        "UPDATE chess.games SET dates = '[1999-01-02,1999-01-03)', annotated = '1. d4 {another game} d5 *',
            tags = tags || '{\"Number\": 7, \"Two words\": \"x\", \"List\": [1, \"a\"], \"None\": null}'",
    );
    let game = db.sql("SELECT id FROM chess.games");
    let row = "SELECT dates, date, annotated, tags::text, error, game FROM chess.pgn_view";
    let before = db.sql(row);
    // the export tells of what it leaves out
    let pgn = || db.pgn("export").output().stdout;
    let replace = |pgn: String| db.pgn(&format!("replace --game {game} -")).input(pgn);
    assert!(replace(pgn()).writes().contains("is so already"));
    replace(pgn().replace("[White \"A\"]", "[White \"B\"]")).succeeds();
    assert_eq!((db.sql(row), db.sql("SELECT white FROM chess.pgn_view")), (before.clone(), "B".into()));
    replace(pgn().replace("Annotator \"Me\"", "Annotator \"You\"")).succeeds();
    assert_eq!(db.sql(row), before.replace("Me", "You"), "one tag is another one");
    let said = replace(pgn().replace("2. Nf3", "2. Nc3")).fails();
    assert!(said.contains("has what PGN cannot express, and other moves would take it: its annotations"), "{said}");
    replace(pgn().replace("????.??.??", "2001.05.??")).succeeds();
    assert_eq!(db.sql("SELECT dates, date FROM chess.games"), "[2001-05-01,2001-06-01)|2001.05.??");

    // a game that could not be read to its end stays one
    db.pgn("load --schema broken").arg(db.file("broken.pgn", "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n\n")).succeeds();
    let error = db.sql("SELECT error FROM broken.games");
    let game = db.sql("SELECT id FROM broken.games");
    let pgn = db.pgn("export --schema broken").writes().replace("White \"A\"", "White \"B\"");
    db.pgn(&format!("replace --schema broken --game {game} -")).input(pgn).succeeds();
    assert_eq!(db.sql("SELECT white, error FROM broken.pgn_view"), format!("B|{error}"));
}

/// What is refused leaves nothing behind, neither a state nor names.
#[test]
#[ignore = "needs a server"]
fn a_refused_game_leaves_no_names() {
    let db = Database::loaded("refused_names", "[White \"A\"]\n\n1. e4 e5 *\n");
    db.sql("ALTER TABLE chess.games ADD CHECK (ply_count < 3)");
    let game = db.sql("SELECT id FROM chess.games");
    let left = "SELECT (SELECT count(*) FROM chess.players), (SELECT count(*) FROM chess.events), (SELECT count(*) FROM chess.sites),
        (SELECT count(*) FROM chess.earlier_games)";
    let before = db.sql(left);
    let other = "[Event \"New\"]\n[Site \"New\"]\n[White \"New\"]\n[WhiteFideId \"1503014\"]\n[Black \"Newer\"]\n\n1. e4 e5 2. Nf3 *\n";
    for (words, reason) in [
        (format!("--game {game}"), "refused"),
        (format!("--game {game} --expect 1"), "changed"),
        ("--game 0".into(), "missing"),
    ] {
        let said = db.pgn(&format!("replace --json {words} -")).input(other).output().stdout;
        assert!(said.contains(&format!("\"reason\":\"{reason}\"")), "{said}");
        assert_eq!(db.sql(left), before, "{reason}");
    }
    db.sql("INSERT INTO chess.players (name, fide_id) VALUES ('New, Known', 1503014)");
    db.sql("ALTER TABLE chess.games DROP CONSTRAINT games_ply_count_check");
    db.pgn(&format!("replace --game {game} -")).input(other).succeeds();
    assert_eq!(
        db.sql("SELECT white, pgn_white, event FROM chess.pgn_view"),
        "New, Known|New|New",
        "one player by his FIDE id"
    );
}

/// A load that reads the last game of a grown file anew has taken its offset, and finds it by what is kept.
#[test]
#[ignore = "needs a server"]
fn a_game_that_is_read_anew_is_not_brought_back_meanwhile() {
    let db = Database::loaded("earlier_meanwhile", "[White \"A\"]\n\n1. e4 *\n");
    db.sql("BEGIN; SELECT chess.keep_game(id) FROM chess.games; UPDATE chess.games SET round = '1'; COMMIT");
    db.sql("UPDATE chess.games SET source_offset = NULL");
    let refusal = db.refuses("SELECT chess.restore_game(id) FROM chess.games");
    assert_eq!(
        (&*refusal.code, db.sql("SELECT count(*) FROM chess.earlier_games")),
        ("40001", "1".into()),
        "{refusal:?}"
    );
    db.sql("UPDATE chess.games SET source_offset = 0");
    assert_eq!(db.sql("SELECT chess.restore_game(id) FROM chess.games"), "t");
}

/// Row-level policies of games hold for what the games were.
#[test]
#[ignore = "needs a server"]
fn policies_hold_for_earlier_states() {
    let db = Database::loaded("earlier_policies", "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n");
    db.sql(
        "BEGIN; SELECT chess.keep_game(id) FROM chess.games; UPDATE chess.games SET round = '1'; COMMIT;
         CREATE ROLE earlier_pupil; CREATE ROLE earlier_teacher;
         GRANT USAGE ON SCHEMA chess TO earlier_pupil, earlier_teacher;
         GRANT SELECT ON ALL TABLES IN SCHEMA chess TO earlier_pupil, earlier_teacher;
         GRANT UPDATE ON chess.games TO earlier_teacher; GRANT ALL ON chess.earlier_games TO earlier_teacher",
    );
    let seen = |role: &str| {
        db.sql(&format!(
            "SET ROLE {role}; SELECT string_agg(game ->> 'game', '|' ORDER BY id) FROM chess.earlier_games; RESET ROLE"
        ))
    };
    assert!(seen("earlier_pupil").ends_with("1. e4|1. d4"), "without policies");
    db.sql(
        "ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY;
         ALTER TABLE chess.earlier_games ENABLE ROW LEVEL SECURITY;
         CREATE POLICY of_seen_games ON chess.earlier_games USING (EXISTS (SELECT FROM chess.games g WHERE g.id = game_id));
         CREATE POLICY few ON chess.games USING (white_id = (SELECT id FROM chess.players WHERE name = 'A'))",
    );
    for role in ["earlier_pupil", "earlier_teacher"] {
        assert!(seen(role).ends_with("1. e4"), "{role} sees {}", seen(role));
    }
    db.sql("SET ROLE earlier_teacher; BEGIN; SELECT chess.keep_game(id) FROM chess.games; UPDATE chess.games SET round = '2'; COMMIT; RESET ROLE");
    assert_eq!(db.sql("SELECT array_agg(round ORDER BY id) FROM chess.games"), "{2,1}");
    db.sql("SET ROLE earlier_teacher; SELECT chess.restore_game(id) FROM chess.games; RESET ROLE");
    assert_eq!(db.sql("SELECT array_agg(round ORDER BY id) FROM chess.games"), "{1,1}");
    let refusal = db.refuses("SET ROLE earlier_teacher; SELECT chess.restore_game(2)");
    assert!(refusal.message.contains("there is no game 2"), "{refusal:?}");
}

/// No column of a game is forgotten, not even one that somebody has added.
#[test]
#[ignore = "needs a server"]
fn each_column_is_kept() {
    let db = Database::with_extension("kept_columns");
    db.pgn("load --clocks --evals").arg(db.file("one.pgn", CORRECTED)).succeeds();
    db.sql("ALTER TABLE chess.games ADD \"my note\" text DEFAULT 'x', ADD score float8 DEFAULT 0.1; UPDATE chess.games SET error = 'x'");
    let columns = db.rows(
        "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'chess.games'::regclass AND attnum > 0 AND NOT attisdropped
         AND attgenerated = '' AND attname NOT IN ('id', 'source_id', 'source_offset', 'shard')",
    );
    assert!(columns.len() >= 20, "{columns:?}");
    let row = "SELECT to_jsonb(g)::text FROM chess.games g";
    let before = db.sql(row);
    for column in &columns {
        let other = match &**column {
            "result" => "'1/2-1/2'",
            "game" => "'1. d4'",
            "lichess_id" => "7",
            _ => "NULL",
        };
        db.sql(&format!(
            "BEGIN; SELECT chess.keep_game(id) FROM chess.games; UPDATE chess.games SET {column} = {other}; COMMIT"
        ));
        assert!(db.sql(row) != before, "{column}");
        db.sql("SELECT chess.restore_game(id) FROM chess.games");
        assert_eq!(db.sql(row), before, "{column}");
    }
    // a state from before a column was there has no value of it
    db.sql("SELECT chess.keep_game(id) FROM chess.games; ALTER TABLE chess.games ADD later text DEFAULT 'later'");
    db.sql("SELECT chess.restore_game(id) FROM chess.games");
    assert_eq!(db.sql("SELECT later FROM chess.games"), "later");
}

#[test]
#[ignore = "needs a server"]
fn the_file_is_read_as_a_load_reads_it() {
    let db = Database::loaded("corrected_forms", "[Event \"Old\"]\n\n1. e4 *\n");
    let event = || db.sql("SELECT event FROM chess.pgn_view");
    let game = |event: &str| format!("[Event \"{event}\"]\n\n1. e4 e5 1-0\n");
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let forms = [
        ("marked", format!("\u{feff}{}", game("marked")).into_bytes()),
        ("wide", wide(&format!("\u{feff}{}", game("wide")))),
        ("packed", gzipped(game("packed"))),
        ("CR", game("CR").replace('\n', "\r").into_bytes()),
    ];
    for (name, bytes) in forms {
        db.pgn("replace --game 1").arg(db.file("form.pgn", bytes)).succeeds();
        assert_eq!(event(), name);
    }
    db.pgn("replace --game 1 -").input(wide(&game("piped"))).succeeds();
    assert_eq!(event(), "piped");
    let archive = db.file("a.zip", zipped(&[("a.pgn", game("zip").as_bytes())]));
    let said = db.pgn("replace --game 1").arg(&archive).fails();
    assert!(said.contains("a.zip: an archive or a database, not PGN"), "{said}");
    let said = db.pgn("replace --game 1").arg(db.path("")).fails();
    assert!(said.contains("it is a directory"), "{said}");
    assert_eq!(event(), "piped");
}

/// The last game of a file may grow after it was corrected.
#[test]
#[ignore = "needs a server"]
fn a_growing_game_stays_corrected() {
    let db = Database::with_extension("corrected_growth");
    for (schema, options) in [("every", ""), ("deduped", "--dedupe")] {
        grow_a_corrected_game(&db, schema, options);
    }
}

fn grow_a_corrected_game(db: &Database<'_>, schema: &str, options: &str) {
    let first = "[Event \"First\"]\n\n1. c4 *\n\n";
    let game = |moves: &str| format!("[Event \"Live\"]\n[White \"Wrong\"]\n[Round \"1\"]\n[Result \"1-0\"]\n\n{moves}");
    let load_file = |name: &str, text: &str, options: &str| {
        db.pgn(&format!("load --schema {schema} {options}")).arg(db.file(name, text)).succeeds();
    };
    let load = |moves: &str| load_file("live.pgn", &format!("{first}{}", game(moves)), options);
    load("1. e4 e5");
    let id = db.sql(&format!("SELECT id FROM {schema}.pgn_view WHERE event = 'Live'"));
    let corrected = |from: &str, to: &str| {
        let pgn = db.pgn(&format!("export --schema {schema} --where")).arg(format!("id = {id}")).writes();
        db.pgn(&format!("replace --schema {schema} --game {id} -")).input(pgn.replace(from, to)).succeeds();
    };
    let row =
        |columns: &str| db.sql(&format!("SELECT {columns} FROM {schema}.pgn_view WHERE event = 'Live' AND id = {id}"));
    let names_and_moves = || row("white, round, game, error IS NULL");
    let adds_up = |incomplete: &str| {
        let sums = format!(
            "SELECT (SELECT sum(stored) FROM {schema}.pieces) - (SELECT count(*) FROM {schema}.games),
            (SELECT sum(duplicates) FROM {schema}.pieces), (SELECT sum(incomplete) FROM {schema}.pieces),
            (SELECT count(*) FROM {schema}.rejected)"
        );
        assert_eq!(db.sql(&sums), format!("0|0|{incomplete}|{incomplete}"), "every piece adds up {options}");
    };
    corrected("[Round \"1\"]", "[Round \"2\"]");
    // as it is stored, but for a comment
    load("1. e4 e5 {with both pawns}");
    assert_eq!(row("white, round, annotated"), "Wrong|2|1. e4 e5 {with both pawns}", "{options}");
    adds_up("1");
    corrected("Wrong", "Right");
    assert_eq!(names_and_moves(), "Right|2|1. e4 e5|f");
    load("1. e4 e5 {with both pawns} 2. Nf3");
    assert_eq!(names_and_moves(), "Right|2|1. e4 e5 2. Nf3|f");
    // another file has the game that will be read
    let whole = "1. e4 e5 {with both pawns} 2. Nf3 Nc6 1-0\n";
    load_file("other.pgn", &game(whole), "");
    load(whole);
    let corrected = "1. e4 e5 2. Nf3 Nc6 1-0|t";
    assert_eq!(names_and_moves(), format!("Right|2|{corrected}"), "{options}");
    adds_up("0");
    assert_eq!(db.sql(&format!("SELECT count(*) FROM {schema}.games")), "3");
    for names in ["Wrong|2", "Wrong|1"] {
        db.pgn(&format!("replace --schema {schema} --game {id} --undo")).succeeds();
        assert_eq!(names_and_moves(), format!("{names}|{corrected}"), "undone");
    }
}
