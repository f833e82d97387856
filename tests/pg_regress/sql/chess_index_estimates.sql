-- Estimates from an index of the access method chess: for a constant the planner looks up how many games there are.

\set ECHO none
\i data/games.sql
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
ALTER TABLE games SET (autovacuum_enabled = off);
CREATE TABLE asked (question text);
INSERT INTO asked SELECT format(question, board) FROM
    (SELECT DISTINCT getBoard(game, ply) AS board FROM games, unnest('{0,1,2,3,5,9,14,20,28}'::integer[]) AS ply WHERE ply <= plyCount(game) AND id % 90 = 53) AS b,
    unnest(ARRAY['hasBoard(game, %L)', 'game @> %L::chessboard', 'hasPieces(game, %L)', '%L::chessboard ~@ game', 'game @>> ARRAY[%L, NULL]::chessboard[]',
        'game @>> ARRAY[%L]::chessboard[]', 'game && ARRAY[%L, NULL]::chessboard[]']) AS question;
INSERT INTO asked VALUES ('hasBoard(game, ''8/8/8/8/8/8/8/8'')'), ('hasBoard(game, NULL)');
-- What is estimated wrongly, and how often.
CREATE FUNCTION wrong() RETURNS TABLE (questions bigint, wrong bigint, example text) LANGUAGE sql AS $$
    SELECT count(*), count(*) FILTER (WHERE is_wrong), min(question || ': ' || e || ' for ' || a) FILTER (WHERE is_wrong)
    FROM asked, format('SELECT FROM games WHERE %s', question) AS query, estimate(query) AS e, actual(query) AS a,
        LATERAL (SELECT e NOT IN (a, greatest(a, 1))) AS w (is_wrong)
$$;
VACUUM ANALYZE games;
SELECT questions > 100 AS many, wrong > 20 AS wrong FROM wrong();
CREATE INDEX games_chess ON games USING chess (game);
-- Positions that arise by half-move 28 are counted to a game.
SELECT questions > 100 AS many, wrong, example FROM wrong();
-- Several positions depend on each other, whether they are asked for one by one or as an array, all or any; a position does not arise
-- before it can. Nine of ten estimates are within a factor of three, those for any of several boards within 1.1.
CREATE TABLE several AS
SELECT name, question FROM
    (SELECT getBoard(a.game, a.id % 7) AS one, getBoard(a.game, 3 + a.id % 11) AS later, getBoard(b.game, b.id % 6) AS other, (a.id / 7) % 12 AS plies
        FROM games a JOIN games b ON b.id = a.id + 1 WHERE plyCount(a.game) > 14 AND plyCount(b.game) > 6 ORDER BY a.id LIMIT 250) AS boards,
    LATERAL (VALUES ('two of a game', format('hasBoard(game, %L) AND game @> %L', one, later)), ('two of two games', format('hasBoard(game, %L) AND %L::chessboard <@ game', later, other)),
        ('with pieces', format('hasPieces(game, %L) AND hasBoard(game, %L)', other, later)), ('an array', format('game @>> ARRAY[%L, %L]::chessboard[]', one, other)),
        ('an array and one', format('game @>> ARRAY[%L, %L]::chessboard[] AND hasBoard(game, %L)', one, later, other)), ('any of a game', format('game && ARRAY[%L, %L]::chessboard[]', one, later)), ('any of two games', format('%L::chessboard[] && game', ARRAY[later, other, one])), ('the same twice', format('hasBoard(game, %1$L) AND hasBoard(game, %1$L)', later)),
        ('early', format('hasBoard(game, %L, %s)', later, plies))) AS q (name, question);
SELECT name, count(*) >= 200 AS many, count(*) FILTER (WHERE greatest(e, 1) BETWEEN floor(greatest(a, 1) / most) AND ceil(greatest(a, 1) * most)) >= 0.9 * count(*) AS near
FROM several, format('SELECT FROM games WHERE %s', question) AS query, estimate(query) AS e, actual(query) AS a,
    LATERAL (SELECT CASE WHEN name LIKE 'any%' THEN 1.1 ELSE 3.0 END) AS m (most) GROUP BY name ORDER BY name;
-- Of a rare pattern some games with its keys are searched, so that even a table that was never analyzed has estimates of it: nine of
-- ten are within a factor of three. In a query of many relations none is searched.
CREATE TABLE fresh AS SELECT game FROM games;
ALTER TABLE fresh SET (autovacuum_enabled = off);
CREATE INDEX ON fresh USING chess (game);
CREATE TABLE rare AS SELECT name, pattern, actual(format('SELECT FROM games WHERE game @@ %L', pattern)) AS a FROM
    (SELECT piece[1 + n % 12] || file[1 + n * 7 % 8] || 1 + n * 5 / 3 % 8 AS one, piece[1 + n * 5 / 12 % 12] || file[1 + n / 3 % 8] || 1 + n / 24 % 8 AS other
        FROM generate_series(1, 200) AS n, (SELECT '{P,N,B,R,Q,K,p,n,b,r,q,k}'::text[] AS piece, '{a,b,c,d,e,f,g,h}'::text[] AS file) AS p) AS pieces,
    LATERAL (VALUES ('two pieces', one || ' and ' || other), ('mates', 'mate and ' || one), ('in turn', one || ' then ' || other)) AS p (name, pattern);
INSERT INTO rare SELECT 'material', m, actual(format('SELECT FROM games WHERE hasMaterial(game, %L)', m)) FROM (SELECT DISTINCT material(finalBoard(game)) FROM games ORDER BY 1 LIMIT 200) AS m (m);
SELECT name, count(*) >= 100 AS many, bool_or(a > 3) AS some, count(*) FILTER (WHERE greatest(e, 1) BETWEEN greatest(a, 1) / 3.0 AND greatest(a, 1) * 3) >= 0.9 * count(*) AS near
FROM rare, estimate(format('SELECT FROM fresh WHERE game @@ %L', pattern)) AS e GROUP BY name ORDER BY name;
SELECT estimate(query || 'WHERE game @@ ''mate and Ra2''') AS searched, estimate(query || string_agg(format(', (SELECT FROM famous WHERE id = 1) AS f%s ', n), '') || 'WHERE game @@ ''mate and Ra2''') > 50 AS "not searched"
FROM generate_series(1, 10) AS n, (SELECT 'SELECT FROM fresh ') AS q (query) GROUP BY query;
-- The cost of a scan goes by the candidates that were counted then, so a rare pattern costs less than a common one.
SET enable_seqscan = off;
SELECT cost('SELECT FROM fresh WHERE game @@ $p$Qa8 and qa1$p$') < cost('SELECT FROM fresh WHERE game @@ $p$Pe4 and pe5$p$') / 2 AS cheaper;
RESET enable_seqscan;
DROP TABLE fresh, rare;
-- Some games of the index tell how soon a position arises, even of a table that was never analyzed, and where no number of moves that
-- the pieces need excludes it.
CREATE TABLE soon AS SELECT (CASE WHEN n % 2 = 0 THEN '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4' WHEN n % 20 = 1 THEN '1. e4 e5' ELSE '1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5' END)::chessgame AS game
FROM generate_series(1, 10000) AS n;
ALTER TABLE soon SET (autovacuum_enabled = off);
CREATE INDEX ON soon USING chess (game);
SELECT moves, plies, e BETWEEN a / 2 AND a * 2 + 3 AS near FROM
    (VALUES ('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4', 7), ('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4', 6), ('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4', 5), ('1. e4 e5', 6), ('1. e4 e5', 5), ('1. e4 e5', 1)) AS v (moves, plies),
    format('SELECT FROM soon WHERE hasBoard(game, %L, %s)', finalBoard(moves::chessgame), plies) AS query, estimate(query) AS e, actual(query) AS a;
DROP TABLE soon;
-- After changes of more than half of the games, without ANALYZE; dead games are left out in proportion. Pending games count.
INSERT INTO games (id, name, game) SELECT 40000 + n, 'new', '1. Na3 Na6 2. Nb1' FROM generate_series(1, 100) AS n;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 Na6 2. Nb1''))') BETWEEN 95 AND 105 AS near;
SELECT chess_index_merge('games_chess');
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 Na6 2. Nb1''))') BETWEEN 95 AND 105 AS near;
INSERT INTO games (id, name, game) SELECT 50000 + n, 'new', CASE n % 10 WHEN 0 THEN '1. Na3 h6' ELSE '1. Nc3 h6' END::chessgame FROM generate_series(1, 3000) AS n;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 h6''))') BETWEEN 250 AND 350 AS near;
DELETE FROM games WHERE id > 50000 AND id % 3 > 0;
VACUUM ANALYZE games;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 h6''))') BETWEEN 80 AND 120 AS near;
-- Later positions: an estimate is hardly more than the number of games.
SELECT bool_and(e BETWEEN a AND a + 5) AS near FROM games,
    LATERAL (SELECT format('SELECT FROM games WHERE hasBoard(game, %L)', getBoard(game, plyCount(game) * 4 / 5))) AS q (query), estimate(query) AS e, actual(query) AS a
WHERE id % 200 = 53 AND plyCount(game) > 40;
-- Openings and numbers of half-moves are estimated with the statistics, at most as many as there are games with the position.
SELECT opening, e BETWEEN a / 2 AND a * 2 + 5 AS near FROM unnest('{1. e4,1. e4 e5,1. e4 c5,1. h3,1. Na3 Na6,1. Na3 Na6 2. Nb1 Nb8}'::text[]) AS opening,
    format('SELECT FROM games WHERE hasOpening(game, %L)', opening) AS query, estimate(query) AS e, actual(query) AS a;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. e4 e5''), 1)') < 30 AS "too early",
    estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. e4 e5''), 2)') <= estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. e4 e5''))') AS fewer;

-- Games that ANALYZE does not know, only the index does: the estimate with the index, and while it is not valid.
INSERT INTO games (id, name, game) SELECT 60000 + n, 'newer', '1. Na3 h5' FROM generate_series(1, 500) AS n;
CREATE FUNCTION estimates_of(query text, OUT with_index bigint, OUT without bigint) LANGUAGE plpgsql AS $$
BEGIN
    with_index := estimate(query);
    UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'games_chess'::regclass;
    without := estimate(query);
    UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'games_chess'::regclass;
END
$$;
SELECT with_index BETWEEN 490 AND 510 AS counted, without < 50 AS unknown FROM estimates_of('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 h5''))');
-- An opening that was analyzed and a number of half-moves are estimated by what is known of either.
SELECT with_index = without AS same FROM estimates_of('SELECT FROM games WHERE hasOpening(game, ''1. Na3 h6'')');
-- Generic plans, joins and subqueries ask the statistics as before; so does an array of many boards.
SET plan_cache_mode = force_generic_plan;
PREPARE by_board(chessboard) AS SELECT FROM games WHERE game @> $1;
SELECT query, with_index = without AS same FROM unnest(ARRAY['EXECUTE by_board(finalBoard(''1. Na3 h5''))',
    'SELECT FROM games WHERE game @> (SELECT finalBoard(''1. Na3 h5''))',
    'SELECT FROM games AS g JOIN famous AS f ON g.game @> getBoard(f.game, 1)']) AS query, estimates_of(query);
RESET plan_cache_mode;
SELECT with_index = without AS same FROM estimates_of('SELECT FROM games WHERE game && array_fill(finalBoard(''1. Na3 h5''), ARRAY[65])');
SELECT with_index = without AS same FROM estimates_of('SELECT FROM games WHERE game && array_fill(finalBoard(''1. Na3 h5''), ARRAY[64])');
-- An index of a part of the games is asked by who wants that part.
DROP INDEX games_chess;
CREATE INDEX games_chess ON games USING chess (game) WHERE name = 'newer';
SELECT with_index = without AS same FROM estimates_of('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 h5''))');
ANALYZE games;
SELECT estimate('SELECT FROM games WHERE hasBoard(game, finalBoard(''1. Na3 h5'')) AND name = ''newer''');

-- An index on an expression knows of that expression.
DROP INDEX games_chess;
CREATE INDEX games_chess ON games USING chess (getFirstMoves(game, 4));
SELECT e = a AS exact FROM estimate('SELECT FROM games WHERE hasBoard(getFirstMoves(game, 4), finalBoard(''1. e4 e5''))') AS e,
    actual('SELECT FROM games WHERE hasBoard(getFirstMoves(game, 4), finalBoard(''1. e4 e5''))') AS a;

-- Partitions are asked one by one, but not many of them.
CREATE TABLE parted (id int, game chessgame) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (2000);
INSERT INTO parted SELECT n, CASE WHEN n < 30 THEN '1. Na3' ELSE '1. d4' END::chessgame FROM generate_series(0, 1999) AS n;
CREATE INDEX ON parted USING chess (game);
VACUUM parted;
SELECT estimate('SELECT FROM parted WHERE hasBoard(game, finalBoard(''1. Na3''))');
DO $$ BEGIN
    FOR n IN 1 .. 100 LOOP
        EXECUTE format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%s) TO (%s)', 100 + n, 10000 + n, 10001 + n);
    END LOOP;
END $$;
SELECT estimate('SELECT FROM parted WHERE hasBoard(game, finalBoard(''1. Na3''))') <> 30 AS "not asked";
-- of these a third, as nothing is known of id
SELECT estimate('SELECT FROM parted WHERE hasBoard(game, finalBoard(''1. Na3'')) AND id < 2000');

DROP TABLE parted, games, famous, asked;
DROP FUNCTION estimate, actual, plan, answers, cost, wrong, estimates_of;
