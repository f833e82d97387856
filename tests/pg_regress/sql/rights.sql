-- Rights: no look-up needs rights that the user lacks, and estimates reveal nothing hidden.

\set ECHO none
\i data/functions.sql
\i data/move_chess.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE ROLE regress_chess_guest;

-- Estimates do not reveal how frequent a hidden position or opening is: neither under a row-level policy nor through
-- a view with security_barrier; for constants and for the other side of a join; neither by statistics nor by an index, which is
-- asked how many games it has. Two tables of equal size with different games must have the same estimates.
CREATE TABLE hidden_a AS SELECT n AS id, getFirstMoves(game, 3 + n % 4) AS game
FROM generate_series(1, 2000) AS n, (VALUES ('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6'::chessgame)) AS g (game);
CREATE TABLE hidden_b AS SELECT n AS id, getFirstMoves(game, 3 + n % 4) AS game
FROM generate_series(1, 2000) AS n, (VALUES ('1. a3 a6 2. h3 h6 3. Nf3 Nf6'::chessgame)) AS g (game);
ALTER TABLE hidden_a ADD board chessboard, ADD opening chessgame;
ALTER TABLE hidden_b ADD board chessboard, ADD opening chessgame;
UPDATE hidden_a SET board = getBoard(game, 2), opening = getFirstMoves(game, 2);
UPDATE hidden_b SET board = getBoard(game, 2), opening = getFirstMoves(game, 2);
VACUUM FULL hidden_a, hidden_b;
ANALYZE hidden_a, hidden_b;
-- The same in partitions, with indexes alone.
CREATE TABLE parted_a (LIKE hidden_a) PARTITION BY RANGE (id);
CREATE TABLE parted_a_all PARTITION OF parted_a DEFAULT;
INSERT INTO parted_a TABLE hidden_a;
CREATE TABLE parted_b (LIKE hidden_b) PARTITION BY RANGE (id);
CREATE TABLE parted_b_all PARTITION OF parted_b DEFAULT;
INSERT INTO parted_b TABLE hidden_b;
CREATE TABLE asked (n serial, question text);
INSERT INTO asked (question) VALUES
    ('hasBoard(h.game, getBoard(''1. e4 e5'', 2))'), ('hasBoard(h.game, getBoard(''1. e4 e5'', 2), 10)'),
    ('hasBoard(h.game, getBoard(''1. e4 e5'', 2), 1)'), ('hasPieces(h.game, getBoard(''1. e4 e5'', 2))'),
    ('h.game @> getBoard(''1. e4 e5'', 2)'), ('getBoard(''1. e4 e5'', 2) <@ h.game'), ('h.game @~ getBoard(''1. e4 e5'', 2)'),
    ('h.game && ARRAY[getBoard(''1. e4 e5'', 2), getBoard(''1. d4'', 1)]'),
    ('h.game @>> ARRAY[getBoard(''1. e4 e5'', 2)]'), ('hasOpening(h.game, ''1. e4 e5'')'), ('h.game ^@ ''1. e4 e5'''),
    ('hasBoard(''1. e4 e5 2. Nf3'', h.board)'), ('hasOpening(''1. e4 e5 2. Nf3'', h.opening)'), ('hasMaterial(h.game, ''KvK'')'),
    ('hasBoard(h.game, (SELECT board FROM asked_of))'),
    ('hasBoard(h.game, o.board)'), ('h.game @> o.board'), ('o.board <@ h.game'), ('h.game @~ o.board'),
    ('hasBoard(h.game, getBoard(o.game, 3))'), ('h.game && ARRAY[o.board]'), ('hasOpening(h.game, o.opening)'), ('h.game ^@ o.opening'),
    ('hasOpening(h.game, getFirstMoves(o.game, 4))');
CREATE TABLE asked_of AS SELECT getBoard('1. e4', 1) AS board;
CREATE FUNCTION told(a text, b text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT question FROM asked, LATERAL (SELECT CASE WHEN question ~ '\mo\.' THEN 'SELECT FROM %1$s AS h, %1$s AS o WHERE ' ELSE 'SELECT FROM %1$s AS h WHERE ' END) AS q (query)
    WHERE estimate(format(query, a) || question) <> estimate(format(query, b) || question) ORDER BY n
$$;
GRANT SELECT ON asked, asked_of TO regress_chess_guest;
SELECT count(*) > 10 AS "the owner is told" FROM told('hidden_a', 'hidden_b');
CREATE INDEX ON hidden_a USING chess (game);
CREATE INDEX ON hidden_b USING chess (game);
CREATE INDEX ON parted_a USING chess (game);
CREATE INDEX ON parted_b USING chess (game);
SELECT told('parted_a', 'parted_b') AS "told by the indexes";
-- a policy
ALTER TABLE hidden_a ENABLE ROW LEVEL SECURITY;
ALTER TABLE hidden_b ENABLE ROW LEVEL SECURITY;
CREATE POLICY those ON hidden_a USING (id > 0);
CREATE POLICY those ON hidden_b USING (id > 0);
GRANT SELECT ON hidden_a, hidden_b TO regress_chess_guest;
SET ROLE regress_chess_guest;
SELECT told('hidden_a', 'hidden_b') AS "told under a policy";
RESET ROLE;
ALTER TABLE parted_a ENABLE ROW LEVEL SECURITY;
ALTER TABLE parted_b ENABLE ROW LEVEL SECURITY;
CREATE POLICY those ON parted_a USING (id > 0);
CREATE POLICY those ON parted_b USING (id > 0);
GRANT SELECT ON parted_a, parted_b, parted_a_all, parted_b_all TO regress_chess_guest;
SET ROLE regress_chess_guest;
SELECT told('parted_a', 'parted_b') AS "told under a policy of partitions";
RESET ROLE;
DROP TABLE parted_a, parted_b;
-- a view with a barrier
CREATE VIEW barrier_a WITH (security_barrier) AS SELECT * FROM hidden_a WHERE id > 0;
CREATE VIEW barrier_b WITH (security_barrier) AS SELECT * FROM hidden_b WHERE id > 0;
GRANT SELECT ON barrier_a, barrier_b TO regress_chess_guest;
REVOKE SELECT ON hidden_a, hidden_b FROM regress_chess_guest;
ALTER TABLE hidden_a DISABLE ROW LEVEL SECURITY;
ALTER TABLE hidden_b DISABLE ROW LEVEL SECURITY;
SET ROLE regress_chess_guest;
SELECT told('barrier_a', 'barrier_b') AS "told through a barrier";
RESET ROLE;
-- leakproof functions may use the statistics, as in PostgreSQL's estimators
ALTER FUNCTION hasboard(chessgame, chessboard) LEAKPROOF;
SET ROLE regress_chess_guest;
SELECT told('barrier_a', 'barrier_b') AS "told of a leakproof function";
RESET ROLE;
ALTER FUNCTION hasboard(chessgame, chessboard) NOT LEAKPROOF;
DROP VIEW barrier_a, barrier_b;
DROP FUNCTION told;
DROP TABLE hidden_a, hidden_b, asked, asked_of;

-- A user may read through a view, under a policy, or by an inlined function without rights on the extension's schema:
-- planning looks nothing up with the user's rights.
CREATE TABLE opened AS SELECT n AS id, getFirstMoves(game, 1 + n % 6) AS game
FROM generate_series(1, 600) AS n, (VALUES ('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6'::chessgame)) AS g (game);
CREATE INDEX opened_game ON opened (game);
CREATE INDEX opened_positions ON opened USING gin (game);
VACUUM ANALYZE opened;
CREATE TABLE wanted (opening chessgame, board chessboard);
INSERT INTO wanted VALUES ('1. e4 e5 2. Nf3 Nc6', getBoard('1. e4 e5 2. Nf3 Nc6', 4));
CREATE SCHEMA regress_closed;
SELECT move_chess('regress_closed');
CREATE VIEW by_opening AS SELECT id FROM opened WHERE regress_closed.hasOpening(game, '1. e4 e5 2. Nf3 Nc6');
CREATE VIEW by_operator AS SELECT id FROM opened WHERE game OPERATOR(regress_closed.^@) '1. e4 e5 2. Nf3 Nc6'::regress_closed.chessgame;
CREATE VIEW by_board AS SELECT id FROM opened WHERE regress_closed.hasBoard(game, regress_closed.getBoard('1. e4 e5 2. Nf3 Nc6', 4));
CREATE VIEW by_join AS SELECT id FROM opened, wanted WHERE regress_closed.hasOpening(game, opening);
CREATE VIEW by_board_join AS SELECT id FROM opened, wanted WHERE regress_closed.hasBoard(game, board);
CREATE FUNCTION ruy(g regress_closed.chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN regress_closed.hasOpening(g, '1. e4 e5 2. Nf3 Nc6'::regress_closed.chessgame);
GRANT SELECT ON by_opening, by_operator, by_board, by_join, by_board_join, opened TO regress_chess_guest;
CREATE FUNCTION counts() RETURNS TABLE (question text, games bigint, by_index boolean) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH question IN ARRAY ARRAY['by_opening', 'by_operator', 'by_board', 'by_join', 'by_board_join', 'opened WHERE ruy(game)'] LOOP
        EXECUTE 'SELECT count(*) FROM ' || question INTO games;
        by_index := EXISTS (SELECT FROM plan('SELECT count(*) FROM ' || question) AS line WHERE line ~ 'Index Cond');
        RETURN NEXT;
    END LOOP;
END
$$;
SET enable_seqscan = off;
SET ROLE regress_chess_guest;
SELECT regress_closed.plycount('1. e4');
SELECT * FROM counts();
RESET ROLE;
CREATE POLICY openings ON opened USING (regress_closed.hasOpening(game, '1. e4 e5 2. Nf3 Nc6'));
ALTER TABLE opened ENABLE ROW LEVEL SECURITY;
SET ROLE regress_chess_guest;
SELECT count(*) FROM opened;
RESET ROLE;
ALTER TABLE opened DISABLE ROW LEVEL SECURITY;
-- Plans do not add calls of functions that the user must not call: a constant needs none, and with a value that is
-- known only at execution the index is not used. A plan for one role is not reused for another.
REVOKE EXECUTE ON FUNCTION regress_closed.openinglowerbound, regress_closed.openingupperbound FROM PUBLIC;
SET ROLE regress_chess_guest;
SELECT * FROM counts();
RESET ROLE;
SELECT move_chess('public');
GRANT EXECUTE ON FUNCTION openinglowerbound, openingupperbound TO CURRENT_USER;
SET plan_cache_mode = force_generic_plan;
PREPARE by_parameter (chessgame) AS SELECT count(*) FROM opened WHERE hasOpening(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
SET ROLE regress_chess_guest;
EXPLAIN (COSTS OFF) EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
RESET ROLE;
EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
-- the same for operators of an index condition
GRANT EXECUTE ON FUNCTION openinglowerbound, openingupperbound TO PUBLIC;
REVOKE EXECUTE ON FUNCTION chessgame_lt, hasboard(chessgame, chessboard) FROM PUBLIC;
SET ROLE regress_chess_guest;
EXECUTE by_parameter('1. e4 e5 2. Nf3 Nc6');
SELECT count(*) FROM opened WHERE hasOpening(game, '1. e4 e5 2. Nf3 Nc6');
SELECT count(*) FROM opened WHERE hasBoard(game, getBoard('1. e4 e5 2. Nf3 Nc6', 4), 5);
RESET ROLE;
GRANT EXECUTE ON FUNCTION chessgame_lt, hasboard(chessgame, chessboard) TO PUBLIC;
DEALLOCATE by_parameter;
RESET plan_cache_mode;
RESET enable_seqscan;
DROP FUNCTION ruy, counts;
DROP VIEW by_opening, by_operator, by_board, by_join, by_board_join;
DROP TABLE opened, wanted;
-- chess_index_check evaluates what the owner of a table has written with that owner's rights.
CREATE SCHEMA regress_shop AUTHORIZATION regress_chess_guest;
SET ROLE regress_chess_guest;
CREATE FUNCTION regress_shop.rated(game chessgame) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 1; END';
CREATE TABLE regress_shop.games AS SELECT '1. e4 e5'::chessgame AS game, 1 AS id;
CREATE INDEX games_chess ON regress_shop.games USING chess (game, regress_shop.rated(game)) WHERE regress_shop.rated(game) > 0;
CREATE OR REPLACE FUNCTION regress_shop.rated(game chessgame) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS
    'BEGIN RAISE NOTICE ''evaluated by %'', current_user; PERFORM set_config(''role'', ''none'', false); RETURN 1; END';
RESET ROLE;
SELECT chess_index_check('regress_shop.games_chess');
\set SHOW_CONTEXT never
SELECT chess_index_check('regress_shop.games_chess', true);
\set SHOW_CONTEXT errors
SELECT current_user = session_user AS is_back;
DROP SCHEMA regress_shop CASCADE;
-- The session keeps the expressions of an index for all roles, so they do not depend on who uses it first.
REVOKE EXECUTE ON FUNCTION haspattern(chessgame, chesspattern), hasopening(chessgame, chessgame) FROM PUBLIC;
CREATE TABLE endings (game chessgame);
CREATE INDEX ON endings (hasMaterial(game, 'KRvKR'), ('1. e4'::chessgame @^ game));
CREATE INDEX ON endings (hasMaterial(game, 'KRvKR')) WHERE hasMaterial(game, 'KRvKR');
INSERT INTO endings VALUES ('1. e4 e5');
GRANT INSERT ON endings TO regress_chess_guest;
SET ROLE regress_chess_guest;
INSERT INTO endings VALUES ('1. e4 c5');
RESET ROLE;
-- Nor do those of queries, which such an index could otherwise not answer.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM endings WHERE hasMaterial(game, 'KRvKR');
RESET enable_seqscan;
GRANT EXECUTE ON FUNCTION haspattern(chessgame, chesspattern), hasopening(chessgame, chessgame) TO PUBLIC;
DROP TABLE endings;
-- What everybody may call, a partial index still has as queries do.
CREATE TABLE endings (game chessgame);
CREATE INDEX endings_rooks ON endings (game) WHERE hasMaterial(game, 'KRvKR');
EXPLAIN (COSTS OFF) SELECT FROM endings WHERE hasMaterial(game, 'KRvKR');
DROP TABLE endings;
DROP SCHEMA regress_closed;
DROP ROLE regress_chess_guest;
DROP FUNCTION estimate, actual, plan, answers, cost;
DROP FUNCTION move_chess;
