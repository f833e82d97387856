-- The option max_ply of the default GIN class: the first half-moves have position keys, later ones coarse keys. The
-- answers are the same for any value.

\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set functions :abs_srcdir '/data/functions.sql'
\set ECHO none
\i :games
\i :functions
\set ECHO all
SET max_parallel_workers_per_gather = 0;
-- Games without changes until after half-move 40, or with a change at it, and Chess960.
INSERT INTO games (id, name, game)
SELECT 20000 + n, 'around 40', (repeat('Nf3 Nf6 Ng1 Ng8 ', n / 4) || (ARRAY['', 'Nf3 ', 'Nf3 Nf6 ', 'Nf3 Nf6 Ng1 '])[n % 4 + 1]
    || CASE WHEN n % 2 = 0 THEN 'e4 e5 Nc3 Nc6 d4 exd4' ELSE 'e5 Nc3 d5 Nb1 d4 e3 dxe3' END)::chessgame FROM generate_series(34, 45) AS n;
INSERT INTO games (id, name, game)
SELECT 21000 + n, 'Chess960', ('[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] '
    || repeat('Rg1 Rg8 Rf1 Rf8 ', n) || 'a4 a5 O-O-O b5 axb5')::chessgame FROM generate_series(8, 12) AS n;
INSERT INTO games (id, name, game) VALUES (22000, 'long', (repeat('Nf3 Nf6 Ng1 Ng8 ', 700) || 'e4')::chessgame), (22001, 'none', ''), (22002, 'null', NULL);

CREATE INDEX games_40 ON games USING gin (game chessgame_ops (max_ply = 40));
SELECT pg_get_indexdef('games_40'::regclass);
SELECT amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod WHERE opcname = 'chessgame_ops' AND amname = 'gin';
VACUUM ANALYZE games;
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
-- The predicates use it with default settings.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy, 5);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard ~@ game;
-- Not used for boards that most games have.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('', 0));

-- Invalid numbers of half-moves; an option of the compact class.
CREATE INDEX ON games USING gin (game chessgame_ops (max_ply = 0));
CREATE INDEX ON games USING gin (game chessgame_ops (max_ply = -1));
CREATE INDEX ON games USING gin (game chessgame_ops (max_ply = 2147483648));
CREATE INDEX ON games USING gin (game chessgame_ops (max_ply = 'many'));
CREATE INDEX ON games USING gin (game chessgame_ops (max_move = 20));
-- PostgreSQL 18 also prints the schema of the class
\set VERBOSITY sqlstate
CREATE INDEX ON games USING gin (game chessgame_compact_ops (max_ply = 40));
\set VERBOSITY default

-- The same games with and without the index, for boards at many half-moves, especially around 40, and for boards that
-- differ from them by side to move, castling rights or one piece.
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM games, unnest('{0,1,9,20,38,39,40,41,42,43,60,85,2800}'::integer[]) AS ply
WHERE ply <= plyCount(game) AND (id BETWEEN 5 AND 9 OR id IN (20034, 20039, 20040, 20041, 20045) OR id BETWEEN 21009 AND 22000);
INSERT INTO wanted
SELECT CASE WHEN board::text LIKE '% w %' THEN replace(board::text, ' w ', ' b ') ELSE replace(board::text, ' b ', ' w ') END::chessboard FROM wanted
UNION SELECT regexp_replace(board::text, '^(\S+ [wb]) \S+', '\1 -')::chessboard FROM wanted
UNION SELECT replace(board::text, 'N', 'B')::chessboard FROM wanted;
INSERT INTO wanted VALUES ('8/8/8/8/8/8/8/8'), (NULL);
CREATE TABLE asked AS SELECT unnest(ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 40)', 'hasBoard(game, %L, 41)', 'hasPieces(game, %L)',
    'hasPieces(game, %L, 39)', '%L::chessboard <@ game', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]',
    'game @>> ARRAY[%L, getBoard(''1. e4'', 1)]', 'game @>> ARRAY[%L, NULL]::chessboard[]', 'game @> ANY (ARRAY[%L, getBoard(''1. h3'', 1)])']) AS question;
SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT * FROM answers();
SET enable_bitmapscan = on; SET enable_seqscan = off;
SELECT count(*) AS questions, min(boards) > 50 AS many_boards, count(*) FILTER (WHERE games > 0) AS found_some FROM by_scan;
CREATE TABLE sizes (max_ply integer, bytes bigint, differ bigint);
DO $$
DECLARE max_ply integer;
BEGIN
    FOREACH max_ply IN ARRAY '{1,20,39,40,41,100,2147483647}'::integer[] LOOP
        DROP INDEX games_40;
        EXECUTE format('CREATE INDEX games_40 ON games USING gin (game chessgame_ops (max_ply = %s))', max_ply);
        INSERT INTO sizes SELECT max_ply, pg_relation_size('games_40'), count(*) FROM (SELECT * FROM by_scan EXCEPT SELECT * FROM answers()) AS d;
    END LOOP;
END
$$;
SELECT count(*) AS indexes, sum(differ) AS differ,
    max(bytes) FILTER (WHERE max_ply = 1) < max(bytes) FILTER (WHERE max_ply = 20) AND max(bytes) FILTER (WHERE max_ply = 20) < max(bytes) FILTER (WHERE max_ply = 100) AS "larger with max_ply"
FROM sizes;
-- All boards of all games are found.
DROP INDEX games_40;
CREATE INDEX games_40 ON games USING gin (game chessgame_ops (max_ply = 40));
CREATE TABLE missed AS SELECT id, ply, getBoard(game, ply) AS board
FROM games, generate_series(30, 50) AS ply WHERE ply <= plyCount(game) AND (id < 10 OR id > 20000);
SELECT plan('SELECT (SELECT count(*) FILTER (WHERE g.id = m.id) FROM games AS g WHERE g.game @> m.board) FROM missed AS m');
SELECT count(*) > 150 AS many, count(*) FILTER (WHERE (SELECT count(*) FILTER (WHERE g.id = m.id) FROM games AS g WHERE g.game @> m.board) = 1) = count(*) AS all_found FROM missed AS m;

-- Inserted, updated and deleted rows: with the pending list, after VACUUM, and without the list.
CREATE FUNCTION found_by_index() RETURNS TABLE (ply integer, early bigint, late bigint) LANGUAGE sql AS $$
    SELECT n, count(*) FILTER (WHERE id < 20000), count(*) FILTER (WHERE id >= 20000)
    FROM unnest('{40,41,44}'::integer[]) AS n JOIN games AS g ON hasBoard(g.game, getBoard((repeat('Nf3 Nf6 Ng1 Ng8 ', 10) || 'Nc3 Nc6 e3 e6')::chessgame, n)) GROUP BY n ORDER BY n $$;
SELECT * FROM found_by_index();
INSERT INTO games (id, game) VALUES (-1, (repeat('Nf3 Nf6 Ng1 Ng8 ', 10) || 'Nc3 Nc6 e3 e6')::chessgame);
SELECT * FROM found_by_index();
VACUUM games;
SELECT * FROM found_by_index();
UPDATE games SET game = getFirstMoves(game, 41) WHERE id = -1;
SELECT * FROM found_by_index();
ALTER INDEX games_40 SET (fastupdate = off);
UPDATE games SET game = (repeat('Nf3 Nf6 Ng1 Ng8 ', 10) || 'Nc3 Nc6 e3 e6')::chessgame WHERE id = -1;
SELECT * FROM found_by_index();
DELETE FROM games WHERE id = -1;
SELECT * FROM found_by_index();
VACUUM games;
REINDEX INDEX games_40;
SELECT * FROM found_by_index();
-- The definition creates the same index again.
SELECT pg_get_indexdef('games_40'::regclass) AS definition \gset
DROP INDEX games_40;
:definition;
SELECT pg_get_indexdef('games_40'::regclass) = :'definition' AS same;
SELECT count(*) AS differ FROM (SELECT * FROM by_scan EXCEPT SELECT * FROM answers()) AS d;
-- Beside an index without the option.
CREATE INDEX games_all ON games USING gin (game);
SELECT count(*) FROM games WHERE hasBoard(game, getBoard((repeat('Nf3 Nf6 Ng1 Ng8 ', 10) || 'e4 e5')::chessgame, 42));
-- In one of several columns with options.
DROP INDEX games_40, games_all;
CREATE INDEX games_two ON games USING gin (game chessgame_ops (max_ply = 2), getFirstMoves(game, 30) chessgame_ops (max_ply = 10));
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasBoard(getFirstMoves(game, 30), :ruy);
SET enable_bitmapscan = off; SET enable_seqscan = on;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasBoard(getFirstMoves(game, 30), :ruy);
RESET enable_bitmapscan; RESET enable_seqscan;

\set ECHO none
DROP TABLE games, famous, wanted, by_scan, sizes, missed;
DROP TABLE asked;
DROP FUNCTION estimate, actual, plan, answers, found_by_index;
