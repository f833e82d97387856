-- SQL as people first type it: literals without a type, text columns, minimum and maximum.

\set ECHO none
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE TABLE typed AS SELECT n AS id, getFirstMoves(game, 1 + n % 6) AS game, getBoard(game, 1 + n % 6) AS board
FROM generate_series(1, 600) AS n, (VALUES ('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6'::chessgame)) AS g (game);
CREATE INDEX typed_game ON typed (game);
CREATE INDEX typed_board ON typed (board);
CREATE INDEX typed_positions ON typed USING gin (game);
VACUUM ANALYZE typed;

-- a board in a game, in either order, by the operators and by the index
SELECT '1. e4'::chessgame @> 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -' AS "@>",
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -' <@ '1. e4'::chessgame AS "<@",
    '1. e4'::chessgame @~ 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -' AS "@~",
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -' ~@ '1. e4'::chessgame AS "~@";
SELECT count(*) FROM typed WHERE game @> 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2';
-- arrays
SELECT '1. e4 e5'::chessgame @>> '{rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -}' AS "@>>",
    '{rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -}' <<@ '1. e4 e5'::chessgame AS "<<@",
    '1. e4 e5'::chessgame && '{8/8/8/8/8/8/8/8,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -}' AS "&&",
    '1. e4 e5'::chessgame @>> '{8/8/8/8/8/8/8/8}' AS "no", '1. e4 e5'::chessgame @>> '{NULL}' AS "no";
SET enable_seqscan = off;
SELECT plan('SELECT id FROM typed WHERE game @> ''rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2''');
SELECT plan('SELECT id FROM typed WHERE ''{rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -}'' <<@ game');
SELECT count(*) FROM typed WHERE '{rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -}' <<@ game;
-- an array can no longer be mistaken for a board
\set VERBOSITY terse
SELECT '1. e4'::chessgame @> ARRAY[startBoard()];
\set VERBOSITY default

-- functions of games and boards take an ambiguous literal as a game
SELECT status('1. f3 e5 2. g4 Qh4#'), (opening('1. e4 c5')).*, status('7k/5Q2/6K1/8/8/8/8/8 b - -'::chessboard);
-- and the hint explains how to write a board
SELECT status('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1');
SELECT status('startpos');
SELECT opening('rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -');
SELECT '1. e4 e5 2. Qh6'::chessgame;
-- the types have a category of their own, and text is never converted to them implicitly
SELECT typname, typcategory, typispreferred FROM pg_type WHERE typname IN ('chessgame', 'chessboard', '_chessgame', '_chessboard') ORDER BY 1;
SELECT length('1. e4'), upper('1. e4'), '1. e4' || ' e5', pg_typeof('1. e4'), pg_typeof(coalesce('1. e4', '1. e4'::chessgame));
SELECT g FROM (VALUES ('1. e4'::chessgame), ('1. d4')) AS v (g) UNION SELECT '1. c4' ORDER BY 1;

-- text is cast by assignment only
CREATE TABLE lines (game text, board text);
INSERT INTO lines VALUES ('1. e4 e5', '8/8/8/8/8/8/8/8'), (NULL, NULL);
INSERT INTO typed (game, board) SELECT game, board FROM lines;
UPDATE typed SET game = lines.game FROM lines WHERE id = 1 AND lines.game IS NOT NULL;
SELECT game, board FROM typed WHERE id IS NULL OR id = 1 ORDER BY id;
INSERT INTO lines VALUES ('1. e5');
INSERT INTO typed (game) SELECT game FROM lines;
\set VERBOSITY terse
SELECT plyCount(game) FROM lines;
SELECT count(*) FROM lines JOIN typed ON typed.game = lines.game;
\set VERBOSITY default

-- minimum and maximum, by index and by aggregation; of no rows, of NULLs, in parallel
SELECT count(*) AS "index scans" FROM plan('SELECT min(game), max(game), min(board), max(board) FROM typed') AS line WHERE line ~ 'Index Only Scan';
SELECT min(game), max(game), min(board), max(board) FROM typed;
SELECT min(game) = (SELECT game FROM typed ORDER BY game LIMIT 1) AS least_game,
    max(game) = (SELECT game FROM typed WHERE game IS NOT NULL ORDER BY game DESC LIMIT 1) AS greatest_game,
    min(board) = (SELECT board FROM typed ORDER BY board LIMIT 1) AS least_board,
    max(board) = (SELECT board FROM typed WHERE board IS NOT NULL ORDER BY board DESC LIMIT 1) AS greatest_board FROM typed;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
SELECT min(game), max(game) FROM typed;
SELECT plyCount(game) AS plies, min(game), max(board) FROM typed WHERE game IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT min(game), max(board), count(*) FROM typed WHERE id < 0;
SELECT min(g), max(g) FROM unnest('{NULL,NULL}'::chessgame[]) AS g;
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan; RESET enable_seqscan;

-- startpos, and material without a king
SELECT startBoard(), startBoard() = startBoard('1. e4') AS same;
SELECT hasMaterial('1. e4', 'RPvR');
SELECT hasMaterial('1. e4', 'KRPvR', 3);
SELECT hasMaterial('1. e4', 'v');
DROP TABLE typed, lines;
DROP FUNCTION estimate, actual, plan, answers, cost;
