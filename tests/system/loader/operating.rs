//! The commands of docs/operating.md, in their order, on a server of their own.

use std::fs;

use chess_system::{Client, Folder, Server, pg_config, read, repository, tool};

#[test]
#[ignore = "needs a server"]
fn the_commands_of_the_document_work() {
    let server = Server::stopped(
        &["fsync = on", "full_page_writes = on", "wal_level = replica", "max_wal_senders = 4", "autovacuum = on"],
        5432,
    );
    server.start();
    let db = Client::new(server.dir(), "postgres");
    let files = Folder::new();
    fs::copy(repository("demo/famous.pgn"), files.path("games.pgn")).expect("games");
    let text = String::from_utf8(read(repository("docs/operating.md"))).expect("text");
    let mut blocks: Vec<&str> =
        text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or("")).collect();
    assert!(blocks.len() >= 7, "the document has {} blocks", blocks.len());
    // the page makes its schema when a visitor saves something
    let page = "psql -q -d 'dbname=mydb user=chess_web' -c 'CREATE SCHEMA chess_web' -c 'CREATE TABLE chess_web.kept (a text)'\n";
    blocks.insert(1, page);
    // the owner of the database is told no, as the document says
    let owner = "if pg_dump -U loader -Fc -f denied.dump mydb 2>denied; then exit 1; fi; grep 'permission denied for schema chess_web' denied\n";
    blocks.insert(2, owner);
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
            .arg(format!("cd '{}'\n{block}", files.path("").display()))
            .output();
        assert_eq!(said.code, Some(0), "{block}\n{}{}", said.stdout, said.stderr);
    }
    assert_eq!(db.sql("SELECT count(*) FROM pg_database WHERE datname IN ('mydb', 'restored')"), "0");
    assert_eq!(
        db.sql("SELECT count(*) FROM pg_roles WHERE rolname IN ('loader', 'backup', 'chess_web', 'chess_web_read')"),
        "0"
    );
}
