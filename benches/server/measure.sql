-- Included by the other scripts with \ir. Out: functions and tables for measurements.
--
-- "ms" is processor time of the server's process, which other work on the machine hardly affects and which excludes
-- waiting for disks; where the system does not report it (/proc/self/schedstat), it is elapsed time. "elapsed" is
-- always elapsed time.
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET maintenance_work_mem = '64MB';
SET work_mem = '64MB';
SET timezone = 'UTC';

CREATE OR REPLACE FUNCTION elapsed_ms() RETURNS numeric LANGUAGE sql VOLATILE AS
    'SELECT 1000 * extract(epoch FROM clock_timestamp())';
-- The system updates the counter when the process sleeps.
CREATE OR REPLACE FUNCTION processor_ms() RETURNS numeric LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 99, true), ' ', 1)::numeric / 1000000, elapsed_ms())
    FROM pg_sleep(0.001) $$;

-- build times and sizes, by round
CREATE TABLE IF NOT EXISTS built (nr serial, what text, ms numeric, bytes bigint);
CREATE OR REPLACE PROCEDURE build(what text, statement text, relation text) LANGUAGE plpgsql AS $$
DECLARE started numeric := processor_ms();
BEGIN
    EXECUTE statement;
    INSERT INTO built (what, ms, bytes)
    VALUES (what, processor_ms() - started, pg_table_size(relation::regclass));
END $$;

-- Questions: a statement that returns one number, with its settings ('name=value, name=value').
CREATE TABLE IF NOT EXISTS questions (nr serial, subject text, method text, settings text DEFAULT '', statement text,
                                      repeats int);
CREATE TABLE IF NOT EXISTS answered (nr int, ms numeric, elapsed numeric, answer bigint);
-- Asks the questions without answers. A round asks each once, so that a slow moment affects all of them.
CREATE OR REPLACE PROCEDURE ask(runs int) LANGUAGE plpgsql AS $$
DECLARE
    open int[] := array(SELECT nr FROM questions WHERE repeats IS NULL ORDER BY nr);
    q record;
    began numeric;
    started numeric;
    found bigint;
BEGIN
    -- Round 0 warms up and determines the repetitions of short statements, for measurements of at least 10 ms.
    FOR run IN 0..runs LOOP
        FOR q IN SELECT * FROM questions WHERE nr = ANY (open) ORDER BY nr LOOP
            PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true)
            FROM regexp_split_to_table(q.settings, ', *') AS setting WHERE setting <> '';
            EXECUTE q.statement INTO found;
            began := elapsed_ms();
            started := processor_ms();
            FOR n IN 1..coalesce(q.repeats, 1) LOOP
                EXECUTE q.statement INTO found;
            END LOOP;
            IF run = 0 THEN
                UPDATE questions SET repeats = least(1000, ceil(10 / greatest(processor_ms() - started, 0.01)))
                WHERE nr = q.nr;
            ELSE
                INSERT INTO answered VALUES (q.nr, (processor_ms() - started) / q.repeats,
                                             (elapsed_ms() - began) / q.repeats, found);
            END IF;
            PERFORM set_config(name, reset_val, true)
            FROM regexp_split_to_table(q.settings, ', *') AS own JOIN pg_settings ON name = split_part(own, '=', 1);
        END LOOP;
    END LOOP;
END $$;

-- The plan of a statement; by default in JSON.
CREATE OR REPLACE FUNCTION explained(statement text, options text DEFAULT 'FORMAT JSON') RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
    EXECUTE format('EXPLAIN (%s) %s', options, statement) INTO plan;
    RETURN plan;
END $$;
-- The scan node of a plan that counts rows.
CREATE OR REPLACE FUNCTION picked(plan jsonb) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE plan #>> '{0,Plan,Plans,0,Node Type}' WHEN 'Seq Scan' THEN 'scan' ELSE 'index' END $$;
CREATE OR REPLACE PROCEDURE require_same_answers() LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM answered JOIN questions USING (nr) GROUP BY subject HAVING count(DISTINCT answer) > 1) THEN
        RAISE 'two ways gave different answers';
    END IF;
END $$;

-- medians, minima and maxima
CREATE OR REPLACE VIEW build_times AS
SELECT min(nr) AS nr, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric AS ms, min(ms) AS least,
       max(ms) AS greatest, max(bytes) AS bytes
FROM built GROUP BY what;
CREATE OR REPLACE VIEW answer_times AS
SELECT nr, subject, method, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric AS ms, min(ms) AS least,
       max(ms) AS greatest, percentile_cont(0.5) WITHIN GROUP (ORDER BY elapsed)::numeric AS elapsed,
       max(answer) AS answer, count(DISTINCT answer) AS answers
FROM answered JOIN questions USING (nr) GROUP BY nr, subject, method;
