-- What the vocabulary costs, beside a hand-built table of positions and generate_series in the same run.
-- In: a database with the extension and a table games (id integer, game chessgame).
-- Out: times, and an ERROR if two ways to the same answer differ. Every query is asked once to warm up.
\set ON_ERROR_STOP on
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';

\echo == a table of positions (game_id, ply, zobrist, next move), what people build by hand
\timing on
CREATE TEMP TABLE played AS
    SELECT id AS game_id, ply, zobrist(board) AS zobrist, san AS next_move
    FROM games, positions(game) LEFT JOIN LATERAL (SELECT ply - 1 AS before, san FROM moves(game)) AS m ON before = ply;
CREATE INDEX ON played (zobrist);
ANALYZE played;
\timing off
SELECT count(*) AS rows, pg_size_pretty(pg_relation_size('played')) AS heap,
       pg_size_pretty(pg_indexes_size('played')) AS index,
       (SELECT pg_size_pretty(pg_relation_size('games'))) AS games FROM played;

SELECT getBoard('1. e4', 1) AS e4,
       getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10) AS najdorf \gset

-- The same answer? A position may arise twice in a game: the first time counts.
CREATE TEMP VIEW explorer AS
    SELECT b.name, nextMove(game, board) AS next_move, count(*) AS games
    FROM games, (VALUES ('e4', :'e4'::chessboard), ('najdorf', :'najdorf')) AS b (name, board)
    WHERE nextMove(game, board) IS NOT NULL GROUP BY 1, 2;
CREATE TEMP VIEW by_hand AS
    SELECT name, next_move, count(*) AS games
    FROM (SELECT DISTINCT ON (b.name, game_id) b.name, game_id, next_move
          FROM played JOIN (VALUES ('e4', :'e4'::chessboard), ('najdorf', :'najdorf')) AS b (name, board) ON zobrist = zobrist(b.board)
          ORDER BY b.name, game_id, ply) AS first
    WHERE next_move IS NOT NULL GROUP BY 1, 2;
DO $$
BEGIN
    IF EXISTS (TABLE explorer EXCEPT TABLE by_hand) OR EXISTS (TABLE by_hand EXCEPT TABLE explorer) THEN
        RAISE EXCEPTION 'nextMove and the table of positions disagree';
    END IF;
END
$$;

\echo == explorer after 1. e4: nextMove, then the table
\timing on
SELECT nextMove(game, :'e4') AS next_move, count(*) FROM games WHERE hasBoard(game, :'e4') GROUP BY 1 ORDER BY 2 DESC LIMIT 3;
SELECT next_move, count(DISTINCT game_id) FROM played WHERE zobrist = zobrist(:'e4'::chessboard) GROUP BY 1 ORDER BY 2 DESC LIMIT 3;
\timing off
\echo == explorer at half-move 10, the Najdorf: nextMove, then the table
\timing on
SELECT nextMove(game, :'najdorf') AS next_move, count(*) FROM games WHERE hasBoard(game, :'najdorf') GROUP BY 1 ORDER BY 2 DESC LIMIT 3;
SELECT next_move, count(DISTINCT game_id) FROM played WHERE zobrist = zobrist(:'najdorf'::chessboard) GROUP BY 1 ORDER BY 2 DESC LIMIT 3;
\timing off

SELECT id AS last FROM (SELECT id, sum(plyCount(game)) OVER (ORDER BY id) AS plies FROM games) AS s WHERE plies >= 1000000 ORDER BY id LIMIT 1 \gset
\echo == a million rows: generate_series, moves, positions
SELECT count(*) FROM generate_series(1, 1000000);
\timing on
SELECT count(*) FROM generate_series(1, 1000000);
SELECT count(*) FROM games, moves(game) WHERE id <= :last;
SELECT count(*) FROM games, positions(game) WHERE id <= :last;
\timing off

\echo == all games: status, opening, hasMaterial
\timing on
SELECT count(*) FROM games WHERE status(game) <> 'in progress';
SELECT count(DISTINCT eco) FROM games, opening(game);
SELECT count(*) FROM games WHERE hasMaterial(game, 'KRPvKR');
\timing off
