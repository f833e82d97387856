-- Half-moves of a game, and games made from games. Negative numbers count from the end.
\set opera '''1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0'''
\set fischer '''[Variant "Chess960"] [FEN "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"] 1. O-O O-O 2. g3 1/2-1/2'''
\set late '''[FEN "4k3/P7/8/8/8/8/8/4K2R b K - 3 40"] 40... Kd7 41. a8=N Kc6 42. O-O 0-1'''
CREATE TABLE games (id int, game chessgame);
INSERT INTO games VALUES (1, :opera), (2, :fischer), (3, :late), (4, ''), (5, '1. f3 e5 2. g4 Qh4# 0-1'), (6, NULL),
    (7, '[FEN "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"] 3. exf6 Nxf6');

-- getBoard and getFirstMoves with negative numbers: before the last half-moves, without the last ones.
SELECT n, getBoard('1. f3 e5 2. g4 Qh4#', n), getFirstMoves('1. f3 e5 2. g4 Qh4# 0-1', n) FROM generate_series(-4, 4) AS n;
SELECT getFirstMoves('1. f3', n) FROM (VALUES (-2), (-2147483648)) AS v (n);
SELECT bool_and(getBoard(game, -n) = getBoard(game, plyCount(game) - n)) AS "the same board",
       bool_and(getBoard(game, -n) = finalBoard(getFirstMoves(game, -n))) AS "of the same moves",
       bool_and(getFirstMoves(game, -n) = getFirstMoves(game, plyCount(game) - n)) AS "the same moves", count(*)
FROM games, generate_series(1, plyCount(game)) AS n;

-- moveAt, sans, ucis: the same as moves().
SELECT moveAt(:opera, 1) AS first, moveAt(:opera, 23) AS castles, moveAt(:opera, -1) AS last, moveAt(:opera, 0) AS none,
       moveAt(:opera, 34) AS beyond, moveAt(:opera, -33) AS first, moveAt(:opera, -34) AS before, moveAt(:opera, -2147483648) AS long_before;
SELECT id, array_agg(m.san ORDER BY m.ply) = sans(game) AS sans, array_agg(m.uci ORDER BY m.ply) = ucis(game) AS ucis,
       bool_and(m.san = moveAt(game, m.ply)) AS "from the start", bool_and(m.san = moveAt(game, m.ply - plyCount(game) - 1)) AS "from the end",
       bool_and(m.san = (sans(game))[m.ply]) AS subscript
FROM games, moves(game) AS m GROUP BY id, game ORDER BY id;
SELECT sans(:late), ucis(:late), sans(:fischer), ucis(:fischer);
-- The arrays are ordinary: empty ones, alignment, binary output, TOAST, slices, concatenation.
SELECT sans(''), ucis(''), cardinality(sans('')), array_ndims(sans('')), sans('') = '{}' AS "the empty array";
SELECT cardinality(sans(game)), array_lower(sans(game), 1), (sans(game))[3:5], sans(game) || ARRAY['x'] = array_append(sans(game), 'x') AS joined,
       array_send(sans(game)) = array_send(sans(game)::text::text[]) AS "as from text"
FROM games WHERE id IN (1, 3) ORDER BY id;
CREATE TABLE arrays AS SELECT sans(('1. Nf3 Nf6 ' || repeat('Ng1 Ng8 Nf3 Nf6 ', 2500))::chessgame) AS a;
SELECT cardinality(a), a[10001], pg_column_size(a) < 20000 AS compressed, (SELECT count(DISTINCT m) FROM unnest(a) AS m) AS moves FROM arrays;

-- isChess960: the mark, which a start position alone does not set.
SELECT id, isChess960(game) FROM games ORDER BY id;

-- getMoves: a part, as a game from the board before it.
SELECT getMoves(:opera, 1, 4) AS head, getMoves(:opera, 31, 33) AS tail;
SELECT getMoves(:opera, -3, -1) = getMoves(:opera, 31, 33) AS "from the end", getMoves(:opera, 1, 10) = getFirstMoves(:opera, 10) AS "the first ten",
       getMoves(:opera, 0, 99) = getFirstMoves(:opera, 99) AS all, getMoves(:opera, 5, 4) AS none, getMoves(:opera, 99, 100) = newGame(finalBoard(:opera)) AS beyond,
       getMoves(:opera, -99, -34) AS before;
SELECT id, bool_and(sans(getMoves(game, a, b)) = (sans(game))[a:b]) AS moves,
       bool_and(startBoard(getMoves(game, a, b)) = getBoard(game, a - 1)) AS start,
       bool_and(finalBoard(getMoves(game, a, b)) = getBoard(game, b)) AS "end", count(*)
FROM games, generate_series(1, plyCount(game)) AS a, generate_series(a, plyCount(game)) AS b GROUP BY id ORDER BY id;

-- play, takeBack, withResult, newGame.
SELECT play('1. e4'::chessgame, 'e5 2. Nf3'), play('1. e4 1-0'::chessgame, '1... e5 (1... c5) 2. Ke2 {why not} 1/2-1/2'), play('1. e4 1-0'::chessgame, ''), play(''::chessgame, '1. d4 *'),
       play(:fischer::chessgame, 'g6 3. f4'), play(:late::chessgame, '1-0');
SELECT moves, play('1. e4 1-0'::chessgame, moves) FROM unnest(ARRAY['e5', 'e5 *', '*', '0-1 {*}', '{*}', 'e5 (1... c5 *)']) AS moves;
SELECT takeBack(:late), takeBack(:late, 0), takeBack(:late, 4), takeBack(:fischer, 2);
SELECT bool_and(play(takeBack(game, n), array_to_string((sans(game))[plyCount(game) - n + 1:], ' ') || ' ' || result(game)) = game) AS "taken back and played again", count(*)
FROM games, generate_series(0, plyCount(game)) AS n WHERE id <> 2;
SELECT withResult(:fischer, r), result(withResult('1. e4', r)) FROM unnest(ARRAY['1-0', '0-1', '1/2-1/2', '*']) AS r;
SELECT newGame('startpos'), newGame('startpos', '1. e4 e5 1-0'), newGame(finalBoard('1. e4 e5'), 'Nf3 2... Nc6'),
       newGame('8/P6k/8/8/8/8/7K/8 w - - 3 70', 'a8=Q'), newGame('startpos') = '' AS "the empty game";
SELECT bool_and(newGame(startBoard(game), array_to_string(sans(game), ' ') || ' ' || result(game)) = game) AS "made again" FROM games WHERE id <> 2;

-- chessboard 'startpos'
SELECT chessboard 'startpos', chessboard ' startpos ' = startBoard('') AS same;

-- san, uci, isLegal: single moves on a board.
SELECT m.san = san(b, m.uci) AND m.san = san(b, m.san) AS san, m.uci = uci(b, m.san) AND m.uci = uci(b, m.uci) AS uci, isLegal(b, m.san) AND isLegal(b, m.uci) AS legal, count(*)
FROM games, positions(game) AS p, LATERAL (SELECT p.board) AS x (b), legalMoves(b) AS m GROUP BY 1, 2, 3;
SELECT isLegal('startpos', 'e4') AS yes, isLegal('startpos', 'e5') AS no, isLegal('startpos', 'hello') AS "no move", isLegal('startpos', '') AS nothing,
       isLegal('startpos', '--') AS "null move", isLegal('4k3/8/8/8/8/8/8/R2R2K1 w - -', 'Rb1') AS ambiguous, isLegal('startpos', 'e2e4 ') AS "with a space";
SELECT san('4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'e1g1'), uci('4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1', 'O-O-O'), san('8/P6k/8/8/8/8/7K/8 w - -', 'a7a8q'), uci('8/P6k/8/8/8/8/7K/8 w - -', 'a8=N');

-- score: 1, 0.5, 0; NULL for a game without a result.
SELECT r, score(r, 'w'), score(r, 'black'), score(r, 'White') + score(r, 'b') AS both
FROM unnest(ARRAY['1-0', '0-1', '1/2-1/2', '*', '?', '', NULL]) WITH ORDINALITY AS v (r, n) ORDER BY n;
-- Results as other programs and people write them; whether they were given without play; dates.
SELECT r, score(r, 'w'), score(r, 'b'), isForfeit(r)
FROM unnest(ARRAY['½:½', '+:-', '-/+', '- - -', '0-0', '1/2-0', '0-1/2', '1F-0F', '(1-0)', 'Draw', '2-0', 'won', NULL]) WITH ORDINALITY AS v (r, n) ORDER BY n;
SELECT d, dateBounds(d)::daterange
FROM unnest(ARRAY['2004.05.12', '2004.05.??', '1997.00.00', '1880.', '12.05.2004', '05/12/2004', '199?', '????.05.12', '2003.02.29', '9999.12.31', '', NULL]) WITH ORDINALITY AS v (d, n) ORDER BY n;
SELECT avg(score(result(game), 'w')) AS average, count(score(result(game), 'w')) AS scored, sum(score(result(game), 'b')) FROM games;

-- chess_openings: the openings that opening() knows.
SELECT * FROM chess_openings WHERE name LIKE 'Sicilian Defense: Najdorf%' ORDER BY plyCount(game), eco LIMIT 2;
SELECT count(*) > 3000 AS many, count(DISTINCT board) = count(*) AS "one board, one name", bool_and((opening(board)).name = name AND (opening(game)).eco = eco) AS "found again" FROM chess_openings;

-- NULL in, NULL out.
SELECT isChess960(NULL) IS NULL AND moveAt(NULL, 1) IS NULL AND moveAt('1. e4', NULL) IS NULL AND getMoves(NULL, 1, 1) IS NULL
   AND getMoves('1. e4', NULL, 1) IS NULL AND getMoves('1. e4', 1, NULL) IS NULL AND sans(NULL) IS NULL AND ucis(NULL) IS NULL
   AND play(NULL::chessgame, 'e4') IS NULL AND play('1. e4'::chessgame, NULL) IS NULL AND takeBack(NULL) IS NULL AND takeBack('1. e4', NULL) IS NULL
   AND withResult(NULL, '1-0') IS NULL AND withResult('1. e4', NULL) IS NULL AND newGame(NULL) IS NULL AND newGame('startpos', NULL) IS NULL
   AND san(NULL, 'e4') IS NULL AND san('startpos', NULL) IS NULL AND uci(NULL, 'e4') IS NULL AND uci('startpos', NULL) IS NULL
   AND isLegal(NULL, 'e4') IS NULL AND isLegal('startpos', NULL) IS NULL AND score(NULL, 'w') IS NULL AND score('1-0', NULL) IS NULL AS "all NULL";

-- Errors: place, reason, SQLSTATE.
\set ECHO none
\i data/complaint.sql
\set ECHO all
\pset format unaligned
\pset tuples_only on
SELECT concat_ws(E'\n  ', call, c.code || ': ' || c.message, nullif(c.detail, ''), nullif(c.hint, '')) FROM (VALUES
    (1, $$getBoard('1. f3', -2)$$), (2, $$getBoard('1. f3', -2147483648)$$), (3, $$takeBack('1. f3', 2)$$), (4, $$takeBack('1. f3', -1)$$),
    (5, $$withResult('1. f3', '2-0')$$), (6, $$withResult('1. f3', '')$$), (7, $$withResult('1. f3', '~')$$),
    (8, $$play('1. e4'::chessgame, 'e5 Ke3')$$), (9, $$play('1. e4'::chessgame, 'hello')$$), (10, $$play('1. e4'::chessgame, 'e5 (2. d4')$$),
    (11, $$play('1. e4'::chessgame, 'e5 1-0 Nf3')$$), (12, $$play('1. e4'::chessgame, '--')$$), (13, $$play('1. f3 e5 2. g4 Qh4#'::chessgame, 'Kf2')$$),
    (14, $$play('1. e4'::chessgame, '[FEN "8/8/8/8/8/8/8/8"] e5')$$), (15, $$play('1. e4'::chessgame, 'e5 ~')$$),
    (16, $$newGame('8/8/8/8/8/8/8/8')$$), (17, $$newGame('4k3/8/8/8/8/8/8/4K3 w - - 2000000000 1')$$), (18, $$newGame('startpos', 'e5')$$),
    (19, $$getMoves('[FEN "4k3/8/8/8/8/8/8/4K3 w - - 1073741824 1"] Kd1 Kd8', 2, 2)$$),
    (20, $$san('startpos', 'e5')$$), (21, $$uci('startpos', 'hello')$$), (22, $$san('8/8/8/8/8/8/8/8', 'e4')$$), (23, $$isLegal('8/8/8/8/8/8/8/8', 'e4')$$),
    (24, $$score('1-0', 'red')$$), (25, $$hasOpening('1. e4', 'Sicilian')$$), (26, $$'Grünfeld Defense'::chessgame$$), (27, $$'startposition'::chessboard$$))
  AS v (n, call), complaint('SELECT ' || call) AS c ORDER BY n;
\pset format aligned
\pset tuples_only off
DROP FUNCTION complaint;
DROP TABLE games, arrays;
