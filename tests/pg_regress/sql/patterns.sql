-- Patterns: the type, searches in games and on boards, and errors.

-- One canonical text, in text and binary format.
CREATE TEMP TABLE spellings (n serial, spelling text);
INSERT INTO spellings (spelling) VALUES
    ('Nd5'),
    (E' Nd5\n NOT [bn]  attacks d5 '),
    ('flip( isolated(Pd) )'),
    ('KPPRvKR'),
    ('check then 1.. mate'),
    ('Rx[bn] directly axR then within 2 R + 1 = r for 8'),
    ('[a]4 and a4-b4 or b4xc3'),
    ('board(8/8/8/3[Nn]4/8/8/8/_7)'),
    ('imbalance Rv[BN]');
SELECT n, spelling::chesspattern AS pattern FROM spellings ORDER BY n;
SELECT count(*) AS "not a fixed point" FROM spellings
WHERE spelling::chesspattern::text::chesspattern::text <> spelling::chesspattern::text
   OR chesspattern_send(spelling::chesspattern::text::chesspattern) <> chesspattern_send(spelling::chesspattern);
SELECT chesspattern_send('Nd5');
SELECT 'Nd5 pe6'::chesspattern = 'Nd5 and pe6' AS eq, 'Nd5'::chesspattern <> 'Nd4' AS ne,
       chesspattern_hash('Nd5 pe6') = chesspattern_hash('Nd5 and pe6') AS hash,
       chesspattern_hash_extended('Nd5 pe6', 7) = chesspattern_hash_extended('Nd5 and pe6', 7) AS "hash extended";
SELECT count(*) FROM (SELECT spelling::chesspattern FROM (SELECT spelling FROM spellings UNION ALL SELECT '(Nd5)') AS s GROUP BY 1) AS g;

-- Stored patterns survive COPY, also if their canonical text is longer than input may be.
CREATE TEMP TABLE stored AS SELECT n, pattern::chesspattern FROM (VALUES
    (1, 'Nd5'),
    (2, (SELECT string_agg('~P', ' and ') FROM generate_series(1, 585))),
    (3, (SELECT string_agg('~P', ' and ') FROM generate_series(1, 2048)))) AS s (n, pattern);
SELECT current_setting('data_directory') || '/stored_patterns' AS file \gset
CREATE TEMP TABLE restored (LIKE stored);
COPY stored TO :'file';
COPY restored FROM :'file';
COPY stored TO :'file' (FORMAT binary);
COPY restored FROM :'file' (FORMAT binary);
SELECT n, length(s.pattern::text), count(*) AS "came back" FROM stored AS s JOIN restored AS r USING (n)
WHERE r.pattern = s.pattern GROUP BY 1, 2 ORDER BY 1;

-- In games: literals need no cast.
CREATE TEMP TABLE few (id int, game chessgame);
INSERT INTO few VALUES
    (1, '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 7. Nxd4 c5'),
    (2, '1. f3 e5 2. g4 Qh4# 0-1'),
    (3, '1. e4 d5 2. e5 f5 3. exf6 Nc6 4. fxg7 h6 5. gxh8=N'),
    (4, ''),
    (5, NULL);
SELECT id FROM few WHERE game @@ 'Bx[n] directly pxB' ORDER BY id;
SELECT id FROM few WHERE 'mate' @@ game ORDER BY id;
SELECT id, hasPattern(game, 'castling'), hasPattern(game, 'castling', 8) AS early, plyOfPattern(game, 'capture') AS ply
FROM few ORDER BY id;
SELECT id, f.* FROM few, findPattern(game, 'capture then within 4 capture') AS f ORDER BY id, last;
SELECT id, f.* FROM few, findPattern(game, 'P-.=[NBR] or enpassant') AS f ORDER BY id, last;
SELECT * FROM findPattern(NULL, 'mate');
SELECT hasPattern('1. e4'::chessgame, NULL) IS NULL AS "null";

-- On boards.
SELECT getBoard(game, 4) @@ 'mate' AS mate, 'wtm' @@ getBoard(game, 4) AS wtm, hasPattern(getBoard(game, 4), 'q attacks K')
FROM few WHERE id = 2;
SELECT array(SELECT * FROM squares(squaresOf(finalBoard(game), 'isolated(p) | A & (. attackedby a)'))) FROM few WHERE id = 1;
SELECT svgBoard(finalBoard(game), marked => squaresOf(finalBoard(game), 'q')) =
       svgBoard(finalBoard(game), marked => pieces(finalBoard(game), 'q')) AS same FROM few WHERE id = 2;

-- Compared with plain SQL.
SELECT count(*) AS differ FROM few, LATERAL (VALUES ('Nc6'), ('P = 8 and p < 8'), ('check'), ('[QRq] attacks [Kk]'), ('isolated([Pp])'),
    ('passed(P)'), ('outpost([Nn])'), ('line([BQ], [Pp], k)'), ('islands(p) > 1')) AS p (pattern)
WHERE game @@ pattern::chesspattern <> EXISTS (SELECT FROM positions(game) AS s WHERE s.board @@ pattern::chesspattern);
SELECT count(*) AS differ FROM few WHERE game @@ 'mate' <> (status(game) LIKE '%wins');
SELECT count(*) AS differ FROM few WHERE game @@ 'Nx.' <>
    EXISTS (SELECT FROM moves(game) WHERE piece = 'N' AND captured IS NOT NULL AND turn = 'w');
SELECT count(*) AS differ FROM few, (VALUES ('KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP'), ('KvK')) AS m (material)
WHERE hasMaterial(game, material) <> game @@ material::chesspattern;

SELECT count(*) AS differ FROM few, LATERAL (VALUES ('N', 'f3'), ('P', 'd4'), ('K', 'g1'), ('B', 'c6')) AS m (letter, square)
WHERE game @@ (letter || '-' || square)::chesspattern <>
    EXISTS (SELECT FROM moves(game) AS s WHERE s.piece = letter AND s.to_square = square AND s.turn = 'w');
SELECT count(*) AS differ FROM few, findPattern(game, 'capture') AS f
WHERE NOT EXISTS (SELECT FROM moves(game) AS s WHERE s.ply = f.last AND s.captured IS NOT NULL);

-- A mirrored or flipped board matches the pattern's image.
SELECT count(*) AS boards, count(*) FILTER (WHERE here) AS "have it", count(*) FILTER (WHERE here <> there) AS differ
FROM few, LATERAL positions(game) AS s,
    (VALUES (true, 'Nf3', 'nf6'), (true, 'isolated([Pp]d)', 'isolated([Pp]d)'), (true, 'A attacks k', 'a attacks K'),
            (true, 'wtm', 'btm'), (true, 'castle(KQ)', 'castle(kq)'), (true, 'P = 8 and p < 8', 'p = 8 and P < 8'),
            (true, 'passed(P) or outpost(N)', 'passed(p) or outpost(n)'), (false, 'Nf3', 'Nc3'), (false, 'Pa and ph', 'Ph and pa'),
            (false, 'line(B, [Pp], k)', 'line(B, [Pp], k)'), (false, 'B[light]', 'B[dark]')) AS p (flips, pattern, of_image),
    LATERAL (SELECT s.board @@ pattern::chesspattern, CASE WHEN flips THEN flip(s.board) ELSE mirror(s.board) END @@ of_image::chesspattern) AS m (here, there);

-- Errors, with the place.
SELECT 'Nd9'::chesspattern;
SELECT 'Nd5 and d5'::chesspattern;
SELECT 'isolatd(Pd)'::chesspattern;
SELECT 'R[5-3]'::chesspattern;
SELECT 'not (check then mate)'::chesspattern;
SELECT '(Nd5'::chesspattern;
SELECT ''::chesspattern;
SELECT 'KRPKR'::chesspattern;
SELECT '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'::chesspattern;
SELECT 'Nbd2'::chesspattern;
SELECT id FROM few WHERE game @@ 'Nd9';
\set VERBOSITY sqlstate
SELECT repeat('Nd5 ', 1250)::chesspattern;
SELECT repeat('~P', 2048)::chesspattern;
SELECT (repeat('(', 65) || 'Nd5' || repeat(')', 65))::chesspattern;
SELECT (repeat('rotate(shift(', 20) || 'Nd4 ne5' || repeat('))', 20))::chesspattern;
SELECT squaresOf(finalBoard('1. e4'), repeat('rotate(shift(', 20) || 'N[d4,e5]' || repeat('))', 20));
SELECT finalBoard('1. e4') @@ 'Nx.';
SELECT squaresOf(finalBoard('1. e4'), 'check');
SELECT squaresOf(finalBoard('1. e4'), 'moved');
SELECT hasPattern('1. e4'::chessgame, 'mate', -1);
\set VERBOSITY default

