//! Who may ask, and under which names.

use chess_system::{Database, read, repository};

use crate::{games, loaded};

#[test]
#[ignore = "needs a server"]
fn a_schema_may_have_quotes_in_its_name() {
    let db = Database::new("quotes");
    db.pgn("load --index --schema").arg("Ein 'Schema\"").arg(games(&db)).succeeds();
    let asked = "SELECT count(*), sum(games) FROM \"Ein 'Schema\"\"\".explorer('startpos', result => NULL)";
    assert_eq!(db.sql(asked), "7|1554");
    assert_eq!(db.sql("SELECT \"Ein 'Schema\"\"\".explorer_source('startpos')"), "index");
}

#[test]
#[ignore = "needs a server"]
fn settings_of_a_database_change_no_answer() {
    let db = Database::new("settings");
    for setting in ["standard_conforming_strings = off", "quote_all_identifiers = on", "datestyle = 'SQL, DMY'"] {
        db.sql(&format!("ALTER DATABASE settings SET {setting}"));
    }
    db.pgn("load --index").arg(games(&db)).succeeds();
    // Sessions that began before the change keep their settings, so a new one asks.
    let mut session = db.session();
    assert_eq!(session.sql("SHOW quote_all_identifiers"), "on");
    assert_eq!(session.sql("SELECT chess.explorer_source('startpos')"), "index");
    assert_eq!(session.sql("SELECT count(*), sum(games) FROM chess.explorer('startpos', result => NULL)"), "7|1554");
}

#[test]
#[ignore = "needs a server"]
fn who_may_read_the_games_may_ask_and_nobody_else() {
    let db = loaded("readers");
    db.sql("CREATE ROLE reader; CREATE ROLE nobody; GRANT USAGE ON SCHEMA chess TO reader, nobody; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO reader");
    let mut session = db.session();
    session.sql("SET ROLE reader; SET search_path = ''");
    let asked = "SELECT sum(games) > 1000, (SELECT count(*) FROM chess.explorer_games(public.startboard()))
        FROM chess.explorer(public.startboard(), speeds => '{blitz,unknown,bullet,classical,correspondence}')";
    assert_eq!(session.sql(asked), "t|15", "whatever the search_path");
    let refusal = db.refuses("SET ROLE nobody; SELECT * FROM chess.explorer(public.startboard())");
    assert_eq!(refusal.code, "42501", "{refusal:?}");
}

#[test]
#[ignore = "needs a server"]
fn functions_take_no_operator_from_the_path_of_who_calls() {
    let db = loaded("paths");
    // PostgreSQL prefers this operator where an integer meets a fraction, because its own ones need both of one type.
    db.sql(
        "CREATE SCHEMA traps;
         CREATE FUNCTION traps.run(integer, double precision) RETURNS double precision LANGUAGE plpgsql AS 'BEGIN RAISE ''it ran''; END';
         CREATE OPERATOR traps.* (LEFTARG = integer, RIGHTARG = double precision, FUNCTION = traps.run)",
    );
    let mut session = db.session();
    session.sql("SET search_path = traps, public");
    assert_eq!(session.sql("SELECT round(chess.performance(2500, 0.75))"), "2693");
    let open = "SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'chess'::regnamespace AND prosqlbody IS NULL
        AND NOT coalesce(array_to_string(proconfig, ','), '') LIKE '%search_path=%'";
    assert_eq!(db.rows(open), [""; 0], "every function is parsed when it is made, or names its search_path");
}

#[test]
#[ignore = "needs a server"]
fn the_functions_follow_the_extension_as_docs_scaling_says() {
    let db = loaded("moved");
    let page = String::from_utf8(read(repository("docs/scaling.md"))).unwrap();
    let (_, section) = page.split_once("## Moving the extension").unwrap();
    let blocks: Vec<&str> = section.split("```").filter_map(|block| block.strip_prefix("sql\n")).collect();
    let [moved] = blocks[..] else { panic!("{} blocks", blocks.len()) };
    // PostgreSQL 17 moves the types of arrays by itself.
    let is_early = db.sql("SELECT current_setting('server_version_num')::integer < 170000") == "t";
    db.sql("CREATE SCHEMA tools");
    db.sql(if is_early { moved } else { "ALTER EXTENSION chess SET SCHEMA tools" });
    db.pgn("migrate").succeeds();
    let asked = "SELECT sum(games) > 1000, (SELECT count(*) FROM chess.explorer_games(tools.startboard())), chess.explorer_source(tools.startboard())
        FROM chess.explorer(tools.startboard())";
    assert_eq!(db.sql(asked), "t|15|index");
}
