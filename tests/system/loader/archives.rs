//! Pipes, a process's output, and archives of several files.

use std::fs;
use std::thread;

use chess_system::{Database, chess_pgn, generated, gzipped, tool, zipped};

use crate::traps::traps;
use crate::{contents, lines_with};

#[test]
#[ignore = "needs a server"]
fn a_named_pipe_is_read_like_a_file() {
    let db = Database::with_extension("pipes");
    let pgn = generated(7, 1000);
    let pipe = db.path("pipe");
    tool("mkfifo").arg(&pipe).succeeds();
    thread::scope(|scope| {
        scope.spawn(|| fs::write(&pipe, &pgn).unwrap());
        db.pgn("load --batch 256 --schema pipe").arg(&pipe).succeeds();
    });
    db.pgn("load --batch 256 --schema file").arg(db.file("moved.pgn", &pgn)).succeeds();
    assert_eq!(contents(&db, "pipe"), contents(&db, "file"));

    // what a shell makes of <(cat FILE)
    let packed = gzipped([traps(), pgn.into(), traps(), generated(13, 500).into()].concat());
    let file = db.file("whole.pgn.gz", packed);
    let loader = chess_pgn();
    db.program(tool("bash"))
        .args(["-c", "\"$0\" load --batch 256 --schema process <(cat \"$1\")"])
        .arg(loader.path())
        .arg(&file)
        .succeeds();
    db.pgn("load --batch 256 --schema whole").arg(&file).succeeds();
    assert_eq!(contents(&db, "process"), contents(&db, "whole"));
}

#[test]
#[ignore = "needs a server"]
fn an_archive_is_a_source_for_each_of_its_files() {
    let db = Database::with_extension("archives");
    let (one, two) = (generated(7, 4000), traps());
    let archive = zipped(&[
        ("read me.txt", b"1. e4 is no game here\n"),
        ("a/one.pgn", one.as_bytes()),
        ("__MACOSX/a/._one.pgn", b"nor is 1. e4 this"),
        ("stored.PGN", &two),
    ]);
    let file = db.file("two.zip", &archive);
    db.pgn("load").arg(&file).succeeds();
    let sources = "SELECT sum(stored), name FROM chess.pieces JOIN chess.sources o ON o.id = source_id GROUP BY name ORDER BY 1 DESC";
    let name = file.display();
    assert_eq!(db.rows(sources), [format!("4000|{name}: a/one.pgn"), format!("28|{name}: stored.PGN")]);
    let again = db.pgn("load").arg(&file).succeeds();
    assert_eq!(lines_with(&again, "before"), ["4032 games had been loaded before"]);
    db.pgn("load").arg(db.file("torn.zip", &archive[..100_000])).fails();
    db.pgn("load -").input(archive).fails();

    let everything = "SELECT (SELECT count(*) FROM chess.games), (SELECT count(*) FROM chess.rejected), (SELECT count(*) FROM chess.pieces), (SELECT count(*) FROM chess.sources)";
    db.pgn("unload").arg(&file).succeeds();
    assert_eq!(db.sql(everything), "0|0|0|0", "an archive is taken back whole");
    db.pgn("unload").arg(&file).fails();
    db.pgn("load").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "4028", "and loaded once more");
    fs::remove_file(&file).unwrap();
    let said = db.pgn("unload").arg(&file).fails();
    let sources = db.sql("SELECT string_agg(id::text, ',' ORDER BY id) FROM chess.sources");
    assert!(
        said.contains(&format!("--source {sources}\n")) && said.contains(&format!("of {name}: stored.PGN")),
        "{said}"
    );
    db.pgn("unload --source").arg(sources).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "0", "what is gone is taken back by its numbers");
}

/// Only one of them could be read.
#[test]
#[ignore = "needs a server"]
fn members_of_one_name_are_refused() {
    let db = Database::with_extension("one_name");
    let mut archive = zipped(&[("a.pgn", b"1. e4 *\n"), ("b.pgn", b"1. d4 *\n")]);
    while let Some(at) = archive.windows(5).position(|name| name == b"b.pgn") {
        archive[at] = b'a';
    }
    let file = db.file("twice.zip", archive);
    for command in ["load", "convert --pgn -"] {
        let said = db.pgn(command).arg(&file).fails();
        assert!(said.contains("a ZIP archive with several files of the same name"), "{said}");
    }
}

#[test]
#[ignore = "needs a server"]
fn what_is_compressed_in_an_archive_is_read_or_named() {
    let db = Database::with_extension("compressed_members");
    let (one, two, three) = (generated(7, 40), generated(8, 30), generated(9, 20));
    let inner = zipped(&[("three.pgn", three.as_bytes())]);
    let tar = [vec![b'x'; 257], b"ustar\x0000".to_vec(), vec![0; 247], three.clone().into()].concat();
    let archive = zipped(&[
        ("one.pgn.gz", &gzipped(&one)),
        ("two.pgn", two.as_bytes()),
        ("inner.zip", &inner),
        ("more.tar", &tar),
        ("deep.pgn.gz", &gzipped(gzipped(&three))),
        ("a\n\u{1b}[2J.pgn", b"no game"),
    ]);
    let file = db.file("all.zip", &archive);
    let said = db.pgn("load").arg(&file).fails();
    let name = file.display().to_string();
    for (member, why) in [
        (
            "inner.zip",
            "a ZIP archive in a stream, which cannot be read from its end: unpack what it is in, and give it as a file",
        ),
        ("deep.pgn.gz", "compressed three times: unpack it first"),
        ("more.tar", "a tar archive: unpack it, as in tar -xOf FILE.tar | chess-pgn load -"),
    ] {
        let line = format!("{name}: {member}: {why}");
        assert!(said.contains(&line), "{line} is not in {said}");
    }
    assert!(said.contains("a\u{fffd}\u{fffd}[2J.pgn") && !said.contains('\u{1b}'), "control characters in {said:?}");
    let sources = "SELECT sum(stored), name FROM chess.pieces JOIN chess.sources o ON o.id = source_id WHERE stored > 0 GROUP BY name ORDER BY 1 DESC";
    assert_eq!(db.rows(sources), [format!("40|{name}: one.pgn.gz"), format!("30|{name}: two.pgn")]);
    let out = db.path("out.pgn");
    let said = db.pgn("convert --pgn").arg(&out).arg(&file).fails();
    assert!(
        said.contains(&format!("{name}: inner.zip: a ZIP archive")) && said.contains("deep.pgn.gz: compressed"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&out).unwrap().matches("[Event ").count(), 70, "the others are converted");
    db.pgn("unload").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.sources"), "0");

    db.pgn("load").arg(db.file("twice.pgn.gz", gzipped(gzipped(&one)))).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "40");
    let large = generated(10, 3000);
    let bomb = db.file("large.zip", zipped(&[("large.pgn.gz", &gzipped(&large))]));
    let said = db.pgn("load --most 1 --schema strangers").arg(&bomb).fails();
    assert!(said.contains("large.pgn.gz: it holds more than 1 MiB when it is unpacked"), "{said}");
}
