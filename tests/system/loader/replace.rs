//! A stored game is replaced by a corrected one: what it was stays, and comes back.

use std::thread;

use chess_system::{Database, generated};

/// A game with everything that has a column, and text beside it.
const CORRECTED: &str = "[Event \"Club\"]\n[Site \"Here\"]\n[Date \"2024.02.??\"]\n[Round \"3.1\"]\n[White \"Corrected, Ann\"]\n\
    [Black \"Other, Bob\"]\n[Result \"0-1\"]\n[WhiteElo \"2100\"]\n[BlackElo \"2050\"]\n[ECO \"C20\"]\n[Annotator \"Me\"]\n\
    [TimeControl \"5400+30\"]\n\n\
    1. e4 {[%clk 1:29:50] [%eval 0.30]} e5 2. Qh5 $6 {early} (2. Nf3) Nc6 3. Bc4 Nf6 4. Qxf7# 0-1\n";

const ROW: &str =
    "SELECT to_jsonb(v) - '{id,source,source_id,source_offset}'::text[] FROM chess.pgn_view v WHERE id = ";

#[test]
#[ignore = "needs a server"]
fn a_game_is_replaced_and_comes_back() {
    let db = Database::new("corrected_game");
    db.pgn("load --index").arg(db.file("gen.pgn", generated(3, 50))).succeeds();
    db.pgn("load --schema fresh --clocks --evals").arg(db.file("corrected.pgn", CORRECTED)).succeeds();
    let game = db.sql("SELECT id FROM chess.games ORDER BY id OFFSET 20 LIMIT 1");
    let row = || db.sql(&format!("{ROW}{game}"));
    let (before, source) =
        (row(), db.sql(&format!("SELECT source_id, source_offset FROM chess.games WHERE id = {game}")));
    let others = "SELECT count(*), md5(string_agg(v::text, '|' ORDER BY id)) FROM chess.pgn_view v WHERE id <> ";
    let others = || db.sql(&format!("{others}{game}"));
    let around = others();
    let replace = |words: &str| db.pgn(&format!("replace --game {game} {words}"));

    let said = replace("-").input(CORRECTED).writes();
    assert_eq!(said.trim(), format!("game {game} replaced"));
    assert_eq!(row(), db.sql(&ROW.replace("chess.", "fresh.").replace(" WHERE id = ", "")), "as a load stores it");
    let found = format!(
        "SELECT id FROM chess.games WHERE hasBoard(game, finalBoard('1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#')) AND id = {game}"
    );
    assert_eq!(db.sql(&format!("SET enable_seqscan = off; {found}")), game, "the index has it");
    assert_eq!(db.sql(&format!("SELECT source_id, source_offset FROM chess.games WHERE id = {game}")), source);
    assert_eq!(others(), around);
    let said = replace("-").input(CORRECTED).writes();
    assert_eq!(said.trim(), format!("game {game} is so already"));
    assert_eq!(
        db.sql(&format!(
            "SELECT count(*), min(changed_by) = session_user::text FROM chess.earlier_games WHERE game_id = {game}"
        )),
        "1|t"
    );

    // ranges of dates are text in the kept row
    db.sql(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET datestyle = %L', current_database(), 'SQL, DMY'); END $$",
    );
    let second = CORRECTED.replace("Corrected, Ann", "Corrected, Anna").replace("2024.02.??", "2024.03.11");
    replace("-").input(second.clone()).succeeds();
    replace("--undo").succeeds();
    db.sql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET datestyle', current_database()); END $$");
    assert_eq!(row(), db.sql(&ROW.replace("chess.", "fresh.").replace(" WHERE id = ", "")), "the last state but one");
    replace("--undo").succeeds();
    assert_eq!(row(), before, "the first state");
    let said = replace("--undo").fails();
    assert!(said.contains(&format!("nothing is known of what game {game} was before")), "{said}");

    let refused = [
        ("1. e4 e5 2. Ke3 1-0", "line 1"),
        ("", "0 games instead of one"),
        ("1. e4 *\n\n1. d4 *\n", "2 games instead of one"),
    ];
    for (pgn, reason) in refused {
        let said = replace("-").input(pgn).fails();
        assert!(said.contains(reason), "{pgn:?}: {said}");
    }
    assert!(db.pgn("replace --game 0 -").input("1. e4 *").fails().contains("there is no game 0"));
    assert_eq!((row(), others()), (before, around), "nothing has changed");
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "0");

    // the file goes with all that is known of its games
    replace("-").input(second).succeeds();
    db.pgn("unload").arg(db.path("gen.pgn")).succeeds();
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "0");
}

/// Of those who have seen the same version one replaces it.
#[test]
#[ignore = "needs a server"]
fn only_one_replaces_a_version() {
    let db = Database::new("versions_of_a_game");
    db.pgn("load").arg(db.file("one.pgn", "[White \"A\"]\n\n1. e4 e5 *\n")).succeeds();
    let version = db.sql("SELECT xmin FROM chess.games");
    let game = db.sql("SELECT id FROM chess.games");
    let told: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|at| {
                let program = db.pgn(&format!("replace --json --game {game} --expect {version} -"));
                scope.spawn(move || program.input(format!("[White \"B{at}\"]\n\n1. d4 *\n")).output().stdout)
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let of = |word: &str| told.iter().filter(|said| said.contains(word)).count();
    assert_eq!((of("\"done\":true"), of("\"reason\":\"changed\"")), (1, 3), "{told:?}");
    assert_eq!(db.sql("SELECT count(*) FROM chess.earlier_games"), "1");
}

/// In SQL any change can be kept.
#[test]
#[ignore = "needs a server"]
fn a_change_in_sql_is_kept() {
    let db = Database::new("kept_game");
    db.pgn("load").arg(db.file("one.pgn", "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n")).succeeds();
    db.sql(
        "BEGIN; SELECT chess.keep_game(id) FROM chess.games;
         UPDATE chess.pgn_view SET white = 'Adams, Michael', result = '0-1', date = '2001.01.01'; COMMIT",
    );
    assert_eq!(db.sql("SELECT white, result, dates FROM chess.pgn_view"), "Adams, Michael|0-1|[2001-01-01,2001-01-02)");
    assert_eq!(db.sql("SELECT chess.restore_game(id) FROM chess.games"), "t");
    assert_eq!(db.sql("SELECT white, result, dates FROM chess.pgn_view"), "A|1-0|");
    assert_eq!(db.sql("SELECT chess.restore_game(id) FROM chess.games"), "f");
    assert!(db.refuses("SELECT chess.keep_game(0)").message.contains("there is no game 0"));
    assert!(
        db.refuses("SELECT chess.keep_game(id, '1') FROM chess.games").message.contains("has been changed meanwhile")
    );
}
