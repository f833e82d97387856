-- Aggregates over games, and the time of half-moves.
\set opera '''1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0'''
\set fischer '''[Variant "Chess960"] [FEN "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"] 1. O-O O-O 2. g3 1/2-1/2'''
\set late '''[FEN "4k3/P7/8/8/8/8/8/4K2R b K - 3 40"] 40... Kd7 41. a8=N Kc6 42. O-O 0-1'''
\set passing '''[FEN "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"] 3. exf6 Nxf6'''
CREATE TABLE games (id int, game chessgame);
INSERT INTO games VALUES (1, :opera), (2, :fischer), (3, :late), (4, ''), (5, '1. f3 e5 2. g4 Qh4# 0-1'), (6, NULL), (7, :passing);

-- What the functions of single boards and games say.
CREATE VIEW cells AS SELECT kind, square, 64 * kind + square AS cell, substr('PNBRQKpnbrqk', kind + 1, 1) AS letter
    FROM generate_series(0, 11) AS kind, generate_series(0, 63) AS square;
CREATE FUNCTION plain_squares(first int, last int) RETURNS bigint[] LANGUAGE sql
RETURN (SELECT array_agg(n ORDER BY cell) FROM (
    SELECT cell, count(*) FILTER (WHERE pieces(p.board, letter) >> square & 1 = 1 AND ply BETWEEN first AND last) AS n
    FROM cells, games, positions(game) AS p GROUP BY cell) AS c);
CREATE FUNCTION plain_captures(first int, last int) RETURNS bigint[] LANGUAGE sql
RETURN (SELECT array_agg(n ORDER BY cell) FROM (
    SELECT cell, count(m.ply) AS n FROM cells LEFT JOIN (games CROSS JOIN LATERAL moves(game) AS m)
      ON m.captured = letter AND m.ply BETWEEN first AND last
      AND squareset(ARRAY[CASE WHEN is_en_passant THEN left(to_square, 1) || right(from_square, 1) ELSE to_square END]) >> square & 1 = 1
    GROUP BY cell) AS c);

SELECT squareCounts(game) = plain_squares(0, 1000) AS squares, captureCounts(game) = plain_captures(0, 1000) AS captures,
       cardinality(squareCounts(game)) AS numbers, array_lower(squareCounts(game), 1) AS first, count(*), count(game)
FROM games;
SELECT first, last, squareCounts(game, first, last) = plain_squares(first, last) AS squares,
       captureCounts(game, first, last) = plain_captures(first, last) AS captures
FROM games, (VALUES (0, 0), (0, 1), (1, 1), (3, 20), (33, 33), (34, 40), (5, 4), (0, 2147483647)) AS v (first, last)
GROUP BY first, last ORDER BY first, last;
SELECT first, last, squareCounts(game, first, last) = squareCounts(game, greatest(33 + first, 0), 33 + last) AS squares,
       captureCounts(game, first, last) = captureCounts(game, greatest(34 + first, 0), 34 + last) AS captures
FROM games, (VALUES (-1, -1), (-10, -5), (-40, -5), (-2147483648, -1), (-1, -10)) AS v (first, last) WHERE id = 1
GROUP BY first, last ORDER BY first, last;
SELECT squareCounts(game, NULL, -34) = squareCounts(NULL) AS "before the start", captureCounts(game, NULL, -2147483648) = captureCounts(NULL) AS "long before",
       squareCounts(game, NULL, NULL) = squareCounts(game) AS all, captureCounts(game, NULL, NULL) = captureCounts(game) AS "all captures",
       squareCounts(game, 30, NULL) = squareCounts(game, 30, 33) AS "to the end"
FROM games WHERE id = 1;
-- Each position has as many pieces as are counted; a piece that stays counts in each.
SELECT id, (SELECT sum(n) FROM unnest(squareCounts(game)) AS n), (squareCounts(game))[64 * 5 + 4 + 1] AS "white king on e1" FROM games GROUP BY id ORDER BY id;
SELECT (captureCounts(game))[64 * 6 + 37 + 1] AS "black pawn on f5", (captureCounts(game))[45 + 1] AS "white pawn on f6" FROM games WHERE id = 7;

-- Without games, or with NULL alone, all numbers are 0.
SELECT bool_and(n = 0), count(*) FROM unnest((SELECT squareCounts(game) FROM games WHERE false)) AS n;
SELECT bool_and(n = 0), count(*) FROM unnest((SELECT captureCounts(game) FROM games WHERE game IS NULL)) AS n;
SELECT bool_and(n = 0), count(*) FROM unnest((SELECT kingWalks(game) FROM games WHERE id = 6)) AS n;
SELECT survival(game, 'a1') AS "no row", cardinality(survival(game, 'a1')) FROM games WHERE false;
SELECT survival(game, 'e4') AS "no piece there", survival(NULL, 'a1') AS "no game", survival(game, NULL) AS "no square" FROM games;

-- survival: games that still have the piece, and games that last so long.
SELECT survival(game, 'f1') FROM games WHERE id IN (1, 5);
SELECT survival(game, 'a7'), survival(game, 'e8') FROM games WHERE id IN (3, 5);
SELECT id, survival(game, 'e5') FROM games WHERE id IN (2, 7) GROUP BY id ORDER BY id;
SELECT bool_and(s[n][1] = (SELECT count(*) FROM games WHERE id <> 2 AND plyCount(game) >= n - 1)) AS "kings live", bool_and(s[n][1] = s[n][2]) AS "to the end"
FROM (SELECT survival(game, 'e8') AS s FROM games WHERE id <> 2) AS s, generate_subscripts(s, 1) AS n;
SELECT survival(game, 'z9') FROM games;

-- kingWalks: games in which a king comes to a square.
SELECT color, squareText((SELECT bit_or(1::bigint << n - 1) FROM generate_series(1, 64) AS n WHERE w[64 * color + n] > 0))
FROM (SELECT kingWalks(game) AS w FROM games) AS w, generate_series(0, 1) AS color;
SELECT w[4 + 1] AS "White on e1", w[5 + 1] AS f1, w[6 + 1] AS g1, w[2 + 1] AS c1, w[64 + 60 + 1] AS "Black on e8" FROM (SELECT kingWalks(game) AS w FROM games) AS w;

-- gameFacts: what other functions and patterns say.
CREATE TABLE ends (name text, game chessgame);
INSERT INTO ends SELECT 'game ' || id, game FROM games;
INSERT INTO ends VALUES ('stalemate', newGame('7k/5Q2/8/6K1/8/8/8/8 w - - 0 1', 'Kg6')),
    ('insufficient', newGame('8/8/4k3/8/8/3bK3/8/8 w - - 0 1', 'Kxd3')), ('bishops', newGame('8/5b2/4k3/8/8/3BK3/8/8 w - - 0 1', 'Kd4')),
    ('threefold', '1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8'), ('twice', '1. Nf3 Nf6 2. Ng1 Ng8'), ('fivefold', '1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8'),
    ('after a pawn move', '1. Nf3 Nf6 2. Ng1 Ng8 3. a3 a6 4. Nf3 Nf6 5. Ng1 Ng8'), ('rights lost', '1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8 4. Rg1 Rg8 5. Rh1 Rh8'),
    ('fifty moves', newGame('4k3/8/8/8/8/8/8/R3K3 w - - 98 80', 'Ra2 Kd8')), ('clock', newGame('4k3/8/8/8/8/8/8/R3K3 w - - 148 99', 'Ra2 Kd8')),
    ('en passant alone', newGame('8/8/8/1k6/2pP4/1Q6/8/K7 b - d3 0 1', '')), ('promotion', newGame('7k/P7/8/8/8/8/8/K7 w - - 0 1', 'a8=Q+ Kg7 Qb8 Kf7 Qc8 Ke7')),
    ('exchanged', '1. e4 d5 2. exd5 Qxd5 3. Qf3 Qxf3 4. Nxf3 Nf6'), ('a rook up', newGame('r3k3/8/8/8/8/8/8/R3K2R w - - 0 1', 'Ra2 Rb8 Rhh2 Rc8 Rh1+'));
CREATE FUNCTION facts(g chessgame) RETURNS text LANGUAGE sql RETURN concat_ws(', ', status(g),
    CASE WHEN material(finalBoard(g)) ~ 'Q' THEN 'queens' END, CASE WHEN material(finalBoard(g)) ~ 'R' THEN 'rooks' END, CASE WHEN material(finalBoard(g)) ~ '[BN]' THEN 'minors' END,
    CASE WHEN hasPattern(g, rtrim(repeat('(K[a-c] and k[a-c] or K[g-h] and k[g-h]) then ', 4), ' then')::chesspattern, 40) THEN 'same side' END,
    CASE WHEN hasPattern(g, rtrim(repeat('(K[a-c] and k[g-h] or K[g-h] and k[a-c]) then ', 4), ' then')::chesspattern, 40) THEN 'opposite sides' END,
    CASE WHEN hasPattern(g, rtrim(repeat('(Q = 0 and q = 0) then ', 4), ' then')::chesspattern, 40) THEN 'no queens' END,
    CASE WHEN g @@ 'points([QRBN]) <= 10 and points([qrbn]) <= 10' THEN 'endgame' END,
    CASE WHEN g @@ 'points([QRBN]) <= 10 and points([qrbn]) <= 10 and points(A) >= points(a) + 2 for 4' THEN 'White ahead' END,
    CASE WHEN g @@ 'points([QRBN]) <= 10 and points([qrbn]) <= 10 and points(a) >= points(A) + 2 for 4' THEN 'Black ahead' END);
CREATE FUNCTION said(bits int) RETURNS text LANGUAGE sql RETURN (SELECT string_agg(name, ', ' ORDER BY n) FROM (
    SELECT 0 AS n, ('{in progress,white wins,black wins,stalemate,insufficient material,fivefold repetition,seventy-five-move rule,threefold repetition,fifty-move rule}'::text[])[(bits & 15) + 1] AS name
    UNION ALL SELECT n, name FROM unnest('{queens,rooks,minors,same side,opposite sides,no queens,endgame,White ahead,Black ahead}'::text[]) WITH ORDINALITY AS u (name, n) WHERE bits >> n::int + 3 & 1 = 1) AS s);
SELECT name, said(gameFacts(game)), said(gameFacts(game)) <> facts(game) AS wrong FROM ends WHERE game IS NOT NULL;
SELECT gameFacts(NULL), said(gameFacts('')), said(NULL);

-- gameSums: by hand; ratings of 0 or less, results and games that are missing.
CREATE TABLE played (result text, white_elo int, black_elo int);
INSERT INTO played VALUES ('1-0', 2000, 2000), ('1-0', 2400, 2000), ('0-1', 2000, 2400), ('1/2-1/2', 1000, 3500), ('*', 2000, 1900),
    ('1-0', NULL, 2100), ('0-1', 2200, 0), ('1/2-1/2', -5, NULL), (NULL, 1500, 1600), ('2-0', 1500, 1600), ('', NULL, NULL), ('1-0', 2000000000, -2000000000), ('0-1', 2147483647, 1);
CREATE VIEW by_hand AS SELECT ARRAY[count(*), count(*) FILTER (WHERE points = 2), count(*) FILTER (WHERE points = 1), count(*) FILTER (WHERE points = 0),
    count(*) FILTER (WHERE rated), (sum(round(4294967296 * (0.5 + 0.5 * tanh(ln(10) / 800.0 * (w::float8 - b))))) FILTER (WHERE rated))::bigint, sum(points) FILTER (WHERE rated),
    count(w), sum(w), count(b), sum(b), count(w) FILTER (WHERE points >= 0), sum(w) FILTER (WHERE points >= 0), sum(points) FILTER (WHERE w > 0),
    count(b) FILTER (WHERE points >= 0), sum(b) FILTER (WHERE points >= 0), sum(points) FILTER (WHERE b > 0)] AS sums
FROM (SELECT p.*, points >= 0 AND w > 0 AND b > 0 AS rated FROM (
    SELECT CASE result WHEN '1-0' THEN 2 WHEN '1/2-1/2' THEN 1 WHEN '0-1' THEN 0 END AS points, CASE WHEN white_elo > 0 THEN white_elo END AS w, CASE WHEN black_elo > 0 THEN black_elo END AS b
    FROM played) AS p) AS p;
SELECT gameSums(result, white_elo, black_elo) AS sums, gameSums(result, white_elo, black_elo) = (SELECT sums FROM by_hand) AS "as by hand" FROM played;
SELECT gameSums(sums) = (SELECT sums FROM by_hand) AS "of groups", count(*) FROM (SELECT gameSums(result, white_elo, black_elo) AS sums FROM played GROUP BY result) AS g;
SELECT gameSums(result, white_elo, black_elo) AS none FROM played WHERE false;
SELECT gameSums(NULL::bigint[]) AS "no sums", gameSums('{}'::bigint[]) AS "none, either", gameSums(NULL, NULL, NULL) AS "a game";
SELECT gamesums_add('{1,2}', '1-0', 1, 1);

-- Groups, filters, windows, DISTINCT, and the same state for two results.
SELECT id % 2 AS odd, (squareCounts(game))[1] = sum((SELECT count(*) FROM positions(game) WHERE pieceAt(board, 'a1') = 'P')) AS "no pawns on a1",
       (squareCounts(game) FILTER (WHERE id > 1))[12 + 1] AS "e2" FROM games GROUP BY odd ORDER BY odd;
SELECT id, (squareCounts(game) OVER (ORDER BY id))[12 + 1] AS "so far", (squareCounts(game) OVER (ORDER BY id ROWS 1 PRECEDING))[12 + 1] AS "of two",
       (kingWalks(game) OVER (ORDER BY id))[4 + 1] AS kings, cardinality(survival(game, 'e2') OVER (ORDER BY id)) AS lives
FROM games ORDER BY id;
SELECT squareCounts(game) = (SELECT squareCounts(game) FROM games) AS "game 3 once", squareCounts(DISTINCT game) = (SELECT squareCounts(game) FROM games) AS "DISTINCT" FROM (SELECT * FROM games UNION ALL SELECT * FROM games WHERE id = 3) AS g;

-- Workers give the same.
CREATE TABLE many AS SELECT n, CASE n % 7 WHEN 6 THEN NULL ELSE game END AS game FROM games, generate_series(1, 400) AS n WHERE game IS NOT NULL;
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
EXPLAIN (COSTS OFF) SELECT squareCounts(game), captureCounts(game), kingWalks(game), survival(game, 'd1') FROM many;
CREATE TABLE by_workers AS SELECT squareCounts(game), captureCounts(game), squareCounts(game, 3, -3) AS part, kingWalks(game), survival(game, 'd1'), survival(game, 'a3') AS empty FROM many;
SET max_parallel_workers_per_gather = 0;
SELECT w.squareCounts = squareCounts(game) AS squares, w.captureCounts = captureCounts(game) AS captures, part = squareCounts(game, 3, -3) AS part,
       w.kingWalks = kingWalks(game) AS walks, w.survival = survival(game, 'd1') AS survival, empty = survival(game, 'a3') AS empty
FROM many, by_workers AS w GROUP BY 1 = 1, w.squareCounts, w.captureCounts, part, w.kingWalks, w.survival, empty;
CREATE TABLE sums AS SELECT gameSums((ARRAY['1-0', '0-1', '1/2-1/2', '*'])[n % 4 + 1], 1000 + n, 1500) FROM many;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT gameSums((ARRAY['1-0', '0-1', '1/2-1/2', '*'])[n % 4 + 1], 1000 + n, 1500) FROM many;
SELECT gameSums((ARRAY['1-0', '0-1', '1/2-1/2', '*'])[n % 4 + 1], 1000 + n, 1500) = (SELECT gameSums FROM sums) AS "by workers, exactly" FROM many;
RESET max_parallel_workers_per_gather; RESET min_parallel_table_scan_size; RESET parallel_setup_cost; RESET parallel_tuple_cost;

-- The functions behind the aggregates take only states, and change none outside of an aggregate.
CREATE TABLE states AS SELECT squareCounts(game) AS state FROM games;
SELECT squarecounts_add(state, NULL) = state AS "no game", (squarecounts_add(state, '1. e4'))[29] - state[29] AS e4, state = (SELECT squareCounts(game) FROM games) AS unchanged FROM states;
SELECT squarecounts_add('{1,2}', '1. e4');
SELECT squarecounts_add(array_fill(0::bigint, ARRAY[768]) || NULL::bigint, '1. e4');
SELECT kingwalks_add('{{1,2},{3,4}}', '1. e4');
SELECT capturecounts_add('{}', NULL);
SELECT piecesquares_result('{NULL}');
SELECT survival_result('{1,2,3}'), survival_result('{}'), survival_result(NULL), counts_combine('{1,2}', '{1,2,3}'), counts_combine('{}', '{}');
SELECT counts_combine('{9223372036854775807}', '{1}');
-- An aggregate of one's own, over states that a table has stored, compressed.
CREATE AGGREGATE total(bigint[]) (SFUNC = counts_combine, STYPE = bigint[]);
INSERT INTO states SELECT squareCounts(game) FROM games WHERE id < 3;
SELECT total(state) = (SELECT squareCounts(game) FROM (SELECT id, game FROM games UNION ALL SELECT id, game FROM games WHERE id < 3) AS g) AS sum, count(*) FROM states;

-- distance: squares that differ. No index serves an order by it.
SELECT distance('startpos', 'startpos') AS none, distance('startpos', finalBoard('1. e4')) AS "one move", distance('startpos', finalBoard('1. e4 d5 2. exd5')) AS three,
       distance(finalBoard('1. e4'), 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w - - 9 9') AS "only pieces count",
       distance('8/8/8/8/8/8/8/8 w - -', 'startpos') AS "all pieces", distance('startpos', NULL) AS nothing,
       distance('QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - -', '8/8/8/8/8/8/8/8 w - -') AS all;
SELECT id, ply, distance(board, finalBoard(:opera)) AS distance FROM games, positions(game) WHERE id <> 1 ORDER BY 3, 1, 2 LIMIT 3;

-- thinkTimes: what the clock of a side has lost, and the increment.
SELECT thinkTimes('{1800,1790,1750,1600}', '180+2') AS blitz, thinkTimes('{3000,2990,NULL,2950,2900,2900}', '300') AS "without increment",
       thinkTimes('{77,80}', '8+0.08') AS fractions, thinkTimes('{}', '60') AS none, thinkTimes('{{600,600},{599,NULL}}', '60') AS "two dimensions";
SELECT thinkTimes('{600,9000,40,80,18040,60}', '1/60:1800+30') AS periods;
SELECT control, thinkTimes('{600,600}', control) FROM (VALUES ('60'), (' 60 '), ('-'), ('?'), (''), ('*180'), ('1+'), ('fast'), (NULL)) AS v (control);
SELECT thinkTimes(NULL, '60');
-- Longer arrays than any game needs are refused before they are read.
SELECT thinkTimes(array_fill(1, ARRAY[4194305]), '60');
SELECT counts_combine(array_fill(1::bigint, ARRAY[4194305]), '{}');
SELECT squareSet(array_fill('a1'::text, ARRAY[2048, 2049]));

DROP AGGREGATE total(bigint[]);
DROP TABLE states, by_workers, many;
DROP FUNCTION plain_squares, plain_captures;
DROP VIEW cells;
DROP TABLE games;

-- Time controls, in the form of the standard and in words
SELECT control, timeControlSeconds(control)
FROM unnest(ARRAY['180+2', '40/7200:3600', '-', '*180', '1/86400', '?', '', '3 min + 2 sec', '15''+10"', 'G/90;d5',
                  '90 min/40 moves + 30 min + 30 sec/move', '40/2h, SD/1h', '3 days per move', 'blitz', 'nonsense', NULL]) AS control;
SELECT thinkTimes('{1800,1795,1700,1780}', '3 min + 2 sec') AS words, thinkTimes('{1800,1795}', '*180') AS hourglass;

-- Names as searches and merges compare them
SELECT name, foldName(name)
FROM unnest(ARRAY['Müller, K.', 'MUELLER K', 'Đorđević', 'Djordjevic', 'Xue', 'O''Kelly', 'Vachier-Lagrave', 'Карпов', '', NULL]) AS name;
