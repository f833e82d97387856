-- Sets of squares and of moves on an empty board. x is the file and y the rank, 1 to 8. Functions
-- and operators are called with their exact argument types, so that no other can match better.

CREATE VIEW chess_squares AS
    SELECT x, y, pg_catalog.chr(96 + x) || y::text AS square
    FROM pg_catalog.generate_series(1, 8) AS y, pg_catalog.generate_series(1, 8) AS x;
COMMENT ON VIEW chess_squares IS 'the 64 squares';

CREATE VIEW chess_moves AS
    SELECT a.square AS from_square, b.square AS to_square, a.x AS from_x, a.y AS from_y, b.x AS to_x, b.y AS to_y,
           b.x - a.x AS dx, b.y - a.y AS dy
    FROM chess_squares AS a, chess_squares AS b
    WHERE (a.x, a.y) <> (b.x, b.y);
COMMENT ON VIEW chess_moves IS 'all 4032 moves from one square to another';

CREATE VIEW chess_rook_moves AS
    SELECT * FROM chess_moves WHERE dx = 0 OR dy = 0;
COMMENT ON VIEW chess_rook_moves IS 'the 896 moves of a rook';

CREATE VIEW chess_bishop_moves AS
    SELECT * FROM chess_moves WHERE pg_catalog.abs(dx) = pg_catalog.abs(dy);
COMMENT ON VIEW chess_bishop_moves IS 'the 560 moves of a bishop';

CREATE VIEW chess_knight_moves AS
    SELECT * FROM chess_moves WHERE pg_catalog.abs(dx * dy) = 2;
COMMENT ON VIEW chess_knight_moves IS 'the 336 moves of a knight';

CREATE VIEW chess_queen_moves AS
    SELECT * FROM chess_moves WHERE dx = 0 OR dy = 0 OR pg_catalog.abs(dx) = pg_catalog.abs(dy);
COMMENT ON VIEW chess_queen_moves IS 'the 1456 moves of a queen';

CREATE VIEW chess_king_moves AS
    SELECT * FROM chess_moves
    WHERE greatest(pg_catalog.abs(dx), pg_catalog.abs(dy)) = 1
       OR (from_square, to_square) IN (('e1', 'g1'), ('e1', 'c1'), ('e8', 'g8'), ('e8', 'c8'));
COMMENT ON VIEW chess_king_moves IS 'the 424 moves of a king: 420 steps and 4 castlings';

CREATE VIEW chess_pawn_moves AS
    SELECT * FROM chess_moves
    WHERE pg_catalog.abs(dy) = 1 AND pg_catalog.abs(dx) <= 1
       OR dx = 0 AND (from_y, to_y) IN ((2, 4), (7, 5));
COMMENT ON VIEW chess_pawn_moves IS
    'the 324 moves of a pawn of either colour; 44 of them start on ranks 1 and 8, where no pawn stands';

CREATE VIEW chess_white_pawn_moves AS
    SELECT * FROM chess_pawn_moves WHERE dy > 0 AND from_y BETWEEN 2 AND 7;
COMMENT ON VIEW chess_white_pawn_moves IS 'the 140 moves of a white pawn: steps, double steps, captures';

CREATE VIEW chess_black_pawn_moves AS
    SELECT * FROM chess_pawn_moves WHERE dy < 0 AND from_y BETWEEN 2 AND 7;
COMMENT ON VIEW chess_black_pawn_moves IS 'the 140 moves of a black pawn: steps, double steps, captures';

CREATE VIEW chess_between AS
    SELECT m.from_square, m.to_square, s.square
    FROM chess_queen_moves AS m,
         pg_catalog.generate_series(1, greatest(pg_catalog.abs(m.dx), pg_catalog.abs(m.dy)) - 1) AS step,
         LATERAL (SELECT pg_catalog.chr(96 + m.from_x + step * pg_catalog.sign(m.dx::numeric)::integer)
                         || (m.from_y + step * pg_catalog.sign(m.dy::numeric)::integer)::text AS square) AS s;
COMMENT ON VIEW chess_between IS 'the squares strictly between two squares of a line: a row for each two squares and each square between';
