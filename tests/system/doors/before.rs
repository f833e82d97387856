//! What is there before the tables of the games are made.

use chess_system::Database;

use crate::{MALLORY, caught, fresh, shut, web_shut, write};

/// In a schema of another name, which no program fills.
#[test]
#[ignore = "needs a server"]
fn what_is_there_is_not_adopted() {
    for (n, (thing, statement)) in [
        (
            "function early.pgn_dates(text) belongs to mallory",
            "CREATE FUNCTION early.pgn_dates(date text) RETURNS daterange LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''adopted''); RETURN NULL; END'",
        ),
        (
            "function early.pgn_view_write() belongs to mallory",
            "CREATE FUNCTION early.pgn_view_write() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''adopted''); RETURN NEW; END'",
        ),
        ("table early.twins belongs to mallory", "CREATE TABLE early.twins (a bigint)"),
        ("view early.pgn_view belongs to mallory", "CREATE VIEW early.pgn_view AS SELECT 1 AS id"),
        ("type early.explorer_game belongs to mallory", "CREATE TYPE early.explorer_game AS (id bigint)"),
        ("type early.explorer_game belongs to mallory", "CREATE DOMAIN early.explorer_game AS text"),
    ]
    .into_iter()
    .enumerate()
    {
        let db = fresh(&format!("early_{n}"), "base");
        db.sql("CREATE SCHEMA early; GRANT CREATE, USAGE ON SCHEMA early TO mallory");
        db.session_as("mallory").sql(statement);
        for role in ["postgres", "writer"] {
            for program in ["load", "schema", "play"] {
                shut(statement, thing, write(&db, role, program, "--schema early"));
            }
        }
        assert_eq!(db.sql("SELECT to_regclass('early.info')"), "", "nothing is made: {statement}");
    }
}

#[test]
#[ignore = "needs a server"]
fn an_empty_schema_is_used_by_its_owner() {
    let db = fresh("empty_schema", "base");
    db.sql("CREATE SCHEMA early AUTHORIZATION mallory");
    for role in ["postgres", "writer"] {
        shut("an empty schema", "schema early belongs to mallory", write(&db, role, "load", "--schema early"));
    }
    db.sql("DROP SCHEMA early; CREATE SCHEMA early AUTHORIZATION writer");
    write(&db, "writer", "load", "--schema early").succeeds();
    // no program calls it
    db.sql("CREATE FUNCTION early.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION early.more() OWNER TO mallory");
    write(&db, "writer", "load", "--schema early").succeeds();

    let db = fresh("own_function", "base");
    db.sql("CREATE SCHEMA early AUTHORIZATION writer");
    db.session_as("writer").sql("CREATE FUNCTION early.pgn_dates(date text) RETURNS text LANGUAGE sql AS 'SELECT 1'");
    let said = write(&db, "writer", "load", "--schema early").fails();
    let why = "function \"pgn_dates\" already exists with same argument types";
    assert_eq!(said.matches(why).count(), 1, "nothing that is there is replaced: {said}");
}

#[test]
#[ignore = "needs a server"]
fn an_extension_goes_to_nobodys_schema() {
    // which makes the roles
    drop(fresh("for_its_roles", "base"));
    let db = Database::new("no_extension");
    db.sql("GRANT CREATE ON DATABASE no_extension TO mallory, writer");
    db.session_as("mallory").sql("CREATE SCHEMA postgres");
    shut("a new extension", "schema postgres belongs to mallory", write(&db, "postgres", "load", ""));
    assert_eq!(db.sql("SELECT count(*) FROM pg_extension WHERE extname = 'chess'"), "0", "nothing is left there");
    db.sql("ALTER DATABASE no_extension OWNER TO mallory; DROP SCHEMA postgres; CREATE EXTENSION chess");
    shut("mallory's database", "schema public belongs to mallory", write(&db, "postgres", "load", ""));
    write(&db, "writer", "load", "").succeeds();
}

/// Its owner can drop it, and create functions under the names of its own.
#[test]
#[ignore = "needs a server"]
fn an_extension_of_others_is_not_used() {
    drop(fresh("for_roles", "base"));
    let db = Database::new("their_extension");
    db.sql("GRANT CREATE ON DATABASE their_extension TO mallory, writer; GRANT CREATE ON SCHEMA public TO mallory");
    db.session_as("mallory").sql("CREATE EXTENSION chess SCHEMA public");
    for role in ["postgres", "writer"] {
        shut(role, "extension chess belongs to mallory", write(&db, role, "load", ""));
    }
    write(&db, "postgres", "load", "--owner mallory").succeeds();
    web_shut(&db, "their extension", "extension chess belongs to mallory", "postgres", &[]);
    db.sql("DROP SCHEMA chess CASCADE; ALTER DATABASE their_extension OWNER TO mallory");
    write(&db, "writer", "load", "").succeeds();
}

/// They run at CREATE EXTENSION.
#[test]
#[ignore = "needs a server"]
fn event_triggers_do_not_see_a_new_extension() {
    drop(fresh("for_triggers", "base"));
    let db = Database::new("new_extension");
    db.sql("GRANT CREATE ON DATABASE new_extension TO mallory");
    db.session_as("mallory").sql(MALLORY);
    db.sql(
        "CREATE FUNCTION mallory.event() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM mallory.note(''an event''); END';
         CREATE EVENT TRIGGER strike ON ddl_command_start EXECUTE FUNCTION mallory.event();
         ALTER EVENT TRIGGER strike DISABLE; ALTER FUNCTION mallory.event() OWNER TO mallory; ALTER EVENT TRIGGER strike ENABLE",
    );
    let before = caught(&db);
    shut("an event trigger", "function mallory.event() belongs to mallory", write(&db, "postgres", "load", ""));
    assert_eq!(caught(&db), before);
}
