-- In: the table supply; the variables plannings and rounds.
-- Out: by how much the memory of one backend grows while it plans, and while it inserts, deletes, vacuums, rebuilds and
-- analyzes with all indexes; an ERROR above 2 MB.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET test.plannings = :plannings;
CREATE FUNCTION pg_temp.memory() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+) kB')::bigint $$;
CREATE TEMP TABLE growth (what text, step int, kb bigint);

CREATE TABLE churn (id int, game chessgame, again chessgame) WITH (autovacuum_enabled = off);
CREATE INDEX churn_btree ON churn (game);
CREATE INDEX churn_gin ON churn USING gin (game) WITH (fastupdate = on);
CREATE INDEX churn_gin_direct ON churn USING gin (again) WITH (fastupdate = off);
CREATE INDEX churn_chess ON churn USING chess (again);
INSERT INTO churn SELECT id, game, game FROM supply;
ANALYZE churn;

DO $$
DECLARE
    plannings int := current_setting('test.plannings');
    conditions text[] := ARRAY['hasopening(game, %1$L)', 'game ^@ %1$L', 'hasboard(game, %2$L)', 'hasboard(game, %2$L, 20)',
        'haspieces(game, %2$L)', 'game @>> ARRAY[%2$L::chessboard, %2$L]', 'game && ARRAY[%2$L::chessboard]', 'game = %1$L',
        'again @@ ''flip(Nd5 and R + 1 = r)''', 'hasmaterial(again, ''KRPvKR'')',
        'id IN (SELECT c.id FROM churn AS c WHERE hasopening(churn.game, c.again))',
        'EXISTS (SELECT FROM churn AS c WHERE hasboard(churn.game, getboard(c.again, 8)))'];
    s supply;
    plan text;
    n int := 0;
BEGIN
    WHILE n < plannings LOOP
        FOR s IN SELECT * FROM supply WHERE plycount(game) > 30 AND startboard(game) = startboard('*') LIMIT 1000 LOOP
            n := n + 1;
            EXECUTE 'EXPLAIN SELECT FROM churn WHERE ' ||
                format(conditions[1 + n % 12], getfirstmoves(s.game, n % 12), getboard(s.game, n % 30)) INTO plan;
            IF n * 10 % plannings = 0 THEN
                INSERT INTO growth VALUES ('plannings', n, pg_temp.memory());
            END IF;
            EXIT WHEN n = plannings;
        END LOOP;
    END LOOP;
END $$;

-- VACUUM takes no function around it: psql sends each of these on its own
SELECT statement FROM generate_series(1, :rounds) AS round, LATERAL (VALUES
    (1, format('INSERT INTO churn SELECT id, getfirstmoves(game, 20 + %s), game FROM supply', round)),
    (2, 'SELECT gin_clean_pending_list(''churn_gin'')'),
    (3, format('UPDATE churn SET game = again WHERE id %% 5 = %s', round % 5)),
    (4, format('DELETE FROM churn WHERE id %% 2 = %s', round % 2)),
    (5, 'VACUUM churn'),
    (6, 'ANALYZE churn'),
    (7, CASE WHEN round % 5 = 0 THEN 'REINDEX TABLE churn' ELSE 'SELECT count(*) FROM churn WHERE hasboard(game, getboard(''1. d4 d5'', 2))' END),
    (8, format('INSERT INTO growth VALUES (''index work'', %s, pg_temp.memory())', round))
) AS s (n, statement) ORDER BY round, n
\o /dev/null
\gexec
\o

SELECT format('  %s: %s kB after %s, %s kB after %s', what, (array_agg(kb ORDER BY step))[1 + count(*) / 5], min(step) FILTER (WHERE nth = 1 + count / 5),
    (array_agg(kb ORDER BY step DESC))[1], max(step))
FROM (SELECT *, row_number() OVER (PARTITION BY what ORDER BY step) AS nth, count(*) OVER (PARTITION BY what) FROM growth) AS g GROUP BY what ORDER BY what;
DO $$
DECLARE
    grown bigint;
    kind text;
BEGIN
    FOR kind, grown IN SELECT what, max(kb) FILTER (WHERE nth = count) - max(kb) FILTER (WHERE nth = 1 + count / 5)
        FROM (SELECT *, row_number() OVER (PARTITION BY what ORDER BY step) AS nth, count(*) OVER (PARTITION BY what) FROM growth) AS g
        GROUP BY what
    LOOP
        ASSERT grown <= 2048, format('%s: %s kB', kind, grown);
    END LOOP;
    ASSERT (SELECT count(DISTINCT what) FROM growth) = 2, 'nothing was measured';
END $$;
