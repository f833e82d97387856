//! What tags say: results, starts, unknown values, and names.

use chess_system::{Database, read, repository};

use crate::ugly::ugly;
use crate::{rows, rows_in_export_format};

#[test]
#[ignore = "needs a server"]
fn results_of_other_kinds_are_among_the_tags() {
    let db = Database::with_extension("results");
    let games = [
        ("[Result \"?\"]", "1. e4 1-0"),
        ("[Result \"1/2\"]", "1. d4 *"),
        ("[Result \"won\"]", "1. c4 0-1"),
        ("[Result \"\"]", "1. b4 *"),
        ("[Result \"0-1\"]", "1. f4 1-0"),
    ];
    let pgn: String = games.iter().map(|(tag, moves)| format!("{tag}\n\n{moves}\n\n")).collect();
    db.pgn("load --schema results").arg(db.file("results.pgn", pgn)).succeeds();
    let results = |schema: &str| db.rows(&format!("SELECT result, tags FROM {schema}.games ORDER BY source_offset"));
    let expected =
        ["1-0|", "1/2-1/2|{\"Result\": \"1/2\"}", "0-1|{\"Result\": \"won\"}", "*|{\"Result\": \"\"}", "0-1|"];
    assert_eq!(results("results"), expected);
    let exported = db.pgn("export --schema results").writes();
    db.pgn("load --schema again").arg(db.file("again.pgn", exported)).succeeds();
    assert_eq!(results("again"), expected, "the same after an export");
}

#[test]
#[ignore = "needs a server"]
fn an_export_keeps_a_result_that_another_tag_contradicts() {
    let db = Database::with_extension("contradicted");
    let games = [
        ("[Result \"1-0\"]\n[Result \"0-1\"]", "1. e4 1-0"),
        ("[Result \"*\"]\n[Result \"1-0\"]", "1. d4 *"),
        ("[Result \"1-0\"]\n[Result \"1-0\"]", "1. c4 1-0"),
        ("[Result \"1/2\"]\n[Result \"+:-\"]", "1. b4 0-1"),
        ("[Result \"+:-\"]", "1. f4 *"),
        ("[Result \"won\"]", "1. g4 1-0"),
    ];
    let pgn: String = games.iter().map(|(tags, moves)| format!("{tags}\n\n{moves}\n\n")).collect();
    db.pgn("load --schema twice").arg(db.file("twice.pgn", pgn)).succeeds();
    let results = |schema: &str| db.rows(&format!("SELECT result, tags FROM {schema}.games ORDER BY source_offset"));
    assert_eq!(
        results("twice"),
        [
            r#"1-0|{"Result": "0-1"}"#,
            r#"1-0|"#,
            r#"1-0|{"Result": "1-0"}"#,
            r#"1/2-1/2|{"Result": ["1/2", "+:-"]}"#,
            r#"1-0|{"Result": "+:-"}"#,
            r#"1-0|{"Result": "won"}"#,
        ]
    );
    // somebody corrects the last two
    db.sql("UPDATE twice.games SET result = '0-1' WHERE tags ->> 'Result' IN ('+:-', 'won')");
    let exported = db.pgn("export --schema twice").writes();
    db.pgn("load --schema again").arg(db.file("again.pgn", exported)).succeeds();
    assert_eq!(results("again"), results("twice"));
}

#[test]
#[ignore = "needs a server"]
fn a_castling_right_that_cannot_be_stays_in_its_tag() {
    let db = Database::with_extension("castling");
    let pgn = "[FEN \"r3k2r/8/8/8/8/8/4P3/4K2R w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O *\n";
    db.pgn("load --schema rights").arg(db.file("rights.pgn", pgn)).succeeds();
    let game = db.sql("SELECT startBoard(game), ply_count, tags, error FROM rights.pgn_view");
    assert_eq!(game, "r3k2r/8/8/8/8/8/4P3/4K2R w Kkq - 0 1|1|{\"FEN\": \"r3k2r/8/8/8/8/8/4P3/4K2R w KQkq - 0 1\"}|");
    let exported = db.pgn("export --schema rights").writes();
    db.pgn("load --schema again").arg(db.file("again.pgn", exported)).succeeds();
    assert_eq!(rows(&db, "again"), rows(&db, "rights"));
}

#[test]
#[ignore = "needs a server"]
fn unknown_values_are_null_and_written_as_they_were() {
    let db = Database::with_extension("unknown");
    let pgn = "[Event \"??\"]\n[Site \"-\"]\n[Date \"?\"]\n[Round \"-\"]\n[White \"\"]\n[Black \" \"]\n[Result \"*\"]\n[TimeControl \"?\"]\n[ECO \"?\"]\n\n1. e4 *\n\n\
        [Event \"?\"]\n[Site \"\"]\n[Date \"????-??-??\"]\n[Round \"?\"]\n[White \"?\"]\n[White \"-\"]\n[TimeControl \"-\"]\n[ECO \"-\"]\n[ECO \"B00\"]\n\n1. e4 *\n";
    db.pgn("load --schema unknown").arg(db.file("unknown.pgn", pgn)).succeeds();
    let values = "SELECT event, site, date, dates, round, white, black, NULL, time_control, eco, tags FROM unknown.pgn_view ORDER BY source_offset";
    let expected = [
        r#"||||-||||||{"ECO": "?", "Date": "?", "Site": "-", "Black": " ", "Event": "??", "White": "", "TimeControl": "?"}"#,
        r#"||||||||-|B00|{"ECO": "-", "Date": "????-??-??", "Site": "", "White": "-"}"#,
    ];
    assert_eq!(db.rows(values), expected);

    let exported = db.pgn("export --schema unknown").writes();
    let tags = |pgn: &str| {
        let names = ["[Event", "[White", "[Date", "[ECO", "[Black"];
        let wanted = |line: &&str| names.iter().any(|name| line.starts_with(name)) && !line.contains("\"?\"");
        let mut tags: Vec<String> = pgn.lines().filter(wanted).map(str::to_owned).collect();
        tags.sort();
        tags
    };
    assert_eq!(tags(&exported), tags(pgn));
    db.pgn("load --schema again").arg(db.file("again.pgn", exported)).succeeds();
    assert_eq!(rows(&db, "again"), rows(&db, "unknown"));
}

#[test]
#[ignore = "needs a server"]
fn games_with_one_result_tag_are_equal_however_their_moves_end() {
    let db = Database::with_extension("equal_games");
    let game = |end: &str| format!("[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 {end}\n\n");
    let first = db.file("first.pgn", game("*"));
    let second = db.file("second.pgn", game("1-0") + &game("1/2-1/2"));
    db.pgn("load --dedupe").arg(first).arg(second).succeeds();
    assert_eq!(db.sql("SELECT sum(stored), sum(duplicates) FROM chess.pieces"), "1|2");
}

#[test]
#[ignore = "needs a server"]
fn dates_are_ranges_of_what_is_known() {
    let db = Database::with_extension("dates");
    db.pgn("schema").succeeds();
    let others = "SELECT date, dates, chess.pgn_dates(date) FROM (VALUES
        ('2000.01.01', daterange '[2000-01-01,2000-01-02)'), ('2004.02.29', '[2004-02-29,2004-03-01)'), ('1999.12.??', '[1999-12-01,2000-01-01)'),
        ('2000.??.12', '[2000-01-01,2001-01-01)'), (' 2000 ', '[2000-01-01,2001-01-01)'), ('2000-3-1', '[2000-03-01,2000-03-02)'), ('?', NULL), ('????.05.12', NULL),
        ('2003.02.29', '[2003-02-01,2003-03-01)'), ('2004.13.01', NULL), ('2004.01.00', '[2004-01-01,2004-02-01)'), ('0000.01.01', NULL), ('1950.11.11.', '[1950-11-11,1950-11-12)'), ('50.1.1', NULL),
        ('May 2004', '[2004-05-01,2004-06-01)')) t (date, dates)
      WHERE dates IS DISTINCT FROM chess.pgn_dates(date)";
    assert_eq!(db.sql(others), "");
}

/// Loads `pgn` into one schema, and its export into another; the rows must be the same.
fn comes_back(db: &Database<'_>, schema: &str, pgn: impl AsRef<[u8]>) {
    db.pgn("load --schema").arg(schema).arg(db.file("first.pgn", pgn)).succeeds();
    let exported = db.pgn("export --schema").arg(schema).writes();
    let again = format!("{schema}_again");
    db.pgn("load --schema").arg(&again).arg(db.file("again.pgn", exported)).succeeds();
    let (first, second) = (rows_in_export_format(db, schema), rows_in_export_format(db, &again));
    assert_eq!(first.len(), second.len(), "{schema}");
    let differs = first.iter().zip(&second).find(|(one, other)| one != other);
    assert_eq!(differs, None, "{schema}");
}

#[test]
#[ignore = "needs a server"]
fn results_that_pgn_does_not_have_stay_in_the_tag() {
    let db = Database::with_extension("results_of_others");
    let games = [
        // the tag, the end of the moves, the column, the tags
        ("0-0", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0", "*|{\"Result\": \"0-0\"}|6"),
        ("0-0", "0-0", "*|{\"Result\": \"0-0\"}|0"),
        ("1/2-0", "1. d4 d5 1/2-0", "*|{\"Result\": \"1/2-0\"}|2"),
        ("0-½", "1. d4 d5 0-1/2", "*|{\"Result\": \"0-½\"}|2"),
        ("+:-", "+:-", "1-0|{\"Result\": \"+:-\"}|0"),
        ("-/+", "-/+", "0-1|{\"Result\": \"-/+\"}|0"),
        ("- - -", "- - -", "*|{\"Result\": \"- - -\"}|0"),
        ("1-0F", "1-0", "1-0|{\"Result\": \"1-0F\"}|0"),
        ("½-½", "1. d4 (1-0)", "1/2-1/2|{\"Result\": \"½-½\"}|1"),
        ("(1-0)", "1. d4 *", "1-0|{\"Result\": \"(1-0)\"}|1"),
        // the tag does not know, the moves do
        ("*", "1. e4 e5 1-0", "1-0|{\"Result\": \"*\"}|2"),
        ("*", "1. e4 e5 +:-", "1-0|{\"Result\": \"+:-\"}|2"),
        ("?", "1. e4 e5 1/2-0", "*|{\"Result\": \"1/2-0\"}|2"),
        ("1-0", "1. e4 e5 {x} 1-0 *", "1-0||2"),
        ("0-1", "1. c4 c5 0-1\n0-1", "0-1||2"),
        ("1/2-1/2", "1. e4 e5 Draw", "1/2-1/2||2"),
    ];
    let mut pgn: String = games.iter().map(|(tag, moves, _)| format!("[Result \"{tag}\"]\n\n{moves}\n\n")).collect();
    pgn +=
        "[White \"without a tag\"]\n\n1. d4 d5 0-0\n\n[White \"castling\"]\n\n1. Nf3 d5 2. g3 c5 3. Bg2 e6 4. 0-0\n\n";
    comes_back(&db, "others", &pgn);
    let expected: Vec<&str> =
        games.iter().map(|(_, _, row)| *row).chain(["*|{\"Result\": \"0-0\"}|2", "*||7"]).collect();
    assert_eq!(db.rows("SELECT result, tags, ply_count FROM others.games ORDER BY source_offset"), expected);
    assert_eq!(db.sql("SELECT count(*) FROM others.rejected"), "0");
}

#[test]
#[ignore = "needs a server"]
fn a_start_that_cannot_be_comes_back_as_it_was() {
    let db = Database::with_extension("starts");
    let starts = [
        "rnbqkbnr/pppppppp/8/8/P7/8/1PPPPPPP/RNBQKBNR w KQkq a3 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - e6 - -",
        "4k3/8/8/8/8/8/4P3/4K3 w KQkq e4 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - - -",
    ];
    let pgn: String = starts.iter().map(|fen| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *\n\n")).collect();
    comes_back(&db, "starts", pgn);
    assert_eq!(db.rows("SELECT tags ->> 'FEN' FROM starts.games ORDER BY source_offset"), starts);
    assert_eq!(db.sql("SELECT count(*), sum(ply_count) FROM starts.games WHERE error IS NULL"), "4|4");
}

#[test]
#[ignore = "needs a server"]
fn a_game_without_a_date_has_those_of_other_tags() {
    let db = Database::with_extension("other_dates");
    let pgn = "[UTCDate \"2015.03.07\"]\n\n1. e4 *\n\n[Date \"????.??.??\"]\n[UTCDate \"2015.03.08\"]\n[EventDate \"2015.03.01\"]\n\n1. e4 *\n\n\
        [EventDate \"2015.03.??\"]\n\n1. e4 *\n\n[Date \"1880.\"]\n[UTCDate \"2015.03.09\"]\n\n1. e4 *\n\n[Date \"soon\"]\n[UTCDate \"2015.03.10\"]\n\n1. e4 *\n\n\
        [Date \"????.??.??\"]\n[UTCDate \"????.??.??\"]\n\n1. e4 *\n";
    comes_back(&db, "dated", pgn);
    let dates = [
        "|[2015-03-07,2015-03-08)",
        "|[2015-03-08,2015-03-09)",
        "|[2015-03-01,2015-04-01)",
        "1880.|[1880-01-01,1881-01-01)",
        "soon|[2015-03-10,2015-03-11)",
        "|",
    ];
    assert_eq!(db.rows("SELECT date, dates FROM dated.games ORDER BY source_offset"), dates);
    // written through the view, too
    db.sql("INSERT INTO dated.pgn_view (game, tags) VALUES ('1. d4', '{\"UTCDate\": \"2020.01.02\"}')");
    assert_eq!(db.sql("SELECT dates FROM dated.games WHERE game = '1. d4'"), "[2020-01-02,2020-01-03)");
    db.sql("UPDATE dated.pgn_view SET date = '2020.02.??' WHERE game = '1. d4'");
    assert_eq!(db.sql("SELECT dates FROM dated.games WHERE game = '1. d4'"), "[2020-02-01,2020-03-01)");
    db.sql("UPDATE dated.pgn_view SET date = NULL WHERE game = '1. d4'");
    assert_eq!(db.sql("SELECT dates FROM dated.games WHERE game = '1. d4'"), "[2020-01-02,2020-01-03)");
}

#[test]
#[ignore = "needs a server"]
fn tags_come_back_as_they_were() {
    let db = Database::with_extension("as_they_were");
    let pgn = "[Event \"a\"]\n[Result \"0-0\"]\n[PlyCount \"2\"]\n[WhiteElo \"2000\"]\n[BlackElo \"0\"]\n[ECO \"B00\"]\n[EventDate \"1997.00.00\"]\n\n1. e4 e5 0-0\n\n\
        [Event \"b\"]\n[Result \"1-0\"]\n[PlyCount \"3\"]\n[SetUp \"0\"]\n[Variant \"Standard\"]\n\n1. e4 e5 1-0\n\n\
        [Event \"c\"]\n[Result \"*\"]\n[PlyCount \"1\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 1-0\n";
    comes_back(&db, "tagged", pgn);
    let exported = db.pgn("export --schema tagged").writes();
    for line in pgn.lines().filter(|line| line.starts_with('[')) {
        assert_eq!(exported.matches(line).count(), pgn.matches(line).count(), "{line}\n{exported}");
    }
}

#[test]
#[ignore = "needs a server"]
fn every_seed_of_the_fuzzer_comes_back() {
    let db = Database::with_extension("seeds");
    for folder in ["pgn", "annotated", "movetext"] {
        let mut pgn = Vec::new();
        let mut files: Vec<_> = std::fs::read_dir(repository(&format!("fuzz/seeds/{folder}")))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in &files {
            // a text may end within a comment
            pgn.extend(read(file.as_path()));
            pgn.extend(b"\n\n[Event \"next\"]\n\n*\n\n");
        }
        comes_back(&db, folder, pgn);
    }
    comes_back(&db, "ugly", ugly());
}
