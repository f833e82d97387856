-- Functions of single games and boards. Camel case needs no quotes.

\set fools '''1. f3 e5 2. g4 Qh4# 0-1'''
\set opera '''1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0'''

-- getBoard: the board after a number of half-moves, 0 for the start position.
SELECT ply, getBoard(:fools, ply) FROM generate_series(0, 4) AS ply ORDER BY ply;
-- A published example: a capture of the queen on d1 ...
SELECT getBoard('1. e3 d5 2. g4 Bxg4 3. e4 Bxd1 *', 6);
-- ... and the en passant square after every double push, even if no pawn can capture.
SELECT getBoard('1. e4 Nc6 2. d4', 3), getBoard('1. e4 e5 2. d4', 3);
SELECT getBoard(:opera, 23) AS "castled", getBoard(:opera, 33) AS "mate";
-- Clocks continue from those of the start position; captures and pawn moves reset the first one.
SELECT ply, getBoard('[FEN "4k3/7p/8/8/8/8/4r3/4K2R w K - 30 60"] 60. Kxe2 Ke7 61. Rxh7+ Kf6 62. Rh1', ply) FROM generate_series(0, 5) AS ply ORDER BY ply;
SELECT getBoard('[FEN "4k3/P7/8/8/8/8/8/4K2R b K - 3 40"] 40... Kd7 41. a8=N', 2);

-- getFirstMoves: at most this many half-moves, with unknown result, so that openings can be grouped.
SELECT plies, getFirstMoves(:fools, plies) FROM (VALUES (0), (1), (3), (4), (5), (2147483647)) AS t (plies);
SELECT getFirstMoves('1. e4 c5 1-0', 2) = getFirstMoves('1. e4 c5 2. Nf3 0-1', 2) AS grouped;
SELECT getFirstMoves('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] 1. e4 Kd7 2. e5 1-0', 1);
-- Check and mate marks, promotions and captures are kept.
SELECT getFirstMoves('1. a4 h5 2. a5 h4 3. a6 h3 4. axb7 hxg2 5. bxa8=Q gxh1=N 6. Qxb8', 10);

-- hasOpening: the same moves in any notation; results do not count.
SELECT hasOpening(:opera, '1.e4 e5 2.Nf3') AS yes,
       hasOpening(:opera, '1. e4 {best by test} e5 (1... c5) 1-0') AS "yes too",
       hasOpening(:opera, '') AS "the empty opening",
       hasOpening(:opera, :opera) AS "itself",
       hasOpening(:opera, '1. e4 e5 2. Nf3 Nc6') AS no,
       hasOpening('1. e4 e5', '1. e4 e5 2. Nf3') AS "longer than the game",
       hasOpening('1. d4 d5 2. c4', '1. c4 d5 2. d4') AS "same position by other moves";
-- A game from another start has other openings, even if the moves read the same.
SELECT hasOpening('[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1"] 1. e4', '1. e4') AS no,
       hasOpening('[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1"] 1. e4 e5',
                  '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1"] 1. e4') AS yes,
       hasOpening('[Variant "Chess960"] 1. e4 e5', '1. e4') AS "marked as Chess960";

-- hasBoard: the position by any move order; with a number, within the first half-moves, including half-move 0.
SELECT hasBoard('1. Nf3 d5 2. d4', getBoard('1. d4 d5 2. Nf3', 3)) AS transposed,
       hasBoard('1. Nf3 d5 2. d4', getBoard('1. d4 d5 2. Nf3', 3), 3) AS "within 3",
       hasBoard('1. Nf3 d5 2. d4', getBoard('1. d4 d5 2. Nf3', 3), 2) AS "within 2",
       hasBoard('1. Nf3 d5 2. d4', getBoard('', 0)) AS start,
       hasBoard('1. Nf3 d5 2. d4', getBoard('', 0), 0) AS "start within 0",
       hasBoard('1. Nf3 d5 2. d4', getBoard('1. Nf3', 1), 0) AS "later within 0",
       hasBoard('1. Nf3 d5 2. d4', getBoard('1. Nf3', 1), 2147483647) AS "beyond the end";
-- Every board of a game is found at its half-move and not before, and so are its pieces.
SELECT bool_and(hasBoard(:opera, board)) AS "all are", bool_and(hasBoard(:opera, board, ply)) AS "within ply",
       bool_or(hasBoard(:opera, board, ply - 1)) AS "before", bool_and(hasPieces(:opera, board, ply)) AS pieces,
       bool_and(hasBoard(:opera, epd(board)::chessboard, ply)) AS "by EPD"
FROM generate_series(1, plyCount(:opera)) AS ply, getBoard(:opera, ply) AS board;
-- Castling rights, side to move and placement count ...
SELECT hasBoard('1. e4 e5', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1') AS "same",
       hasBoard('1. e4 e5', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQk - 0 1') AS "rights",
       hasBoard('1. e4 e5', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1') AS "turn",
       hasBoard('1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8', getBoard('1. Nf3 Nf6', 2)) AS "before the rooks move",
       hasBoard('1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8', 'rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w Qq - 0 1') AS "after";
-- ... the clocks do not ...
SELECT hasBoard('1. e4 e5', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 57 99') AS "clocks";
-- ... and the en passant square does where a capture is legal: after 2... d5 it is, after 2... d6 and 3... d5 it is
-- not.
SELECT epd(getBoard('1. e4 a6 2. e5 d5', 4)), epd(getBoard('1. e3 d6 2. e4 a6 3. e5 d5', 6));
SELECT game, hasBoard(game, getBoard('1. e4 a6 2. e5 d5', 4)) AS "with e.p.",
       hasBoard(game, 'rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3') AS "without",
       hasPieces(game, getBoard('1. e4 a6 2. e5 d5', 4)) AS pieces
FROM (VALUES ('1. e4 a6 2. e5 d5'::chessgame), ('1. e3 d6 2. e4 a6 3. e5 d5')) AS t (game);
-- The pawn is pinned along the rank and cannot capture, so the square does not count.
SELECT epd('8/2p5/8/K2P3r/8/8/8/7k b - - 0 1'), epd(getBoard('[FEN "8/2p5/8/K2P3r/8/8/8/7k b - - 0 1"] 1... c5', 1)),
       hasBoard('[FEN "8/2p5/8/K2P3r/8/8/8/7k b - - 0 1"] 1... c5', '8/8/8/K1pP3r/8/8/8/7k w - - 0 1') AS "same position";

-- hasPieces: the placement only, whichever side is to move.
SELECT hasPieces('1. e3 e5 2. e4', getBoard('1. e4 e5', 2)) AS "other side to move",
       hasBoard('1. e3 e5 2. e4', getBoard('1. e4 e5', 2)) AS "not as a position",
       hasPieces('1. e3 e5 2. e4', getBoard('1. e4 e5', 2), 3) AS "within 3",
       hasPieces('1. e3 e5 2. e4', getBoard('1. e4 e5', 2), 2) AS "within 2",
       hasPieces('1. e3 e5 2. e4', '8/8/8/8/8/8/8/8') AS "not a part",
       hasPieces('1. e3 e5 2. e4', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w - - 0 1') AS "rights do not count";

-- plyCount and result.
SELECT plyCount(game), result(game) FROM (VALUES (:opera::chessgame), (:fools), (''), ('1. e4 1/2-1/2'), ('1. e4')) AS t (game);

-- epd: FEN without clocks; en passant only where a capture is legal. It groups boards by position.
SELECT epd(getBoard('1. d4 d5 2. Nf3', 3)), epd(getBoard('1. d4 d5 2. Nf3', 3)) = epd(getBoard('1. Nf3 d5 2. d4', 3)) AS same,
       getBoard('1. d4 d5 2. Nf3', 3) = getBoard('1. Nf3 d5 2. d4', 3) AS "same board";

-- The bounds of an opening: its least game, and the next game after all of them.
SELECT openingLowerBound('1. e4 e5 1-0') AS lower, openingUpperBound('1. e4 e5 1-0') AS upper;
SELECT openingUpperBound('1. e4 e5')::text::chessgame = openingUpperBound('1. e4 e5') AS "reads as written",
       result(openingUpperBound('1. e4 e5')), plyCount(openingUpperBound('1. e4 e5'));
SELECT bool_and(game >= openingLowerBound(opening) AND game < openingUpperBound(opening)) AS "between",
       bool_and(openingUpperBound(getFirstMoves(game, 5)) <= openingUpperBound(getFirstMoves(game, 4))) AS nested
FROM (VALUES (:opera::chessgame), ('1. e4 e5 2. Nf3 d6 3. d4 exd4 4. Nxd4 1/2-1/2')) AS t (game), getFirstMoves(:opera, 4) AS opening;
