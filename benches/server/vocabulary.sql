-- In: a database with the extension and a table games (id integer, game chessgame); run psql -f in it.
-- Out: what the vocabulary costs, beside a table of positions as one would build it by hand (game_id, ply, zobrist,
-- next_move, with a covering index) and beside generate_series, in the same run. Single process, everything in memory;
-- each query runs once to warm up and then five times, medians are printed. An ERROR if two ways to an answer differ.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET work_mem = '256MB';
SET maintenance_work_mem = '64MB';

CREATE TEMP TABLE build (what text, seconds numeric, size text);
CREATE PROCEDURE pg_temp.build(what text, statement text, relation text) LANGUAGE plpgsql AS $$
DECLARE started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    INSERT INTO build SELECT what, round(extract(epoch FROM clock_timestamp() - started), 2),
                             pg_size_pretty(pg_relation_size(relation::regclass));
END $$;
CREATE TEMP TABLE run (nr serial, what text, rows bigint, median_ms numeric, least numeric, greatest numeric);
-- The statement counts rows or returns them; either way it runs to its end.
CREATE PROCEDURE pg_temp.measure(what text, statement text) LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz;
    times numeric[] := '{}';
    n bigint;
BEGIN
    FOR round IN 0..5 LOOP
        started := clock_timestamp();
        EXECUTE format('SELECT sum(count) FROM (%s) AS s', statement) INTO n;
        IF round > 0 THEN
            times := times || extract(epoch FROM clock_timestamp() - started) * 1000;
        END IF;
    END LOOP;
    INSERT INTO run (what, rows, median_ms, least, greatest)
    SELECT what, n, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY t))::numeric, 1), round(min(t), 1), round(max(t), 1)
    FROM unnest(times) AS t;
END $$;

CALL pg_temp.build('games', 'CREATE TEMP TABLE packed AS SELECT id, game FROM games ORDER BY id', 'packed');
CALL pg_temp.build('games: GIN index', 'CREATE INDEX packed_gin ON packed USING gin (game)', 'packed_gin');
CALL pg_temp.build('positions by hand', 'CREATE TEMP TABLE played AS
    SELECT id AS game_id, p.ply, zobrist(p.board) AS zobrist, m.san AS next_move
    FROM packed, positions(game) AS p LEFT JOIN LATERAL (SELECT ply - 1 AS before, san FROM moves(game)) AS m ON m.before = p.ply', 'played');
CALL pg_temp.build('positions by hand: covering B-tree index',
    'CREATE INDEX played_zobrist ON played (zobrist) INCLUDE (game_id, ply, next_move)', 'played_zobrist');
VACUUM ANALYZE packed;
VACUUM ANALYZE played;
TABLE build;

SELECT getBoard('1. e4', 1) AS e4, getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10) AS najdorf \gset

-- The same answer? A position may arise twice in a game: the first time counts.
CREATE TEMP TABLE asked (name text, board chessboard);
INSERT INTO asked VALUES ('e4', :'e4'), ('najdorf', :'najdorf');
CREATE TEMP VIEW by_function AS
    SELECT name, nextMove(game, board) AS next_move, count(*) AS games
    FROM packed, asked WHERE nextMove(game, board) IS NOT NULL GROUP BY 1, 2;
CREATE TEMP VIEW by_hand AS
    SELECT name, next_move, count(*) AS games
    FROM (SELECT DISTINCT ON (name, game_id) name, game_id, next_move
          FROM played JOIN asked ON zobrist = zobrist(board) ORDER BY name, game_id, ply) AS first
    WHERE next_move IS NOT NULL GROUP BY 1, 2;
DO $$
BEGIN
    IF EXISTS (TABLE by_function EXCEPT TABLE by_hand) OR EXISTS (TABLE by_hand EXCEPT TABLE by_function) THEN
        RAISE EXCEPTION 'nextMove and the table of positions disagree';
    END IF;
END $$;

SET enable_bitmapscan = off;
CALL pg_temp.measure('explorer after 1. e4: nextMove, no index',
    format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'e4', :'e4'));
CALL pg_temp.measure('explorer, Najdorf, half-move 10: nextMove, no index',
    format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'najdorf', :'najdorf'));
SET enable_bitmapscan = on;
SET enable_seqscan = off;
CALL pg_temp.measure('explorer after 1. e4: nextMove, GIN index',
    format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'e4', :'e4'));
CALL pg_temp.measure('explorer, Najdorf, half-move 10: nextMove, GIN index',
    format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'najdorf', :'najdorf'));
SET enable_seqscan = on;
CALL pg_temp.measure('explorer after 1. e4: positions by hand',
    format('SELECT next_move, count(*) FROM played WHERE zobrist = %s GROUP BY 1', zobrist(:'e4')));
CALL pg_temp.measure('explorer, Najdorf, half-move 10: positions by hand',
    format('SELECT next_move, count(*) FROM played WHERE zobrist = %s GROUP BY 1', zobrist(:'najdorf')));

SELECT min(id) AS last FROM (SELECT id, sum(plyCount(game)) OVER (ORDER BY id) AS plies FROM packed) AS s WHERE plies >= 1000000 \gset
CALL pg_temp.measure('1 million rows: generate_series', 'SELECT count(*) FROM generate_series(1, 1000000)');
CALL pg_temp.measure('1 million rows: moves, all columns', format('SELECT count(*) FROM packed, moves(game) WHERE id <= %s', :last));
CALL pg_temp.measure('1 million rows: positions', format('SELECT count(*) FROM packed, positions(game) WHERE id <= %s', :last));

CALL pg_temp.measure('all games: status', 'SELECT count(*) FROM packed WHERE status(game) <> ''in progress''');
CALL pg_temp.measure('all games: opening', 'SELECT count(eco) FROM packed, opening(game)');
CALL pg_temp.measure('all games: hasMaterial KRPvKR', 'SELECT count(*) FROM packed WHERE hasMaterial(game, ''KRPvKR'')');
CALL pg_temp.measure('all games: plyOf, Najdorf', format('SELECT count(*) FROM packed WHERE plyOf(game, %L) = 10', :'najdorf'));
CALL pg_temp.measure('perft 4 from the start by legalMoves and play', $$
    WITH RECURSIVE line (ply, board) AS (
        SELECT 1, startBoard('') UNION ALL SELECT ply + 1, play(board, uci) FROM line, legalMoves(board) WHERE ply < 4)
    SELECT count(*) FROM line, legalMoves(board) WHERE ply = 4$$);
SELECT what, rows, median_ms, least, greatest FROM run ORDER BY nr;
