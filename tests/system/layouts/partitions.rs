//! Partitioned tables that chess-pgn makes.

use chess_system::Database;

use crate::{export, missing_keys, outcome, plain};

#[test]
#[ignore = "needs a server"]
fn partitions_can_be_published() {
    let db = Database::new("published");
    db.pgn("schema --partition-by date:2000-01-01").succeeds();
    db.pgn("load").arg(db.file("game.pgn", "1. e4 *\n")).succeeds();
    db.sql("SET client_min_messages = error; CREATE PUBLICATION everything FOR ALL TABLES");
    db.sql("UPDATE chess.pgn_view SET eco = 'B00'; DELETE FROM chess.pgn_view");
}

/// Makes, fills, empties and fills the tables of a layout, of which `partitions` partitions hold games and `keys`
/// foreign keys cannot be.
fn layout(db: &Database<'_>, layout: &str, partitions: &str, keys: usize) {
    let plain = plain();
    db.pgn("schema --schema many --partition-by").arg(layout).succeeds();
    let said = db.pgn("load --schema many --jobs 2 --index").args(&plain.files).succeeds();
    assert_eq!(outcome(&said), plain.all.outcome, "what is loaded");
    assert_eq!(missing_keys(&said), keys, "keys that cannot be: {said}");
    assert!(export(db, "many", "") == plain.all.export, "the export");
    assert_eq!(db.sql("SELECT count(DISTINCT tableoid) FROM many.games"), partitions, "partitions with games");
    let indexes = "SELECT count(*) = 1 + (SELECT count(*) FROM pg_partition_tree('many.games') WHERE isleaf) FROM pg_partition_tree('many.games_chess_idx')";
    assert_eq!(db.sql(indexes), "t", "each has an index of positions");
    db.pgn("load --schema many").args(&plain.files).succeeds();
    assert!(export(db, "many", "") == plain.all.export, "nothing new");

    db.sql("INSERT INTO many.pgn_view (white, game) VALUES ('by hand', '1. a3')");
    assert_eq!(db.sql("DELETE FROM many.pgn_view WHERE white = 'by hand' RETURNING ply_count"), "1", "a row by hand");
    db.pgn("unload --schema many").arg(&plain.files[1]).succeeds();
    db.pgn("load --schema many").arg(&plain.files[1]).succeeds();
    assert!(export(db, "many", "--order source") == plain.all.export_by_source, "what was taken back is there again");

    let said = db.pgn("twins --schema many --keep best").succeeds();
    assert!(said.contains(" games moved to "), "{said}");
    assert!(export(db, "many", "--order source") != plain.all.export_by_source, "twins are removed");
    db.pgn("twins --schema many --undo").succeeds();
    assert!(export(db, "many", "--order source") == plain.all.export_by_source, "and brought back");

    db.pgn("schema --schema single --partition-by").arg(layout).succeeds();
    let said = db.pgn("load --schema single --dedupe").args(&plain.files).succeeds();
    assert_eq!(outcome(&said), plain.single.outcome, "what is loaded once");
    assert!(export(db, "single", "") == plain.single.export, "the export of what is loaded once");
    assert_eq!(
        db.sql("SELECT count(DISTINCT tableoid) > 1 FROM single.games"),
        "t",
        "partitions with games that are there once"
    );
}

#[test]
#[ignore = "needs a server"]
fn games_are_partitioned_by_id() {
    layout(&Database::new("by_id"), "id:3", "3", 0);
}

#[test]
#[ignore = "needs a server"]
fn equal_games_are_in_one_partition_by_game() {
    let db = Database::new("by_game");
    layout(&db, "game:3", "3", 4);
    let apart =
        db.sql("SELECT count(*) FROM (SELECT FROM many.games GROUP BY game HAVING count(DISTINCT tableoid) > 1) g");
    assert_eq!(apart, "0");
}

#[test]
#[ignore = "needs a server"]
fn games_are_partitioned_by_source() {
    layout(&Database::new("by_source"), "source:2", "3", 4);
}

#[test]
#[ignore = "needs a server"]
fn games_are_partitioned_by_date() {
    let partitions = "SELECT count(DISTINCT coalesce(width_bucket(lower(dates), ARRAY['1990-01-01', '2000-01-01']::date[]), 9)) FROM plain.games";
    layout(&Database::new("by_date"), "date:1990-01-01, 2000-01-01", &plain().db.sql(partitions), 4);
}

#[test]
#[ignore = "needs a server"]
fn an_opening_is_read_from_one_partition_by_opening() {
    let db = Database::new("by_opening");
    let partitions =
        "SELECT count(DISTINCT width_bucket(game, ARRAY['1. d4', '1. e4', '1. e4 c5']::chessgame[])) FROM plain.games";
    layout(&db, "opening:1. e4,1. d4,1. e4 c5", &plain().db.sql(partitions), 4);

    let range = |opening: &str| format!("game >= openingLowerBound({opening}) AND game < openingUpperBound({opening})");
    let written = range("'1. e4 e5'");
    let plan = db.sql(&format!("EXPLAIN SELECT FROM many.games WHERE {written}"));
    assert_eq!(plan.lines().filter(|line| line.contains("on games_")).count(), 1, "{plan}");
    let mut session = db.session();
    session.sql("SET plan_cache_mode = force_generic_plan");
    session.sql(&format!("PREPARE asked (chessgame) AS SELECT FROM many.games WHERE {}", range("$1")));
    let plan = session.sql("EXPLAIN EXECUTE asked ('1. e4 e5')");
    assert!(plan.contains("Subplans Removed: 3"), "and where it is a parameter: {plan}");
    let same = format!(
        "SELECT count(*) FILTER (WHERE hasOpening(game, '1. e4 e5') <> ({written})), count(*) FILTER (WHERE hasOpening(game, '1. e4 e5')) > 100 FROM many.games"
    );
    assert_eq!(db.sql(&same), "0|t", "the range holds the games of the opening");
}

#[test]
#[ignore = "needs a server"]
fn a_layout_that_cannot_be_leaves_nothing() {
    let db = Database::new("no_layout");
    let said = db.pgn("schema --partition-by year:3").ends(2);
    assert!(said.contains("no such layout: year; there are id, game, source, date, month and opening"), "{said}");
    db.pgn("schema --schema none --partition-by date:2001-02-30").fails();
    let said = db.pgn("schema --schema none --partition-by").arg("opening:1. e5").fails();
    assert_eq!(said.matches("\"e5\": illegal move").count(), 1, "{said}");
    assert_eq!(db.sql("SELECT to_regclass('none.games')"), "");
    plain().db.pgn("schema --schema plain --partition-by id:3").fails();
}

/// Games of these months, one a day on the first days of each.
fn months(months: impl Iterator<Item = (u32, u32)>) -> String {
    const OPENINGS: [&str; 4] = ["1. e4 e5 2. Nf3", "1. e4 c5", "1. d4 d5 2. c4", "1. d4 Nf6"];
    let game = |(year, month): (u32, u32)| {
        (0..8u32).map(move |n| {
            let moves = OPENINGS[(month + n) as usize % OPENINGS.len()];
            format!("[Event \"{year}\"]\n[Date \"{year}.{month:02}.{:02}\"]\n[White \"A{n}\"]\n[Black \"B\"]\n[WhiteElo \"{}\"]\n[BlackElo \"2000\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n", n + 1, 1800 + 100 * n)
        })
    };
    months.flat_map(game).collect()
}

/// The statement of docs/scaling.md that begins with this remark, for another month than that of the page.
fn statement(remark: &str, month: [&str; 2]) -> String {
    let page = String::from_utf8(chess_system::read(chess_system::repository("docs/scaling.md"))).unwrap();
    let (_, rest) =
        page.split_once(&format!("-- not run: {remark}\n")).unwrap_or_else(|| panic!("no statement {remark}"));
    let statement = rest.split_once("```").unwrap().0;
    statement.replace("2026_01", &month[0].replace('-', "_")).replace("2026-01", month[0]).replace("2026-02", month[1])
}

#[test]
#[ignore = "needs a server"]
fn a_month_comes_and_goes_with_its_partition() {
    let db = Database::new("by_month");
    let all = || (2014..=2015).flat_map(|year| (1..=12).map(move |month| (year, month)));
    let file = |name: &str, text: String| db.file(name, text);
    let rest = file(
        "rest.pgn",
        months(all().filter(|at| *at != (2015, 12)))
            + "[Date \"????.??.??\"]\n\n1. e4 *\n\n[Date \"1999.01.01\"]\n\n1. e4 *\n\n",
    );
    let last = file("last.pgn", months([(2015, 12)].into_iter()));
    db.pgn("schema --partition-by month:2014-01..2015-11").succeeds();
    db.pgn("load --index").arg(&rest).succeeds();
    for schema in ["one", "others"] {
        db.pgn("load --index --schema").arg(schema).arg(&rest).succeeds();
    }
    db.pgn("load --schema one").arg(&last).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games_2014_02"), "8");
    assert_eq!(db.sql("SELECT count(*) FROM chess.games_rest"), "2");
    assert_eq!(db.sql("SELECT count(DISTINCT tableoid) FROM chess.games"), "24");

    let explorer = |schema: &str, filters: &str| {
        format!("SELECT san, games, white, rated, reached FROM {schema}.explorer(startBoard(){filters}) ORDER BY san")
    };
    let same = |other: &str, what: &str| {
        for filters in ["", ", rating => '[2000,)'", ", dates => '[2014-05-01,2015-12-20)', result => '1-0'"] {
            assert_eq!(db.rows(&explorer("chess", filters)), db.rows(&explorer(other, filters)), "{what}{filters}");
        }
        assert_eq!(db.sql("SELECT chess.explorer_source(startBoard())"), "index", "{what}");
        let plain = |schema: &str| {
            format!(
                "SELECT nextMove(game, getBoard('1. e4', 1)) AS move, count(*), avg(score(result, 'w')) FROM {schema}.games WHERE hasBoard(game, getBoard('1. e4', 1)) GROUP BY 1 ORDER BY 1"
            )
        };
        assert_eq!(db.rows(&plain("chess")), db.rows(&plain(other)), "{what}");
        let mut session = db.session();
        // partitions of eight games are read as quickly
        session.sql("SET enable_seqscan = off; SET enable_indexscan = off; SET enable_bitmapscan = off");
        let plan = session.sql(&format!("EXPLAIN {}", plain("chess")));
        assert!(plan.contains("Custom Scan"), "plain SQL is answered by the index, {what}: {plan}");
    };
    same("others", "23 months");

    // a month comes
    db.sql(&statement("a month comes", ["2015-12", "2016-01"]));
    db.pgn("load").arg(&last).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.games_2015_12"), "8");
    same("one", "24 months");

    // a month goes
    db.sql(&statement("a month goes", ["2015-12", ""]));
    same("others", "without the last month");
    db.pgn("load").arg(&last).succeeds();
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.games WHERE lower(dates) >= '2015-12-01'"),
        "0",
        "the source is known"
    );
    db.pgn("unload").arg(&last).succeeds();
    db.sql(&statement("a month comes", ["2015-12", "2016-01"]));
    db.pgn("load").arg(&last).succeeds();
    same("one", "the month again");
}
