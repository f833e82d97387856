-- The life of an index of the access method chess: games come and go, pending games become segments, segments are merged,
-- and at each step the index finds what a scan finds, and is sound.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
ALTER TABLE games SET (autovacuum_enabled = off);
ALTER TABLE games DROP CONSTRAINT games_pkey;
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM games, unnest('{0,1,4,9,16,28,29,30,45,70}'::integer[]) AS ply
WHERE ply <= plyCount(game) AND (id IN (53, 77, 121) OR id BETWEEN 10001 AND 10002);
CREATE TABLE asked AS SELECT unnest(ARRAY['hasBoard(game, %L)', 'hasPieces(game, %L, 28)', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]',
    'hasOpening(game, ''1. e4 e5 2. Nf3'') AND %L::chessboard <@ game']) AS question;
-- What differs between the index and a scan, and what is wrong with the index.
CREATE FUNCTION differences(of_index regclass) RETURNS SETOF text LANGUAGE plpgsql SET enable_indexscan = off AS $$
DECLARE
    by_scan text[]; by_index text[]; way text;
BEGIN
    PERFORM set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'on', true);
    by_scan := ARRAY(SELECT a::text FROM answers() AS a);
    PERFORM set_config('enable_seqscan', 'off', true);
    FOREACH way IN ARRAY ARRAY['Bitmap Index Scan on', 'Index Scan using'] LOOP
        PERFORM set_config('enable_bitmapscan', (way ~ 'Bitmap')::text, true), set_config('enable_indexscan', (way !~ 'Bitmap')::text, true);
        IF NOT EXISTS (SELECT FROM plan('SELECT FROM games WHERE hasBoard(game, startBoard())') AS line
            WHERE line LIKE '%' || way || ' games_chess%') THEN
            RETURN NEXT 'no ' || way || ' the index';
        END IF;
        by_index := ARRAY(SELECT a::text FROM answers() AS a);
        RETURN QUERY SELECT format('%s is not %s by %s', a, b, way) FROM unnest(by_scan, by_index) AS o (a, b) WHERE a <> b;
    END LOOP;
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true);
    PERFORM chess_index_check(of_index, true);
    IF (SELECT sum(bytes) FROM chess_index_info(of_index)) <> pg_relation_size(of_index) THEN
        RETURN NEXT 'its parts are not all of the file';
    END IF;
END
$$;

-- Of an empty table.
CREATE TABLE kept AS TABLE games;
TRUNCATE games;
CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = 64);
-- The name is looked up whenever it is asked: the index is dropped and made again.
CREATE VIEW state AS SELECT part, games, dead FROM chess_index_info('games_chess'::text::regclass) WHERE games <> 0;
SELECT part, number, games, dead, lists, postings, bytes FROM chess_index_info('games_chess');
SELECT differences('games_chess');
-- Pending games, then segments, then one segment of eight.
INSERT INTO games SELECT * FROM kept ORDER BY id LIMIT 50;
TABLE state;
SELECT differences('games_chess');
INSERT INTO games VALUES (30000, 'null', 0, NULL);
SELECT count(*) FROM games WHERE game IS NULL;
INSERT INTO games SELECT * FROM kept ORDER BY id OFFSET 50 LIMIT 400;
SELECT count(*) FILTER (WHERE part = 'segment') BETWEEN 2 AND 7 AS segments, sum(games) FROM state;
SELECT differences('games_chess');
INSERT INTO games SELECT * FROM kept ORDER BY id OFFSET 450;
SELECT count(*) FILTER (WHERE part = 'segment') BETWEEN 1 AND 7 AS segments, sum(games) = (SELECT count(*) FROM games) AS all_games FROM state;
SELECT differences('games_chess');
-- An inserted row is found by its own command's successor, and not if it was rolled back.
BEGIN;
INSERT INTO games VALUES (31000, 'mine', 0, '1. Na3 Na6 2. Nb1');
SET LOCAL enable_seqscan = off;
SELECT id FROM games WHERE hasBoard(game, finalBoard('1. Na3 Na6 2. Nb1'));
ROLLBACK;
SET enable_seqscan = off;
SELECT id FROM games WHERE hasBoard(game, finalBoard('1. Na3 Na6 2. Nb1'));
RESET enable_seqscan;
-- Games that are longer than a page are segments of their own.
INSERT INTO games SELECT 32000 + n, 'long', n, (repeat('Nf3 Nf6 Ng1 Ng8 ', 2500 + n) || 'e4')::chessgame FROM generate_series(1, 3) AS n;
SET enable_seqscan = off;
SELECT id FROM games WHERE hasBoard(game, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1') AND id > 32000 ORDER BY id;
RESET enable_seqscan;
SELECT differences('games_chess');

-- VACUUM flushes what is pending, marks the dead, and merges; places in the table are used again.
DELETE FROM games WHERE id % 5 = 0;
SELECT differences('games_chess');
VACUUM games;
SELECT count(*) FILTER (WHERE part = 'pending') AS pending, sum(games) - sum(dead) = (SELECT count(*) FROM games) AS living FROM state;
SELECT reltuples = (SELECT count(*) FROM games) AS counted FROM pg_class WHERE relname = 'games_chess';
SELECT differences('games_chess');
INSERT INTO games SELECT * FROM kept WHERE id % 5 = 0 ORDER BY id DESC;
SELECT differences('games_chess');
UPDATE games SET game = '1. a3 e5' WHERE id % 7 = 0;
SELECT differences('games_chess');
VACUUM games;
SELECT differences('games_chess');
-- Segments that are mostly dead are written again, and those without games go.
DELETE FROM games WHERE id % 3 <> 0;
VACUUM games;
SELECT sum(dead) * 4 <= sum(games) AS few_dead FROM state;
SELECT differences('games_chess');
DELETE FROM games;
VACUUM games;
TABLE state;
SELECT differences('games_chess');
-- All of it at once.
INSERT INTO games SELECT * FROM kept ORDER BY id;
SELECT count(*) > 1 AS several FROM state;
SELECT chess_index_merge('games_chess');
SELECT part, games = (SELECT count(*) FROM games) AS all_games, dead FROM state;
SELECT differences('games_chess');
SELECT number FROM chess_index_info('games_chess') WHERE part = 'segment' \gset
SELECT chess_index_merge('games_chess');
SELECT number = :number AS unchanged FROM chess_index_info('games_chess') WHERE part = 'segment';
-- Free pages are used again: the file does not grow with each round.
SELECT pg_relation_size('games_chess') AS size \gset
DO $$
BEGIN
    FOR round IN 1..6 LOOP
        DELETE FROM games WHERE id % 2 = 0;
        INSERT INTO games SELECT * FROM kept WHERE id % 2 = 0;
        PERFORM chess_index_merge('games_chess');
    END LOOP;
END
$$;
SELECT pg_relation_size('games_chess') <= 4 * :size + 65536 AS bounded;
SELECT differences('games_chess');
-- The option can change; so can the table space of the index, and its file.
ALTER INDEX games_chess SET (pending_games = 65536);
ALTER INDEX games_chess SET (pending_games = 1);
DELETE FROM games;
INSERT INTO games SELECT * FROM kept;
SELECT part, games = (SELECT count(*) FROM kept) AS all_games FROM state WHERE part = 'pending';
ALTER INDEX games_chess RESET (pending_games);
REINDEX INDEX games_chess;
SELECT differences('games_chess');
REINDEX INDEX CONCURRENTLY games_chess;
SELECT differences('games_chess');
VACUUM FULL games;
SELECT differences('games_chess');
DROP INDEX games_chess;
CREATE INDEX CONCURRENTLY games_chess ON games USING chess (game);
SELECT differences('games_chess');
TRUNCATE games;
SELECT differences('games_chess');
INSERT INTO games SELECT * FROM kept;
SELECT differences('games_chess');
-- Little memory: postings go to a temporary file.
SET maintenance_work_mem = '1MB';
REINDEX INDEX games_chess;
RESET maintenance_work_mem;
SELECT differences('games_chess');
-- Scans are counted.
SET enable_seqscan = off;
SELECT count(*) FROM games WHERE hasBoard(game, finalBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5'));
SELECT pg_stat_force_next_flush();
SELECT idx_scan > 0 AS counted FROM pg_stat_user_indexes WHERE indexrelname = 'games_chess';
RESET enable_seqscan;

-- Unlogged and temporary tables, partitions.
CREATE UNLOGGED TABLE unlogged AS TABLE kept;
CREATE INDEX unlogged_chess ON unlogged USING chess (game);
INSERT INTO unlogged TABLE kept;
SELECT chess_index_check('unlogged_chess', true);
SELECT chess_index_merge('unlogged_chess');
SELECT chess_index_check('unlogged_chess', true);
ALTER TABLE unlogged SET LOGGED;
SELECT chess_index_check('unlogged_chess', true);
CREATE TEMP TABLE temporary AS TABLE kept;
CREATE INDEX temporary_chess ON temporary USING chess (game) WITH (pending_games = 64);
INSERT INTO temporary TABLE kept;
DELETE FROM temporary WHERE id % 2 = 0;
VACUUM temporary;
SELECT chess_index_check('temporary_chess', true);
SET enable_seqscan = off;
SELECT count(*) FROM temporary WHERE hasOpening(game, '1. e4 e5 2. Nf3');
RESET enable_seqscan;
CREATE TABLE parted (LIKE kept) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (10000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10000) TO (MAXVALUE);
CREATE INDEX parted_chess ON parted USING chess (game);
INSERT INTO parted TABLE kept;
ANALYZE parted;
EXPLAIN (COSTS OFF) SELECT id FROM parted WHERE hasBoard(game, finalBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5'));
SELECT count(*) FROM parted WHERE hasBoard(game, finalBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5'));
SELECT chess_index_check('parted_1_game_idx', true);
SELECT chess_index_check('parted_chess', true);

-- For owners of indexes of this access method.
SELECT chess_index_info('games');
SELECT chess_index_info('pg_class_oid_index');
SELECT chess_index_check(0);
SELECT chess_index_merge('pg_class');
SELECT chess_index_check(NULL), chess_index_merge(NULL);
BEGIN READ ONLY;
SELECT chess_index_check('games_chess');
SELECT chess_index_merge('games_chess');
ROLLBACK;
CREATE ROLE regress_chess_owner;
CREATE ROLE regress_chess_guest;
GRANT SELECT, INSERT ON games TO regress_chess_guest;
ALTER TABLE games OWNER TO regress_chess_owner;
SET ROLE regress_chess_guest;
SELECT chess_index_info('games_chess');
SELECT chess_index_check('games_chess');
SELECT chess_index_merge('games_chess');
INSERT INTO games VALUES (1, 'guest', 0, '1. e4');
SET ROLE regress_chess_owner;
SELECT count(*) FROM chess_index_info('games_chess');
SELECT chess_index_check('games_chess');
SELECT chess_index_merge('games_chess');
RESET ROLE;
SELECT chess_index_check('games_chess', true);
DROP VIEW state;
DROP TABLE games, famous, kept, wanted, asked, unlogged, temporary, parted;
DROP FUNCTION estimate, actual, plan, answers, cost, differences;
DROP ROLE regress_chess_owner, regress_chess_guest;
