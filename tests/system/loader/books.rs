//! Opening books: games go in, the entries that Polyglot makes of them come out; books of files go in, moves come out.

use std::fs;
use std::path::{Path, PathBuf};

use chess_system::{Database, generated, read, skip, tool};

/// Key, move, weight, learn.
type Entry = (u64, u16, u16, u32);

fn entries(file: impl AsRef<Path>) -> Vec<Entry> {
    let bytes = read(file);
    let (entries, rest) = bytes.as_chunks::<16>();
    assert!(rest.is_empty(), "whole entries");
    let number = |bytes: &[u8]| bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
    let entry =
        |e: &[u8; 16]| (number(&e[..8]), number(&e[8..10]) as u16, number(&e[10..12]) as u16, number(&e[12..]) as u32);
    entries.iter().map(entry).collect()
}

/// Sorted, because Polyglot leaves open the order among equals.
fn sorted(file: impl AsRef<Path>) -> Vec<Entry> {
    let mut entries = entries(file);
    entries.sort_unstable();
    entries
}

/// The program `polyglot`, if the machine has it.
fn polyglot() -> Option<PathBuf> {
    let found =
        [Path::new("/usr/games/polyglot"), Path::new("/usr/bin/polyglot")].into_iter().find(|path| path.exists());
    if found.is_none() {
        skip("books are not compared with those of polyglot", "the package polyglot");
    }
    found.map(Into::into)
}

/// Special moves, games without a result, and games from other positions.
const SPECIAL: &str = r#"[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O 1-0

[Result "*"]

1. e4 a6 2. e5 d5 3. exd6 *

[Result "0-1"]

1. e4 a6 0-1

[Result "1-0"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/8/R3K3 w Q - 0 1"]

1. O-O-O Kf7 2. a8=N 1-0

[Result "1-0"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "1k6/8/8/8/8/8/8/5KR1 w G - 0 1"]

1. O-O 1-0

"#;

#[test]
#[ignore = "needs a server"]
fn a_book_has_the_moves_of_the_games() {
    let db = Database::loaded("books", SPECIAL);
    let out = db.path("out.bin");
    let make = |words: &str| {
        db.pgn(&format!("book make {words} --out")).arg(&out).succeeds();
        entries(&out)
    };
    let all = make("--min-games 1");
    assert!(all.is_sorted_by_key(|entry| entry.0) && all.iter().all(|entry| entry.3 == 0));
    let has = |code: u16, weight: u16| all.iter().filter(|e| (e.1, e.2) == (code, weight)).count();
    assert_eq!(
        all.iter().find(|e| e.0 == 0x463b_9618_1691_fc9c),
        Some(&(0x463b_9618_1691_fc9c, 0o1434, 3, 0)),
        "1. e4"
    );
    assert_eq!(has(0o6050, 3), 1, "1. … a6 drew, or is not over, and won");
    assert_eq!(has(0o4453, 1), 1, "en passant");
    assert_eq!((has(0o0407, 2), has(0o0400, 2), has(0o0506, 2)), (1, 1, 1), "the king moves onto its rook");
    assert_eq!(has(0o6070 | 1 << 12, 2), 1, "a knight");
    assert_eq!(all.len(), 11, "no moves of those who lost: {all:?}");

    assert_eq!(make("").iter().map(|e| e.1).collect::<Vec<_>>(), [0o1434], "three games");
    assert_eq!(make("--min-games 2 --max-ply 2").len(), 2);
    let said = db.pgn("book make --min-games 4 --out").arg(&out).fails();
    assert!(said.contains("no move is played by as many games"), "{said}");
    assert_eq!(entries(&out).len(), 2, "a book without entries replaces none");
    let (white, black) = (make("--min-games 1 --color w"), make("--min-games 1 --color b"));
    assert_eq!((white.len(), black.len()), (9, 2));
    let drawn =
        db.pgn("book make --min-games 1 --where").arg("result = '*' -- drawn").arg("--out").arg(&out).succeeds();
    assert!(drawn.contains("5 entries of 1 games"), "{drawn}");
    db.pgn("book make --where").args(["result =", "--out"]).arg(&out).fails();
    let said = db.pgn("book make --out /nowhere/x.bin").fails();
    assert!(said.contains("cannot write /nowhere/x.bin"), "{said}");

    db.sql("CREATE ROLE bookworm LOGIN; GRANT USAGE ON SCHEMA chess TO bookworm; GRANT SELECT ON chess.pgn_view TO bookworm");
    db.pgn("book make --min-games 1 --out").arg(&out).env("PGUSER", "bookworm").succeeds();
    assert_eq!(entries(&out), all, "who may read the view alone makes the same");
}

#[test]
#[ignore = "needs a server"]
fn a_book_is_that_of_polyglot() {
    let Some(polyglot) = polyglot() else { return };
    let db = Database::with_extension("books_polyglot");
    // The order of the games of popular openings decides how their weights are rounded.
    let popular = ["1. e4 e5 1-0", "1. e4 c5 0-1", "1. d4 d5 1/2-1/2", "1. e4 e5 *"];
    let game = |n: usize| {
        let moves = popular[n * n % 7 % 4];
        format!("[Result \"{}\"]\n\n{moves}\n\n", moves.rsplit_once(' ').unwrap().1)
    };
    let popular: String = (0..40_000).map(game).collect();
    for (name, pgn, ours, theirs) in [
        ("generated", generated(34, 2000), "", ""),
        ("all", generated(35, 500), "--min-games 1 --max-ply 30 --color b", "-min-game 1 -max-ply 30 -only-black"),
        ("popular", popular, "--min-games 2", "-min-game 2"),
    ] {
        // Polyglot knows no other start.
        let games = pgn.split_inclusive("\n\n[Event").filter(|game| !game.contains("[FEN"));
        let file = db.file("games.pgn", games.collect::<String>());
        db.pgn(&format!("load --jobs 1 --schema {name}")).arg(&file).succeeds();
        let (one, other) = (db.path("ours.bin"), db.path("theirs.bin"));
        db.pgn(&format!("book make --schema {name} {ours} --where"))
            .arg("error IS NULL")
            .arg("--out")
            .arg(&one)
            .succeeds();
        tool(&polyglot).words("make-book -pgn").arg(&file).arg("-bin").arg(&other).words(theirs).succeeds();
        let (ours, theirs) = (sorted(&one), sorted(&other));
        assert!(!theirs.is_empty(), "{name}");
        let differ = ours.iter().filter(|entry| !theirs.contains(entry)).count();
        assert!(ours == theirs, "{name}: {} and {} entries, {differ} differ", ours.len(), theirs.len());
        assert!(entries(&one).is_sorted_by_key(|entry| entry.0), "{name}: sorted");
    }
}

#[test]
#[ignore = "needs a server"]
fn stored_books_answer() {
    let db = Database::with_extension("books_stored");
    let (start, e4) = (0x463b_9618_1691_fc9c_u64, 0x823c_9b50_fd11_4196_u64);
    let book = |entries: &[(u64, u16, u16)]| -> Vec<u8> {
        let entry = |(key, code, weight): &(u64, u16, u16)| {
            [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0, 0, 0, 9]].concat()
        };
        entries.iter().flat_map(entry).collect()
    };
    let load = |name: &str, bytes: Vec<u8>| db.pgn("book load").arg(db.file(name, bytes));
    // a move that is not legal, one without weight, one twice, a key of no position
    let odd = [
        (start, 0o1434, 30),
        (start, 0o0141, 7),
        (start, 0o1333, 0),
        (start, 0o1434, 10),
        (0, 0, 0),
        (1, 0o1434, 1),
        (2, 0o1434, 1),
        (u64::MAX, 0o1434, 1),
    ];
    let said = load("odd one.bin", book(&odd)).succeeds();
    assert!(said.contains("book odd one: 8 entries of 5 positions"), "{said}");
    assert!(said.contains("not sorted by key") && said.contains("1 of its entries hold no move"), "{said}");
    load("other.bin", book(&[(start, 0o1333, 65_535), (e4, 0o6242, 1)])).succeeds();
    let moves = "SELECT book, san, uci, weight, round(share::numeric, 2) FROM chess.book_moves(startBoard(''))";
    assert_eq!(
        db.rows(moves),
        ["odd one|e4|e2e4|30|0.75", "odd one|e4|e2e4|10|0.25", "odd one|d4|d2d4|0|0.00", "other|d4|d2d4|65535|1.00"]
    );
    assert_eq!(db.sql("SELECT string_agg(san, ',') FROM chess.book_moves(finalBoard('1. e4'), 'other')"), "c5");
    assert_eq!(db.sql("SELECT count(*) FROM chess.book_moves(finalBoard('1. e4'), 'odd one')"), "0");
    assert_eq!(db.sql("SELECT count(*) FROM chess.book_moves('8/8/8/8/8/8/8/8')"), "0", "no error on an illegal board");
    assert_eq!(db.sql("SELECT DISTINCT learn FROM chess.book_entries"), "9");
    // What no file can hold is refused: one such row would fail every question about its position.
    for change in ["move = -1", "move = 65536", "weight = -1", "weight = 65536"] {
        let refused = db.refuses(&format!("UPDATE chess.book_entries SET {change}"));
        assert_eq!(refused.code, "23514", "{}", refused.message);
    }

    load("other.bin", book(&[(start, 0o1232, 4)])).succeeds();
    db.pgn("book load --name second").arg(db.path("other.bin")).succeeds();
    assert_eq!(
        db.sql("SELECT string_agg(book || san, ' ') FROM chess.book_moves(startBoard('')) WHERE weight = 4"),
        "otherc4 secondc4"
    );
    let (plain, packed) = (db.path("other.bin"), db.path("packed.bin.zst"));
    tool("zstd").arg(&plain).arg("-o").arg(&packed).succeeds();
    db.pgn("book load").arg(&packed).succeeds();
    let is_same = "SELECT count(*) FROM chess.book_moves(startBoard(''), 'packed') WHERE san = 'c4' AND weight = 4";
    assert_eq!(db.sql(is_same), "1");
    db.pgn("book drop packed").succeeds();
    db.pgn("book drop second").succeeds();
    assert!(db.pgn("book drop second").fails().contains("has no book named second"));
    assert_eq!(db.sql("SELECT count(*), count(DISTINCT book_id) FROM chess.book_entries"), "9|2");

    for (bytes, reason) in [
        (vec![], "an empty file"),
        (book(&odd)[..40].to_vec(), "and it has 40"),
        (generated(1, 4).into_bytes()[..1600].to_vec(), "not a Polyglot book"),
    ] {
        let said = load("ugly.bin", bytes).fails();
        assert!(said.contains(reason) && said.contains("ugly.bin"), "{said}");
    }
    assert!(db.pgn("book load /nowhere.bin").fails().contains("cannot read /nowhere.bin"));
    assert_eq!(db.sql("SELECT count(*) FROM chess.books"), "2");
}

/// The book of Debian's package gnuchess-book.
#[test]
#[ignore = "needs a server"]
fn a_large_book_is_stored_as_it_is() {
    let file = "/usr/share/games/gnuchess/book.bin";
    if !fs::exists(file).unwrap() {
        return skip("a large book", "the package gnuchess-book");
    }
    let db = Database::with_extension("books_large");
    assert!(db.pgn("book load --name gnu").arg(file).succeeds().contains("book gnu: 180358 entries"));
    let stored = db.rows("SELECT lpad(to_hex(key), 16, '0') || ' ' || move || ' ' || weight || ' ' || learn FROM chess.book_entries ORDER BY number");
    let expected = entries(file);
    assert!(
        stored.iter().eq(expected
            .iter()
            .map(|(key, code, weight, learn)| format!("{key:016x} {code} {weight} {learn}"))
            .collect::<Vec<_>>()
            .iter())
    );
    let first: Vec<String> = db.rows("SELECT uci || ' ' || weight FROM chess.book_moves(startBoard(''))");
    assert_eq!(first.len(), expected.iter().filter(|entry| entry.0 == 0x463b_9618_1691_fc9c).count());
}
