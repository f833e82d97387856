//! Values that no engine has searched: of endgame tables, and of a file from lichess.

use chess_system::{Database, Web, endgame_tables, gzipped};

/// White throws away a won ending with pawn at half-move 1, Black the draw at half-move 4.
const PAWN: &str = "[White \"One\"]\n[Black \"Two\"]\n[Result \"1/2-1/2\"]\n[FEN \"4k3/8/4K3/4P3/8/8/8/8 w - - 0 1\"]\n\n\
    1. Kf5 Ke7 2. e6 Kf8 3. Kf6 Ke8 4. e7 Kd7 5. Kf7 1/2-1/2\n";

/// A database with the ending and a game with many men.
fn endings(name: &str) -> Database<'static> {
    let db = Database::new(name);
    let games = db.file("games.pgn", format!("{PAWN}\n[White \"One\"]\n\n1. e4 e5 *\n"));
    db.pgn("load").arg(games).succeeds();
    db
}

#[test]
#[ignore = "needs a server and endgame tables"]
fn mistakes_in_endings_are_those_of_the_tables() {
    let Some(tables) = endgame_tables() else { return };
    let db = endings("exact");
    let said = db.pgn("analyze --syzygy").arg(&tables).succeeds();
    assert!(said.contains("1 of 2 games have positions of up to 4 men: 10 stored, 0 known"), "{said}");
    assert_eq!(
        db.sql("SELECT ply, player, color, san, best, tb_wdl_before, tb_wdl, result_before, result FROM chess.ending_mistakes ORDER BY ply"),
        "1|One|w|Kf5|Kd6|2|0|won|drawn\n4|Two|b|Kf8|Ke8|0|-2|drawn|lost"
    );
    assert_eq!(db.sql("SELECT ply, san, judgement FROM chess.mistakes ORDER BY ply"), "1|Kf5|blunder\n4|Kf8|blunder");
    assert_eq!(
        db.sql("SELECT eval > 19900, best = 'e6d6' FROM chess.evaluations WHERE ply = 0 AND game_id = 1"),
        "t|t",
        "a win is worth 200 pawns"
    );
    assert_eq!(db.sql("SELECT count(*) FROM chess.analyzed_games"), "1", "a game without such positions is not marked");
    assert_eq!(
        db.sql("SELECT item, games, white, draws, black, detail -> 'thrown' FROM chess.ending_report('KPvK', sections => '{thrown}')"),
        "all|1|0|1|0|1\nKPvK|1|0|1|0|1"
    );
    let again = db.pgn("analyze --syzygy").arg(&tables).succeeds();
    assert!(again.contains("0 stored, 10 known"), "{again}");
}

/// What the page lets a player try again.
#[test]
#[ignore = "needs a server and endgame tables"]
fn the_page_lists_what_was_thrown_away() {
    let Some(tables) = endgame_tables() else { return };
    let db = endings("exact_page");
    db.pgn("analyze --syzygy").arg(&tables).succeeds();
    let web = Web::new(&db, &["--no-sessions"]);
    let thrown = |query: &str| {
        let answer = web.json(&format!("/api/endings/thrown{query}"));
        let mistakes = answer["mistakes"].as_array().unwrap().clone();
        assert_eq!(
            db.sql(&format!("SELECT count(*) FROM ({}) m", answer["sql"].as_str().unwrap().trim_end_matches(';'))),
            mistakes.len().to_string()
        );
        let told = |m: &serde_json::Value| {
            ["ply", "color", "fen", "san", "best", "before", "after"]
                .map(|name| m[name].to_string())
                .join("|")
                .replace('"', "")
        };
        mistakes.iter().map(told).collect::<Vec<_>>()
    };
    let white = "1|w|4k3/8/4K3/4P3/8/8/8/8 w - - 0 1|Kf5|Kd6|won|drawn";
    let black = "4|b|8/4k3/4P3/5K2/8/8/8/8 b - - 0 2|Kf8|Ke8|drawn|lost";
    assert_eq!(thrown("?player=One"), [white]);
    assert_eq!(thrown("?player=Two"), [black]);
    assert_eq!(thrown("?player=Two&color=white").len(), 0);
    assert_eq!(thrown("?player=One&result=1-0").len(), 0);
    assert_eq!(thrown("?player=One|Two&limit=1"), [white]);
}

#[test]
#[ignore = "needs a server and endgame tables"]
fn tables_count_more_than_the_pgn_and_engines() {
    let Some(tables) = endgame_tables() else { return };
    let db = endings("precedence");
    db.sql("UPDATE chess.games SET evals = array_fill(7, ARRAY[9]) WHERE id = 1");
    assert_eq!(db.sql("SELECT string_agg(DISTINCT eval::text, ' ') FROM chess.evaluations WHERE ply > 0"), "7");
    db.pgn("analyze --where").arg("id = 1").arg("--syzygy").arg(&tables).succeeds();
    assert_eq!(db.sql("SELECT bool_or(eval = 7), count(*) FILTER (WHERE eval = 0) FROM chess.evaluations"), "f|3");
    // an engine that has searched a lot
    db.sql("INSERT INTO chess.engines (name) VALUES ('other')");
    db.sql(
        "INSERT INTO chess.analysis (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value, status, nodes, board, best, evals, pvs)
         SELECT key, halfmove_clock, (SELECT id FROM chess.engines WHERE name = 'other'), 1, 'nodes', 1000000, 'done', 1000000, board, 'a1a1', '{55}', '{a1a1}' FROM chess.analysis",
    );
    assert_eq!(db.sql("SELECT count(*) FROM chess.evaluations WHERE eval IN (7, 55)"), "0");
    assert_eq!(
        db.sql(
            "UPDATE chess.games SET evals = NULL WHERE id = 1; SELECT 55 = ANY (evals) FROM chess.pgn_view WHERE id = 1"
        ),
        "f"
    );
}

#[test]
#[ignore = "needs a server and endgame tables"]
fn damaged_and_missing_tables_are_named() {
    let Some(tables) = endgame_tables() else { return };
    let db = endings("damaged");
    let [empty, damaged] = ["empty", "damaged"].map(|name| db.path(name));
    [&empty, &damaged].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let refused = db.pgn("analyze --syzygy").arg(&empty).fails();
    assert!(refused.contains("has no endgame tables"), "{refused}");
    let refused = db.pgn("analyze --syzygy /nowhere/at/all").fails();
    assert!(refused.contains("/nowhere/at/all: "), "{refused}");
    let table = std::fs::read(tables.join("KPvK.rtbw")).unwrap();
    std::fs::write(damaged.join("KPvK.rtbw"), &table[..80]).unwrap();
    let said = db.pgn("analyze --syzygy").arg(&damaged).ends(1);
    assert!(said.contains("the table KPvK is damaged") && said.contains("10 positions have no value"), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.analysis"), "0");
}

const LINES: &str = r#"{"fen":"4k3/8/4K3/4P3/8/8/8/8 w - -","evals":[{"pvs":[{"cp":710,"line":"e6d6 e8d8"},{"cp":0,"line":"e6f5"}],"knodes":20,"depth":30},{"pvs":[{"mate":11,"line":"e6d6"}],"knodes":90,"depth":41}]}
{"fen":"4k3/8/4K3/4P3/8/8/8/8 w - -","evals":[{"pvs":[{"cp":1,"line":"e6d6"}],"knodes":1,"depth":41}]}

{"fen":"nonsense","evals":[]}
{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[{"pvs":[{"cp":18,"line":"e2e4 e7e5"}],"knodes":5,"depth":22}]}
"#;

#[test]
#[ignore = "needs a server"]
fn evaluations_of_lichess_are_imported() {
    let db = endings("import");
    let file = db.file("evals.jsonl.gz", gzipped(LINES));
    let said = db.pgn("analyze --import").arg(&file).ends(1);
    assert!(said.contains("5 lines: 3 evaluations stored, 1 known, 1 lines cannot be read"), "{said}");
    assert!(said.contains("line 4: fen: "), "{said}");
    assert_eq!(
        db.sql("SELECT multipv, limit_kind, limit_value, nodes, best, evals, pvs FROM chess.analysis JOIN chess.engines e ON e.id = engine_id AND e.name = 'lichess' ORDER BY depth"),
        "1|depth|22|5000|e2e4|{18}|{\"e2e4 e7e5\"}\n2|depth|30|20000|e6d6|{710,0}|{\"e6d6 e8d8\",e6f5}\n1|depth|41|90000|e6d6|{99989}|{e6d6}"
    );
    let again = db.pgn("analyze --engine lichess --import").arg(&file).ends(1);
    assert!(again.contains("0 evaluations stored, 4 known"), "{again}");
    db.sql("INSERT INTO chess.analyzed_games SELECT id FROM chess.games");
    assert_eq!(
        db.sql("SELECT game_id, eval FROM chess.evaluations WHERE eval IS NOT NULL ORDER BY game_id"),
        "1|99989\n2|18"
    );
}

/// A file that was cut off while it was copied: what stands before the end is stored.
#[test]
#[ignore = "needs a server"]
fn evaluations_before_a_damage_are_stored() {
    let db = endings("import_damaged");
    let line = |n: usize| {
        format!(
            "{{\"fen\":\"4k3/8/8/8/8/8/8/K7 w - -\",\"evals\":[{{\"pvs\":[{{\"cp\":{n},\"line\":\"a1b1\"}}],\"depth\":{n}}}]}}\n"
        )
    };
    let lines: String = (1..=3000).map(line).collect();
    let packed = gzipped(&lines);
    let file = db.file("evals.jsonl.gz", &packed[..packed.len() / 2]);
    let said = db.pgn("analyze --import").arg(&file).ends(1);
    let stored = db.sql("SELECT count(*) FROM chess.analysis");
    assert!((100..3000).contains(&stored.parse().unwrap()), "{stored}");
    let place =
        format!("evals.jsonl.gz: it cannot be read behind line {stored} ({stored} evaluations stored, 0 known)");
    assert!(said.contains(&place), "{said}");
    let file = db.file("evals.jsonl.gz", packed);
    let said = db.pgn("analyze --import").arg(&file).succeeds();
    assert!(
        said.contains(&format!(
            "3000 lines: {} evaluations stored, {stored} known",
            3000 - stored.parse::<u32>().unwrap()
        )),
        "{said}"
    );
}

#[test]
#[ignore = "needs a server"]
fn the_first_of_equal_evaluations_stays() {
    let db = endings("import_first");
    let line = |n: usize| {
        let (king, played) = [("4K3", "e1e2"), ("K7", "a1a2")][n % 2];
        format!(
            "{{\"fen\":\"4k3/8/8/8/8/8/8/{king} w - -\",\"evals\":[{{\"pvs\":[{{\"cp\":{n},\"line\":\"{played}\"}}],\"depth\":9}}]}}\n"
        )
    };
    let file = db.file("evals.jsonl", (0..3000).map(line).collect::<String>());
    assert!(db.pgn("analyze --import").arg(&file).succeeds().contains("2 evaluations stored, 2998 known"));
    assert_eq!(db.rows("SELECT evals[1] FROM chess.analysis ORDER BY 1"), ["0", "1"]);
}

#[test]
#[ignore = "needs a server"]
fn lines_with_many_evaluations_take_little_memory() {
    let db = endings("import_parts");
    let evaluation = |depth: usize| format!("{{\"pvs\":[{{\"cp\":1,\"line\":\"e1e2\"}}],\"depth\":{depth}}}");
    let evaluations = (1..=18_000).map(evaluation).collect::<Vec<_>>().join(",");
    let line = format!("{{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"evals\":[{evaluations}]}}\n");
    db.sql(
        "CREATE SEQUENCE stored; CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''public.stored''); RETURN NULL; END';
         CREATE TRIGGER count_it AFTER INSERT ON chess.analysis EXECUTE FUNCTION count_it()",
    );
    let file = db.file("evals.jsonl", line.repeat(5));
    let said = db.pgn("analyze --import").arg(&file).succeeds();
    assert!(said.contains("5 lines: 18000 evaluations stored, 72000 known"), "{said}");
    assert_eq!(db.sql("SELECT last_value FROM stored"), "2", "rows are stored before there are many");
}
