//! Views over what an engine has said, and the export of it.

use crate::analyzed;

#[test]
#[ignore = "needs a server and Stockfish"]
fn evaluations_are_exported_if_asked_for_and_come_back() {
    let db = analyzed("exports");
    let export = |words: &str| db.pgn("export").words(words).args(["--where", "id = 1"]).writes();
    assert!(!export("").contains("eval"), "an export without --analysis has none");
    let without = "SELECT count(*) FROM chess.pgn_view WHERE evals IS NOT NULL AND pgn_evals IS NULL";
    assert_eq!(db.sql(without), "20", "nor has pgn_evals");
    let pgn = export("--analysis");
    let plies = db.sql("SELECT ply_count FROM chess.games WHERE id = 1");
    assert_eq!(pgn.matches("[%eval").count().to_string(), plies, "one for each half-move");
    db.pgn("load --schema again --evals").arg(db.file("analysis.pgn", pgn)).succeeds();
    assert_eq!(db.sql("SELECT evals FROM again.games"), db.sql("SELECT evals FROM chess.pgn_view WHERE id = 1"));
    let losses = |from: &str| db.sql(&format!("SELECT count(*), sum(loss)::numeric(9, 3) FROM {from}"));
    let stored = losses("chess.losses WHERE game_id = 1 AND ply > 1");
    assert_eq!(losses("again.losses"), stored, "the views work on evaluations of the PGN as well");
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn losses_accuracies_and_mistakes_are_those_of_their_formulas() {
    let db = analyzed("formulas");
    let losses = "WITH e AS (SELECT game_id, ply, eval, lag(eval) OVER (PARTITION BY game_id ORDER BY ply) AS before FROM chess.evaluations),
        w AS (SELECT game_id, ply, CASE WHEN ply % 2 = 1 THEN 1 ELSE -1 END * (50 + 50 * (2 / (1 + exp(-0.00368208::float8 * before)) - 1) - (50 + 50 * (2 / (1 + exp(-0.00368208::float8 * eval)) - 1))) AS loss FROM e WHERE ply > 0)
      SELECT w.*, l.loss FROM w FULL JOIN chess.losses l USING (game_id, ply) WHERE abs(greatest(w.loss, 0) - l.loss) > 1e-9 OR w.ply IS NULL OR l.ply IS NULL";
    assert_eq!(db.sql(losses), "");
    let accuracies = "SELECT a.* FROM chess.accuracies a JOIN (SELECT game_id, color, count(*), avg(greatest(0, least(100, 103.1668 * exp(-0.04354::float8 * loss) - 3.1669))) AS mean
        FROM chess.losses GROUP BY 1, 2) m USING (game_id, color) WHERE abs(a.accuracy - m.mean) > 1e-6 OR a.moves <> m.count";
    assert_eq!(db.sql(accuracies), "", "an accuracy is the mean of its moves");
    for view in ["losses", "mistakes", "accuracies"] {
        let players = format!(
            "SELECT count(*) > 0, bool_and(l.player = CASE l.color WHEN 'w' THEN v.white ELSE v.black END AND l.player = p.name)
             FROM chess.{view} l JOIN chess.pgn_view v ON v.id = l.game_id JOIN chess.players p ON p.id = l.player_id"
        );
        assert_eq!(db.sql(&players), "t|t", "{view} has the player's name");
    }
    let mistakes = "SELECT bool_and(CASE judgement WHEN 'blunder' THEN loss >= 15 WHEN 'mistake' THEN loss >= 10 AND loss < 15 ELSE loss >= 5 AND loss < 10 END) FROM chess.mistakes";
    assert_eq!(db.sql(mistakes), "t", "mistakes and what they are called");
    let percents = "SELECT chess.win_percent(-2147483648), chess.win_percent(0), chess.win_percent(2147483647), chess.win_percent(NULL) IS NULL";
    assert_eq!(db.sql(percents), "0|50|100|t", "beyond every mate");
    let accuracies = "SELECT round(chess.move_accuracy(-1e300)), chess.move_accuracy(100), chess.move_accuracy(1e300), chess.move_accuracy(NULL) IS NULL";
    assert_eq!(db.sql(accuracies), "100|0|0|t", "of losses that nobody has");
}

#[test]
#[ignore = "needs a server and Stockfish"]
fn the_view_of_games_has_evaluations_and_keeps_them() {
    let db = analyzed("views");
    assert_eq!(db.sql("SELECT bool_and(evals IS NOT NULL = (id <= 20)) FROM chess.pgn_view"), "t");
    db.sql("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA chess TO reader; GRANT SELECT ON chess.pgn_view TO reader");
    let count = db.session_as("reader").sql("SELECT count(evals) FROM chess.pgn_view");
    assert_eq!(count, "20", "also for who may read nothing else");
    db.sql("UPDATE chess.pgn_view SET round = '7' WHERE id = 2");
    for statement in [
        "UPDATE chess.pgn_view SET pgn_evals = '{1}' WHERE id = 3",
        "INSERT INTO chess.pgn_view (game, pgn_evals) VALUES ('1. e4', '{1}')",
    ] {
        let refusal = db.refuses(statement);
        assert!(format!("{refusal:?}").contains("written through evals"), "{statement}: {refusal:?}");
    }
    let kept = db.sql("SELECT evals IS NULL, round FROM chess.games WHERE id = 2");
    assert_eq!(kept, "t|7", "an UPDATE through the view leaves an engine's evaluations where they are");
    db.sql("DELETE FROM chess.games WHERE id = 2");
    assert_eq!(db.sql("SELECT count(*) FROM chess.analyzed_games"), "19", "a game that goes takes its mark along");
}
