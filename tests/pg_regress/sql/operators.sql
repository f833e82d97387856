-- The operators, and PostgreSQL's uses of an order and a hash: sorting, grouping, joins, partitions.

CREATE TABLE openings (id integer, game chessgame);
INSERT INTO openings VALUES (1, '1. e4 e5 2. Nf3 Nc6'), (2, '1. e4 e5 2. Nf3 Nc6 1-0'), (3, '1. e4 e5'), (4, ''), (5, '1. d4'),
    (6, '1. e4 e5 2. f4'), (7, '1. e4 c5'), (8, '1. Nf3'), (9, '1. e4 e5'), (10, NULL), (11, '1. e4 e5 1/2-1/2'),
    (12, '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] 1. e4'), (13, '1. e4 e5 2. Nf3 Nc6 3. Bb5'),
    (14, '[Variant "Chess960"] 1. e4 e5'), (15, '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] 1. e3 Kd7');

-- Games are ordered by opening: those with the same beginning are adjacent, shorter ones first; other starts come
-- last.
SELECT id, game FROM openings ORDER BY game, id;
SELECT id FROM openings ORDER BY game DESC, id LIMIT 3;
SELECT count(*) AS "out of order"
FROM (SELECT game, lag(game) OVER (ORDER BY game) AS previous FROM openings) AS o WHERE previous > game;

-- The operators agree with chessgame_cmp for every pair; equal games have equal hashes.
SELECT count(*) AS pairs, bool_and((a.game < b.game) = (c < 0) AND (a.game <= b.game) = (c <= 0) AND (a.game = b.game) = (c = 0)
    AND (a.game <> b.game) = (c <> 0) AND (a.game >= b.game) = (c >= 0) AND (a.game > b.game) = (c > 0)) AS agree,
    bool_and(sign(c) = -sign(chessgame_cmp(b.game, a.game))) AS antisymmetric,
    bool_and(c <> 0 OR chessgame_hash(a.game) = chessgame_hash(b.game)) AS hashes,
    bool_and((c = 0) = (chessgame_send(a.game) = chessgame_send(b.game))) AS "equal is equal bytes"
FROM openings AS a, openings AS b, chessgame_cmp(a.game, b.game) AS c WHERE c IS NOT NULL;
-- The games of an opening are contiguous.
SELECT count(*) AS "between the bounds and not of the opening, or the other way" FROM openings AS a, openings AS b
WHERE hasOpening(a.game, b.game) <> (a.game >= openingLowerBound(b.game) AND a.game < openingUpperBound(b.game));

CREATE TABLE boards (id integer, board chessboard);
INSERT INTO boards SELECT 10 * id + ply, getBoard(game, ply) FROM openings, generate_series(0, plyCount(game)) AS ply;
INSERT INTO boards VALUES (1000, NULL), (1001, '8/8/8/8/8/8/8/8'), (1002, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5 9');
SELECT count(*) AS pairs, bool_and((a.board < b.board) = (c < 0) AND (a.board <= b.board) = (c <= 0) AND (a.board = b.board) = (c = 0)
    AND (a.board <> b.board) = (c <> 0) AND (a.board >= b.board) = (c >= 0) AND (a.board > b.board) = (c > 0)) AS agree,
    bool_and(sign(c) = -sign(chessboard_cmp(b.board, a.board))) AS antisymmetric,
    bool_and(c <> 0 OR chessboard_hash(a.board) = chessboard_hash(b.board)) AS hashes,
    bool_and((c = 0) = (a.board::text = b.board::text)) AS "equal is equal FEN"
FROM boards AS a, boards AS b, chessboard_cmp(a.board, b.board) AS c WHERE c IS NOT NULL;
-- All six fields of a FEN count.
SELECT '8/8/8/8/8/8/8/8 w - - 0 1'::chessboard = '8/8/8/8/8/8/8/8' AS same, '8/8/8/8/8/8/8/8 w - - 1 1'::chessboard = '8/8/8/8/8/8/8/8' AS clock;

-- The extended hash with seed 0 begins with the plain hash; other seeds give other hashes.
SELECT bool_and(chessgame_hash_extended(game, 0) & 4294967295 = chessgame_hash(game)::bigint & 4294967295) AS "as hash",
       bool_or(chessgame_hash_extended(game, 0) = chessgame_hash_extended(game, 1)) AS "seed ignored" FROM openings;
SELECT bool_and(chessboard_hash_extended(board, 0) & 4294967295 = chessboard_hash(board)::bigint & 4294967295) AS "as hash",
       bool_or(chessboard_hash_extended(board, 0) = chessboard_hash_extended(board, 1)) AS "seed ignored" FROM boards;

-- DISTINCT and GROUP BY, by sorting and hashing.
ANALYZE openings, boards;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT game, count(*) FROM openings GROUP BY game;
SELECT game, count(*) FROM openings GROUP BY game HAVING count(*) > 1 ORDER BY game;
SELECT count(DISTINCT game), (SELECT count(*) FROM (SELECT DISTINCT board FROM boards) AS b) AS boards FROM openings;
SET enable_hashagg = on;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT game, count(*) FROM openings GROUP BY game;
SELECT (SELECT count(*) FROM (SELECT DISTINCT game FROM openings) AS g) AS games, (SELECT count(*) FROM (SELECT DISTINCT board FROM boards) AS b) AS boards;
RESET enable_sort;
RESET enable_hashagg;
-- The most frequent openings of two half-moves.
SELECT getFirstMoves(game, 2) AS opening, count(*) FROM openings GROUP BY opening ORDER BY count(*) DESC, opening LIMIT 3;

-- Joins by equality: hash, merge and nested loop give the same pairs.
SET enable_mergejoin = off; SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM openings AS a JOIN openings AS b ON a.game = b.game;
CREATE TABLE pairs AS SELECT a.id AS a, b.id AS b FROM openings AS a JOIN openings AS b ON a.game = b.game;
CREATE TABLE board_pairs AS SELECT a.id AS a, b.id AS b FROM boards AS a JOIN boards AS b ON a.board = b.board;
SET enable_mergejoin = on; SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM openings AS a JOIN openings AS b ON a.game = b.game;
SELECT count(*) AS merge FROM pairs NATURAL JOIN (SELECT a.id AS a, b.id AS b FROM openings AS a JOIN openings AS b ON a.game = b.game) AS p;
SELECT count(*) AS merge FROM board_pairs NATURAL JOIN (SELECT a.id AS a, b.id AS b FROM boards AS a JOIN boards AS b ON a.board = b.board) AS p;
SET enable_nestloop = on; SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM openings AS a JOIN openings AS b ON a.game = b.game;
SELECT count(*) AS loop FROM pairs NATURAL JOIN (SELECT a.id AS a, b.id AS b FROM openings AS a JOIN openings AS b ON a.game = b.game) AS p;
SELECT count(*) AS loop FROM board_pairs NATURAL JOIN (SELECT a.id AS a, b.id AS b FROM boards AS a JOIN boards AS b ON a.board = b.board) AS p;
RESET enable_mergejoin; RESET enable_hashjoin; RESET enable_nestloop;
SELECT (SELECT count(*) FROM pairs) AS hash, (SELECT count(*) FROM board_pairs) AS hash;

-- Hash partitions by game and by board; the planner prunes them.
CREATE TABLE by_game (id integer, game chessgame) PARTITION BY HASH (game);
CREATE TABLE by_game_0 PARTITION OF by_game FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_game_1 PARTITION OF by_game FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_game SELECT * FROM openings;
SELECT (SELECT count(*) > 0 FROM by_game_0) AND (SELECT count(*) > 0 FROM by_game_1) AS "both used", count(*) FROM by_game;
EXPLAIN (COSTS OFF) SELECT id FROM by_game WHERE game = '1. e4 e5';
SELECT id FROM by_game WHERE game = '1. e4 e5' ORDER BY id;
CREATE TABLE by_board (id integer, board chessboard) PARTITION BY HASH (board);
CREATE TABLE by_board_0 PARTITION OF by_board FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_board_1 PARTITION OF by_board FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_board SELECT * FROM boards;
SELECT (SELECT count(*) > 0 FROM by_board_0) AND (SELECT count(*) > 0 FROM by_board_1) AS "both used", count(*) FROM by_board;
SELECT count(*) FROM by_board WHERE board = getBoard('1. e4', 1);
-- Partitions by range of openings.
CREATE TABLE by_opening (id integer, game chessgame) PARTITION BY RANGE (game);
CREATE TABLE by_opening_e4_e5 PARTITION OF by_opening FOR VALUES FROM ('1. e4 e5') TO (openingUpperBound('1. e4 e5'));
CREATE TABLE by_opening_other PARTITION OF by_opening DEFAULT;
INSERT INTO by_opening SELECT * FROM openings;
SELECT id, game FROM by_opening_e4_e5 ORDER BY game, id;

-- game ^@ opening is hasOpening; @> and <@ are hasBoard, @~ and ~@ are hasPieces, with either side first.
SELECT '1. e4 e5'::chessgame ^@ '1. e4' AS "^@", '1. e4 e5'::chessgame ^@ '1. d4' AS "not ^@";
SELECT count(*) AS pairs,
    bool_and((game @> board) = hasBoard(game, board)) AS "@>", bool_and((board <@ game) = hasBoard(game, board)) AS "<@",
    bool_and((game @~ board) = hasPieces(game, board)) AS "@~", bool_and((board ~@ game) = hasPieces(game, board)) AS "~@",
    count(*) FILTER (WHERE game @> board) AS boards, count(*) FILTER (WHERE game @~ board) AS pieces
FROM openings, boards WHERE game IS NOT NULL AND board IS NOT NULL;
-- With an array, @>> requires all boards and && any of them. As with other arrays, NULL elements match nothing.
SELECT boards, '1. e4 e5'::chessgame @>> list AS "all", list <<@ '1. e4 e5'::chessgame AS "all, turned",
    '1. e4 e5'::chessgame && list AS "any", list && '1. e4 e5'::chessgame AS "any, turned",
    ARRAY[1, 2] @> numbers AS "all of numbers", ARRAY[1, 2] && numbers AS "any of numbers"
FROM (VALUES ('both in it', ARRAY[getBoard('1. e4', 1), getBoard('1. e4 e5', 2)], ARRAY[1, 2]),
    ('one twice', ARRAY[getBoard('1. e4', 1), getBoard('1. e4', 1)], ARRAY[1, 1]),
    ('one in it', ARRAY[getBoard('1. d4', 1), getBoard('1. e4', 1)], ARRAY[3, 1]),
    ('none in it', ARRAY[getBoard('1. d4', 1)], ARRAY[3]),
    ('empty', '{}', '{}'),
    ('one and NULL', ARRAY[getBoard('1. e4', 1), NULL], ARRAY[1, NULL]),
    ('NULL alone', ARRAY[NULL]::chessboard[], ARRAY[NULL]::integer[]),
    ('NULL', NULL, NULL),
    ('of two dimensions', ARRAY[[getBoard('1. e4', 1)], [getBoard('', 0)]], ARRAY[[1], [2]])) AS t (boards, list, numbers);
-- An array built by a function, and a different board in every row.
DO $$
DECLARE boards chessboard[];
BEGIN
    FOR ply IN 0..2 LOOP boards := boards || getBoard('1. e4 e5', ply); END LOOP;
    ASSERT '1. e4 e5 2. Nf3'::chessgame @>> boards AND '1. e4 e5 2. Nf3'::chessgame && boards AND NOT '1. e4'::chessgame @>> boards;
END
$$;
SELECT b.id, count(*) FILTER (WHERE g.game @> b.board) AS "in games", count(*) FILTER (WHERE g.game @>> ARRAY[b.board, getBoard('', 0)]) AS "with the start"
FROM openings AS g, boards AS b WHERE b.id IN (71, 72, 1001, 1002) GROUP BY b.id ORDER BY b.id;

-- The operator classes are complete.
SELECT amname, opcname, opcintype::regtype, amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod
WHERE opcintype IN ('chessgame'::regtype, 'chessboard'::regtype) AND opcdefault ORDER BY amname, opcintype::regtype::text;

-- The extension's catalog entries: no rows, except for ^@, which has no commutator.
CREATE VIEW mine AS SELECT classid, objid FROM pg_depend
WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
    AND pg_describe_object(classid, objid, 0) !~ '^(schema tests$|function tests\.)'; -- of a build with the unit tests in it
SELECT oid::regoperator AS "lacks an estimator" FROM pg_operator WHERE oid IN (SELECT objid FROM mine) AND oprresult = 'boolean'::regtype AND (oprrest = 0 OR oprjoin = 0);
SELECT oid::regoperator AS "lacks a commutator" FROM pg_operator WHERE oid IN (SELECT objid FROM mine) AND oprcom = 0 ORDER BY oid;
SELECT o.oid::regoperator AS "is not its commutator's commutator" FROM pg_operator AS o JOIN pg_operator AS c ON c.oid = o.oprcom
WHERE o.oid IN (SELECT objid FROM mine) AND (c.oprcom <> o.oid OR c.oprleft <> o.oprright);
SELECT oid::regoperator AS "comparison without a negator" FROM pg_operator
WHERE oid IN (SELECT objid FROM mine) AND oprnegate = 0 AND oprname IN ('<', '<=', '=', '<>', '>=', '>');
-- Functions that only PostgreSQL can call may be stable; those about the present state of an index are volatile.
SELECT oid::regprocedure AS "is not immutable, strict and parallel safe" FROM pg_proc WHERE oid IN (SELECT objid FROM mine) AND prokind = 'f'
AND NOT (proisstrict AND proparallel = 's' AND (provolatile = 'i' OR provolatile = 's' AND 'internal'::regtype = ANY (proargtypes)))
ORDER BY proname, proargtypes;
-- Since PostgreSQL 18, row types of views belong to the extension, too.
SELECT pg_describe_object(classid, objid, 0) AS "has no comment" FROM mine
WHERE classid <> 'pg_cast'::regclass AND NOT EXISTS (SELECT FROM pg_type WHERE oid = objid AND typrelid <> 0) AND obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid)) IS NULL
AND pg_describe_object(classid, objid, 0) !~ '^type .*\[\]$|^operator family|^function .* of access method' ORDER BY 1;

DROP VIEW mine;
DROP TABLE openings, boards, pairs, board_pairs, by_game, by_board, by_opening;
