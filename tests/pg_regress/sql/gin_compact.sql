-- The compact GIN operator class: the same answers, from an index with a few coarse keys per game.

\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set functions :abs_srcdir '/data/functions.sql'
\set ECHO none
\i :games
\i :functions
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE INDEX games_compact ON games USING gin (game chessgame_compact_ops);
CREATE TABLE full_index AS SELECT game FROM games;
CREATE INDEX full_index_game ON full_index USING gin (game);
VACUUM ANALYZE games;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'chessgame_compact_ops';
SELECT pg_relation_size('games_compact') < pg_relation_size('full_index_game') AS smaller;
DROP TABLE full_index;

-- The predicates use it with default settings.
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy, 5);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :ruy);
-- The operators, with either side first.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @> :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard <@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @~ :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard ~@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @>> ARRAY[getBoard('1. e4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[getBoard('1. e4', 1), :ruy] <<@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && ARRAY[getBoard('1. e4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[getBoard('1. e4', 1), :ruy] && game;
-- Combined, and with the B-tree index of another column.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) OR game @> getBoard('1. h3', 1) OR id < 10;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) AND hasPieces(game, getBoard('1. e4', 1));
RESET enable_seqscan;
-- Its cost depends on the candidates: for a board without a moved pawn that is every game, however few have it.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('1. Nf3 Nf6', 2));
SELECT estimate('SELECT FROM games WHERE hasBoard(game, getBoard(''1. Nf3 Nf6'', 2))') < 400 AS "few have it",
       estimate('SELECT FROM games WHERE game @>~ getBoard(''1. Nf3 Nf6'', 2)') AS "all may";
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && ARRAY[:ruy, getBoard('1. Nf3 Nf6', 2)];
-- Estimates of candidates: within a factor of 2, or 20 of 1,929 games.
SELECT predicate, count(*) AS boards, bool_and(e BETWEEN a / 2 - 20 AND a * 2 + 20 AND e >= 1) AS near
FROM (SELECT getBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5', ply) AS board FROM generate_series(0, 12) AS ply
      UNION ALL SELECT '8/8/8/8/8/8/8/8') AS b,
    unnest(ARRAY['game @>~ %1$L::chessboard', 'game @>>~ ARRAY[%1$L, getBoard('''', 0)]', 'game &&~ ARRAY[%1$L, NULL]::chessboard[]']) AS predicate,
    format('SELECT FROM games WHERE ' || predicate, board) AS query, estimate(query) AS e,
    actual(query) AS a
GROUP BY predicate ORDER BY predicate;
SELECT query, e BETWEEN 0 AND 1929 AS sane FROM unnest(ARRAY['game @>~ NULL::chessboard', 'game @>>~ NULL::chessboard[]', 'game &&~ ''{}''', 'game @>>~ ''{}''::chessboard[]',
    'game @>~ getBoard(game, 3)', 'game &&~ ARRAY[getBoard(game, 3)]', '''1. e4''::chessgame @>~ getBoard(game, 1)']) AS query, estimate('SELECT FROM games WHERE ' || query) AS e;
-- It does not support openings.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 e5');

-- The same games with and without the index, for boards at many half-moves, and for boards that differ from them by
-- side to move, castling rights or one piece.
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM famous, generate_series(0, 60, 7) AS ply WHERE ply <= plyCount(game);
INSERT INTO wanted
SELECT replace(board::text, ' w ', ' b ')::chessboard FROM wanted
UNION SELECT replace(board::text, 'KQkq', 'Qk')::chessboard FROM wanted
UNION SELECT replace(board::text, 'N', 'B')::chessboard FROM wanted;
INSERT INTO wanted VALUES ('8/8/8/8/8/8/8/8'), (NULL);
CREATE TABLE asked AS SELECT unnest(ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 9)', 'hasPieces(game, %L)', 'game @> %L::chessboard',
    'game @~ %L', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]', 'game @>> ARRAY[%L, getBoard(''1. e4'', 1)]',
    '%L::chessboard <@ game', '%L::chessboard ~@ game', 'ARRAY[%L, NULL]::chessboard[] && game', 'ARRAY[%L, getBoard('''', 0)] <<@ game',
    'game @>~ %L::chessboard', 'game @>>~ ARRAY[%L, getBoard(''1. e4'', 1)]', 'game &&~ ARRAY[%L, NULL, getBoard(''1. h3'', 1)]',
    'hasBoard(game, %L) OR id < 10', 'hasBoard(game, %1$L) AND hasPieces(game, %1$L, 30)']) AS question;
SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT * FROM answers();
SET enable_bitmapscan = on;
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT * FROM answers();
RESET enable_seqscan;
SELECT count(*) AS questions, bool_and(games > 0) AS found_some FROM by_index;
SELECT * FROM by_scan EXCEPT SELECT * FROM by_index;

-- Inserted, updated and deleted rows, with the pending list and after VACUUM.
INSERT INTO games (id, game) VALUES (-1, '1. h3 a6 2. Rh2 Ra7 3. Rh1 Ra8');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
VACUUM games;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
UPDATE games SET game = '1. h3 a6 2. h4' WHERE id = -1;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. h4', 3));
DELETE FROM games WHERE id = -1;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. h4', 3));
-- Candidates do not depend on the index: NULL is in no game, and every game has all of no boards.
SELECT count(*) FILTER (WHERE game @>>~ '{}'::chessboard[]) = count(*) AS all, count(*) FILTER (WHERE game &&~ '{}') AS none,
    count(*) FILTER (WHERE game @>>~ ARRAY[NULL, getBoard('', 0)]) AS none, count(game @>~ NULL::chessboard) AS unknown FROM games;
SELECT count(*) = (SELECT count(*) FROM games AS g) AS all FROM games WHERE game @>>~ '{}'::chessboard[];
SELECT count(*) FROM games WHERE game &&~ '{}';
SELECT count(*) FROM games WHERE game @>>~ ARRAY[NULL, getBoard('', 0)];
-- Castling rights, en passant, clocks and the side to move do not count; another placement of the same pieces may be
-- a candidate.
SELECT '1. e4'::chessgame @>~ 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w - - 7 9'::chessboard AS same_placement,
    '1. e4'::chessgame @>~ getBoard('1. e3', 1) AS same_pawns, '1. e4'::chessgame @>~ getBoard('1. d4', 1) AS other_pawn;

-- Prepared statements with generic plans, joins, and a board from a subquery.
SET plan_cache_mode = force_generic_plan;
PREPARE by_board(chessboard) AS SELECT count(*) FROM games WHERE hasBoard(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_board(:ruy);
EXECUTE by_board(:ruy);
EXECUTE by_board(NULL);
PREPARE by_boards(chessboard[]) AS SELECT count(*) FROM games WHERE game @>> $1;
EXPLAIN (COSTS OFF) EXECUTE by_boards(ARRAY[:ruy]::chessboard[]);
EXECUTE by_boards(ARRAY[:ruy]::chessboard[]);
EXECUTE by_boards('{}');
DEALLOCATE ALL;
RESET plan_cache_mode;
SELECT plan('SELECT count(*) FROM famous AS f JOIN games AS g ON g.game @> getBoard(f.game, 8)');
CREATE TABLE by_join AS SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON g.game @> getBoard(f.game, 8) WHERE plyCount(f.game) >= 8 GROUP BY f.id;
SET enable_bitmapscan = off;
SELECT * FROM by_join EXCEPT SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON g.game @> getBoard(f.game, 8) WHERE plyCount(f.game) >= 8 GROUP BY f.id;
RESET enable_bitmapscan;
SELECT count(*) FROM games WHERE hasBoard(game, (SELECT getBoard(game, 12) FROM famous WHERE id = 6));
-- Partial, and on an expression.
DROP INDEX games_compact;
CREATE INDEX games_partial ON games USING gin (game chessgame_compact_ops) WHERE name <> 'quiet';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @> :ruy::chessboard AND name <> 'quiet';
SELECT count(*) FROM games WHERE game @> :ruy::chessboard AND name <> 'quiet';
CREATE INDEX games_expression ON games USING gin (getFirstMoves(game, 20) chessgame_compact_ops);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard <@ getFirstMoves(game, 20);
SELECT count(*) FROM games WHERE :ruy::chessboard <@ getFirstMoves(game, 20);
DROP INDEX games_partial, games_expression;
-- Multicolumn, with one column of each class.
CREATE INDEX games_both ON games USING gin (game, getFirstMoves(game, 20) chessgame_compact_ops);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard <@ getFirstMoves(game, 20) AND game @> :ruy::chessboard;
SELECT count(*) FROM games WHERE :ruy::chessboard <@ getFirstMoves(game, 20) AND game @> :ruy::chessboard;
DROP INDEX games_both;
-- If a bitmap of 64 kB becomes lossy, all rows of a page are rechecked.
CREATE TABLE wide WITH (fillfactor = 10) AS SELECT games.* FROM games, generate_series(1, 10);
CREATE INDEX wide_compact ON wide USING gin (game chessgame_compact_ops);
VACUUM ANALYZE wide;
SET work_mem = '64kB';
SELECT pg_relation_size('wide') / current_setting('block_size')::integer > 1500 AS "many pages";
CREATE TABLE counted AS
SELECT question, actual('SELECT FROM wide WHERE ' || question) AS games
FROM unnest(ARRAY['hasBoard(game, getBoard(''1. e4 e5'', 2))', 'game @> getBoard(''1. e4 e5'', 2)', 'game @>~ getBoard(''1. e4 e5'', 2)',
    'game && ARRAY[getBoard(''1. e4 e5'', 2), getBoard(''1. d4'', 1)]', 'game &&~ ARRAY[getBoard(''1. e4 e5'', 2), getBoard(''1. d4'', 1)]']) AS question;
SET enable_seqscan = on; SET enable_bitmapscan = off;
SELECT question, games > 0 AS found, actual('SELECT FROM wide WHERE ' || question) = games AS same
FROM counted;
RESET work_mem; RESET enable_bitmapscan; RESET enable_seqscan;

\set ECHO none
DROP TABLE wide, counted, by_join;
DROP TABLE games, famous, wanted, by_scan, by_index;
DROP TABLE asked;
DROP FUNCTION estimate, actual, plan, answers;
