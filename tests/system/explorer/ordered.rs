//! The first rows in an order are the same whether an index returns them in that order or the server sorts them, in every
//! snapshot, and for every role. Each query is asked with `chess.enable_index_sums` on and off in one snapshot.

use std::thread;

use chess_system::{Session, number};

use crate::aggregates::{Chance, E4, agrees, agrees_beside_writers, agrees_by, asking, boards};
use crate::loaded;

pub const NODE: &str = "Chess Index Order";

/// What rows are ordered by, of which the index knows the attributes.
const KEYS: [&str; 10] = [
    "lower(dates)",
    "chess.last_day(dates)",
    "white_elo",
    "black_elo",
    "coalesce(white_elo, 0) + coalesce(black_elo, 0)",
    "CASE WHEN white_elo IS NULL THEN 0 ELSE white_elo END::bigint + CASE WHEN black_elo IS NULL THEN 0 ELSE black_elo END",
    "coalesce(lower(dates), '-infinity')",
    "CASE WHEN lower(dates) IS NULL THEN '2000-01-01' ELSE lower(dates) END",
    "coalesce(black_elo, 1500)",
    "chess.result_code(result)",
];

/// A query for the first rows. Rows that are equal may come in any order, so it shows their keys, or orders them by id, too.
fn first_rows(chance: &mut Chance, table: &str, board: &str, other: &str) -> String {
    let (reached, _) = chance.reached(board, other);
    let mut conditions = vec![reached];
    for _ in 0..chance.below(3) {
        conditions.push(chance.condition());
    }
    let conditions = conditions.join(" AND ");
    let key = chance.of(&KEYS);
    let direction = chance.of(&["", "DESC", "DESC NULLS LAST", "DESC NULLS LAST", "ASC NULLS FIRST"]);
    let limit = chance.of(&["1", "3", "10", "17", "40 OFFSET 5", "300", "100000"]);
    match chance.below(4) {
        0 => format!("SELECT {key} FROM {table} WHERE {conditions} ORDER BY {key} {direction} LIMIT {limit}"),
        // Which of equal rows come is free, so only their number and the ends of the order are compared; a row must not come twice.
        1 => format!(
            "SELECT count(DISTINCT id), min(key), max(key) FROM (SELECT id, {key} AS key FROM {table} WHERE {conditions} ORDER BY {key} {direction} LIMIT {limit}) x"
        ),
        2 => format!("SELECT * FROM {table} WHERE {conditions} ORDER BY {key} {direction}, id LIMIT {limit}"),
        _ => format!(
            "SELECT id, game, tableoid::regclass, ctid, xmin FROM {table} WHERE {conditions} ORDER BY {key} {direction}, id DESC LIMIT {limit}"
        ),
    }
}

#[track_caller]
fn check(session: &mut Session, by_index: bool, queries: &[String]) {
    for query in queries {
        assert_eq!(agrees(session, query, NODE), by_index, "whether the index orders {query}");
    }
}

/// A segment has so many equal games that not all are kept, and another one has lower games alone.
#[test]
#[ignore = "needs a server"]
fn lower_games_of_a_segment_do_not_replace_equal_ones_of_another() {
    let db = loaded("equal_in_one_segment");
    let equal = "SELECT n, '1. e4', 2000, 2000, 0, date '2020-01-01' FROM generate_series(1, 6000) n";
    let lower = "SELECT n, '1. e4', 1000, n - 6000, 0, date '2020-01-01' - n FROM generate_series(6001, 8000) n";
    for (table, first, second, segments) in [("equal_first", equal, lower, "2"), ("lower_first", lower, equal, "3")] {
        db.sql(&format!(
            "CREATE TABLE {table} (id int, game chessgame, white_elo int, black_elo int, result smallint, day date);
             INSERT INTO {table} {first};
             CREATE INDEX {table}_idx ON {table} USING chess (game, white_elo, black_elo, result, day);
             INSERT INTO {table} {second}"
        ));
        db.sql(&format!("VACUUM (ANALYZE) {table}"));
        let parts = format!("SELECT count(*) FROM chess_index_info('{table}_idx') WHERE part = 'segment'");
        assert_eq!(db.sql(&parts), segments, "{table}");
        let mut session = asking(&db);
        session.sql("SET enable_sort = off");
        for key in ["coalesce(white_elo, 0) + coalesce(black_elo, 0)", "day"] {
            for (direction, tie) in [("DESC", "id DESC"), ("ASC", "id")] {
                let from = format!("FROM {table} WHERE hasBoard(game, '{E4}') ORDER BY {key} {direction}");
                check(
                    &mut session,
                    true,
                    &[
                        format!("SELECT id {from}, {tie} LIMIT 15"),
                        format!("SELECT count(*), min(key), max(key) FROM (SELECT {key} AS key {from} LIMIT 6010) x"),
                    ],
                );
            }
        }
    }
}

#[test]
#[ignore = "needs a server"]
fn every_shape_of_query_has_the_rows_of_a_sort() {
    let db = loaded("orders");
    db.sql("CREATE TABLE boards (n int, board chessboard); INSERT INTO boards VALUES (1, finalBoard('1. e4')), (2, finalBoard('1. d4')), (3, NULL)");
    db.sql("CREATE VIEW games AS SELECT * FROM chess.games WHERE white_elo > 1000");
    let mut session = asking(&db);
    let from = format!("FROM chess.games WHERE hasBoard(game, '{E4}')");
    let day = "lower(dates) DESC NULLS LAST";
    let ratings = "coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC";
    check(
        &mut session,
        true,
        &[
            format!("SELECT id {from} ORDER BY {day}, id LIMIT 10"),
            format!("SELECT id {from} ORDER BY {ratings}, id LIMIT 10"),
            format!("SELECT id {from} ORDER BY {ratings}, id DESC FETCH FIRST 7 ROWS ONLY"),
            format!("SELECT white_elo {from} ORDER BY white_elo DESC LIMIT 5"),
            format!("SELECT white_elo {from} ORDER BY white_elo DESC NULLS LAST LIMIT 5 OFFSET 100"),
            format!("SELECT lower(dates) {from} ORDER BY {day} FETCH FIRST 3 ROWS WITH TIES"),
            format!("SELECT lower(dates) {from} AND lower(dates) < '2010-05-05' ORDER BY lower(dates) DESC LIMIT 5"),
            format!("SELECT id FROM games WHERE hasBoard(game, '{E4}') ORDER BY {day}, id LIMIT 3"),
            format!(
                "SELECT n, (SELECT lower(dates) FROM chess.games WHERE game @> board AND white_elo > 1000 * n ORDER BY {day} LIMIT 1) FROM boards ORDER BY n"
            ),
            format!(
                "SELECT p.ply, x.* FROM positions('1. e4 c5 2. Nf3 d6') p, LATERAL (SELECT id FROM chess.games WHERE hasBoard(game, p.board) ORDER BY {ratings}, id LIMIT 3) x ORDER BY 1, 2"
            ),
            format!("SELECT id FROM (SELECT id {from} ORDER BY {day}, id LIMIT 10) x ORDER BY id"),
            format!("SELECT lower(dates) {from} AND white_elo >= (SELECT NULL::int) ORDER BY {day} LIMIT 10"),
            format!("SELECT x {from} ORDER BY {day}, id LIMIT 3")
                .replace("SELECT x", "SELECT xmin, ctid, tableoid, games"),
        ],
    );
    check(
        &mut session,
        false,
        &[
            format!("SELECT id {from} ORDER BY id LIMIT 10"),
            format!("SELECT id {from} ORDER BY ply_count, {day}, id LIMIT 10"),
            format!("SELECT id {from} AND ply_count > 10 ORDER BY {day}, id LIMIT 10"),
            format!("SELECT id FROM chess.games ORDER BY {day}, id LIMIT 10"),
            format!("SELECT lower(dates) {from} ORDER BY {day}"),
            format!("SELECT white_elo + black_elo {from} ORDER BY white_elo + black_elo DESC LIMIT 10"),
            format!("SELECT coalesce(white_elo, 1) + coalesce(black_elo, 0) {from} ORDER BY 1 DESC LIMIT 10"),
            format!(
                "SELECT id FROM chess.games TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE hasBoard(game, '{E4}') ORDER BY {day}, id LIMIT 10"
            ),
        ],
    );
    let plan = session
        .rows(&format!("EXPLAIN (COSTS OFF) SELECT id {from} AND white_elo > 2000 ORDER BY {day} LIMIT 10"))
        .join("\n");
    assert_eq!(
        plan,
        format!(
            "Limit\n  ->  Custom Scan (Chess Index Order) on games\n        Filter: ((white_elo > 2000) AND hasboard(game, '{E4} 0 1'::chessboard))\n        Index: games_chess_idx\n        Order By: lower(dates) DESC NULLS LAST"
        )
    );
    // Half of the table is read, by a cursor forth and back.
    session.sql(&format!("BEGIN; DECLARE dated SCROLL CURSOR FOR SELECT id, lower(dates) {from} ORDER BY {day}"));
    let forth = session.rows("FETCH 500 FROM dated");
    let back: Vec<String> = session.rows("FETCH BACKWARD 499 FROM dated").into_iter().rev().collect();
    assert_eq!(forth[..499], back);
    session.sql("COMMIT");
}

#[test]
#[ignore = "needs a server"]
fn random_orders_have_the_rows_of_a_sort() {
    let db = loaded("random_orders");
    let mut chance = Chance(u64::from(number("SEED", 5)));
    let mut session = asking(&db);
    let (mut asked, mut by_index) = (0, 0);
    let boards = boards(&db, &mut chance, number("POSITIONS", 200));
    for (board, other) in boards.iter().zip(boards.iter().cycle().skip(1)) {
        // Little memory takes the rows through a sort of the server.
        session.sql(&format!("SET work_mem = '{}'", chance.of(&["64kB", "4MB"])));
        let query = first_rows(&mut chance, "chess.games", board, other);
        let way = chance.way(&query, board);
        by_index += u32::from(agrees_by(&mut session, &way, NODE));
        asked += 1;
    }
    println!("{asked} questions, {by_index} by the index");
    assert!(by_index * 10 > asked * 9, "the index ordered {by_index} of {asked} questions");
}

#[test]
#[ignore = "needs a server"]
fn partitions_are_merged_in_order() {
    let db = loaded("ordered_parts");
    db.sql(
        "CREATE TABLE parted (LIKE chess.games) PARTITION BY RANGE (id);
         CREATE TABLE low PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (700);
         CREATE TABLE high (note text, LIKE chess.games);
         ALTER TABLE high DROP note;
         ALTER TABLE parted ATTACH PARTITION high FOR VALUES FROM (700) TO (MAXVALUE);
         INSERT INTO parted SELECT * FROM chess.games;
         CREATE INDEX ON parted USING chess (game, white_elo, black_elo, (chess.result_code(result)), (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)));
         ANALYZE parted",
    );
    let mut session = asking(&db);
    let mut chance = Chance(3);
    let boards = boards(&db, &mut chance, 40);
    let by_index =
        boards.iter().filter(|board| agrees(&mut session, &first_rows(&mut chance, "parted", board, E4), NODE));
    assert!(by_index.count() > 30);
}

#[test]
#[ignore = "needs a server"]
fn each_snapshot_has_its_own_order() {
    let db = loaded("ordered_snapshots");
    let query = format!(
        "SELECT id, white_elo FROM chess.games WHERE hasBoard(game, '{E4}') ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id LIMIT 20"
    );
    let queries = std::slice::from_ref(&query);
    let mut owner = asking(&db);
    check(&mut owner, true, queries);
    let mut writer = asking(&db);
    writer.sql(
        "BEGIN; UPDATE chess.games SET white_elo = 3000 WHERE id % 7 = 0; DELETE FROM chess.games WHERE id % 9 = 0",
    );
    check(&mut writer, true, queries);
    check(&mut owner, true, queries);
    let mut reader = asking(&db);
    reader.sql("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let before = reader.rows(&query);
    // A cursor that has read a few rows goes on with those of its snapshot, whatever happens to the index.
    let ordered = query.replace(", id LIMIT 20", "");
    reader.sql(&format!("DECLARE rated CURSOR FOR {ordered}"));
    let first = reader.rows("FETCH 3 FROM rated");
    writer.sql("COMMIT");
    owner.sql("VACUUM chess.games");
    owner.sql("SELECT chess_index_merge('chess.games_chess_idx')");
    let mut read = [first, reader.rows("FETCH ALL FROM rated")].concat();
    let mut wanted = reader.rows(&format!("SET chess.enable_index_sums = off; {ordered}"));
    reader.sql("SET chess.enable_index_sums = on");
    read.sort();
    wanted.sort();
    assert_eq!(read, wanted);
    check(&mut reader, true, queries);
    assert_eq!(reader.rows(&query), before, "a snapshot does not change");
    reader.sql("COMMIT");
    assert_ne!(reader.rows(&query), before);
}

#[test]
#[ignore = "needs a server"]
fn a_row_that_another_session_has_changed_is_tested_again() {
    let db = loaded("ordered_locks");
    let mut writer = asking(&db);
    let mut locker = asking(&db);
    let ordered = format!(
        "FROM chess.games WHERE hasBoard(game, '{E4}') AND white_elo > 0 ORDER BY lower(dates) DESC NULLS LAST, id"
    );
    let first = locker.rows(&format!("SELECT id {ordered} LIMIT 2"));
    writer.sql(&format!("BEGIN; UPDATE chess.games SET white_elo = 0 WHERE id = {}", first[0]));
    let locked = thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let query = format!("SELECT id {ordered} LIMIT 1 FOR UPDATE");
            assert!(locker.rows(&format!("EXPLAIN {query}")).join("\n").contains(NODE));
            locker.rows(&query)
        });
        db.wait_for_activity("a lock", "wait_event_type = 'Lock'", None);
        writer.sql("COMMIT");
        waiting.join().unwrap()
    });
    assert_eq!(locked, first[1..]);
}

#[test]
#[ignore = "needs a server"]
fn each_role_has_the_rows_it_may_see() {
    let db = loaded("ordered_roles");
    db.sql(
        "CREATE ROLE orderer LOGIN; GRANT USAGE ON SCHEMA chess TO orderer; GRANT SELECT (id, game) ON chess.games TO orderer;
         CREATE VIEW barred WITH (security_barrier) AS SELECT id, game, dates FROM chess.games WHERE white_elo > 1500;
         CREATE VIEW open_games AS SELECT id, game, dates FROM chess.games; GRANT SELECT ON barred, open_games TO orderer",
    );
    let query = |table: &str| {
        format!("SELECT id FROM {table} WHERE hasBoard(game, '{E4}') ORDER BY lower(dates) DESC NULLS LAST, id LIMIT 5")
    };
    let mut session = db.session_as("orderer");
    session.sql("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexscan = off");
    assert_eq!(session.refuses(&query("chess.games")).code, "42501", "a column without rights");
    check(&mut session, true, &[query("open_games")]);
    check(&mut session, false, &[query("barred")]);
    db.sql("GRANT SELECT ON chess.games TO orderer; CREATE POLICY few ON chess.games USING (id % 3 = 0); ALTER TABLE chess.games ENABLE ROW LEVEL SECURITY");
    check(&mut session, false, &[query("chess.games")]);
}

#[test]
#[ignore = "needs a server"]
fn orders_beside_writers_are_those_of_a_sort() {
    agrees_beside_writers("ordered_beside", NODE, |chance, board| first_rows(chance, "chess.games", board, E4));
}
