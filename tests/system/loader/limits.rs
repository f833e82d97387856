//! Files from strangers: how much of one is read, and what programs are told.

use chess_system::{Database, generated, gzipped, zipped};

use crate::lines_with;

#[test]
#[ignore = "needs a server"]
fn a_file_that_grows_when_it_is_unpacked_has_a_limit() {
    let db = Database::new("limits");
    let games = generated(7, 100);
    // a few kB that become 40 MiB
    let bomb = gzipped([games.as_bytes(), &vec![b' '; 40 << 20]].concat());
    assert!(bomb.len() < 100_000);
    let said = db.pgn("load --most 2 --schema bomb").arg(db.file("bomb.pgn.gz", &bomb)).fails();
    assert!(said.contains("it holds more than 2 MiB when it is unpacked"), "{said}");
    db.pgn("load --most 50 --schema roomy").arg(db.file("bomb.pgn.gz", &bomb)).succeeds();
    assert_eq!(
        db.sql("SELECT count(*) FROM roomy.games"),
        "99",
        "the blanks belong to the last game, which is too long"
    );

    // the files of an archive share the limit
    let half = [games.as_bytes(), &vec![b'\n'; 3 << 19]].concat();
    let archive = zipped(&[("a.pgn", &half), ("b.pgn", &half)]);
    let file = db.file("two.zip", archive);
    let said = db.pgn("load --most 2 --schema shared").arg(&file).fails();
    assert!(said.contains("b.pgn") && said.contains("more than 2 MiB"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM shared.sources WHERE finished IS NOT NULL"), "1", "the first is whole");
    db.pgn("load --most 4 --schema shared").arg(&file).succeeds();

    let names: Vec<String> = (0..10_001).map(|n| format!("{n}.pgn")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"1. e4 *\n"[..])).collect();
    let said = db.pgn("load --most 50 --schema many").arg(db.file("many.zip", zipped(&many))).fails();
    assert!(said.contains("a ZIP archive with 10001 files: more than 10000"), "{said}");
}

#[test]
#[ignore = "needs a server"]
fn programs_are_told_in_json() {
    let db = Database::new("json");
    let file = db.file("a.pgn", "1. e4 e5 1-0\n\n[White \"A\"]\n\n1. d4 d5 2. Kd3 *\n\n[White \"B\"]\n\n1. c4 *\n");
    let report = |arguments: &str, file: &std::path::Path| {
        let out = db.pgn(&format!("load --json {arguments}")).arg(file).writes();
        let lines: Vec<String> = out.lines().map(str::to_owned).collect();
        assert!(lines.iter().all(|line| line.starts_with('{') && line.ends_with('}')), "{out}");
        lines.last().unwrap().clone()
    };
    let said = report("", &file);
    for part in
        ["\"done\":true", "\"stored\":3", "\"incomplete\":1", "\"rejected\":0", "\"sources\":[1]", "\"errors\":[]"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let again = report("--dedupe", &file);
    assert!(again.contains("\"stored\":0") && again.contains("\"before\":3"), "{again}");
    let other = db.file("b.pgn", "[White \"B\"]\n\n1. c4 *\n\n[White \"C\"]\n\n1. f4 *\n");
    let said = report("--changed", &other);
    assert!(said.contains("\"stored\":1") && said.contains("\"duplicates\":1"), "{said}");
    assert!(said.contains("\"sources\":[2]"), "{said}");
    let none = db.pgn("load --json").arg(db.file("none.pgn", "\n")).fails();
    assert!(lines_with(&none, "\"errors\":[\"").len() == 1 && none.contains("none.pgn: no games in it"), "{none}");
}
