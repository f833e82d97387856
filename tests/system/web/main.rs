//! The API of chess-web: answers, rights and limits, over the famous games and those of tests/web/games.pgn.

mod cache;
mod lacking;

use chess_system::{Database, Server, read, repository};

/// A database of this name on a server, with the games and the roles of docs/explorer.md.
fn site<'a>(server: &'a Server, name: &str) -> Database<'a> {
    let db = Database::on(server, name);
    db.sql("CREATE EXTENSION chess");
    let games = ["demo/famous.pgn", "tests/web/games.pgn"].map(|file| read(repository(file))).concat();
    db.pgn("load --index --clocks --evals").arg(db.file("games.pgn", games)).succeeds();
    db.sql("CREATE ROLE chess_web_read LOGIN; CREATE ROLE chess_web LOGIN; GRANT USAGE ON SCHEMA chess TO chess_web_read; GRANT SELECT ON ALL TABLES IN SCHEMA chess TO chess_web_read");
    db.sql(&format!("GRANT CREATE ON DATABASE {name} TO chess_web; REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC"));
    db
}
