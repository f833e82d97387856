//! Tables that somebody has made before the load.

use chess_system::Database;

use crate::{export, plain};

/// The columns of a table of games, as they are made for a new schema.
const COLUMNS: &str = "LIKE plain.games INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY";

#[test]
#[ignore = "needs a server"]
fn a_table_with_a_column_and_partitions_of_its_own_is_filled() {
    let db = Database::new("own_table");
    db.pgn("schema --schema plain").succeeds();
    db.sql(&format!(
        "CREATE SCHEMA mine; CREATE TABLE mine.games (club text DEFAULT 'ours', {COLUMNS}) PARTITION BY RANGE (lower(dates));
         CREATE TABLE mine.some PARTITION OF mine.games FOR VALUES FROM ('1995-01-01') TO ('2005-01-01');
         CREATE TABLE mine.others PARTITION OF mine.games DEFAULT PARTITION BY HASH (id);
         CREATE TABLE mine.others_0 PARTITION OF mine.others FOR VALUES WITH (MODULUS 2, REMAINDER 0);
         CREATE TABLE mine.others_1 PARTITION OF mine.others FOR VALUES WITH (MODULUS 2, REMAINDER 1)"
    ));
    db.pgn("load --schema mine --index=gin").args(&plain().files).succeeds();
    assert!(export(&db, "mine", "") == plain().all.export);
    assert_eq!(db.sql("SELECT DISTINCT club FROM mine.games"), "ours");
}

#[test]
#[ignore = "needs a server"]
fn a_table_without_the_facts_of_games_has_the_same_reports() {
    let db = Database::new("lean_table");
    db.pgn("load --schema plain").args(&plain().files).succeeds();
    db.sql(&format!(
        "CREATE SCHEMA lean; CREATE TABLE lean.games ({COLUMNS}); ALTER TABLE lean.games DROP COLUMN facts"
    ));
    db.pgn("load --schema lean").args(&plain().files).succeeds();
    for report in [
        "opening_report(startBoard(), sections => '{ending,material,theme,length}', at_least => 1)",
        "opening_report(finalBoard('1. e4'), sections => '{ending,material,theme,summary,year,line}')",
        "player_report((SELECT name FROM plain.players JOIN plain.games g ON g.white_id = players.id GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1), sections => '{ending,endgame,length}')",
    ] {
        let of = |schema: &str| {
            // Means of a player are sums of fractions, in the order of the games.
            let row = "(section, item, games, white, draws, black)::text";
            db.sql(&format!("SELECT string_agg({row}, ' ' ORDER BY {row}) FROM {schema}.{report} r"))
        };
        assert!(of("plain") == of("lean") && of("plain").contains("resignation"), "{report}: {}", of("lean"));
    }
    assert_eq!(db.sql("SELECT plain.facts_expression(), lean.facts_expression()"), "g.facts|public.gamefacts(g.game)");
}

#[test]
#[ignore = "needs a server"]
fn a_table_that_cannot_hold_games_is_refused() {
    let db = Database::new("wrong_table");
    db.pgn("schema --schema plain").succeeds();
    let wrong = [
        ("DROP COLUMN eco", "has no column eco, which must be of type text"),
        ("ALTER COLUMN round TYPE integer USING 1", "has a column round of type integer, which must be of type text"),
        ("ALTER COLUMN ply_count DROP EXPRESSION", "has a column ply_count that should be generated"),
        ("ALTER COLUMN facts DROP EXPRESSION", "has a column facts that should be generated"),
        ("ALTER COLUMN id DROP IDENTITY", "has a column id without a default"),
    ];
    for (change, reason) in wrong {
        db.sql("DROP SCHEMA IF EXISTS wrong CASCADE; CREATE SCHEMA wrong");
        db.sql(&format!("CREATE TABLE wrong.games ({COLUMNS}); ALTER TABLE wrong.games {change}"));
        let said = db.pgn("load --schema wrong").args(&plain().files).fails();
        assert_eq!(said.matches(reason).count(), 1, "{change}: {said}");
        assert_eq!(db.sql("SELECT to_regclass('wrong.info')"), "", "{change}: nothing is made beside it");
    }
    db.sql("DROP SCHEMA wrong CASCADE; CREATE SCHEMA wrong; CREATE VIEW wrong.games AS SELECT 1 AS id");
    db.pgn("load --schema wrong").args(&plain().files).fails();
}
