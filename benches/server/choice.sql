-- In: the table games (id, white, black, …, game); the variable runs.
-- Out: for frequent and rare boards, in tables of three widths with a default GIN index: the plan with default
-- settings, and the times of the sequential scan and of the index.
CREATE SCHEMA choice;
SET search_path = choice, public;
\ir measure.sql
CREATE TABLE narrow AS SELECT id, game FROM public.games ORDER BY id;
CREATE TABLE named AS SELECT * FROM public.games ORDER BY id;
CREATE TABLE wide AS SELECT *, repeat(md5(id::text), 20) AS tags FROM public.games ORDER BY id;
CREATE INDEX ON narrow USING gin (game);
CREATE INDEX ON named USING gin (game);
CREATE INDEX ON wide USING gin (game);
VACUUM ANALYZE;

CREATE TABLE choice AS
SELECT t.no, t.name AS "table", b.no AS board_no, b.opening,
       format('SELECT count(*) FROM %s WHERE hasBoard(game, %L)', t.name, finalBoard(b.opening::chessgame)) AS query
FROM unnest('{narrow,named,wide}'::text[]) WITH ORDINALITY AS t (name, no),
     unnest('{1. e4,1. e4 c5,1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6}'::text[]) WITH ORDINALITY AS b (opening, no);
INSERT INTO questions (subject, method, settings, statement)
SELECT query, way, setting, query FROM choice, (VALUES ('scan', 'enable_bitmapscan=off'), ('index', 'enable_seqscan=off')) AS v (way, setting)
ORDER BY board_no, no;
CALL ask(:runs);
CALL require_same_answers();

\echo
SELECT "table", pg_size_pretty(pg_relation_size("table"::regclass)) AS size, opening, s.answer AS games, picked(explained(query)),
       round(i.ms, 2) AS "index, ms", round(i.least, 2) AS least, round(i.greatest, 2) AS greatest,
       round(s.ms, 2) AS "scan, ms", round(s.least, 2) AS least, round(s.greatest, 2) AS greatest, round(i.ms / s.ms, 2) AS ratio
FROM choice JOIN answer_times AS i ON i.subject = query AND i.method = 'index'
JOIN answer_times AS s ON s.subject = query AND s.method = 'scan' ORDER BY board_no, no;
DROP SCHEMA choice CASCADE;
