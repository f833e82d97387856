-- Aggregates of the games with a position are the same by the sums of an index of the access method chess and by the rows:
-- with and without conditions, before and after VACUUM, with changes of the same transaction, of pending games and after merges.

\if :{?sums}
\else
\set sums 0
\endif
\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
SET jit = off;
-- Games that reach positions only after half-move 28, with other rights first, Chess960, promotions, no moves, no game.
INSERT INTO games (id, name, game)
SELECT 20000 + n, 'around 28', (repeat('Nf3 Nf6 Ng1 Ng8 ', n / 4) || (ARRAY['', 'Nf3 ', 'Nf3 Nf6 ', 'Nf3 Nf6 Ng1 '])[n % 4 + 1]
    || CASE WHEN n % 2 = 0 THEN 'e4 e5 Nc3 Nc6 d4 exd4' ELSE 'e5 Nc3 d5 Nb1 d4 e3 dxe3' END)::chessgame FROM generate_series(22, 33) AS n;
INSERT INTO games (id, name, game)
SELECT 21000 + n, 'Chess960', ('[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] '
    || repeat('Rg1 Rg8 Rf1 Rf8 ', n % 3) || 'a4 a5 O-O-O b5 axb5')::chessgame FROM generate_series(1, 30) AS n;
INSERT INTO games (id, name, game)
SELECT 21100 + n, 'rights', ('1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 ' || (ARRAY['Nf3', 'd4', 'Ke2', ''])[n % 4 + 1])::chessgame FROM generate_series(1, 30) AS n;
INSERT INTO games (id, name, game)
SELECT 21200 + n, 'promotion', ('1. e4 a6 2. e5 d5 3. exd6 Nf6 4. dxc7 Nc6 ' || (ARRAY['cxd8=N', 'cxd8=Q+', 'c3', ''])[n % 4 + 1])::chessgame FROM generate_series(1, 30) AS n;
INSERT INTO games (id, name, game)
SELECT 21300 + n, 'castling', ('1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 ' || (ARRAY['O-O', 'd3', 'Ke2', ''])[n % 4 + 1])::chessgame FROM generate_series(1, 30) AS n;
INSERT INTO games (id, name, game) VALUES (22001, 'none', ''), (22002, 'null', NULL);
ALTER TABLE games ADD white_elo integer, ADD black_elo smallint, ADD result text, ADD day date;
UPDATE games SET white_elo = CASE WHEN id % 11 > 0 THEN id * 37 % 2700 END, black_elo = CASE WHEN id % 7 > 0 THEN id * 71 % 2700 - 50 END,
    result = (ARRAY['1-0', '0-1', '1/2-1/2', '*'])[id % 4 + 1], day = CASE WHEN id % 5 > 0 THEN date '1990-01-01' + id % 9000 END;
CREATE FUNCTION result_code(text) RETURNS smallint LANGUAGE sql IMMUTABLE
    RETURN CASE $1 WHEN '1/2-1/2' THEN 0 WHEN '1-0' THEN 1 WHEN '0-1' THEN 2 WHEN '*' THEN 3 END;
ALTER TABLE games ADD CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*'));
CREATE INDEX games_chess ON games USING chess (game, white_elo, black_elo, (result_code(result)), day, ((white_elo + black_elo) / 2)) WITH (pending_games = 64, sums = :sums);
SELECT part, lists > 10 AS many FROM chess_index_info('games_chess') WHERE part = 'sums';

CREATE TABLE boards AS SELECT DISTINCT ON (epd(board)) board FROM (
    SELECT getBoard(game, ply) AS board FROM games, unnest('{0,1,2,4,6,8,12,20,27,28,29,30,40}'::integer[]) AS ply
    WHERE ply <= plyCount(game) AND (id % 97 = 0 AND id < 10500 OR id BETWEEN 20022 AND 20029 OR id BETWEEN 21001 AND 21004 OR id BETWEEN 21101 AND 21104
        OR id BETWEEN 21201 AND 21204 OR id BETWEEN 21301 AND 21304)) AS b ORDER BY epd(board);
-- The last one has an en passant square that no half-move leaves.
INSERT INTO boards VALUES ('8/8/8/8/8/8/8/8'), ('4k3/8/8/8/8/8/4P3/4K3'), ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 7');
CREATE TABLE conditions (condition text);
INSERT INTO conditions VALUES ('true'), ('white_elo BETWEEN 1500 AND 2500'), ('black_elo IN (-50, 21, 2020, 2091)'),
    ('white_elo <@ ''{[-100,0],[1000,1500],[2000,2100]}''::int4multirange AND result IN (''1-0'', ''0-1'')'),
    ('(white_elo + black_elo) / 2 BETWEEN 1000 AND 1999 AND white_elo > 0 AND result = ''1-0''
        AND day BETWEEN date ''2000-01-01'' - 2000 AND date ''2000-01-01'' + 2000'), ('white_elo <@ ''{}''::int4multirange'), ('day IS NULL');
-- The answers that differ, and the questions that the index does not answer.
CREATE FUNCTION compare(query text, node text, b chessboard, OUT by_index text, OUT by_rows text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    is_by_index boolean = false;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query USING b LOOP
        is_by_index := is_by_index OR line LIKE '%' || node || '%';
    END LOOP;
    EXECUTE query INTO by_index USING b;
    by_index := CASE WHEN is_by_index THEN by_index ELSE 'not by the index: ' || by_index END;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_bitmapscan = on;
    SET LOCAL chess.enable_index_sums = off;
    EXECUTE query INTO by_rows USING b;
    SET LOCAL chess.enable_index_sums = on;
END $$;
CREATE FUNCTION differences() RETURNS TABLE (board text, condition text, by_index text, by_rows text) LANGUAGE sql AS $$
    SELECT x.board, c.condition, d.by_index, d.by_rows FROM boards AS x, conditions AS c, compare(format(
        'SELECT string_agg(g::text, '' '' ORDER BY g::text COLLATE "C")
         FROM (SELECT nextMove(game, $1) AS san, result, count(*), count(*) FILTER (WHERE white_elo > 0), sum(white_elo) FILTER (WHERE white_elo > 0),
                   count(*) FILTER (WHERE black_elo > 0), sum(black_elo) FILTER (WHERE black_elo > 0), max(day), CASE WHEN count(*) = 1 THEN min(id) END
               FROM games WHERE hasBoard(game, $1) AND %s GROUP BY 1, 2) AS g', c.condition), 'Chess Index Sums', x.board) AS d
    WHERE d.by_index IS DISTINCT FROM d.by_rows $$;
-- The first games by rating or by day: of those that are equal to the last one any may come.
CREATE FUNCTION top_differences() RETURNS TABLE (board text, condition text, key text, count integer, by_index text, by_rows text) LANGUAGE sql AS $$
    SELECT x.board, c.condition, k, l, d.by_index, d.by_rows
    FROM (SELECT board, row_number() OVER (ORDER BY epd(board)) AS n FROM boards) AS x, conditions AS c, unnest(ARRAY['coalesce(white_elo, 0) + coalesce(black_elo, 0)', 'coalesce(day, ''-infinity'')']) AS k, unnest('{1,17}'::integer[]) AS l,
        compare(format('SELECT concat(count(DISTINCT id), '' '', string_agg(key::text, '' '' ORDER BY key))
             FROM (SELECT id, %1$s AS key FROM games WHERE hasBoard(game, $1) AND %2$s ORDER BY %1$s DESC LIMIT %3$s) AS g', k, c.condition, l), 'Chess Index Order', x.board) AS d
    WHERE x.n % 6 = 0 AND d.by_index IS DISTINCT FROM d.by_rows $$;
SELECT count(*) > 60 AS many_boards FROM boards;
-- No page is all-visible.
SELECT * FROM differences();
SELECT * FROM top_differences();
VACUUM ANALYZE games;
SELECT * FROM differences();
SELECT * FROM top_differences();

-- Changes of the same transaction, then without them.
BEGIN;
DELETE FROM games WHERE id % 3 = 0;
UPDATE games SET white_elo = white_elo + 1, result = '1-0' WHERE id % 3 = 1;
SAVEPOINT before;
INSERT INTO games (id, name, game, white_elo, black_elo, result, day)
SELECT 40000 + n, 'new', ('1. e4 ' || (ARRAY['e5', 'c5', 'a6'])[n % 3 + 1])::chessgame, 2000, 2000, '0-1', '2024-02-02' FROM generate_series(1, 100) AS n;
SELECT * FROM differences();
SELECT * FROM top_differences();
ROLLBACK TO before;
SELECT * FROM differences();
SELECT * FROM top_differences();
ROLLBACK;
SELECT * FROM differences();
SELECT * FROM top_differences();
-- The same for good, with pending games, dead ones, and rows that stay in place because no attribute changes.
DELETE FROM games WHERE id % 3 = 0;
UPDATE games SET white_elo = white_elo + 1, result = '1-0' WHERE id % 3 = 1;
UPDATE games SET name = name || '.' WHERE id % 9 = 2;
INSERT INTO games (id, name, game, white_elo, black_elo, result, day)
SELECT 40000 + n, 'new', ('1. e4 ' || (ARRAY['e5', 'c5', 'a6'])[n % 3 + 1])::chessgame, 2000, 2000, '0-1', '2024-02-02' FROM generate_series(1, 100) AS n;
SELECT * FROM differences();
SELECT * FROM top_differences();
VACUUM games;
SELECT * FROM differences();
SELECT * FROM top_differences();
INSERT INTO games (id, name, game, result) SELECT 50000 + n, 'new', '1. e4', '*' FROM generate_series(1, 100) AS n;
SELECT * FROM differences();
SELECT * FROM top_differences();
SELECT chess_index_merge('games_chess');
SELECT * FROM differences();
SELECT * FROM top_differences();
-- A cursor sees what it saw.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT count(*) FROM games WHERE hasBoard(game, startBoard()) \gset before_
EXPLAIN (COSTS OFF) SELECT count(*) FROM games WHERE hasBoard(game, startBoard());
DECLARE c CURSOR FOR SELECT count(*) = :before_count AS same FROM games WHERE hasBoard(game, startBoard());
DELETE FROM games WHERE id > 50000;
FETCH c;
SELECT count(*) = :before_count - 100 AS without FROM games WHERE hasBoard(game, startBoard());
ROLLBACK;

-- Results and ratings that nobody has, and days without end; with ratings in a few pages whose sums exceed 32 bits.
CREATE TABLE ugly (id integer, game chessgame, white integer, black integer, result integer, day date);
INSERT INTO ugly SELECT n, (ARRAY['1. e4 e5', '1. d4', '', NULL])[n % 4 + 1]::chessgame, (ARRAY[NULL, 0, -1, 1500, 2800])[n % 5 + 1], (ARRAY[NULL, 2147483647, -2147483648, 5])[n / 7 % 4 + 1],
    (ARRAY[NULL, -2147483648, -2, -1, 0, 1, 6, 7, 8, 2147483647])[n % 10 + 1], (ARRAY[NULL, '-infinity', 'infinity', '2020-01-01', '4713-01-01 BC']::date[])[n / 3 % 5 + 1] FROM generate_series(1, 4000) AS n;
INSERT INTO ugly SELECT n, '1. e4 c5', 2000 + n % 500, 2500 - n % 400, n % 4, date '2020-01-01' + n % 300 FROM generate_series(4001, 20000) AS n;
CREATE INDEX ugly_chess ON ugly USING chess (game, white, black, result, day);
CREATE INDEX ugly_alone ON ugly USING chess (game);
CREATE FUNCTION ugly_differences(condition text) RETURNS TABLE (by_index text, by_rows text) LANGUAGE sql AS $$
    SELECT d.* FROM compare(format('SELECT string_agg(g::text, '' '' ORDER BY g::text COLLATE "C")
         FROM (SELECT nextMove(game, $1) AS san, count(*), count(*) FILTER (WHERE white > 0), sum(white) FILTER (WHERE white > 0),
                   count(*) FILTER (WHERE black > 0), sum(black) FILTER (WHERE black > 0), max(day)
               FROM ugly WHERE hasBoard(game, $1) AND %s GROUP BY 1) AS g', condition), 'Chess Index Sums', startBoard()) AS d
    WHERE d.by_index IS DISTINCT FROM d.by_rows $$;
\set ugly 'SELECT condition, d.* FROM (VALUES (\'true\'), (\'white BETWEEN 2000 AND 2400\'), (\'result IN (-2, 7)\'), (\'black > 1000000000\'), (\'day < date \'\'2020-02-01\'\'\')) AS c (condition), ugly_differences(condition) AS d;'
:ugly
VACUUM ugly;
:ugly
-- Without attributes games are counted.
DROP INDEX ugly_chess;
SELECT d.by_index = d.by_rows AS same, d.by_rows FROM compare('SELECT count(*) FROM ugly WHERE hasBoard(game, $1)', 'Chess Index Sums', startBoard()) AS d;
DROP TABLE ugly;
DROP FUNCTION ugly_differences;

-- Which indexes have sums that may answer.
CREATE INDEX games_partial ON games USING chess (game) WHERE id > 5;
CREATE INDEX games_expression ON games USING chess (getFirstMoves(game, 20));
SELECT i AS index, chess_index_answers(to_regclass(i)) AS answers
FROM unnest(ARRAY['games_chess', 'games_pkey', 'games', 'games_partial', 'games_expression', 'pg_class', NULL]) AS i;
SELECT chess_index_answers(0) AS no_index;
-- Rights: those of a reader of the whole table.
CREATE ROLE regress_chess_sums;
GRANT SELECT (id) ON games TO regress_chess_sums;
SET ROLE regress_chess_sums;
-- whoever gets no answer holds no lock
BEGIN;
SELECT chess_index_answers('games_chess');
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text IN ('games', 'games_chess');
COMMIT;
RESET ROLE;
GRANT SELECT ON games TO regress_chess_sums;
SET ROLE regress_chess_sums;
SELECT chess_index_answers('games_chess');
RESET ROLE;
ALTER TABLE games ENABLE ROW LEVEL SECURITY;
SELECT chess_index_answers('games_chess') AS owner_may;
SET ROLE regress_chess_sums;
SELECT chess_index_answers('games_chess');
RESET ROLE;
-- An index that has been asked stays until the transaction ends.
BEGIN;
SELECT chess_index_answers('games_chess');
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text IN ('games', 'games_chess') ORDER BY 1;
COMMIT;
-- A materialized view that is not populated cannot be read, only explained.
SET enable_seqscan = off;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
CREATE MATERIALIZED VIEW viewed AS SELECT id, game, white_elo FROM games WHERE id < 10200 WITH NO DATA;
CREATE UNIQUE INDEX viewed_id ON viewed (id);
CREATE INDEX viewed_chess ON viewed USING chess (game, white_elo);
\set counted 'SELECT count(*) AS by_index FROM viewed WHERE hasBoard(game, finalBoard(\'1. e4\'))'
\set highest 'SELECT white_elo FROM viewed WHERE hasBoard(game, finalBoard(\'1. e4\')) ORDER BY white_elo DESC LIMIT 1'
EXPLAIN (COSTS off) :counted;
:counted;
\echo :SQLSTATE
EXPLAIN (COSTS off) :highest;
:highest;
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) CREATE TABLE nothing AS :counted WITH NO DATA;
DROP TABLE nothing;
REFRESH MATERIALIZED VIEW viewed;
:counted;
SELECT count(*) AS by_rows FROM games WHERE id < 10200 AND hasBoard(game, finalBoard('1. e4'));
DELETE FROM games WHERE id % 5 = 0;
REFRESH MATERIALIZED VIEW CONCURRENTLY viewed;
:counted;
SELECT count(*) AS by_rows FROM games WHERE id < 10200 AND hasBoard(game, finalBoard('1. e4'));
REFRESH MATERIALIZED VIEW viewed WITH NO DATA;
:counted;
RESET enable_seqscan;
RESET enable_indexscan;
RESET enable_bitmapscan;
DROP MATERIALIZED VIEW viewed;
-- A comparison without a collation is left to the executor.
CREATE TABLE collated (game chessgame, a text COLLATE "C", b text COLLATE "POSIX", result text);
CREATE INDEX ON collated USING chess (game, (CASE WHEN result = '1-0' THEN 1 WHEN result = '0-1' THEN 2 END));
SELECT count(*) FROM collated WHERE hasBoard(game, startBoard()) AND a = b;
SELECT count(*) FROM collated WHERE hasBoard(game, startBoard()) AND a = 'x' AND b = 'y';
INSERT INTO collated VALUES ('1. e4', 'x', 'y', '1-0');
SELECT count(*) FROM collated WHERE hasBoard(game, startBoard()) AND a = b;
DROP TABLE collated;
-- a misspelt setting is refused
SET chess.enable_index_sum = off;
DROP TABLE games, famous, boards, conditions;
DROP ROLE regress_chess_sums;
DROP FUNCTION estimate, actual, plan, answers, cost, compare, differences, top_differences, result_code;
