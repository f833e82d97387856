-- reportGroups: the groups and lists of a report on an opening, compared with GROUP BY; without games, with workers, and
-- with more groups than fit.
CREATE TABLE r AS
SELECT n AS id, (ARRAY['1-0', '0-1', '1/2-1/2', '*', '?', NULL])[1 + n % 6] AS result, nullif(n % 5, 0) * 500 - 500 AS white_elo, nullif(n % 7, 3) * 400 AS black_elo,
       CASE n % 9 WHEN 0 THEN NULL WHEN 1 THEN 'infinity' WHEN 2 THEN '0044-03-15 BC' ELSE date '2019-01-01' + n * 7 END AS first, n % 23 AS plies, nullif(n % 11, 4) AS white_id, nullif(n % 13, 4) AS black_id,
       (ARRAY['60+0', '', NULL])[1 + n % 3] AS time_control, n % 4 AS facts, CASE WHEN n % 10 = 0 THEN 'time' END AS termination,
       CASE WHEN n % 17 > 0 THEN (ARRAY['1. e4', '1. d4', '*', '1. e4 e5 2. Nf3'])[1 + n % 4]::chessgame END AS opening, n % 19 > 0 AS is_found, n % 8 = 0 AS is_annotated, nullif(n % 12, 5) < 7 AS is_old
FROM generate_series(1, 300) AS n;
CREATE VIEW grouped AS SELECT g.* FROM (SELECT reportGroups(32767, 3, result, white_elo, black_elo, id, first, first + 30, plies, white_id, black_id, time_control, facts, termination, opening, is_found, is_annotated, is_old) AS groups FROM r) AS a, unnest(groups) AS g;
CREATE VIEW groups_by_hand AS
SELECT v.part, v.number, v.label, v.opening, gameSums(result, white_elo, black_elo) AS sums, min(first) AS first, max(first) AS last, min(id)::bigint AS id,
       count(*) FILTER (WHERE is_old) AS old, sum((plies + 1) / 2) AS moves, min((plies + 1) / 2) AS shortest, max((plies + 1) / 2) AS longest
FROM r CROSS JOIN LATERAL (VALUES ('all', NULL::bigint, NULL, NULL::chessgame),
    ('dates', CASE WHEN isfinite(first) THEN ((first + 30 - date '2000-01-01')::bigint << 32) | ((first - date '2000-01-01')::bigint & 4294967295) END, NULL, NULL),
    ('rating', CASE WHEN white_elo > 0 AND black_elo > 0 THEN (white_elo + black_elo) / 2 END, NULL, NULL), ('time_control', NULL, time_control, NULL),
    ('white', coalesce(white_id, 0), NULL, NULL), ('black', coalesce(black_id, 0), NULL, NULL),
    ('months', CASE WHEN isfinite(first) AND first > '0001-01-01' AND extract(year FROM first) = extract(year FROM first + 29) THEN
        100 * extract(year FROM first) + CASE WHEN extract(month FROM first) = extract(month FROM first + 29) THEN extract(month FROM first) ELSE 0 END END::bigint, NULL, NULL),
    ('kind', facts, coalesce(termination, '') || coalesce(E'\n' || result, ''), NULL), ('opening', NULL, NULL, opening)) AS v (part, number, label, opening)
WHERE is_found GROUP BY 1, 2, 3, 4;
CREATE FUNCTION differences() RETURNS bigint LANGUAGE sql AS $$
    WITH g AS (SELECT part, number, label, opening, sums, first, last, id, old, moves, shortest, longest FROM grouped WHERE part <> 'others' AND sums IS NOT NULL),
         h AS (SELECT part, number, label, opening, sums, first, last, id, old, moves, shortest, longest FROM groups_by_hand)
    SELECT count(*) FROM ((TABLE g EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE g)) AS d
$$;
SELECT differences(), count(DISTINCT part), count(*) > 100 AS many FROM groups_by_hand;
SELECT sum(sums[1]) AS "without the position", count(*) > 1 AS dates FROM grouped WHERE part = 'others';
SELECT part, array_agg(id ORDER BY number) AS games FROM grouped WHERE sums IS NULL GROUP BY part ORDER BY part;
SELECT array(SELECT id FROM r WHERE is_found AND result = '1-0' ORDER BY plies, CASE WHEN white_elo > 0 THEN white_elo ELSE 0 END + coalesce(black_elo, 0) DESC, id DESC LIMIT 3) AS shortest_white_win,
       array(SELECT id FROM r WHERE is_found AND first IS NOT NULL ORDER BY first DESC, id DESC LIMIT 3) AS newest;

-- Only what is wanted; nothing of no games; a row for every part that is wanted of NULLs.
SELECT array_agg(DISTINCT g.part) AS parts FROM (SELECT reportGroups(1 + 8, 3, result, white_elo, black_elo, id, first, first, plies, white_id, black_id, time_control, facts, termination, opening, true, true, is_old) AS groups FROM r) AS a, unnest(groups) AS g;
SELECT reportGroups(32767, 3, result, white_elo, black_elo, id, first, first, plies, white_id, black_id, time_control, facts, termination, opening, true, true, is_old) AS none FROM r WHERE false;
SELECT g.part, g.sums[1] AS games FROM (SELECT reportGroups(32767, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL) AS groups) AS a, unnest(groups) AS g ORDER BY part;
SELECT reportGroups(32767, -1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, NULL) AS refused;
SELECT reportGroups(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) AS nothing;

-- Groups that take more than four times work_mem are given up.
SET work_mem = 64;
SELECT reportGroups(32767, 3, result, white_elo, black_elo, id, first, first, plies, id::integer, black_id, time_control, facts, termination, opening, true, true, is_old) IS NULL AS "given up" FROM r, generate_series(1, 3);
SELECT reportGroups(32767, 3, result, white_elo, black_elo, n, first, first, plies, n, black_id, time_control, facts, termination, opening, true, true, is_old) IS NULL AS "given up" FROM r, generate_series(1, 3000) AS n;
RESET work_mem;

-- Workers give the same.
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
EXPLAIN (COSTS OFF) SELECT reportGroups(32767, 3, result, white_elo, black_elo, id, first, first, plies, white_id, black_id, time_control, facts, termination, opening, is_found, is_annotated, is_old) FROM r;
SELECT differences();
SELECT part, array_agg(id ORDER BY number) AS games FROM grouped WHERE sums IS NULL GROUP BY part ORDER BY part;

-- Nobody calls its parts.
DO $$ BEGIN
    PERFORM reportgroups_receive('\x00', NULL);
    RAISE 'it was called';
EXCEPTION WHEN undefined_function OR feature_not_supported THEN NULL;
END $$;
DO $$ BEGIN
    PERFORM reportgroups_receive('\x00', 1);
    RAISE 'it was called';
EXCEPTION WHEN undefined_function THEN NULL;
END $$;
DROP VIEW grouped, groups_by_hand CASCADE;
DROP TABLE r;
