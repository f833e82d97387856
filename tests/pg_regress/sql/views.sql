-- Sets of squares and moves: exactly the well-known numbers of moves.

SELECT (SELECT count(*) FROM chess_squares) AS squares, (SELECT count(*) FROM chess_moves) AS moves,
       (SELECT count(*) FROM chess_rook_moves) AS rook, (SELECT count(*) FROM chess_bishop_moves) AS bishop,
       (SELECT count(*) FROM chess_knight_moves) AS knight, (SELECT count(*) FROM chess_queen_moves) AS queen,
       (SELECT count(*) FROM chess_king_moves) AS king, (SELECT count(*) FROM chess_pawn_moves) AS pawn;
SELECT count(*) AS "rook, bishop or knight" FROM (TABLE chess_rook_moves UNION TABLE chess_bishop_moves UNION TABLE chess_knight_moves) AS u;
SELECT count(*) FILTER (WHERE greatest(abs(dx), abs(dy)) = 1) AS steps, count(*) FILTER (WHERE abs(dx) = 2) AS castlings FROM chess_king_moves;
SELECT count(*) FILTER (WHERE from_y IN (1, 8)) AS "from ranks 1 and 8",
       (SELECT count(*) FROM chess_white_pawn_moves) AS white, (SELECT count(*) FROM chess_black_pawn_moves) AS black FROM chess_pawn_moves;
SELECT count(*) AS "queen, not rook or bishop" FROM (TABLE chess_queen_moves EXCEPT (TABLE chess_rook_moves UNION TABLE chess_bishop_moves)) AS e;

-- Pieces on an empty board give the same moves.
WITH moves_of (letter, from_square, set) AS (
    SELECT letter, from_square, bit_or(squareSet(ARRAY[to_square]))
    FROM (SELECT 'R' AS letter, * FROM chess_rook_moves UNION ALL SELECT 'B', * FROM chess_bishop_moves
          UNION ALL SELECT 'N', * FROM chess_knight_moves UNION ALL SELECT 'Q', * FROM chess_queen_moves) AS u
    GROUP BY 1, 2
)
SELECT letter, count(*) AS squares, bool_and(attacks(board, square) = set) AS agree
FROM moves_of JOIN chess_squares ON square = from_square,
     LATERAL (SELECT (repeat('8/', 8 - y) || concat(nullif(x - 1, 0), letter, nullif(8 - x, 0)) || repeat('/8', y - 1))::chessboard AS board) AS b
GROUP BY letter ORDER BY letter;

-- Between two squares: exclusive, on ranks, files and diagonals.
SELECT count(*) AS rows, count(DISTINCT (from_square, to_square)) AS pairs,
       (SELECT sum(greatest(abs(dx), abs(dy)) - 1) FROM chess_queen_moves) AS distances FROM chess_between;
SELECT from_square, to_square, array_agg(square ORDER BY square) FROM chess_between
WHERE (from_square, to_square) IN (('a1', 'e5'), ('h8', 'h5'), ('c3', 'a3'), ('b1', 'b3'), ('a1', 'b3'), ('e4', 'e5')) GROUP BY 1, 2 ORDER BY 1, 2;
