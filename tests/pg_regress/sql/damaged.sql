-- Damaged values do not prevent statistics: ANALYZE skips them and warns once.

\set ECHO none
\i data/functions.sql
\set ECHO all
CREATE TABLE partly AS SELECT n, getFirstMoves(game, 1 + n % 6) AS game
FROM generate_series(1, 300) AS n, (VALUES ('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6'::chessgame)) AS g (game);
ANALYZE partly;
CREATE TABLE sound AS SELECT attname, null_frac, avg_width, n_distinct, most_common_vals::text, most_common_freqs,
    histogram_bounds::text FROM pg_stats WHERE tablename = 'partly' AND attname = 'game';
-- Input refuses such values: an unknown version, a move that none of the pieces has, a truncated game.
CREATE CAST (bytea AS chessgame) WITHOUT FUNCTION;
INSERT INTO partly SELECT 1000 + n, value FROM generate_series(1, 5) AS n,
    (VALUES ('\x00'::bytea::chessgame), ('\x2001ffff20ff'::bytea::chessgame), ('\x20'::bytea::chessgame)) AS v (value);
SELECT finalBoard(game) FROM partly WHERE n > 1000;
ANALYZE partly;
-- statistics of the sound values are unchanged, except for the width, which is that of all rows
SELECT count(*) FROM pg_stats AS p JOIN sound AS s USING (attname, null_frac, n_distinct, most_common_freqs)
WHERE tablename = 'partly' AND p.most_common_vals::text = s.most_common_vals;
SELECT estimate('SELECT FROM partly WHERE hasOpening(game, ''1. e4 e5'')') BETWEEN 230 AND 270 AS openings,
    estimate('SELECT FROM partly WHERE hasBoard(game, getBoard(''1. e4 e5'', 2))') BETWEEN 230 AND 270 AS boards;
-- only damaged values; a single one
DELETE FROM partly WHERE n <= 1000;
ANALYZE partly;
DELETE FROM partly WHERE n > 1001;
DELETE FROM partly WHERE ctid <> (SELECT min(ctid) FROM partly);
ANALYZE partly;
DROP CAST (bytea AS chessgame);
DROP TABLE partly, sound;
DROP FUNCTION estimate, actual, plan, answers, cost;
