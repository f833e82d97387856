//! Tables of an earlier version, of a later one, and tables that have lost their games.

use chess_system::{Database, Web, read, repository};

use crate::all_tables;

/// Five games without much.
const GAMES: &str = "1. e4 1-0\n\n1. d4 *\n\n1. c4 0-1\n\n1. b4 *\n\n1. f4 1-0\n\n";

/// All that the catalog says of a schema, without its name.
fn shape(db: &Database<'_>, schema: &str) -> Vec<String> {
    let questions = [
        "SELECT table_name, column_name, data_type, is_nullable, column_default IS NULL, is_generated
         FROM information_schema.columns WHERE table_schema = '{schema}' ORDER BY 1, 2",
        "SELECT replace(conrelid::regclass::text, '{schema}.', ''), replace(pg_get_constraintdef(oid), '{schema}.', '')
         FROM pg_constraint WHERE connamespace = '{schema}'::regnamespace ORDER BY 1, 2",
        "SELECT replace(indexdef, '{schema}.', '') FROM pg_indexes WHERE schemaname = '{schema}' ORDER BY 1",
        "SELECT obj_description(c.oid), c.relname, d.objsubid, d.description FROM pg_class c
         JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
         WHERE c.relnamespace = '{schema}'::regnamespace AND d.objsubid = 0 ORDER BY 2",
        "SELECT replace(pg_get_viewdef('{schema}.pgn_view'::regclass), '{schema}.', '')",
        "SELECT proname, replace(pg_get_function_arguments(oid), '{schema}.', ''), obj_description(oid) FROM pg_proc
         WHERE pronamespace = '{schema}'::regnamespace ORDER BY 1, 2",
        "SELECT typname, typtype, obj_description(oid) FROM pg_type WHERE typnamespace = '{schema}'::regnamespace ORDER BY 1",
        "SELECT replace(tgrelid::regclass::text, '{schema}.', ''), tgname FROM pg_trigger
         WHERE tgrelid::regclass::text LIKE '{schema}.%' AND NOT tgisinternal ORDER BY 1, 2",
    ];
    questions.iter().flat_map(|question| db.rows(&question.replace("{schema}", schema))).collect()
}

#[test]
#[ignore = "needs a server"]
fn tables_of_an_earlier_version_become_new_ones() {
    let db = Database::new("earlier");
    db.sql("CREATE EXTENSION chess; CREATE SCHEMA old");
    let script = |name: &str| String::from_utf8(read(repository("crates/chess-db/tests").join(name))).unwrap();
    let schema = script("schema-0.2.0.sql").replace("{schema}", "old").replace("{chess}", "public");
    let schema: String =
        schema.lines().filter(|line| !line.starts_with("CREATE SCHEMA")).map(|line| format!("{line}\n")).collect();
    db.sql(&schema);
    db.sql(&script("rows-0.2.0.sql"));
    let games = db.file("games.pgn", GAMES);
    let said = db.pgn("migrate --schema old").succeeds();
    let versions: Vec<&str> = said.lines().filter(|line| line.contains("version")).collect();
    assert_eq!(versions, ["schema old upgraded from version 1 to version 5", "schema old is at version 5"]);
    db.pgn("migrate --schema old").succeeds();
    db.pgn("migrate --schema nowhere").fails();
    assert_eq!(db.sql("SELECT * FROM old.mine WHERE id = 1"), "1|A|2", "a view on the view");

    db.sql("DROP VIEW old.mine; DROP INDEX old.games_ply_count_idx");
    db.pgn("load --schema old").arg(&games).succeeds();
    db.pgn("load --schema new").arg(&games).succeeds();
    assert_eq!(shape(&db, "old"), shape(&db, "new"));
    let annotated = "INSERT INTO old.pgn_view (game, annotated) VALUES ('1. b4', '1. b4! *') RETURNING annotated";
    assert_eq!(db.sql(annotated), "1. b4! *", "a moved view takes annotations");
    db.sql("DELETE FROM old.pgn_view WHERE annotated IS NOT NULL");
    let rows =
        "SELECT id, white, black, result, ply_count, tags, game, error FROM old.pgn_view WHERE id <= 3 ORDER BY id";
    let expected =
        ["1|A|B|1-0|2||1. e4 e5 1-0|", "2||C|*|1|{\"Result\": [\"won\", \"lost\"]}|1. d4|", "3|||1-0|1||1. c4 1-0|"];
    assert_eq!(db.rows(rows), expected, "rows of the earlier version");

    db.sql("UPDATE old.info SET value = '99' WHERE name = 'schema version'");
    db.pgn("load --schema old").arg(&games).fails();
}

#[test]
#[ignore = "needs a server"]
fn tables_of_0_3_0_become_new_ones() {
    let db = Database::new("earlier_3");
    db.sql("CREATE EXTENSION chess");
    let script = read(repository("crates/chess-db/tests/schema-0.3.0.sql"));
    db.sql(&String::from_utf8(script).unwrap());
    db.sql("INSERT INTO old.pgn_view (white, black, game) VALUES ('Müller', 'B', '1. e4')");
    db.sql("CREATE VIEW old.mine AS SELECT id, white, player FROM old.pgn_view JOIN old.accuracies ON game_id = id");
    // What its explorer build leaves: counts, and triggers that keep them.
    db.sql("INSERT INTO old.explorer_build VALUES (2000, 1, 1, now());
            CREATE TRIGGER explorer_games_come AFTER INSERT ON old.games REFERENCING NEW TABLE AS new_games FOR EACH STATEMENT EXECUTE FUNCTION old.explorer_games_come();
            CREATE TRIGGER explorer_piece_comes AFTER INSERT ON old.pieces FOR EACH ROW EXECUTE FUNCTION old.explorer_piece_comes()");
    let said = db.pgn("export --schema old").fails();
    assert!(said.contains("schema old is of an earlier version: chess-pgn migrate upgrades it"), "{said}");
    let version = |number: &str| format!("UPDATE pg_extension SET extversion = '{number}' WHERE extname = 'chess'");
    db.sql(&version("0.3.0"));
    for words in ["migrate --schema old", "schema --schema other"] {
        let said = db.pgn(words).fails();
        assert!(
            said.contains("has the extension chess 0.3.0") && said.contains("ALTER EXTENSION chess UPDATE"),
            "{said}"
        );
    }
    db.sql(&version(env!("CARGO_PKG_VERSION")));
    db.pgn("migrate --schema old").succeeds();
    let left =
        "SELECT proname FROM pg_proc WHERE pronamespace = 'old'::regnamespace AND prosrc LIKE '%a function of 0.3.0%'";
    assert_eq!(db.rows(left), [""; 0], "functions that were not replaced");
    assert_eq!(db.rows("SELECT name, folded FROM old.players ORDER BY 1"), ["B|b", "Müller|muller"]);
    assert_eq!(db.sql("SELECT count(*) FROM old.explorer(startBoard('1. e4'), player => 'Müller')"), "1");
    assert_eq!(db.sql("SELECT facts = gameFacts(game) FROM old.games"), "t", "what reports count of it");
    db.sql("DROP VIEW old.mine; DELETE FROM old.games");
    let games = db.file("games.pgn", GAMES);
    db.pgn("load --schema old").arg(&games).succeeds();
    db.pgn("load --schema new").arg(&games).succeeds();
    assert_eq!(shape(&db, "old"), shape(&db, "new"));
}

/// Functions of version 4 have gone, changed their arguments, or come since. A migration makes all of them anew.
#[test]
#[ignore = "needs a server"]
fn no_function_of_version_4_is_left() {
    let db = Database::new("earlier_4");
    let games = db.file("games.pgn", GAMES);
    db.pgn("load --schema old").arg(&games).succeeds();
    db.pgn("load --schema new").arg(&games).succeeds();
    db.sql(
        "DROP FUNCTION old.change_again, old.set_game, old.lock_game, old.game_with_changes, old.with_changes, old.lichess_id,
             old.lichess_site CASCADE;
         CREATE OR REPLACE FUNCTION old.expected_score(own integer, opponent integer) RETURNS double precision LANGUAGE sql
             AS 'SELECT -1::double precision';
         ALTER TABLE old.games DROP COLUMN lichess_id CASCADE;
         DROP INDEX old.earlier_games_source_id_idx;
         UPDATE old.info SET value = '4' WHERE name = 'schema version'",
    );
    let (filters, more) = (
        "text, text, text, text, text, daterange, text, text, text, text[], boolean, text[], integer",
        "integer[], chesspattern[]",
    );
    for function in [
        "restore_game(bigint)".to_owned(),
        "ending_month(daterange)".to_owned(),
        format!("report_condition({more})"),
        format!("player_report({filters}, integer, integer, {more})"),
        format!("opening_report(chessboard, {filters}, integer, integer, {more})"),
        format!("ending_report(chesspattern, {filters}, {more})"),
    ] {
        db.sql(&format!(
            "CREATE FUNCTION old.{function} RETURNS SETOF old.report_row LANGUAGE sql AS 'SELECT NULL::old.report_row'"
        ));
    }
    db.pgn("migrate --schema old").succeeds();
    assert_eq!(shape(&db, "old"), shape(&db, "new"));
    assert_eq!(db.sql("SELECT old.expected_score(2000, 2000)"), "0.5");
    db.pgn("load --schema old").arg(db.file("more.pgn", "1. a3 *\n")).succeeds();
    assert_eq!(db.sql("SELECT count(*) > 0 FROM old.opening_report(startBoard())"), "t");
}

/// In 0.3.0 a name was one row, whoever had it. The tags of the games have known better.
#[test]
#[ignore = "needs a server"]
fn games_of_0_3_0_go_to_the_player_of_their_fide_id() {
    let db = Database::new("earlier_players");
    db.sql("CREATE EXTENSION chess");
    db.sql(&String::from_utf8(read(repository("crates/chess-db/tests/schema-0.3.0.sql"))).unwrap());
    db.sql(
        r#"INSERT INTO old.pgn_view (white, black, game, tags) VALUES
            ('Smith, John', 'Other, Ann', '1. a3', '{"WhiteFideId": "111", "BlackFideId": "5"}'),
            ('Smith, John', 'Other, Ann', '1. b3', '{"WhiteFideId": "222"}'),
            ('Smith, John', 'Other, Ann', '1. c3', '{"WhiteFideId": "?", "BlackFideId": "5"}'),
            ('Other, Ann', 'Smith, J', '1. d3', '{"WhiteFideId": "9", "BlackFideId": "9"}'),
            ('Smith, J', 'Jones, Eva', '1. e3', '{"WhiteFideId": " 0111 "}'),
            ('Jones, Eva', 'Lone, Max', '1. f3', '{"BlackFideId": "222"}'),
            ('Jones, Eva', 'Plain, Pia', '1. g3', NULL);
           ALTER DATABASE earlier_players SET default_transaction_isolation = 'serializable'"#,
    );
    db.pgn("migrate --schema old").succeeds();
    let seats = |color: &str| {
        db.rows(&format!(
            "SELECT p.name, p.fide_id, coalesce(s.name, p.name), s.fide_id FROM old.games g JOIN old.players p ON p.id = g.{color}_id
             LEFT JOIN old.players s ON s.id = p.same_as ORDER BY g.id"
        ))
    };
    let white = [
        "Smith, John|111|Smith, John|",
        "Smith, John|222|Smith, John|",
        "Smith, John||Smith, John|",
        "Other, Ann||Other, Ann|5",
        "Smith, J|111|Smith, John|111",
        "Jones, Eva||Jones, Eva|",
        "Jones, Eva||Jones, Eva|",
    ];
    assert_eq!(seats("white"), white, "two of one name are apart, and nobody knows whose the game without an id is");
    let black = [
        "Other, Ann|5|Other, Ann|",
        "Other, Ann||Other, Ann|5",
        "Other, Ann|5|Other, Ann|",
        "Smith, J||Smith, J|",
        "Jones, Eva||Jones, Eva|",
        "Lone, Max|222|Smith, John|222",
        "Plain, Pia||Plain, Pia|",
    ];
    assert_eq!(seats("black"), black);
    let new =
        "[White \"Smith, John\"]\n[Black \"Plain, Pia\"]\n[WhiteFideId \"111\"]\n[BlackFideId \"7\"]\n\n1. h3 *\n";
    db.pgn("load --schema old").arg(db.file("new.pgn", new)).succeeds();
    let games =
        "SELECT p.fide_id, p.games FROM old.player('Smith, John') p WHERE 'Smith, John' = ANY (p.spellings) ORDER BY 1";
    assert_eq!(db.rows(games), ["111|3", "222|2", "|1"], "a new game takes nobody else's games");
    assert_eq!(db.sql("SELECT games FROM old.player('Plain, Pia')"), "2");
}

#[test]
#[ignore = "needs a server"]
fn an_interrupted_migration_changes_nothing() {
    let db = Database::new("earlier_killed");
    db.sql("CREATE EXTENSION chess");
    db.sql(&String::from_utf8(read(repository("crates/chess-db/tests/schema-0.3.0.sql"))).unwrap());
    db.sql("INSERT INTO old.pgn_view (white, black, game) VALUES ('Müller', 'B', '1. e4'), ('C', 'D', '1. d4')");
    let before = all_tables(&db);
    let mut reader = db.session();
    for table in ["old.players", "old.games"] {
        reader.sql(&format!("BEGIN; SELECT count(*) FROM {table}"));
        let mut migration = db.pgn("migrate --schema old").spawn();
        db.wait_for_activity("a migration that waits", "wait_event_type = 'Lock'", Some(&mut migration));
        migration.killed();
        reader.sql("ROLLBACK");
        assert_eq!(all_tables(&db), before, "{table}");
    }
    db.pgn("migrate --schema old").succeeds();
    let after = all_tables(&db);
    db.pgn("migrate --schema old").succeeds();
    assert_eq!(all_tables(&db), after, "a second time");
    assert_eq!(db.sql("SELECT count(*) FROM old.games"), "2");
}

#[test]
#[ignore = "needs a server"]
fn a_command_of_an_earlier_version_says_what_replaces_it() {
    let db = Database::new("counted");
    for words in ["explorer build --least 20 -d nowhere", "explorer refresh", "explorer check -n 1000", "explorer"] {
        let said = db.pgn(words).ends(1);
        assert!(
            said.contains("chess-pgn load --index") && said.contains("chess-pgn migrate --index"),
            "{words}: {said}"
        );
    }
}

#[test]
#[ignore = "needs a server"]
fn tables_that_have_lost_their_games_are_refused() {
    let db = Database::new("without");
    let games = db.file("games.pgn", GAMES);
    db.pgn("load").arg(&games).succeeds();
    db.sql("DROP EXTENSION chess CASCADE");
    for command in ["load", "unload"] {
        let said = db.pgn(command).arg(&games).fails();
        let told = said.lines().filter(|line| {
            let rest =
                line.split_once("has lost its column game").and_then(|(_, rest)| rest.split_once("moves of all games"));
            rest.is_some_and(|(_, rest)| rest.contains("DROP SCHEMA \"chess\" CASCADE"))
        });
        assert_eq!(told.count(), 1, "what {command} says of it: {said}");
    }
    db.sql("DROP SCHEMA chess CASCADE");
    db.pgn("load").arg(&games).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "5");
}

#[test]
#[ignore = "needs a server"]
fn a_command_that_fails_creates_no_tables() {
    let db = Database::with_extension("not_created");
    for words in [
        "unload --source 1",
        "replace --game 1 --undo",
        "export",
        "analyze --status",
        "puzzles",
        "puzzles --export -",
        "puzzles --import /no/file",
        "players",
        "names events",
        "book make --out -",
        "book load /no/file",
        "book drop nothing",
        "twins",
        "migrate",
    ] {
        let said = db.pgn(words).words("--schema typo").fails();
        assert_eq!(db.sql("SELECT to_regnamespace('typo')"), "", "{words}: {said}");
    }
}

/// Functions contain the names of schemas, and would read and write another schema that has the earlier name.
#[test]
#[ignore = "needs a server"]
fn functions_follow_a_renamed_schema() {
    let db = Database::loaded("renamed", "[White \"Old\"]\n\n1. e4 *\n");
    db.sql("ALTER SCHEMA chess RENAME TO \"o'ld\"");
    db.pgn("load").arg(db.file("other.pgn", "[White \"New\"]\n\n1. d4 *\n")).succeeds();
    let [removes, player] = ["DELETE FROM \"o'ld\".pgn_view WHERE id = 1", "SELECT player FROM \"o'ld\".player('Old')"];
    let refused = db.refuses(removes);
    assert_eq!((&*refused.code, &*refused.message), ("55000", "schema o'ld has been renamed"));
    db.sql("UPDATE \"o'ld\".players SET name = 'Older Old'");
    let migrate = "chess-pgn migrate --schema \"o'ld\"";
    let program = |words: &str| db.pgn(words).arg("--schema").arg("o'ld");
    assert!(program("doctor").fails().contains(migrate));
    assert!(program("export").fails().contains("have been renamed"));
    let web = Web::new(&db, &["--no-sessions", "--schema", "o'ld"]);
    assert_eq!(web.get("/api/games").status(), 503);
    program("migrate").succeeds();
    assert!(!program("doctor").output().stdout.contains(migrate));
    assert!(program("export").writes().contains("1. e4"));
    assert_eq!(db.sql(player), "Older Old");
    db.sql(removes);
    let counts = "SELECT (SELECT count(*) FROM \"o'ld\".games), (SELECT count(*) FROM chess.games)";
    assert_eq!(db.sql(counts), "0|1");

    // the schema of the extension may be renamed, too
    db.sql("ALTER SCHEMA public RENAME TO tools");
    assert!(db.pgn("doctor").fails().contains("have been renamed"));
    db.pgn("load").arg(db.file("third.pgn", "1. c4 *\n")).succeeds();
    assert_eq!(db.sql("SELECT player FROM chess.player('New')"), "New");
}
