//! Databases of ocgdb: SQLite files with games in rows.

use std::fs;
use std::path::{Path, PathBuf};

use chess_system::Database;
use rusqlite::{Connection, params};

/// Adds games with these numbers to a database with a write-ahead log, which is made if it is not there.
fn add_games(file: &Path, first: i64, last: i64) -> Connection {
    let db = Connection::open(file).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.execute_batch(
        "CREATE TABLE IF NOT EXISTS Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
         CREATE TABLE IF NOT EXISTS Events (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
         CREATE TABLE IF NOT EXISTS Sites (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
         CREATE TABLE IF NOT EXISTS Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
         INSERT OR IGNORE INTO Players VALUES (1, 'A', NULL), (2, 'B', NULL);
         CREATE TABLE IF NOT EXISTS Games (ID INTEGER PRIMARY KEY, EventID INTEGER, SiteID INTEGER, Date TEXT, WhiteID INTEGER,
             BlackID INTEGER, Result INTEGER, Moves TEXT);
         BEGIN",
    )
    .unwrap();
    for id in first..=last {
        let moves = match id {
            _ if id % 1000 == 7 => "1. e4 e5 2. Ke3",
            _ if id % 2 == 1 => "1. e4 e5 2. Nf3 Nc6",
            _ => "1. d4 d5",
        };
        db.execute("INSERT INTO Games VALUES (?1, 1, 1, '1999-01-01', 1, 2, '1-0', ?2)", params![id, moves]).unwrap();
    }
    db.execute_batch("COMMIT").unwrap();
    db
}

#[test]
#[ignore = "needs a server"]
fn a_database_grows_and_changes() {
    let db = Database::with_extension("ocgdb");
    let file = db.path("games.db3");
    drop(add_games(&file, 1, 5000));
    let load = |words: &str| db.pgn(words).arg(&file).succeeds();
    let counts = |what: &str| db.sql(&format!("SELECT count(*), {what} FROM chess.games"));
    load("load");
    assert_eq!(counts("count(error)"), "5000|5");

    // who adds these rows ends without moving them from the write-ahead log into the main file
    let before = fs::read(&file).unwrap();
    let log = db.path("games.db3-wal");
    let writer = add_games(&file, 5001, 5010);
    let logged = fs::read(&log).unwrap();
    assert!(fs::read(&file).unwrap() == before, "the new rows are in the write-ahead log alone");
    drop(writer);
    fs::write(&file, &before).unwrap();
    fs::write(&log, logged).unwrap();
    load("load");
    assert_eq!(counts("count(error)"), "5010|6", "rows in a write-ahead log");
    drop(add_games(&file, 5011, 10_000));
    load("load");
    assert_eq!(
        counts("(SELECT count(*) FROM chess.sources)"),
        "10000|1",
        "a database that has grown is the same source"
    );

    Connection::open(&file).unwrap().execute("UPDATE Games SET Moves = '1. c4' WHERE ID = 4500", []).unwrap();
    load("load --dedupe");
    assert_eq!(
        counts("(SELECT count(*) FROM chess.sources)"),
        "10001|2",
        "what has changed is loaded as another source"
    );
}

/// A database as ocgdb writes it: no text of the moves, comments in a table of their own, in the order of its threads.
fn with_comments(file: &Path) {
    let db = Connection::open(file).unwrap();
    db.execute_batch(
        "CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
         INSERT INTO Info (Name, Value) VALUES ('Version', '0.1'), ('Variant', 'standard'), ('License', 'free');
         CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
         INSERT INTO Events (Name) VALUES (''), ('Club');
         CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
         INSERT INTO Sites (Name) VALUES ('');
         CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
         INSERT INTO Players (ID, Name) VALUES (1, ''), (2, 'A'), (3, 'B');
         CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER, Date TEXT, Round INTEGER,
             WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER, Result INTEGER, Timer TEXT, ECO TEXT,
             PlyCount INTEGER, FEN TEXT, Moves2 BLOB DEFAULT NULL);
         CREATE TABLE Comments (ID INTEGER PRIMARY KEY AUTOINCREMENT, GameID INTEGER, Ply INTEGER, Comment TEXT);
         BEGIN",
    )
    .unwrap();
    let square = |name: &str| {
        let name = name.as_bytes();
        u16::from(name[0] - b'a') + 8 * u16::from(b'8' - name[1])
    };
    let codes = ["e2e4", "e7e5", "g1f3", "b8c6"].map(|played| square(&played[..2]) | square(&played[2..]) << 6);
    let moves: Vec<u8> = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
    for id in 1..=9000 {
        let row = "INSERT INTO Games VALUES (?1, 2, 1, '2024-01-31', 1, 2, 2000, 3, NULL, '1-0', '300+3', 'C44', 4, NULL, ?2)";
        db.prepare_cached(row).unwrap().execute(params![id, moves]).unwrap();
    }
    let comment = |id: i64, ply: i64, text: &str| {
        let row = "INSERT INTO Comments (GameID, Ply, Comment) VALUES (?1, ?2, ?3)";
        db.prepare_cached(row).unwrap().execute(params![id, ply, text]).unwrap();
    };
    for id in (1..=9000).rev() {
        if id % 3 == 0 {
            comment(id, 3, &format!("game {id}"));
            comment(id, 0, "[%clk 0:04:58] [%emt 0:00:02]");
        }
        if id % 1000 == 0 {
            comment(id, -1, "before");
        }
    }
    db.execute_batch("COMMIT").unwrap();
}

#[test]
#[ignore = "needs a server"]
fn comments_of_ocgdb_are_at_their_places() {
    let db = Database::with_extension("ocgdb_comments");
    let file = db.path("comments.ocgdb.db3");
    with_comments(&file);
    let load = |schema: &str, file: PathBuf| db.pgn("load --clocks --schema").arg(schema).arg(file).succeeds();
    load("ocgdb", file.clone());
    let annotated = db
        .sql("SELECT count(*), count(annotated), max(annotated) FILTER (WHERE source_offset = 9000) FROM ocgdb.games");
    assert_eq!(annotated, "9000|3006|{before} 1. e4 {[%clk] [%emt 0:00:02]} 1... e5 2. Nf3 Nc6 {game 9000} 1-0");
    let own = "SELECT count(*), count(*) FILTER (WHERE annotated LIKE '%{game ' || source_offset || '}%' AND clocks[1] = 2980) FROM ocgdb.games WHERE clocks IS NOT NULL";
    assert_eq!(db.sql(own), "3000|3000", "each game has its own");
    let alone = db.sql("SELECT min(annotated) FROM ocgdb.games WHERE clocks IS NULL");
    assert_eq!(alone, "{before} 1. e4 e5 2. Nf3 Nc6 1-0", "a comment without clocks");
    load("ocgdb", file);
    assert_eq!(db.sql("SELECT count(*) FROM ocgdb.games"), "9000", "nothing new");

    let pgn = db.pgn("export --schema ocgdb").writes();
    let with = |word: &str| pgn.lines().filter(|line| line.contains(word)).count();
    assert_eq!(
        (with("{ [%clk 0:04:58] [%emt 0:00:02] }"), with("{ game")),
        (3000, 3000),
        "elapsed times are written as they were"
    );
    load("again", db.file("comments.pgn", &pgn));
    assert!(db.pgn("export --schema again").writes() == pgn, "the same from PGN");
    // The texts differ in their blanks.
    let others = |schema: &str| {
        db.rows(&format!("SELECT to_jsonb(v) - '{{id,source,source_id,source_offset,annotated}}'::text[] FROM {schema}.pgn_view v ORDER BY source_offset"))
    };
    assert!(others("again") == others("ocgdb"), "also in the other columns");
}
