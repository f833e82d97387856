-- An index of the access method chess with attributes beside the game: conditions on them, alone and with a game, find what a
-- sequential scan finds, in segments and pending games, after changes, VACUUM and merges.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
SET jit = off;
ALTER TABLE games DROP COLUMN cut;
DELETE FROM games WHERE id % 6 > 0 AND id > 10050;
CREATE DOMAIN rating AS integer CHECK (VALUE >= -5);
ALTER TABLE games ADD elo integer, ADD small smallint, ADD day date, ADD won boolean, ADD kind "char", ADD rated rating, ADD dates daterange;
-- without a histogram: with one, 18.4 cannot plan an inequality of any column of this type
ALTER TABLE games ALTER kind SET STATISTICS 0;
UPDATE games SET elo = CASE WHEN id % 11 > 0 THEN 1200 + id * 37 % 1500 END, small = CASE WHEN id % 5 > 0 THEN id * 7 % 200 - 100 END,
    day = CASE WHEN id % 13 = 0 THEN 'infinity' WHEN id % 17 = 0 THEN '-infinity' WHEN id % 19 > 0 THEN date '1990-01-01' + id % 9000 END,
    won = CASE WHEN id % 3 > 0 THEN id % 2 = 0 END, kind = CASE WHEN id % 7 > 0 THEN chr(60 + id % 60)::"char" END, rated = id % 50 - 5,
    dates = CASE WHEN id % 4 > 0 THEN daterange(date '1990-01-01' + id % 9000, NULL) END;
INSERT INTO games (id, name, game, elo, small, day, won, kind, rated) VALUES
    (30000, 'null', NULL, 2700, 7, '2000-01-01', true, 'a', 1), (30001, 'nulls', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (30002, 'extremes', '1. e4', 2147483647, 32767, '5874897-12-31', false, '\377', 2147483647),
    (30003, 'extremes', '1. e4', -2147483648, -32768, '4713-01-01 BC', true, '', -5);
CREATE INDEX games_chess ON games USING chess (game, elo, small, day, won, kind, rated, (lower(dates)), (elo % 10)) WITH (pending_games = 64);
SELECT pg_get_indexdef('games_chess'::regclass);
SELECT opcname, opcintype::regtype, opcdefault, amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod
WHERE amname = 'chess' ORDER BY opcintype::regtype::text COLLATE "C";
SELECT count(*) AS operators FROM pg_amop AS o JOIN pg_opfamily AS f ON f.oid = o.amopfamily WHERE opfname = 'integer_ops'
    AND opfmethod = (SELECT oid FROM pg_am WHERE amname = 'chess');
SELECT name, pg_index_column_has_property('games_chess', 2, name) FROM unnest(ARRAY['search_array', 'search_nulls', 'orderable', 'returnable']) AS name;
SELECT name, pg_indexam_has_property(oid, name) FROM pg_am, unnest(ARRAY['can_multi_col', 'can_unique', 'can_include']) AS name WHERE amname = 'chess';
SELECT part, games FROM chess_index_info('games_chess') ORDER BY part;
VACUUM ANALYZE games;

-- Unchanged queries use it, with no setting changed.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE elo BETWEEN 2500 AND 2505;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, finalBoard('1. e4 c5 2. Nf3')) AND elo > 2600::bigint AND won IS NOT NULL;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE elo = ANY ('{2500,2501,2502}') AND lower(dates) < '1991-01-01';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE day = 'infinity' AND elo % 10 = 3;
-- But not for most of the rows, nor for a game that is NULL or not, which it does not know.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE elo > 1300;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game IS NULL;

-- Rows that are found by attributes alone are not checked again.
CREATE FUNCTION checked(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ 'Removed|Heap Blocks|Recheck' THEN
            RETURN NEXT regexp_replace(line, '(Heap Blocks: \w+)=.*', '\1');
        END IF;
    END LOOP;
END $$;
SET enable_indexscan = off;
SELECT checked('SELECT id FROM games WHERE elo = ANY (''{2500,2501,2502}'')');
RESET enable_indexscan;

-- Each condition by bitmap scans, by plain index scans and by sequential scans.
CREATE TABLE conditions AS
SELECT format('%s %s %s', col, op, value) AS condition FROM (SELECT col, op, unnest(others) AS value FROM (VALUES
    ('elo', ARRAY['2000', '2000::smallint', '3000000000', '-3000000000', 'NULL']),
    ('small', ARRAY['0', '-32769', '32768', '50::bigint', '-100::smallint']),
    ('day', ARRAY['''2001-05-05''', '''infinity''', '''-infinity''']),
    ('won', ARRAY['true', 'false']), ('kind', ARRAY['''A''', '''\377''', '''''']), ('rated', ARRAY['0', '2147483647::bigint']),
    ('lower(dates)', ARRAY['''1999-01-01''']), ('elo % 10', ARRAY['3'])) AS v (col, others), unnest(ARRAY['<', '<=', '=', '>=', '>']) AS op) AS c
UNION SELECT col || ' ' || test FROM unnest(ARRAY['elo', 'small', 'day', 'won', 'kind', 'rated', 'lower(dates)']) AS col, unnest(ARRAY['IS NULL', 'IS NOT NULL']) AS test
UNION SELECT unnest(ARRAY['elo = ANY (''{1500,1501,NULL,2200,2200}''::integer[])', 'elo = ANY (''{1500,9000000000}''::bigint[])', 'elo = ANY (''{}''::integer[])',
    'elo = ANY (NULL::integer[])', 'elo = ANY (''{NULL}''::integer[])', 'elo < ANY (''{1300,1250}''::smallint[])', 'elo > ANY (''{2650,2600}''::integer[])',
    'won = ANY (''{t,f}''::boolean[])', 'day = ANY (ARRAY[''infinity'', ''2001-05-05'']::date[])', 'kind = ANY (''{A,B}''::"char"[])', 'won', 'NOT won']);
INSERT INTO conditions
SELECT c.condition || ' AND ' || o.condition FROM conditions AS c
JOIN unnest(ARRAY['elo > 2000', 'small IS NULL', 'won', 'day = ''infinity''', 'lower(dates) < ''1999-01-01''']) AS s (condition) USING (condition), unnest(ARRAY['hasBoard(game, getBoard(''1. e4'', 1))', 'hasOpening(game, ''1. d4 d5'')',
    'game @@ ''KRvK''', 'game IS NULL', 'game IS NOT NULL', 'game @>> ''{}''', 'game && ARRAY[getBoard(''1. e4 c5'', 2), getBoard(''1. d4'', 1)]',
    'game @> ANY (ARRAY[getBoard(''1. e4 c5'', 2), NULL, getBoard(''1. d4'', 1)])', 'game ^@ ANY (ARRAY[''1. e4 c5'', ''1. h3'']::chessgame[])',
    'game @@ ANY (ARRAY[''KQvK'', ''Nd5'']::chesspattern[])', 'small BETWEEN -50 AND 50', 'id % 2 = 0']) AS o (condition);
-- A list of material is exact, but not with a condition that no list answers.
INSERT INTO conditions SELECT 'game @@ ''' || m || ''' AND ' || o FROM unnest(ARRAY['KRvK', 'KRP*vKRP*', 'flip(Q = 2)']) AS m,
    unnest(ARRAY['game IS NULL', 'game @@ ANY (ARRAY[''halfmove = 99'']::chesspattern[])', 'game @@ ''halfmove = 140''', 'game @> ANY (ARRAY[getBoard(''1. e4'', 1)])']) AS o;
CREATE FUNCTION found() RETURNS TABLE (condition text, games numeric) LANGUAGE plpgsql AS $$
BEGIN
    FOR condition IN SELECT c.condition FROM conditions AS c LOOP
        EXECUTE 'SELECT sum(id::numeric * id) FROM games WHERE ' || condition INTO games;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE FUNCTION differences() RETURNS TABLE (by text, condition text) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = off;
    CREATE TEMP TABLE by_scan ON COMMIT DROP AS SELECT * FROM found();
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = on;
    RETURN QUERY SELECT 'bitmap', f.condition FROM found() AS f JOIN by_scan AS s USING (condition) WHERE f.games IS DISTINCT FROM s.games;
    SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = on;
    RETURN QUERY SELECT 'index', f.condition FROM found() AS f JOIN by_scan AS s USING (condition) WHERE f.games IS DISTINCT FROM s.games;
    DROP TABLE by_scan;
END $$;
SELECT count(*) > 150 AS many, count(DISTINCT games) > 90 AS different FROM found();
SELECT * FROM differences();
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan('SELECT id FROM games WHERE elo = 2000');
SELECT plan('SELECT id FROM games WHERE game @> ANY (ARRAY[getBoard(''1. e4 c5'', 2)]) AND elo = 2000');
SELECT checked('SELECT id FROM games WHERE elo = 2000');
RESET enable_seqscan;
RESET enable_bitmapscan;

-- INSERT, UPDATE of an attribute, which is never HOT, and DELETE; then VACUUM and a merge.
INSERT INTO games (id, name, game, elo, day, won) SELECT 40000 + n, 'new', '1. e4 c5', 2000 + n, date '2020-01-01' + n, n % 2 = 0 FROM generate_series(1, 150) AS n;
BEGIN;
UPDATE games SET elo = elo + 1, won = NOT won WHERE id % 3 = 0;
DELETE FROM games WHERE id % 10 = 1;
SELECT * FROM differences();
ROLLBACK;
SELECT * FROM differences();
UPDATE games SET elo = 2222 WHERE id = 40001;
UPDATE games SET elo = elo + 1, won = NOT won WHERE id % 3 = 0;
DELETE FROM games WHERE id % 10 = 1;
SELECT * FROM differences();
SELECT chess_index_check('games_chess', true);
VACUUM games;
SELECT * FROM differences();
SELECT chess_index_check('games_chess', true);
SELECT chess_index_merge('games_chess');
SELECT * FROM differences();
SELECT chess_index_check('games_chess', true);
SELECT part, games, dead FROM chess_index_info('games_chess') ORDER BY part;
REINDEX INDEX CONCURRENTLY games_chess;
SELECT * FROM differences();

-- A check finds attributes that the index has otherwise: those of an expression that changes behind its back.
CREATE FUNCTION doubled(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 2 * $1; END';
CREATE TABLE changed AS SELECT id, game FROM games WHERE id < 20;
CREATE INDEX changed_chess ON changed USING chess (game, doubled(id::integer));
SELECT chess_index_check('changed_chess', true);
CREATE OR REPLACE FUNCTION doubled(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 3 * $1; END';
\set VERBOSITY terse
SELECT chess_index_check('changed_chess', true);
\set VERBOSITY default
DROP TABLE changed;

-- A partial index, partitions whose columns have other numbers, a dropped column.
DROP INDEX games_chess;
CREATE INDEX games_chess ON games USING chess (game, elo) WHERE won;
SELECT * FROM differences();
CREATE TABLE parts (dropped text, game chessgame, id integer, elo integer, won boolean) PARTITION BY RANGE (id);
ALTER TABLE parts DROP COLUMN dropped;
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE parts_2 (won boolean, gone integer, elo integer, id integer, game chessgame);
ALTER TABLE parts_2 DROP COLUMN gone;
CREATE INDEX parts_chess ON parts USING chess (game, elo, won, (elo % 10));
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (10000) TO (100000);
INSERT INTO parts (id, game, elo, won) SELECT id, game, elo, won FROM games;
ANALYZE parts;
SET enable_seqscan = off;
SELECT (SELECT sum(id) FROM parts WHERE elo = ANY ('{2001,2002,2003,2012}') AND elo % 10 = 2)
    = (SELECT sum(id) FROM games WHERE elo + 0 = ANY ('{2002,2012}')) AS same;
EXPLAIN (COSTS OFF) SELECT id FROM parts WHERE elo = 2222 AND hasBoard(game, getBoard('1. e4', 1));
RESET enable_seqscan;

-- What cannot be.
CREATE INDEX ON games USING chess (elo, game);
CREATE INDEX ON games USING chess (elo);
CREATE TABLE halves (elo integer, game chessgame) PARTITION BY RANGE (elo);
CREATE INDEX ON halves USING chess (elo, game);
CREATE TABLE half PARTITION OF halves FOR VALUES FROM (0) TO (2000);
DROP TABLE halves;
CREATE INDEX ON games USING chess (game, game);
CREATE INDEX ON games USING chess (game, (id::bigint));
CREATE INDEX ON games USING chess (game, name);
CREATE INDEX ON games USING chess (game, (elo::real));
DROP TABLE games, famous, parts, conditions;
DROP DOMAIN rating;
DROP FUNCTION estimate, actual, plan, answers, cost, checked, found, differences, doubled;
