-- hasBoard and hasPieces use a GIN index on the game, and find the same games as a sequential scan.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
SET enable_memoize = off;
SELECT count(*) FROM games;

CREATE INDEX games_boards ON games USING gin (game);
VACUUM ANALYZE games;
-- The Ruy Lopez, and a position of the quiet games.
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
\set quiet '''rnbqkbnr/pppp1pp1/4p2p/8/8/3P2P1/PPP1PP1P/RNBQKBNR w KQkq - 0 3'''

-- with default settings
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
SELECT name, count(*) FROM games WHERE hasBoard(game, :ruy) GROUP BY name ORDER BY name;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :quiet, 4);
SELECT count(*) FROM games WHERE hasBoard(game, :quiet, 4);
SELECT count(*) FROM games WHERE hasBoard(game, :quiet, 3);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :quiet);
SELECT count(*) FROM games WHERE hasPieces(game, :quiet);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :quiet, 5);
SELECT count(*) FROM games WHERE hasPieces(game, :quiet, 5);
-- Clocks do not matter.
SELECT count(*) FROM games WHERE hasBoard(game, 'r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 77 99');
-- The operators, with either side first, and arrays.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @> :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard <@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @~ :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard ~@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @>> ARRAY[getBoard('1. e4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[getBoard('1. e4', 1), :ruy] <<@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && ARRAY[:quiet, :ruy]::chessboard[];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[:quiet, :ruy]::chessboard[] && game;
RESET enable_seqscan;

-- The same games with and without the index, for many boards: of famous games at some half-moves, boards that differ
-- from them by castling rights, en passant or side to move, and boards that no game has.
CREATE TABLE wanted (n serial, board chessboard);
INSERT INTO wanted (board) SELECT DISTINCT getBoard(game, ply)
FROM famous, unnest('{0,1,2,3,4,6,9,16,20}'::integer[]) AS ply WHERE ply <= plyCount(game) AND (id < 8 OR id > 17) ORDER BY 1;
INSERT INTO wanted (board) SELECT getBoard(game, ply) FROM games, unnest('{5,8,12,16}'::integer[]) AS ply WHERE id BETWEEN 10001 AND 10005;
INSERT INTO wanted (board) SELECT DISTINCT replace(board::text, 'KQkq', 'Kkq')::chessboard FROM wanted
UNION SELECT replace(board::text, ' w ', ' b ')::chessboard FROM wanted
UNION SELECT regexp_replace(board::text, ' [a-h][36] ', ' - ')::chessboard FROM wanted
UNION SELECT regexp_replace(board::text, '^(\S+ w \S+) - ', '\1 d6 ')::chessboard FROM wanted ORDER BY 1;
INSERT INTO wanted (board) VALUES ('8/8/8/8/8/8/8/8'), ('4k3/8/8/8/8/8/4P3/4K3'), (NULL);
CREATE TABLE found (way text, question text, n integer, games bigint, sum numeric);
CREATE PROCEDURE find(way text) LANGUAGE plpgsql AS $$
DECLARE w record; question text;
BEGIN
    FOR w IN SELECT * FROM wanted LOOP
        FOREACH question IN ARRAY ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 4)', 'hasPieces(game, %L)', 'hasPieces(game, %L, 4)',
            'game && ARRAY[%L, ''8/8/8/8/8/8/8/8'', NULL]::chessboard[]', 'game @>> ARRAY[%L, getBoard(''1. e4'', 1)]'] LOOP
            EXECUTE format('INSERT INTO found SELECT %L, %L, %s, count(*), sum(id::numeric * id) FROM games WHERE %s',
                way, question, w.n, format(question, w.board));
        END LOOP;
    END LOOP;
END
$$;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('', 0));
CALL find('index');
SET enable_seqscan = on; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
CALL find('no index');
RESET enable_bitmapscan;
SELECT question, way, count(*) AS boards, sum(games) AS games FROM found GROUP BY question, way ORDER BY question, way;
SELECT question, n, count(DISTINCT (games, sum)) AS answers FROM found GROUP BY question, n HAVING count(DISTINCT (games, sum)) <> 1;
-- The expected games, by replaying every game.
CREATE TABLE positions AS SELECT id, ply, epd(getBoard(game, ply)) FROM games, generate_series(0, plyCount(game)) AS ply;
CREATE INDEX ON positions (epd);
SELECT count(*) AS wrong FROM found JOIN wanted USING (n) WHERE way = 'index' AND board IS NOT NULL AND (
    question = 'hasBoard(game, %L)' AND games <> (SELECT count(DISTINCT id) FROM positions WHERE epd = epd(board))
 OR question = 'hasBoard(game, %L, 4)' AND games <> (SELECT count(DISTINCT id) FROM positions WHERE epd = epd(board) AND ply <= 4));
CREATE INDEX ON positions (split_part(epd, ' ', 1));
SELECT count(*) AS wrong FROM found JOIN wanted USING (n) WHERE way = 'index' AND board IS NOT NULL AND (
    question = 'hasPieces(game, %L)' AND games <> (SELECT count(DISTINCT id) FROM positions
        WHERE split_part(epd, ' ', 1) = split_part(board::text, ' ', 1))
 OR question = 'hasPieces(game, %L, 4)' AND games <> (SELECT count(DISTINCT id) FROM positions
        WHERE split_part(epd, ' ', 1) = split_part(board::text, ' ', 1) AND ply <= 4));

-- The start position is in every game but the two studies; a board that never occurred is in none; a NULL game has no
-- boards.
SET enable_seqscan = off;
INSERT INTO games VALUES (30000, 'unknown', 0, NULL), (30001, 'unplayed', 0, '');
SELECT count(*) FROM games WHERE hasBoard(game, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
SELECT count(*) FROM games WHERE hasBoard(game, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', 0);
SELECT count(*) FROM games WHERE hasBoard(game, '4k3/8/8/8/8/8/8/4K3');
SELECT count(*) FROM games WHERE game @>> '{}'::chessboard[];
SELECT count(*) FROM games WHERE game && '{}'::chessboard[];
SELECT count(*) FROM games WHERE game @>> ARRAY[NULL, :ruy]::chessboard[];
SELECT count(*) FROM games WHERE game && ARRAY[NULL, :ruy]::chessboard[];
SELECT count(*) FROM games WHERE game @>> NULL::chessboard[];

-- Candidates with the same pieces and side to move are decided exactly: two games that differ in castling rights, and
-- two in a possible en passant capture.
INSERT INTO games VALUES (30011, 'rights', 0, '1. Nf3 Nf6 2. g3 g6'), (30012, 'rights', 0, '1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8 4. g3 g6'),
    (30013, 'en passant', 0, '1. e4 a6 2. e5 d5'), (30014, 'en passant', 0, '1. e3 d6 2. e4 a6 3. e5 d5');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, 'rnbqkb1r/pppppp1p/5np1/8/8/5NP1/PPPPPP1P/RNBQKB1R w KQkq - 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE hasBoard(game, 'rnbqkb1r/pppppp1p/5np1/8/8/5NP1/PPPPPP1P/RNBQKB1R w KQkq - 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE hasBoard(game, 'rnbqkb1r/pppppp1p/5np1/8/8/5NP1/PPPPPP1P/RNBQKB1R w Qq - 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE hasBoard(game, 'rnbqkb1r/pppppp1p/5np1/8/8/5NP1/PPPPPP1P/RNBQKB1R w - - 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE hasPieces(game, 'rnbqkb1r/pppppp1p/5np1/8/8/5NP1/PPPPPP1P/RNBQKB1R w - - 0 3') AND name <> 'quiet' ORDER BY id;
SELECT id FROM games WHERE hasBoard(game, 'rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE hasBoard(game, 'rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3') AND name <> 'quiet';
SELECT id FROM games WHERE game && ARRAY['rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3']::chessboard[] AND name <> 'quiet';
DELETE FROM games WHERE id >= 30000;
RESET enable_seqscan;

-- Prepared statements with generic plans.
SET plan_cache_mode = force_generic_plan;
PREPARE by_board(chessboard) AS SELECT count(*) FROM games WHERE hasBoard(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_board(:ruy);
EXECUTE by_board(:ruy);
EXECUTE by_board(:quiet);
EXECUTE by_board(NULL);
PREPARE by_pieces(chessboard, integer) AS SELECT count(*) FROM games WHERE hasPieces(game, $1, $2);
EXPLAIN (COSTS OFF) EXECUTE by_pieces(:ruy, 10);
EXECUTE by_pieces(:ruy, 10);
EXECUTE by_pieces(:ruy, 4);
EXECUTE by_pieces(:ruy, NULL);
-- A negative number of half-moves is an error, also where the index finds nothing; a number that depends on the row is checked with the row.
EXECUTE by_pieces('8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :ruy, id);
PREPARE by_boards(chessboard[]) AS SELECT count(*) FROM games WHERE game @>> $1;
EXPLAIN (COSTS OFF) EXECUTE by_boards(ARRAY[:ruy]::chessboard[]);
EXECUTE by_boards(ARRAY[:ruy]::chessboard[]);
EXECUTE by_boards(ARRAY[:ruy, :quiet]::chessboard[]);
EXECUTE by_boards('{}');
EXECUTE by_boards(NULL);
RESET plan_cache_mode;

-- A join with a table of boards.
EXPLAIN (COSTS OFF) SELECT w.n, g.id FROM wanted AS w JOIN games AS g ON hasBoard(g.game, w.board);
CREATE TABLE joined AS SELECT w.n, count(*) AS games FROM wanted AS w JOIN games AS g ON hasBoard(g.game, w.board) GROUP BY w.n;
SELECT count(*) AS "not as found one by one" FROM found LEFT JOIN joined USING (n)
WHERE way = 'no index' AND question = 'hasBoard(game, %L)' AND found.games <> coalesce(joined.games, 0);
SET enable_seqscan = off;
SELECT plan('SELECT f.id FROM famous AS f
WHERE EXISTS (SELECT FROM games AS g WHERE hasBoard(g.game, getBoard(f.game, 4)) AND g.name <> f.name)');
RESET enable_seqscan;
SELECT f.name FROM famous AS f
WHERE EXISTS (SELECT FROM games AS g WHERE hasBoard(g.game, getBoard(f.game, 4)) AND g.name <> f.name) ORDER BY f.id;
-- A board from a subquery.
SELECT count(*) FROM games WHERE hasBoard(game, (SELECT getBoard(game, 12) FROM famous WHERE id = 6));

-- With AND and OR, combined with itself and with the B-tree index of another column.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) OR hasBoard(game, :quiet);
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) OR hasBoard(game, :quiet);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) AND hasPieces(game, :quiet);
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasPieces(game, :quiet);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) OR id < 10;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) OR id < 10;
SELECT count(*) FROM games WHERE NOT hasBoard(game, getBoard('1. e4', 1));
RESET enable_seqscan;
-- If a bitmap of 64 kB becomes lossy, all rows of a page are rechecked.
CREATE TABLE wide WITH (fillfactor = 10) AS SELECT games.* FROM games, generate_series(1, 10);
CREATE INDEX wide_name ON wide (name);
CREATE INDEX wide_boards ON wide USING gin (game);
CREATE INDEX wide_game ON wide (game);
VACUUM ANALYZE wide;
EXPLAIN (COSTS OFF) SELECT id FROM wide WHERE hasBoard(game, getBoard('1. Nf3', 1)) AND name = 'Game of the Century, 1956';
SELECT count(*) FROM wide WHERE hasBoard(game, getBoard('1. Nf3', 1)) AND name = 'Game of the Century, 1956';
SET work_mem = '64kB';
SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
SELECT pg_relation_size('wide') / current_setting('block_size')::integer > 1500 AS "many pages";
SELECT count(*) FROM wide WHERE hasBoard(game, getBoard('1. e4 e5', 2)) OR hasPieces(game, getBoard('1. d4', 1));
SELECT count(*) FROM wide WHERE hasBoard(game, getBoard('1. e4 e5', 2), 2);
SELECT count(*) FROM wide WHERE game @> getBoard('1. e4 e5', 2);
SELECT count(*) FROM wide WHERE game && ARRAY[getBoard('1. e4 e5', 2), getBoard('1. d4', 1)];
SELECT count(*) FROM wide WHERE hasOpening(game, '1. e4') OR hasOpening(game, '1. d4');
SET enable_seqscan = on; SET enable_bitmapscan = off;
SELECT count(*) FILTER (WHERE hasBoard(game, getBoard('1. e4 e5', 2)) OR hasPieces(game, getBoard('1. d4', 1))),
       count(*) FILTER (WHERE hasBoard(game, getBoard('1. e4 e5', 2))), count(*) FILTER (WHERE hasOpening(game, '1. e4') OR hasOpening(game, '1. d4'))
FROM wide;
RESET work_mem; RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_indexscan; RESET enable_indexonlyscan;
-- The same in parallel workers.
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET enable_bitmapscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM wide WHERE hasBoard(game, :ruy);
SELECT count(*) FROM wide WHERE hasBoard(game, :ruy);
SET enable_bitmapscan = on; SET enable_seqscan = off;
SELECT count(*) FROM wide WHERE hasBoard(game, :ruy);
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; SET max_parallel_workers_per_gather = 0;
RESET enable_bitmapscan; RESET enable_seqscan; RESET enable_indexscan; RESET enable_indexonlyscan;
DROP TABLE wide;

-- The index cannot be used if the board depends on the row, for a negation, or to find the boards of a given game.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard(game, cut));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE NOT hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT board FROM wanted WHERE hasBoard('1. e4 e5 2. Nf3 Nc6', board);
SELECT count(DISTINCT epd(board)) FROM wanted WHERE hasBoard('1. e4 e5 2. Nf3 Nc6', board);
SELECT count(DISTINCT epd(board)) FROM wanted WHERE '1. e4 e5 2. Nf3 Nc6'::chessgame @> board AND board ~@ '1. e4 e5 2. Nf3 Nc6'::chessgame;
SELECT count(DISTINCT epd(board)) FROM wanted WHERE ARRAY[board] && '1. e4 e5 2. Nf3 Nc6'::chessgame;

-- Other indexes: partial, on an expression.
SET enable_seqscan = off;
DROP INDEX games_boards;
CREATE INDEX games_partial ON games USING gin (game) WHERE name <> 'quiet';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) AND name <> 'quiet';
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND name <> 'quiet';
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
SET enable_seqscan = off;
CREATE INDEX games_expression ON games USING gin (getFirstMoves(game, 20));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(getFirstMoves(game, 20), :ruy);
SELECT count(*) FROM games WHERE hasBoard(getFirstMoves(game, 20), :ruy);
SELECT pg_relation_size('games_expression') < pg_relation_size('games_partial') * 10 AS built;
DROP INDEX games_partial, games_expression;

-- Created concurrently, rebuilt; inserts and deletes, with and without the pending list.
CREATE INDEX CONCURRENTLY games_boards ON games USING gin (game);
REINDEX INDEX games_boards;
REINDEX INDEX CONCURRENTLY games_boards;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);
INSERT INTO games SELECT 20000 + id, name, NULL, game FROM games WHERE id % 2 = 0;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);
DELETE FROM games WHERE id % 3 = 0;
VACUUM games;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);
ALTER INDEX games_boards SET (fastupdate = off);
SELECT gin_clean_pending_list('games_boards') >= 0 AS cleaned;
INSERT INTO games SELECT 40000 + id, name, NULL, game FROM games WHERE id % 2 = 0;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);
UPDATE games SET game = '1. a3' WHERE name LIKE 'Capablanca%' AND id > 40000;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);
RESET enable_seqscan;
SET enable_bitmapscan = off;
SELECT count(*) FROM games WHERE hasBoard(game, :ruy);

DROP PROCEDURE find;
DROP TABLE games, famous, wanted, found, positions, joined;
DROP FUNCTION estimate, actual, plan, answers, cost;
