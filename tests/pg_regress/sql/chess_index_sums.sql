-- Sums of the games with a position out of an index of the access method chess are those of a query of the table: with and
-- without conditions, before and after VACUUM, with changes of the same transaction, of pending games and after merges.

\if :{?sums}
\else
\set sums 0
\endif
\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set functions :abs_srcdir '/data/functions.sql'
\set ECHO none
\i :games
\i :functions
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
CREATE INDEX games_chess ON games USING chess (game, white_elo, black_elo, (result_code(result)), day) WITH (pending_games = 64, sums = :sums);
SELECT part, lists > 10 AS many FROM chess_index_info('games_chess') WHERE part = 'sums';

CREATE TABLE boards AS SELECT DISTINCT ON (epd(board)) board FROM (
    SELECT getBoard(game, ply) AS board FROM games, unnest('{0,1,2,4,6,8,12,20,27,28,29,30,40}'::integer[]) AS ply
    WHERE ply <= plyCount(game) AND (id % 97 = 0 AND id < 10500 OR id BETWEEN 20022 AND 20029 OR id BETWEEN 21001 AND 21004 OR id BETWEEN 21101 AND 21104
        OR id BETWEEN 21201 AND 21204 OR id BETWEEN 21301 AND 21304)) AS b ORDER BY epd(board);
-- The last one has an en passant square that no half-move leaves.
INSERT INTO boards VALUES ('8/8/8/8/8/8/8/8'), ('4k3/8/8/8/8/8/4P3/4K3'), ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 7');
-- Conditions for the index, and the same in SQL. Column 0 is the mean of the ratings.
CREATE TABLE conditions (numbers integer[], condition text);
INSERT INTO conditions VALUES ('{}', 'true'), ('{2,1500,2500}', 'white_elo BETWEEN 1500 AND 2500'),
    ('{3,-100,0,3,2000,2100}', '(black_elo BETWEEN -100 AND 0 OR black_elo BETWEEN 2000 AND 2100)'),
    ('{0,1000,1999,4,1,1,5,-2000,2000}', 'white_elo > 0 AND black_elo > 0 AND (white_elo + black_elo) / 2 BETWEEN 1000 AND 1999
        AND result = ''1-0'' AND day BETWEEN date ''2000-01-01'' - 2000 AND date ''2000-01-01'' + 2000'),
    ('{4,2,1}', 'false'), ('{4,2,1,-1,0,0}', 'true'),
    ('{2,2000,2700,-1,0,0,0,1000,1500,4,1,1,-1,0,0,5,0,100}', '(white_elo BETWEEN 2000 AND 2700
        OR white_elo > 0 AND black_elo > 0 AND (white_elo + black_elo) / 2 BETWEEN 1000 AND 1500 AND result = ''1-0''
        OR day BETWEEN date ''2000-01-01'' AND date ''2000-01-01'' + 100)');
CREATE FUNCTION differences() RETURNS TABLE (board text, condition text, by_index text, by_table text) LANGUAGE plpgsql AS $$
DECLARE
    b chessboard;
    numbers integer[];
BEGIN
    FOR b, numbers, condition IN SELECT x.board, c.numbers, c.condition FROM boards AS x, conditions AS c LOOP
        SELECT string_agg(format('%s %s %s %s %s %s %s %s %s', m.san, m.outcome, m.games, m.white_rated, m.white_ratings, m.black_rated, m.black_ratings,
                   m.last_day, (SELECT g.id FROM games AS g WHERE g.ctid = m.game)), ', ' ORDER BY m.san, m.outcome)
            INTO by_index FROM chess_index_moves('games_chess', b, 2, 3, 4, 5, numbers) AS m;
        EXECUTE format('SELECT string_agg(format(''%%s %%s %%s %%s %%s %%s %%s %%s %%s'', san, result, games, wr, wrs, br, brs, last, CASE WHEN games = 1 THEN id END),
                '', '' ORDER BY san, result)
            FROM (SELECT nextMove(game, $1) AS san, result_code(result) AS result, count(*) AS games, count(*) FILTER (WHERE white_elo > 0) AS wr,
                      coalesce(sum(white_elo) FILTER (WHERE white_elo > 0), 0) AS wrs, count(*) FILTER (WHERE black_elo > 0) AS br,
                      coalesce(sum(black_elo) FILTER (WHERE black_elo > 0), 0) AS brs, max(day) AS last, min(id) AS id
                  FROM games WHERE hasBoard(game, $1) AND %s GROUP BY 1, 2) AS g', condition) INTO by_table USING b;
        IF by_index IS DISTINCT FROM by_table THEN
            board := b;
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
-- The first games by rating or by day, with all that are equal to the last of them.
CREATE FUNCTION top_differences() RETURNS TABLE (board text, condition text, sort text, count integer, by_index text, by_table text) LANGUAGE plpgsql AS $$
DECLARE
    b chessboard;
    numbers integer[];
    sorted text;
BEGIN
    FOR b, numbers, condition, sort, count IN
        SELECT x.board, c.numbers, c.condition, s, n FROM boards AS x, conditions AS c, unnest('{ratings,day}'::text[]) AS s, unnest('{0,1,16,17}'::integer[]) AS n
    LOOP
        sorted := CASE sort WHEN 'day' THEN 'coalesce(day, ''-infinity'')' ELSE 'coalesce(white_elo, 0) + coalesce(black_elo, 0)' END;
        EXECUTE format('SELECT string_agg(id::text, '' '' ORDER BY id) FROM games WHERE ctid = ANY (chess_index_top(''games_chess'', $1, 2, 3, $2, $3, $4, 1000000))')
            INTO by_index USING b, CASE sort WHEN 'day' THEN 5 ELSE 0 END, numbers, count;
        EXECUTE format('SELECT string_agg(id::text, '' '' ORDER BY id) FROM (SELECT id, rank() OVER (ORDER BY %s DESC) AS nth FROM games
            WHERE hasBoard(game, $1) AND %s) AS g WHERE nth <= $2', sorted, condition) INTO by_table USING b, count;
        IF by_index IS DISTINCT FROM by_table THEN
            board := b;
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
SELECT count(*) > 60 AS many_boards FROM boards;
-- No page is all-visible.
SELECT * FROM differences();
SELECT * FROM top_differences();
VACUUM ANALYZE games;
SELECT * FROM differences();
SELECT * FROM top_differences();
SELECT uci, san, outcome, games, white_rated, white_ratings, black_rated, black_ratings, last_day, game IS NULL AS several
FROM chess_index_moves('games_chess', finalBoard('1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5'), 2, 3, 4, 5, '{}') ORDER BY uci, outcome;
SELECT chess_index_games('games_chess', finalBoard('1. e4'), 2, 3, '{2,1500,2500}') = (SELECT count(*) FROM games WHERE hasBoard(game, finalBoard('1. e4'))
    AND white_elo BETWEEN 1500 AND 2500) AS as_counted;
SELECT most, chess_index_games('games_chess', finalBoard('1. e4'), 2, 3, '{}', most) = least(most, (SELECT count(*) FROM games WHERE hasBoard(game, finalBoard('1. e4')))) AS as_counted
FROM unnest('{0,1,100,1000000}'::bigint[]) AS m (most);
SELECT chess_index_games('games_chess', finalBoard('1. e4'), 2, 3, '{}', -1);
-- More conditions than anybody asks for would be tested for each game.
SELECT chess_index_games('games_chess', startBoard(), 2, 3, array_fill(-1, ARRAY[3003]));
SELECT chess_index_games('games_chess', startBoard(), 2, 3, array_fill(-1, ARRAY[15000000]));

-- NULL if too many games have the position, unless their leaders are stored; what cannot be.
SELECT most, cardinality(chess_index_top('games_chess', finalBoard('1. e4'), 2, 3, 0, '{}', 3, most)) >= 3 AS few
FROM (SELECT count(*) AS n FROM games WHERE hasBoard(game, finalBoard('1. e4'))) AS g, unnest(ARRAY[0, 1, n, n + 1]) WITH ORDINALITY AS m (most, nth) ORDER BY nth;
SELECT chess_index_top('games_chess', '8/8/8/8/8/8/8/8', 2, 3, 5, '{}', 3, 10) AS none, chess_index_top('games_chess', NULL, 2, 3, 5, '{}', 3, 10) IS NULL AS null;
SELECT chess_index_top('games_chess', startBoard(), 2, 3, 0, '{}', -1, 10);
SELECT chess_index_top('games_chess', startBoard(), 2, 3, 0, '{}', 1, 1000001);
SELECT chess_index_top('games_chess', startBoard(), 2, 3, 0, '{6,1,2}', 1, 10);

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
SELECT sum(games) AS games FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{}') \gset before_
DECLARE c CURSOR FOR SELECT sum(games) = :before_games AS same FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{}');
DELETE FROM games WHERE id > 50000;
FETCH c;
SELECT sum(games) = :before_games - 100 AS without FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{}');
ROLLBACK;

-- Results and ratings that nobody has, and days without end; with ratings in a few pages whose sums exceed 32 bits.
CREATE TABLE ugly (id integer, game chessgame, white integer, black integer, result integer, day date);
INSERT INTO ugly SELECT n, (ARRAY['1. e4 e5', '1. d4', '', NULL])[n % 4 + 1]::chessgame, (ARRAY[NULL, 0, -1, 1500, 2800])[n % 5 + 1], (ARRAY[NULL, 2147483647, -2147483648, 5])[n / 7 % 4 + 1],
    (ARRAY[NULL, -2147483648, -2, -1, 0, 1, 6, 7, 8, 2147483647])[n % 10 + 1], (ARRAY[NULL, '-infinity', 'infinity', '2020-01-01', '4713-01-01 BC']::date[])[n / 3 % 5 + 1] FROM generate_series(1, 4000) AS n;
INSERT INTO ugly SELECT n, '1. e4 c5', 2000 + n % 500, 2500 - n % 400, n % 4, date '2020-01-01' + n % 300 FROM generate_series(4001, 20000) AS n;
CREATE INDEX ugly_chess ON ugly USING chess (game, white, black, result, day);
CREATE INDEX ugly_alone ON ugly USING chess (game);
CREATE FUNCTION ugly_sums(numbers integer[], is_met boolean) RETURNS TABLE (missing bigint, extra bigint, sums bigint) LANGUAGE sql AS $$
    WITH i AS (SELECT san, outcome, games, white_rated, white_ratings, black_rated, black_ratings, last_day FROM chess_index_moves('ugly_chess', startBoard(), 2, 3, 4, 5, numbers)),
    t AS (SELECT nextMove(game, startBoard()) AS san, result, count(*), count(*) FILTER (WHERE white > 0), coalesce(sum(white) FILTER (WHERE white > 0), 0),
              count(*) FILTER (WHERE black > 0), coalesce(sum(black) FILTER (WHERE black > 0), 0), max(day)
          FROM ugly WHERE hasBoard(game, startBoard()) AND (NOT is_met OR white BETWEEN 2000 AND 2400 OR result IN (-2, 7)
              OR white > 0 AND black > 0 AND (white::bigint + black) / 2 > 1000000000) GROUP BY 1, 2)
    SELECT (SELECT count(*) FROM (TABLE t EXCEPT ALL TABLE i) AS d), (SELECT count(*) FROM (TABLE i EXCEPT ALL TABLE t) AS d), (SELECT count(*) FROM i) $$;
\set ugly_conditions '''{2,2000,2400,-1,0,0,4,-2,-2,4,7,7,-1,0,0,0,1000000001,2147483647}'''
SELECT * FROM ugly_sums('{}', false);
SELECT * FROM ugly_sums(:ugly_conditions, true);
VACUUM ugly;
SELECT * FROM ugly_sums('{}', false);
SELECT * FROM ugly_sums(:ugly_conditions, true);
SELECT chess_index_games('ugly_chess', startBoard(), 2, 3, :ugly_conditions) = (SELECT sum(games) FROM chess_index_moves('ugly_chess', startBoard(), 2, 3, 4, 5, :ugly_conditions)) AS as_many,
    chess_index_games('ugly_chess', startBoard(), 2, 3, '{}') = (SELECT count(game) FROM ugly) AS all;
SELECT san, outcome, games, white_rated, last_day FROM chess_index_moves('ugly_alone', startBoard(), 0, 0, 0, 0, '{}') ORDER BY san;
SELECT chess_index_games('ugly_alone', startBoard(), 0, 0, '{}') = (SELECT count(game) FROM ugly) AS "without attributes";
DROP TABLE ugly;
DROP FUNCTION ugly_sums;

-- NULL is no question; columns that the index does not have are not summed.
SELECT count(*) FROM chess_index_moves('games_chess', NULL, 2, 3, 4, 5, '{}');
SELECT san, outcome, games, white_rated, last_day FROM chess_index_moves('games_chess', finalBoard('1. e4 a6 2. e5 d5 3. exd6 Nf6'), -2147483648, 0, 0, 99, '{}');
-- What cannot be.
SELECT * FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{2,1}');
SELECT * FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{6,1,2}');
SELECT * FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{1,1,2}');
SELECT * FROM chess_index_moves('games_pkey', startBoard(), 2, 3, 4, 5, '{}');
SELECT * FROM chess_index_moves(0, startBoard(), 2, 3, 4, 5, '{}');
CREATE INDEX games_partial ON games USING chess (game) WHERE id > 5;
SELECT * FROM chess_index_moves('games_partial', startBoard(), 0, 0, 0, 0, '{}');
CREATE INDEX games_expression ON games USING chess (getFirstMoves(game, 20));
SELECT * FROM chess_index_moves('games_expression', startBoard(), 0, 0, 0, 0, '{}');
SELECT i AS index, chess_index_answers(to_regclass(i)) AS answers
FROM unnest(ARRAY['games_chess', 'games_pkey', 'games', 'games_partial', 'games_expression', 'pg_class', NULL]) AS i;
SELECT chess_index_answers(0) AS no_index;
-- Rights: those of a reader of the whole table.
CREATE ROLE regress_chess_sums;
GRANT SELECT (id) ON games TO regress_chess_sums;
SET ROLE regress_chess_sums;
SELECT * FROM chess_index_moves('games_chess', startBoard(), 2, 3, 4, 5, '{}');
SELECT chess_index_games('games_chess', startBoard(), 2, 3, '{}');
SELECT chess_index_top('games_chess', startBoard(), 2, 3, 0, '{}', 1, 10);
SELECT chess_index_answers('games_chess');
RESET ROLE;
GRANT SELECT ON games TO regress_chess_sums;
SET ROLE regress_chess_sums;
SELECT chess_index_games('games_chess', startBoard(), 2, 3, '{}') > 0 AS may, chess_index_answers('games_chess') AS answers;
RESET ROLE;
ALTER TABLE games ENABLE ROW LEVEL SECURITY;
SELECT chess_index_games('games_chess', startBoard(), 2, 3, '{}') > 0 AS owner_may;
SET ROLE regress_chess_sums;
SELECT chess_index_games('games_chess', startBoard(), 2, 3, '{}');
SELECT chess_index_top('games_chess', startBoard(), 2, 3, 0, '{}', 1, 10);
SELECT chess_index_answers('games_chess');
RESET ROLE;
-- An index that has been asked stays until the transaction ends.
BEGIN;
SELECT chess_index_answers('games_chess');
SELECT relation::regclass, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text IN ('games', 'games_chess') ORDER BY 1;
COMMIT;
DROP TABLE games, famous, boards, conditions;
DROP ROLE regress_chess_sums;
DROP FUNCTION estimate, actual, plan, answers, differences, top_differences, result_code;
