-- Since PostgreSQL 17: COPY … (ON_ERROR ignore) skips rows with invalid games or boards, and JSON_VALUE handles them
-- as requested.

CREATE TABLE games (id integer, game chessgame, board chessboard);
COPY games FROM STDIN (ON_ERROR ignore);
1	1. e4 e5 2. Nf3	\N
2	1. e5	8/8/8/8/8/8/8/8
3	1. e4 {never closed	\N
4	1. d4 d5	rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -
5	1. d4 d5	9/8/8/8/8/8/8/8
6	[White "Byrne, Donald"] 1. Nf3	\N
7	1. c4 1/2-1/2	\N
\.
COPY games FROM STDIN (FORMAT csv, ON_ERROR ignore, LOG_VERBOSITY verbose);
8,1. e4 --,
9,"[FEN ""4k3/8/8/8/8/8/4P3/4K3 w - - 0 1""] 1. e4",4k3/8/8/8/8/8/4P3/4K3
10,1. e4,4k3/8/8/8/8/8/4P3/4K3 x
\.
TABLE games ORDER BY id;
COPY games FROM STDIN (ON_ERROR stop);
11	1. e5	\N
\.

SELECT JSON_VALUE(value, '$' RETURNING chessgame DEFAULT '*'::chessgame ON ERROR) AS game,
       JSON_VALUE(value, '$' RETURNING chessboard NULL ON ERROR) AS board
FROM (VALUES ('"1. e4 e5"'::jsonb), ('"1. e5"'), ('"8/8/8/8/8/8/8/8"')) AS v (value);
SELECT JSON_VALUE('"1. e5"'::jsonb, '$' RETURNING chessgame ERROR ON ERROR);

DROP TABLE games;
