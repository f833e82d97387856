-- Patterns and material by an index of the access method chess: which queries use it, and that they find what a sequential
-- scan finds: in a segment, in several, among pending games, with dead ones, without lists.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
INSERT INTO games VALUES (20001, 'nothing', 0, NULL), (20002, 'four queens', 0, '[FEN "qqqqk3/4p3/8/8/8/8/3P4/3KQQQQ w - - 0 1"] 1. Qexe7+ Qxe7'),
    (20003, 'before promotion', 0, '[FEN "n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 w - - 0 1"] 1. bxc8=N bxc1=R+ 2. Kd2'),
    (20004, 'Chess960', 0, '[FEN "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"] 1. O-O-O Kf8');
CREATE INDEX games_chess ON games USING chess (game);
VACUUM ANALYZE games;
SELECT part, lists > 100 AS lists, postings > 1000 AS postings, bytes > 0 AS bytes FROM chess_index_info('games_chess');
SELECT sum(bytes) = pg_relation_size('games_chess') AS whole_file FROM chess_index_info('games_chess');

-- The predicates use it, with either side first.
SET enable_seqscan = off;
SELECT plan('SELECT id FROM games WHERE ' || question) FROM unnest(ARRAY[
    'game @@ ''pa6 Bb3 Nf3''', '''mate'' @@ game', 'hasPattern(game, ''rxNc3 directly Pxc3'')', 'hasPattern(game, ''O-O-O'', 30)',
    'hasMaterial(game, ''KPRPvRK'')', 'hasMaterial(game, ''KRPvKR'', 99)', 'game @@ ''Nd5'' AND game @@ ''O-O-O''',
    'game @@ ''mate'' OR hasPattern(game, ''stalemate'')',
    'game @@ ''O-O-O'' AND hasBoard(game, getBoard(''1. e4'', 1)) AND hasOpening(game, ''1. e4 c5'')']) AS question;
RESET enable_seqscan;
SELECT plan('SELECT id FROM games WHERE ' || question) FROM unnest(ARRAY['game @@ ''stalemate''', 'hasMaterial(game, ''KRPvKR'')']) AS question;
-- But not where no key narrows the pattern, or the game is negated.
SELECT plan('SELECT id FROM games WHERE ' || question) FROM unnest(ARRAY[
    'game @@ ''isolated(Pd)''', 'game @@ ''Nd5 or check''', 'hasPattern(game, ''not Nd5'')', 'hasMaterial(game, ''KKvK'')',
    'NOT game @@ ''Nd5''']) AS question;

-- Also where ranges of materials are looked up.
SET enable_seqscan = off;
SELECT plan('SELECT id FROM games WHERE ' || question) FROM unnest(ARRAY['game @@ ''mate''', 'hasMaterial(game, ''KRPvKR'')',
    'game @@ ''KR[BN]P*vKR[BN]P*''', 'game @@ ''flip(imbalance Pv for 4)''', 'game @@ ''pa6 Bb3 Nf3''']) AS question;
RESET enable_seqscan;

-- Rows that lists of material alone have found are not looked at again, by neither scan.
CREATE FUNCTION looked_at(question text) RETURNS TABLE (games bigint, calls numeric) LANGUAGE plpgsql AS $$
DECLARE
    counted text := 'SELECT coalesce(sum(calls), 0) FROM pg_stat_xact_user_functions WHERE funcname IN (''haspattern'', ''hasmaterial'')';
    before numeric;
BEGIN
    EXECUTE counted INTO before;
    EXECUTE 'SELECT count(*) FROM games WHERE ' || question INTO games;
    EXECUTE counted INTO calls;
    calls := calls - before;
    RETURN NEXT;
END
$$;
SET track_functions = 'all';
SET enable_seqscan = off;
SET enable_indexscan = off;
CREATE TABLE materials AS
SELECT format('hasMaterial(game, %L)', material(finalBoard(game))) AS question FROM famous WHERE id = 2 UNION ALL SELECT 'game @@ ''KR*vKR*''';
SELECT question, games > 0 AS found, calls FROM materials, looked_at(question);
SELECT games > 0 AND calls >= games AS others_are FROM looked_at('game @@ ''Nd5''');
RESET enable_indexscan;
SET enable_bitmapscan = off;
SELECT question, games > 0 AS found, calls FROM materials, looked_at(question);
SELECT games > 0 AND calls >= games AS others_are FROM looked_at('game @@ ''Nd5''');
RESET enable_bitmapscan;
RESET enable_seqscan;
RESET track_functions;
-- hasMaterial becomes an operator only for those who may call both functions.
BEGIN;
CREATE ROLE regress_material;
GRANT SELECT ON games TO regress_material;
REVOKE EXECUTE ON FUNCTION haspattern(chessgame, chesspattern) FROM public;
SET ROLE regress_material;
SELECT plan('SELECT id FROM games WHERE hasMaterial(game, ''KRPvKR'')');
RESET ROLE;
GRANT EXECUTE ON FUNCTION haspattern(chessgame, chesspattern) TO public;
REVOKE EXECUTE ON FUNCTION hasmaterial(chessgame, text) FROM public;
SET ROLE regress_material;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT id FROM games WHERE hasMaterial(game, 'KRPvKR');
ROLLBACK;

CREATE TABLE wishes (n serial, pattern text);
INSERT INTO wishes (pattern) VALUES ('flip(isolated(Pd))'), ('Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6'), ('flip(B = 2 and N = 0 and b = 1 and n = 1)'),
    ('flip(KRPPvKR)'), ('flip(imbalance Pv for 4)'), ('flip(Q = 2 and R = 0 and q = 1 and r = 2)'), ('rank(R7, R7)'),
    ('flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)'),
    ('board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3'), ('oppositebishops and [QRNqrn] = 0'),
    ('KR[BN]P*vKR[BN]P*'), ('flip(Nd5 and not [bn] attacks d5)'), ('flip(K[b1,c1] and k[g8,h8])'), ('flip(shift(Pe4 Pf4 pe5 pf5))'),
    ('Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7'), ('rxNc3 directly Pxc3'), ('mate'), ('stalemate'), ('enpassant'), ('promotion'),
    ('[Pp]x.=[NRnr]'), ('castling directly castling'), ('O-O-O'), ('Q = 2 or q >= 3'), ('Qe7 or qe7'), ('any'), ('P = 9'), ('P = 8 and p = 8'),
    ('KR*vKR*'), ('P < 8 and p = 8');
CREATE TABLE asked AS
SELECT format(form, pattern) AS question
FROM wishes, unnest(ARRAY['game @@ %L', 'hasPattern(game, %L, 20)', 'game @@ %L AND hasBoard(game, getBoard(''1. e4 e5'', 2))',
    'game @@ %L AND hasOpening(game, ''1. e4'')', 'game @@ %L AND game @@ ''Nd5''', 'game @@ %L OR game @@ ''stalemate'''])
    WITH ORDINALITY AS f (form, nth) WHERE nth = 1 OR n % 5 = nth - 2;
INSERT INTO asked SELECT format(form, material(board))
FROM (SELECT DISTINCT getBoard(game, greatest(plyCount(game) - n, 0)) AS board FROM famous, generate_series(0, 20, 10) AS n) AS boards,
    unnest(ARRAY['hasMaterial(game, %L)', 'hasMaterial(game, %L, 40)']) AS form;
INSERT INTO asked VALUES ('hasMaterial(game, ''KKvK'')'), ('hasMaterial(game, ''KvK'')'), ('game @@ NULL'),
    ('hasPattern(game, (SELECT min(pattern)::chesspattern FROM wishes WHERE pattern LIKE ''%mate''))'),
    ('game @@ ANY (ARRAY[''mate'', ''Nd5'']::chesspattern[])');
CREATE FUNCTION found() RETURNS TABLE (question text, games bigint, ids numeric) LANGUAGE plpgsql AS $$
BEGIN
    FOR question IN SELECT DISTINCT a.question FROM asked AS a LOOP
        EXECUTE 'SELECT count(*), sum(id::numeric * id) FROM games WHERE ' || question INTO games, ids;
        RETURN NEXT;
    END LOOP;
END
$$;
-- The answers that an index gives, by a bitmap and row by row, and a sequential scan does not.
CREATE FUNCTION differences(index text) RETURNS TABLE (question text, by_index bigint, by_scan bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_indexscan', 'off', true);
    CREATE TEMP TABLE scanned ON COMMIT DROP AS SELECT * FROM found();
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'on', true);
    RETURN QUERY SELECT i.question, i.games, s.games FROM found() AS i JOIN scanned AS s USING (question)
        WHERE (i.games, i.ids) IS DISTINCT FROM (s.games, s.ids);
    IF NOT (SELECT bool_or(line LIKE '%Scan on ' || index || '%') FROM plan('SELECT FROM games WHERE game @@ ''mate''') AS line) THEN
        RAISE 'the index is not used';
    END IF;
    PERFORM set_config('enable_bitmapscan', 'off', true), set_config('enable_indexscan', 'on', true);
    RETURN QUERY SELECT i.question, i.games, s.games FROM found() AS i JOIN scanned AS s USING (question)
        WHERE (i.games, i.ids) IS DISTINCT FROM (s.games, s.ids);
    IF (SELECT count(*) FROM scanned WHERE games > 0) * 3 < (SELECT count(*) FROM scanned) THEN
        RAISE 'most questions find nothing';
    END IF;
END
$$;
SELECT * FROM differences('games_chess');
SELECT chess_index_check('games_chess', true);
-- It is picked to read many games with a pattern: it is charged for their recheck once.
BEGIN;
CREATE TABLE more AS SELECT id, game FROM games, generate_series(1, 10);
CREATE INDEX more_chess ON more USING chess (game);
ANALYZE more;
SELECT plan('SELECT count(*) FROM more WHERE game @@ ''Nd5''');
ROLLBACK;

-- Estimates of frequent patterns: within a factor of 3, or 40 games.
SELECT pattern, e AS expected, a AS games FROM wishes, format('SELECT FROM games WHERE game @@ %L', pattern) AS q, estimate(q) AS e, actual(q) AS a
WHERE NOT e BETWEEN a / 3 - 40 AND a * 3 + 40;
SELECT question, e BETWEEN 0 AND 1933 AS sane FROM unnest(ARRAY['game @@ NULL', '''1. e4''::chessgame @@ ''Nd5''',
    'hasPattern(game, ''Nd5'', 3)', 'hasPattern(game, ''Nd5'', NULL)']) AS question, estimate('SELECT FROM games WHERE ' || question) AS e;

-- A pattern of another table.
SET enable_seqscan = off;
SELECT plan('SELECT count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern');
CREATE TABLE by_join AS SELECT n, count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern GROUP BY n;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT * FROM by_join EXCEPT SELECT n, count(*) FROM wishes AS w JOIN games AS g ON g.game @@ w.pattern::chesspattern GROUP BY n;
RESET enable_indexscan;
RESET enable_bitmapscan;

-- A negative number of half-moves is an error, also where an index scan would return nothing.
SELECT count(*) FROM games WHERE hasMaterial(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasPattern(game, 'KQQQQQvK', -1);
SELECT count(*) FROM games WHERE hasBoard(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
SELECT count(*) FROM games WHERE hasPieces(game, '8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
RESET enable_seqscan;

-- Games that are pending, then segments, some of them dead, then one segment.
SELECT max(id) AS last FROM games \gset
INSERT INTO games (id, name, game) SELECT :last + id, name, game FROM games WHERE id % 3 = 0;
SELECT * FROM differences('games_chess');
ALTER INDEX games_chess SET (pending_games = 64);
INSERT INTO games (id, name, game) SELECT 2 * :last + id, name, game FROM games WHERE id <= :last AND id % 3 = 1;
SELECT count(*) > 1 AS segments, sum(games) FILTER (WHERE part = 'pending') > 0 AS pending FROM chess_index_info('games_chess') WHERE part IN ('segment', 'pending');
SELECT * FROM differences('games_chess');
DELETE FROM games WHERE id % 5 = 2;
VACUUM games;
SELECT sum(dead) > 0 AS dead FROM chess_index_info('games_chess');
SELECT * FROM differences('games_chess');
SELECT chess_index_merge('games_chess');
SELECT part FROM chess_index_info('games_chess');
SELECT * FROM differences('games_chess');
SELECT chess_index_check('games_chess', true);

-- A pattern that is not known when a statement is planned.
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
PREPARE by_pattern(chesspattern) AS SELECT count(*) FROM games WHERE game @@ $1;
EXPLAIN (COSTS OFF) EXECUTE by_pattern('mate');
EXECUTE by_pattern('mate');
EXECUTE by_pattern(NULL);
SELECT count(*) AS all_games FROM games WHERE game IS NOT NULL \gset
EXECUTE by_pattern('any') \gset every_
SELECT :all_games = :every_count AS every_game;
PREPARE by_material(text) AS SELECT count(*) FROM games WHERE hasMaterial(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_material('KRPvKR');
EXECUTE by_material('KRPvKR');
EXECUTE by_material('KvKX');
-- A number of half-moves that is not known: a negative one is an error.
PREPARE by_material_within(text, integer) AS SELECT count(*) FROM games WHERE hasMaterial(game, $1, $2);
PREPARE by_pattern_within(chesspattern, integer) AS SELECT count(*) FROM games WHERE hasPattern(game, $1, $2);
PREPARE by_board_within(chessboard, integer) AS SELECT count(*) FROM games WHERE hasBoard(game, $1, $2);
EXPLAIN (COSTS OFF) EXECUTE by_material_within('KQQQQQvK', 200);
EXPLAIN (COSTS OFF) EXECUTE by_pattern_within('KQQQQQvK', 200);
EXPLAIN (COSTS OFF) EXECUTE by_board_within('8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', 200);
SELECT count(*) FROM games WHERE hasMaterial(game, 'KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP', 0);
EXECUTE by_material_within('KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP', 0);
EXECUTE by_material_within('KRPvKR', NULL);
EXECUTE by_material_within('KQQQQQvK', -1);
EXECUTE by_pattern_within('KQQQQQvK', -1);
EXECUTE by_board_within('8/8/8/8/8/8/8/KQQQQQ1k w - - 0 1', -1);
RESET enable_seqscan;
-- The index costs what it does with a number that is known.
PREPARE from_start(integer) AS SELECT id FROM games WHERE hasBoard(game, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', $1);
EXPLAIN (COSTS OFF) EXECUTE from_start(200);
RESET plan_cache_mode;

-- Without lists for patterns all games are candidates, so it is not used for them, but answers stay.
ALTER INDEX games_chess SET (patterns = off);
REINDEX INDEX games_chess;
SELECT count(*) FROM chess_index_info('games_chess') WHERE part = 'patterns';
SELECT chess_index_check('games_chess', true);
SELECT plan('SELECT id FROM games WHERE game @@ ''stalemate''');
SELECT plan('SELECT id FROM games WHERE hasBoard(game, getBoard(''1. e4 c5 2. Nf3 Nc6'', 4))');
SELECT * FROM differences('games_chess');
-- Segments with lists and without.
ALTER INDEX games_chess SET (patterns = on);
INSERT INTO games (id, name, game) SELECT 4 * :last + id, name, game FROM games WHERE id <= :last AND id % 3 = 1;
SELECT count(*) > 0 AS has_lists FROM chess_index_info('games_chess') WHERE part = 'patterns';
SELECT * FROM differences('games_chess');
SELECT chess_index_check('games_chess', true);
-- One segment has them only if all had.
SELECT chess_index_merge('games_chess');
SELECT part FROM chess_index_info('games_chess');
REINDEX INDEX games_chess;
SELECT part FROM chess_index_info('games_chess');
CREATE INDEX ON games USING chess (game) WITH (patterns = 'some');

DROP TABLE games, famous, materials, wishes, asked, by_join;
DROP FUNCTION estimate, actual, plan, answers, cost, looked_at, found, differences;
