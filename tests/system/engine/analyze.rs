//! What is stored of twenty games, and what is asked once it is stored.

use crate::{analyze, analyzed, no_engine_is_left, rows};

#[test]
#[ignore = "needs a server and Stockfish"]
fn each_position_is_asked_once() {
    let db = analyzed("twenty");
    let positions = db.sql("SELECT count(DISTINCT (epd(board), greatest(halfmoveclock(board), 60))) FROM chess.games, positions(game) WHERE id <= 20");
    let stored = db.sql("SELECT count(*), count(*) FILTER (WHERE status = 'failed') FROM chess.analysis");
    assert_eq!(stored, format!("{positions}|0"), "a row for each position");
    assert_eq!(db.sql("SELECT count(*) FROM chess.analyzed_games"), "20", "each game is gone through");
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.analysis WHERE key <> zobrist(board)"),
        "0",
        "keys are those of the boards"
    );

    let first = rows(&db);
    let twenty = |words: &str| analyze(&db, "--reproducible").words(words).args(["--where", "id <= 20"]);
    let said = twenty("--nodes 5000").succeeds();
    let asked =
        said.split_once("20 of 20 games: 0 positions analyzed, ").is_some_and(|(_, rest)| rest.contains(" 0 failed"));
    assert!(asked, "the second run asks nothing: {said}");
    assert_eq!(rows(&db), first, "nor does it store anything");
    let said = twenty("--nodes 5000 --status").succeeds();
    let done = said.split_once("20 of 20 games done; ").is_some_and(|(_, rest)| rest.contains(" 0 open"));
    assert!(done, "all of it is stored: {said}");
    let said = twenty("--nodes 5000 --status --hash 48").succeeds();
    assert!(said.contains("\n0 of 20 games done; 0 positions stored, "), "{said}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.engines"), "1", "who asks what is stored stores nothing");
    let said = twenty("--nodes 1000").succeeds();
    assert!(said.contains(" 0 positions analyzed"), "more nodes than asked for serve as well: {said}");
    let said = analyze(&db, "--reproducible --plies 10..12 --nodes 5000 --hash 32 --where").arg("id = 1").succeeds();
    assert!(said.contains(" 3 positions analyzed"), "an engine with other options is asked anew: {said}");
    no_engine_is_left(&db);
}
