//! A disk that is full.

use chess_system::{Database, Server, chess_pgn, read, skip, tool};

use crate::contents;
use crate::crash::{calm, many};

/// Whatever is written to a file or to standard output: the program says once that there is no room, and ends so.
#[test]
#[ignore = "needs a server"]
fn whatever_is_written_may_find_no_room() {
    let db = Database::loaded("no_room", "1. e4 e5 2. Nf3 *\n\n1. d4 d5 1-0\n");
    db.sql(
        "INSERT INTO chess.puzzles (name, before, lead, board, solution, rating, kind)
         VALUES ('x', startboard(), 'e2e4', finalboard('1. e4'), '{e7e5}', 1500, 'import')",
    );
    let full = || std::fs::File::create("/dev/full").unwrap();
    let room = "No space left on device (os error 28)";
    for (words, file) in [
        ("export", "standard output"),
        ("puzzles --export -", "standard output"),
        ("puzzles --export /dev/full", "/dev/full"),
        ("book make --min-games 1 --out /dev/full", "/dev/full"),
        ("players --review /dev/full", "/dev/full"),
        ("names events --review /dev/full", "/dev/full"),
    ] {
        let said = db.pgn(words).to(full()).fails();
        let message =
            format!("chess-pgn: cannot write {}{file}: {room}", if file.starts_with('/') { "" } else { "to " });
        assert_eq!(said.lines().filter(|line| line.contains("No space")).collect::<Vec<_>>(), [message], "{words}");
        assert!(!said.contains("panicked"), "{words}: {said}");
    }
    // With this limit on the size of files, the commands cannot write a byte, and leave the old file as it was.
    let old = db.file("old", "old");
    for words in ["puzzles --export", "book make --min-games 1 --out", "players --review", "names events --review"] {
        let limited = tool("bash").args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""]).arg(chess_pgn().path());
        let said = db.program(limited).words(words).arg(&old).fails();
        assert!(said.contains(&format!("cannot write {}: File too large", old.display())), "{words}: {said}");
        assert_eq!(read(&old), b"old", "{words}");
    }
    // The work is done, but what was to be said of it is lost.
    for words in ["twins", "twins --keep best --dry-run", "puzzles", "migrate", "names sites", "players"] {
        let said = db.pgn(words).to(full()).fails();
        assert!(said.ends_with(&format!("chess-pgn: cannot write to standard output: {room}\n")), "{words}: {said}");
    }
    db.pgn("load --json").arg(db.file("more.pgn", "1. c4 *\n")).to(full()).fails();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "3");
}

#[test]
#[ignore = "needs a server"]
fn a_load_that_fills_the_disk_can_be_repeated() {
    let server = Server::new();
    let Some(disk) = server.small_disk("2m") else {
        return skip("a full disk: only root can mount a small one", "run the tests as root");
    };
    let everywhere = Database::existing(&server, "postgres");
    everywhere.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.display()));
    everywhere.sql("CREATE DATABASE filled");
    everywhere.sql("ALTER DATABASE filled SET default_tablespace = small");
    let db = Database::existing(&server, "filled");
    let file = db.file("big.pgn.bz2", many());
    let said = db.pgn("load").arg(&file).fails();
    // The last page may still have room for its first half.
    assert!(said.contains("No space left") || said.contains("Check free disk space"), "{said}");
    server.resize_disk("200m");
    db.pgn("load").arg(&file).succeeds();
    assert_eq!(contents(&db, "chess"), calm());
}
