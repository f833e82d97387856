-- In: the tables of build.sql; the variable runs.
-- Out: times of searches without and with indexes, beside those of the tables built by hand. An ERROR if two methods
-- give different answers.
\ir measure.sql

-- The boards to search for. "never" is the board of half-move 30 without Black's pieces on the eighth rank.
CREATE TABLE targets (no int, target text, board chessboard);
INSERT INTO targets VALUES
    (1, '1. e4', getBoard('1. e4', 1)),
    (2, '1. Nf3 Nf6', getBoard('1. Nf3 Nf6', 2)),
    (3, 'Najdorf, 5... a6', getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10));
INSERT INTO targets SELECT 4, 'half-move 30', getBoard(game, 30) FROM packed
    WHERE plyCount(game) > 60 ORDER BY id OFFSET 20 LIMIT 1;
INSERT INTO targets SELECT 5, 'half-move 70', getBoard(game, 70) FROM packed
    WHERE plyCount(game) > 100 ORDER BY id OFFSET 30 LIMIT 1;
INSERT INTO targets SELECT 6, 'never', regexp_replace(board::text, '^.*/', '8/8/8/8/8/8/8/')::chessboard FROM targets
    WHERE no = 4;

\set off '''enable_bitmapscan=off, enable_indexscan=off, enable_indexonlyscan=off'''
-- Default costs, so that the planner decides on the number of workers.
\set parallel '''max_parallel_workers_per_gather=2'''
\set hash 'hashtextextended(epd(board), 0)'
\set in_positions 'SELECT count(DISTINCT game_id) FROM positions WHERE key = %s'
\set rows_of_positions 'SELECT sum(length(white) + length(black)) FROM texts WHERE id IN (SELECT game_id FROM positions WHERE key = %s)'

-- Before VACUUM an index-only scan has to read the table.
INSERT INTO questions (subject, method, settings, statement)
SELECT kind || target, method, '', format(statement, :hash)
FROM targets, (VALUES ('hasBoard: ', 'positions, not vacuumed', :'in_positions'),
                      ('rows: ', 'positions, not vacuumed', :'rows_of_positions')) AS v (kind, method, statement)
WHERE no IN (1, 3, 4) ORDER BY kind, no;
CALL ask(:runs);
ALTER TABLE positions RESET (autovacuum_enabled);
VACUUM ANALYZE positions;

INSERT INTO questions (subject, method, settings, statement)
SELECT kind || target, method, settings, format(statement, board, :hash)
FROM targets, (VALUES
    (6, 'hasBoard: ', 'all games', :off, 'SELECT count(*) FROM packed'),
    (6, 'hasBoard: ', 'bare scan', :off, 'SELECT count(*) FROM payloads WHERE octet_length(payload) > 0'),
    (6, 'hasBoard: ', 'scan', :off, 'SELECT count(*) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'hasBoard: ', 'scan, parallel', :off || ', ' || :parallel, 'SELECT count(*) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'hasBoard: ', 'default', '', 'SELECT count(*) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'hasBoard: ', 'chess', '', 'SELECT count(*) FROM again WHERE hasBoard(game, %L)'),
    (6, 'hasBoard: ', 'positions', '', 'SELECT count(DISTINCT game_id) FROM positions WHERE key = %2$s'),
    (6, 'hasBoard: ', 'positions, parallel', :parallel, 'SELECT count(DISTINCT game_id) FROM positions WHERE key = %2$s'),
    (6, 'hasBoard: ', 'arrays', '', 'SELECT count(*) FROM arrays WHERE keys @> ARRAY[%2$s::bigint]'),
    (1, 'hasBoard: ', 'positions, no index', :off, 'SELECT count(DISTINCT game_id) FROM positions WHERE key = %2$s'),
    (6, 'rows: ', 'bare scan', :off, 'SELECT sum(length(white) + length(black)) FROM payloads WHERE octet_length(payload) > 0'),
    (6, 'rows: ', 'scan', :off, 'SELECT sum(length(white) + length(black)) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'rows: ', 'scan, parallel', :off || ', ' || :parallel, 'SELECT sum(length(white) + length(black)) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'rows: ', 'default', '', 'SELECT sum(length(white) + length(black)) FROM packed WHERE hasBoard(game, %L)'),
    (6, 'rows: ', 'chess', '', 'SELECT sum(length(white) + length(black)) FROM again WHERE hasBoard(game, %L)'),
    (6, 'rows: ', 'positions', '', replace(:'rows_of_positions', '%s', '%2$s')),
    (6, 'rows: ', 'positions, parallel', :parallel, replace(:'rows_of_positions', '%s', '%2$s')),
    (6, 'hasPieces: ', 'bare scan', :off, 'SELECT count(*) FROM payloads WHERE octet_length(payload) > 0'),
    (6, 'hasPieces: ', 'scan', :off, 'SELECT count(*) FROM packed WHERE hasPieces(game, %L)'),
    (6, 'hasPieces: ', 'default', '', 'SELECT count(*) FROM packed WHERE hasPieces(game, %L)'),
    (6, 'hasPieces: ', 'chess', '', 'SELECT count(*) FROM again WHERE hasPieces(game, %L)')
) AS v (last, kind, method, settings, statement)
WHERE no <= last ORDER BY kind, no;
INSERT INTO questions (subject, method, settings, statement) VALUES
    ('hasOpening: 1. e4 c5', 'bare scan', :off, 'SELECT count(*) FROM payloads WHERE octet_length(payload) > 0'),
    ('hasOpening: 1. e4 c5', 'scan', :off, 'SELECT count(*) FROM packed WHERE hasOpening(game, ''1. e4 c5'')'),
    ('hasOpening: 1. e4 c5', 'default', '', 'SELECT count(*) FROM packed WHERE hasOpening(game, ''1. e4 c5'')'),
    ('hasOpening: 1. e4 c5', 'texts', :off, 'SELECT count(*) FROM texts WHERE moves LIKE ''1. e4 c5%''');
CALL ask(:runs);

DO $$
DECLARE wrong text;
BEGIN
    SELECT string_agg(DISTINCT subject, '; ') INTO wrong
    FROM (SELECT subject FROM answer_times WHERE method NOT IN ('bare scan', 'all games')
          GROUP BY subject HAVING count(DISTINCT answer) > 1 OR max(answers) > 1) AS differing;
    IF wrong <> '' THEN
        RAISE 'two methods gave different answers: %', wrong;
    END IF;
END $$;

\echo 'Searches: processor time in ms, median, least and greatest; the time that passed, for those with workers'
SELECT subject, answer, method, round(ms, 3) AS ms, round(least, 3) AS least, round(greatest, 3) AS greatest,
       CASE WHEN method LIKE '%parallel' OR replace(method, ', parallel', '') IN ('scan', 'positions') THEN round(elapsed, 3) END AS elapsed
FROM answer_times WHERE method <> 'all games' OR subject LIKE '%1. e4'
ORDER BY split_part(subject, ':', 1), max(nr) OVER (PARTITION BY subject), nr;

CREATE VIEW methods AS
SELECT subject, max(nr) AS nr, max(answer) FILTER (WHERE method = 'scan') AS answer, jsonb_object_agg(method, ms) AS ms,
       jsonb_object_agg(method, elapsed) AS elapsed
FROM answer_times GROUP BY subject;
CREATE FUNCTION ratio(times jsonb, ours text, peer text) RETURNS numeric LANGUAGE sql AS
    'SELECT round((times->>ours)::numeric / (times->>peer)::numeric, 2)';

\echo 'Ratios of these times'
SELECT subject, answer, ratio(ms, 'scan', 'bare scan') AS "scan / bare scan",
       ratio(ms, 'default', 'scan') AS "default / scan",
       ratio(ms, 'default', 'arrays') AS "default / arrays",
       ratio(ms, 'default', 'positions') AS "default / positions",
       ratio(ms, 'chess', 'positions') AS "chess / positions",
       ratio(ms, 'scan', 'positions') AS "scan / positions",
       ratio(ms, 'scan', 'positions, not vacuumed') AS "scan / not vacuumed",
       ratio(ms, 'default', 'positions, not vacuumed') AS "default / not vacuumed",
       ratio(elapsed, 'scan, parallel', 'positions, parallel') AS "parallel scan / positions",
       ratio(ms, 'scan', 'texts') AS "scan / texts"
FROM methods ORDER BY split_part(subject, ':', 1), nr;

\echo 'Ratios of sizes and build times'
CREATE FUNCTION total(what text[], OUT bytes numeric, OUT ms numeric) LANGUAGE sql AS
    'SELECT sum(b.bytes), sum(b.ms) FROM build_times AS b WHERE b.what = ANY (total.what)';
SELECT ours.name AS ours, peer.name AS peer, round(o.bytes / p.bytes, 3) AS size, round(o.ms / p.ms, 2) AS "build time"
FROM (VALUES (1, 'games, default GIN', '{games,games: GIN index}'::text[]),
             (2, 'games, chess', '{games,games: index chess}'),
             (3, 'games, chess, B-tree', '{games,games: index chess,games: B-tree index}'),
             (4, 'games', '{games}')) AS ours (no, name, what),
     (VALUES ('games, positions, covering B-tree', '{games,positions,positions: covering B-tree index}'::text[]),
             ('games, arrays, GIN', '{games,arrays,arrays: GIN index}'),
             ('moves as text', '{texts (text out)}')) AS peer (name, what),
     total(ours.what) AS o, total(peer.what) AS p
ORDER BY peer.name, no;

DROP TABLE arrays, again;
CREATE INDEX games_btree ON games (game);
CREATE INDEX games_gin ON games USING gin (game);
ANALYZE games;
