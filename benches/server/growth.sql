-- In: an empty database; a file of games as lines of move text (the variable corpus), and how many of them to take
-- (games); the variables runs, memory (an array of maintenance_work_mem) and peer (whether to build the table of
-- half-moves).
-- Out: tab-separated lines: games, what, method, unit, median, minimum, maximum.
CREATE EXTENSION chess;
\ir measure.sql
SET max_parallel_workers_per_gather = 0;

CREATE TABLE packed (id serial, game chessgame NOT NULL);
\set load 'head -n ' :games ' ' :corpus
\setenv LOAD :load
\copy packed (game) from program '$LOAD' (format csv, delimiter E'\x02', quote E'\x01')
VACUUM ANALYZE packed;

CREATE TABLE sought (subject text, board chessboard);
INSERT INTO sought VALUES
    ('after 1. e4', getBoard('1. e4', 1)),
    ('Najdorf', getBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6', 10)),
    ('half-move 30', (SELECT getBoard(game, 30) FROM packed WHERE plyCount(game) > 60 ORDER BY id OFFSET 20 LIMIT 1)),
    ('half-move 70', (SELECT getBoard(game, 70) FROM packed WHERE plyCount(game) > 100 ORDER BY id OFFSET 30 LIMIT 1));

CREATE TABLE growth (nr serial, what text, method text, unit text, median numeric, least numeric, greatest numeric);
CREATE PROCEDURE report_answers() LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO growth (what, method, unit, median, least, greatest)
    SELECT CASE method WHEN 'scan' THEN 'scan, ' ELSE 'lookup, ' END || subject, method, 'ms', ms, least, greatest
    FROM answer_times ORDER BY nr;
    INSERT INTO growth (what, method, unit, median)
    SELECT DISTINCT 'found, ' || subject, method, 'games', answer FROM answer_times;
    TRUNCATE answered, questions;
END $$;
CREATE PROCEDURE report_builds(method text) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO growth (what, method, unit, median, least, greatest)
    SELECT what, method, 'ms', ms, least, greatest FROM build_times ORDER BY nr;
    INSERT INTO growth (what, method, unit, median)
    SELECT replace(what, 'build', 'size'), method, 'bytes', bytes FROM build_times ORDER BY nr;
    TRUNCATE built;
END $$;

INSERT INTO growth (what, method, unit, median) VALUES ('table', 'packed', 'bytes', pg_relation_size('packed'));
INSERT INTO growth (what, method, unit, median) SELECT 'half-moves', '', '', sum(plyCount(game)) FROM packed;

INSERT INTO questions (subject, method, settings, statement)
SELECT subject, 'scan', '', format('SELECT count(*) FROM packed WHERE hasBoard(game, %L)', board) FROM sought;
CALL ask(:runs);
CALL report_answers();

CREATE PROCEDURE index_and_ask(class text, memory text[], runs int) LANGUAGE plpgsql AS $$
DECLARE setting text;
BEGIN
    FOREACH setting IN ARRAY memory LOOP
        DROP INDEX IF EXISTS packed_gin;
        COMMIT;
        PERFORM set_config('maintenance_work_mem', setting, true);
        CALL build('build, ' || setting, format('CREATE INDEX packed_gin ON packed USING gin (game %s)', class), 'packed_gin');
        COMMIT;
    END LOOP;
    CALL report_builds(class);
    INSERT INTO questions (subject, method, settings, statement)
    SELECT subject, class, 'enable_seqscan=off', format('SELECT count(*) FROM packed WHERE hasBoard(game, %L)', board)
    FROM sought;
    CALL ask(runs);
    CALL report_answers();
    DROP INDEX packed_gin;
END $$;
CALL index_and_ask('chessgame_compact_ops', :memory, :runs);
CALL index_and_ask('chessgame_ops', :memory, :runs);

\if :peer
SET maintenance_work_mem = '64MB';
CALL build('table', 'CREATE TABLE positions AS
    SELECT zobrist(p.board) AS key, id AS game_id, p.ply::smallint FROM packed, positions(game) AS p', 'positions');
VACUUM ANALYZE positions;
CALL build('build, 64MB', 'CREATE INDEX positions_key ON positions (key) INCLUDE (game_id, ply)', 'positions_key');
CALL report_builds('positions');
INSERT INTO questions (subject, method, settings, statement)
SELECT subject, 'positions', 'enable_seqscan=off',
       format('SELECT count(DISTINCT game_id) FROM positions WHERE key = %s', zobrist(board))
FROM sought;
CALL ask(:runs);
CALL report_answers();
\endif

\pset format unaligned
\pset fieldsep '\t'
\pset tuples_only on
SELECT :games, what, method, unit, round(median, 4), round(least, 4), round(greatest, 4) FROM growth ORDER BY nr;
