//! A disk that is full.

use chess_system::{Database, Server, skip};

use crate::contents;
use crate::crash::{calm, many};

#[test]
#[ignore = "needs a server"]
fn a_load_that_fills_the_disk_can_be_repeated() {
    let server = Server::new();
    let Some(disk) = server.small_disk("3m") else {
        return skip("a full disk: only root can mount a small one", "run the tests as root");
    };
    let everywhere = Database::existing(&server, "postgres");
    everywhere.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.display()));
    everywhere.sql("CREATE DATABASE filled");
    everywhere.sql("ALTER DATABASE filled SET default_tablespace = small");
    let db = Database::existing(&server, "filled");
    let file = db.file("big.pgn.bz2", many());
    let said = db.pgn("load").arg(&file).fails();
    assert!(said.to_lowercase().contains("no space left"), "{said}");
    server.resize_disk("200m");
    db.pgn("load").arg(&file).succeeds();
    assert_eq!(contents(&db, "chess"), calm());
}
