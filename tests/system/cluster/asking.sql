-- Out: functions that ask a query, and the tables beside the games that queries join.

-- How many rows a query has, and what they are, in whatever order.
CREATE FUNCTION answer(query text, OUT rows bigint, OUT hash text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT count(*), md5(string_agg(md5(q::text), '''' ORDER BY md5(q::text))) FROM (' || query || ') AS q' INTO rows, hash;
END
$$;

-- How many rows come from other servers for it.
CREATE FUNCTION travelled(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT coalesce(sum((scan ->> 'Actual Rows')::numeric * (scan ->> 'Actual Loops')::numeric), 0)
            FROM jsonb_path_query(plan, 'strict $.**?(@."Node Type" == "Foreign Scan")') AS scan);
END
$$;

-- How long it takes in milliseconds, as the median of nine runs.
CREATE FUNCTION median_ms(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    times numeric[];
    start timestamptz;
BEGIN
    FOR run IN 1 .. 9 LOOP
        start := clock_timestamp();
        EXECUTE 'SELECT count(q) FROM (' || query || ') AS q';
        times := times || 1000 * extract(epoch FROM clock_timestamp() - start);
    END LOOP;
    RETURN (SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 1) FROM unnest(times) AS t);
END
$$;

CREATE TABLE players AS SELECT DISTINCT white AS name, chr(65 + length(white) % 26) AS country FROM games;
CREATE TABLE openings AS SELECT row_number() OVER (ORDER BY opening) AS id, opening
FROM (SELECT getFirstMoves(game, 6) AS opening FROM games GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 40) AS o;
CREATE TABLE boards AS SELECT id, finalBoard(opening) AS board FROM openings;
ANALYZE players, openings, boards;
