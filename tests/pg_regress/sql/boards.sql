-- Properties of boards, and moves on them.

\set kiwipete '''r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'''

SELECT pieceAt(:kiwipete, 'e1'), pieceAt(:kiwipete, 'a6'), pieceAt(:kiwipete, 'd4') IS NULL AS empty,
       turn(:kiwipete), turn(getBoard('1. e4', 1)), castling(:kiwipete), castling('8/8/8/8/8/8/8/8'),
       castling('1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb') AS "by outermost rooks";
SELECT enPassant(getBoard('1. e4', 1)), enPassant(:kiwipete) IS NULL AS none,
       halfmoveClock('4k3/8/8/8/8/8/8/4K3 w - - 2147483647 7'), fullmoveNumber('4k3/8/8/8/8/8/8/4K3 w - - 2147483647 7');
-- The pieces on all squares give the placement.
SELECT string_agg(coalesce(pieceAt(:kiwipete, chr(97 + x) || y), '.'), '' ORDER BY y DESC, x)
FROM generate_series(1, 8) AS y, generate_series(0, 7) AS x;

-- legalMoves: described as by moves().
SELECT * FROM legalMoves('4k3/P7/8/3pP3/8/8/8/R3K3 w Q d6 0 9');
SELECT count(*) FROM legalMoves(:kiwipete);
SELECT count(*) AS "mate: none" FROM legalMoves(finalBoard('1. f3 e5 2. g4 Qh4#'));
SELECT san, uci FROM legalMoves('bqrkrbnn/pppppppp/8/8/8/5NN1/PPPPPPPP/BQRKR3 w KQkq - 0 1') WHERE is_castling;

-- play: SAN or UCI.
SELECT move, play(:kiwipete::chessboard, move) FROM (VALUES ('O-O'), ('0-0-0'), ('e1g1'), ('e1a1'), ('dxe6'), ('Nxg6!?'), ('d5d6'), ('Qxf6+')) AS v (move);
SELECT play('4k3/P7/8/8/8/8/8/4K3 w - - 5 9'::chessboard, 'a7a8n'), play('4k3/P7/8/8/8/8/8/4K3 w - - 5 9'::chessboard, 'a8Q');
SELECT play('4k3/8/8/8/8/8/8/4K3 b - - 2147483647 2147483647'::chessboard, 'Kd8') AS "clocks at their end";
-- Both notations of every legal move lead to the same board.
SELECT count(*), bool_and(play(:kiwipete::chessboard, san) = play(:kiwipete::chessboard, uci)) FROM legalMoves(:kiwipete);

-- status and isCheck.
SELECT status(board::chessboard), isCheck(board::chessboard), board FROM (VALUES
    ('rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3'),
    ('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'),
    ('7k/6Q1/6K1/8/8/8/8/8 b - - 0 1'),
    ('8/8/4k3/8/8/3BK3/8/8 b - - 0 1'),
    ('3k4/8/8/8/8/8/4R3/4K3 w - - 99 90'),
    ('3k4/8/8/8/8/8/4R3/4K3 b - - 100 90'),
    ('3k4/8/8/8/8/8/4R3/4K3 b - - 150 90')) AS v (board);

-- zobrist: the examples published with the Polyglot book format.
SELECT moves, lpad(to_hex(zobrist(finalBoard(moves::chessgame))), 16, '0') = key AS equal, key FROM (VALUES
    ('', '463b96181691fc9c'), ('1. e4', '823c9b50fd114196'), ('1. e4 d5', '0756b94461c50fb0'),
    ('1. e4 d5 2. e5', '662fafb965db29d4'), ('1. e4 d5 2. e5 f5', '22a48b5a8e47ff78'),
    ('1. e4 d5 2. e5 f5 3. Ke2', '652a607ca3f242c1'), ('1. e4 d5 2. e5 f5 3. Ke2 Kf7', '00fdd303c946bdd9'),
    ('1. a4 b5 2. h4 b4 3. c4', '3c8123ea7b067637'), ('1. a4 b5 2. h4 b4 3. c4 bxc3 4. Ra3', '5c3f9b829b279560')) AS v (moves, key);

-- polyglotKey: zobrist, but for a pawn that may not capture en passant. polyglotMove: codes that mean something else elsewhere.
SELECT polyglotKey(board::chessboard) = zobrist(board::chessboard) AS equal, board FROM (VALUES
    ('rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3'), ('8/8/8/8/k2pP2Q/8/8/4K3 b - e3 0 1'),
    ('8/8/8/8/k3P2Q/8/8/4K3 b - e3 0 1'), ('8/8/8/8/k2pPp1Q/8/8/4K3 b - e3 0 1'), ('8/8/8/8/8/8/8/8')) AS v (board);
SELECT board, code, polyglotMove(board::chessboard, code) FROM (VALUES
    ('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 263), ('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 256),
    ('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', 262), ('r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1', 263),
    ('3k4/8/8/8/8/8/8/K3R3 w - - 0 1', 263), ('1k6/8/8/8/8/8/8/5KR1 w G - 0 1', 326),
    ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 19512), ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 7224), ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 3128),
    ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 23608), ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 65535), ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', 0)) AS v (board, code);
SELECT count(*), bool_and(polyglotMove(:kiwipete, code) = uci) FROM legalMoves(:kiwipete),
    LATERAL (SELECT movecode(from_square || CASE WHEN san = 'O-O' THEN 'h1' WHEN san = 'O-O-O' THEN 'a1' ELSE to_square END) AS plain) AS p,
    LATERAL (SELECT plain % 64 * 64 + plain / 64 AS code) AS c;
SELECT polyglotMove(:kiwipete, -1);
SELECT polyglotMove(:kiwipete, 65536);
SELECT polyglotMove('8/8/8/8/8/8/8/8', 796);
SELECT polyglotKey(NULL) IS NULL AND polyglotMove(NULL, 796) IS NULL AND polyglotMove(:kiwipete, NULL) IS NULL AS strict;

-- material, mirror, flip, samePosition, samePieces.
SELECT material(startBoard('')), material(:kiwipete), material('8/8/8/8/8/8/8/8');
SELECT mirror(:kiwipete), flip(:kiwipete), flip(getBoard('1. e4', 1)), mirror(getBoard('1. e4', 1));
SELECT mirror(mirror(:kiwipete)) = :kiwipete AS mirror, flip(flip(:kiwipete)) = :kiwipete AS flip,
       (SELECT count(*) FROM legalMoves(flip(:kiwipete))) AS moves;
SELECT samePosition(getBoard('1. e4 e5', 2), 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 9 9') AS yes,
       samePosition(getBoard('1. e4 e5', 2), 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 9 9') AS turn,
       samePosition(getBoard('1. e4 e5', 2), 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQk - 9 9') AS castling,
       samePosition(getBoard('1. e4 a6 2. e5 d5', 4), 'rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3') AS "en passant",
       samePieces(getBoard('1. e4 e5', 2), 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b - - 9 9') AS pieces;
-- symmetricBoards: 2 with castling rights, 4 with pawns, 16 without, 8 where all men stand on a diagonal.
SELECT n, b.board FROM unnest(symmetricBoards('8/8/8/4k3/8/8/4P3/4K3 w - - 3 9')) WITH ORDINALITY AS b (board, n);
SELECT cardinality(symmetricBoards(:kiwipete)) AS castling, cardinality(symmetricBoards('8/8/8/8/8/2k5/8/KQ6 w - -')) AS "no pawns",
       cardinality(symmetricBoards('8/8/8/8/3Q4/2k5/8/K7 b - -')) AS diagonal, cardinality(symmetricBoards('8/8/8/8/8/8/8/8')) AS empty,
       (SELECT bool_and(samePosition(b, flip(:kiwipete))) FROM unnest((symmetricBoards(:kiwipete))[2:]) AS b) AS flipped;
SELECT symmetricMove(getBoard('1. e4', 1), 'e7e5', flip(getBoard('1. e4', 1))) AS flipped,
       symmetricMove('8/8/8/4k3/8/8/4P3/4K3 w - -', 'Kf2', '8/8/8/3k4/8/8/3P4/3K4 w - - 9 9') AS mirrored,
       symmetricMove('8/8/8/8/3Q4/2k5/8/K7 b - -', 'Kc2', '8/8/8/8/3Q4/2k5/8/K7 b - -') AS "the same as",
       symmetricMove('startpos', NULL, 'startpos') IS NULL AS strict;
SELECT (opening(getBoard('1. e4 c5', 2))).*, (opening(startBoard(''))).name IS NULL AS none;

-- Errors: malformed moves, illegal moves, illegal positions, invalid names.
\set ECHO none
\i data/complaint.sql
\set ECHO all
\pset format unaligned
\pset tuples_only on
SELECT concat_ws(E'\n  ', call, c.code || ': ' || c.message, nullif(c.detail, ''), nullif(c.hint, '')) FROM (VALUES
    (1, $$play(startBoard(''), 'hello')$$), (2, $$play(startBoard(''), '')$$), (3, $$play(startBoard(''), '0000')$$),
    (4, $$play(startBoard(''), 'e2e5')$$), (5, $$play(startBoard(''), 'O-O')$$),
    (6, $$play('4k3/8/8/8/8/8/8/R2R2K1 w - -'::chessboard, 'Rb1')$$),
    (7, $$play('8/8/8/8/8/8/8/8'::chessboard, 'e4')$$), (8, $$legalMoves('4k3/8/8/8/8/8/8/8')$$),
    (9, $$status('4k3/8/8/8/8/8/4R3/4K3 w - -'::chessboard)$$), (10, $$status('P3k3/8/8/8/8/8/8/4K3 w K - 0 1'::chessboard)$$),
    (11, $$pieceAt(startBoard(''), 'e9')$$), (12, $$pieceAt(startBoard(''), 'É')$$),
    (13, $$pieces(startBoard(''), 'PX')$$), (14, $$occupied(startBoard(''), 'red')$$),
    (15, $$attacks(startBoard(''), '')$$), (16, $$attackers(startBoard(''), 'e4', 'x')$$),
    (17, $$squareSet(ARRAY['e4', 'z1'])$$), (18, $$svgBoard(startBoard(''), 'e2')$$), (19, $$svgBoard(startBoard(''), 'Nf3')$$),
    (20, $$svgBoard(startBoard(''), bottom => 'x')$$), (21, $$symmetricMove(startBoard(''), 'e4', '4k3/8/8/8/8/8/8/4K3 w - -')$$),
    (22, $$symmetricMove(startBoard(''), 'e5', startBoard(''))$$), (23, $$symmetricMove('8/8/8/8/8/8/8/8', 'e4', '8/8/8/8/8/8/8/8')$$)) AS v (n, call), complaint('SELECT ' || call) AS c ORDER BY n;
DROP FUNCTION complaint;
