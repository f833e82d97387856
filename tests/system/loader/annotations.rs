//! Comments, variations and glyphs are stored, and exported again.

use std::path::Path;

use chess_system::{Database, read, repository, tool};

use crate::rows;
use crate::ugly::ugly;

/// The annotated games of players whom everybody knows.
fn famous() -> Vec<u8> {
    read(Path::new(env!("CARGO_MANIFEST_DIR")).join("loader/annotated.pgn"))
}

/// What a file says but for layout: a line for each move, comment, glyph, bracket and result, by a reader that shares no
/// code with the loader.
fn stream(file: &Path) -> String {
    tool("perl").arg(repository("scripts/pgn-stream.pl")).arg(file).writes()
}

/// Loads a file with and without clocks and evaluations in columns: it must come back in export format, and load again as
/// the same rows, with the same comments.
fn comes_back(name: &str, pgn: Vec<u8>) {
    let db = Database::with_extension(name);
    let rows = |schema: &str| {
        db.rows(&format!("SELECT to_jsonb(v) - '{{id,source,source_id,source_offset,annotated,error}}'::text[] FROM {schema}.pgn_view v ORDER BY source_offset"))
    };
    let file = db.file("games.pgn", pgn);
    for (n, flags) in ["", "--clocks --evals", "--clocks", "--evals"].into_iter().enumerate() {
        let schema = &format!("s{n}");
        db.pgn("load --schema").arg(schema).words(flags).arg(&file).succeeds();
        let pgn = db.pgn("export --schema").arg(schema).writes();
        let exported = db.file("exported.pgn", &pgn);
        assert!(!pgn.contains("\n\n\n"), "{name} {flags}");
        let again = &format!("{schema}_again");
        db.pgn("load --schema").arg(again).words(flags).arg(&exported).succeeds();
        assert_eq!(rows(again), rows(schema), "{name} {flags}, every other column");
        // Words of comments; those of the second load may be more, which export format cannot say otherwise. A command without
        // a value only says where the value of a column belongs.
        let words = |of: &str| {
            format!(
                "ARRAY(SELECT w FROM annotations({of}.game, {of}.annotated) n, regexp_split_to_table(replace(replace(concat_ws(' ', n.before, n.after), '[%clk]', ''), '[%eval]', ''), '[ (){{}}]+') w WHERE w <> '')"
            )
        };
        let lost = db.rows(&format!(
            "SELECT a.event, a.annotated, b.annotated FROM {schema}.pgn_view a JOIN {again}.pgn_view b USING (event) WHERE NOT {} <@ {}",
            words("a"),
            words("b")
        ));
        assert_eq!(lost, Vec::<String>::new(), "{name} {flags}, comments");
        assert_eq!(db.pgn("export --schema").arg(again).writes(), pgn, "{name} {flags}, the export of the export");
    }
}

#[test]
#[ignore = "needs a server"]
fn ugly_annotations_come_back() {
    comes_back("ugly", ugly());
}

#[test]
#[ignore = "needs a server"]
fn famous_annotations_come_back() {
    comes_back("famous", famous());
    // What a reader says of it that shares no code with the loader.
    let db = Database::with_extension("famous_stream");
    let file = db.file("games.pgn", famous());
    db.pgn("load --clocks").arg(&file).succeeds();
    let exported = db.file("exported.pgn", db.pgn("export").writes());
    // What stands behind a result is written before it: readers end the game there.
    let (behind, before) = ("result 0-1\ncomment White resigned.", "comment White resigned.\nresult 0-1");
    assert_eq!(stream(&exported), stream(&file).replace(behind, before));
}

#[test]
#[ignore = "needs a server"]
fn annotations_are_found_in_sql() {
    let db = Database::with_extension("notes");
    let file = db.file("famous.pgn", famous());
    db.pgn("load").arg(&file).succeeds();
    let exported = db.file("exported.pgn", db.pgn("export").writes());
    let counts = tool("perl").arg(repository("scripts/pgn-stream.pl")).arg("--counts").arg(exported).writes();
    let expected =
        ["game: 4", "move: 185", "comment: 16", "characters: 609", "glyph: 19", "open: 11", "close: 11", "result: 4"];
    assert_eq!(counts.lines().collect::<Vec<_>>(), expected);
    assert_eq!(db.sql("SELECT count(*), count(annotated) FROM chess.games"), "4|4");
    let notes =
        "SELECT white, a.glyphs, a.before, (SELECT count(*) FROM variations(g.game, g.annotated)) FROM chess.pgn_view g
        LEFT JOIN LATERAL annotations(g.game, g.annotated) a ON a.line = 0 AND a.ply = 17
        WHERE white IN ('Réti, Richard', 'Levitsky, Stepan') ORDER BY g.id";
    assert_eq!(db.rows(notes), ["Réti, Richard|{3,3}||2", "Levitsky, Stepan|||0"]);

    let words = String::from_utf8(famous()).unwrap();
    let mut other = String::new();
    for (n, part) in words.split('}').enumerate() {
        let before = part.split('{').next().unwrap();
        other += if n == 0 { "" } else { "{other words}" };
        other += before;
    }
    db.pgn("load --dedupe").arg(db.file("other.pgn", other)).succeeds();
    let kept = "SELECT count(*), (SELECT sum(duplicates) FROM chess.pieces), count(*) FILTER (WHERE annotated LIKE '%other words%') FROM chess.games";
    assert_eq!(
        db.sql(kept),
        "4|4|0",
        "equal games with other words are not stored, and the first ones stay as they are"
    );
    db.pgn("unload").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games"), "0", "annotated games can be taken back");
}

#[test]
#[ignore = "needs a server"]
fn clocks_are_in_columns_or_in_comments() {
    let db = Database::with_extension("clocks");
    let file = db.file("ugly.pgn", ugly());
    db.pgn("load --schema timed --clocks --evals").arg(&file).succeeds();
    let twice = "SELECT id, annotated FROM timed.pgn_view WHERE event = 'clocks' AND annotated IS NOT NULL";
    assert_eq!(db.sql(twice), "", "clocks in columns are not in the text, too");
    let beside = db.sql("SELECT annotated FROM timed.pgn_view WHERE event = 'clocks and more'");
    assert_eq!(beside, "1. e4! {best} e5 {[%clk] so} 2. Nf3 {so} {[%clk]} Nc6 $1 {[%clk]} $2 *", "clocks beside words");
    db.pgn("load --schema neither").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(clocks) + count(evals) FROM neither.games"), "0");
    db.pgn("load --schema unannotated --no-annotations --clocks").arg(&file).succeeds();
    assert_eq!(db.sql("SELECT count(annotated), count(clocks) > 0 FROM unannotated.games"), "0|t");
}

#[test]
#[ignore = "needs a server"]
fn annotations_do_not_depend_on_the_way_in() {
    let db = Database::with_extension("ways_of_annotations");
    let file = db.file("ugly.pgn", ugly());
    db.pgn("load --schema ugly").arg(&file).succeeds();
    db.pgn("load --schema piped -").input(ugly()).succeeds();
    assert_eq!(rows(&db, "piped"), rows(&db, "ugly"), "from standard input");
    db.pgn("load --schema pieces --batch 1 --jobs 3").arg(&file).succeeds();
    assert_eq!(rows(&db, "pieces"), rows(&db, "ugly"), "in small pieces");

    let preface = [b"\xef\xbb\xbf{Two games,\none of them short.}\n".to_vec(), famous()].concat();
    db.pgn("load --schema preface").arg(db.file("preface.pgn", preface)).succeeds();
    let first = db.sql("SELECT left(annotated, 43) FROM preface.games ORDER BY source_offset LIMIT 1");
    assert_eq!(
        first, "{Two games,\none of them short.}\n{A game for",
        "comments before the first tags belong to the first game"
    );
}

#[test]
#[ignore = "needs a server"]
fn games_that_are_cut_short_keep_their_text() {
    let db = Database::with_extension("cut_short");
    let cut = "[White \"A\"]\n\n1. e4 {half} e5 (1... c5) 2. Ke3 {lost?} (2. Nf3) Nf6 1-0\n\n[White \"B\"]\n\n1. d4 {open\n\n[White \"C\"]\n\n1. c4 (1. c3\n\n";
    db.pgn("load --schema cut").arg(db.file("cut.pgn", cut)).succeeds();
    let texts = "SELECT white, g.game, annotated, error IS NOT NULL, r.text LIKE '%' || annotated FROM cut.pgn_view g JOIN cut.rejected r ON r.game_id = g.id ORDER BY g.id";
    let expected = [
        "A|1. e4 e5|1. e4 {half} e5 (1... c5) 2. Ke3 {lost?} (2. Nf3) Nf6 1-0|t|t",
        "B|1. d4|1. d4 {open|t|t",
        "C|1. c4|1. c4 (1. c3|t|t",
    ];
    assert_eq!(db.rows(texts), expected);
    let exported = db.pgn("export --schema cut").writes();
    db.pgn("load --schema again").arg(db.file("again.pgn", exported)).succeeds();
    let expected = [
        "A|1. e4 e5|1. e4 { half } 1... e5 { Ke3 } { lost? } { (2. Nf3) Nf6 1-0 } ( 1... c5 ) *|f",
        "B|1. d4|1. d4 { open } *|f",
        "C|1. c4|1. c4 ( 1. c3 ) *|f",
    ];
    let texts = "SELECT white, game, replace(annotated, E'\n', ' '), error IS NOT NULL FROM again.pgn_view ORDER BY id";
    assert_eq!(db.rows(texts), expected, "any program reads as much of them");

    db.sql("UPDATE cut.games SET game = '1. e4 c5' WHERE error LIKE '%Ke3%'");
    let export = db.pgn("export --schema cut").output();
    let changed = "annotations of a game that has been changed are left out, and that is said";
    let [game, said] = [(&export.stdout, "1. e4 c5"), (&export.stderr, "without its annotations")]
        .map(|(text, word)| text.matches(word).count());
    assert_eq!((export.code, game, said), (Some(1), 1, 1), "{changed}");
}

#[test]
#[ignore = "needs a server"]
fn annotations_can_be_written_by_hand() {
    let db = Database::with_extension("by_hand");
    db.pgn("load --clocks").arg(db.file("famous.pgn", famous())).succeeds();
    db.sql("UPDATE chess.pgn_view SET annotated = '1. e4 {mine} *', game = '1. e4' WHERE white LIKE 'Morphy%'");
    assert_eq!(db.sql("SELECT annotated FROM chess.games ORDER BY source_offset LIMIT 1"), "1. e4 {mine} *");
}

/// Games that cannot be read to their end are equal only if their texts are, which would be lost with them.
#[test]
#[ignore = "needs a server"]
fn no_text_of_an_incomplete_game_is_dropped_as_a_duplicate() {
    let db = Database::new("incomplete_duplicates");
    let texts = ["1. e4 e5 2. Ke3 Nf6 1-0", "1. e4 e5 2. Qxq9 Nc6 3. Bb5 a6 1-0", "1. e4 e5 2. Ke3 d6 1-0"];
    let games = |texts: &[&str]| {
        texts.iter().map(|text| format!("[White \"A\"]\n[Result \"1-0\"]\n\n{text}\n\n")).collect::<String>()
    };
    let load = |words: &str, texts: &[&str]| {
        let file = db.file("games.pgn", games(texts));
        let said = db.pgn(&format!("load --apart {words}")).arg(file).succeeds();
        said.lines().find(|line| line.contains(" stored")).unwrap_or_default().split_once("): ").unwrap().1.to_owned()
    };
    let stored = |count: usize, duplicates: usize| {
        format!("{count} stored, {count} of them incomplete, 0 rejected, {duplicates} duplicates")
    };
    assert_eq!(load("", &texts[..2]), stored(2, 0));
    assert_eq!(load("", &[texts[0], texts[1], texts[2], texts[0], texts[2]]), stored(1, 4));
    assert_eq!(db.sql("SELECT count(*) FROM chess.rejected r JOIN chess.games g ON g.id = r.game_id"), "3");
    for text in texts {
        assert_eq!(db.sql(&format!("SELECT count(*) FROM chess.rejected WHERE text LIKE '%{text}%'")), "1", "{text}");
    }
    // without their texts none equals another
    assert_eq!(load("--schema bare --no-annotations", &[texts[0], texts[0]]), stored(2, 0));

    let [out, rejected] = ["out.pgn", "rejected.pgn"].map(|name| db.path(name));
    let said = db
        .pgn("convert --dedupe --pgn")
        .arg(&out)
        .arg("--rejected")
        .arg(rejected)
        .arg(db.file("twice.pgn", games(&texts) + &games(&texts)))
        .succeeds();
    assert!(said.contains("3 written, 3 of them incomplete, 0 rejected, 3 duplicates"), "{said}");
}
