-- Which builds of an index of the access method chess have workers, and that such an index answers as the table does. A leader
-- may read a small table alone before a worker has begun, so a build with workers is repeated until one took part.
SET maintenance_work_mem = '24MB';
SET max_parallel_maintenance_workers = 2;
CREATE FUNCTION code(id int) RETURNS int IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN id % 50; END';
CREATE FUNCTION code_for_one(id int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN id % 50; END';
CREATE TABLE many WITH (parallel_workers = 2, autovacuum_enabled = off) AS
SELECT n AS id, (ARRAY['1. e4 e5 2. Nf3 Nc6 3. Bb5', '1. d4 d5 2. c4 e6 3. Nc3', '1. c4 e5 2. Nc3 Nf6', NULL])[1 + n % 4]::chessgame AS game
FROM generate_series(1, 8000) AS n;
CREATE FUNCTION segments(index regclass) RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM chess_index_info(index) WHERE part = 'segment' $$;
CREATE FUNCTION has_workers(again text, index regclass) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1 .. 100 LOOP
        EXECUTE again;
        IF segments(index) > 1 THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;

CREATE INDEX many_chess ON many USING chess (game, code(id)) WHERE id > 0;
SELECT has_workers('REINDEX INDEX many_chess', 'many_chess');
SELECT sum(games) FROM chess_index_info('many_chess') WHERE part = 'segment';
SELECT chess_index_check('many_chess', true);
ANALYZE many;
SET enable_seqscan = off;
SET enable_indexscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE hasBoard(game, finalBoard('1. e4 e5')) AND code(id) < 10 AND id > 0;
SELECT count(*) FROM many WHERE hasBoard(game, finalBoard('1. e4 e5')) AND code(id) < 10 AND id > 0;
SELECT count(*) FROM many WHERE game @@ 'Bb5' AND id > 0;
SELECT count(*) FROM many WHERE hasOpening(game, '1. c4') AND id > 0;
RESET enable_seqscan;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE hasBoard(game, finalBoard('1. e4 e5')) AND code(id) < 10 AND id > 0;
SELECT count(*) FROM many WHERE hasBoard(game, finalBoard('1. e4 e5')) AND code(id) < 10 AND id > 0;
SELECT count(*) FROM many WHERE game @@ 'Bb5' AND id > 0;
SELECT count(*) FROM many WHERE hasOpening(game, '1. c4') AND id > 0;
RESET enable_indexscan;
RESET enable_bitmapscan;

-- Later changes go on from several segments.
INSERT INTO many SELECT n, '1. e4 e5 2. Bc4' FROM generate_series(8001, 8100) AS n;
DELETE FROM many WHERE id % 10 = 0;
VACUUM many;
SELECT chess_index_check('many_chess', true);
SELECT chess_index_merge('many_chess');
SELECT segments('many_chess'), sum(games) FROM chess_index_info('many_chess') WHERE part = 'segment';
SELECT chess_index_check('many_chess', true);

-- One process: settings, memory, functions that only the leader may call, in the index or in its predicate, and temporary tables.
SET max_parallel_maintenance_workers = 0;
REINDEX INDEX many_chess;
SELECT segments('many_chess');
RESET max_parallel_maintenance_workers;
SET maintenance_work_mem = '15MB';
REINDEX INDEX many_chess;
SELECT segments('many_chess');
SET maintenance_work_mem = '24MB';
CREATE INDEX many_unsafe ON many USING chess (game, code_for_one(id));
SELECT segments('many_unsafe');
CREATE INDEX many_unsafe_predicate ON many USING chess (game) WHERE code_for_one(id) < 10;
SELECT segments('many_unsafe_predicate');
CREATE TEMPORARY TABLE few WITH (parallel_workers = 2) AS TABLE many;
CREATE INDEX few_chess ON few USING chess (game);
SELECT segments('few_chess');
ALTER TABLE many RESET (parallel_workers);
REINDEX INDEX many_chess;
SELECT segments('many_chess');

-- A table without rows gets no segment, whoever reads it.
CREATE TABLE none (game chessgame) WITH (parallel_workers = 2);
CREATE INDEX none_chess ON none USING chess (game);
SELECT segments('none_chess');
SELECT chess_index_check('none_chess', true);
DROP TABLE many, none;
