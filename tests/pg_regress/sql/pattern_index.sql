-- The GIN operator class of patterns: which queries use it, with the same answers as without.

\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set functions :abs_srcdir '/data/functions.sql'
\set ECHO none
\i :games
\i :functions
\set ECHO all
SET max_parallel_workers_per_gather = 0;
INSERT INTO games VALUES (20001, 'nothing', 0, NULL), (20002, 'four queens', 0, '[FEN "qqqqk3/4p3/8/8/8/8/3P4/3KQQQQ w - - 0 1"] 1. Qexe7+ Qxe7'),
    (20003, 'before promotion', 0, '[FEN "n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 w - - 0 1"] 1. bxc8=N bxc1=R+ 2. Kd2'),
    (20004, 'Chess960', 0, '[FEN "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"] 1. O-O-O Kf8');
CREATE INDEX games_patterns ON games USING gin (game chessgame_pattern_ops);
VACUUM ANALYZE games;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'chessgame_pattern_ops';

-- The predicates use it, with either side first.
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @@ 'pa6 Bb3 Nf3';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE 'mate' @@ game;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPattern(game, 'rxNc3 directly Pxc3');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPattern(game, 'O-O-O', 30);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasMaterial(game, 'KPRPvRK');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasMaterial(game, 'KRPvKR', 99);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @@ 'Nd5' AND game @@ 'O-O-O';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @@ 'mate' OR hasPattern(game, 'stalemate');
-- No key narrows these; an index scan would read the whole index.
SELECT question, plan('SELECT FROM games WHERE ' || question) FROM unnest(ARRAY[
    'game @@ ''isolated(Pd)''', 'game @@ ''P >= 3''', 'game @@ ''not Nd5''', 'game @@ ''Nd5 or check''', 'game @@ ''Ra1''',
    'game @@ NULL', 'hasMaterial(game, ''KKvK'')', 'hasBoard(game, getBoard(''1. e4'', 1))', 'NOT game @@ ''Nd5''']) AS question;
RESET enable_seqscan;

-- The examples of docs/patterns.md and others, with and without the index.
CREATE TABLE wishes (n serial, pattern text);
INSERT INTO wishes (pattern) VALUES
    ('flip(isolated(Pd))'),
    ('Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6'),
    ('flip(B = 2 and N = 0 and b = 1 and n = 1)'),
    ('flip(KRPPvKR)'),
    ('flip(imbalance Pv for 4)'),
    ('flip(Q = q and R = r and P = p and B = 2 and N = 0 and b = 0 and n = 2 for 2)'),
    ('flip(Q = 2 and R = 0 and q = 1 and r = 2)'),
    ('isolated(Pa)'),
    ('rank(R7, R7)'),
    ('flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)'),
    ('flip(Bxph7 and check directly kxh7 directly N-g5 and check)'),
    ('board(rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR) then P-e5 directly pd-e5 directly P-f5 then N-e4'),
    ('board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3'),
    ('oppositebishops and [QRNqrn] = 0'),
    ('flip(mirror(KRP4vKRP3 and [Pp][a-d] = 0 for 4))'),
    ('KR[BN]P*vKR[BN]P*'),
    ('flip(Nd5 and not [bn] attacks d5)'),
    ('flip(mirror(B[light] = 1 and B[dark] = 0 and N = 0 and b = 0 and n = 1 and P[light] >= P[dark] + 3))'),
    ('flip(K[b1,c1] and k[g8,h8])'),
    ('Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7'),
    ('flip(Rc[open])'),
    ('flip(Pc4 Pe4 and Pd = 0 and pc = 0 and pd and not pd5)'),
    ('rxNc3 directly Pxc3'),
    ('flip(mirror(K-h1 then R-g1 then P-g4))'),
    ('flip(btm and mate and N attacks k and not k attacks [_A])'),
    ('mate'), ('stalemate'), ('enpassant'), ('promotion'), ('[Pp]x.=[NRnr]'), ('castling directly castling'), ('o-o'), ('O-O-O'),
    ('Nf1-g3-f5'), ('Q = 2 or q >= 3'), ('Qe7 or qe7'), ('points(A) > points(a) + 9'), ('Kd1'), ('Rd1 and Kc1'), ('any'), ('P = 9');
CREATE TABLE asked AS
SELECT format(form, pattern) AS question
FROM wishes, unnest(ARRAY['game @@ %L', '%L @@ game', 'hasPattern(game, %L)', 'hasPattern(game, %L, 20)', 'game @@~ %L::chesspattern']) AS form;
INSERT INTO asked SELECT format(form, material(board))
FROM (SELECT DISTINCT getBoard(game, greatest(plyCount(game) - n, 0)) AS board FROM famous, generate_series(0, 20, 10) AS n) AS boards,
    unnest(ARRAY['hasMaterial(game, %L)', 'hasMaterial(game, %L, 40)']) AS form;
INSERT INTO asked VALUES ('hasMaterial(game, ''KKvK'')'), ('hasMaterial(game, ''KvK'')'),
    ('game @@ ''Nd5'' AND game @@ ''O-O'''), ('game @@ ''Nd5'' AND NOT game @@ ''mate'''), ('hasPattern(game, ''mate'') OR id < 10'),
    ('game @@ NULL'), ('hasPattern(game, (SELECT pattern::chesspattern FROM wishes WHERE n = 3))'),
    ('game @@ ANY (ARRAY[''mate'', ''Nd5'']::chesspattern[])');
CREATE FUNCTION found() RETURNS TABLE (question text, games bigint, ids numeric) LANGUAGE plpgsql AS $$
BEGIN
    FOR question IN SELECT DISTINCT a.question FROM asked AS a LOOP
        EXECUTE 'SELECT count(*), sum(id::numeric * id) FROM games WHERE ' || question INTO games, ids;
        RETURN NEXT;
    END LOOP;
END
$$;
SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT * FROM found();
SET enable_bitmapscan = on;
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT * FROM found();
SELECT count(*) AS questions, count(*) FILTER (WHERE games > 0) > count(*) / 3 AS "found often" FROM by_index;
SELECT * FROM by_scan EXCEPT SELECT * FROM by_index;
-- Most of them use an index scan.
SELECT count(*) FILTER (WHERE uses) AS "by index", count(*) AS wishes
FROM wishes, LATERAL (SELECT bool_or(line LIKE '%Index Scan on games_patterns%') AS uses FROM plan(format('SELECT FROM games WHERE game @@ %L', pattern)) AS line) AS p;
-- Games with the pattern are among the candidates.
SELECT count(*) AS wrong FROM wishes, games WHERE game @@ pattern::chesspattern AND NOT game @@~ pattern::chesspattern;

-- Indexes with some families of keys.
DROP INDEX games_patterns;
CREATE INDEX games_material ON games USING gin (game chessgame_pattern_ops (families = 'material'));
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'chessgame_pattern_ops';
CREATE TABLE by_material AS SELECT * FROM found();
SELECT * FROM by_scan EXCEPT SELECT * FROM by_material;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game @@ 'KRP*vKRP*';
SELECT plan('SELECT FROM games WHERE game @@ ''Nd5''');
-- Estimates of candidates, for keys that the index has: within a factor of 3, or 40 games; and the numbers of
-- candidates.
CREATE FUNCTION candidates(question text, OUT expected_rightly boolean, OUT many boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    rows bigint[];
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) SELECT FROM games WHERE ' || question LOOP
        IF line LIKE '%Bitmap Index Scan%' THEN
            rows := array(SELECT hit[1]::bigint FROM regexp_matches(line, 'rows=([0-9]+)', 'g') AS hit);
        END IF;
    END LOOP;
    expected_rightly := rows[1] BETWEEN rows[2] / 3 - 40 AND rows[2] * 3 + 40;
    many := rows[2] > 200;
END
$$;
SELECT question, c.* FROM unnest(ARRAY['game @@ ''KRP*vKRP*''', 'game @@ ''Nd5 and mate and P < 8''']) AS question, candidates(question) AS c;
DROP INDEX games_material;
CREATE INDEX games_squares ON games USING gin (game chessgame_pattern_ops (families = ' squares,events'));
CREATE TABLE by_squares AS SELECT * FROM found();
SELECT * FROM by_scan EXCEPT SELECT * FROM by_squares;
SELECT plan('SELECT FROM games WHERE hasMaterial(game, ''KRPvKR'')');
SELECT question, c.* FROM unnest(ARRAY['game @@ ''Nd5 and mate and P < 8''', 'game @@ ''Pe3 and KRPvKR''']) AS question, candidates(question) AS c;
-- A pattern that is unknown when planned, and that no key of this index narrows.
SET plan_cache_mode = force_generic_plan;
PREPARE by_pattern(chesspattern) AS SELECT count(*) FROM games WHERE game @@ $1;
EXPLAIN (COSTS OFF) EXECUTE by_pattern('P = 9');
EXECUTE by_pattern('P < 7');
EXECUTE by_pattern('any');
DEALLOCATE by_pattern;
RESET plan_cache_mode;
DROP INDEX games_squares;
CREATE INDEX ON games USING gin (game chessgame_pattern_ops (families = 'pawns'));
CREATE INDEX ON games USING gin (game chessgame_pattern_ops (families = ''));
CREATE INDEX ON games USING gin (game chessgame_pattern_ops (max_ply = 3));

-- Inserted, updated and deleted rows, with the pending list and after VACUUM.
CREATE INDEX games_patterns ON games USING gin (game chessgame_pattern_ops);
INSERT INTO games (id, game) VALUES (-1, '1. Nf3 a6 2. Nd4 a5 3. Nb5 a4 4. Nxc7+ Qxc7');
SELECT id FROM games WHERE game @@ 'Nd4-b5-c7 directly qxNc7' AND id < 0;
VACUUM games;
SELECT id FROM games WHERE game @@ 'Nd4-b5-c7 directly qxNc7' AND id < 0;
UPDATE games SET game = '1. h3 a6 2. h4' WHERE id = -1;
SELECT id FROM games WHERE game @@ 'Nd4-b5-c7 directly qxNc7' AND id < 0;
DELETE FROM games WHERE id = -1;

-- Prepared statements with generic plans, joins, and a pattern that is known only at execution.
SET plan_cache_mode = force_generic_plan;
PREPARE by_pattern(chesspattern) AS SELECT count(*) FROM games WHERE game @@ $1;
EXPLAIN (COSTS OFF) EXECUTE by_pattern('Nd5');
EXECUTE by_pattern('Nd5');
EXECUTE by_pattern('isolated(Pd)');
EXECUTE by_pattern('P = 9');
EXECUTE by_pattern(NULL);
PREPARE by_material(text) AS SELECT count(*) FROM games WHERE hasMaterial(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_material('KRvKP');
EXECUTE by_material('KRvKP');
EXECUTE by_material('KKvK');
EXECUTE by_material('RvK');
DEALLOCATE ALL;
RESET plan_cache_mode;
SELECT plan('SELECT count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern');
CREATE TABLE by_join AS SELECT n, count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern GROUP BY n;
SET enable_bitmapscan = off;
SELECT * FROM by_join EXCEPT SELECT n, count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern GROUP BY n;
RESET enable_bitmapscan;
RESET enable_seqscan;

-- A negative number of half-moves is an error, also with an index scan that returns nothing.
CREATE INDEX games_boards ON games USING gin (game);
SET enable_seqscan = off;
SELECT count(*) FROM games WHERE hasMaterial(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasPattern(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasBoard(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
SELECT count(*) FROM games WHERE hasPieces(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
RESET enable_seqscan;
SET enable_bitmapscan = off;
SELECT count(*) FROM games WHERE hasMaterial(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasPattern(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasBoard(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
SELECT count(*) FROM games WHERE hasPieces(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
RESET enable_bitmapscan;
DROP INDEX games_boards;

-- Estimates of frequent patterns: within a factor of 3, or 40 games.
SELECT pattern, e AS expected, a AS games FROM wishes, format('SELECT FROM games WHERE game @@ %L', pattern) AS q, estimate(q) AS e, actual(q) AS a
WHERE NOT e BETWEEN a / 3 - 40 AND a * 3 + 40;
SELECT pattern, e AS expected, a AS games FROM wishes, format('SELECT FROM games WHERE game @@~ %L::chesspattern', pattern) AS q, estimate(q) AS e, actual(q) AS a
WHERE NOT e BETWEEN a / 3 - 40 AND a * 3 + 40;
SELECT question, e BETWEEN 0 AND 1933 AS sane FROM unnest(ARRAY['game @@ NULL', 'game @@~ NULL::chesspattern', '''1. e4''::chessgame @@ ''Nd5''',
    'hasPattern(game, ''Nd5'', 3)', 'hasPattern(game, ''Nd5'', NULL)']) AS question, estimate('SELECT FROM games WHERE ' || question) AS e;

\set ECHO none
DROP TABLE games, famous, wishes, asked, by_scan, by_index, by_material, by_squares, by_join;
DROP FUNCTION estimate, actual, plan, answers, found, candidates;
