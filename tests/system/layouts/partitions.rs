//! Partitioned tables that chess-pgn makes.

use chess_system::Database;

use crate::{export, missing_keys, outcome, plain};

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
    assert!(said.contains("no such layout: year; there are id, game, source, date and opening"), "{said}");
    db.pgn("schema --schema none --partition-by date:2001-02-30").fails();
    let said = db.pgn("schema --schema none --partition-by").arg("opening:1. e5").fails();
    assert_eq!(said.matches("\"e5\": illegal move").count(), 1, "{said}");
    assert_eq!(db.sql("SELECT to_regclass('none.games')"), "");
    plain().db.pgn("schema --schema plain --partition-by id:3").fails();
}
