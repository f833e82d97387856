-- In: the table games (id, game); the variable runs. Out: an index of the access method chess beside a GIN index, each on a
-- table of its own: size and build time, also with a worker, the rate of an INSERT of all games, and for rare boards of
-- three stages of the game, a frequent position and an opening the time of a search and the games that the index leaves to
-- be checked; the time of the first ten games with a position, also without an index; searches for patterns with and
-- without lists for them. One process but for that build, everything in memory; what two ways find must be the same.
CREATE SCHEMA methods;
SET search_path = methods, public;
\ir measure.sql
CREATE TABLE method (no int, name text, index text);
INSERT INTO method VALUES (1, 'chess', 'chess (game)'), (2, 'GIN', 'gin (game)');
CREATE TABLE inserted (no int, ms numeric, bytes bigint, segments bigint);
-- Builds the index of each method on a copy of the games, and inserts all games into another table that has it.
CREATE PROCEDURE build_and_insert(methods regclass) LANGUAGE plpgsql AS $$
DECLARE
    m record;
    started numeric;
BEGIN
    FOR m IN EXECUTE format('SELECT * FROM %s ORDER BY no', methods) LOOP
        EXECUTE format('CREATE TABLE games_%s AS SELECT id, game FROM public.games ORDER BY id', m.no);
        CALL build(m.name, format('CREATE INDEX games_%1$s_index ON games_%1$s USING %2$s', m.no, m.index), format('games_%s_index', m.no));
        EXECUTE format('CREATE TABLE growing_%s (LIKE games_1)', m.no);
        EXECUTE format('CREATE INDEX growing_%1$s_index ON growing_%1$s USING %2$s', m.no, m.index);
        started := processor_ms();
        EXECUTE format('INSERT INTO growing_%s SELECT * FROM games_%s', m.no, m.no);
        INSERT INTO inserted VALUES (m.no, processor_ms() - started, pg_relation_size(format('growing_%s_index', m.no)::regclass));
    END LOOP;
END $$;
CALL build_and_insert('method');
UPDATE inserted SET segments = (SELECT count(*) FROM chess_index_info('growing_1_index') WHERE part = 'segment') WHERE no = 1;
SELECT chess_index_check('games_1_index', true), chess_index_check('growing_1_index', true) \g /dev/null
VACUUM ANALYZE;

\echo
SELECT what AS index, round(b.bytes::numeric / count, 1) AS "bytes a game", round(count / b.ms * 1000) AS "built, games/s",
       round(count / i.ms * 1000) AS "inserted, games/s", segments AS "segments then"
FROM build_times AS b JOIN method ON name = what JOIN inserted AS i USING (no), (SELECT count(*) FROM games_1) AS g (count) ORDER BY no;

-- The first of these builds again, by one process and by two in turns: the last one is by one. The time elapses, because a
-- worker's processor time is its own.
CREATE TABLE turns (workers int, ms numeric);
CREATE PROCEDURE build_by_turns() LANGUAGE plpgsql AS $$
DECLARE
    started numeric;
BEGIN
    FOR n IN 1 .. 6 LOOP
        PERFORM set_config('max_parallel_maintenance_workers', (n % 2)::text, false);
        started := elapsed_ms();
        REINDEX INDEX games_1_index;
        INSERT INTO turns VALUES (n % 2, elapsed_ms() - started);
    END LOOP;
END $$;
ALTER TABLE games_1 SET (parallel_workers = 1);
CALL build_by_turns();
ALTER TABLE games_1 RESET (parallel_workers);
\echo
SELECT round(one) AS "built by one process, ms", round(two) AS "with a worker, ms", round(one / two, 2) AS "times as fast"
FROM (SELECT avg(ms) FILTER (WHERE workers = 0) AS one, avg(ms) FILTER (WHERE workers = 1) AS two FROM turns) AS t;

-- Rare boards: those of games here and there that at most 20 games have, at one half-move of each stage.
CREATE TABLE sampled AS
SELECT stage, getBoard(game, ply) AS board
FROM (VALUES ('half-moves 4-10', 4, 7), ('half-moves 12-28', 12, 17), ('half-moves 30-59', 30, 30)) AS s (stage, least, width),
    LATERAL (SELECT id, game, least + (id % width)::int AS ply FROM games_1 WHERE id % greatest(1, (SELECT count(*) / 60 FROM games_1)) = 0) AS g
WHERE ply <= plyCount(game);
CREATE TABLE rare AS
SELECT stage, array_agg(board ORDER BY board) AS boards FROM sampled
WHERE (SELECT count(*) FROM games_1 WHERE hasBoard(game, board)) <= 20 GROUP BY stage;
-- How many games have one of the boards, asked one by one.
CREATE FUNCTION ask_all(games text, boards chessboard[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    board chessboard;
    n bigint;
    sum bigint := 0;
BEGIN
    FOREACH board IN ARRAY boards LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE hasBoard(game, %L)', games, board) INTO n;
        sum := sum + n;
    END LOOP;
    RETURN sum;
END $$;
CREATE FUNCTION candidates(statement text) RETURNS bigint LANGUAGE sql AS $$
    SELECT jsonb_path_query_first(explained(statement, 'ANALYZE, TIMING OFF, FORMAT JSON'),
        'strict $.** ? (@."Node Type" == "Bitmap Index Scan")."Actual Rows"')::bigint
$$;
INSERT INTO questions (subject, method, settings, statement)
SELECT stage, name, 'enable_seqscan=off', format('SELECT ask_all(%L, boards) FROM rare WHERE stage = %L', 'games_' || no, stage) FROM rare, method;
INSERT INTO questions (subject, method, settings, statement)
SELECT subject, name, 'enable_seqscan=off', format('SELECT count(*) FROM games_%s WHERE %s', no, condition)
FROM method, (VALUES ('Najdorf', 'hasBoard(game, finalBoard(''1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6''))'),
    ('after 1. e4', 'hasBoard(game, finalBoard(''1. e4''))')) AS v (subject, condition);
-- The first ten games, and whether there is one: the planner's choice among all ways, a sequential scan, a bitmap scan of each index.
CREATE TABLE position AS
SELECT board FROM (SELECT board, (SELECT count(*) FROM games_1 WHERE hasBoard(game, board)) AS games FROM sampled) AS b
ORDER BY abs(games - (SELECT count(*) FROM games_1) / 2000.0), board LIMIT 1;
CREATE TABLE early AS
SELECT subject, way, order_of_way, settings, format(statement, no, board) AS statement
FROM (SELECT 1, 'ten games, 1 of 2,000 has it', 'SELECT count(*) FROM (SELECT FROM games_%s WHERE hasBoard(game, %L) LIMIT 10) AS g', board FROM position
        UNION ALL SELECT 2, 'ten games after 1. e4', 'SELECT count(*) FROM (SELECT FROM games_%s WHERE hasBoard(game, %L) LIMIT 10) AS g', finalBoard('1. e4')
        UNION ALL SELECT 3, 'any game, 1 of 2,000 has it', 'SELECT EXISTS (SELECT FROM games_%s WHERE hasBoard(game, %L))::int', board FROM position) AS s (n, subject, statement, board),
    (SELECT 0, 'planner''s choice', '', 1 UNION ALL SELECT 1, 'sequential scan', 'enable_indexscan=off, enable_bitmapscan=off', 1
        UNION ALL SELECT 1 + no, 'bitmap, ' || name, 'enable_seqscan=off, enable_indexscan=off', no FROM method) AS w (order_of_way, way, settings, no);
INSERT INTO questions (subject, method, settings, statement) SELECT subject, way, settings, statement FROM early;
CALL ask(:runs);
CALL require_same_answers();
SET enable_seqscan = off;
SET enable_indexscan = off;
CREATE TABLE left_to_check AS
SELECT stage, no, avg(candidates(format('SELECT count(*) FROM games_%s WHERE hasBoard(game, %L)', no, board))) AS candidates
FROM rare, unnest(boards) AS board, method GROUP BY stage, no
UNION ALL
SELECT subject, no, candidates(statement) FROM questions JOIN method ON name = method WHERE subject IN ('Najdorf', 'after 1. e4');
RESET enable_seqscan;
RESET enable_indexscan;

\echo
\echo 'Milliseconds of a search, planned each time; of the rare boards the mean.'
SELECT subject, coalesce(cardinality(boards), 1) AS boards, method, round(ms / coalesce(cardinality(boards), 1), 3) AS ms,
       round(candidates, 2) AS "to check", round(answer::numeric / coalesce(cardinality(boards), 1), 2) AS found
FROM answer_times JOIN method ON name = method LEFT JOIN rare ON stage = subject JOIN left_to_check AS l ON l.stage = subject AND l.no = method.no
ORDER BY subject, method.no;

\echo
\echo 'Milliseconds of a query that stops early, planned each time.'
SELECT a.subject, a.method, round(ms, 3) AS ms, answer AS found,
       (SELECT string_agg(node #>> '{}', ', ') FROM jsonb_path_query(explained(q.statement), 'strict $.**."Node Type"') AS node
        WHERE node #>> '{}' LIKE '%Scan' AND q.settings = '') AS picked
FROM answer_times AS a JOIN questions AS q USING (nr) JOIN early AS e ON (e.subject, e.way) = (a.subject, a.method) ORDER BY nr;

-- Patterns: the index with and without lists for them.
CREATE TABLE pattern_method (no int, name text, index text);
INSERT INTO pattern_method VALUES (11, 'chess', 'chess (game)'), (12, 'chess, patterns = off', 'chess (game) WITH (patterns = off)');
DELETE FROM built;
CALL build_and_insert('pattern_method');
VACUUM ANALYZE;

\echo
SELECT what AS index, round(b.bytes::numeric / count, 1) AS "bytes a game", round(count / b.ms * 1000) AS "built, games/s",
       round(count / i.ms * 1000) AS "inserted, games/s"
FROM build_times AS b JOIN pattern_method ON name = what JOIN inserted AS i USING (no), (SELECT count(*) FROM games_1) AS g (count) ORDER BY no;
SELECT part, lists, postings, round(bytes::numeric / count, 1) AS "bytes a game" FROM chess_index_info('games_11_index'), (SELECT count(*) FROM games_1) AS g (count);

CREATE TABLE wish (no serial, name text, condition text);
INSERT INTO wish (name, condition)
SELECT pattern, format('game @@ %L', pattern) FROM unnest(ARRAY[
    'Pc3 Pd4 Pe3 Pf4 Kg1', 'KRPPPvKRPPP', 'KRP*vKRP*', 'KR[BN]P*vKR[BN]P*', 'flip(KRPPvKR)', 'flip(B = 2 and N = 0 and b = 1 and n = 1)',
    'flip(Q = 2 and R = 0 and q = 1 and r = 2)', 'flip(mirror(KRP4vKRP3 and [Pp][a-d] = 0 for 4))', 'oppositebishops and [QRNqrn] = 0',
    'flip(imbalance Pv for 4)', 'Nd5', 'pa6 Bb3 Nf3', 'flip(Nd5 and not [bn] attacks d5)', 'flip(K[b1,c1] and k[g8,h8])', 'rank(R7, R7)',
    'mate', 'O-O-O', '[Pp]-.=[RBNrbn]', 'rxNc3 directly Pxc3', 'flip(Bxph7 and check directly kxh7 directly N-g5 and check)',
    'flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)', 'flip(isolated(Pd))',
    'board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3']) AS pattern;
INSERT INTO wish (name, condition) SELECT 'hasMaterial ' || material, format('hasMaterial(game, %L)', material)
FROM unnest('{KRPPPvKRPPP,KRPvKR}'::text[]) AS material;
INSERT INTO wish (name, condition) VALUES ('Nd5, after 1. e4', 'game @@ ''Nd5'' AND hasBoard(game, finalBoard(''1. e4''))'),
    ('mate, Najdorf', 'game @@ ''mate'' AND hasBoard(game, finalBoard(''1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6''))');
DELETE FROM answered;
DELETE FROM questions;
INSERT INTO questions (subject, method, settings, statement)
SELECT w.name, m.name, 'enable_seqscan=off', format('SELECT count(*) FROM games_%s WHERE %s', m.no, condition)
FROM wish AS w, pattern_method AS m WHERE m.no = 11 ORDER BY w.no, m.no;
INSERT INTO questions (subject, method, settings, statement)
SELECT name, 'scan', 'enable_bitmapscan=off, enable_indexscan=off', format('SELECT count(*) FROM games_11 WHERE %s', condition) FROM wish ORDER BY no;
CALL ask(:runs);
CALL require_same_answers();

\echo
\echo 'Milliseconds of a search for a pattern, planned each time, and what the planner picks.'
SELECT w.name AS pattern, max(a.answer) AS games, round(max(a.ms) FILTER (WHERE method = 'chess'), 2) AS chess,
       round(max(a.ms) FILTER (WHERE method = 'scan'), 2) AS scan,
       picked(explained(format('SELECT count(*) FROM games_11 WHERE %s', condition)))
FROM wish AS w JOIN answer_times AS a ON a.subject = w.name GROUP BY w.no, w.name, condition ORDER BY w.no;
DROP SCHEMA methods CASCADE;
