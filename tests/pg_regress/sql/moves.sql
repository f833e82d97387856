-- Contents of a game: moves, positions, the next move, notations, status, material, opening.

\set opera '''1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0'''

-- moves: every column.
SELECT * FROM moves('1. e4 d5 2. e5 f5 3. exf6 Nh6 4. fxg7 Be6 5. gxh8=Q Nc6 6. Qxh7 Qd6 7. Nf3 O-O-O 8. Be2 Bf7 9. O-O');
SELECT ply, san, uci, is_check, is_mate, is_castling FROM moves(:opera) WHERE is_check OR is_castling ORDER BY ply;
SELECT count(*) FROM moves('');
-- Another start: numbers continue, and Black may move first. In UCI, castling in Chess960 is the king's move to its
-- rook.
SELECT ply, number, turn, san, uci FROM moves('[FEN "4k3/7p/8/8/8/8/r7/4K2R b K - 30 60"] 60... Ra1+ 61. Kd2 Rxh1');
SELECT ply, san, uci, to_square, is_castling
FROM moves('[Variant "Chess960"] [FEN "bqrkrbnn/pppppppp/8/8/8/8/PPPPPPPP/BQRKRBNN w KQkq - 0 1"] 1. e4 e5 2. Be2 Be7 3. Nhg3 Nhg6 4. Nf3 Nf6 5. O-O O-O-O');
-- In the select list, also beside another set.
SELECT (moves('1. e4 e5')).san, generate_series(1, 2);
-- The board is that after the move, with its clocks.
SELECT ply, san, board FROM moves('[FEN "4k3/7p/8/8/8/8/r7/4K2R b K - 30 60"] 60... Ra1+ 61. Kd2 h5 62. Rxh5');
SELECT count(*), bool_and(m.board = getBoard(game, m.ply)) AS "as getBoard"
FROM (VALUES (:opera::chessgame), ('1. e4 d5 2. e5 f5 3. exf6 Nh6 4. fxg7 Be6 5. gxh8=Q Nc6 6. Qxh7 Qd6 7. Nf3 O-O-O 8. Be2 Bf7 9. O-O'),
    ('[Variant "Chess960"] [FEN "bqrkrbnn/pppppppp/8/8/8/8/PPPPPPPP/BQRKRBNN w KQkq - 0 1"] 1. e4 e5 2. Be2 Be7 3. Nhg3 Nhg6 4. Nf3 Nf6 5. O-O O-O-O'),
    ('[FEN "4k3/7p/8/8/8/8/r7/4K2R b K - 30 60"] 60... Ra1+ 61. Kd2 h5 62. Rxh5'), ('')) AS games (game), moves(game) AS m;
-- Playing the moves of a game from its start gives its boards.
SELECT bool_and(play(p.board, m.san) = n.board) AND bool_and(play(p.board, m.uci) = n.board) AS "played again"
FROM moves(:opera) AS m JOIN positions(:opera) AS p ON p.ply = m.ply - 1 JOIN positions(:opera) AS n ON n.ply = m.ply;

-- positions: from the start, equal to getBoard.
SELECT * FROM positions('[FEN "4k3/7p/8/8/8/8/4r3/4K2R w K - 30 60"] 60. Kxe2 Ke7 61. Rxh7+ Kf6 62. Rh1');
SELECT count(*), bool_and(board = getBoard(:opera, ply)) AS "as getBoard" FROM positions(:opera);
SELECT startBoard(:opera), finalBoard(:opera) = getBoard(:opera, 33) AS final;
SELECT startBoard('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9"] 9. e4'), finalBoard('');

-- nextMove and plyOf: the first occurrence of the position, by any move order; NULL if it never occurs, or, for
-- nextMove, only at the end.
SELECT nextMove(:opera, startBoard('')) AS first, nextMove(:opera, getBoard(:opera, 32)) AS last,
       nextMove(:opera, finalBoard(:opera)) AS "at the end", nextMove(:opera, getBoard('1. d4', 1)) AS never,
       nextMove('1. Nf3 d5 2. d4 Nf6', getBoard('1. d4 d5 2. Nf3', 3)) AS transposed;
SELECT plyOf(:opera, startBoard('')) AS first, plyOf(:opera, getBoard(:opera, 32)) AS last,
       plyOf(:opera, finalBoard(:opera)) AS "at the end", plyOf(:opera, getBoard('1. d4', 1)) AS never;
-- The position recurs: the first occurrence counts.
SELECT nextMove('1. Nf3 Nf6 2. Ng1 Ng8 3. e4', startBoard('')) AS first, plyOf('1. Nf3 Nf6 2. Ng1 Ng8 3. e4', startBoard(''));
SELECT bool_and(nextMove(:opera, p.board) = m.san) AS "as moves"
FROM positions(:opera) AS p JOIN moves(:opera) AS m ON m.ply = p.ply + 1;
-- The search ignores move clocks, and an en passant square if no capture is possible. No game has an illegal position.
SELECT nextMove('1. e4 c5', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 40') AS c5,
       nextMove('1. e4 c5', 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1') AS e4,
       nextMove('1. e4 c5', '8/8/8/8/8/8/8/8') AS nothing, plyOf('1. e4 c5', '8/8/8/8/8/8/8/8');
-- reachedBoard: of some boards the one that arises first, as it stands in the array.
SELECT reachedBoard(:opera, ARRAY[getBoard(:opera, 9), NULL, getBoard('1. d4', 1), getBoard(:opera, 6)]) = getBoard(:opera, 6) AS first,
       reachedBoard('1. e4', ARRAY['rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 40'::chessboard]) AS "as it stands",
       reachedBoard(:opera, ARRAY[getBoard('1. d4', 1)]) IS NULL AS none, reachedBoard(:opera, '{}') IS NULL AS empty,
       reachedBoard(:opera, ARRAY[NULL]::chessboard[]) IS NULL AS "only NULL", reachedBoard(:opera, NULL) IS NULL AS strict;
SELECT bool_and(reachedBoard(:opera, ARRAY[finalBoard(:opera), p.board]) = p.board) AS "each board" FROM positions(:opera) AS p;
-- A different board in every row.
SELECT n, nextMove('1. e4 c5 2. Nf3 d6', getBoard('1. e4 c5 2. Nf3', n)) FROM generate_series(0, 3) AS n ORDER BY n;

-- uci and fromUci.
SELECT uci('1. e4 e5 2. Nf3 1-0'), uci('') = '' AS empty, uci('1. e4 d5 2. e5 f5 3. exf6 Bh3 4. fxg7 Bxg2 5. gxh8=N');
SELECT uci('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"] 1. a8=Q+ Kf7');
SELECT fromUci('e2e4 e7e5 g1f3'), fromUci('position startpos moves e2e4'), fromUci('') = '' AS empty,
       fromUci('fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves a7a8Q');
SELECT fromUci(uci(:opera)) = getFirstMoves(:opera, 100) AS "there and back";
SELECT fromUci('e2e4 e7e6 g1f3 f8c5 f1c4 g8f6 e1g1 e8h8');

-- pgn: the roster first, tags of the game last, lines shorter than 80 characters.
SELECT pgn(:opera, '{"White": "Morphy, Paul", "Black": "Duke Karl / \"Count Isouard\"", "Date": "1858.11.02", "ECO": "C41", "WhiteElo": 2690, "Note": ["a\\b", "c"], "Nothing": null, "Result": "0-1", "FEN": "x"}');
SELECT pgn('[Variant "Chess960"] [FEN "bqrkrbnn/pppppppp/8/8/8/8/PPPPPPPP/BQRKRBNN w KQkq - 0 1"] 1. e4');
SELECT pgn('1. e4', '{"Result": "1/2-1/2"}');
SELECT pgn('1. e4', NULL) = pgn('1. e4') AS "no tags", pgn(NULL, '{}') IS NULL AS "no game";
-- Numbers keep their spelling.
SELECT g.tags FROM pgngames(pgn('1. e4', '{"Round": 1.10, "Id": 12345678901234567890123, "X": 0.00}')) AS g;
SELECT g.game = :opera AS "read again", g.tags FROM pgngames(pgn(:opera, '{"White": "É"}')) AS g;
-- Control characters in values become spaces, because some readers take them for line breaks.
SELECT g.tags->'White' AS white FROM pgngames(pgn('1. e4', '{"White": "a\tb\rc\u0001d\ne"}')) AS g;

-- status: of the last position, by the rules; the recorded result does not count.
SELECT status(game::chessgame), game FROM (VALUES
    ('1. e4 e5 1-0'),
    ('1. f3 e5 2. g4 Qh4#'),
    ('1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#'),
    ('[FEN "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"] 1. Qf7'),
    ('[FEN "7k/8/6K1/8/8/8/5p2/4B3 w - - 0 1"] 1. Bxf2'),
    ('1. Nf3 Nf6 2. Ng1 Ng8'),
    ('1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8'),
    ('1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4'),
    ('1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8'),
    -- Castling rights are lost with 2. Ke2 and Ke7: the position after 1... e5 does not recur, those after it do.
    ('1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 Ke7 5. Ke1 Ke8'),
    ('1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 Ke7 5. Ke1 Ke8 6. Ke2 Ke7 7. Ke1 Ke8'),
    ('[FEN "3k4/8/8/8/8/8/4R3/4K3 w - - 99 90"] 1. Re3'),
    ('[FEN "3k4/8/8/8/8/8/4R3/4K3 w - - 149 150"] 1. Re3'),
    -- Mate takes precedence over the clock.
    ('[FEN "k7/8/1K6/8/8/8/8/7R w - - 149 150"] 1. Rh8#')) AS v (game);

-- hasMaterial: exactly these pieces, White first, with the letters in any order.
SELECT hasMaterial('1. e4 d5 2. exd5 Qxd5', 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP') AS "after 3",
       hasMaterial('1. e4 d5 2. exd5 Qxd5', 'PPPPPPPPKQRRBBNNvPPPPPPPKQRRBBNN', 3) AS "within 3",
       hasMaterial('1. e4 d5 2. exd5 Qxd5', 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP', 2) AS "within 2",
       hasMaterial('1. e4 d5 2. exd5 Qxd5', 'KQRRBBNNPPPPPPPvKQRRBBNNPPPPPPPP') AS "other side",
       hasMaterial('1. e4', material(startBoard('')), 0) AS start,
       hasMaterial('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"] 1. a8=Q+', 'KQvK') AS promoted,
       hasMaterial('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"] 1. a8=Q+', 'KRvK') AS "to a rook";
SELECT ply, material(board), hasMaterial(:opera, material(board), ply) AS found
FROM positions(:opera) WHERE ply IN (0, 7, 8, 33) ORDER BY ply;

-- opening: the last named position, by any move order.
SELECT (opening(:opera::chessgame)).*, (opening(''::chessgame)).eco IS NULL AS "none";
SELECT DISTINCT o.* FROM (VALUES ('1. d4 Nf6 2. c4 e6 3. Nc3 Bb4'), ('1. c4 e6 2. Nc3 Bb4 3. d4 Nf6')) AS v (game), opening(game::chessgame) AS o;
SELECT o.* FROM opening('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Rg1 h6 7. Rh1'::chessgame) AS o;
SELECT o.* FROM opening('1. d4 Nf6 2. c4 g6 3. Nc3 d5'::chessgame) AS o;

-- NULL in, NULL or no rows out.
SELECT nextMove(NULL, startBoard('')), nextMove('1. e4', NULL), status(NULL::chessgame), uci(NULL), fromUci(NULL), pgn(NULL), pgn('', NULL), hasMaterial('', NULL);
SELECT count(*) FROM moves(NULL);

-- The materials of a game are those of its positions.
SELECT * FROM materials('1. e4 d5 2. exd5 Qxd5 3. Nc3');
SELECT * FROM materials('[FEN "8/P6k/8/8/8/8/7p/K7 w - - 0 1"] 1. a8=N h1=Q+ 2. Kb2 Qxa8');
SELECT count(*) AS games, bool_and(listed = replayed) AS same
FROM (VALUES (:opera::chessgame), ('1. e4 d5 2. e5 f5 3. exf6 Nh6 4. fxg7 Be6 5. gxh8=Q Nc6 6. Qxh7 Qd6 7. Nf3 O-O-O 8. Be2 Bf7 9. O-O'),
    ('[Variant "Chess960"] [FEN "bqrkrbnn/pppppppp/8/8/8/8/PPPPPPPP/BQRKRBNN w KQkq - 0 1"] 1. e4 e5 2. Be2 Be7 3. Nhg3 Nhg6 4. Nf3 Nf6 5. O-O O-O-O'),
    ('')) AS games (game),
    LATERAL (SELECT string_agg(material, ' ' ORDER BY ply) FROM materials(game), generate_series(first, last) AS ply) AS l (listed),
    LATERAL (SELECT string_agg(material(board), ' ' ORDER BY ply) FROM positions(game)) AS r (replayed);
SELECT count(*) FROM materials(NULL);

-- Errors.
SELECT fromUci('e2e4 e7e5 e4e5');
SELECT fromUci('e2e4 Nf6');
SELECT fromUci('e2e4 0000');
SELECT fromUci('startpos e2e4');
SELECT fromUci('fen 8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4');
SELECT fromUci('fen rnbgkbnr moves e2e4');
SELECT hasMaterial('1. e4', 'KRPP');
SELECT hasMaterial('1. e4', 'KvK', -1);
SELECT pgn('1. e4', '[]');
SELECT pgn('1. e4', '{"White Elo": 1}');
SELECT pgn('1. e4', '{"White": {}}');

-- The directory of endgame tables is named to those who may read the setting.
SET chess.syzygy_path = '/nowhere/at/all';
SELECT tablebase(startBoard(''));
CREATE ROLE regress_chess_reader;
SET ROLE regress_chess_reader;
SELECT tablebase(startBoard(''));
RESET ROLE;
DROP ROLE regress_chess_reader;
RESET chess.syzygy_path;
