-- In: the table games (id, game), analyzed. Out: how far the planner's estimates are from the truth: for openings,
-- positions and material by how many games have them, for boards that no game has, for candidates of a compact index,
-- for arrays, for joins and for functions of many rows; and how long ANALYZE takes.
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
CREATE TABLE band (name text, at_least numeric, below numeric);
INSERT INTO band VALUES ('4 % and more', 0.04, 2), ('1–4 %', 0.01, 0.04), ('0.5–1 %', 0.005, 0.01), ('0.2–0.5 %', 0.002, 0.005),
    ('0.1–0.2 %', 0.001, 0.002), ('0.05–0.1 %', 0.0005, 0.001);
CREATE TABLE question (kind text, query text, estimated numeric, actual numeric);

-- Every opening of up to 24 half-moves that 0.05 % of the games have.
INSERT INTO question (kind, query, actual)
SELECT 'openings', format('games WHERE hasOpening(game, %L)', getFirstMoves(game, plies)), count(*)
FROM games, generate_series(1, 24) AS plies WHERE plyCount(game) >= plies
GROUP BY getFirstMoves(game, plies) HAVING count(*) >= 0.0005 * :games;

-- Positions of the first 30 half-moves, at most 400 of a band.
CREATE TABLE seen AS
SELECT count(*) AS games, min(id * 64 + ply) AS place FROM
    (SELECT DISTINCT ON (id, zobrist(board)) id, ply, zobrist(board) AS key FROM games, positions(game) WHERE ply <= 30) AS p
GROUP BY key HAVING count(*) >= 0.0005 * :games;
INSERT INTO question (kind, query, actual)
SELECT 'positions', format('games WHERE hasBoard(game, %L)', getBoard(game, (place % 64)::int)), seen.games
FROM (SELECT seen.*, row_number() OVER (PARTITION BY name ORDER BY hashint8(place)) AS n
    FROM seen JOIN band ON games >= at_least * :games AND games < below * :games) AS seen
JOIN games ON id = place / 64 WHERE n <= 400;

-- Every material that 0.05 % of the last boards, and of those of half-moves 20, 40 and 60 have, at most 60 of a band.
CREATE TABLE balance AS
SELECT material(board) AS material FROM games, LATERAL (SELECT finalBoard(game) UNION ALL
    SELECT getBoard(game, ply) FROM unnest(ARRAY[20, 40, 60]) AS ply WHERE plyCount(game) >= ply) AS b (board)
GROUP BY 1 HAVING count(*) >= 0.0002 * :games ORDER BY hashtext(material(board)) LIMIT 250;
INSERT INTO question (kind, query, actual)
SELECT 'material', query, counted(query) FROM balance, format('games WHERE hasMaterial(game, %L)', material) AS query;
UPDATE question SET estimated = estimated(query);

\echo
\echo Openings, positions and material by the share of the games that have them
SELECT kind, name AS "in … of the games", count(*) AS asked, count(*) FILTER (WHERE estimated <= 2) AS "estimated at 1 or 2",
    percentile_disc(0.5) WITHIN GROUP (ORDER BY factor(estimated, actual)) AS "factor, median",
    percentile_disc(0.9) WITHIN GROUP (ORDER BY factor(estimated, actual)) AS "90 %", max(factor(estimated, actual)) AS greatest
FROM question JOIN band ON actual >= at_least * :games AND actual < below * :games
GROUP BY kind, name, at_least ORDER BY kind, at_least DESC;

-- Boards of few games and of none, placements, candidates, arrays.
TRUNCATE question;
CREATE TABLE few AS SELECT row_number() OVER (ORDER BY hashint8(id)) AS n, id, game FROM games ORDER BY n LIMIT 2000;
CREATE TABLE candidate AS
SELECT epd(getBoard(game, ply))::chessboard AS board, count(*) AS seen FROM few, generate_series(0, least(plyCount(game), 30)) AS ply GROUP BY 1;
INSERT INTO question (kind, query) SELECT 'placements of 1 % or more', format('games WHERE hasPieces(game, %L)', board) FROM candidate WHERE seen >= 16
ORDER BY hashtext(board::text) LIMIT 50;
INSERT INTO question (kind, query) SELECT 'candidates of 1 % or more', format('games WHERE game @>~ %L::chessboard', board) FROM candidate WHERE seen >= 16 ORDER BY hashtext(board::text) LIMIT 15;
INSERT INTO question (kind, query) SELECT 'boards of no game', format('games WHERE hasBoard(game, %L)', regexp_replace(board::text, '^[^/]*/', 'qqqqqqqq/'))
FROM (SELECT board FROM candidate ORDER BY hashtext(board::text) LIMIT 30) AS c;
INSERT INTO question (kind, query) SELECT 'boards of three games or less', format('games WHERE hasBoard(game, %L)', getBoard(game, 10 + n::int % 60))
FROM few WHERE plyCount(game) > 70 AND n < 40;
INSERT INTO question (kind, query) SELECT 'any of ten boards, 1 % or more', format('games WHERE game && %L::chessboard[]', array_agg(board))
FROM (SELECT board, row_number() OVER (ORDER BY hashtext(board::text)) AS n FROM candidate WHERE seen >= 4) AS c GROUP BY n % 20 LIMIT 20;
UPDATE question SET estimated = estimated(query), actual = counted(query);
\echo
SELECT kind, count(*), max(factor(estimated, actual)) AS "greatest factor", round(max(100 * estimated / :games), 3) AS "highest estimate, % of games"
FROM question
WHERE CASE WHEN kind LIKE '%more' THEN actual >= 0.01 * :games WHEN kind LIKE '%less' THEN actual <= 3 ELSE actual = 0 END
GROUP BY kind ORDER BY kind;

-- Joins: the other side is a column, or made of one; of one table all rows but one in 500 are NULL.
CREATE TABLE boards AS SELECT n, getBoard(game, n::int * 7 % 50) AS board, getBoard(game, 6) AS early,
    ARRAY[getBoard(game, 4), getBoard(game, 7)] AS line FROM few WHERE plyCount(game) >= 50 AND n <= 100;
CREATE TABLE openings AS SELECT n, getFirstMoves(game, 6) AS opening, game FROM few WHERE n <= 100 AND plyCount(game) >= 8;
CREATE TABLE mostly_null AS SELECT game, getFirstMoves(game, 6) AS opening, getBoard(game, least(6, plyCount(game))) AS board
FROM (SELECT CASE WHEN n % 500 = 1 THEN game END AS game FROM few, generate_series(1, 5)) AS f;
CREATE TABLE materials AS SELECT material FROM balance;
ANALYZE few, boards, openings, mostly_null, materials;
CREATE TABLE joined AS
SELECT query, estimated(query), counted(query) AS actual FROM unnest(ARRAY[
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.board)',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early)',
    'boards AS b JOIN games AS g ON g.game @> b.early',
    'boards AS b JOIN games AS g ON b.early ~@ g.game',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early, 4)',
    'boards AS b JOIN games AS g ON g.game && b.line',
    'boards AS b JOIN games AS g ON g.game @> b.line',
    'boards AS b JOIN games AS g ON g.game && ARRAY[b.board, b.early]',
    'openings AS o JOIN games AS g ON hasBoard(g.game, getBoard(o.game, 3))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, o.opening)',
    'openings AS o JOIN games AS g ON g.game ^@ o.game',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 8))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 16))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 24))',
    'mostly_null AS m JOIN few AS f ON hasOpening(f.game, m.opening)',
    'mostly_null AS m JOIN few AS f ON hasBoard(f.game, m.board)',
    'mostly_null AS m JOIN few AS f ON hasOpening(f.game, getFirstMoves(m.game, 8))',
    'materials AS m JOIN few AS f ON hasMaterial(f.game, m.material)',
    'openings AS o WHERE EXISTS (SELECT FROM boards AS b WHERE hasBoard(o.game, b.early))',
    'openings AS o WHERE hasOpening(''1. e4 e5 2. Nf3 Nc6 3. Bb5'', opening)',
    'few AS f, moves(f.game)', 'few AS f, positions(f.game)', 'legalMoves(getBoard(''1. e4 e5'', 2))']) AS query;
SELECT query, estimated, actual, factor(estimated, actual) AS factor FROM joined;

-- ANALYZE of the games, beside that of the same bytes without statistics of ours: processor time.
CREATE TABLE bytes AS SELECT chessgame_send(game) AS game FROM games;
CREATE TABLE analyzed (subject text, ms numeric);
CREATE FUNCTION processor_ms() RETURNS numeric LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 99, true), ' ', 1)::numeric / 1000000,
        1000 * extract(epoch FROM clock_timestamp())) FROM pg_sleep(0.001) $$;
DO $$
DECLARE
    subject text;
    started numeric;
BEGIN
    FOR run IN 1..5 LOOP
        FOREACH subject IN ARRAY ARRAY['games', 'bytes'] LOOP
            started := processor_ms();
            EXECUTE format('ANALYZE %I (game)', subject);
            INSERT INTO analyzed VALUES (subject, processor_ms() - started);
        END LOOP;
    END LOOP;
END $$;
\echo
SELECT subject AS "ANALYZE of", round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric) AS ms, round(min(ms)) AS least, round(max(ms)) AS greatest
FROM analyzed GROUP BY subject ORDER BY subject DESC;
DROP SCHEMA estimates CASCADE;
