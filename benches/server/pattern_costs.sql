-- In: the table games (id, game); the variable runs.
-- Out: for the examples of docs/patterns.md and slow patterns: the cost that the planner gives a search of one game, in
-- units of cpu_operator_cost; the processor time of one in a scan; how many nanoseconds a unit is; and how long planning takes.
-- At the end the medians: a unit is meant to be 10 ns (COST_OF_WORK in src/planner/pattern_costs.rs).
CREATE SCHEMA pattern_costs;
SET search_path = pattern_costs, public;
\ir measure.sql
CREATE TABLE packed AS SELECT id, game FROM public.games ORDER BY id;
VACUUM ANALYZE packed;

CREATE TABLE pattern (no serial, pattern text);
INSERT INTO pattern (pattern) SELECT pattern FROM unnest(ARRAY[
    'flip(isolated(Pd))', 'Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6', 'flip(B = 2 and N = 0 and b = 1 and n = 1)',
    'flip(imbalance Pv for 4)', 'isolated(Pa)', 'rank(R7, R7)',
    'flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)',
    'flip(Bxph7 and check directly kxh7 directly N-g5 and check)', 'oppositebishops and [QRNqrn] = 0', 'KR[BN]P*vKR[BN]P*',
    'flip(Nd5 and not [bn] attacks d5)', 'flip(K[b1,c1] and k[g8,h8])', 'flip(Rc[open])', 'rxNc3 directly Pxc3',
    'flip(mirror(K-h1 then R-g1 then P-g4))', 'flip(btm and mate and N attacks k and not k attacks [_A])', 'Nd5', 'outpost(N)', 'Nf1-g3-f5',
    'shift(line(B[a4-c6], [pr]) for 20)', 'shift(R-a4-c4)', 'line(_, P, N) for 20', 'shift(islands(A[d1-g1]) = 3)',
    'shift(rank(flip(bd), vacated, ([BP]d | n[b1])))', 'mirror(shift((qdxPe or 2 = (vacated) + near(a[a8], 1..3))))',
    'shift(flip([aq]-c3 directly (ke3 > b) directly (2 <> halfmove then 2 rotate(bc5))))',
    'flip(shift((between(between(a, A[a1-d4]), [^r]) attackedby [Pp]) > 22))']) AS pattern;

CREATE FUNCTION query_of(pattern text) RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT count(*) FROM packed WHERE game @@ %L', pattern) $$;
-- What a search of a game costs: the plan's cost without that of a scan.
CREATE TABLE cost AS
SELECT no, pattern, greatest(((plan #>> '{0,Plan,Plans,0,Total Cost}')::numeric - pages * current_setting('seq_page_cost')::numeric) / rows
    - current_setting('cpu_tuple_cost')::numeric, 0) / current_setting('cpu_operator_cost')::numeric AS cost, rows
FROM pattern, LATERAL explained(query_of(pattern)) AS plan,
    (SELECT relpages::numeric AS pages, reltuples::numeric AS rows FROM pg_class WHERE oid = 'packed'::regclass) AS size;

-- A session keeps what it has planned, so each plan is made in an order that does not repeat a pattern soon.
CREATE TABLE planned (no int, ms numeric);
SELECT format('INSERT INTO planned SELECT %s, (explained(query_of(%L), ''SUMMARY, FORMAT JSON'') #>> ''{0,Planning Time}'')::numeric', no, pattern)
FROM pattern, generate_series(1, :runs) AS run ORDER BY run, no \gexec
INSERT INTO questions (subject, method, statement) SELECT no, 'pattern', query_of(pattern) FROM pattern;
INSERT INTO questions (subject, method, statement) VALUES (0, 'scan', 'SELECT count(plyCount(game)) FROM packed');
CALL ask(:runs);

CREATE TABLE factor AS
SELECT no, cost.pattern, cost, greatest(p.ms - s.ms, 0) * 1000000 / rows AS ns,
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY planned.ms) FROM planned WHERE planned.no = cost.no) AS planning
FROM cost JOIN answer_times AS p ON p.subject = no::text, answer_times AS s WHERE s.method = 'scan';
SELECT left(pattern, 60) AS pattern, round(cost) AS cost, round(ns) AS ns, round(ns / nullif(cost, 0), 1) AS "ns a unit", round(planning::numeric, 2) AS "planning, ms"
FROM factor ORDER BY no;
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ns / nullif(cost, 0))::numeric, 1) AS "median ns a unit",
    round(max(planning)::numeric, 1) AS "longest planning, ms" FROM factor;
DROP SCHEMA pattern_costs CASCADE;
