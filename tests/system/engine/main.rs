//! chess-pgn analyze stores what the engine says, once and for all: also when it is killed, when the server or the engine
//! fails, when two of them run at once; chess-pgn play stores games that were played by the rules. Stockfish and an engine
//! with faults say something, endgame tables and files too; rows and messages come out. After each test no engine may be left.

mod analyze;
mod answers;
mod crash;
mod disk;
mod exact;
mod faults;
mod play;
mod puzzles;
mod views;

use std::fs;
use std::sync::OnceLock;

use chess_system::{Database, PATIENCE, Program, repository, wait_for};

/// A variable that chess-pgn and its engines inherit: its value is the database.
const MARK: &str = "ENGINE_TEST";

/// chess-pgn analyze on a database, with time enough for every position on a slow machine.
fn analyze(db: &Database<'_>, words: &str) -> Program {
    pgn(db, "analyze").arg("--deadline").arg(PATIENCE.as_secs().to_string()).words(words)
}

/// chess-pgn on a database, by whose mark its engines are found.
fn pgn(db: &Database<'_>, words: &str) -> Program {
    db.pgn(words).env(MARK, mark(db))
}

fn mark(db: &Database<'_>) -> String {
    format!("{}-{}", std::process::id(), db.name())
}

/// Waits until no engine of the database is left.
#[track_caller]
fn no_engine_is_left(db: &Database<'_>) {
    wait_for("the end of engines", || engines(&format!("{MARK}={}", mark(db))).is_empty());
}

/// The engines whose environment has this line.
fn engines(line: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let ours = processes.filter(|process| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == line.as_bytes())
    });
    let names = ours.map(|process| fs::read_to_string(process.join("comm")).unwrap_or_default().trim().to_owned());
    names.filter(|name| ["stockfish", "perl", "fake"].contains(&name.as_str())).collect()
}

/// A copy of a database with the famous games.
fn famous(name: &str) -> Database<'static> {
    static FAMOUS: OnceLock<()> = OnceLock::new();
    FAMOUS.get_or_init(|| load_famous(&Database::new("famous")));
    Database::copy("famous", name)
}

/// A copy of a database of whose famous games the first twenty are analyzed with 5,000 nodes.
fn analyzed(name: &str) -> Database<'static> {
    static ANALYZED: OnceLock<()> = OnceLock::new();
    ANALYZED.get_or_init(|| {
        analyze(&famous("analyzed"), "--nodes 5000 --reproducible --where").arg("id <= 20").succeeds();
    });
    Database::copy("analyzed", name)
}

fn load_famous(db: &Database<'_>) {
    db.pgn("load").arg(repository("demo/famous.pgn")).succeeds();
}

/// What is stored, without numbers and times.
fn rows(db: &Database<'_>) -> String {
    db.sql(
        "SELECT count(*), md5(string_agg(md5((to_jsonb(a) - '{engine_id,time_ms,at}'::text[])::text), '' ORDER BY key, halfmove_clock)) FROM chess.analysis a",
    )
}

/// A program that is an engine with faults: `FAKE_FAULT` says which.
fn fake(db: &Database<'_>) -> std::path::PathBuf {
    let engine = repository("crates/chess-uci/tests/fake-engine.pl");
    db.script("fake", &format!("#!/bin/sh\nexec perl '{}' \"$@\"\n", engine.display()))
}
