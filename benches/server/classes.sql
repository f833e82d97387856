-- In: the table games (id, game); the variable runs. Out: the GIN operator classes side by side, each on a table of its
-- own: size and build time of the index; for each board the rows that the planner expects, the plan it picks with no
-- setting touched, the time of that plan and of the other one, and the games that the index leaves to be checked.
-- One process, everything in memory; a round runs every query once, rounds are repeated, medians are printed.
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET maintenance_work_mem = '64MB';
SET timezone = 'UTC';

CREATE SCHEMA classes;
SET search_path = classes, public;
CREATE TABLE class (no int, name text, index text, seconds numeric, bytes bigint);
INSERT INTO class VALUES (1, 'none', NULL), (2, 'default', ''), (3, 'max_ply = 60', 'chessgame_ops (max_ply = 60)'),
    (4, 'max_ply = 40', 'chessgame_ops (max_ply = 40)'), (5, 'max_ply = 20', 'chessgame_ops (max_ply = 20)'),
    (6, 'compact', 'chessgame_compact_ops');
DO $$
DECLARE
    c class;
    started timestamptz;
BEGIN
    FOR c IN SELECT * FROM class ORDER BY no LOOP
        EXECUTE format('CREATE TABLE games_%s AS SELECT id, game FROM public.games ORDER BY id', c.no);
        CONTINUE WHEN c.index IS NULL;
        started := clock_timestamp();
        EXECUTE format('CREATE INDEX games_%1$s_gin ON games_%1$s USING gin (game %2$s)', c.no, c.index);
        UPDATE class SET seconds = extract(epoch FROM clock_timestamp() - started), bytes = pg_relation_size(format('games_%s_gin', c.no))
        WHERE no = c.no;
    END LOOP;
END $$;
VACUUM ANALYZE;

\echo
SELECT name, round(seconds, 2) AS seconds, pg_size_pretty(bytes) AS size,
       round(bytes::numeric / pg_relation_size('games_1'), 2) AS x_games
FROM class WHERE bytes IS NOT NULL ORDER BY no;

-- Later boards are those of one game each, in the order of id.
CREATE TABLE target (no int, name text, board chessboard);
INSERT INTO target VALUES (1, 'after 1. e4', getBoard('1. e4', 1)), (2, 'after 1. Nf3 Nf6', getBoard('1. Nf3 Nf6', 2)),
    (3, 'Najdorf, after 5... a6', getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10));
INSERT INTO target
SELECT 3 + no, 'half-move ' || ply, getBoard(game, ply)
FROM unnest('{20,30,50,70}'::int[]) WITH ORDINALITY AS p (ply, no),
    LATERAL (SELECT game FROM games_1 WHERE plyCount(game) > 80 ORDER BY id OFFSET 20 + no LIMIT 1) AS g;
INSERT INTO target SELECT 8, 'never', regexp_replace(board::text, '^.*/', '8/8/8/8/8/8/8/')::chessboard FROM target WHERE no = 5;

CREATE TABLE plan (target int, class int, estimated bigint, picked text, candidates bigint, games bigint);
CREATE TABLE measured (target int, class int, way text, ms numeric, answer bigint);
CREATE PROCEDURE measure(runs int) LANGUAGE plpgsql AS $$
DECLARE
    t target;
    c class;
    query text;
    way text;
    explained jsonb;
    started timestamptz;
    answer bigint;
BEGIN
    FOR run IN 0..runs LOOP
        FOR t IN SELECT * FROM target ORDER BY no LOOP
            FOR c IN SELECT * FROM class ORDER BY no LOOP
                query := format('FROM games_%s WHERE hasBoard(game, %L)', c.no, t.board);
                FOREACH way IN ARRAY ARRAY['scan', 'index'] LOOP
                    CONTINUE WHEN way = 'index' AND c.index IS NULL;
                    PERFORM set_config('enable_seqscan', (way = 'scan')::text, true),
                            set_config('enable_bitmapscan', (way = 'index')::text, true);
                    started := clock_timestamp();
                    EXECUTE 'SELECT count(*) ' || query INTO answer;
                    -- The first round warms up.
                    IF run > 0 THEN
                        INSERT INTO measured VALUES (t.no, c.no, way, 1000 * extract(epoch FROM clock_timestamp() - started), answer);
                    ELSIF way = 'index' THEN
                        EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT ' || query INTO explained;
                        INSERT INTO plan (target, class, candidates, games) SELECT t.no, c.no, jsonb_path_query_first(explained,
                            'strict $.** ? (@."Node Type" == "Bitmap Index Scan")."Actual Rows"')::bigint, answer;
                    ELSIF c.index IS NULL THEN
                        INSERT INTO plan (target, class, games) VALUES (t.no, c.no, answer);
                    END IF;
                    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true);
                END LOOP;
                IF run = 0 THEN
                    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT ' || query INTO explained;
                    UPDATE plan SET estimated = (explained #>> '{0,Plan,Plan Rows}')::bigint,
                        picked = CASE explained #>> '{0,Plan,Node Type}' WHEN 'Seq Scan' THEN 'scan' ELSE 'index' END
                    WHERE target = t.no AND class = c.no;
                END IF;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
CALL measure(:runs);

DO $$
BEGIN
    IF EXISTS (SELECT FROM measured GROUP BY target HAVING count(DISTINCT answer) > 1) THEN
        RAISE 'two ways gave different answers';
    END IF;
END $$;

-- "to check" are the games that the index leaves to be checked, "in vain" those of them without the board.
WITH median AS (
    SELECT target, class, way, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric AS ms FROM measured GROUP BY 1, 2, 3
)
SELECT target.name AS board, games, class.name AS class, estimated, picked, round(p.ms, 3) AS ms, round(o.ms, 3) AS "ms of the other",
       candidates AS "to check", candidates - games AS "in vain"
FROM plan JOIN target ON target.no = plan.target JOIN class ON class.no = plan.class
JOIN median AS p ON p.target = plan.target AND p.class = plan.class AND p.way = picked
LEFT JOIN median AS o ON o.target = plan.target AND o.class = plan.class AND o.way <> picked
ORDER BY target.no, class.no;
DROP SCHEMA classes CASCADE;
