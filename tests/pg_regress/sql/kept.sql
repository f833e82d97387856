-- Queries whose plans a session keeps.
CREATE TABLE kept AS SELECT game::chessgame, 2000 + n AS elo
FROM unnest(ARRAY['1. e4 e5', '1. e4 c5', '1. d4 d5', '1. e4']) game, generate_series(1, 500) n;
CREATE INDEX kept_game ON kept USING chess (game, elo);
VACUUM (ANALYZE) kept;
CREATE FUNCTION plays(board chessboard) RETURNS TABLE (move text, games bigint, elo integer) LANGUAGE sql AS $$
    SELECT * FROM chess_kept('SELECT nextMove(game, $1), count(*), max(elo) FROM kept WHERE hasBoard(game, $1) AND $2 = $2 GROUP BY 1 ORDER BY 1',
                             board, 'x') AS (move text, games bigint, elo integer)
$$;
-- a plan for every board
SELECT * FROM plays(finalBoard('1. e4'));
SELECT * FROM plays(finalBoard('1. d4'));
SELECT * FROM plays(NULL);
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlan' AND ident LIKE 'SELECT nextMove(%';
-- what it depends on changes
INSERT INTO kept VALUES ('1. d4 Nf6', 3000);
SELECT * FROM plays(finalBoard('1. d4'));
DROP INDEX kept_game;
SELECT * FROM plays(finalBoard('1. d4'));
ALTER TABLE kept ALTER elo TYPE bigint;
SELECT * FROM plays(finalBoard('1. d4')); -- another type
ALTER TABLE kept ALTER elo TYPE integer;
CREATE INDEX kept_game ON kept USING chess (game, elo);
SELECT * FROM plays(finalBoard('1. d4'));
-- each user sees what a policy shows
CREATE ROLE regress_kept;
GRANT SELECT ON kept TO regress_kept;
ALTER TABLE kept ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON kept TO regress_kept USING (elo = 2001);
SET ROLE regress_kept;
SELECT * FROM plays(finalBoard('1. d4'));
RESET ROLE;
SELECT * FROM plays(finalBoard('1. d4'));
REVOKE SELECT ON kept FROM regress_kept;
SET ROLE regress_kept;
SELECT * FROM plays(finalBoard('1. d4')); -- no right
RESET ROLE;
-- an error leaves the plan as it is, also within itself
CREATE FUNCTION fails(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / (n - n); END $$;
SELECT * FROM chess_kept('SELECT fails(count(*)) FROM plays($1) WHERE $2 IS NULL', finalBoard('1. e4'), NULL) AS (n bigint);
SELECT * FROM plays(finalBoard('1. e4'));
SELECT * FROM chess_kept('SELECT k.n FROM chess_kept(''SELECT count(*) FROM plays($1) WHERE $2 IS NULL'', $1, $2) AS k (n bigint)', finalBoard('1. e4'), NULL)
    AS (n bigint);
-- more plans than are kept
SELECT count(*), sum(k.n) FROM generate_series(1, 40) i
CROSS JOIN LATERAL chess_kept(format('SELECT %s + length($2) WHERE $1 IS NOT NULL', i), finalBoard('1. e4'), 'x') AS k (n integer);
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlan' AND ident LIKE 'SELECT % + length(%';
-- no query
SELECT * FROM chess_kept(NULL, NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('', NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('SELECT 1 +', NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('DELETE FROM kept', NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('DELETE FROM kept RETURNING 1', NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('CREATE TABLE other ()', NULL, NULL) AS (n integer);
SELECT * FROM chess_kept('SELECT 1 WHERE $1 IS NULL AND $2 IS NULL', NULL, NULL) AS (n text);
DROP TABLE kept CASCADE;
DROP FUNCTION plays, fails;
DROP ROLE regress_kept;
