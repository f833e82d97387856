-- The number of move sequences, counted by legalMoves and play, equals the published one.

CREATE FUNCTION perft(start chessboard, depth integer) RETURNS bigint LANGUAGE sql AS $$
    WITH RECURSIVE line (ply, board) AS (
        SELECT 1, start
        UNION ALL
        SELECT ply + 1, play(board, CASE ply % 2 WHEN 0 THEN san ELSE uci END) FROM line, legalMoves(board) WHERE ply < depth
    )
    SELECT count(*) FROM line, legalMoves(board) WHERE ply = depth
$$;

SELECT perft(startBoard(''), depth) FROM generate_series(1, 4) AS depth;
SELECT name, perft(board::chessboard, 1), perft(board::chessboard, 2), perft(board::chessboard, 3) FROM (VALUES
    ('position 2', 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'),
    ('position 3', '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'),
    ('position 4', 'r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1'),
    ('position 5', 'rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8'),
    ('position 6', 'r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10'),
    ('Chess960 position 2', '2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9')) AS v (name, board);
-- Kinds of moves: captures, en passant, castling, promotions, checks, mates at depth 3 of position 2.
WITH RECURSIVE line (ply, board) AS (
    SELECT 1, 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'::chessboard
    UNION ALL
    SELECT ply + 1, play(board, uci) FROM line, legalMoves(board) WHERE ply < 3
)
SELECT count(*) AS nodes, count(captured) + count(*) FILTER (WHERE is_en_passant AND captured IS NULL) AS captures,
       count(*) FILTER (WHERE is_en_passant) AS en_passant, count(*) FILTER (WHERE is_castling) AS castles,
       count(promotion) AS promotions, count(*) FILTER (WHERE is_check) AS checks, count(*) FILTER (WHERE is_mate) AS mates
FROM line, legalMoves(board) WHERE ply = 3;
