-- A larger table is scanned in parallel with default settings, with the same answers.

\set ECHO none
\i data/games.sql
\set ECHO all
CREATE TABLE many AS SELECT (n - 1) * 20 + id AS id, game FROM famous, generate_series(1, 5000) AS n WHERE id <= 20;
VACUUM ANALYZE many;
-- the threshold below which no plan is parallel
SELECT pg_relation_size('many') > pg_size_bytes(current_setting('min_parallel_table_scan_size')) AS large, count(*) FROM many;
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''

EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE hasBoard(game, :ruy);
SELECT count(*) FROM many WHERE hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE hasPieces(game, :ruy);
SELECT count(*) FROM many WHERE hasPieces(game, :ruy);
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE game && ARRAY[:ruy, getBoard('1. d4', 1)];
SELECT count(*) FROM many WHERE game && ARRAY[:ruy, getBoard('1. d4', 1)];
SELECT nextMove(game, :ruy), count(*) FROM many WHERE hasBoard(game, :ruy) GROUP BY 1 ORDER BY 1;
SELECT status(game), count(*) FROM many GROUP BY 1 ORDER BY 1;

SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM many WHERE hasBoard(game, :ruy);
SELECT count(*) FROM many WHERE hasPieces(game, :ruy);
SELECT count(*) FROM many WHERE game && ARRAY[:ruy, getBoard('1. d4', 1)];
SELECT nextMove(game, :ruy), count(*) FROM many WHERE hasBoard(game, :ruy) GROUP BY 1 ORDER BY 1;
SELECT status(game), count(*) FROM many GROUP BY 1 ORDER BY 1;
RESET max_parallel_workers_per_gather;

-- a small table is not
CREATE TABLE few AS SELECT id, game FROM many WHERE id <= 20;
ANALYZE few;
EXPLAIN (COSTS OFF) SELECT count(*) FROM few WHERE hasBoard(game, :ruy);

DROP TABLE many, few, famous, games;
