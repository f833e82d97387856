-- In: the table games (id, game); the variable runs.
-- Out: a comparison of the GIN operator classes, each on a table of its own: size and build time of the index; for
-- each board the estimated rows, the plan with default settings, its time and that of the other plan, and the number
-- of candidates of the index. Runs in one process with everything in memory; a round asks every question once;
-- medians of the rounds are printed.
CREATE SCHEMA classes;
SET search_path = classes, public;
\ir measure.sql
CREATE TABLE class (no int, name text, index text);
INSERT INTO class VALUES (1, 'none', NULL), (2, 'default', ''), (3, 'max_ply = 60', 'chessgame_ops (max_ply = 60)'),
    (4, 'max_ply = 40', 'chessgame_ops (max_ply = 40)'), (5, 'max_ply = 20', 'chessgame_ops (max_ply = 20)'),
    (6, 'compact', 'chessgame_compact_ops');
DO $$
DECLARE
    c class;
BEGIN
    FOR c IN SELECT * FROM class ORDER BY no LOOP
        EXECUTE format('CREATE TABLE games_%s AS SELECT id, game FROM public.games ORDER BY id', c.no);
        IF c.index IS NOT NULL THEN
            CALL build(c.name, format('CREATE INDEX games_%1$s_gin ON games_%1$s USING gin (game %2$s)', c.no, c.index),
                       format('games_%s_gin', c.no));
        END IF;
    END LOOP;
END $$;
VACUUM ANALYZE;

\echo
SELECT what AS class, round(ms / 1000, 2) AS seconds, pg_size_pretty(bytes) AS size,
       round(bytes::numeric / pg_relation_size('games_1'), 2) AS x_games
FROM build_times ORDER BY nr;

-- Later boards are those of single games, in the order of id.
CREATE TABLE target (no int, name text, board chessboard);
INSERT INTO target VALUES (1, 'after 1. e4', getBoard('1. e4', 1)), (2, 'after 1. Nf3 Nf6', getBoard('1. Nf3 Nf6', 2)),
    (3, 'Najdorf, after 5... a6', getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10));
INSERT INTO target
SELECT 3 + no, 'half-move ' || ply, getBoard(game, ply)
FROM unnest('{20,30,50,70}'::int[]) WITH ORDINALITY AS p (ply, no),
    LATERAL (SELECT game FROM games_1 WHERE plyCount(game) > 80 ORDER BY id OFFSET 20 + no LIMIT 1) AS g;
INSERT INTO target SELECT 8, 'never', regexp_replace(board::text, '^.*/', '8/8/8/8/8/8/8/')::chessboard FROM target WHERE no = 5;

CREATE TABLE plan AS
SELECT target, class, name, index, query, (plan #>> '{0,Plan,Plans,0,Plan Rows}')::bigint AS estimated, picked(plan)
FROM (SELECT target.no AS target, class.no AS class, class.name, class.index,
             format('SELECT count(*) FROM games_%s WHERE hasBoard(game, %L)', class.no, board) AS query
      FROM target, class) AS asked, LATERAL explained(query) AS plan;
SET enable_seqscan = off;
CREATE TABLE left_by_index AS
SELECT target, class, jsonb_path_query_first(explained(query, 'ANALYZE, TIMING OFF, FORMAT JSON'),
           'strict $.** ? (@."Node Type" == "Bitmap Index Scan")."Actual Rows"')::bigint AS candidates
FROM plan WHERE index IS NOT NULL;
RESET enable_seqscan;

INSERT INTO questions (subject, method, settings, statement)
SELECT target, name || ', ' || way, setting, query
FROM plan, (VALUES ('scan', 'enable_bitmapscan=off'), ('index', 'enable_seqscan=off')) AS v (way, setting)
WHERE index IS NOT NULL OR way = 'scan' ORDER BY target, class, way;
CALL ask(:runs);
CALL require_same_answers();

-- "to check" are the candidates of the index, "in vain" those without the board
SELECT target.name AS board, p.answer AS games, plan.name AS class, estimated, picked, round(p.ms, 3) AS ms,
       round(o.ms, 3) AS "ms of the other", candidates AS "to check", candidates - p.answer AS "in vain"
FROM plan JOIN target ON target.no = target LEFT JOIN left_by_index USING (target, class)
JOIN answer_times AS p ON p.subject = target::text AND p.method = plan.name || ', ' || picked
LEFT JOIN answer_times AS o ON o.subject = target::text AND o.method LIKE plan.name || ', %' AND o.method <> p.method
ORDER BY target.no, plan.class;
DROP SCHEMA classes CASCADE;
