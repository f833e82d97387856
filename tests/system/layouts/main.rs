//! chess-pgn loads the same games into tables of every layout of docs/scaling.md: partitioned, made beforehand, foreign,
//! hosted elsewhere, and on each server by itself. Three files of games go in; the export of each layout is that of one plain table.

mod features;
mod foreign;
mod hosted;
mod partitions;
mod prepared;
mod shards;

use std::path::PathBuf;
use std::sync::OnceLock;

use chess_system::{Database, generated};

/// What a plain table holds after a load, and what was said of it.
struct Reference {
    export: String,
    export_by_source: String,
    outcome: String,
}

/// The files, and two plain tables of their games: all of them, and equal games once.
struct Plain {
    db: Database<'static>,
    files: [PathBuf; 3],
    all: Reference,
    single: Reference,
}

/// The tables that all tests compare with.
fn plain() -> &'static Plain {
    static PLAIN: OnceLock<Plain> = OnceLock::new();
    PLAIN.get_or_init(|| {
        let db = Database::new("plain");
        let b = [
            generated(32, 1500).into_bytes(),
            b"[Event \"cut short\"]\n[White \"M\xfcller\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"none\"]\n\n1. e9 *\n\n"
                .to_vec(),
            b"[White \"quoted \\\"name\\\"\"]\n[Date \"????.??.??\"]\n\n1. d4 *\n\n".to_vec(),
        ];
        let files = [
            db.file("a.pgn", generated(31, 1500)),
            db.file("b.pgn", b.concat()),
            // games of the first file, in another one
            db.file("c.pgn", format!("\n{}", generated(31, 150))),
        ];
        let load = |words: &str, schema: &str| {
            let said = db.pgn(words).arg("--schema").arg(schema).args(&files).succeeds();
            Reference {
                export: export(&db, schema, ""),
                export_by_source: export(&db, schema, "--order source"),
                outcome: outcome(&said),
            }
        };
        let (all, single) = (load("load", "plain"), load("load --dedupe", "single"));
        assert_eq!(db.sql("SELECT count(*) > 3000 AND count(error) = 1 FROM plain.games"), "t");
        assert_ne!(single.export, all.export, "there are equal games");
        Plain { db, files, all, single }
    })
}

fn export(db: &Database<'_>, schema: &str, words: &str) -> String {
    db.pgn("export --schema").arg(schema).words(words).writes()
}

/// What a load says it has done, apart from the time.
fn outcome(said: &str) -> String {
    let lines = said.lines().filter_map(|line| line.split_once(" games/s): "));
    lines.map(|(_, outcome)| outcome).collect::<Vec<_>>().join("\n")
}

/// How many foreign keys a load says there cannot be.
fn missing_keys(said: &str) -> usize {
    said.lines().filter(|line| line.starts_with("no foreign key")).count()
}
