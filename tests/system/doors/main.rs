//! Every program refuses objects of every kind through which another role could run code with its rights, and lets in owners,
//! whoever trusts an owner by its name, and the two roles of docs/explorer.md.
//!
//! Mallory's objects write "caught" and the database to the server's log if they run in a session that is not mallory's, as whomever.

mod attacks;
mod before;
mod insiders;
mod sessions;

use std::sync::OnceLock;

use chess_system::{Client, Database, Program, Server, Web, repository};

/// What somebody has made, and what programs then say: parts of a line, with dots between them.
struct Attack {
    name: &'static str,
    thing: &'static str,
    /// The database that it is made in: with a plain table of games, or one in partitions.
    template: &'static str,
    statements: &'static str,
}

const ROLES: &str = "CREATE ROLE mallory LOGIN; CREATE ROLE writer LOGIN; CREATE ROLE club LOGIN; CREATE ROLE member LOGIN IN ROLE club;
    CREATE ROLE operator LOGIN NOINHERIT IN ROLE pg_execute_server_program; CREATE ROLE chess_web_read LOGIN; CREATE ROLE chess_web LOGIN;
    CREATE ROLE reader LOGIN; CREATE ROLE deputy LOGIN NOINHERIT IN ROLE postgres; CREATE ROLE registrar LOGIN CREATEROLE";

const MALLORY: &str = "CREATE SCHEMA mallory;
    GRANT USAGE ON SCHEMA mallory TO PUBLIC;
    CREATE FUNCTION mallory.note(what text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF session_user <> 'mallory' THEN RAISE LOG 'caught in %: % by %', current_database(), session_user, what; END IF;
      RETURN true;
    END $$;
    CREATE FUNCTION mallory.strike() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM mallory.note(TG_NAME);
      IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
      RETURN NEW;
    END $$;
    CREATE FUNCTION mallory.strike(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN mallory.note(''a function''); END'";

/// What chess-web asks of the database for each of these.
const PAGES: [&str; 5] =
    ["/api/games?rating=2000-", "/api/explorer", "/lichess", "/api/games/count", "/api/players?prefix=A"];

/// The programs that write.
const WRITERS: [&str; 7] = ["load", "schema", "migrate", "players", "unload", "analyze", "play"];

const GAMES: [&str; 2] = ["demo/famous.pgn", "tests/web/games.pgn"];

/// Loads the games with the indexes.
fn fill(db: &Database<'_>) {
    db.pgn("load --index").args(GAMES.map(repository)).succeeds();
    db.sql("GRANT USAGE ON SCHEMA chess TO PUBLIC; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO chess_web_read, reader, operator, registrar");
}

/// A new database with the games, as a copy of the template: base, or parts, where they are in partitions.
fn fresh(name: &str, template: &str) -> Database<'static> {
    static TEMPLATES: OnceLock<()> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        Database::existing(Server::shared(), "postgres").sql(ROLES);
        let base = Database::new("base");
        base.sql("CREATE EXTENSION chess; GRANT CREATE ON DATABASE base TO mallory");
        fill(&base);
        base.session_as("mallory").sql(MALLORY);
        drop(base);
        let parts = Database::copy("base", "parts");
        parts.sql("SET client_min_messages = warning; DROP SCHEMA chess CASCADE");
        parts.pgn("schema --partition-by id:2").succeeds();
        fill(&parts);
    });
    let db = Database::copy(template, name);
    db.sql(&format!("GRANT CREATE ON DATABASE {name} TO mallory, club, writer, chess_web"));
    db
}

/// What code of mallory's has done in the database with rights of others.
fn caught(db: &Client) -> Vec<String> {
    Server::shared().logged(&[&format!("LOG:  caught in {}:", db.name())])
}

/// The loader as a role.
fn pgn(db: &Database<'_>, role: &str, words: &str) -> Program {
    db.pgn(words).env("PGUSER", role)
}

/// A program that writes, as a role.
fn write(db: &Database<'_>, role: &str, program: &str, more: &str) -> Program {
    let run = pgn(db, role, program).words(more);
    match program {
        "load" => run.arg("--dedupe").arg(db.file(
            "new.pgn",
            "[Event \"New\"]\n[Site \"New\"]\n[White \"New, A\"]\n[Black \"New, B\"]\n[ECO \"A00\"]\n\n1. a3 a6 *\n",
        )),
        "unload" => run.arg(repository(GAMES[1])),
        "analyze" => run.words("--status --engine /bin/false"),
        "play" => run.words("--white /bin/false --black /bin/false"),
        _ => run,
    }
}

/// The lines of a program that tell why it refuses a database.
fn refusals<'a>(said: &'a str, program: &str, thing: &str) -> Vec<&'a str> {
    let tells = |line: &&str| {
        line.starts_with(program)
            && line.contains("would run with your rights")
            && thing.split(" … ").all(|part| line.contains(part))
    };
    said.lines().filter(tells).collect()
}

/// Checks that the loader refuses because of this object.
#[track_caller]
fn shut(name: &str, thing: &str, program: Program) {
    let said = program.fails();
    assert_eq!(refusals(&said, "chess-pgn: ", thing).len(), 1, "{name}: {thing}: {said}");
}

/// The same for chess-web as a role.
#[track_caller]
fn web_shut(db: &Database<'_>, name: &str, thing: &str, role: &str, more: &[&str]) {
    let web = Web::new(db, &[&["-d", &format!("user={role}"), "--no-sessions"], more].concat());
    for page in PAGES {
        assert_eq!(web.get(page).status(), 503, "{name}: {page} by {role}");
    }
    // for each page, and at the start if the database was quick enough to answer then
    let log = web.log();
    assert!(refusals(&log, "chess-web: ", thing).len() >= PAGES.len(), "{name}: {thing}: {log}");
}

/// Checks that all programs that write refuse, and that no code of mallory's has run.
#[track_caller]
fn closed_to_writers(db: &Database<'_>, name: &str, thing: &str) {
    // what it took to make the object
    let before = caught(db);
    for program in WRITERS {
        shut(name, thing, write(db, "postgres", program, ""));
    }
    shut(name, thing, write(db, "writer", "load", ""));
    assert_eq!(caught(db), before, "{name}");
}

/// Checks that every program refuses, for every role that the object could harm, and that a reader is let in.
#[track_caller]
fn closed(db: &Database<'_>, name: &str, thing: &str) {
    let before = caught(db);
    closed_to_writers(db, name, thing);
    for role in ["postgres", "operator", "deputy", "registrar"] {
        shut(name, thing, pgn(db, role, "export --where").arg("white_elo > 2000.5"));
        web_shut(db, name, thing, role, &[]);
    }
    assert_eq!(caught(db), before, "{name}");
    let output = pgn(db, "reader", "export").output();
    assert!(!output.stderr.contains("your rights"), "{name}: a reader is not kept out: {}", output.stderr);
}
