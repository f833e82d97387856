//! A query that asks an index again and again needs no more memory than one that asks it a few times: the plan nodes of the
//! access method `chess` and its scans free what each question has taken.

use crate::aggregates::NODE;
use crate::{loaded, ordered};

/// Memory is compared after this many questions. If each of them left a datum behind, it would grow by more than [`MOST_BYTES`].
const RESCANS: usize = 1400;

/// What the memory of a query may differ by, because a bitmap or a row happens to be larger.
const MOST_BYTES: i64 = 24_000;

#[test]
#[ignore = "needs a server"]
fn memory_does_not_grow_with_rescans() {
    let db = loaded("rescans");
    db.sql(
        "CREATE TABLE asked AS SELECT nth, getBoard(game, 4) AS board, ARRAY[getBoard(game, 3), getBoard(game, 4)] AS boards,
                                      int4range(1400, 1500 + nth::int % 9) AS range, int4multirange(int4range(1400, 1500 + nth::int % 9)) AS ranges,
                                      ARRAY[1500, 1600 + nth::int % 9] AS ratings, ('P' || nth % 8 + 1)::text AS text
                               FROM (SELECT game FROM chess.games WHERE plyCount(game) > 4 LIMIT 1) one, generate_series(1, 3000) nth",
    );
    // With storage out of line each value is copied when it is read.
    db.sql(
        "CREATE TABLE fetched (LIKE asked); ALTER TABLE fetched ALTER boards SET STORAGE EXTERNAL, ALTER ratings SET STORAGE EXTERNAL;
         INSERT INTO fetched SELECT nth, board, array_cat(boards, array_fill(board, ARRAY[60])), range, ranges,
                                    array_cat(ratings, array_fill(1500, ARRAY[600])), text FROM asked",
    );
    let day = "ORDER BY lower(dates) DESC NULLS LAST";
    let reached = "hasBoard(game, board)";
    let in_ranges = "white_elo <@ range AND black_elo <@ ranges AND white_elo = ANY (ratings)";
    let questions = [
        (NODE, format!("count(*) FROM chess.games WHERE {reached} AND {in_ranges}")),
        (NODE, format!("max(lower(dates)) FROM chess.games WHERE game && boards AND {in_ranges}")),
        (NODE, format!("result, avg(score(result, 'w')) FROM chess.games WHERE {reached} GROUP BY result")),
        (NODE, "count(*) FROM chess.games WHERE hasBoard(game, CASE WHEN nth < 0 THEN board END)".to_owned()),
        (ordered::NODE, format!("id FROM chess.games WHERE {reached} AND {in_ranges} {day} LIMIT 1")),
        (ordered::NODE, format!("id FROM chess.games WHERE game && boards {day} LIMIT 1 OFFSET 100")),
        ("Index Scan using", format!("id FROM chess.games WHERE {reached} AND white_elo = ANY (ratings) LIMIT 1")),
        ("Index Scan using", "id FROM chess.games WHERE game && boards LIMIT 1".to_owned()),
        ("Bitmap Index Scan", "id FROM chess.games WHERE game && boards LIMIT 1".to_owned()),
        ("Bitmap Index Scan", format!("id FROM chess.games WHERE {reached} AND white_elo = ANY (ratings) LIMIT 1")),
    ];
    let mut session = db.session();
    session.sql(
        "SET enable_seqscan = off; SET enable_memoize = off; SET enable_material = off; SET enable_hashjoin = off;
         PREPARE used AS SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name <> 'CacheMemoryContext' AND parent <> 'CacheMemoryContext'",
    );
    for (node, question) in questions {
        let is_ours = node.starts_with("Chess");
        session.sql(&format!(
            "SET chess.enable_index_sums = {is_ours}; SET enable_bitmapscan = {}; SET enable_indexscan = {}; SET work_mem = {}",
            node == "Bitmap Index Scan",
            node == "Index Scan using",
            // Little memory takes ordered rows through a sort of the server.
            if question.contains("OFFSET") { "'64kB'" } else { "'4MB'" },
        ));
        for table in ["asked", "fetched"] {
            let query = format!("SELECT x.* FROM (SELECT * FROM {table} OFFSET 0) a, LATERAL (SELECT {question}) x");
            let plan = session.rows(&format!("EXPLAIN (COSTS OFF) {query}")).join("\n");
            assert!(plan.contains(node), "{query}\n{plan}");
            session.sql(&format!("BEGIN; DECLARE asking NO SCROLL CURSOR FOR {query}"));
            let mut after = |rows: usize| {
                session.sql(&format!("MOVE {rows} IN asking"));
                session.sql("EXECUTE used").parse::<i64>().expect("bytes")
            };
            after(50);
            let [before, grown, again] = [50, RESCANS, RESCANS].map(&mut after);
            // What grows once is a cache, of this query or of the one that measures.
            let each_time = (grown - before).min(again - grown);
            assert!(each_time < MOST_BYTES, "{each_time} bytes more after each {RESCANS} rescans of {query}");
            session.sql("COMMIT");
        }
    }
}
