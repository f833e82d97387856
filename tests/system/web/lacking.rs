//! What the database lacks is told in the terminal and to the page. chess-web ends if only other settings help, and goes on by
//! itself after a load.

use chess_system::{Database, Server, Web, built, read, repository, wait_for};

/// Checks that chess-web ends with a message and a hint, and prints no address; what it says.
#[track_caller]
fn ends(db: &Database<'_>, message: &str, arguments: &[&str]) -> String {
    let web = db.program(built("chess-web")).args(["-l", "127.0.0.1:0"]).args(arguments).output();
    assert_eq!((web.code, web.stdout.as_str()), (Some(1), ""), "{message}: {}", web.stderr);
    assert!(web.stderr.contains(message) && web.stderr.contains("HINT:  "), "{message}: {}", web.stderr);
    web.stderr
}

#[test]
#[ignore = "needs a server"]
fn settings_that_cannot_work_end_it() {
    let server = Server::new();
    let db = Database::on(&server, "games");
    ends(&db, "database \"nodb\" does not exist", &["-d", "nodb", "--no-sessions"]);
    ends(&db, "role \"nobody\" does not exist", &["-d", "user=nobody", "--no-sessions"]);
    ends(&db, "sessions: cannot connect", &["--sessions", "nodb"]);
    db.sql("CREATE ROLE locked LOGIN PASSWORD 'geheim'");
    Database::on(&server, "closed").sql("REVOKE CONNECT ON DATABASE closed FROM PUBLIC");
    ends(&db, "permission denied for database \"closed\"", &["-d", "user=locked dbname=closed", "--no-sessions"]);
    let rules = read(server.dir().join("data/pg_hba.conf"));
    server.write("pg_hba.conf", &[b"local all locked scram-sha-256\n", &*rules].concat());
    db.sql("SELECT pg_reload_conf()");
    // the postmaster reads it with a delay
    wait_for("a server that asks for passwords", || db.try_session_as("locked").is_none());
    let password = "password authentication failed for user \"locked\"";
    let said = ends(&db, password, &["-d", "user=locked password=falsch", "--no-sessions"]);
    assert!(!said.contains("falsch"), "{said}");
    ends(&db, "password missing", &["-d", "user=locked", "--no-sessions"]);
}

/// Waits until the status tells this error, JSON text or null; the status.
#[track_caller]
fn told(web: &Web, error: &str) -> String {
    let mut status = String::new();
    wait_for(&format!("the error {error}"), || {
        status = web.get("/api/status").answer().text();
        status.contains(&format!("\"error\":{error}"))
    });
    status
}

#[test]
#[ignore = "needs a server"]
fn what_may_come_is_waited_for() {
    let server = Server::new();
    let db = Database::on(&server, "bare");
    let serve = |arguments: &[&str]| Web::new(&db, &[&["--no-sessions"], arguments].concat());
    let says = |web: &Web, text: &str| wait_for(text, || web.log().contains(text));

    let gone = serve(&["-d", "host=/nonexistent"]);
    says(&gone, "the database does not answer");
    told(&gone, "\"the database does not answer\"");
    let health = gone.get("/healthz").answer();
    assert_eq!((health.status, health.error().as_str()), (503, "the database does not answer"));
    let bare = serve(&[]);
    says(&bare, "the database has no extension chess; chess-pgn load");
    told(&bare, "\"the database has no extension chess\"");
    db.sql("CREATE EXTENSION chess");
    told(&bare, "\"schema chess holds no tables of chess-pgn\"");
    says(&serve(&[]), "schema chess holds no tables of chess-pgn; chess-pgn load");
    db.pgn("schema").succeeds();
    let none = serve(&[]);
    says(&none, "the database has no games yet; chess-pgn load");
    let status = told(&none, "null");
    assert!(status.contains("\"games\":0") && status.contains("\"hint\":\"chess-pgn load "), "{status}");
    db.sql("CREATE ROLE stranger LOGIN; GRANT USAGE ON SCHEMA chess TO stranger");
    let unread = serve(&["-d", "user=stranger"]);
    says(&unread, "the tables cannot be read; this role may not read");
    told(&unread, "\"the tables cannot be read\"");

    db.pgn("load").arg(repository("demo/famous.pgn")).succeeds();
    let options = serve(&["--engine", "nosuch", "--masters", "source:99"]);
    says(&options, "engine nosuch was not found");
    says(&options, "no source is called 99; the table ");
    let full = serve(&[]);
    let others: Vec<String> =
        full.log().lines().filter(|line| !line.contains("there is no index of positions")).map(str::to_owned).collect();
    assert!(others.is_empty(), "nothing is lacking but an index: {others:?}");
    let health = full.get("/healthz").answer();
    assert_eq!((health.status, health.text().as_str()), (200, "ok\n"));
    for (path, status) in [("/games", 200), ("/player/Nobody", 200), ("/nowhere", 404), ("/nowhere/games", 404)] {
        let page = full.get(path).answer();
        assert_eq!(page.status, status, "{path}");
        assert!(page.text().contains("app.js"), "{path} is answered with the page");
    }
    Database::existing(&server, "postgres").sql("DROP DATABASE bare WITH (FORCE)");
    told(&full, "\"the database does not exist\"");
    assert_eq!(full.get("/healthz").status(), 503);
    let answer = full.get("/api/games").answer();
    assert_eq!(answer.status, 503);
    let said = answer.text();
    assert!(said.contains("\"error\":\"the database does not exist\",\"hint\":\""), "{said}");
    assert!(!said.contains("bare"), "no name of a database on the page: {said}");
}
