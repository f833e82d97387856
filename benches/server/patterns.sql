-- In: the table games (id, game); the variable runs. Out: what a scan for patterns costs a game, beside a scan that only
-- reads the header of each game. The same patterns with an index: pattern_choice.sql.
CREATE SCHEMA patterns;
SET search_path = patterns, public;
\ir measure.sql
CREATE TABLE packed AS SELECT id, game FROM public.games ORDER BY id;
VACUUM ANALYZE packed;

INSERT INTO questions (subject, method, statement)
SELECT condition, 'scan', 'SELECT count(*) FROM packed WHERE ' || condition
FROM unnest(ARRAY['plyCount(game) < 0', 'hasMaterial(game, ''KRPPPvKRPPP'')']) WITH ORDINALITY AS c (condition, no)
UNION ALL
SELECT pattern, 'scan', format('SELECT count(*) FROM packed WHERE game @@ %L', pattern)
FROM unnest(ARRAY[
    'KRPPPvKRPPP', 'KRP*vKRP*', 'Nd5', 'Pc3 Pd4 Pe3 Pf4 Kg1', 'flip(Nd5 and not [bn] attacks d5)', 'isolated(Pd)',
    'outpost(N)', 'flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)',
    'flip(shift(Pe4 Pf4 pe5 pf5))', 'Nf1-g3-f5', 'mate', 'A attacks k >= 3', 'check then within 10 mate']) AS pattern;
CALL ask(:runs);

\echo
SELECT subject AS pattern, answer AS games, round(ms, 1) AS ms, round(1000 * ms / n, 2) AS "µs/game",
       round(1000 * (ms - bare) / n, 2) AS "more than the header"
FROM answer_times, (SELECT count(*) AS n FROM packed) AS g,
    (SELECT ms AS bare FROM answer_times WHERE subject LIKE 'plyCount%') AS b ORDER BY nr;
DROP SCHEMA patterns CASCADE;
