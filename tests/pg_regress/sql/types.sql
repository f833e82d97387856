-- The types chessgame and chessboard: accepted input, and the only form of output.

-- A game is written as one line of canonical move text.
CREATE TEMP TABLE spellings (n serial, spelling text);
INSERT INTO spellings (spelling) VALUES
    (''),
    ('*'),
    ('1-0'),
    ('1. f3 e5 2. g4 Qh4# 0-1'),
    ('1.f3 e5 2.g4 Qh4'),
    ('f3 e5 g4 Qh4+'),
    ('1 f3 e5 2 g4 Qh4 *'),
    ('1. f3 1... e5 2. g4 2...Qh4'),
    (E'1. f3\n\te5\r\n2. g4 Qh4#\n0-1\n'),
    (E'\uFEFF1. f3 e5'),
    ('1. f3 {why?} e5 $6 (1... d5 2. g4 (2. e4)) 2. g4?? ; a comment to the end of the line' || E'\n% an escape\nQh4# 0-1'),
    ('1. f3 { ( [ 1-0 } e5'),
    ('1. e4 e5 2. Ng1f3 Nb8c6 3. Bf1b5 a6 4. Bb5xc6+ dxc6 5. 0-0 1/2-1/2'),
    ('1. e4 d5 2. e5 f5 3. exf6 e.p. Nc6 4. fxg7 h6 5. gxh8Q'),
    ('1. e4 d5 2. e5 f5 3. exf6e.p. Nc6 4. fxg7 h6 5. gxh8=N!?'),
    ('17. e2e4 99... e7e5');
SELECT n, spelling::chessgame AS game FROM spellings ORDER BY n;

-- Output reads back as the same game, byte for byte.
SELECT count(*) AS "not a fixed point" FROM spellings
WHERE chessgame_send(spelling::chessgame::text::chessgame) <> chessgame_send(spelling::chessgame)
   OR spelling::chessgame::text::chessgame::text <> spelling::chessgame::text;

-- Other starts and Chess960 are tags in input and output.
SELECT text::chessgame AS game FROM (VALUES
    ('[FEN "4k3/P7/8/8/8/8/8/4K2R w K - 3 40"] 40. O-O Kd7 41. a8Q'),
    ('[SetUp "1"]' || E'\n' || '[FEN "8/8/8/8/8/5k2/4p3/4K3 b - - 0 1"]' || E'\n\n1... Ke3'),
    ('[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"] 1. e4'),
    ('[FEN "?"][Variant "Standard"] 1. e4'),
    ('[Variant "Chess960"][FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1"] 1. g3 g6 2. Nf3 Nf6 3. O-O O-O'),
    ('[FEN "1r2kr1r/8/8/8/8/8/PPPPPPP1/1R2KR1R w FBfb - 2 10"] 10. O-O O-O-O 11. Rh7 Rxh7'),
    ('[Variant "Chess 960"] 1. e4 e5')) AS t (text);
-- The standard start as a FEN tag is the same start; the Chess960 mark is part of the game.
SELECT '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"] 1. e4'::chessgame = '1. e4' AS yes,
       '[Variant "Chess960"] 1. e4'::chessgame = '1. e4' AS no;

-- Output of a board has six fields; missing ones have defaults in input.
SELECT fen, fen::chessboard AS board FROM (VALUES
    ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    ('rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 2'),
    ('4k3/8/8/8/8/8/4P3/4K3'),
    ('4k3/8/8/8/8/8/4P3/4K3 b'),
    ('4k3/8/8/8/8/8/8/4K2R w K'),
    ('4k3/8/8/8/4P3/8/8/4K3 b - e3'),
    ('4k3/8/8/8/8/8/8/4K3 w - - 99'),
    ('  4k3/8/8/8/8/8/8/4K3   w -' || E'\t' || '- 99 140 '),
    ('4k3/8/8/8/8/8/8/11111111 w - - 0 1'),
    ('8/8/8/8/8/8/8/8'),
    ('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 1'),
    ('8/8/8/8/8/8/8/8 w - - 2147483647 0')) AS t (fen);
-- X-FEN and Shredder-FEN: K and Q for the outermost rook, a file for another.
SELECT fen, fen::chessboard AS board FROM (VALUES
    ('nrk1brnb/pp1ppppp/8/8/8/8/PP1PPPPP/NRK1BRNB w FBfb - 0 1'),
    ('1r2kr1r/8/8/8/8/8/8/1R2KR1R w FBfb - 0 1'),
    ('1r2kr1r/8/8/8/8/8/8/1R2KR1R w HBhb - 0 1'),
    ('r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1')) AS t (fen);
SELECT count(*) AS "not a fixed point" FROM (VALUES
    ('1r2kr1r/8/8/8/8/8/8/1R2KR1R w FBfb - 7 9'), ('8/8/8/8/8/8/8/8'), ('4k3/8/8/8/4P3/8/8/4K3 b - e3')) AS t (fen)
WHERE chessboard_send(fen::chessboard::text::chessboard) <> chessboard_send(fen::chessboard);

-- Casts to and from text exist, but none is implicit.
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
WHERE 'chessgame'::regtype IN (castsource, casttarget) OR 'chessboard'::regtype IN (castsource, casttarget)
ORDER BY castsource::regtype::text, casttarget::regtype::text;
CREATE TEMP TABLE converted (t text, game chessgame, board chessboard);
INSERT INTO converted (t) SELECT '1.e4'::chessgame;
INSERT INTO converted (t) SELECT '4k3/8/8/8/8/8/8/4K3'::chessboard;
SELECT t FROM converted;
\set VERBOSITY sqlstate
INSERT INTO converted (game) SELECT '1. e4'::text;
INSERT INTO converted (board) SELECT '4k3/8/8/8/8/8/8/4K3'::text;
SELECT length('1. e4'::chessgame);
SELECT '1. e4'::chessgame = '1. e4'::text;
\set VERBOSITY default
SELECT CAST('1.e4'::text AS chessgame), CAST('4k3/8/8/8/8/8/8/4K3'::varchar AS chessboard);

-- The binary format as in docs/format.md: a version byte and the stored bytes.
SELECT chessgame_send('1. f3 e5 2. g4 Qh4# 0-1');
SELECT chessgame_send('');
SELECT chessgame_send('[Variant "Chess960"][FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"] 1. O-O');
SELECT chessboard_send('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1');
SELECT chessboard_send('4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1');

-- The binary format survives a round trip.
SELECT current_setting('data_directory') || '/chess_types.copy' AS file \gset
CREATE TEMP TABLE sent (n integer, game chessgame, board chessboard, boards chessboard[]);
INSERT INTO sent
SELECT n, game, getboard(game, plycount(game)), ARRAY[getboard(game, 0), NULL, getboard(game, plycount(game))]
FROM (SELECT n, spelling::chessgame AS game FROM spellings) AS s
UNION ALL VALUES (100, NULL::chessgame, NULL::chessboard, NULL::chessboard[]),
    (101, '[Variant "Chess960"][FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1"] 1. g3 g6',
     '8/8/8/8/8/8/8/8 b - e6 2147483647 2147483647', '{}');
CREATE TEMP TABLE received (LIKE sent);
COPY sent TO :'file' (FORMAT binary);
COPY received FROM :'file' (FORMAT binary);
SELECT count(*) FROM received;
SELECT * FROM (TABLE sent EXCEPT ALL TABLE received) AS lost;
SELECT 'cat >/dev/null; rm ' || :'file' AS remove \gset
COPY (SELECT) TO PROGRAM :'remove';
