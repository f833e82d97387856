//! chess-web keeps nothing where somebody else owns the schema of its sessions, or has made something in it: code of theirs
//! would run as chess-web's role.

use chess_system::Web;

use crate::{caught, fresh, refusals};

const SCHEMA: &str = "CREATE SCHEMA chess_web; GRANT ALL ON SCHEMA chess_web TO PUBLIC";
const TABLE: &str = "CREATE TABLE chess_web.sessions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id_hash bytea NOT NULL UNIQUE,
    created timestamptz DEFAULT now(), seen timestamptz DEFAULT now(), expires timestamptz DEFAULT now() + interval '1 year')";
const TRIGGER: &str =
    "CREATE TRIGGER strike BEFORE INSERT OR UPDATE OR DELETE ON chess_web.sessions EXECUTE FUNCTION mallory.strike()";
const GRANT: &str = "GRANT SELECT, INSERT, UPDATE, DELETE, REFERENCES ON chess_web.sessions TO PUBLIC";
const AS_MALLORY: &str = "SET ROLE mallory";

/// Saves a filter, with which a session begins: the status.
fn keep(web: &Web) -> u16 {
    web.request("POST", "/api/views").json(r#"{"name":"x","url":"/?fen="}"#).status()
}

#[test]
#[ignore = "needs a server"]
fn nothing_is_kept_where_others_could_run_code() {
    for (n, (thing, statements)) in [
        ("schema chess_web belongs to mallory", &[AS_MALLORY, SCHEMA, TABLE, TRIGGER, GRANT][..]),
        ("table chess_web.sessions belongs to mallory", &[SCHEMA, AS_MALLORY, TABLE, TRIGGER, GRANT]),
        ("function mallory.strike() belongs to mallory", &[SCHEMA, TABLE, TRIGGER]),
        (
            "function mallory.note(text) belongs to mallory",
            &[
                SCHEMA,
                TABLE,
                "ALTER TABLE chess_web.sessions ADD x boolean, ALTER x SET DEFAULT mallory.note('a default')",
            ],
        ),
        (
            "mallory may create triggers on table chess_web.sessions",
            &[SCHEMA, TABLE, "GRANT TRIGGER ON chess_web.sessions TO mallory"],
        ),
        (
            "mallory may create foreign keys to table chess_web.sessions",
            &[SCHEMA, TABLE, "GRANT REFERENCES (id) ON chess_web.sessions TO mallory"],
        ),
        (
            "table mallory.more belongs to mallory",
            &[
                SCHEMA,
                TABLE,
                "CREATE TABLE mallory.more (id bigint REFERENCES chess_web.sessions)",
                "ALTER TABLE mallory.more OWNER TO mallory",
            ],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let db = fresh(&format!("kept_{n}"), "base");
        db.session().sql(&statements.join("; "));
        for role in ["postgres", "chess_web"] {
            let web = Web::new(&db, &["-d", "user=chess_web_read", "--sessions", &format!("user={role}")]);
            assert_eq!(keep(&web), 404, "{thing}, {role}: nothing is kept");
            let cookie = format!("__Host-chess={}", "0".repeat(64));
            assert_eq!(web.get("/api/views").header("Cookie", &cookie).status(), 404, "{thing}, {role}: again");
            let log = web.log();
            assert_eq!(refusals(&log, "chess-web: ", thing).len(), 2, "{thing}, {role}: {log}");
            assert_eq!(web.get("/api/games").status(), 200, "{thing}, {role}: games are shown");
        }
        assert_eq!(caught(&db), [""; 0], "{thing}");
    }
}

#[test]
#[ignore = "needs a server"]
fn sessions_are_kept_until_somebody_else_makes_their_schema() {
    let db = fresh("kept_until", "base");
    let web = Web::new(&db, &[]);
    assert_eq!(keep(&web), 201);
    db.sql("SET client_min_messages = warning; DROP SCHEMA chess_web CASCADE");
    db.session_as("mallory").sql(&["CREATE SCHEMA chess_web", TABLE, TRIGGER].join("; "));
    assert_eq!(keep(&web), 404);
    assert_eq!(caught(&db), [""; 0]);
}
