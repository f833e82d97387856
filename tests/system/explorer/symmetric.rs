//! Symmetric positions as one in the explorer: its answers are those of a replay with symmetries of its own (symmetric.sql), with
//! and without an index. The games are random endings that begin on images of a few boards, so that they meet.

use chess_system::{Database, number, read, repository};

#[test]
#[ignore = "needs a server"]
fn the_explorer_of_symmetric_positions_answers_as_a_replay_does() {
    let db = Database::new("symmetries");
    db.sql("CREATE EXTENSION chess");
    let functions = read(repository("tests/system/explorer/symmetric.sql"));
    db.sql(&String::from_utf8(functions).unwrap());
    let seed = number("SEED", 5);
    db.sql(&format!("SELECT setseed(0.{seed})"));
    let pgn = db.sql("SELECT endings.pgn(400)");
    let games = db.file("endings.pgn", pgn.into_bytes());
    db.pgn("load").arg(&games).succeeds();
    db.sql("SELECT endings.fill()");
    let compare = |what: &str| {
        db.sql(&format!("SELECT setseed(0.{seed})"));
        let seen: u32 = db.sql(&format!("SELECT endings.compare({})", number("POSITIONS", 25))).parse().unwrap();
        assert!(seen > 50, "{what}: games that reach another image: {seen}");
    };
    compare("without an index");
    db.pgn("load --index").arg(&games).succeeds();
    db.sql("ANALYZE chess.games; SET enable_seqscan = off");
    compare("by the index");
}

#[test]
#[ignore = "needs a server"]
fn symmetric_positions_of_no_board() {
    let db = crate::loaded("nosymmetry");
    assert_eq!(db.sql("SELECT count(*) FROM chess.explorer(NULL, symmetries => true)"), "0", "no board");
    assert_eq!(
        db.sql("SELECT count(*) FROM chess.explorer('8/8/8/8/8/8/8/8 w - -', symmetries => true)"),
        "0",
        "no kings"
    );
    assert_eq!(db.sql("SELECT count(*) FROM chess.explorer_games(symmetries => true)"), "15", "all games");
    let one = "SELECT string_agg(e::text, ' ') FROM chess.explorer('startpos', symmetries => true) e";
    let other = "SELECT string_agg(e::text, ' ') FROM chess.explorer('startpos') e";
    assert_eq!(db.sql(one), db.sql(other), "nobody else begins");
}
