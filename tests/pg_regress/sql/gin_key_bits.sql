-- The option key_bits of the compact GIN class: keys of pawn structures instead of coarse keys. The answers are the
-- same for any number of bits.

\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set functions :abs_srcdir '/data/functions.sql'
\set ECHO none
\i :games
\i :functions
\set ECHO all
SET max_parallel_workers_per_gather = 0;
-- Promotions, en passant, castling in Chess960, another start, no moves, NULL.
INSERT INTO games (id, name, game) VALUES
    (21000, 'promotions', '1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=N Rb6 6. Nxb6 cxb6 7. g4 h5 8. gxh5 g6 9. hxg6 Rh6 10. g7 Rh3 11. g8=Q'),
    (21001, 'en passant', '1. e4 a6 2. e5 d5 3. exd6 exd6 4. Nf3 Nf6'),
    (21002, 'Chess960', '[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] 1. a4 a5 2. O-O-O b5 3. axb5'),
    (21003, 'ending', '[FEN "8/1P2k3/8/8/8/8/6K1/8 w - - 0 1"] 1. b8=R Kd6 2. Rb6+'),
    (21004, 'none', ''), (21005, 'null', NULL);

CREATE INDEX games_24 ON games USING gin (game chessgame_compact_ops (key_bits = 24));
SELECT pg_get_indexdef('games_24'::regclass);
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'chessgame_compact_ops';
VACUUM ANALYZE games;
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
-- The predicates use it with default settings.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy, 5);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard ~@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @>> ARRAY[getBoard('1. e4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && ARRAY[getBoard('1. h4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @>~~ :ruy::chessboard;
-- Not used if the pawns do not narrow the search, nor for a board that most games have.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('1. Nf3 Nf6', 2));
-- Estimates of candidates: those of the index, within a factor of 2, or 20 games; exact answers are fewer.
CREATE FUNCTION left_by_index(board chessboard) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT FROM games WHERE game @>~~ %L::chessboard', board) INTO plan;
    RETURN (jsonb_path_query_first(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")."Actual Rows"') #>> '{}')::numeric;
END
$$;
SET enable_seqscan = off;
SELECT count(*) AS boards, bool_and(e BETWEEN l / 2 - 20 AND l * 2 + 20 AND e >= 1) AS near, bool_and(l >= a) AS "all are left", bool_or(l > a) AS "and more"
FROM (SELECT getBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5', ply) AS board FROM generate_series(0, 12) AS ply) AS b,
    format('SELECT FROM games WHERE game @>~~ %L::chessboard', board) AS query, estimate(query) AS e, actual(query) AS a, left_by_index(board) AS l;
SELECT query, e BETWEEN 0 AND 1940 AS sane FROM unnest(ARRAY['game @>~~ NULL::chessboard', 'game @>>~~ NULL::chessboard[]', 'game &&~~ ''{}''',
    'game @>>~~ ''{}''::chessboard[]', 'game @>~~ getBoard(game, 3)', 'game &&~~ ARRAY[getBoard(game, 3)]', '''1. e4''::chessgame @>~~ getBoard(game, 1)']) AS query,
    estimate('SELECT FROM games WHERE ' || query) AS e;
RESET enable_seqscan;

-- Invalid numbers of bits; the keys of an existing index cannot change.
CREATE INDEX ON games USING gin (game chessgame_compact_ops (key_bits = 16));
CREATE INDEX ON games USING gin (game chessgame_compact_ops (key_bits = 32));
CREATE INDEX ON games USING gin (game chessgame_compact_ops (key_bits = 'many'));
CREATE INDEX ON games USING gin (game chessgame_ops (key_bits = 24));
ALTER INDEX games_24 SET (key_bits = 20);

-- The same games with and without the index.
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM famous, generate_series(0, 60, 9) AS ply WHERE ply <= plyCount(game);
INSERT INTO wanted SELECT getBoard(game, ply) FROM games, generate_series(0, 21) AS ply WHERE id > 20999 AND ply <= plyCount(game);
INSERT INTO wanted
SELECT replace(board::text, ' w ', ' b ')::chessboard FROM wanted
UNION SELECT replace(board::text, 'KQkq', 'Qk')::chessboard FROM wanted
UNION SELECT replace(board::text, 'N', 'B')::chessboard FROM wanted;
INSERT INTO wanted VALUES ('8/8/8/8/8/8/8/8'), (NULL);
CREATE TABLE asked AS SELECT unnest(ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 9)', 'hasPieces(game, %L)', 'game @> %L::chessboard',
    'game @~ %L', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]', 'game @>> ARRAY[%L, getBoard(''1. e4'', 1)]',
    '%L::chessboard <@ game', 'ARRAY[%L, NULL]::chessboard[] && game', 'game @>> ARRAY[%L, NULL]::chessboard[]',
    'game @>~ %L::chessboard', 'game @>>~ ARRAY[%L, getBoard(''1. e4'', 1)]', 'game &&~ ARRAY[%L, NULL, getBoard(''1. h3'', 1)]',
    'game @>~~ %L::chessboard', 'game @>>~~ ARRAY[%L, getBoard(''1. e4'', 1)]', 'game &&~~ ARRAY[%L, NULL, getBoard(''1. h3'', 1)]']) AS question;
SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT * FROM answers();
SET enable_bitmapscan = on; SET enable_seqscan = off;
SELECT count(*) AS questions, min(boards) > 150 AS many_boards, count(*) FILTER (WHERE games > 0) AS found_some FROM by_scan;
-- the operators for structures mean the same as those of the default class
SELECT count(DISTINCT ids) AS answers, count(*) AS questions FROM by_scan WHERE question IN ('hasPieces(game, %L)', 'game @~ %L', 'game @>~~ %L::chessboard');
CREATE TABLE sizes (key_bits text, bytes bigint, differ bigint);
DO $$
DECLARE options text;
BEGIN
    FOREACH options IN ARRAY '{"",(key_bits = 17),(key_bits = 20),(key_bits = 24),(key_bits = 31)}'::text[] LOOP
        DROP INDEX games_24;
        EXECUTE 'CREATE INDEX games_24 ON games USING gin (game chessgame_compact_ops ' || options || ')';
        INSERT INTO sizes SELECT options, pg_relation_size('games_24'), count(*) FROM (SELECT * FROM by_scan EXCEPT SELECT * FROM answers()) AS d;
    END LOOP;
END
$$;
SELECT count(*) AS indexes, sum(differ) AS differ FROM sizes;
-- Queries without a key: none of the games, all of them, NULL.
SELECT count(*) FILTER (WHERE game @>>~~ '{}'::chessboard[]) = count(game) AS all FROM games;
SELECT count(*) = (SELECT count(game) FROM games AS g) AS all FROM games WHERE game @>>~ '{}'::chessboard[];
SELECT count(*) FROM games WHERE game &&~ '{}';
SELECT count(*) FROM games WHERE game &&~~ '{}';
SELECT count(*) FROM games WHERE game @>>~ ARRAY[NULL, getBoard('', 0)];

-- Inserted, updated and deleted rows: with the pending list, after VACUUM and REINDEX.
INSERT INTO games (id, game) VALUES (-1, '1. h3 a6 2. Rh2 Ra7 3. Rh1 Ra8');
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
VACUUM games;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
UPDATE games SET game = '1. h3 a6 2. h4' WHERE id = -1;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
REINDEX INDEX games_24;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. h4', 3));
DELETE FROM games WHERE id = -1;
-- The definition creates the same index again.
SELECT pg_get_indexdef('games_24'::regclass) AS definition \gset
DROP INDEX games_24;
:definition;
SELECT pg_get_indexdef('games_24'::regclass) = :'definition' AS same;
SELECT count(*) AS differ FROM (SELECT * FROM by_scan EXCEPT SELECT * FROM answers()) AS d;
-- A generic plan, a join, and another column with other options.
SET plan_cache_mode = force_generic_plan;
PREPARE by_board(chessboard) AS SELECT count(*) FROM games WHERE hasBoard(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_board(:ruy);
EXECUTE by_board(:ruy);
EXECUTE by_board(NULL);
DEALLOCATE ALL;
RESET plan_cache_mode;
CREATE TABLE by_join AS SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON g.game @> getBoard(f.game, 8) WHERE plyCount(f.game) >= 8 GROUP BY f.id;
SET enable_bitmapscan = off;
SELECT * FROM by_join EXCEPT SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON g.game @> getBoard(f.game, 8) WHERE plyCount(f.game) >= 8 GROUP BY f.id;
SET enable_bitmapscan = on;
DROP INDEX games_24;
CREATE INDEX games_two ON games USING gin (game chessgame_compact_ops (key_bits = 20), getFirstMoves(game, 30) chessgame_compact_ops);
EXPLAIN (COSTS OFF) SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasBoard(getFirstMoves(game, 30), :ruy);
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasBoard(getFirstMoves(game, 30), :ruy);
SET enable_bitmapscan = off; SET enable_seqscan = on;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasBoard(getFirstMoves(game, 30), :ruy);
RESET enable_bitmapscan; RESET enable_seqscan;

\set ECHO none
DROP TABLE games, famous, wanted, by_scan, sizes, by_join;
DROP TABLE asked;
DROP FUNCTION estimate, actual, plan, answers, left_by_index;
