-- Plain index scans of the access method chess: LIMIT, EXISTS, LATERAL and cursors stop early, and find what a sequential scan
-- finds, each row once, also while their own session changes the index.
\set ECHO none
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
-- One game of 1,000 has 1. h3, half of the games 1. e4 e5. Most games are in segments, some are pending.
CREATE TABLE games (id int, game chessgame) WITH (autovacuum_enabled = off);
INSERT INTO games SELECT n, CASE WHEN n % 1000 = 0 THEN '1. h3 d5' WHEN n % 2 = 0 THEN '1. e4 e5' ELSE '1. d4 d5 2. c4' END::chessgame FROM generate_series(1, 20000) AS n;
CREATE INDEX games_chess ON games USING chess (game);
VACUUM ANALYZE games;
INSERT INTO games SELECT n, CASE n % 5 WHEN 0 THEN '1. h3 d5' ELSE '1. e4 e5' END::chessgame FROM generate_series(20001, 20020) AS n;
INSERT INTO games VALUES (20021, NULL);
SELECT part, games FROM chess_index_info('games_chess') WHERE games > 0;

-- With no setting changed, LIMIT picks a plain index scan where games are rare, and a sequential scan where they are not;
-- whoever wants all of many rows gets a bitmap.
SELECT plan('SELECT id FROM games WHERE hasBoard(game, finalBoard(''1. h3'')) LIMIT 3');
SELECT plan('SELECT EXISTS (SELECT FROM games WHERE hasOpening(game, ''1. h3 d5''))');
SELECT plan('SELECT id FROM games WHERE hasBoard(game, finalBoard(''1. e4'')) LIMIT 3');
SELECT plan('SELECT id FROM games WHERE hasBoard(game, finalBoard(''1. e4''))');
-- Many rows are read to their end by a bitmap scan, also where random pages cost little.
BEGIN;
SET LOCAL random_page_cost = 1.1;
SET LOCAL enable_seqscan = off;
SELECT plan('SELECT id FROM games WHERE hasBoard(game, startBoard(''*''))');
SELECT plan('SELECT id FROM games WHERE hasBoard(game, startBoard(''*'')) LIMIT 900');
ROLLBACK;
SELECT id FROM games WHERE hasBoard(game, finalBoard('1. h3')) LIMIT 3;
SELECT count(*) FROM (SELECT FROM games WHERE hasBoard(game, finalBoard('1. h3')) LIMIT 23) AS g;
SELECT count(*) FROM (SELECT FROM games WHERE hasBoard(game, finalBoard('1. h3')) LIMIT 1000) AS g;
SELECT EXISTS (SELECT FROM games WHERE hasOpening(game, '1. h3 d5')), EXISTS (SELECT FROM games WHERE hasOpening(game, '1. h3 e5'));

-- LIMIT reads no more of a long list than it needs.
CREATE FUNCTION pages_read(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END
$$;
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT plan('SELECT id FROM games WHERE game @> finalBoard(''1. e4'') LIMIT 3');
SELECT pages_read('SELECT id FROM games WHERE game @> finalBoard(''1. e4'') LIMIT 3') <= 12 AS few,
       pages_read('SELECT id FROM games WHERE game @> finalBoard(''1. e4'') AND game @> finalBoard(''1. e4 e5'') LIMIT 3') <= 16 AS few_of_two,
       pages_read('SELECT id FROM games WHERE game @> finalBoard(''1. e4'')') > 50 AS many;
RESET enable_bitmapscan;

-- Nested loops begin the scan again for each board, NULL among them; LATERAL with LIMIT.
CREATE TABLE boards AS SELECT n, board FROM (VALUES (1, finalBoard('1. h3')), (2, finalBoard('1. d4')), (3, NULL), (4, finalBoard('1. a4')), (5, finalBoard('1. d4 d5 2. c4')), (6, finalBoard('1. h3 d5'))) AS v (n, board);
SELECT plan('SELECT n, id FROM boards, LATERAL (SELECT id FROM games WHERE game @> board LIMIT 2) AS g');
SELECT n, id FROM boards, LATERAL (SELECT id FROM games WHERE game @> board LIMIT 2) AS g ORDER BY n, id;
SELECT n FROM boards WHERE EXISTS (SELECT FROM games WHERE game @> board) ORDER BY n;
SELECT n FROM boards WHERE NOT EXISTS (SELECT FROM games WHERE game @> board) ORDER BY n;
SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off; SET enable_hashagg = off;
SELECT plan('SELECT n, count(*) FROM boards JOIN games ON game @> board GROUP BY n');
SELECT n, count(*) FROM boards JOIN games ON game @> board GROUP BY n ORDER BY n;
-- A merge join sorts: the scan cannot be marked.
SET enable_nestloop = off; SET enable_mergejoin = on;
SELECT plan('SELECT count(*) FROM games AS a JOIN games AS b USING (id) WHERE a.game @> finalBoard(''1. e4'') AND b.game @> finalBoard(''1. e4 e5'')');
SELECT count(*) FROM games AS a JOIN games AS b USING (id) WHERE a.game @> finalBoard('1. e4') AND b.game @> finalBoard('1. e4 e5');
RESET enable_nestloop; RESET enable_hashjoin; RESET enable_material; RESET enable_memoize; RESET enable_hashagg;
-- Prepared.
SET plan_cache_mode = force_generic_plan;
PREPARE some_games(chessboard, bigint) AS SELECT count(*) FROM (SELECT FROM games WHERE game @> $1 LIMIT $2) AS g;
EXECUTE some_games(finalBoard('1. h3'), 7);
EXECUTE some_games(finalBoard('1. e4'), 7000);
EXECUTE some_games(NULL, 7);
RESET plan_cache_mode;

-- A scroll cursor keeps what it has fetched; others go forward.
SELECT plan('DECLARE c SCROLL CURSOR FOR SELECT id FROM games WHERE game @> finalBoard(''1. h3'')');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM games WHERE game @> finalBoard('1. h3');
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH FIRST FROM c;
DECLARE d CURSOR FOR SELECT id FROM games WHERE game @> finalBoard('1. h3');
FETCH 2 FROM d;
SAVEPOINT s;
FETCH BACKWARD 1 FROM d;
ROLLBACK;

-- A cursor over changes of its own session, which replace the pages that it reads, and after which it begins anew.
CREATE TABLE fetched (id int);
CREATE PROCEDURE take(number int) LANGUAGE plpgsql AS $$
DECLARE c refcursor := 'c'; one int;
BEGIN
    FOR n IN 1 .. number LOOP FETCH c INTO one; EXIT WHEN NOT FOUND; INSERT INTO fetched VALUES (one); END LOOP;
END
$$;
ALTER INDEX games_chess SET (pending_games = 64);
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT id FROM games WHERE game @> finalBoard('1. e4');
CALL take(100);
DELETE FROM games WHERE id BETWEEN 101 AND 300;
SELECT chess_index_merge('games_chess');
INSERT INTO games SELECT n, '1. e4 e5' FROM generate_series(30001, 31000) AS n;
CALL take(5);
SELECT chess_index_merge('games_chess');
INSERT INTO games SELECT n, '1. e4 e5' FROM generate_series(31001, 32000) AS n;
CALL take(5000);
SELECT chess_index_merge('games_chess');
SAVEPOINT s;
INSERT INTO games SELECT n, '1. e4 e5' FROM generate_series(32001, 32500) AS n;
ROLLBACK TO s;
CALL take(1000000);
SELECT count(*), count(DISTINCT id), sum(id) FROM fetched;
SELECT count(*), count(DISTINCT id), sum(id) FROM generate_series(1, 20020) AS id WHERE id <= 20000 AND id % 2 = 0 AND id % 1000 <> 0 OR id > 20000 AND id % 5 <> 0;
ROLLBACK;
-- An UPDATE by such a scan finds no row of its own, though its rows become segments, which are merged, while it runs.
SELECT plan('UPDATE games SET id = -id, game = ''1. e4 c5'' WHERE game @> finalBoard(''1. e4'')');
BEGIN;
WITH changed AS (UPDATE games SET id = -id, game = '1. e4 c5' WHERE game @> finalBoard('1. e4') RETURNING id)
SELECT count(*), count(DISTINCT id), min(id) FROM changed;
SELECT chess_index_check('games_chess', true);
ROLLBACK;

-- With little memory a scan that was asked for many rows reads the others at once, in part into a temporary file. After
-- that nothing of the index is read.
SET work_mem = '64kB';
CREATE FUNCTION file_blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Temp Written Blocks';
END
$$;
SELECT file_blocks('SELECT id FROM games WHERE game @> ANY (ARRAY[finalBoard(''1. h3'')])') = 0 AS none, file_blocks('SELECT id FROM games WHERE game && ARRAY[finalBoard(''1. e4''), finalBoard(''1. d4'')]') > 0 AS some;
SELECT count(*), sum(id), sum(id::numeric * id) FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT id FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
CALL take(100);
SELECT chess_index_merge('games_chess');
INSERT INTO games SELECT n, '1. e4 e5' FROM generate_series(30001, 31000) AS n;
CALL take(4000);
SAVEPOINT s;
CALL take(1000);
RELEASE s;
SELECT chess_index_merge('games_chess');
INSERT INTO games SELECT n, '1. e4 e5' FROM generate_series(31001, 32000) AS n;
CALL take(1000000);
SELECT count(*), count(DISTINCT id), sum(id), sum(id::numeric * id) FROM fetched;
ROLLBACK;
-- A scan with a file that ends with an error, in a subtransaction too, and one that is not read to its end.
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT id FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
SAVEPOINT s;
CALL take(10000);
DECLARE d NO SCROLL CURSOR FOR SELECT id, 1 / (id - 9000) FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
MOVE 8000 FROM d;
MOVE 8000 FROM d;
ROLLBACK TO s;
SELECT count(*) FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
MOVE 10 FROM c;
COMMIT;
RESET work_mem;
SET enable_indexscan = off; SET enable_seqscan = on;
SELECT count(*), sum(id), sum(id::numeric * id) FROM games WHERE game && ARRAY[finalBoard('1. e4'), finalBoard('1. d4')];
SET enable_indexscan = on; SET enable_seqscan = off;

-- Without a condition on the game only a partial index serves. Where no column is needed the planner considers an index-only
-- scan, but rows have to be looked at.
CREATE INDEX games_partial ON games USING chess (game) WHERE id > 19990;
VACUUM games;
SELECT plan('SELECT count(*) FROM games WHERE id > 19990');
SELECT count(*) FROM games WHERE id > 19990;
SELECT plan('SELECT game IS NULL AS none FROM games WHERE id > 19990 LIMIT 3');
SELECT count(*) FILTER (WHERE game IS NULL) AS none FROM games WHERE id > 19990;
RESET enable_seqscan; RESET enable_bitmapscan;
SELECT plan('SELECT count(*) FROM games');

-- For rows to be locked, and removed.
SELECT plan('SELECT id FROM games WHERE game @> finalBoard(''1. h3'') LIMIT 2 FOR UPDATE');
SELECT id FROM games WHERE game @> finalBoard('1. h3') LIMIT 2 FOR UPDATE;
DELETE FROM games WHERE id IN (SELECT id FROM games WHERE game @> finalBoard('1. h3') LIMIT 2);
SELECT id FROM games WHERE game @> finalBoard('1. h3') LIMIT 2;
SELECT chess_index_check('games_chess', true);

DROP TABLE games, boards, fetched;
DROP FUNCTION estimate, actual, plan, answers, cost, pages_read, file_blocks;
DROP PROCEDURE take;
