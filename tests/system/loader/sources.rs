//! Files as they come: plain, packed, moved, changed, torn, endless, or without any game.

use std::fs;

use chess_system::{Database, generated, gzipped, tool};

use crate::traps::traps;
use crate::{contents, lines_with};

const KNOWN: &str = "4000 games had been loaded before";

fn games(db: &Database<'_>, schema: &str) -> String {
    db.sql(&format!("SELECT count(*) FROM {schema}.games"))
}

#[test]
#[ignore = "needs a server"]
fn a_packed_file_holds_the_same_games() {
    let db = Database::new("packed");
    let pgn = generated(7, 1000);
    let plain = db.file("gen.pgn", &pgn);
    db.pgn("load --batch 256 --schema plain").arg(&plain).succeeds();
    let packed = gzipped(&pgn);
    let gz = db.file("gen.pgn.gz", &packed);
    tool("bzip2").arg("-k").arg(&plain).succeeds();
    db.pgn("load --batch 256 --schema gz -").input(packed.clone()).succeeds();
    db.pgn("load --batch 256 --schema bz").arg(db.path("gen.pgn.bz2")).succeeds();
    for schema in ["gz", "bz"] {
        assert_eq!(contents(&db, schema), contents(&db, "plain"), "{schema}");
    }
    // what is known is loaded by none of its names and none of its forms
    let again = db.pgn("load --batch 256 --schema plain").arg(&plain).succeeds();
    assert_eq!(lines_with(&again, "before"), ["1000 games had been loaded before"]);
    db.pgn("load --batch 256 --schema gz -").input(packed).succeeds();
    assert_eq!(games(&db, "gz"), "1000", "nothing new from standard input");
    let moved = db.path("moved.pgn");
    fs::rename(&plain, &moved).unwrap();
    db.pgn("load --batch 256 --schema plain").arg(&moved).succeeds();
    assert_eq!(games(&db, "plain"), "1000", "nothing new from a file that was moved");
    let otherwise = db.pgn("load --batch 256 --schema plain").arg(&gz).succeeds();
    assert_eq!(
        lines_with(&otherwise, "before"),
        ["1000 games had been loaded before"],
        "nothing new from a file that is packed now"
    );

    db.pgn("load --batch 256 --schema plain --dedupe").arg(db.file("again.pgn", format!("\n{pgn}"))).succeeds();
    let pieces = "SELECT sum(games), sum(stored), sum(rejected), sum(duplicates)
        FROM plain.pieces JOIN plain.sources o ON o.id = source_id WHERE o.name LIKE '%/again.pgn'";
    assert_eq!(db.sql(pieces), "1000|0|0|1000", "equal games of another file are duplicates");
}

#[test]
#[ignore = "needs a server"]
fn a_file_that_has_changed_in_the_middle_is_a_new_source_if_asked_for() {
    let db = Database::new("changed");
    let pgn = generated(7, 4000);
    let load = |words: &str, pgn: &str| db.pgn(words).arg(db.file("gen.pgn", pgn));
    load("load --schema plain", &pgn).succeeds();
    // a move in the 50,000th line becomes another one
    let mut changed = String::new();
    for (n, line) in pgn.split_inclusive('\n').enumerate() {
        let other = |c: char| {
            c.to_digit(10).filter(|n| (1..9).contains(n)).map_or(c, |n| char::from_digit(n % 8 + 1, 10).unwrap())
        };
        if n == 49_999 { changed.extend(line.chars().map(other)) } else { changed += line }
    }
    let said = load("load --schema plain", &changed).fails();
    assert_eq!(said.matches("--changed").count(), 1, "the way to load it is named: {said}");
    load("load --schema plain --changed", &changed).succeeds();
    let stored = "SELECT count(*), (SELECT sum(stored) FROM plain.pieces WHERE source_id = (SELECT max(id) FROM plain.sources)) FROM plain.games";
    assert_eq!(db.sql(stored), "4001|1", "what is there is not stored again");
    load("load --schema plain --changed", &changed).succeeds();
    assert_eq!(games(&db, "plain"), "4001", "nothing new from the changed file");
}

/// A stranger's file with the size, the beginning and the end of another one takes neither its place nor its source.
#[test]
#[ignore = "needs a server"]
fn files_of_strangers_are_told_apart_by_all_of_their_bytes() {
    let db = Database::new("strangers");
    let pgn = generated(7, 4000);
    // one result in the middle is another one, of the same length
    let (at, _) = pgn.match_indices(" 1-0\n").find(|(at, _)| *at > 3 << 19).unwrap();
    let forged = format!("{} 0-1\n{}", &pgn[..at], &pgn[at + 5..]);
    assert!(forged.len() == pgn.len() && at > 1 << 20 && at + (1 << 16) < pgn.len());
    let load = |words: &str, pgn: &str| db.pgn(words).arg(db.file("gen.pgn", pgn));
    let of_source = |schema: &str, id: u32| {
        db.sql(&format!("SELECT count(*), md5(string_agg(hash::text, '' ORDER BY start_offset)) FROM {schema}.pieces WHERE source_id = {id}"))
    };

    // it came first
    load("load --apart --schema first", &forged).succeeds();
    load("load --schema first", &pgn).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM first.games WHERE source_id = 2"), "4000");
    // what the server knows is known to strangers as well, and only that
    let said = load("load --apart --schema first", &pgn).succeeds();
    assert_eq!(lines_with(&said, "before"), [KNOWN]);
    assert_eq!(lines_with(&load("load --apart --schema first", &forged).succeeds(), "before"), [KNOWN]);
    assert_eq!(db.sql("SELECT count(*) FROM first.sources"), "2");

    // it comes while the other one is not loaded to its end
    load("load --schema torn --most 1", &pgn).fails();
    let before = of_source("torn", 1);
    assert!(!before.starts_with("0|"), "{before}");
    load("load --apart --schema torn", &forged).succeeds();
    assert_eq!(of_source("torn", 1), before, "nothing is added to it");
    load("load --schema torn", &pgn).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM torn.games WHERE source_id = 1"), "4000");

    // nor does a file that goes on
    let longer = format!("{pgn}\n[White \"Longer\"]\n\n1. e4 *\n");
    let before = of_source("torn", 1);
    load("load --apart --schema torn", &longer).succeeds();
    assert_eq!(of_source("torn", 1), before);
    assert_eq!(db.sql("SELECT count(*) FROM torn.pgn_view WHERE white = 'Longer' AND source_id > 2"), "1");
    // and goes on itself where it stopped
    load("load --apart --schema again --most 1", &forged).fails();
    let said = load("load --apart --schema again", &forged).succeeds();
    assert!(said.contains("had been loaded before"), "{said}");
    assert_eq!(db.sql("SELECT count(*), (SELECT count(*) FROM again.sources) FROM again.games"), "4000|1");
    // the file that is removed is the very file
    db.pgn("unload --schema first").arg(db.file("gen.pgn", &forged)).succeeds();
    assert_eq!(db.sql("SELECT array_agg(id) FROM first.sources"), "{2}");
}

#[test]
#[ignore = "needs a server"]
fn a_bad_file_does_not_keep_another_one_out() {
    let db = Database::new("torn");
    let traps_file = db.file("traps.pgn", traps());
    let whole = gzipped([traps(), generated(12, 3000).into(), traps(), generated(13, 3000).into()].concat());
    let torn = db.file("torn.pgn.gz", &whole[..whole.len() - 1000]);
    db.pgn("load --schema cut --jobs 3").arg(torn).arg(traps_file).fails();
    let other = "SELECT (SELECT count(*) FROM cut.games WHERE source_id = o.id), (SELECT count(*) FROM cut.rejected WHERE source_id = o.id)
        FROM cut.sources o WHERE name LIKE '%/traps.pgn' AND finished IS NOT NULL";
    assert_eq!(db.sql(other), "28|9", "the other file is loaded whole, with its rejected games");
    let rejected =
        "SELECT count(*) > 0 FROM cut.rejected r JOIN cut.sources o ON o.id = r.source_id WHERE name LIKE '%.gz'";
    assert_eq!(db.sql(rejected), "t", "rejected games of the truncated file are there");
    assert_eq!(db.sql("SELECT count(*) > 0 FROM cut.games"), "t", "what could be read of it is stored");

    let cut = db.file("cut.pgn", &generated(7, 4000)[..1_200_000]);
    let said = db.pgn("load --schema cut").arg(db.path("none.pgn")).arg(cut).fails();
    assert_eq!(said.matches("none.pgn").count(), 1, "a file that is not there is named once: {said}");
    let finished = "SELECT count(*) FROM cut.sources WHERE finished IS NOT NULL AND name LIKE '%/cut.pgn'";
    assert_eq!(db.sql(finished), "1", "the other file is loaded");
    assert!(!said.contains("same command again"), "no advice that does not help: {said}");
    assert_eq!(
        said.lines().next(),
        Some("loading into database torn, schema cut, as postgres"),
        "it says first where it loads"
    );
}

#[test]
#[ignore = "needs a server"]
fn what_is_no_file_of_games_is_refused() {
    let db = Database::new("no_games");
    db.pgn("load /etc/passwd").fails();
    db.pgn("load /dev/null").fails();
    db.pgn("load").arg(db.file("empty.pgn", "")).fails();
}

#[test]
#[ignore = "needs a server"]
fn random_bytes_hold_no_move() {
    let db = Database::new("noise");
    // the same noise each time: other noise might hold a move
    let key = "0123456789abcdef0123456789abcdef";
    let zeros = db.file("zeros", vec![0; 20_000_000]);
    let noise = db.path("noise.pgn");
    tool("openssl")
        .words("enc -aes-128-ctr -nosalt -iv 00000000000000000000000000000000 -K")
        .arg(key)
        .arg("-in")
        .arg(zeros)
        .arg("-out")
        .arg(&noise)
        .succeeds();
    let said = db.pgn("load").arg(noise).fails();
    assert!(said.contains("no game in it that can be read"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "0");
}

#[test]
#[ignore = "needs a server"]
fn an_endless_game_is_rejected_and_the_next_one_stored() {
    let db = Database::new("endless");
    let pgn = format!("[Event \"endless\"]\n\n1. e4 {{{}\n\n[Event \"next\"]\n\n1. d4 *\n", "x".repeat(30_000_000));
    db.pgn("load -").input(pgn.clone()).succeeds();
    let again = db.pgn("load -").input(pgn).succeeds();
    assert_eq!(lines_with(&again, "before"), ["2 games had been loaded before"]);
    let stored = "SELECT (SELECT count(*) FROM chess.rejected), count(*), min(event) FROM chess.pgn_view";
    assert_eq!(db.sql(stored), "1|1|next");
}

#[test]
#[ignore = "needs a server"]
fn text_in_any_encoding() {
    let db = Database::new("encodings");
    let pgn = "[White \"Müller, Jörg\"]\n[Black \"Łódź\"]\n\n1. e4 {schön} *\n\n[White \"b\"]\n\n1. e9 *\n";
    let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
    let wide = [
        ("le", units(pgn).iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>()),
        ("be", units(pgn).iter().flat_map(|unit| unit.to_be_bytes()).collect()),
        ("le_marked", units(&format!("\u{feff}{pgn}")).iter().flat_map(|unit| unit.to_le_bytes()).collect()),
        ("be_marked", units(&format!("\u{feff}{pgn}")).iter().flat_map(|unit| unit.to_be_bytes()).collect()),
        ("utf8", pgn.into()),
        ("utf8_marked", format!("\u{feff}{pgn}").into()),
        (
            "one_wrong_byte",
            String::from(pgn)
                .into_bytes()
                .iter()
                .flat_map(|byte| if *byte == b'{' { vec![b'{', 0xff] } else { vec![*byte] })
                .collect(),
        ),
        ("cr", pgn.replace('\n', "\r").into()),
    ];
    for (schema, bytes) in wide {
        db.pgn("load --schema").arg(schema).arg(db.file("any.pgn", &bytes)).succeeds();
        let names = db.sql(&format!(
            "SELECT white, black, trim(annotated, E'1. e4 {{}}*ÿ') FROM {schema}.pgn_view WHERE game = '1. e4'"
        ));
        assert_eq!(names, "Müller, Jörg|Łódź|schön", "{schema}");
        assert_eq!(db.sql(&format!("SELECT count(*), min(line) FROM {schema}.rejected")), "1|6", "{schema}");
    }
}

/// A unique index prevents duplicate ids, but the games are not to blame.
#[test]
#[ignore = "needs a server"]
fn no_game_is_rejected_because_a_sequence_is_late() {
    let db = Database::new("late_keys");
    db.pgn("load").arg(db.file("one.pgn", "[Event \"a\"]\n\n1. e4 *\n\n".repeat(20))).succeeds();
    let other = db.file("two.pgn", "[Event \"b\"]\n\n1. d4 *\n\n".repeat(10));
    let late = |column: &str, table: &str| {
        format!("SELECT setval('chess.{table}_{column}_seq', (SELECT max({column}) FROM chess.{table}));")
    };
    db.sql(
        "CREATE ROLE late_loader LOGIN; GRANT USAGE ON SCHEMA chess TO late_loader;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA chess TO late_loader;
         ALTER SEQUENCE chess.games_id_seq RESTART; ALTER SEQUENCE chess.events_id_seq RESTART; ANALYZE",
    );
    assert!(db.pgn("doctor").output().stdout.contains(&late("id", "games")));
    let said = db.pgn("load").arg(&other).fails();
    assert!(said.contains(&late("id", "games")) && said.contains(&late("id", "events")), "{said}");
    db.sql(&late("id", "events"));
    // this role may not read the sequence
    let said = db.pgn("load --jobs 1").arg(&other).env("PGUSER", "late_loader").fails();
    assert!(said.contains(&late("id", "games")), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.rejected"), "0");
    db.sql(&late("id", "games"));
    db.pgn("load").arg(&other).succeeds();
    assert_eq!(db.sql("SELECT count(*), (SELECT count(*) FROM chess.rejected) FROM chess.games"), "30|0");
}

#[test]
#[ignore = "needs a server"]
fn ids_are_not_given_twice() {
    let db = Database::with_extension("late_sequences");
    db.pgn("schema --partition-by date:2000-01-01").succeeds();
    db.pgn("load").arg(db.file("one.pgn", "1. e4 *\n\n1. c4 *\n")).succeeds();
    let other = db.file("two.pgn", "1. d4 *\n");
    let set = "SELECT setval('chess.games_id_seq1', (SELECT max(id) FROM chess.games));";
    // logical replication does not copy sequences, so this is their state after a switch-over
    db.sql("ALTER SEQUENCE chess.games_id_seq1 RESTART; ANALYZE chess.games");
    assert!(db.pgn("doctor").fails().contains("chess.games_id_seq1 is at 0"));
    assert!(db.pgn("load").arg(&other).fails().contains(set));
    db.sql(set);
    db.pgn("load").arg(&other).succeeds();
    assert_eq!(db.sql("SELECT count(DISTINCT id) FROM chess.games"), "3");

    db.sql("INSERT INTO chess.twins_removed (run, game_id, kept_id, reason, game) VALUES (1, 3, 2, '', '{}')");
    let said = db.pgn("twins --keep longest").fails();
    assert!(said.contains("SELECT setval('chess.twins_runs', (SELECT max(run) FROM chess.twins_removed));"), "{said}");
}
