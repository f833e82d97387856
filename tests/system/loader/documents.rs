//! The commands of docs/operating.md and of docs/own-explorer.md, in their order, on a server of their own.

use std::fs;
use std::net::TcpListener;

use chess_system::{Client, Folder, Server, pg_config, read, repository, skip, tool};

/// The blocks of a document that are run.
fn blocks(document: &str) -> Vec<String> {
    let text = String::from_utf8(read(repository(document))).expect("text");
    text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or("").to_owned()).collect()
}

/// Runs each block in a shell of its own, which ends what it has left running.
fn run(db: &Client, files: &Folder, blocks: &[String]) {
    let programs = [
        pg_config("bindir"),
        std::path::Path::new(chess_system::built("chess-pgn").path()).parent().expect("target").to_owned(),
    ];
    let path = std::env::var("PATH").expect("a path");
    let path = programs.iter().map(|dir| dir.display().to_string()).chain([path]).collect::<Vec<_>>().join(":");
    for block in blocks {
        let said = db
            .program(tool("bash"))
            .env("PATH", &path)
            .args(["-euo", "pipefail", "-c"])
            .arg(format!(
                "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\ncd '{}'\n{block}",
                files.path("").display()
            ))
            .output();
        assert_eq!(said.code, Some(0), "{block}\n{}{}", said.stdout, said.stderr);
    }
}

#[test]
#[ignore = "needs a server"]
fn a_server_is_run_as_operating_says() {
    let server = Server::stopped(
        &["fsync = on", "full_page_writes = on", "wal_level = replica", "max_wal_senders = 4", "autovacuum = on"],
        5432,
    );
    server.start();
    let db = Client::new(server.dir(), "postgres");
    let files = Folder::new();
    fs::copy(repository("demo/famous.pgn"), files.path("games.pgn")).expect("games");
    let mut blocks = blocks("docs/operating.md");
    assert!(blocks.len() >= 7, "the document has {} blocks", blocks.len());
    // the page makes its schema when a visitor saves something
    let page = "psql -q -d 'dbname=mydb user=chess_web' -c 'CREATE SCHEMA chess_web' -c 'CREATE TABLE chess_web.kept (a text)'\n";
    blocks.insert(1, page.to_owned());
    // the owner of the database is told no, as the document says
    let owner = "if pg_dump -U loader -Fc -f denied.dump mydb 2>denied; then exit 1; fi; grep 'permission denied for schema chess_web' denied\n";
    blocks.insert(2, owner.to_owned());
    run(&db, &files, &blocks);
    assert_eq!(db.sql("SELECT count(*) FROM pg_database WHERE datname IN ('mydb', 'restored')"), "0");
    assert_eq!(
        db.sql("SELECT count(*) FROM pg_roles WHERE rolname IN ('loader', 'backup', 'chess_web', 'chess_web_read')"),
        "0"
    );
}

#[test]
#[ignore = "needs a server"]
fn the_explorer_of_ones_own_answers_as_its_document_says() {
    if std::process::Command::new("curl").arg("--version").output().is_err() {
        return skip("docs/own-explorer.md: there is no curl", "apt-get install curl");
    }
    let server = Server::stopped(&[], 5432);
    server.start();
    let db = Client::new(server.dir(), "postgres");
    let files = Folder::new();
    fs::copy(repository("demo/famous.pgn"), files.path("games.pgn")).expect("games");
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    let blocks: Vec<String> =
        blocks("docs/own-explorer.md").iter().map(|block| block.replace("8765", &port.to_string())).collect();
    assert!(blocks.len() >= 4, "the document has {} blocks", blocks.len());
    run(&db, &files, &blocks);
}
