-- The position of a game that is nearest to a board.
\set opera '''1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0'''
\set fischer '''[Variant "Chess960"] [FEN "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"] 1. O-O O-O 2. g3 1/2-1/2'''
\set late '''[FEN "4k3/P7/8/8/8/8/8/4K2R b K - 3 40"] 40... Kd7 41. a8=N Kc6 42. O-O 0-1'''
\set passing '''[FEN "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"] 3. exf6 Nxf6'''
CREATE TABLE games (id int, game chessgame);
INSERT INTO games VALUES (1, :opera), (2, :fischer), (3, :late), (4, ''), (5, '1. f3 e5 2. g4 Qh4# 0-1'), (6, NULL), (7, :passing);

SELECT '1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6' <-> 'rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -'::chessboard AS petroff,
       plyOfNearest('1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6', 'rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -') AS "after";
SELECT '1. e4' <-> '8/8/8/8/8/8/8/8 w - -'::chessboard AS "no piece", plyOfNearest('1. e4', '8/8/8/8/8/8/8/8 w - -') AS "first of equals",
       '' <-> 'QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - -'::chessboard AS "all squares but one",
       leastDistance('1. e4', NULL) AS "no board", plyOfNearest(NULL, 'startpos') AS "no game";
-- Only pieces count, and for <#> only pawns.
SELECT '' <-> 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 9 9'::chessboard AS same,
       '' <#> '4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - -'::chessboard AS "same pawns",
       '1. Nf3 Nf6 2. d4' <#> '4k3/pppppppp/8/8/3P4/8/PPP1PPPP/4K3 w - -'::chessboard AS pawns,
       plyOfNearestPawns('1. Nf3 Nf6 2. d4', '4k3/pppppppp/8/8/3P4/8/PPP1PPPP/4K3 w - -') AS "after",
       '' <#> 'pppppppp/PPPPPPPP/8/8/8/8/PPPPPPPP/8 w - -'::chessboard AS "pawns of the other side";
SELECT id, game <-> b.board AS pieces, b.board <-> game AS commuted, plyOfNearest(game, b.board) AS "after", game <#> b.board AS pawns,
       b.board <#> game AS "commuted ", plyOfNearestPawns(game, b.board) AS "after "
FROM games, getBoard(:opera, 20) AS b(board) ORDER BY pieces, id;

-- What comparing all positions says, for all positions of these games, and for their mirror images.
WITH positions AS MATERIALIZED (SELECT id, ply, board FROM games, positions(game)),
boards AS MATERIALIZED (
    SELECT DISTINCT board FROM (
        SELECT board FROM positions UNION ALL SELECT mirror(board) FROM positions UNION ALL SELECT flip(board) FROM positions) AS b),
plain AS (
    SELECT DISTINCT ON (id, b.board) id, b.board, p.ply, distance(p.board, b.board) AS distance
    FROM positions AS p, boards AS b ORDER BY id, b.board, distance(p.board, b.board), p.ply)
SELECT count(*) > 500 AS many, bool_and(game <-> board = distance) AS distances, bool_and(plyOfNearest(game, board) = ply) AS plies,
       bool_and(distance(getBoard(game, plyOfNearest(game, board)), board) = distance) AS boards
FROM plain JOIN games USING (id);

-- Workers look for the nearest ones.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT id FROM games ORDER BY game <-> 'startpos' LIMIT 3;
SELECT id, game <-> 'startpos' AS distance FROM games WHERE id <> 2 ORDER BY game <-> 'startpos', id LIMIT 5;
RESET ALL;
DROP TABLE games;
