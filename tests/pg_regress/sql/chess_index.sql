-- An index of the access method chess is used by unchanged queries for boards, placements and openings, and finds what a
-- sequential scan finds.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
SET enable_memoize = off;
-- A plan that settings forbid has a high cost, and would be compiled.
SET jit = off;
-- Games that change nothing until about half-move 28, where other keys begin, Chess960, a long game, one without moves, NULL.
INSERT INTO games (id, name, game)
SELECT 20000 + n, 'around 28', (repeat('Nf3 Nf6 Ng1 Ng8 ', n / 4) || (ARRAY['', 'Nf3 ', 'Nf3 Nf6 ', 'Nf3 Nf6 Ng1 '])[n % 4 + 1]
    || CASE WHEN n % 2 = 0 THEN 'e4 e5 Nc3 Nc6 d4 exd4' ELSE 'e5 Nc3 d5 Nb1 d4 e3 dxe3' END)::chessgame FROM generate_series(22, 33) AS n;
INSERT INTO games (id, name, game)
SELECT 21000 + n, 'Chess960', ('[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] '
    || repeat('Rg1 Rg8 Rf1 Rf8 ', n) || 'a4 a5 O-O-O b5 axb5')::chessgame FROM generate_series(5, 9) AS n;
INSERT INTO games (id, name, game) VALUES (22000, 'long', (repeat('Nf3 Nf6 Ng1 Ng8 ', 700) || 'e4')::chessgame), (22001, 'none', ''), (22002, 'null', NULL);

CREATE INDEX games_chess ON games USING chess (game);
SELECT pg_get_indexdef('games_chess'::regclass);
SELECT opcname, opcdefault, amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod
WHERE amname = 'chess' AND opcname = 'chessgame_ops';
SELECT part, games, dead FROM chess_index_info('games_chess');
VACUUM ANALYZE games;
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
\set quiet '''rnbqkbnr/pppp1pp1/4p2p/8/8/3P2P1/PPP1PP1P/RNBQKBNR w KQkq - 0 3'''

-- Unchanged queries use it, with no setting changed.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
SELECT name, count(*) FROM games WHERE hasBoard(game, :ruy) GROUP BY name ORDER BY name;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :quiet, 4);
SELECT count(*) FROM games WHERE hasBoard(game, :quiet, 4);
SELECT count(*) FROM games WHERE hasBoard(game, :quiet, 3);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :quiet);
SELECT count(*) FROM games WHERE hasPieces(game, :quiet);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :quiet, 5);
SELECT count(*) FROM games WHERE hasPieces(game, :quiet, 5);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 c5 2. Nf3 Nc6');
SELECT name, count(*) FROM games WHERE hasOpening(game, '1. e4 c5 2. Nf3 Nc6') GROUP BY name ORDER BY name;
-- The position of the opening arises in a game that does not begin with its moves.
EXPLAIN (COSTS OFF) SELECT count(*) FROM games WHERE game ^@ '1. h3 a6 2. a3';
SELECT count(*) FILTER (WHERE game ^@ '1. a3 a6 2. h3') AS begins, count(*) AS reaches FROM games WHERE hasBoard(game, finalBoard('1. a3 a6 2. h3'));
SELECT count(*) FROM games WHERE game ^@ '1. a3 a6 2. h3';
-- two scans before 18, one with an array from 18 on
SELECT DISTINCT line ~ 'Index Cond: .game \^@ ' AS "by the index" FROM plan('SELECT count(*) FROM games WHERE game ^@ ARRAY[''1. e4 c5 2. Nf3 Nc6'', ''1. f3 e5'']::chessgame[]') AS line
WHERE line ~ 'Index Cond|Scan on games$|Seq Scan' AND line !~ 'Bitmap Heap Scan';
SELECT count(*) FROM games WHERE game ^@ ARRAY['1. e4 c5 2. Nf3 Nc6', '1. f3 e5']::chessgame[];
-- But not for what most games have, nor for other games than the column's, nor what depends on the row.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('', 0));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard(game, cut));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE NOT hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game = '1. e4';
EXPLAIN (COSTS OFF) SELECT id FROM games ORDER BY game;
-- A negative number of half-moves is an error, however it is asked.
SELECT count(*) FROM games WHERE hasBoard(game, :ruy, -1);

-- The operators, either side first, and arrays.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @> :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard <@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @~ :ruy::chessboard;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE :ruy::chessboard ~@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @>> ARRAY[getBoard('1. e4', 1), :ruy];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[getBoard('1. e4', 1), :ruy] <<@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && ARRAY[:quiet, :ruy]::chessboard[];
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE ARRAY[:quiet, :ruy]::chessboard[] && game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game && symmetricBoards('8/8/8/4k3/8/8/4P3/4K3 w - -');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game ^@ '1. e4'::chessgame;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE '1. e4'::chessgame @^ game;
RESET enable_seqscan;

-- The same games with the index and without, for boards at many half-moves, above all around 28, and for some that differ
-- from them by side to move, castling rights, en passant or one piece.
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM games, unnest('{0,1,4,9,16,20,26,27,28,29,30,31,45,70,2800}'::integer[]) AS ply
WHERE ply <= plyCount(game) AND (id IN (53, 77, 121, 20022, 20027, 20028, 20029, 22000) OR id BETWEEN 10001 AND 10003 OR id BETWEEN 21005 AND 21007
    OR name = 'Saavedra, 1895');
INSERT INTO wanted
SELECT CASE WHEN board::text LIKE '% w %' THEN replace(board::text, ' w ', ' b ') ELSE replace(board::text, ' b ', ' w ') END::chessboard FROM wanted
UNION SELECT regexp_replace(board::text, '^(\S+ [wb]) \S+', '\1 -')::chessboard FROM wanted
UNION SELECT regexp_replace(board::text, ' [a-h][36] ', ' - ')::chessboard FROM wanted
UNION SELECT replace(board::text, 'N', 'B')::chessboard FROM wanted;
INSERT INTO wanted VALUES ('8/8/8/8/8/8/8/8'), ('4k3/8/8/8/8/8/4P3/4K3'), (NULL);
CREATE TABLE asked AS SELECT unnest(ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 4)', 'hasBoard(game, %L, 28)', 'hasBoard(game, %L, 29)',
    'hasPieces(game, %L)', 'hasPieces(game, %L, 28)', '%L::chessboard <@ game', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]',
    'game @>> ARRAY[%L, getBoard(''1. e4'', 1)]', 'game @>> ARRAY[%L, NULL]::chessboard[]', 'game @> ANY (ARRAY[%L, getBoard(''1. h3'', 1)])',
    'hasBoard(game, %L) AND hasPieces(game, getBoard(''1. e4'', 1))']) AS question;
CREATE TABLE openings AS SELECT DISTINCT getFirstMoves(game, ply) AS opening
FROM games, unnest('{0,1,2,4,9,27,28,29,40}'::integer[]) AS ply
WHERE ply <= plyCount(game) AND (id IN (53, 77, 121, 20027, 20028, 22000) OR id BETWEEN 10001 AND 10003 OR id BETWEEN 21005 AND 21007 OR name = 'Saavedra, 1895');
SET enable_bitmapscan = off; SET enable_indexscan = off;
CREATE TABLE by_scan AS SELECT * FROM answers();
CREATE TABLE openings_by_scan AS SELECT opening, (SELECT sum(id::numeric * id) FROM games WHERE game ^@ opening) FROM openings;
SET enable_bitmapscan = on; SET enable_seqscan = off;
SELECT plan('SELECT id FROM games WHERE hasBoard(game, getBoard('''', 0))');
SELECT count(*) AS questions, min(boards) > 100 AS many_boards, count(*) FILTER (WHERE games > 0) AS found_some FROM by_scan;
(TABLE by_scan EXCEPT SELECT * FROM answers()) UNION ALL (SELECT * FROM answers() EXCEPT TABLE by_scan);
SELECT count(*) > 50 AS many_openings, count(sum) > 50 AS found FROM openings_by_scan;
SELECT opening FROM openings_by_scan WHERE sum IS DISTINCT FROM (SELECT sum(id::numeric * id) FROM games WHERE game ^@ opening);
-- By a plain index scan, too.
SET enable_indexscan = on; SET enable_bitmapscan = off;
SELECT plan('SELECT id FROM games WHERE hasBoard(game, getBoard('''', 0))');
SELECT * FROM answers() EXCEPT TABLE by_scan;
SELECT opening FROM openings_by_scan WHERE sum IS DISTINCT FROM (SELECT sum(id::numeric * id) FROM games WHERE game ^@ opening);
SET enable_bitmapscan = on;

-- What no game has, empty arrays, NULL.
SELECT count(*) FROM games WHERE hasBoard(game, '4k3/8/8/8/8/8/8/4K3');
SELECT count(*) FROM games WHERE hasBoard(game, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', 0);
SELECT count(*) FROM games WHERE hasBoard(game, NULL);
SELECT count(*) FROM games WHERE game ^@ NULL;
SELECT count(*) = (SELECT count(*) FROM games WHERE game IS NOT NULL) AS every_game FROM games WHERE game @>> '{}'::chessboard[];
SELECT count(*) FROM games WHERE game && '{}'::chessboard[];
SELECT count(*) FROM games WHERE game @>> ARRAY[NULL, :ruy]::chessboard[];
SELECT count(*) FROM games WHERE game && ARRAY[NULL, :ruy]::chessboard[];
SELECT count(*) FROM games WHERE game @>> NULL::chessboard[];
SELECT count(*) FROM games WHERE hasOpening(game, '[FEN "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"] 1. c7');

-- Many boards at once are looked up one by one.
SELECT count(DISTINCT board) > 100 AS many, (SELECT count(*) FROM games WHERE game && array_agg(board)) AS games FROM wanted;
SET enable_bitmapscan = off; SET enable_indexscan = off; SET enable_seqscan = on;
SELECT count(DISTINCT board) > 100 AS many, (SELECT count(*) FROM games WHERE game && array_agg(board)) AS games FROM wanted;
SET enable_bitmapscan = on; SET enable_indexscan = on; SET enable_seqscan = off;

-- A frequent one many times.
SELECT count(*) FROM games WHERE game && array_fill(getBoard('1. e4', 1), ARRAY[2000]);
SELECT count(*) FROM games WHERE hasBoard(game, getBoard('1. e4', 1));

-- Prepared statements, with a generic plan.
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
-- A negative number of half-moves is an error, also where the index finds nothing; a number that depends on the row is checked with the row.
EXECUTE by_pieces('8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :ruy, id);
PREPARE by_boards(chessboard[]) AS SELECT count(*) FROM games WHERE game @>> $1;
EXECUTE by_boards(ARRAY[:ruy]::chessboard[]);
EXECUTE by_boards(ARRAY[:ruy, :quiet]::chessboard[]);
EXECUTE by_boards('{}') \g /dev/null
EXECUTE by_boards(NULL);
PREPARE by_opening(chessgame) AS SELECT count(*) FROM games WHERE hasOpening(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_opening('1. e4 c5');
EXECUTE by_opening('1. e4 c5');
RESET plan_cache_mode;

-- Joins, subqueries, AND and OR.
SELECT plan('SELECT w.board, g.id FROM wanted AS w JOIN games AS g ON hasBoard(g.game, w.board)');
SELECT count(*) AS "not as found one by one" FROM by_scan
WHERE question = 'hasBoard(game, %L)' AND games <> (SELECT count(*) FROM wanted AS w JOIN games AS g ON hasBoard(g.game, w.board));
SELECT count(*) FROM games WHERE hasBoard(game, (SELECT getBoard(game, 12) FROM famous WHERE id = 6));
SELECT plan(format('SELECT id FROM games WHERE hasBoard(game, %L) OR hasOpening(game, ''1. d4 d5'')', :ruy));
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) OR hasOpening(game, '1. d4 d5');
SELECT plan(format('SELECT id FROM games WHERE hasBoard(game, %L) AND hasOpening(game, ''1. e4 e5'')', :ruy));
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND hasOpening(game, '1. e4 e5');

-- Partial indexes, also without a condition on the game; indexes on an expression.
DROP INDEX games_chess;
CREATE INDEX games_partial ON games USING chess (game) WHERE name <> 'quiet';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy) AND name <> 'quiet';
SELECT count(*) FROM games WHERE hasBoard(game, :ruy) AND name <> 'quiet';
SELECT plan('SELECT count(*) FROM games WHERE name <> ''quiet''');
SELECT count(*) = (SELECT count(*) FILTER (WHERE name <> 'quiet') FROM (SELECT name FROM games ORDER BY id) AS g) AS all_of_them
FROM games WHERE name <> 'quiet';
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
SET enable_seqscan = off;
CREATE INDEX games_expression ON games USING chess (getFirstMoves(game, 20));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(getFirstMoves(game, 20), :ruy);
SELECT count(*) FROM games WHERE hasBoard(getFirstMoves(game, 20), :ruy);
DROP INDEX games_partial, games_expression;

-- Beside a B-tree the planner takes the one that leaves least to do: the B-tree for an opening, which it finds without a
-- candidate too many.
CREATE INDEX games_chess ON games USING chess (game);
CREATE INDEX games_btree ON games (game);
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 c5 2. Nf3 Nc6');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);

-- What cannot be.
CREATE INDEX ON games USING chess (game, game);
CREATE UNIQUE INDEX ON games USING chess (game);
CREATE INDEX ON games USING chess (id);
CREATE INDEX ON games USING chess (name);
CREATE INDEX ON games USING chess (game) INCLUDE (id);
\set VERBOSITY sqlstate
CREATE INDEX ON games USING chess (game DESC);
\set VERBOSITY default
CREATE INDEX ON games USING chess (game) WITH (pending_games = 63);
CREATE INDEX ON games USING chess (game) WITH (pending_games = 65537);
CREATE INDEX ON games USING chess (game) WITH (pending_games = 'many');
CREATE INDEX ON games USING chess (game) WITH (sums = -1);
CREATE INDEX ON games USING chess (game) WITH (fillfactor = 50);
-- from 17 on the message has the schema
\set VERBOSITY sqlstate
CREATE INDEX ON games USING chess (game chessgame_ops (depth = 20));
ALTER TABLE games ADD EXCLUDE USING chess (game WITH =);
\set VERBOSITY default
CLUSTER games USING games_chess;

DROP TABLE games, famous, wanted, asked, openings, by_scan, openings_by_scan;
DROP FUNCTION estimate, actual, plan, answers, cost;
