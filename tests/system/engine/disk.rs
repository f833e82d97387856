//! A disk that is full while engines work.

use chess_system::{Database, Server, skip};

use crate::{analyze, load_famous, no_engine_is_left, pgn, rows};

#[test]
#[ignore = "needs a server and Stockfish"]
fn a_full_disk_leaves_whole_games() {
    let server = Server::new();
    let Some(disk) = server.small_disk("4m") else {
        return skip("a full disk: only root can mount a small one", "run the tests as root");
    };
    // two tables in a tablespace of their own: it alone is full
    let db = Database::on(&server, "filled");
    load_famous(&db);
    db.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", disk.display()));
    for table in ["analysis", "games"] {
        db.sql(&format!("ALTER TABLE chess.{table} SET TABLESPACE small"));
    }
    let fill = disk.join("fill");
    let filled = server
        .command("dd")
        .args(["if=/dev/zero", "bs=8k", "status=none"])
        .arg(format!("of={}", fill.display()))
        .output();
    assert!(!filled.unwrap().status.success(), "the disk is not full");
    let analyze = |db: &Database<'_>| analyze(db, "--nodes 2000 --reproducible").args(["--where", "id <= 3"]);
    let said = analyze(&db).fails();
    assert!(said.contains("No space left on device"), "{said}");
    let told = said.split_once("cannot store the analysis of game ").map(|(_, rest)| rest);
    let game = told.filter(|rest| rest.contains(", by Stockfish"));
    assert!(
        game.is_some_and(|rest| rest.starts_with(['1', '2', '3']) && rest[1..].starts_with(", half-moves 0 to ")),
        "{said}"
    );
    assert!(said.contains("run the same command again"), "{said}");
    let half =
        "SELECT count(*) FROM chess.analyzed_games d WHERE EXISTS (SELECT FROM chess.games g, positions(g.game) p
        WHERE g.id = d.game_id AND NOT EXISTS (SELECT FROM chess.analysis a WHERE a.key = zobrist(p.board)))";
    assert_eq!(db.sql(half), "0", "no game is half stored");
    no_engine_is_left(&db);

    // games that take more than the last page has
    let said = pgn(&db, "play --nodes 20 --games 200 --from").arg("8/8/8/4k3/8/8/4P3/4K2R w K - 0 1").fails();
    let number = said
        .split_once("cannot store game ")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    let stored: u32 = db.sql("SELECT count(*) FROM chess.pgn_view WHERE source_id IS NULL").parse().unwrap();
    assert_eq!(number, Some((stored + 1).to_string()), "the games before it are whole: {said}");
    no_engine_is_left(&db);

    std::fs::remove_file(fill).unwrap();
    analyze(&db).succeeds();
    let roomy = Database::on(&server, "roomy");
    load_famous(&roomy);
    analyze(&roomy).succeeds();
    assert_eq!(rows(&db), rows(&roomy));
}
