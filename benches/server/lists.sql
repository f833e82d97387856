-- In: a database that `chess-pgn load --index` has filled, after VACUUM; in another schema with -v schema=NAME.
-- Out: for some ranges of days the number of their games, the least time of seven, in ms, of the first page of each list that
-- chess-web shows of them, and of their count, with what the plan reads.
\set ON_ERROR_STOP on
\if :{?schema}
\else
\set schema chess
\endif
SET search_path = :"schema", public;
SET client_min_messages = warning;

CREATE TEMP TABLE lists (name text, key text);
INSERT INTO lists VALUES
    ('date', '(CASE WHEN lower(g.dates) IS NULL THEN ''-infinity'' ELSE lower(g.dates) END)'),
    ('rating', '(CASE WHEN g.white_elo IS NULL THEN 0 ELSE g.white_elo END::bigint + CASE WHEN g.black_elo IS NULL THEN 0 ELSE g.black_elo END)'),
    ('plies', 'g.ply_count'),
    ('loaded', 'g.id');
CREATE TEMP TABLE days (since text, until text);
INSERT INTO days VALUES ('1900-01-01', '1911-01-01'), ('1990-01-01', '2000-01-01'), ('2010-03-01', '2010-04-01'),
    ('2022-12-01', '2023-01-01'), ('2015-01-01', NULL), (NULL, '1900-01-01');

CREATE FUNCTION pg_temp.timed(query text, OUT ms numeric, OUT reads text) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        reads := concat_ws(', ', nullif(reads, ''), substring(line FROM 'Scan.* (?:using|on) (\w+_(?:idx|pkey))'));
    END LOOP;
    FOR run IN 1 .. 7 LOOP
        began := clock_timestamp();
        EXECUTE query;
        ms := least(ms, round(1000 * extract(epoch FROM clock_timestamp() - began), 2));
    END LOOP;
END
$$;
SELECT d.since, d.until, l.name AS list, t.ms, t.reads
FROM days d
CROSS JOIN LATERAL (
    SELECT concat(' g.dates <@ ', quote_literal(format('[%s,%s)', d.since, d.until)), '::daterange',
                  ' AND ' || k.key || ' >= ' || quote_literal(d.since), ' AND ' || k.key || ' < ' || quote_literal(d.until)) AS condition
    FROM lists k WHERE k.name = 'date'
) c
CROSS JOIN LATERAL (
    SELECT name, format('SELECT g.id, %s AS key FROM games g WHERE %s ORDER BY key DESC, g.id DESC LIMIT 51', key, c.condition) AS query FROM lists
    UNION ALL
    SELECT 'count', format('SELECT count(*) FROM games g WHERE %s', c.condition)
) l
CROSS JOIN LATERAL pg_temp.timed(l.query) t
ORDER BY d.since NULLS LAST, d.until, l.name;
