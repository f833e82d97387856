-- In: the table games (id, game), analyzed. Out: how far the planner's estimates are from the truth: for positions and
-- openings that at least 1 % of the games have, for boards that no game has, for candidates of a compact index, and for joins.
SET client_min_messages = warning;
SET jit = off;
CREATE SCHEMA estimates;
SET search_path = estimates, public;

CREATE FUNCTION estimated(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE explained jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM ' || query INTO explained;
    RETURN explained #>> '{0,Plan,Plan Rows}';
END $$;
CREATE FUNCTION counted(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM ' || query INTO n;
    RETURN n;
END $$;
-- How many times too much or too little, whichever it is.
CREATE FUNCTION factor(estimated numeric, actual numeric) RETURNS numeric LANGUAGE sql
    RETURN round(greatest(estimated, 1) / greatest(actual, 1) * CASE WHEN estimated >= actual THEN 1 ELSE power(greatest(actual, 1) / greatest(estimated, 1), 2) END, 2);

SELECT count(*) AS games FROM games \gset
CREATE TABLE few AS SELECT row_number() OVER (ORDER BY hashint8(id)) AS n, id, game FROM games ORDER BY n LIMIT 2000;
CREATE TABLE candidate AS
SELECT epd(getBoard(game, ply))::chessboard AS board, count(*) AS seen FROM few, generate_series(0, least(plyCount(game), 30)) AS ply GROUP BY 1;
CREATE TABLE question (kind text, query text, estimated numeric, actual numeric);
INSERT INTO question (kind, query) SELECT 'positions of 1 % or more', format('games WHERE hasBoard(game, %L)', board) FROM candidate WHERE seen >= 16;
INSERT INTO question (kind, query) SELECT 'placements of 1 % or more', format('games WHERE hasPieces(game, %L)', board) FROM candidate WHERE seen >= 16
ORDER BY hashtext(board::text) LIMIT 50;
INSERT INTO question (kind, query) SELECT 'candidates of 1 % or more', format('games WHERE game @>~ %L::chessboard', board) FROM candidate WHERE seen >= 16 ORDER BY hashtext(board::text) LIMIT 15;
INSERT INTO question (kind, query) SELECT 'openings of 1 % or more', format('games WHERE hasOpening(game, %L)', getFirstMoves(game, plies))
FROM games, generate_series(1, 16) AS plies GROUP BY getFirstMoves(game, plies) HAVING count(*) >= 0.01 * :games;
INSERT INTO question (kind, query) SELECT 'boards of no game', format('games WHERE hasBoard(game, %L)', regexp_replace(board::text, '^[^/]*/', 'qqqqqqqq/'))
FROM (SELECT board FROM candidate ORDER BY hashtext(board::text) LIMIT 30) AS c;
INSERT INTO question (kind, query) SELECT 'boards of three games or less', format('games WHERE hasBoard(game, %L)', getBoard(game, 10 + n::int % 60))
FROM few WHERE plyCount(game) > 70 AND n < 40;
UPDATE question SET estimated = estimated(query), actual = counted(query);
\echo
SELECT kind, count(*), max(factor(estimated, actual)) AS "greatest factor", round(max(100 * estimated / :games), 3) AS "highest estimate, % of games"
FROM question
WHERE CASE WHEN kind LIKE '%more' THEN actual >= 0.01 * :games WHEN kind LIKE '%less' THEN actual <= 3 ELSE actual = 0 END
GROUP BY kind ORDER BY kind;

CREATE TABLE boards AS SELECT n, getBoard(game, n::int * 7 % 50) AS board, getBoard(game, 6) AS early FROM few WHERE plyCount(game) > 50 AND n <= 100;
CREATE TABLE openings AS SELECT n, getFirstMoves(game, 6) AS opening, game FROM few WHERE n <= 100;
ANALYZE boards, openings;
CREATE TABLE joined AS
SELECT query, estimated(query), counted(query) AS actual FROM unnest(ARRAY[
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.board)',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early)',
    'boards AS b JOIN games AS g ON g.game @> b.early',
    'boards AS b JOIN games AS g ON b.early ~@ g.game',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early, 4)',
    'openings AS o JOIN games AS g ON hasBoard(g.game, getBoard(o.game, 3))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, o.opening)',
    'openings AS o JOIN games AS g ON g.game ^@ o.game',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 8))',
    'openings AS o WHERE hasOpening(''1. e4 e5 2. Nf3 Nc6 3. Bb5'', opening)']) AS query;
SELECT query, estimated, actual, factor(estimated, actual) AS factor FROM joined;
DROP SCHEMA estimates CASCADE;
