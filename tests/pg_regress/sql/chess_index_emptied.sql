-- TRUNCATE may empty the file of an index and number its segments anew: in a table of the same transaction, in a temporary one
-- whose rows are deleted at the end of each, and where the table alone has got a new file. What a session remembers of segments
-- does not outlive that.

CREATE FUNCTION pg_temp.fill(name text, rating integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %I SELECT n, ''1. e4 e5''::chessgame, %s + n %% 7, %s, 1, date ''2020-01-01'' + n
                    FROM generate_series(1, 1500) AS n', name, rating, rating);
END $$;
CREATE FUNCTION pg_temp.shown(name text) RETURNS TABLE (games bigint, ratings bigint, best integer, by_index boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text = '';
    summed text = format('SELECT count(*), sum(white) FILTER (WHERE white > 0) FROM %I WHERE hasBoard(game, finalBoard(''1. e4''))', name);
    first text = format('SELECT white FROM %I WHERE hasBoard(game, finalBoard(''1. e4'')) ORDER BY white DESC NULLS LAST LIMIT 1', name);
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || summed LOOP plan := plan || line; END LOOP;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || first LOOP plan := plan || line; END LOOP;
    EXECUTE summed INTO games, ratings;
    EXECUTE first INTO best;
    by_index := plan ~ 'Chess Index Sums.*Chess Index Order';
    RETURN NEXT;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
END $$;
CREATE TEMP TABLE emptied (id integer, game chessgame, white integer, black integer, result integer, day date) ON COMMIT DELETE ROWS;
CREATE INDEX emptied_chess ON emptied USING chess (game, white, black, result, day) WITH (pending_games = 64, sums = 0);
BEGIN;
SELECT pg_temp.fill('emptied', 2000);
SELECT count(*) > 0 AS has_segments FROM chess_index_info('emptied_chess') WHERE part = 'segment';
SELECT * FROM pg_temp.shown('emptied');
COMMIT;
BEGIN;
SELECT pg_temp.fill('emptied', 2500);
SELECT * FROM pg_temp.shown('emptied');
DELETE FROM emptied WHERE id % 2 = 0;
SELECT * FROM pg_temp.shown('emptied');
COMMIT;
SELECT * FROM pg_temp.shown('emptied');
BEGIN;
CREATE TABLE fresh (id integer, game chessgame, white integer, black integer, result integer, day date);
CREATE INDEX fresh_chess ON fresh USING chess (game, white, black, result, day) WITH (pending_games = 64, sums = 0);
SELECT pg_temp.fill('fresh', 2000);
SELECT * FROM pg_temp.shown('fresh');
TRUNCATE fresh;
SELECT pg_temp.fill('fresh', 2500);
SELECT * FROM pg_temp.shown('fresh');
DELETE FROM fresh WHERE id % 2 = 0;
SELECT * FROM pg_temp.shown('fresh');
COMMIT;
SELECT * FROM pg_temp.shown('fresh');
DROP TABLE fresh;
-- The index keeps its file when its table moves, so that TRUNCATE empties this file.
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE emptied_space LOCATION '';
CREATE TABLE moved (id integer, game chessgame, white integer, black integer, result integer, day date) WITH (autovacuum_enabled = off);
CREATE INDEX moved_chess ON moved USING chess (game, white, black, result, day) WITH (pending_games = 64, sums = 0);
SELECT pg_temp.fill('moved', 2000);
DELETE FROM moved WHERE id % 15 = 0;
VACUUM moved;
SELECT * FROM pg_temp.shown('moved');
SELECT relfilenode AS before FROM pg_class WHERE relname = 'moved_chess' \gset
BEGIN;
ALTER TABLE moved SET TABLESPACE emptied_space;
TRUNCATE moved;
SELECT pg_temp.fill('moved', 2500);
COMMIT;
DELETE FROM moved WHERE id % 15 = 1;
VACUUM moved;
SELECT relfilenode = :before AS is_same_file FROM pg_class WHERE relname = 'moved_chess';
SELECT * FROM pg_temp.shown('moved');
SELECT count(*), sum(white), max(white) FROM moved;
DROP TABLE moved;
DROP TABLESPACE emptied_space;
