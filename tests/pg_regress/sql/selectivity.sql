-- The planner's estimates: near the truth after ANALYZE, for openings and for boards that are not rare; never absurd.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\i data/move_chess.sql
\set ECHO all



-- Openings, frequent and rare: within a factor of 2, or 40 of 1,929 games.
CREATE TABLE openings (opening text);
INSERT INTO openings VALUES (''), ('1. e4'), ('1. e4 e5'), ('1. e4 e5 2. Nf3'), ('1. e4 e5 2. Nf3 Nc6'), ('1. d4'), ('1. e4 c5'),
    ('1. h3'), ('1. Nc3'), ('1. e4 e5 2. Nf3 Nc6 3. Bb5'), ('1. f3'), ('1. f4'), ('1. d4 d5 2. Nf3 e6 3. e3 c5 4. c4 Nc6');
SELECT opening, a AS actual, e BETWEEN a / 2 - 40 AND a * 2 + 40 AND e >= 1 AS near
FROM openings, format('SELECT FROM games WHERE hasOpening(game, %L)', opening) AS query, estimate(query) AS e, actual(query) AS a;
-- The operator has the same estimate, and NOT the complement.
SELECT count(*) AS differ FROM openings
WHERE estimate(format('SELECT FROM games WHERE hasOpening(game, %L)', opening)) <> estimate(format('SELECT FROM games WHERE game ^@ %L', opening));
SELECT estimate('SELECT FROM games WHERE NOT hasOpening(game, ''1. e4'')') BETWEEN 1100 AND 1400 AS near;
SELECT estimate('SELECT FROM games WHERE hasOpening(game, ''1. e4'') AND NOT hasOpening(game, ''1. e4'')') >= 1 AS sane;

-- Boards, too: by function and by operator, in either order, with both sides to move, and in arrays.
CREATE TABLE boards AS SELECT ply, getBoard('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5', ply) AS board FROM generate_series(0, 12) AS ply;
INSERT INTO boards VALUES (100, getBoard('1. Nf3', 1)), (101, getBoard('1. h3 h6', 2)), (102, '8/8/8/8/8/8/8/8'),
    (103, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1');
SELECT predicate, count(*), bool_and(e BETWEEN a / 2 - 40 AND a * 2 + 40 AND e BETWEEN 1 AND 1929) AS near
FROM boards, unnest(ARRAY['hasBoard(game, %1$L)', 'hasPieces(game, %1$L)',
        'game @> %1$L::chessboard', '%1$L::chessboard <@ game', 'game @~ %1$L::chessboard', '%1$L::chessboard ~@ game',
        'game @>> ARRAY[%1$L, getBoard('''', 0)]', 'ARRAY[%1$L, getBoard('''', 0)] <<@ game',
        'game && ARRAY[%1$L, NULL]::chessboard[]', 'ARRAY[%1$L, NULL]::chessboard[] && game']) AS predicate,
    format('SELECT FROM games WHERE ' || predicate, board) AS query, estimate(query) AS e, actual(query) AS a
GROUP BY predicate ORDER BY predicate;
SELECT bool_and(e BETWEEN 1 AND 1929) AS sane FROM boards, estimate(format('SELECT FROM games WHERE hasBoard(game, %L, 3)', board)) AS e;
-- Illegal positions, arrays, NULL, and values that are unknown when planned.
SELECT query, e BETWEEN 0 AND 1929 AS sane FROM unnest(ARRAY[
    'hasBoard(game, ''8/8/8/8/8/8/8/8'')',
    'game @>> ARRAY[getBoard(game, 0), NULL]',
    'game @>> ''{}''::chessboard[]',
    'game && ARRAY[getBoard('''', 0)]',
    'game @> NULL::chessboard',
    'hasBoard(game, NULL)',
    'hasOpening(game, NULL)',
    'hasBoard(''1. e4'', getBoard(game, 0))',
    'hasPieces(''1. e4'', getBoard(game, 0), 3)',
    '''1. e4''::chessgame @>> ARRAY[getBoard(game, 0)]',
    'hasOpening(''1. e4'', game)',
    'hasOpening(game, getFirstMoves(game, 3))',
    'hasBoard(game, (SELECT getBoard(game, 0) FROM famous LIMIT 1))',
    'hasOpening(game, (SELECT game FROM famous LIMIT 1))']) AS query, estimate('SELECT FROM games WHERE ' || query) AS e;
-- Joins.
SELECT query, e BETWEEN 1 AND 1929 * 19 AS sane FROM unnest(ARRAY[
    'hasOpening(g.game, f.game)', 'g.game ^@ f.game', 'g.game @> getBoard(f.game, 0)', 'hasBoard(g.game, getBoard(f.game, 0))',
    'g.game && ARRAY[getBoard(f.game, 0)]', 'g.game = f.game', 'g.game < f.game']) AS query,
    estimate('SELECT FROM games AS g JOIN famous AS f ON ' || query) AS e;
-- A join is estimated from the values that ANALYZE kept of the other column: within a factor of 3.
CREATE TABLE sides AS SELECT id, getBoard(game, 2) AS board, getFirstMoves(game, 3) AS opening, game FROM games WHERE plyCount(game) >= 4 AND id % 10 = 0;
ANALYZE sides;
SELECT condition, e BETWEEN a / 3 AND a * 3 AS near FROM unnest(ARRAY[
    'hasBoard(g.game, s.board)', 'g.game @> s.board', 's.board <@ g.game', 'hasPieces(g.game, s.board)', 's.board ~@ g.game',
    'hasBoard(g.game, getBoard(s.game, 3))', 'hasOpening(g.game, s.opening)', 'g.game ^@ s.opening',
    'hasOpening(g.game, getFirstMoves(s.game, 2))']) AS condition,
    format('SELECT FROM games AS g JOIN sides AS s ON %s', condition) AS query, estimate(query) AS e, actual(query) AS a;
SELECT estimate('SELECT FROM sides WHERE hasOpening(''1. e4 e5 2. Nf3'', opening)') BETWEEN a / 3 AND a * 3 + 5 AS near
FROM actual('SELECT FROM sides WHERE hasOpening(''1. e4 e5 2. Nf3'', opening)') AS a;
-- A join whose games may be too short for the board, one with NULL, and one with boards that ANALYZE has not seen.
SELECT estimate('SELECT FROM games AS g JOIN sides AS s ON hasBoard(g.game, getBoard(s.game, 100))') >= 1 AS sane,
    estimate('SELECT FROM games AS g JOIN sides AS s ON hasBoard(g.game, getBoard(s.game, -1))') >= 1 AS sane,
    estimate('SELECT FROM games AS g JOIN sides AS s ON hasBoard(g.game, getBoard(s.game, NULL))') >= 0 AS sane,
    estimate('SELECT FROM games AS g JOIN (SELECT game AS other FROM games LIMIT 5) AS s ON hasBoard(g.game, startBoard(s.other))') >= 1 AS sane;
DROP TABLE sides;
-- No game has the board in fewer half-moves than it needs.
CREATE TABLE orthodox AS SELECT game FROM games WHERE startBoard(game) = startBoard('*');
ANALYZE orthodox;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, getBoard(''1. e4 e5 2. Nf3 Nc6'', 4), 4)') > 50 AS some,
    estimate('SELECT FROM orthodox WHERE hasBoard(game, getBoard(''1. e4 e5 2. Nf3 Nc6'', 4), 3)') AS none,
    estimate('SELECT FROM orthodox WHERE hasPieces(game, getBoard(''1. e4 e5 2. Nf3 Nc6'', 4), 3)') AS none,
    estimate('SELECT FROM orthodox WHERE hasBoard(game, getBoard(''1. e4 e5 2. Nf3 Nc6'', 4), -1)') AS none;
-- How early a board is possible is known only for the standard start: games from other starts may have it
-- immediately.
CREATE TABLE studies AS SELECT '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] 1. e4'::chessgame AS game FROM generate_series(1, 300) UNION ALL SELECT game FROM games LIMIT 600;
ANALYZE studies;
SELECT estimate('SELECT FROM studies WHERE hasBoard(game, ''4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'', 2)') BETWEEN 290 AND 310 AS near,
    estimate('SELECT FROM studies WHERE hasBoard(game, getBoard(''1. e4 e5 2. Nf3 Nc6'', 4), 3)') <= 300 AS "at most those";
-- A foreign function with the same name, and another type.
CREATE SCHEMA others;
CREATE FUNCTION others.getfirstmoves(chessgame, int) RETURNS chessboard LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.getboard($1, $2); END';
SELECT estimate('SELECT FROM games AS g JOIN games AS h ON hasBoard(g.game, others.getfirstmoves(h.game, 5))') >= 1 AS sane;
DROP SCHEMA others CASCADE;
-- The cost of an array is that of its boards.
SELECT round((many - few) / (few - one)) AS "nine times as many more" FROM
    (SELECT cost('SELECT FROM games WHERE game && ARRAY[getBoard(''1. e4'', 1)]'), cost('SELECT FROM games WHERE game && ARRAY[getBoard(''1. e4'', 1), getBoard(''1. d4'', 1)]'),
        cost('SELECT FROM games WHERE game && array_fill(getBoard(''1. e4'', 1), ''{11}'')')) AS c (one, few, many);

-- Without statistics, with an empty table, with only NULLs, and with samples in which nothing is frequent.
CREATE TABLE fresh (game chessgame);
SELECT estimate('SELECT FROM fresh WHERE hasOpening(game, ''1. e4'')') >= 1 AS sane,
    estimate('SELECT FROM fresh WHERE hasBoard(game, ''8/8/8/8/8/8/8/8'')') >= 1 AS sane;
INSERT INTO fresh SELECT NULL FROM generate_series(1, 1000);
ANALYZE fresh;
SELECT estimate('SELECT FROM fresh WHERE hasOpening(game, ''1. e4'')') AS openings,
    estimate('SELECT FROM fresh WHERE hasBoard(game, ''8/8/8/8/8/8/8/8'')') AS boards;

INSERT INTO fresh VALUES ('');
ANALYZE fresh;
SELECT estimate('SELECT FROM fresh WHERE hasOpening(game, ''1. e4'')') AS openings,
    estimate('SELECT FROM fresh WHERE hasBoard(game, ''8/8/8/8/8/8/8/8'')') AS boards;
CREATE TABLE samples (n integer, near boolean);
DO $$
BEGIN
    FOR n IN 1..5 LOOP
        TRUNCATE fresh;
        INSERT INTO fresh SELECT getFirstMoves('1. e4 e5 2. Nf3 Nc6', i) FROM generate_series(1, n) AS i;
        ANALYZE fresh;
        INSERT INTO samples VALUES (n, estimate('SELECT FROM fresh WHERE hasBoard(game, getBoard(''1. e4'', 1))') BETWEEN 1 AND n
            AND estimate('SELECT FROM fresh WHERE hasOpening(game, ''1. e4'')') BETWEEN 1 AND n);
    END LOOP;
END
$$;
TABLE samples;
-- With a statistics target of 0 there are no statistics; long games, a domain and an indexed expression have them.
ALTER TABLE fresh ALTER game SET STATISTICS 0;
ANALYZE fresh;
SELECT estimate('SELECT FROM fresh WHERE hasBoard(game, getBoard(''1. e4'', 1))') >= 1 AS sane;
TRUNCATE fresh;
ALTER TABLE fresh ALTER game SET STATISTICS 100;
INSERT INTO fresh SELECT repeat('Nf3 Nf6 Ng1 Ng8 ', 1250)::chessgame FROM generate_series(1, 300);
ANALYZE fresh;
SELECT estimate('SELECT FROM fresh WHERE hasBoard(game, getBoard(''1. Nf3'', 1))');
CREATE DOMAIN short_game AS chessgame CHECK (plyCount(VALUE) < 200);
CREATE TABLE short_games AS SELECT game::short_game FROM games;
ANALYZE short_games;
SELECT estimate('SELECT FROM short_games WHERE hasOpening(game, ''1. e4'')') BETWEEN 318 AND 1272 AS near,
       estimate('SELECT FROM short_games WHERE hasBoard(game, getBoard(''1. e4'', 1))') BETWEEN 318 AND 1272 AS near;
CREATE INDEX ON short_games (getFirstMoves(game, 10));
ANALYZE short_games;
SELECT estimate('SELECT FROM short_games WHERE hasOpening(getFirstMoves(game, 10), ''1. e4'')') BETWEEN 318 AND 1272 AS near,
       estimate('SELECT FROM short_games WHERE hasBoard(getFirstMoves(game, 10), getBoard(''1. e4'', 1))') BETWEEN 318 AND 1272 AS near;
DROP TABLE short_games, samples;
DROP DOMAIN short_game;
-- The statistics are in a slot of our own kind, which pg_stats does not show.
SELECT attname, null_frac, n_distinct < 0 AS "mostly distinct", most_common_elems FROM pg_stats WHERE tablename = 'games' AND attname = 'game';
SELECT stakind4, stavalues4::text LIKE '{"\\\\x76%' AS "parts of bytes" FROM pg_statistic WHERE starelid = 'games'::regclass AND stakind4 > 0;
-- A slot of this kind with other contents, or damaged ones, is ignored, and so is one written by 0.2.0.
CREATE FUNCTION as_if(kind int, new_values text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE e numeric;
BEGIN
    EXECUTE format('UPDATE pg_statistic SET stakind4 = %s, stavalues4 = %s WHERE starelid = ''games''::regclass AND stakind4 > 0', kind, new_values);
    e := estimate('SELECT FROM games WHERE hasBoard(game, getBoard(''1. e4'', 1))');
    RAISE EXCEPTION USING MESSAGE = e, ERRCODE = 'XX999';
EXCEPTION WHEN SQLSTATE 'XX999' THEN RETURN SQLERRM;
END $$;
SELECT as_if(17364, 'stavalues4') BETWEEN 500 AND 800 AS untouched, as_if(4, 'stavalues4') AS "of 0.2.0",
    as_if(17364, 'array_in(''{1,2,3}'', 20, -1)') AS "other type", as_if(17364, 'array_in(''{"\\\\x7602"}'', 17, -1)') AS "other version",
    as_if(17364, 'array_in(''{"\\\\x7601c80100","\\\\x6fffff"}'', 17, -1)') AS damaged, as_if(17364, 'array_in(''{""}'', 17, -1)') AS empty;
DROP FUNCTION as_if;

-- Foreign operators can use our estimators with types that these do not know: no estimate, and no harm.
CREATE FUNCTION any_integer(chessgame, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION any_bytes(chessgame, bytea) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION any_board(chessgame, chessboard) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE OPERATOR ~~~ (LEFTARG = chessgame, RIGHTARG = integer, FUNCTION = any_integer, RESTRICT = chessgame_board_sel);
CREATE OPERATOR ~~^ (LEFTARG = chessgame, RIGHTARG = integer, FUNCTION = any_integer, RESTRICT = chessgame_opening_sel);
CREATE OPERATOR ~~~ (LEFTARG = chessgame, RIGHTARG = bytea, FUNCTION = any_bytes, RESTRICT = chessgame_anyboard_sel);
CREATE OPERATOR ~~^ (LEFTARG = chessgame, RIGHTARG = bytea, FUNCTION = any_bytes, RESTRICT = chessgame_pieces_sel);
CREATE OPERATOR ~~~ (LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = any_board, RESTRICT = chessgame_allboards_sel);
SELECT estimate('SELECT FROM games WHERE game ~~~ 1') >= 0 AND estimate('SELECT FROM games WHERE game ~~^ 1') >= 0
   AND estimate('SELECT FROM games WHERE game ~~~ ''x''::bytea') >= 0 AND estimate('SELECT FROM games WHERE game ~~^ ''x''::bytea') >= 0
   AND estimate('SELECT FROM games WHERE game ~~~ getBoard(''1. e4'', 1)') >= 0 AS survived;
DROP OPERATOR ~~~ (chessgame, integer), ~~^ (chessgame, integer), ~~~ (chessgame, bytea), ~~^ (chessgame, bytea), ~~~ (chessgame, chessboard);
DROP FUNCTION any_integer, any_bytes, any_board;

-- If every frequent position was kept, all others are rare.
CREATE TABLE one_opening AS SELECT '1. e4 e5 2. Nf3'::chessgame AS game FROM generate_series(1, 3000) UNION ALL SELECT '1. d4';
ANALYZE one_opening;
SELECT estimate('SELECT FROM one_opening WHERE hasBoard(game, getBoard(''1. d4'', 1))') AS one,
       estimate('SELECT FROM one_opening WHERE hasBoard(game, getBoard(''1. c4'', 1))') AS none;
DROP TABLE one_opening;

-- Statistics are cached in a session, and read again when they change: after each ANALYZE, twice in a transaction,
-- and when that is rolled back.
CREATE TABLE changing AS SELECT '1. e4'::chessgame AS game FROM generate_series(1, 1000);
ALTER TABLE changing SET (autovacuum_enabled = false);
ANALYZE changing;
SELECT estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. e4'', 1))') AS all_of_them;
BEGIN;
UPDATE changing SET game = '1. d4' WHERE ctid < '(2,1)';
ANALYZE changing;
SELECT abs(estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. e4'', 1))') - count(*)) < 20 AS near
FROM changing WHERE game = '1. e4';
UPDATE changing SET game = '1. c4';
ANALYZE changing;
SELECT estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. e4'', 1))') AS none,
       estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. c4'', 1))') BETWEEN 900 AND 1100 AS near;
ROLLBACK;
SELECT estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. e4'', 1))') BETWEEN 900 AND 1100 AS near,
       estimate('SELECT FROM changing WHERE hasBoard(game, getBoard(''1. c4'', 1))') AS none;
DROP TABLE changing;

-- In another schema than public, and off the search path, estimates and index conditions are the same.
CREATE SCHEMA chess_elsewhere;
SELECT move_chess('chess_elsewhere');
SELECT estimate('SELECT FROM games WHERE chess_elsewhere.hasOpening(game, ''1. e4'')') BETWEEN 318 AND 1272 AS near,
       estimate('SELECT FROM games WHERE chess_elsewhere.hasBoard(game, ''rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'')') AS boards;
CREATE INDEX ON games (game);
CREATE INDEX ON games USING gin (game);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE chess_elsewhere.hasOpening(game, '1. d4 e6 2. Nf3');
SELECT count(*) FROM games WHERE chess_elsewhere.hasOpening(game, '1. d4 e6 2. Nf3');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE chess_elsewhere.hasBoard(game, 'r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3');
SELECT count(*) FROM games WHERE chess_elsewhere.hasBoard(game, 'r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3');
SELECT move_chess('public');
DROP SCHEMA chess_elsewhere;

DROP TABLE games, famous, openings, boards, fresh;
DROP FUNCTION estimate, actual, plan, answers, cost;
DROP FUNCTION move_chess;
