-- In: the table games (id, game); the variable runs. Out: for questions about positions, openings, patterns and material on
-- a table with an index of the access method chess, with the default settings and with random_page_cost = 1.1: the way that
-- the planner picks, its time, and the fastest of all ways, which are a sequential scan, a bitmap scan and a plain index
-- scan; beside them a GIN index and a B-tree where they serve the question, and the index that the planner picks on a table
-- that has all of them.
CREATE SCHEMA index_choice;
SET search_path = index_choice, public;
\ir measure.sql
CREATE TABLE packed AS SELECT id, game FROM public.games ORDER BY id;
CREATE INDEX packed_chess ON packed USING chess (game);
-- The other indexes, on tables of their own: what they serve, and their definitions.
CREATE TABLE class (no int, name text, serves text, indexes text[]);
INSERT INTO class VALUES (4, 'GIN', 'hasBoard', '{gin (game)}'), (5, 'B-tree', '\^@', '{btree (game)}');
CREATE PROCEDURE index_as(number int, relation text) LANGUAGE plpgsql AS $$
DECLARE
    definition text;
BEGIN
    FOREACH definition IN ARRAY (SELECT indexes FROM class WHERE no = number) LOOP
        EXECUTE format('CREATE INDEX ON %I USING %s', relation, definition);
    END LOOP;
END
$$;
DO $$
DECLARE
    number int;
BEGIN
    FOR number IN SELECT no FROM class ORDER BY no LOOP
        EXECUTE format('CREATE TABLE packed_%s AS SELECT id, game FROM packed ORDER BY id', number);
        CALL index_as(number, 'packed_' || number);
    END LOOP;
END
$$;
VACUUM ANALYZE;

-- Positions that ever fewer games have, one opening, patterns whose index leaves few, many and nearly all games.
CREATE TABLE wish (no serial, name text, condition text);
INSERT INTO wish (name, condition)
SELECT opening, format('hasBoard(game, %L)', finalBoard(opening::chessgame))
FROM unnest('{1. e4,1. e4 c5,1. Nf3 Nf6,1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6}'::text[]) AS opening;
CREATE TABLE sampled AS
SELECT DISTINCT getBoard(game, 12 + (id % 17)::int) AS board FROM packed
WHERE id % greatest(1, (SELECT count(*) / 1000 FROM packed)) = 0 AND plyCount(game) > 30;
INSERT INTO wish (name, condition)
SELECT 'of 1 in 2,000', format('hasBoard(game, %L)', board)
FROM (SELECT board, (SELECT count(*) FROM packed WHERE hasBoard(game, board)) AS games FROM (SELECT * FROM sampled ORDER BY board LIMIT 200) AS s) AS b
ORDER BY abs(games - (SELECT count(*) FROM packed) / 2000.0), board LIMIT 1;
INSERT INTO wish (name, condition)
SELECT 'half-move 40', format('hasBoard(game, %L)', getBoard(game, 40)) FROM packed WHERE plyCount(game) > 60 ORDER BY id LIMIT 1;
INSERT INTO wish (name, condition) VALUES ('opening 1. e4 c5', 'game ^@ ''1. e4 c5''');
INSERT INTO wish (name, condition) SELECT pattern, format('game @@ %L', pattern) FROM unnest(ARRAY['Pc3 Pd4 Pe3 Pf4 Kg1', 'KRPPPvKRPPP',
    'KR[BN]P*vKR[BN]P*', 'oppositebishops and [QRNqrn] = 0', 'flip(imbalance Pv for 4)', 'Nd5', 'rank(R7, R7)', 'mate']) AS pattern;
INSERT INTO wish (name, condition) VALUES ('hasMaterial KRPvKR', 'hasMaterial(game, ''KRPvKR'')'),
    ('Nd5, after 1. e4', 'game @@ ''Nd5'' AND hasBoard(game, finalBoard(''1. e4''))');
CREATE TABLE form (no int, name text, statement text);
INSERT INTO form VALUES (1, 'count', 'SELECT count(*) FROM packed WHERE %s'), (2, 'EXISTS', 'SELECT EXISTS (SELECT FROM packed WHERE %s)::int'),
    (3, 'LIMIT 1', 'SELECT count(*) FROM (SELECT id FROM packed WHERE %s LIMIT 1) AS g'), (4, 'LIMIT 10', 'SELECT count(*) FROM (SELECT id FROM packed WHERE %s LIMIT 10) AS g'),
    (5, 'LIMIT 1000', 'SELECT count(*) FROM (SELECT id FROM packed WHERE %s LIMIT 1000) AS g');
CREATE TABLE asking AS
SELECT w.no AS wish, f.no AS form, w.name AS what, f.name AS how, format(statement, condition) AS statement FROM wish AS w, form AS f;
INSERT INTO asking
SELECT 1000, boards, 'boards of half-moves 12 to 28', format('joined, %s boards', boards),
       format('SELECT count(*) FROM (SELECT board FROM sampled ORDER BY board LIMIT %s) AS b JOIN packed ON hasBoard(game, board)', boards)
FROM unnest('{1,10,100}'::int[]) AS boards;
INSERT INTO asking
SELECT 1000, 1000 + boards, 'boards of half-moves 12 to 28', format('EXISTS, %s boards', boards),
       format('SELECT count(*) FROM (SELECT board FROM sampled ORDER BY board LIMIT %s) AS b WHERE EXISTS (SELECT FROM packed WHERE hasBoard(game, board))', boards)
FROM unnest('{10,100}'::int[]) AS boards;
CREATE TABLE way (no int, name text, settings text);
INSERT INTO way VALUES (0, 'picked', ''), (1, 'Seq Scan', ', enable_bitmapscan=off, enable_indexscan=off'),
    (2, 'Bitmap Heap Scan', ', enable_seqscan=off, enable_indexscan=off'), (3, 'Index Scan', ', enable_seqscan=off, enable_bitmapscan=off');
INSERT INTO way SELECT no, name, ', enable_seqscan=off' FROM class;
CREATE TABLE page_cost (cost text);
INSERT INTO page_cost VALUES ('4'), ('1.1');
INSERT INTO questions (subject, method, settings, statement)
SELECT format('%s|%s|%s', cost, wish, form), w.name, format('random_page_cost=%s%s', cost, settings),
       CASE WHEN serves IS NULL THEN statement ELSE replace(statement, 'packed', 'packed_' || w.no) END
FROM asking CROSS JOIN page_cost CROSS JOIN way AS w LEFT JOIN class USING (no) WHERE serves IS NULL OR statement ~ serves
ORDER BY wish, form, cost, w.no;
CALL ask(:runs);
CALL require_same_answers();

-- A table that has all of these indexes.
CALL index_as(5, 'packed_4');
CREATE INDEX packed_4_chess ON packed_4 USING chess (game);
ANALYZE packed_4;

-- How the planner reads the table.
CREATE FUNCTION picked_way(statement text, page_cost text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('random_page_cost', page_cost, true);
    RETURN (SELECT node #>> '{}' FROM jsonb_path_query(explained(statement), 'strict $.** ? (@."Relation Name" == "packed")."Node Type"') AS node LIMIT 1);
END
$$;
CREATE FUNCTION picked_index(statement text, page_cost text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('random_page_cost', page_cost, true);
    RETURN (SELECT coalesce(string_agg(substring(pg_get_indexdef((name #>> '{}')::regclass) FROM 'USING (.*)'), ', '), 'none')
            FROM jsonb_path_query(explained(replace(statement, 'packed', 'packed_4')), 'strict $.** ? (exists (@."Index Name"))."Index Name"') AS name);
END
$$;
CREATE TABLE result AS
SELECT a.*, cost, picked_way(statement, cost) AS picked, p.ms, p.answer, best.method AS fastest, best.ms AS least,
       other.method AS other, other.ms AS other_ms, picked_index(statement, cost) AS of_all
FROM asking AS a, page_cost, LATERAL (SELECT * FROM answer_times WHERE subject = format('%s|%s|%s', cost, wish, form) AND method = 'picked') AS p,
    LATERAL (SELECT * FROM answer_times WHERE subject = p.subject AND method = ANY ('{Seq Scan,Bitmap Heap Scan,Index Scan}') ORDER BY ms LIMIT 1) AS best,
    LATERAL (SELECT * FROM answer_times WHERE subject = p.subject AND method IN (SELECT name FROM class) ORDER BY ms LIMIT 1) AS other;

\echo
\echo 'Milliseconds, planned each time. "times" is what is picked against the fastest way.'
SELECT what, how, answer, d.picked, round(d.ms, 3) AS ms, d.fastest, round(d.least, 3) AS "its ms", round(d.ms / d.least, 2) AS times,
       s.picked AS "picked at 1.1", round(s.ms, 3) AS ms, s.fastest, round(s.least, 3) AS "its ms", round(s.ms / s.least, 2) AS times
FROM result AS d JOIN (SELECT wish, form, picked, ms, fastest, least FROM result WHERE cost = '1.1') AS s USING (wish, form) WHERE d.cost = '4' ORDER BY wish, form;
SELECT cost AS random_page_cost, count(*) AS questions, count(*) FILTER (WHERE ms > 1.2 * least) AS "slower by a fifth",
       count(*) FILTER (WHERE ms > 2 * least) AS "twice as slow", round(max(ms / least), 2) AS worst FROM result GROUP BY cost ORDER BY cost DESC;
\echo
\echo 'The other classes: the fastest of them, how many times its time is what is picked, and what is picked of all.'
SELECT what, how, d.other, round(d.other_ms, 3) AS "its ms", round(d.ms / d.other_ms, 2) AS times, d.of_all,
       s.other AS "other at 1.1", round(s.other_ms, 3) AS "its ms", round(s.ms / s.other_ms, 2) AS times, s.of_all
FROM result AS d JOIN result AS s USING (wish, form, what, how) WHERE d.cost = '4' AND s.cost = '1.1' ORDER BY wish, form;
SELECT cost AS random_page_cost, count(*) AS questions, count(*) FILTER (WHERE ms > 1.2 * other_ms) AS "slower by a fifth",
       count(*) FILTER (WHERE ms > 2 * other_ms) AS "twice as slow", round(max(ms / other_ms), 2) AS worst,
       count(*) FILTER (WHERE of_all NOT IN ('chess (game)', 'none')) AS "others picked" FROM result GROUP BY cost ORDER BY cost DESC;
DROP SCHEMA index_choice CASCADE;
