//! Who should get in: owners, whoever trusts an owner by its name, and the two roles of the page.

use chess_system::{Database, Web, wait_for};

use crate::{PAGES, caught, closed, closed_to_writers, fresh, pgn, shut, web_shut, write};

#[test]
#[ignore = "needs a server"]
fn code_of_mallorys_is_heard_of() {
    let db = fresh("control", "base");
    db.session().sql("SET ROLE mallory; SELECT mallory.note('a control')");
    assert_eq!(caught(&db).len(), 1);
}

/// Checks that an owner of the tables may write.
#[track_caller]
fn open_to(db: &Database<'_>, role: &str) {
    for program in ["schema", "migrate", "load", "players", "unload"] {
        write(db, role, program, "").succeeds();
    }
    for program in ["analyze", "play"] {
        let said = write(db, role, program, "").fails();
        let engines = said.lines().filter(|line| line.contains("engine")).count();
        assert_eq!(engines, 1, "{program} by {role} comes to the engine: {said}");
    }
    pgn(db, role, "export").succeeds();
}

/// Makes the club the owner of the schema and of all that is in it.
fn belonging_to_the_club(name: &str, template: &str) -> Database<'static> {
    let db = fresh(name, template);
    db.sql(
        "ALTER SCHEMA chess OWNER TO club; GRANT ALL ON SCHEMA chess TO writer;
         DO $$ DECLARE r record; BEGIN
           FOR r IN SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'chess'::regnamespace AND relkind IN ('r', 'v', 'p') LOOP
             EXECUTE format('ALTER TABLE %s OWNER TO club', r.name); END LOOP;
           FOR r IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'chess'::regnamespace LOOP
             EXECUTE format('ALTER FUNCTION %s OWNER TO club', r.name); END LOOP;
           ALTER TYPE chess.explorer_move OWNER TO club; ALTER TYPE chess.explorer_game OWNER TO club;
         END $$",
    );
    db
}

#[test]
#[ignore = "needs a server"]
fn owners_get_in() {
    open_to(&fresh("of_a_superuser", "base"), "postgres");
    for template in ["base", "parts"] {
        open_to(&belonging_to_the_club(&format!("of_an_owner_{template}"), template), "club");
    }
}

/// Who is a member of a role shares its things with all others who are, and with whoever can make somebody one.
#[test]
#[ignore = "needs a server"]
fn members_say_that_they_trust_each_other() {
    let db = belonging_to_the_club("of_members", "base");
    let thing = "schema chess belongs to club";
    shut("a member", thing, write(&db, "member", "load", ""));
    for program in ["load", "schema", "migrate", "players", "unload"] {
        write(&db, "member", program, "--owner club").succeeds();
    }
    pgn(&db, "member", "export").succeeds();
    db.sql("GRANT club TO mallory WITH ADMIN OPTION");
    db.session_as("mallory").sql("GRANT club TO postgres; GRANT club TO operator; GRANT club TO writer");
    closed(&db, "a member against its will", thing);
    // they change tables at the same time
    let mut other = db.session_as("mallory");
    other.sql("SET ROLE club; BEGIN; LOCK TABLE chess.players IN SHARE ROW EXCLUSIVE MODE");
    write(&db, "member", "migrate", "--owner club").succeeds();
}

/// A role that loses a right may have used it in a transaction that has not ended, whose work nobody sees yet.
#[test]
#[ignore = "needs a server"]
fn transactions_under_way_are_waited_for() {
    let trap = "CREATE TRIGGER strike BEFORE INSERT ON chess.pieces FOR EACH ROW EXECUTE FUNCTION mallory.strike()";
    for (n, (thing, right, statement)) in [
        ("mallory changes table chess.pieces", "TRIGGER ON chess.pieces", trap),
        (
            "mallory changes table chess.games",
            "REFERENCES ON chess.games",
            "CREATE TABLE mallory.keys (id bigint REFERENCES chess.games)",
        ),
        // CREATE INDEX takes this lock, and a former member of the owning role may have run it in a transaction that is still open.
        ("mallory changes table chess.games", "UPDATE ON chess.games", "LOCK TABLE chess.games IN SHARE MODE"),
    ]
    .into_iter()
    .enumerate()
    {
        let db = fresh(&format!("under_way_{n}"), "base");
        db.sql(&format!("GRANT {right} TO mallory; GRANT USAGE ON SCHEMA chess TO mallory"));
        let mut mallory = db.session_as("mallory");
        mallory.sql(&format!("BEGIN; {statement}"));
        db.sql(&format!("REVOKE {right} FROM mallory"));
        closed_to_writers(&db, statement, thing);
        mallory.sql("ROLLBACK");
        write(&db, "postgres", "load", "").succeeds();
    }
    // those of trusted roles are nothing to refuse
    let db = fresh("under_way", "base");
    let mut ours = db.session();
    ours.sql("BEGIN; LOCK TABLE chess.players IN SHARE ROW EXCLUSIVE MODE");
    write(&db, "postgres", "migrate", "").succeeds();
}

/// What lies in a schema since the time when everybody could create functions there.
#[test]
#[ignore = "needs a server"]
fn functions_left_behind_are_not_called() {
    let db = fresh("left_behind", "base");
    db.sql("GRANT CREATE ON SCHEMA public TO mallory");
    db.session_as("mallory").sql(
        "CREATE FUNCTION public.above(integer, numeric) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN mallory.note(''left behind''); END';
         CREATE OPERATOR public.> (LEFTARG = integer, RIGHTARG = numeric, FUNCTION = public.above)",
    );
    db.sql("REVOKE CREATE ON SCHEMA public FROM mallory");
    for role in ["postgres", "operator", "registrar"] {
        let said = pgn(&db, role, "export --where").arg("white_elo > 2000.5").output().stderr;
        assert_eq!(said.matches("schema public is left out of the search path").count(), 1, "{role}: {said}");
    }
    assert_eq!(caught(&db), [""; 0]);
    db.sql("SELECT count(*) FROM chess.games WHERE white_elo > 2000.5");
    assert_ne!(caught(&db), [""; 0], "the trap is one");
}

/// A view runs functions with the rights of whoever asks it, and a table has indexes and rules.
#[test]
#[ignore = "needs a server"]
fn views_left_behind_are_not_asked() {
    let db = fresh("views_left_behind", "base");
    db.sql("GRANT CREATE ON SCHEMA public TO mallory");
    db.session_as("mallory").sql(
        "CREATE VIEW public.favourites AS SELECT n::bigint AS id FROM generate_series(1, 3) AS n WHERE mallory.note('a view')",
    );
    db.sql("REVOKE CREATE ON SCHEMA public FROM mallory; GRANT SELECT ON public.favourites TO PUBLIC");
    for role in ["postgres", "operator", "registrar"] {
        let said = pgn(&db, role, "export --where").arg("id IN (SELECT id FROM favourites)").fails();
        assert!(said.contains("schema public is left out of the search path"), "{role}: {said}");
    }
    assert_eq!(caught(&db), [""; 0]);
    db.sql("SELECT count(*) FROM chess.games WHERE id IN (SELECT id FROM public.favourites)");
    assert_ne!(caught(&db), [""; 0], "the trap is one");
}

/// What a transaction has created is seen when it ends, whatever its role may do by then.
#[test]
#[ignore = "needs a server"]
fn functions_under_way_are_waited_for() {
    let db = fresh("functions_under_way", "base");
    db.sql("GRANT CREATE ON SCHEMA public TO mallory");
    let mut mallory = db.session_as("mallory");
    mallory.sql(
        "BEGIN;
         CREATE FUNCTION public.above(integer, numeric) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN mallory.note(''under way''); END';
         CREATE OPERATOR public.> (LEFTARG = integer, RIGHTARG = numeric, FUNCTION = public.above)",
    );
    db.sql("REVOKE CREATE ON SCHEMA public FROM mallory");
    let mut export = pgn(&db, "postgres", "export --where").arg("white_elo > 2000.5").spawn();
    let lasts = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'chess-pgn'
                 AND backend_start < now() - interval '3 seconds')";
    wait_for("a program that waits", || !export.runs() || db.sql(lasts) == "t");
    assert!(export.runs());
    mallory.sql("COMMIT");
    let said = export.ends(0);
    assert!(said.contains("waiting for its end (role mallory"), "{said}");
    assert!(said.contains("schema public is left out of the search path"), "{said}");
    assert_eq!(caught(&db), [""; 0]);
    db.sql("SELECT count(*) FROM chess.games WHERE white_elo > 2000.5");
    assert_ne!(caught(&db), [""; 0], "the trap is one");
}

#[test]
#[ignore = "needs a server"]
fn an_owner_may_be_trusted_by_name() {
    let db = belonging_to_the_club("of_a_club", "parts");
    closed(&db, "games of a club", "belongs to club");
    let as_club = write(&db, "postgres", "load", "").env("PGOPTIONS", "-c role=club");
    shut("the role of a session is not the login", "belongs to club", as_club);
    db.sql("GRANT USAGE ON SCHEMA chess TO operator; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO operator");
    for role in ["postgres", "operator"] {
        let condition = "white_elo > 2000.5 OR hasOpening(game, '1. e4')";
        pgn(&db, role, "export --owner club --where").arg(condition).succeeds();
        let web = Web::new(&db, &["-d", &format!("user={role}"), "--no-sessions", "--owner", "club"]);
        for page in PAGES {
            assert_eq!(web.get(page).status(), 200, "web by {role}, who trusts the club: {page}");
        }
    }
    let said = pgn(&db, "postgres", "export --owner nobody").fails();
    assert_eq!(
        said.trim_end(),
        "chess-pgn: role \"nobody\" does not exist: --owner names the role that owns the tables"
    );
    db.sql("ALTER FUNCTION chess.speed(text) OWNER TO mallory");
    let (name, thing) = ("trust in the club is none in mallory", "function chess.speed(text) belongs to mallory");
    shut(name, thing, pgn(&db, "postgres", "export --owner club"));
    web_shut(&db, name, thing, "postgres", &["--owner", "club"]);
}

#[test]
#[ignore = "needs a server"]
fn the_two_roles_of_the_page_get_in() {
    let db = fresh("two_roles", "base");
    let keep = |web: &Web| web.request("POST", "/api/views").json(r#"{"name":"x","url":"/?fen="}"#).status();
    let web = Web::new(&db, &["-d", "user=chess_web_read", "--sessions", "user=chess_web"]);
    for page in PAGES {
        assert_eq!(web.get(page).status(), 200, "the reader: {page}");
    }
    assert_eq!(keep(&web), 201, "the keeper of sessions");
    let web = Web::new(&db, &[]);
    assert_eq!(keep(&web), 404, "a superuser keeps sessions beside those of a role");
    let log = web.log();
    assert_eq!(
        log.matches("schema chess_web belongs to chess_web, whose code would run with your rights").count(),
        1,
        "{log}"
    );
    db.sql("SET client_min_messages = warning; DROP SCHEMA chess_web CASCADE");
    for when in ["of its own", "that it finds again"] {
        assert_eq!(keep(&Web::new(&db, &[])), 201, "a superuser keeps sessions {when}");
    }
}

/// Rights and rows of others matter where something is written, and not where it is read.
#[test]
#[ignore = "needs a server"]
fn only_writers_look_at_triggers_and_keys_to_come() {
    for (n, (thing, statements)) in [
        ("mallory may create triggers on table chess.games", "GRANT TRIGGER ON chess.games TO mallory"),
        ("PUBLIC may create triggers on table chess.sites", "GRANT TRIGGER ON chess.sites TO PUBLIC"),
        ("mallory may create foreign keys to table chess.games", "GRANT REFERENCES (id) ON chess.games TO mallory"),
        ("PUBLIC may create foreign keys to table chess.sites", "GRANT REFERENCES ON chess.sites TO PUBLIC"),
        (
            "table mallory.favourites belongs to mallory",
            "CREATE TABLE mallory.favourites (id bigint REFERENCES chess.games ON DELETE CASCADE); ALTER TABLE mallory.favourites OWNER TO mallory;
             INSERT INTO mallory.favourites SELECT id FROM chess.games;
             CREATE TRIGGER strike AFTER DELETE ON mallory.favourites FOR EACH ROW EXECUTE FUNCTION mallory.strike()",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let db = fresh(&format!("to_come_{n}"), "base");
        db.sql(statements);
        closed_to_writers(&db, thing, thing);
        pgn(&db, "postgres", "export").succeeds();
        assert_eq!(caught(&db), [""; 0], "{thing}");
    }
    let db = fresh("referring", "base");
    db.sql("CREATE TABLE notes (id bigint REFERENCES chess.games); CREATE TABLE club (id bigint REFERENCES chess.games); INSERT INTO notes SELECT id FROM chess.games");
    let said = write(&db, "postgres", "unload", "").fails();
    assert!(said.contains("notes has rows for"), "tables of trusted owners are asked: {said}");
    write(&db, "postgres", "unload", "--with-rows").fails();
    db.sql("DROP TABLE notes; ALTER TABLE club OWNER TO club");
    closed_to_writers(&db, "a key without an action", "table public.club belongs to club");
}

/// The server asks tables that refer to a deleted row as their owners, who leave things in the session.
#[test]
#[ignore = "needs a server"]
fn tables_that_refer_to_games_are_not_asked_in_our_sessions() {
    for (n, key) in [
        "game bigint REFERENCES chess.games); CREATE INDEX ON mallory.diary (mallory.strike(1)",
        "game mallory.number REFERENCES chess.games",
    ]
    .into_iter()
    .enumerate()
    {
        let db = fresh(&format!("asked_{n}"), "base");
        db.sql("GRANT REFERENCES ON chess.games TO mallory; GRANT USAGE ON SCHEMA chess TO mallory");
        db.session_as("mallory").sql(&format!(
            "CREATE TYPE mallory.number AS ENUM ('1');
             CREATE FUNCTION mallory.bigint(mallory.number) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM mallory.note('a cast'); RETURN 1; END $$;
             CREATE CAST (mallory.number AS bigint) WITH FUNCTION mallory.bigint(mallory.number) AS IMPLICIT;
             CREATE TABLE mallory.diary ({key});"
        ));
        db.sql("REVOKE REFERENCES ON chess.games FROM mallory");
        db.session_as("mallory").sql("INSERT INTO mallory.diary VALUES ('1')");
        let before = caught(&db);
        for removing in ["twins --keep best", "players --undo", "names events --undo"] {
            pgn(&db, "postgres", removing).output();
        }
        closed_to_writers(&db, key, "table mallory.diary belongs to mallory");
        assert_eq!(caught(&db), before, "{key}");
        db.sql("DELETE FROM chess.games WHERE id = (SELECT max(id) FROM chess.games)");
        assert_ne!(caught(&db), before, "the trap is one: {key}");
    }
}

/// Conditions of indexes are computed while a query of their table is planned. So `doctor`, which looks at all tables, plans no
/// query of tables of others.
#[test]
#[ignore = "needs a server"]
fn no_query_of_tables_of_others_is_planned() {
    let db = fresh("planned", "base");
    db.sql(
        "GRANT USAGE, CREATE ON SCHEMA chess TO mallory;
         ALTER TABLE chess.info OWNER TO mallory;
         SET ROLE mallory;
         CREATE INDEX ON chess.info (value) WHERE mallory.strike(1);
         RESET ROLE;",
    );
    let before = caught(&db);
    db.pgn("doctor").output();
    assert_eq!(caught(&db), before, "doctor");
    db.sql("SELECT FROM chess.info");
    assert_ne!(caught(&db), before, "the trap is one");
}

/// Whoever may use a type or read a table can make objects that depend on it, and must not stop programs by them.
#[test]
#[ignore = "needs a server"]
fn objects_of_others_that_nothing_uses_are_let_be() {
    let db = fresh("let_be", "base");
    db.sql("GRANT SELECT ON ALL TABLES IN SCHEMA chess TO mallory");
    db.session_as("mallory").sql(
        "CREATE TYPE mallory.t AS ENUM ('1');
         CREATE CAST (mallory.t AS chessgame) WITH INOUT AS IMPLICIT;
         CREATE CAST (chess.explorer_move AS mallory.t) WITH INOUT AS IMPLICIT;
         CREATE FUNCTION mallory.f(chess.games) RETURNS integer LANGUAGE sql RETURN 1;
         CREATE TYPE mallory.of_games AS (game chess.games);
         CREATE TABLE mallory.games (id bigint DEFAULT 1, game chessgame, of_games chess.games);
         CREATE TABLE mallory.moves OF chess.explorer_move;
         CREATE DOMAIN mallory.domain AS chessgame;
         CREATE VIEW mallory.view AS SELECT * FROM chess.games;
         CREATE MATERIALIZED VIEW mallory.copy AS SELECT id FROM chess.games;
         ALTER TABLE mallory.games ENABLE ROW LEVEL SECURITY;
         CREATE POLICY strike ON mallory.games USING (EXISTS (SELECT FROM chess.games));
         CREATE FUNCTION mallory.of_number(oid) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true;
         CREATE INDEX by_number ON mallory.games (mallory.of_number('chess.games'::regclass));
         CREATE TABLE mallory.parts (number oid) PARTITION BY LIST ((coalesce(number, 'chess.games'::regclass)));
         CREATE TEMPORARY TABLE parts (number oid) PARTITION BY LIST ((coalesce(number, 'chess.players'::regclass)));
         CREATE OPERATOR mallory.=== (FUNCTION = chessgame_eq, LEFTARG = chessgame, RIGHTARG = chessgame);",
    );
    open_to(&db, "postgres");
}
