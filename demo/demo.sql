-- In: a database that chess-pgn has filled. Out: the main features, query by query.
\pset footer off
SET max_parallel_workers_per_gather = 0;  -- short plans
VACUUM ANALYZE chess.games;

\echo
\echo '=== What was loaded ==='
\set ECHO queries
SELECT (SELECT sum(games) FROM chess.pieces) AS read,
       (SELECT count(*) FROM chess.games) AS stored,
       (SELECT count(*) FROM chess.rejected) AS rejected;

SELECT reason AS "why rejected", count(*) FROM chess.rejected GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 5;

SELECT sum(plycount(game)) AS "half-moves",
       sum(pg_column_size(game)) AS bytes,
       round(sum(pg_column_size(game))::numeric / nullif(sum(plycount(game)), 0), 2) AS "bytes per half-move"
FROM chess.games;

SELECT white, black, date, ply_count AS "half-moves", result
FROM chess.pgn_view ORDER BY id LIMIT 5;

\echo '=== Games and boards ==='
SELECT getBoard('1. e4 c5 2. Nf3', 3) AS board;

SELECT getFirstMoves('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 3) AS "first moves";

\echo -- the same moves, not the same text
SELECT hasOpening('1. e4 c5 2. Nf3 d6 3. d4', '1.e4 c5 2.Nf3') AS yes,
       hasOpening('1. e4 c5 2. Nf3 d6 3. d4', '1. e4 e5') AS no;

\echo -- the position, by whatever moves it was reached: at any time, and within the first 2 half-moves
SELECT hasBoard('1. Nf3 c5 2. e4 d6', finalBoard('1. e4 c5 2. Nf3')) AS anywhere,
       hasBoard('1. Nf3 c5 2. e4 d6', finalBoard('1. e4 c5 2. Nf3'), 2) AS "within 2";

\echo '=== The most frequent openings ==='
SELECT getFirstMoves(game, 4) AS opening, count(*)
FROM chess.games GROUP BY opening ORDER BY count(*) DESC, opening LIMIT 10;

\echo '=== Two questions, first without an index ==='
\set ECHO none
SELECT getBoard(game, least(plycount(game), 16)) AS fen
FROM chess.games ORDER BY abs(plycount(game) - 60), id LIMIT 1 \gset
\set opening 'SELECT count(*) FROM chess.games WHERE hasOpening(game, ''1. e4 c5'')'
\set board 'SELECT count(*) FROM chess.games WHERE hasBoard(game, ''' :fen ''')'
\set explain 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF)'
\set ECHO queries
:opening;

:explain :opening;

:board;

:explain :board;

\echo '=== The indexes ==='
\timing on
CREATE INDEX games_game_idx ON chess.games (game);

-- with what the opening explorer filters and sums by
CREATE INDEX games_chess_idx ON chess.games USING chess (game, white_elo, black_elo, (chess.result_code(result)),
    (lower(dates)), (chess.last_day(dates)), (chess.speed_number(time_control)), (chess.mean_elo(white_elo, black_elo)));

\timing off
SELECT pg_size_pretty(pg_table_size('chess.games')) AS "table",
       pg_size_pretty(pg_relation_size('chess.games_game_idx')) AS "B-tree",
       pg_size_pretty(pg_relation_size('chess.games_chess_idx')) AS "chess";

\echo '=== The same queries, now with the indexes ==='
:opening;

:explain :opening;

:board;

:explain :board;
