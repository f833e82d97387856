-- Sets of squares: bit 0 is a1, bit 63 is h8.

-- The well-known constants of the start position.
SELECT name, set = ('x' || constant)::bit(64)::bigint AS equal FROM startBoard('') AS board, LATERAL (VALUES
    ('white', occupied(board, 'white'), '000000000000FFFF'), ('black', occupied(board, 'b'), 'FFFF000000000000'),
    ('all', occupied(board), 'FFFF00000000FFFF'),
    ('pawns', pieces(board, 'Pp'), '00FF00000000FF00'), ('knights', pieces(board, 'Nn'), '4200000000000042'),
    ('bishops', pieces(board, 'Bb'), '2400000000000024'), ('rooks', pieces(board, 'Rr'), '8100000000000081'),
    ('queens', pieces(board, 'Qq'), '0800000000000008'), ('kings', pieces(board, 'Kk'), '1000000000000010'),
    ('white pawns', pieces(board, 'P'), '000000000000FF00'), ('black king', pieces(board, 'k'), '1000000000000000')) AS v (name, set, constant);

-- Attacks, blocked by pieces in between; attackers of a square.
\set middle '''r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5'''
SELECT square, pieceAt(:middle, square), ARRAY(SELECT squares(attacks(:middle, square))) AS attacks
FROM unnest(ARRAY['c4', 'f3', 'e4', 'e5', 'h8', 'e1', 'd8', 'e6']) AS square;
SELECT ARRAY(SELECT squares(attackers(:middle, 'e5', 'w'))) AS "on e5", ARRAY(SELECT squares(attackers(:middle, 'e4', 'black'))) AS "on e4",
       ARRAY(SELECT squares(attackers(:middle, 'f7', 'w'))) AS "on f7", ARRAY(SELECT squares(attackers(:middle, 'f7', 'b'))) AS "defends f7";
-- A piece attacks a square if and only if it is among its attackers.
SELECT count(*), bool_and(((attackers(:middle, b.square, CASE WHEN pieceAt(:middle, a.square) ~ '[A-Z]' THEN 'w' ELSE 'b' END)
                            & squareSet(ARRAY[a.square])) <> 0) = ((attacks(:middle, a.square) & squareSet(ARRAY[b.square])) <> 0)) AS agree
FROM chess_squares AS a, chess_squares AS b WHERE pieceAt(:middle, a.square) IS NOT NULL;

-- Names of squares and sets, counting.
SELECT squareSet(ARRAY['a1', 'h8', 'e4', 'e4', NULL]) AS set, squareCount(squareSet(ARRAY['a1', 'h8', 'e4', 'e4', NULL])), squareSet('{}') AS empty,
       squareCount(-1) AS all, ARRAY(SELECT squares(squareSet(ARRAY['h8', 'e4', 'a1']))) AS "in order";
SELECT bool_and(squareSet(ARRAY[square]) = 1::bigint << ((y - 1) * 8 + x - 1)) AS bits,
       squareSet(array_agg(square)) = -1 AS all, squareSet(array_agg(square)) = (SELECT squareSet(array_agg(s)) FROM squares(-1) AS s) AS again
FROM chess_squares;
SELECT count(*) FROM squares(0);

-- Shifts of bits and of squares; flips and mirrors.
SELECT shl(255, 8) = 65280 AS up, shr(65280, 8) = 255 AS down, shl(-1, 64) AS gone, shr(-1, 63) AS "no sign", shl(1, 63) = shr(1, -63) AS negative,
       shr(1, -2147483648) AS far;
SELECT ARRAY(SELECT squares(squareShift(squareSet(ARRAY['a1', 'h4', 'e8']), 1, 0))) AS "to the right",
       ARRAY(SELECT squares(squareShift(squareSet(ARRAY['a1', 'h4', 'e8']), -1, 1))) AS "left and up",
       squareShift(-1, 8, 0) AS off, squareShift(-1, 2147483647, -2147483648) AS far;
SELECT ARRAY(SELECT squares(squareFlip(squareSet(ARRAY['a1', 'e2'])))) AS flip, ARRAY(SELECT squares(squareMirror(squareSet(ARRAY['a1', 'e2'])))) AS mirror,
       squareFlip(squareFlip(81985529216486895)) = 81985529216486895 AS twice, squareMirror(squareMirror(-81985529216486895)) = -81985529216486895 AS too;
SELECT pieces(flip(:middle), 'P') = squareFlip(pieces(:middle, 'p')) AS flip, pieces(mirror(:middle), 'N') = squareMirror(pieces(:middle, 'N')) AS mirror;

-- A picture.
SELECT squareText(attacks('8/8/8/3Q4/8/5p2/8/8', 'd5'));
