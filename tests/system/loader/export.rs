//! What is exported is PGN that loads as the same rows, whatever is in the tables.

use chess_system::{Database, wait_for};

use crate::rows_in_export_format;
use crate::traps::traps;

/// A database with the schema "traps", which has those of the traps that can be read to their end.
fn loaded(name: &str) -> Database<'static> {
    let db = Database::with_extension(name);
    db.pgn("load --schema traps --clocks --evals").arg(db.file("traps.pgn", traps())).succeeds();
    db.sql("DELETE FROM traps.games WHERE error IS NOT NULL");
    db
}

#[test]
#[ignore = "needs a server"]
fn an_export_loads_as_the_same_rows() {
    let db = loaded("export");
    let pgn = db.pgn("export --schema traps").writes();
    let plain = db.pgn("export --schema traps --where").arg("annotated IS NULL").writes();
    let long = plain.lines().find(|line| !line.starts_with('[') && line.len() > 79);
    assert_eq!(long, None, "a line of moves of more than 79 characters");
    db.pgn("load --schema again --clocks --evals").arg(db.file("export.pgn", pgn)).succeeds();
    assert_eq!(rows_in_export_format(&db, "again"), rows_in_export_format(&db, "traps"));
}

#[test]
#[ignore = "needs a server"]
fn an_export_takes_a_condition_and_an_order() {
    let db = loaded("conditions");
    let export = || db.pgn("export --schema traps");
    let pgn = export().args(["--where", "white = 'Müller, Jörg' -- both"]).writes();
    assert_eq!(pgn.matches("[Event ").count(), 2);
    for (args, message, advice) in [
        (["--where", "white ="], "--where is not complete", "something is missing at its end"),
        (["--where", "(white = 'x'"], "--where is not complete", "something is missing at its end, or a parenthesis"),
        (["--order", "white,"], "--order is not complete", "something is missing at its end"),
        (["--where", "white = 'x"], "a text is not closed", "a quote within a text"),
        (["--where", "white = Anna"], "column \"anna\" does not exist", "texts stand in single quotes"),
        (["--where", "white_elo => 2000"], "syntax error at or near \"=>\"", "at least is written >="),
    ] {
        let said = export().args(args).fails();
        let expected = format!("chess-pgn: cannot query the games: {message}\nHINT:  {advice}");
        assert!(said.contains(&expected) && !said.contains("db error"), "{args:?}: {said}");
    }
    let said = db.pgn("export --schema nope").fails();
    assert!(said.contains("schema nope holds no tables of chess-pgn"), "{said}");
    let said = db.pgn("export -d nodb").fails();
    assert!(said.contains("database \"nodb\" does not exist\nHINT:  createdb creates it"), "{said}");
    let said = export().args(["--where", "date > 2015"]).fails();
    assert!(said.contains("compare text with text, as in date >= '2015'"), "a year without quotes: {said}");

    let pgn =
        export().args(["--where", "white IS NOT NULL -- all", "--order", "white DESC, event DESC -- both"]).writes();
    let events = pgn.lines().filter_map(|line| line.strip_prefix("[Event \"")?.strip_suffix("\"]"));
    let events: Vec<&str> = events.filter(|event| ["utf8", "latin1", "bom"].contains(event)).collect();
    assert_eq!(events, ["bom", "utf8", "latin1"], "in the order that was asked for");
    export().args(["--order", "white DESC,,"]).fails();
}

#[test]
#[ignore = "needs a server"]
fn who_may_read_the_view_alone_exports_the_same() {
    let db = loaded("onlookers");
    db.sql("CREATE ROLE onlooker LOGIN; GRANT USAGE ON SCHEMA traps TO onlooker; GRANT SELECT ON traps.pgn_view TO onlooker");
    let export = || db.pgn("export --schema traps");
    assert_eq!(export().env("PGUSER", "onlooker").writes(), export().writes());
}

/// Control characters, line separators, quotes and backslashes, in names, tags and comments, each around tags and moves
/// of another game.
#[test]
#[ignore = "needs a server"]
fn no_character_forges_a_game() {
    let db = Database::with_extension("nasty");
    db.pgn("schema --schema nasty").succeeds();
    db.sql(
        r#"INSERT INTO nasty.pgn_view (event, site, white, black, date, round, time_control, eco, tags, game, annotated)
           SELECT v, v, v, v, v, v, v, v, jsonb_build_object('Note', jsonb_build_array(v, 'second'), 'Other', v), '1. e4 e5 1-0',
             '1. e4 {' || replace(c || 'x' || c || c || 'y', '}', '') || '} e5 1-0'
           FROM (SELECT c, 'a' || c || '"]' || c || c || '[Event "forged"]' || c || c || '1. d4 *' || c || c || 'b' AS v
             FROM (SELECT chr(i) AS c FROM generate_series(1, 159) i WHERE i < 32 OR i > 126
               UNION ALL SELECT unnest(ARRAY[chr(8232), chr(8233), chr(65279), '"', '\', ']', '\"', '{', ';', '%'])) c) n"#,
    );
    let pgn = db.pgn("export --schema nasty").writes();
    db.pgn("load --schema nasty2 --batch 1").arg(db.file("nasty.pgn", pgn)).succeeds();
    let blanked = |schema: &str| {
        db.rows(&format!(
            "SELECT regexp_replace((to_jsonb(v) - '{{id,source,source_id,source_offset,annotated}}'::text[])::text, '\\\\([bfnrt]|u00[0189].)|[\x7f-\u{9f}]', ' ', 'g'),
             (SELECT btrim(string_agg(regexp_replace(translate(concat_ws(' ', n.before, n.after), '{{}}', '()'), '[\u{1}-\u{20}\u{7f}-\u{9f}\u{2028}\u{2029}\u{feff}]+', ' ', 'g'), ' ')) FROM annotations(v.game, v.annotated) n) FROM {schema}.pgn_view v ORDER BY source_offset, id"
        ))
    };
    assert_eq!(blanked("nasty2"), blanked("nasty"), "as many games, and the same with blanks for control characters");
    assert_eq!(db.sql("SELECT count(*) FROM nasty2.games"), "74");
    let forged = db.sql(
        "SELECT count(*), count(*) FILTER (WHERE tags->>'White' LIKE '%forged%'), count(*) FILTER (WHERE game = '1. e4 e5 1-0')
         FROM pgngames((SELECT string_agg(pgn(game, tags || jsonb_build_object('White', white, 'Event', event), annotated), chr(10)) FROM nasty.pgn_view))",
    );
    assert_eq!(forged, "74|74|74", "pgn() forges none either");
}

#[test]
#[ignore = "needs a server"]
fn odd_rows_are_exported_without_what_cannot_be_written() {
    let db = Database::with_extension("odd");
    db.pgn("schema --schema odd").succeeds();
    db.sql("ALTER TABLE odd.games ALTER game DROP NOT NULL");
    db.sql(
        r#"INSERT INTO odd.pgn_view (white, game, clocks, evals, tags, annotated, dates) VALUES
             ('two dimensions', '1. e4 e5', '{{1,2},{3,4}}', '{{1}}', NULL, NULL, 'empty'),
             ('from 0', '1. e4 e5', '[0:1]={10,20}', '[2:2]={7}', NULL, NULL, '(,)'),
             ('from the end', '1. e4 e5', '[2147483000:2147483001]={10,20}', NULL, NULL, NULL, NULL),
             ('out of range', '1. e4 e5', '{-5,2147483647}', '{200000,-90000}', NULL, NULL, NULL),
             ('too long', '1. e4 e5', '{600,600,NULL,600}', '{1}', NULL, NULL, NULL),
             ('nothing in them', '1. e4 e5', '{}', '{NULL,NULL,NULL}', '{}', ' ', NULL),
             ('no object', '1. e4 e5', NULL, NULL, '[1]', NULL, NULL),
             ('no tag', '1. e4 e5', NULL, NULL, '{"a b": 1, "N": [1e400, null, {"x": 1}]}', NULL, NULL),
             ('another game', '1. e4 e5', NULL, NULL, NULL, '1. d4 {x}', NULL)"#,
    );
    db.sql("INSERT INTO odd.games (game, result) VALUES (NULL, '1-0')");
    db.sql("INSERT INTO odd.pgn_view (white, game) VALUES ('the last', '1. d4')");
    let export = db.pgn("export --schema odd").output();
    assert_eq!(export.code, Some(1));
    let left_out = [
        "chess-pgn: game 1 is written without its clocks: the array has 2 dimensions",
        "chess-pgn: game 1 is written without its evaluations: the array has 2 dimensions",
        "chess-pgn: game 2 is written without 1 of its clocks: they belong to none of its 2 half-moves",
        "chess-pgn: game 3 is written without 2 of its clocks: they belong to none of its 2 half-moves",
        "chess-pgn: game 4 is written without 1 of its clocks: out of range",
        "chess-pgn: game 4 is written without 2 of its evaluations: out of range",
        "chess-pgn: game 5 is written without 1 of its clocks: they belong to none of its 2 half-moves",
        "chess-pgn: game 7 is written without its tags: they are not a JSON object",
        "chess-pgn: game 8 is written without its tag \"a b\": a name has only ASCII letters, digits and \"_\"",
        "chess-pgn: game 9 is written without its annotations: they belong to another game",
        "chess-pgn: game 10 is written without its moves: there are none",
        "chess-pgn: 9 of 11 games were written incompletely; see the messages above",
    ];
    assert_eq!(export.stderr.lines().collect::<Vec<_>>(), left_out);

    db.pgn("load --schema odd2 --clocks --evals").arg(db.file("odd.pgn", export.stdout)).succeeds();
    let games = [
        "two dimensions|1. e4 e5|||",
        "from 0|1. e4 e5|{20,NULL}|{NULL,7}|",
        "from the end|1. e4 e5|||",
        "out of range|1. e4 e5|{NULL,2147483647}||",
        "too long|1. e4 e5|{600,600}|{1,NULL}|",
        "nothing in them|1. e4 e5|||",
        "no object|1. e4 e5|||",
        r#"no tag|1. e4 e5|||["1ZEROS", "{\"x\": 1}"]"#,
        "another game|1. e4 e5|||",
        "|1-0|||",
        "the last|1. d4|||",
    ];
    let found = "SELECT white, game, clocks, evals, replace(tags->>'N', repeat('0', 400), 'ZEROS') FROM odd2.pgn_view ORDER BY source_offset";
    assert_eq!(db.rows(found), games, "every game, with what can be written");
}

#[test]
#[ignore = "needs a server"]
fn a_query_ends_with_its_program() {
    let db = Database::loaded("abandoned", "1. e4 *\n");
    let mut export = db.pgn("export --where").arg("pg_sleep(1000000) IS NULL").spawn();
    let asked = "state = 'active' AND query ~ 'pg_sleep'";
    db.wait_for_activity("the query", asked, Some(&mut export));
    export.killed();
    let left = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND {asked}"
    );
    wait_for("the end of its query", || db.sql(&left) == "0");
}
