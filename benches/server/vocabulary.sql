-- In: a database with the extension and a table games (id integer, game chessgame); the variable runs.
-- Out: the cost of the set-returning functions, beside a table of positions built by hand (game_id, ply, zobrist,
-- next_move, with a covering index) and beside generate_series, in the same run. An ERROR if two methods give
-- different answers.
\set ON_ERROR_STOP on
\ir measure.sql
SET work_mem = '256MB';
TRUNCATE built, questions, answered;

CALL build('games', 'CREATE TEMP TABLE packed AS SELECT id, game FROM games ORDER BY id', 'packed');
CALL build('games: GIN index', 'CREATE INDEX packed_gin ON packed USING gin (game)', 'packed_gin');
CALL build('positions by hand', 'CREATE TEMP TABLE played AS
    SELECT id AS game_id, p.ply, zobrist(p.board) AS zobrist, m.san AS next_move
    FROM packed, positions(game) AS p LEFT JOIN LATERAL (SELECT ply - 1 AS before, san FROM moves(game)) AS m ON m.before = p.ply', 'played');
CALL build('positions by hand: covering B-tree index',
    'CREATE INDEX played_zobrist ON played (zobrist) INCLUDE (game_id, ply, next_move)', 'played_zobrist');
VACUUM ANALYZE packed;
VACUUM ANALYZE played;
SELECT what, round(ms / 1000, 2) AS seconds, pg_size_pretty(bytes) AS size FROM build_times ORDER BY nr;

SELECT getBoard('1. e4', 1) AS e4, getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10) AS najdorf \gset

-- A position may occur twice in a game; its first occurrence counts.
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

SELECT coalesce(min(id) FILTER (WHERE plies >= 1000000), max(id)) AS last
FROM (SELECT id, sum(plyCount(game)) OVER (ORDER BY id) AS plies FROM packed) AS s \gset
INSERT INTO questions (method, settings, statement) VALUES
    ('explorer after 1. e4: nextMove, no index', 'enable_bitmapscan=off',
        format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'e4', :'e4')),
    ('explorer, Najdorf, half-move 10: nextMove, no index', 'enable_bitmapscan=off',
        format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'najdorf', :'najdorf')),
    ('explorer after 1. e4: nextMove, GIN index', 'enable_seqscan=off',
        format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'e4', :'e4')),
    ('explorer, Najdorf, half-move 10: nextMove, GIN index', 'enable_seqscan=off',
        format('SELECT nextMove(game, %L), count(*) FROM packed WHERE hasBoard(game, %L) GROUP BY 1', :'najdorf', :'najdorf')),
    ('explorer after 1. e4: positions by hand', '',
        format('SELECT next_move, count(*) FROM played WHERE zobrist = %s GROUP BY 1', zobrist(:'e4'))),
    ('explorer, Najdorf, half-move 10: positions by hand', '',
        format('SELECT next_move, count(*) FROM played WHERE zobrist = %s GROUP BY 1', zobrist(:'najdorf'))),
    ('1 million rows: generate_series', '',
        'SELECT count(*) FROM generate_series(1, 1000000)'),
    ('1 million rows: moves, all columns', '',
        format('SELECT count(*) FROM packed, moves(game) WHERE id <= %s', :last)),
    ('1 million rows: positions', '',
        format('SELECT count(*) FROM packed, positions(game) WHERE id <= %s', :last)),
    ('all games: status', '',
        'SELECT count(*) FROM packed WHERE status(game) <> ''in progress'''),
    ('all games: opening', '',
        'SELECT count(eco) FROM packed, opening(game)'),
    ('all games: hasMaterial KRPvKR', '',
        'SELECT count(*) FROM packed WHERE hasMaterial(game, ''KRPvKR'')'),
    ('all games: plyOf, Najdorf', '',
        format('SELECT count(*) FROM packed WHERE plyOf(game, %L) = 10', :'najdorf')),
    ('perft 4 from the start by legalMoves and play', '',
    $$
    WITH RECURSIVE line (ply, board) AS (
        SELECT 1, startBoard('') UNION ALL SELECT ply + 1, play(board, uci) FROM line, legalMoves(board) WHERE ply < 4)
    SELECT count(*) FROM line, legalMoves(board) WHERE ply = 4$$);
UPDATE questions SET statement = format('SELECT sum(count) FROM (%s) AS counted', statement);
CALL ask(:runs);
\echo 'Processor time in ms, median, least and greatest'
SELECT method, answer AS rows, round(ms, 1) AS ms, round(least, 1) AS least, round(greatest, 1) AS greatest FROM answer_times ORDER BY nr;
