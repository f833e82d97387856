//! What tags say: results, starts, unknown values, and names.

use chess_system::Database;

use crate::rows;

#[test]
#[ignore = "needs a server"]
fn results_of_other_kinds_are_among_the_tags() {
    let db = Database::new("results");
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
fn a_castling_right_that_cannot_be_stays_in_its_tag() {
    let db = Database::new("castling");
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
    let db = Database::new("unknown");
    let pgn = "[Event \"??\"]\n[Site \"-\"]\n[Date \"?\"]\n[Round \"-\"]\n[White \"\"]\n[Black \" \"]\n[Result \"*\"]\n[TimeControl \"?\"]\n[ECO \"?\"]\n\n1. e4 *\n\n\
        [Event \"?\"]\n[Site \"\"]\n[Date \"????-??-??\"]\n[Round \"?\"]\n[White \"?\"]\n[White \"-\"]\n[TimeControl \"-\"]\n[ECO \"-\"]\n[ECO \"B00\"]\n\n1. e4 *\n";
    db.pgn("load --schema unknown").arg(db.file("unknown.pgn", pgn)).succeeds();
    let values = "SELECT event, site, date, dates, round, white, black, NULL, time_control, eco, tags FROM unknown.pgn_view ORDER BY source_offset";
    let expected = [
        r#"||||-||||||{"ECO": "?", "Date": "?", "Site": "-", "Black": " ", "Event": "??", "White": "", "TimeControl": "?"}"#,
        r#"||||||||-||{"ECO": ["-", "B00"], "Date": "????-??-??", "Site": "", "White": "-"}"#,
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
    let db = Database::new("equal_games");
    let game = |end: &str| format!("[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 {end}\n\n");
    let first = db.file("first.pgn", game("*"));
    let second = db.file("second.pgn", game("1-0") + &game("1/2-1/2"));
    db.pgn("load --dedupe").arg(first).arg(second).succeeds();
    assert_eq!(db.sql("SELECT sum(stored), sum(duplicates) FROM chess.pieces"), "1|2");
}

#[test]
#[ignore = "needs a server"]
fn dates_are_ranges_of_what_is_known() {
    let db = Database::new("dates");
    db.pgn("schema").succeeds();
    let others = "SELECT date, dates, chess.pgn_dates(date) FROM (VALUES
        ('2000.01.01', daterange '[2000-01-01,2000-01-02)'), ('2004.02.29', '[2004-02-29,2004-03-01)'), ('1999.12.??', '[1999-12-01,2000-01-01)'),
        ('2000.??.12', '[2000-01-01,2001-01-01)'), (' 2000 ', '[2000-01-01,2001-01-01)'), ('2000-3-1', '[2000-03-01,2000-03-02)'), ('?', NULL), ('????.05.12', NULL),
        ('2003.02.29', NULL), ('2004.13.01', NULL), ('2004.01.00', NULL), ('0000.01.01', NULL), ('1950.11.11.', NULL), ('50.1.1', NULL), ('May 2004', NULL)) t (date, dates)
      WHERE dates IS DISTINCT FROM chess.pgn_dates(date)";
    assert_eq!(db.sql(others), "");
}
