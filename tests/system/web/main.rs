//! The API of chess-web: answers, rights and limits, over the famous games and those of tests/web/games.pgn.

mod budgets;
mod cache;
mod crowds;
mod devices;
mod endings;
mod engines;
mod hosts;
mod lacking;
mod lichess;
mod lost;
mod metrics;
mod notebooks;
mod novelty;
mod places;
mod proxy;
mod reports;
mod requests;
mod sessions;
mod shares;

use std::sync::OnceLock;

use chess_system::{Client, Database, Server, Session, Web, read, repository, wait_for};

/// A database of this name on a server, with the games, for the roles of docs/explorer.md.
fn site<'a>(server: &'a Server, name: &str) -> Database<'a> {
    let db = Database::on(server, name);
    db.sql("CREATE EXTENSION chess");
    let games = ["demo/famous.pgn", "tests/web/games.pgn"].map(|file| read(repository(file))).concat();
    db.pgn("load --index --clocks --evals").arg(db.file("games.pgn", games)).succeeds();
    roles(&db);
    db.sql(
        "GRANT USAGE ON SCHEMA chess TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO chess_web_read",
    );
    open(&db);
    db
}

/// Creates the roles, unless another test of this server has.
fn roles(db: &Client) {
    db.sql(
        "DO $$ BEGIN CREATE ROLE chess_web_read LOGIN; CREATE ROLE chess_web LOGIN;
         EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$",
    );
}

/// Grants what a copy of a database does not have.
fn open(db: &Client) {
    let name = db.name();
    db.sql(&format!("GRANT CREATE ON DATABASE {name} TO chess_web; REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC"));
}

/// The same on the server that the tests share.
fn shared_site(name: &str) -> Database<'static> {
    static SITE: OnceLock<()> = OnceLock::new();
    SITE.get_or_init(|| drop(site(Server::shared(), "site")));
    let db = Database::copy("site", name);
    open(&db);
    db
}

/// A chess-web that only reads.
fn reading(db: &Client, arguments: &[&str]) -> Web {
    Web::new(db, &[&["--database", &db.settings("chess_web_read"), "--no-sessions"], arguments].concat())
}

/// A chess-web with everything that visitors may do.
fn serving(db: &Client) -> Web {
    serving_with(db, &[])
}

fn serving_with(db: &Client, arguments: &[&str]) -> Web {
    let (read, write) = (db.settings("chess_web_read"), db.settings("chess_web"));
    Web::new(db, &[&["--database", &read, "--sessions", &write, "--upload"], arguments].concat())
}

/// Locks a table until the session ends its transaction, so that questions that read it wait.
fn hold(db: &Client, table: &str) -> Session {
    let mut session = db.session();
    session.sql("BEGIN");
    session.sql(&format!("LOCK TABLE {table}"));
    session
}

/// The processes of questions of chess-web that wait for a lock.
fn waiting(db: &Client) -> Vec<String> {
    db.rows(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'chess-web' AND wait_event_type = 'Lock'",
    )
}

fn wait_for_questions(db: &Client, count: usize) {
    wait_for(&format!("{count} waiting questions"), || waiting(db).len() == count);
}
