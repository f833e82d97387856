-- In: the table games; the variable runs. Out: sizes, build times and query times beside what one would build by hand:
--   texts      the moves as PGN text
--   positions  a row per half-move with a 64-bit hash of its EPD, and a covering B-tree index on it
--   arrays     the same hashes as an array per game, and a GIN index on it
-- One process, everything in memory; each query runs once per round, rounds are repeated, medians are printed.
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET maintenance_work_mem = '64MB';
SET timezone = 'UTC';

CREATE TABLE build (what text, seconds numeric, bytes bigint);
CREATE PROCEDURE build(what text, statement text, relation text) LANGUAGE plpgsql AS $$
DECLARE started timestamptz := clock_timestamp();
BEGIN
    EXECUTE statement;
    INSERT INTO build
    VALUES (what, extract(epoch FROM clock_timestamp() - started), pg_relation_size(relation::regclass));
END $$;

CALL build('games (packed)', 'CREATE TABLE packed AS SELECT id, game FROM games ORDER BY id', 'packed');
CALL build('the same bytes as bytea', 'CREATE TABLE payloads AS
    SELECT id, substr(chessgame_send(game), 2) AS payload FROM packed', 'payloads');
CALL build('texts (text out)', 'CREATE TABLE texts AS SELECT id, game::text AS moves FROM packed', 'texts');
CALL build('text in', 'CREATE TABLE reread AS SELECT id, moves::chessgame AS game FROM texts', 'reread');
CALL build('positions', 'CREATE TABLE positions AS
    SELECT id AS game_id, n::smallint AS ply, hashtextextended(epd(getBoard(game, n)), 0) AS key
    FROM packed, generate_series(0, plyCount(game)) AS n', 'positions');
CALL build('arrays', 'CREATE TABLE arrays AS
    SELECT game_id AS id, array_agg(DISTINCT key) AS keys FROM positions GROUP BY game_id', 'arrays');
CALL build('games: B-tree index', 'CREATE INDEX packed_btree ON packed (game)', 'packed_btree');
CALL build('games: GIN index', 'CREATE INDEX packed_gin ON packed USING gin (game)', 'packed_gin');
CALL build('the same games again', 'CREATE TABLE compact AS SELECT id, game FROM packed ORDER BY id', 'compact');
CALL build('games: compact GIN index',
    'CREATE INDEX compact_gin ON compact USING gin (game chessgame_compact_ops)', 'compact_gin');
CALL build('positions: covering B-tree index',
    'CREATE INDEX positions_key ON positions (key) INCLUDE (game_id, ply)', 'positions_key');
CALL build('arrays: GIN index', 'CREATE INDEX arrays_keys ON arrays USING gin (keys)', 'arrays_keys');
SET client_min_messages = error;
SELECT count(*) > 0 AS has_none FROM packed WHERE NOT EXISTS (SELECT FROM reread WHERE reread.game = packed.game
    AND reread.id = packed.id) \gset
\if :has_none
    \warn 'text in is not what text out was'
    \quit
\endif
DROP TABLE reread;
VACUUM ANALYZE;

\echo
SELECT count(*) AS games, sum(plyCount(game)) AS half_moves,
       round(avg(pg_column_size(game)), 2) AS bytes_per_game,
       round(sum(pg_column_size(game))::numeric / sum(plyCount(game)), 4) AS bytes_per_half_move
FROM packed;

SELECT what, round(seconds, 2) AS seconds, pg_size_pretty(bytes) AS size,
       round(bytes::numeric / (SELECT bytes FROM build WHERE what = 'games (packed)'), 2) AS x_packed
FROM build;

SELECT round(g.bytes / p.bytes, 3) AS "(games + GIN) / (games + positions + B-tree)",
       round(c.bytes / p.bytes, 3) AS "(games + compact GIN) / (games + positions + B-tree)"
FROM (SELECT sum(bytes) FROM build WHERE what IN ('games (packed)', 'games: GIN index')) AS g (bytes),
     (SELECT sum(bytes) FROM build WHERE what IN ('games (packed)', 'games: compact GIN index')) AS c (bytes),
     (SELECT sum(bytes) FROM build
      WHERE what IN ('games (packed)', 'positions', 'positions: covering B-tree index')) AS p (bytes);

-- The boards that are looked for. "never" is the board of half-move 30 with the other castling rights taken away.
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

CREATE TABLE queries (no int, target text, method text, setting text, query text);
INSERT INTO queries
SELECT no, target, method, setting, query
FROM targets, hashtextextended(epd(board), 0) AS key, LATERAL (VALUES
    ('bare scan', 'off', 'SELECT count(*) FROM payloads WHERE octet_length(payload) > 0'),
    ('scan', 'off', format('SELECT count(*) FROM packed WHERE hasBoard(game, %L)', board)),
    ('planned', 'on', format('SELECT count(*) FROM packed WHERE hasBoard(game, %L)', board)),
    ('compact', 'on', format('SELECT count(*) FROM compact WHERE hasBoard(game, %L)', board)),
    ('positions', 'on', format('SELECT count(DISTINCT game_id) FROM positions WHERE key = %s', key)),
    ('arrays', 'on', format('SELECT count(*) FROM arrays WHERE keys @> ARRAY[%s::bigint]', key))
) AS v (method, setting, query);
INSERT INTO queries
SELECT 7, '1. e4 c5 (opening)', method, setting, query
FROM (VALUES
    ('bare scan', 'off', 'SELECT count(*) FROM payloads WHERE octet_length(payload) > 0'),
    ('scan', 'off', 'SELECT count(*) FROM packed WHERE hasOpening(game, ''1. e4 c5'')'),
    ('planned', 'on', 'SELECT count(*) FROM packed WHERE hasOpening(game, ''1. e4 c5'')'),
    ('texts', 'off', 'SELECT count(*) FROM texts WHERE moves LIKE ''1. e4 c5%''')
) AS v (method, setting, query);

CREATE TABLE measured (no int, method text, ms numeric, answer bigint);
CREATE PROCEDURE measure(runs int) LANGUAGE plpgsql AS $$
DECLARE
    q record;
    started timestamptz;
    answer bigint;
BEGIN
    FOR run IN 0..runs LOOP
        FOR q IN SELECT * FROM queries ORDER BY no, method LOOP
            PERFORM set_config('enable_bitmapscan', q.setting, true), set_config('enable_indexscan', q.setting, true),
                    set_config('enable_indexonlyscan', q.setting, true);
            started := clock_timestamp();
            EXECUTE q.query INTO answer;
            -- The first round warms up.
            IF run > 0 THEN
                INSERT INTO measured
                VALUES (q.no, q.method, 1000 * extract(epoch FROM clock_timestamp() - started), answer);
            END IF;
        END LOOP;
    END LOOP;
END $$;
CALL measure(:runs);

DO $$
BEGIN
    IF EXISTS (SELECT FROM measured WHERE method <> 'bare scan' GROUP BY no HAVING count(DISTINCT answer) > 1) THEN
        RAISE 'two methods gave different answers';
    END IF;
END $$;

-- The median with least and greatest, in milliseconds.
CREATE VIEW medians AS
SELECT no, method, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS median, min(ms) AS least, max(ms) AS greatest,
       max(answer) AS games
FROM measured GROUP BY no, method;

SELECT target, games, method, round(median::numeric, 3) AS median_ms, round(least, 3) AS least_ms,
       round(greatest, 3) AS greatest_ms
FROM medians JOIN (SELECT DISTINCT no, target FROM queries) AS t USING (no)
WHERE method <> 'bare scan'
ORDER BY no, array_position(ARRAY['scan', 'planned', 'compact', 'positions', 'arrays', 'texts'], method);

SELECT target, s.games,
       round((s.median / b.median)::numeric, 2) AS "scan / bare scan",
       round((p.median / s.median)::numeric, 2) AS "planned / scan",
       round((p.median / h.median)::numeric, 2) AS "planned / positions",
       round((p.median / a.median)::numeric, 2) AS "planned / arrays",
       round((c.median / h.median)::numeric, 2) AS "compact / positions"
FROM (SELECT DISTINCT no, target FROM queries) AS t
JOIN medians AS s ON s.no = t.no AND s.method = 'scan'
JOIN medians AS b ON b.no = t.no AND b.method = 'bare scan'
JOIN medians AS p ON p.no = t.no AND p.method = 'planned'
LEFT JOIN medians AS h ON h.no = t.no AND h.method = 'positions'
LEFT JOIN medians AS c ON c.no = t.no AND c.method = 'compact'
LEFT JOIN medians AS a ON a.no = t.no AND a.method = 'arrays'
ORDER BY t.no;

DROP TABLE positions, arrays, compact;
CREATE INDEX games_btree ON games (game);
CREATE INDEX games_gin ON games USING gin (game);
ANALYZE games;
