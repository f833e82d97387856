//! What others on the server own and write does not change what a load does.

use chess_system::{Database, wait_for};

const GAMES: &str = "1. e4 1-0\n\n1. d4 *\n\n1. c4 0-1\n\n";

#[test]
#[ignore = "needs a server"]
fn tables_of_somebody_else_are_refused() {
    let db = Database::new("owners");
    let games = db.file("games.pgn", GAMES);
    db.sql("CREATE EXTENSION chess; CREATE ROLE loader LOGIN; CREATE ROLE owner LOGIN; GRANT CREATE ON DATABASE owners TO loader, owner");
    db.session_as("owner").sql("CREATE SCHEMA theirs");
    for user in ["loader", "postgres"] {
        let said = db.pgn("load --schema theirs").arg(&games).env("PGUSER", user).fails();
        assert_eq!(said.matches("schema theirs belongs to owner").count(), 1, "{said}");
    }
    for words in ["load --schema theirs", "load --schema theirs --dedupe"] {
        db.pgn(words).arg(&games).env("PGUSER", "owner").succeeds();
    }
    db.sql("CREATE SCHEMA mixed; GRANT CREATE ON SCHEMA mixed TO owner");
    db.session_as("owner").sql("CREATE TABLE mixed.players (id integer, name text)");
    db.pgn("load --schema mixed").arg(&games).fails();
}

#[test]
#[ignore = "needs a server"]
fn functions_of_others_on_the_search_path_are_not_called() {
    let db = Database::new("paths");
    let games = db.file("games.pgn", GAMES);
    db.sql("CREATE EXTENSION chess; CREATE ROLE mallory LOGIN; GRANT CREATE ON SCHEMA public TO mallory");
    db.session_as("mallory").sql(
        "CREATE FUNCTION public.caught(text, text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END';
         CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.caught);
         CREATE FUNCTION public.hashtext(text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END';
         CREATE FUNCTION public.to_regclass(text) RETURNS regclass LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''mallory''; END'",
    );
    for path in ["public,pg_catalog", "pg_catalog,public"] {
        db.pgn("load --dedupe").arg(&games).env("PGOPTIONS", format!("-c search_path={path}")).succeeds();
    }
}

/// Settings of a database that make other programs write other names, and refuse code that is right.
#[test]
#[ignore = "needs a server"]
fn settings_of_the_database_mean_other_sessions() {
    let db = Database::new("odd_settings");
    db.sql("ALTER DATABASE odd_settings SET plpgsql.extra_errors = 'all'");
    db.pgn("load --index").arg(db.file("games.pgn", GAMES)).succeeds();
    db.sql("ALTER DATABASE odd_settings SET quote_all_identifiers = on");
    assert!(db.pgn("export").writes().contains("1. e4"));
    let said = db.pgn("doctor").output().stdout;
    assert!(!said.contains("renamed") && !said.contains("missing"), "{said}");
}

/// As on a standby, which takes no changes at all.
#[test]
#[ignore = "needs a server"]
fn where_transactions_only_read_nothing_can_be_stored() {
    let db = Database::new("only_read");
    let file = db.file("game.pgn", "1. e4 *\n");
    db.pgn("load").arg(&file).succeeds();
    db.sql("ALTER DATABASE only_read SET default_transaction_read_only = on");
    for words in ["load", "twins", "migrate", "players --apply"] {
        let program = db.pgn(words);
        let said = if words == "load" { program.arg(&file) } else { program }.fails();
        assert!(said.contains("nothing can be stored here") && !said.contains("not installed"), "{words}: {said}");
    }
    assert!(db.pgn("export").writes().contains("1. e4"));
}

#[test]
#[ignore = "needs a server"]
fn an_extension_that_is_there_is_not_created() {
    let db = Database::loaded("no_ddl", "1. e4 *\n");
    db.sql(
        "CREATE FUNCTION forbid() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''forbidden''; END';
         CREATE EVENT TRIGGER forbid ON ddl_command_start EXECUTE FUNCTION forbid()",
    );
    db.pgn("load").arg(db.file("other.pgn", "1. d4 *\n")).succeeds();
}

/// The locks of the programs need no rights. Whoever waits for one says who has it.
#[test]
#[ignore = "needs a server"]
fn a_program_that_waits_says_for_whom() {
    let db = Database::loaded("whom", GAMES);
    db.sql("CREATE ROLE squatter LOGIN");
    let file = db.file("other.pgn", "[White \"New\"]\n[WhiteFideId \"1\"]\n\n1. a3 *\n");
    let waits = "wait_event = 'advisory' AND usename = 'postgres'";
    for (lock, words, said) in [
        ("hashtext('chess-pgn schema'), 0", "load", "another session makes tables: waiting for it"),
        ("hashtext('chess-pgn players'), 0", "load", "another session changes names: waiting for it"),
        ("hashtext('chess-pgn dedupe'), 0", "load --dedupe", "another session looks for duplicates: waiting for it"),
        ("hashtext('chess-pgn twins'), hashtext('chess')", "twins", "another session looks for twins: waiting for it"),
    ] {
        let mut holder = db.session_as("squatter");
        let process = holder.sql("SELECT pg_backend_pid()");
        holder.sql(&format!("SELECT pg_advisory_lock({lock})"));
        let program = db.pgn(words);
        let mut program = if words == "twins" { program } else { program.arg(&file) }.spawn();
        db.wait_for_activity(words, waits, Some(&mut program));
        holder.sql("SELECT pg_advisory_unlock_all()");
        let all = program.ends(0);
        assert!(all.contains(&format!("{said} (role squatter, process {process})\n")), "{all}");
        if words != "twins" {
            db.pgn("unload").arg(&file).succeeds();
            db.sql("DELETE FROM chess.players WHERE name = 'New'");
        }
    }
    let mut holder = db.session_as("squatter");
    let process = holder.sql("SELECT pg_backend_pid()");
    holder.sql("SELECT pg_advisory_lock(hashtext('chess-pgn chess'), n) FROM generate_series(1, 20) n");
    let whom = format!("(role squatter, process {process})\n");
    let said = db.pgn("unload").arg(db.path("games.pgn")).fails();
    assert!(said.contains(&format!("is being loaded {whom}")), "{said}");
    let mut load = db.pgn("load").arg(&file).spawn();
    let tried = "SELECT query_start FROM pg_stat_activity WHERE query LIKE '%pg_try_advisory_lock%chess-pgn chess%' \
                 AND datname = current_database() AND pid <> pg_backend_pid()";
    let mut first = String::new();
    wait_for("a second try", || {
        let start = db.sql(tried);
        if first.is_empty() {
            first.clone_from(&start);
        }
        !load.runs() || !start.is_empty() && start != first
    });
    holder.sql("SELECT pg_advisory_unlock_all()");
    let said = load.ends(0);
    assert!(
        said.contains(&format!("other.pgn: another session loads or removes this file: waiting for it {whom}")),
        "{said}"
    );
}
