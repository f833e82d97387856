-- In: the table games (id, game); the variables runs and builds.
-- Out: it prints the size and build time of an index with lists of patterns, and without. For each pattern it prints how
-- long a scan takes per game, beside a scan that only reads the headers, and how long a search by the index takes if the
-- pattern has a key.
CREATE SCHEMA patterns;
SET search_path = patterns, public;
\ir measure.sql
CREATE TABLE packed AS SELECT id, game FROM public.games ORDER BY id;
VACUUM packed;

CREATE PROCEDURE build_all(builds int) LANGUAGE plpgsql AS $$
BEGIN
    FOR run IN 1..builds LOOP
        DROP INDEX IF EXISTS packed_index;
        CALL build('patterns = off', 'CREATE INDEX packed_index ON packed USING chess (game) WITH (patterns = off)', 'packed_index');
        DROP INDEX packed_index;
        CALL build('patterns', 'CREATE INDEX packed_index ON packed USING chess (game)', 'packed_index');
        COMMIT;
    END LOOP;
END $$;
CALL build_all(:builds);
ANALYZE packed;

\echo
SELECT what AS index, round(ms / 1000, 2) AS seconds, round(least / 1000, 2) AS least, round(greatest / 1000, 2) AS greatest,
       round(n / ms * 1000) AS "games/s", pg_size_pretty(bytes) AS size, round(bytes::numeric / n, 1) AS "bytes/game"
FROM build_times, (SELECT count(*)::numeric AS n FROM packed) AS g ORDER BY nr;

CREATE TABLE wish (no serial, name text, condition text);
INSERT INTO wish (name, condition)
SELECT condition, condition FROM unnest(ARRAY['plyCount(game) < 0', 'hasMaterial(game, ''KRPPPvKRPPP'')']) AS condition;
INSERT INTO wish (name, condition)
SELECT pattern, format('game @@ %L', pattern)
FROM unnest(ARRAY[
    'KRPPPvKRPPP', 'KRP*vKRP*', 'Nd5', 'Pc3 Pd4 Pe3 Pf4 Kg1', 'flip(Nd5 and not [bn] attacks d5)', 'isolated(Pd)',
    'outpost(N)', 'flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)',
    'flip(shift(Pe4 Pf4 pe5 pf5))', 'Nf1-g3-f5', 'mate', 'A attacks k >= 3', 'check then within 10 mate']) AS pattern;

INSERT INTO questions (subject, method, settings, statement)
SELECT no, 'scan', 'enable_bitmapscan=off, enable_indexscan=off', 'SELECT count(*) FROM packed WHERE ' || condition FROM wish ORDER BY no;
SET enable_seqscan = off;
INSERT INTO questions (subject, method, settings, statement)
SELECT no, 'index', 'enable_seqscan=off', query
FROM wish, format('SELECT count(*) FROM packed WHERE %s', condition) AS query, LATERAL explained(query) AS plan
WHERE picked(plan) = 'index' ORDER BY no;
RESET enable_seqscan;
CALL ask(:runs);
CALL require_same_answers();

\echo
SELECT name AS pattern, s.answer AS games, round(s.ms, 1) AS "scan, ms", round(1000 * s.ms / n, 2) AS "µs/game",
       round(1000 * (s.ms - bare) / n, 2) AS "more than the header", round(i.ms, 2) AS "index, ms", round(s.ms / i.ms, 1) AS x
FROM wish JOIN answer_times AS s ON s.subject = no::text AND s.method = 'scan'
LEFT JOIN answer_times AS i ON i.subject = no::text AND i.method = 'index',
    (SELECT count(*) AS n FROM packed) AS g,
    (SELECT ms AS bare FROM answer_times WHERE subject = '1') AS b ORDER BY no;
DROP SCHEMA patterns CASCADE;
