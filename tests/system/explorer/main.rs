//! The opening explorer in SQL answers as a plain replay of the games does, with and without indexes and with every kind
//! of filter, and lists the games in order. 1,500 generated games and the famous ones go in.

mod aggregates;
mod answers;
mod consistency;
mod endings;
mod groups;
mod lists;
mod ordered;
mod pages;
mod policies;
mod questions;
mod repertoire;
mod reports;
mod rescans;
mod rights;
mod symmetric;
mod tables;

use std::path::PathBuf;
use std::sync::OnceLock;

use chess_system::{Database, generated, number, read, repository};

/// The file of games, which goes with a database.
fn games(db: &Database<'_>) -> PathBuf {
    let famous = read(repository("demo/famous.pgn"));
    db.file("games.pgn", [generated(3, 1500).into_bytes(), famous].concat())
}

/// Loads the games and gives them every kind of tag, and the functions of replay.sql.
fn load(db: &Database<'_>) {
    db.pgn("load").arg(games(db)).succeeds();
    let replay = read(repository("tests/system/explorer/replay.sql"));
    db.sql(&String::from_utf8(replay).unwrap());
    db.sql(&format!("SELECT setseed(0.{})", number("SEED", 5)));
    db.sql("SELECT replay.dress()");
    db.sql("ANALYZE chess.games");
}

/// Makes the indexes of a load: for games that have every kind of tag already, which is quicker than the other way round.
fn index(db: &Database<'_>) {
    db.pgn("load --index").arg(games(db)).succeeds();
}

/// A copy of a database with the games and the indexes of a load.
fn loaded(name: &str) -> Database<'static> {
    static LOADED: OnceLock<()> = OnceLock::new();
    LOADED.get_or_init(|| {
        let db = Database::new("loaded");
        load(&db);
        index(&db);
    });
    Database::copy("loaded", name)
}
