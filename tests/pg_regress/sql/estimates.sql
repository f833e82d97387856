-- Estimates of openings, material, arrays, joins and rows: edge cases of the sample that ANALYZE keeps.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all


-- Of a table that the sample holds whole, every opening is known, common or not, from whatever start.
CREATE TABLE openings AS SELECT getFirstMoves(game, plies) AS opening, count(*) AS games FROM games, generate_series(0, 20) AS plies
WHERE plyCount(game) >= plies GROUP BY 1;
SELECT count(*) FILTER (WHERE games = 1) > 100 AS "many rare", count(*) FILTER (WHERE games > 20) > 10 AS "many common",
    count(*) FILTER (WHERE estimate <> games) AS wrong
FROM (SELECT games, estimate(format('SELECT FROM games WHERE hasOpening(game, %L)', opening)) FROM openings ORDER BY md5(opening::text) LIMIT 1000) AS o;
-- So is every position, and every material.
SELECT count(*) > 50 AS many, count(*) FILTER (WHERE e <> a) AS wrong FROM
    (SELECT DISTINCT material(finalBoard(game)) AS material FROM games) AS m,
    format('SELECT FROM games WHERE hasMaterial(game, %L)', material) AS query, estimate(query) AS e, actual(query) AS a;
SELECT estimate('SELECT FROM games WHERE hasMaterial(game, ''KQQQQQQQQQvK'')') AS never, estimate('SELECT FROM games WHERE hasMaterial(game, NULL)') AS "null",
    estimate('SELECT FROM games WHERE hasMaterial(game, ''nonsense'')') >= 1 AS nonsense,
    estimate('SELECT FROM games WHERE startBoard(game) = startBoard(''*'') AND hasMaterial(game, ''KvK'', 3)') AS "too early";

-- With small targets the sample is not the table: an estimate is near, or at most that of the rarest opening kept.
CREATE TABLE many AS SELECT n, game FROM games, generate_series(1, 4) AS n;
ALTER TABLE many ALTER game SET STATISTICS 1;
ANALYZE many;
SELECT opening, e BETWEEN a / 2 AND a * 2 AS near FROM unnest(ARRAY['', '1. e4', '1. e4 e5', '1. e4 c5']) AS opening,
    format('SELECT FROM many WHERE hasOpening(game, %L)', opening) AS query, estimate(query) AS e, actual(query) AS a;
SELECT max(estimate(format('SELECT FROM many WHERE hasOpening(game, %L)', opening))) < 800 AS "none is taken for common"
FROM (SELECT opening FROM openings WHERE games = 1 ORDER BY md5(opening::text) LIMIT 200) AS o;

-- Joins: NULL finds nothing, arrays are estimated by their boards, and of a semijoin the rows that find any count.
CREATE TABLE sides AS SELECT id, CASE WHEN id % 100 = 0 THEN game END AS game, CASE WHEN id % 100 = 0 THEN getFirstMoves(game, 4) END AS opening,
    CASE WHEN id % 100 = 0 THEN getBoard(game, 3) END AS board, CASE WHEN id % 100 = 0 THEN ARRAY[getBoard(game, 1), getBoard(game, 3)] END AS line,
    CASE WHEN id % 100 = 0 THEN material(finalBoard(game)) END AS material FROM games WHERE plyCount(game) >= 4;
ANALYZE sides;
SELECT condition, e BETWEEN a / 2 - 5 AND a * 2 + 5 AS near FROM unnest(ARRAY['hasOpening(g.game, s.opening)', 'hasBoard(g.game, s.board)', 's.board <@ g.game',
    'hasOpening(g.game, getFirstMoves(s.game, 4))', 'hasOpening(g.game, getFirstMoves(s.game, 16))', 'hasBoard(g.game, getBoard(s.game, 3))',
    'g.game && s.line', 's.line && g.game', 'g.game @>> s.line', 's.line <<@ g.game',
    'g.game && ARRAY[s.board, getBoard(s.game, 1), NULL]', 'g.game @>> ARRAY[s.board, getBoard(s.game, 1)]', 'hasMaterial(g.game, s.material)']) AS condition,
    format('SELECT FROM games AS g JOIN sides AS s ON %s', condition) AS query, estimate(query) AS e, actual(query) AS a;
SELECT condition, e BETWEEN a / 2 - 5 AND a * 2 + 5 AS near FROM unnest(ARRAY[
    'EXISTS (SELECT FROM sides AS s WHERE hasBoard(g.game, s.board))', 'EXISTS (SELECT FROM sides AS s WHERE g.game ^@ s.opening)',
    'NOT EXISTS (SELECT FROM sides AS s WHERE s.board <@ g.game)']) AS condition,
    format('SELECT FROM games AS g WHERE %s', condition) AS query, estimate(query) AS e, actual(query) AS a;
-- The self-join on the opening, where most openings are in one game.
SELECT plies, e BETWEEN a / 2 AND a * 2 AS near FROM unnest(ARRAY[0, 6, 16]) AS plies,
    format('SELECT FROM games AS g JOIN (SELECT game FROM games) AS h ON hasOpening(g.game, getFirstMoves(h.game, %s))', plies) AS query, estimate(query) AS e, actual(query) AS a;
-- One game and a column of openings or boards.
SELECT condition, e BETWEEN a / 2 - 5 AND a * 2 + 5 AS near FROM unnest(ARRAY['hasOpening(''1. e4 e5 2. Nf3 Nc6 3. Bb5'', opening)', 'hasBoard(''1. e4 e5 2. Nf3'', board)']) AS condition,
    format('SELECT FROM sides WHERE %s', condition) AS query, estimate(query) AS e, actual(query) AS a;
-- The first half-moves of a column know what the column knows.
SELECT estimate('SELECT FROM games WHERE hasOpening(getFirstMoves(game, 4), ''1. e4 e5'')') = actual('SELECT FROM games WHERE hasOpening(game, ''1. e4 e5'')') AS same,
    estimate('SELECT FROM games WHERE hasOpening(getFirstMoves(game, 1), ''1. e4 e5'')') AS none;

-- Material that many games have, each with other pieces beside it: no count of one material tells how many they are. Nearly all
-- games of this table begin with material of their own; one in nineteen has two queens.
CREATE FUNCTION on_rank(piece text, number int) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN repeat(piece, number) || coalesce(nullif(8 - number, 0)::text, '');
CREATE TABLE endings AS SELECT n, n % 100 AS event, format('[FEN "%s%sk/%s/%s/8/8/%s/%s/K1%s w - - 0 1"] *',
    repeat('r', n % 3), 7 - n % 3, on_rank('p', n / 3 % 9), on_rank('b', n / 216 % 3), on_rank('N', n / 648 % 3), on_rank('P', n / 27 % 8),
    CASE WHEN n % 19 = 7 THEN 'QQ4' ELSE 'Q5' END)::chessgame AS game
FROM generate_series(0, 13121) AS n;
ALTER TABLE endings ALTER game SET STATISTICS 10;
ANALYZE endings;
SELECT pattern, a AS games, e BETWEEN a / 3 AND a * 3 AS near
FROM unnest(ARRAY['Q = 2', 'flip(Q = 2)', 'Q = 2 and not r', 'Q = 2 and b <= 1 and N <= 1', 'P = 7', 'N = 2 and b = 2']) AS pattern,
    format('SELECT FROM endings WHERE game @@ %L', pattern) AS query, estimate(query) AS e, actual(query) AS a;
-- What none of them has is expected in few, and what all of them have in all.
SELECT pattern, estimate(format('SELECT FROM endings WHERE game @@ %L', pattern)) < 40 AS few
FROM unnest(ARRAY['Q = 3', 'Q = 2 and q = 1', 'flip(R = 3)']) AS pattern;
SELECT estimate('SELECT FROM endings WHERE game @@ ''Q >= 1''') > 13000 AS "all";
-- So a join of two such conditions does not compare each with each.
SELECT bool_and(line !~ 'Nested Loop') AS "no nested loop"
FROM plan('SELECT count(*) FROM endings AS a JOIN endings AS b USING (event) WHERE a.game @@ ''Q = 2'' AND b.game @@ ''Q = 2 and P >= 1''') AS line;
DROP TABLE endings;

-- A pattern costs what searches of sampled games take, by whichever function; the cheaper condition is asked first.
\set slow 'shift(line(B[a4-c6], [pr]) for 20)'
SELECT query, cost(format(query, 'flip(KRPPvKR)')) < cost(format(query, 'outpost(N)')) AS "a header is quick",
    cost(format(query, 'outpost(N)')) < cost(format(query, :'slow')) AS "slow"
FROM unnest(ARRAY['SELECT FROM games WHERE game @@ %L', 'SELECT FROM games WHERE %L @@ game', 'SELECT FROM games WHERE hasPattern(game, %L)',
    'SELECT FROM games WHERE hasPattern(game, %L, 200)', 'SELECT plyOfPattern(game, %L) FROM games', 'SELECT FROM games, findPattern(game, %L)']) AS query;
SELECT cost(format('SELECT FROM games WHERE game @@ %L', :'slow')) > cost('SELECT FROM games WHERE game @@ ''outpost(N)''') * 2 AS "much slower";
SELECT plan(format('SELECT FROM games WHERE game @@ %L AND status(game) = ''stalemate''', :'slow'));
SELECT plan('SELECT FROM games WHERE status(game) = ''stalemate'' AND game @@ ''flip(KRPPvKR)''');
-- Without statistics the pattern alone tells, and so it does of a game that is no column.
CREATE TABLE unknown AS SELECT game FROM games;
SELECT cost(format('SELECT FROM unknown WHERE game @@ %L', :'slow')) > cost('SELECT FROM unknown WHERE game @@ ''flip(KRPPvKR)''') AS "not analyzed",
    cost(format('SELECT FROM games WHERE getFirstMoves(game, 40) @@ %L', :'slow')) > cost('SELECT FROM games WHERE getFirstMoves(game, 40) @@ ''flip(KRPPvKR)''') AS derived;
-- A function is simplified before the relations are known.
CREATE FUNCTION has_knight(chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN $1 @@ 'Nd5';
SELECT plan('SELECT FROM games WHERE has_knight(game)');
DROP FUNCTION has_knight;
DROP TABLE unknown;

-- A partitioned table and its partitions.
CREATE TABLE parted (id int, game chessgame) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (200);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (200) TO (MAXVALUE);
INSERT INTO parted SELECT id, game FROM games;
ANALYZE parted;
SELECT relation, e BETWEEN a / 2 - 1 AND a * 2 + 1 AS near FROM unnest(ARRAY['parted', 'parted_1', 'parted_2']) AS relation,
    format('SELECT FROM %I WHERE hasOpening(game, ''1. e4'')', relation) AS query, estimate(query) AS e, actual(query) AS a;
SELECT e BETWEEN a / 2 AND a * 2 AS near FROM format('SELECT FROM parted AS p JOIN sides AS s ON hasOpening(p.game, getFirstMoves(s.game, 4))') AS query, estimate(query) AS e, actual(query) AS a;

-- Any of many boards is found as any of them one by one, from few and from many, with NULL, and as a parameter.
CREATE TABLE wanted AS SELECT n, ARRAY(SELECT getBoard(game, 6 + id::int % 40) FROM games WHERE id % 9 = 1 AND plyCount(game) > 45 ORDER BY id LIMIT n) AS boards
FROM unnest(ARRAY[0, 1, 15, 16, 17, 60]) AS n;
SELECT n, count(*) FILTER (WHERE game && boards) AS games, count(*) FILTER (WHERE (game && boards) <> EXISTS (SELECT FROM unnest(boards) AS b WHERE game @> b)) AS wrong,
    count(*) FILTER (WHERE (boards || NULL::chessboard && game) <> (game && boards)) AS "wrong with NULL" FROM wanted, games GROUP BY n ORDER BY n;
CREATE FUNCTION found(boards chessboard[]) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM games WHERE game && boards); END $$;
CREATE FUNCTION is_found(game chessgame, boards chessboard[]) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN game && boards; END $$;
SELECT bool_and(found(boards) = (SELECT count(*) FROM games WHERE game && boards)) AS "by function",
    bool_and((SELECT count(*) FROM games WHERE is_found(game, boards)) = found(boards)) AS "by expression" FROM wanted;
CREATE FUNCTION found_constant(boards chessboard[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM games WHERE game && %L::chessboard[]', boards) INTO n;
    RETURN n;
END $$;
SELECT bool_and(found(boards) = found_constant(boards)) AS "as a constant" FROM wanted;
DROP FUNCTION found, is_found, found_constant;
DROP TABLE wanted;

-- Many conditions on boards are planned in time.
CREATE INDEX games_chess ON games USING chess (game);
SET statement_timeout = '10s';
DO $$ BEGIN EXECUTE 'EXPLAIN SELECT id FROM games WHERE ' || repeat('hasBoard(game, startBoard()) AND ', 5000) || 'true'; END $$;
RESET statement_timeout;
DROP INDEX games_chess;

-- Rows of functions: of a constant as many as there are, of a column the average.
SELECT query, e BETWEEN a * 0.95 AND a * 1.05 AS near FROM unnest(ARRAY['moves(''1. e4 e5 2. Nf3'')', 'positions(''1. e4 e5 2. Nf3'')', 'legalMoves(getBoard(''1. e4 e5'', 2))',
    'games, moves(game)', 'games, positions(game)', 'games, moves(getFirstMoves(game, 2))']) AS query, estimate('SELECT FROM ' || query) AS e, actual('SELECT FROM ' || query) AS a;
SELECT estimate('SELECT FROM moves(NULL)') AS "of NULL", estimate(format('SELECT FROM pgngames(%L)', repeat('1. e4 e5 2. Nf3 Nc6 *' || E'\n', 655))) BETWEEN 10 AND 100 AS some,
    estimate('SELECT FROM legalMoves(''8/8/8/8/8/8/8/8'')') AS "no position"
FROM (SELECT) AS one;

DROP TABLE games, famous, openings, many, sides, parted;
DROP FUNCTION estimate, actual, plan, answers, cost, on_rank;
