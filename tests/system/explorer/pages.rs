//! How many pages a question of the explorer reads in a session that has asked before.

use chess_system::Session;

use crate::loaded;
use crate::ordered::NODE;

/// The pages that a query reads when it is asked for the third time.
fn pages(session: &mut Session, query: &str) -> u32 {
    let mut pages = 0;
    for _ in 0..3 {
        let plan = session.rows(&format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) {query}"));
        let buffers = plan.iter().find_map(|line| line.trim().strip_prefix("Buffers: shared hit="));
        let number = buffers.expect("a warm question reads buffers alone").split(' ').next().unwrap();
        pages = number.parse().unwrap();
    }
    pages
}

#[test]
#[ignore = "needs a server"]
fn a_question_reads_few_pages() {
    let db = loaded("pages_read");
    db.sql("SELECT chess_index_merge('chess.games_chess_idx')");
    db.sql("VACUUM chess.games");
    let mut session = db.session();
    session.sql(
        "SET enable_memoize = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off",
    );
    let asked = |times: u32| {
        format!(
            "SELECT (SELECT count(*) FROM chess.games WHERE hasBoard(game, b)) FROM (SELECT 'startpos'::chessboard AS b FROM generate_series(1, {times}) OFFSET 0) a"
        )
    };
    let [once, often] = [1, 11].map(|times| pages(&mut session, &asked(times)));
    // The metapage twice, the visibility map, a leaf for each of two keys, the sums.
    assert_eq!(once, 6);
    // A node that asks once more reads only the sums again.
    assert_eq!(often, 16);
}

/// The fifteenth game of the list has the ratings of the sixteenth, which an incremental sort has to see, too.
#[test]
#[ignore = "needs a server"]
fn a_list_reads_on_past_equal_games_at_once() {
    let db = loaded("equal_games");
    db.sql(
        "CREATE TABLE many AS
         SELECT n AS id, CASE WHEN n % 500 = 0 THEN '1. d4' ELSE '1. e4' END::chessgame AS game,
                CASE WHEN n % 500 = 0 THEN 2000 + n / 10000 ELSE 1000 + n % 900 END AS white_elo, 1000 AS black_elo,
                (n % 3)::smallint AS result, date '2000-01-01' + n % 5000 AS day, hashint4(n) AS one, hashint4(n + 1) AS other
         FROM generate_series(1, 200000) n;
         CREATE INDEX ON many USING chess (game, white_elo, black_elo, result, day, one, other)",
    );
    db.sql("VACUUM (ANALYZE) many");
    let mut session = db.session();
    session.sql(
        "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off; SET enable_sort = off",
    );
    let query = "SELECT id FROM many WHERE hasBoard(game, finalBoard('1. d4'))
                 ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 15";
    assert!(session.rows(&format!("EXPLAIN {query}")).iter().any(|line| line.contains(NODE)));
    let best: Vec<String> = (0..15).map(|nth| (200_000 - 500 * nth).to_string()).collect();
    assert_eq!(session.rows(query), best);
    // Each of the 400 games with the board has its attributes in a page of its own.
    assert!(pages(&mut session, query) < 350);
}

/// Neither lists of symmetric positions nor a report on an ending read the rows of more games than they show.
#[test]
#[ignore = "needs a server"]
fn symmetric_positions_and_endings_read_few_rows() {
    let db = loaded("few_rows");
    db.sql("SELECT chess_index_merge('chess.games_chess_idx')");
    db.sql("VACUUM ANALYZE chess.games");
    let mut session = db.session();
    session.sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off");
    let list = |more: &str| format!("SELECT * FROM chess.explorer_games('startpos'{more})");
    let [plain, symmetric] = ["", ", symmetries => true"].map(|more| pages(&mut session, &list(more)));
    assert!(symmetric < plain + 50, "a list reads {plain} pages, of symmetric positions {symmetric}");
    let report =
        "SELECT * FROM chess.ending_report('flip(K[QRBN]P*vK[QRBN]P*)', sections => '{summary,color,rating,month}')";
    let by_index = pages(&mut session, report);
    session.sql("SET chess.enable_index_sums = off");
    let by_rows = pages(&mut session, report);
    assert!(by_index * 3 < by_rows, "the report reads {by_index} pages, by rows {by_rows}");
}
