-- In: the table games (id, game), analyzed. Out: how far the planner's estimates are from the truth: for openings,
-- positions, material and patterns by how many games have them, for what no game has,
-- for arrays, for joins and for functions of many rows; how long ANALYZE and planning take, and what ANALYZE keeps.
-- An ERROR at the end if patterns of 30,000 games or more are further from the truth than docs/performance.md says.
SET client_min_messages = warning;
SET jit = off;
CREATE SCHEMA estimates;
SET search_path = estimates, public;

CREATE FUNCTION estimated(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE explained jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM ' || query INTO explained;
    RETURN explained #>> '{0,Plan,Plan Rows}';
END $$;
CREATE FUNCTION counted(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM ' || query INTO n;
    RETURN n;
END $$;
-- The factor by which an estimate is too high or too low.
CREATE FUNCTION factor(estimated numeric, actual numeric) RETURNS numeric LANGUAGE sql
    RETURN round(greatest(estimated, 1) / greatest(actual, 1) * CASE WHEN estimated >= actual THEN 1 ELSE power(greatest(actual, 1) / greatest(estimated, 1), 2) END, 2);

SELECT count(*) AS games FROM games \gset
CREATE TABLE band (name text, at_least numeric, below numeric);
INSERT INTO band VALUES ('4 % and more', 0.04, 2), ('1–4 %', 0.01, 0.04), ('0.5–1 %', 0.005, 0.01), ('0.2–0.5 %', 0.002, 0.005),
    ('0.1–0.2 %', 0.001, 0.002), ('0.05–0.1 %', 0.0005, 0.001);
CREATE TABLE question (kind text, query text, estimated numeric, actual numeric);

-- every opening of up to 24 half-moves that at least 0.05 % of the games have
INSERT INTO question (kind, query, actual)
SELECT 'openings', format('games WHERE hasOpening(game, %L)', getFirstMoves(game, plies)), count(*)
FROM games, generate_series(1, 24) AS plies WHERE plyCount(game) >= plies
GROUP BY getFirstMoves(game, plies) HAVING count(*) >= 0.0005 * :games;

-- positions of the first 30 half-moves, at most 400 per band
CREATE TABLE seen AS
SELECT count(*) AS games, min(id * 64 + ply) AS place FROM
    (SELECT DISTINCT ON (id, zobrist(board)) id, ply, zobrist(board) AS key FROM games, positions(game) WHERE ply <= 30) AS p
GROUP BY key HAVING count(*) >= 0.0005 * :games;
INSERT INTO question (kind, query, actual)
SELECT 'positions', format('games WHERE hasBoard(game, %L)', getBoard(game, (place % 64)::int)), seen.games
FROM (SELECT seen.*, row_number() OVER (PARTITION BY name ORDER BY hashint8(place)) AS n
    FROM seen JOIN band ON games >= at_least * :games AND games < below * :games) AS seen
JOIN games ON id = place / 64 WHERE n <= 400;

-- every material that at least 0.05 % of the boards at the end and at half-moves 20, 40 and 60 have, at most 60 per
-- band
CREATE TABLE balance AS
SELECT material(board) AS material FROM games, LATERAL (SELECT finalBoard(game) UNION ALL
    SELECT getBoard(game, ply) FROM unnest(ARRAY[20, 40, 60]) AS ply WHERE plyCount(game) >= ply) AS b (board)
GROUP BY 1 HAVING count(*) >= 0.0002 * :games ORDER BY hashtext(material(board)) LIMIT 250;
INSERT INTO question (kind, query, actual)
SELECT 'material', query, counted(query) FROM balance, format('games WHERE hasMaterial(game, %L)', material) AS query;

-- Patterns of material: numbers of pieces, endings, what one side has more, for either side; and patterns of other things:
-- what stands where, moves, and one after the other, drawn by hash.
CREATE FUNCTION drawn(seed text, choices text[]) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN choices[1 + (hashtextextended(seed, 0) & 1048575) % cardinality(choices)];
CREATE FUNCTION square(seed text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN drawn(seed || 'file', '{a,b,c,d,e,f,g,h}') || drawn(seed || 'rank', '{1,2,3,4,5,6,7,8}');
CREATE FUNCTION piece(seed text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN drawn(seed || 'piece', '{P,P,N,N,B,B,R,R,Q,K,p,p,n,n,b,b,r,r,q,k,[BN],[rq]}');
CREATE FUNCTION part(seed text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE drawn(seed, '{piece,piece,piece,piece,file,pawns,attack,place}')
        WHEN 'piece' THEN piece(seed) || square(seed)
        WHEN 'file' THEN piece(seed) || drawn(seed || 'file', '{a,b,c,d,e,f,g,h}')
        WHEN 'pawns' THEN drawn(seed || 'is', '{passed,isolated,doubled,backward,connected}') || '(' || drawn(seed || 'whose', '{P,p}')
            || drawn(seed || 'file', '{a,b,c,d,e,f,g,h}') || ')'
        WHEN 'attack' THEN drawn(seed || 'by', '{A,N,B,R,Q,P,a,n,b,r,q,p}') || ' attacks ' || coalesce(nullif(drawn(seed || 'what', '{k,K,q,Q,square}'), 'square'), square(seed))
        ELSE drawn(seed || 'is', '{outpost(N),outpost(n),pinned(N),pinned(n),pinned(Q),pinned(q),R[open],r[open],check}') END;
CREATE FUNCTION conditions(seed text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN part(seed || 1) || CASE drawn(seed || 'more', '{one,two,two,three}') WHEN 'one' THEN '' WHEN 'two' THEN ' and ' || part(seed || 2)
        ELSE ' and ' || part(seed || 2) || ' and ' || drawn(seed || 'not', '{"","not "}') || part(seed || 3) END;
CREATE FUNCTION a_move(seed text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE drawn(seed || 'move', '{to,takes,event}')
        WHEN 'to' THEN drawn(seed || 'mover', '{N,B,R,Q,K,P,n,b,r,q,k,p}') || '-' || square(seed)
        WHEN 'takes' THEN drawn(seed || 'takes', '{Nxn,Bxn,Rxb,Qxp,Pxn,Qxr,Rxp,nxB,bxN,rxN,qxP,pxB,qxR,kxP}') || square(seed)
        ELSE drawn(seed || 'event', '{O-O-O,o-o-o,promotion,enpassant,P-.=[RBN],mate}') END;
CREATE FUNCTION is_pattern(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM $1::chesspattern;
    RETURN true;
EXCEPTION WHEN invalid_text_representation THEN RETURN false;
END $$;
CREATE TABLE asked (kind text, pattern text);
INSERT INTO asked SELECT 'patterns of material', pattern
FROM unnest('{Q,R,B,N,P,[BN],[QR],[Qq],[Rr]}'::text[]) AS kinds, unnest('{" = "," >= "}'::text[]) AS comparison, generate_series(0, 9) AS n,
    format('flip(%s%s%s)', kinds, comparison, n) AS pattern;
INSERT INTO asked SELECT 'patterns of material', pattern
FROM unnest('{"",Q,R,B,N,[BN],QR,RB,RN,BN,BB,RR,R[BN],Q[BN],QQ}'::text[]) AS own, unnest('{"",Q,R,B,N,[BN],RN,R[BN],RR}'::text[]) AS other,
    unnest('{vK,P*vK,P*vKP*,P2vKP*,P3vKP3,PvKP*}'::text[]) AS pawns, format('K%s%s', own, replace(pawns, 'vK', 'vK' || other)) AS p,
    unnest('{%s,flip(%s)}'::text[]) AS sides, format(sides, p) AS pattern WHERE hashtext(pattern) % 10 = 0;
INSERT INTO asked SELECT 'patterns of material', format('flip(imbalance %sv%s)', more, less)
FROM unnest('{P,PP,B,N,R,Q,RP,BN,BB,[BN],PPP}'::text[]) AS more, unnest('{"",P,PP,PPP,[BN],B,N,R,RB,RR,[BN][BN],[BN]PP}'::text[]) AS less WHERE more <> less;
INSERT INTO asked SELECT 'patterns of material', pattern FROM unnest(ARRAY['Q = 2', 'flip(KQP*vK[BN]P*)', 'KQP*vKBP*']) AS pattern;
INSERT INTO asked SELECT 'other patterns', pattern
FROM generate_series(1, 1500) AS n, format('n%s', n) AS seed, format(drawn(seed || 'sides', '{%s,%s,flip(%s),mirror(%s)}'),
    CASE drawn(seed || 'form', '{one,one,one,move,then,next}') WHEN 'one' THEN conditions(seed) WHEN 'move' THEN a_move(seed || 4) || ' and ' || part(seed)
    WHEN 'then' THEN conditions(seed) || ' then ' || a_move(seed || 4) ELSE a_move(seed || 4) || ' directly ' || a_move(seed || 5) END) AS pattern;
DELETE FROM asked WHERE NOT is_pattern(pattern);
-- Other patterns are counted only if a tenth of the games do not tell that they are too common or too rare.
CREATE TABLE tenth AS SELECT game FROM games WHERE id % 10 = 3;
DELETE FROM asked WHERE kind = 'other patterns'
    AND counted(format('(SELECT FROM tenth WHERE game @@ %L LIMIT greatest(5, (SELECT count(*) FROM tenth) / 150)) AS t', pattern))
        NOT BETWEEN 1 AND greatest(4, :games / 1500 - 1);
INSERT INTO question (kind, query, actual)
SELECT kind, query, counted(query) FROM (SELECT DISTINCT kind, pattern FROM asked) AS a, format('games WHERE game @@ %L', pattern) AS query;

UPDATE question SET estimated = estimated(query);

\echo
\echo Openings, positions, material and patterns by the share of the games that have them
CREATE TABLE result AS
SELECT kind, name, at_least, count(*) AS asked, count(*) FILTER (WHERE estimated <= 2) AS one_or_two,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY factor(estimated, actual)) AS median,
    percentile_disc(0.9) WITHIN GROUP (ORDER BY factor(estimated, actual)) AS ninety, max(factor(estimated, actual)) AS greatest
FROM question JOIN band ON actual >= at_least * :games AND actual < below * :games
GROUP BY kind, name, at_least;
SELECT kind, name AS "in … of the games", asked, one_or_two AS "estimated at 1 or 2", median AS "factor, median", ninety AS "90 %", greatest
FROM result ORDER BY kind, at_least DESC;
\echo Patterns that fewer games have, and those that no game has: what is expected
SELECT kind, actual = 0 AS "in no game", count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY estimated) AS "rows, median",
    percentile_disc(0.9) WITHIN GROUP (ORDER BY estimated) AS "90 %", max(estimated) AS greatest, round(100 * max(estimated) / :games, 3) AS "greatest, % of games"
FROM question WHERE actual < 0.0005 * :games AND kind LIKE '%patterns%' GROUP BY kind, actual = 0 ORDER BY kind, actual = 0;

\echo Patterns that fewer games have, and mates: how many estimates are within a factor of 3
CREATE TABLE rare AS SELECT kind, query, estimated, actual FROM question WHERE actual < 0.0005 * :games AND kind = 'other patterns';
INSERT INTO rare SELECT 'mates', query, estimated(query), counted(query)
FROM generate_series(1, 200) AS n, format('m%s', n) AS seed, format('mate and %s', conditions(seed)) AS pattern, format('games WHERE game @@ %L', pattern) AS query WHERE is_pattern(pattern);
CREATE INDEX estimates_chess ON games USING chess (game);
SELECT kind, count(*), count(*) FILTER (WHERE factor(estimated, actual) <= 3) AS "by ANALYZE", count(*) FILTER (WHERE factor(estimated(query), actual) <= 3) AS "by an index, too"
FROM rare GROUP BY kind ORDER BY kind;
DROP INDEX estimates_chess;

-- Boards of few games and of none, placements, arrays.
CREATE TABLE planned AS SELECT kind, query FROM question;
CREATE TABLE asked_patterns AS SELECT kind, factor(estimated, actual) AS factor, actual / :games AS share FROM question WHERE kind LIKE '%patterns%';
TRUNCATE question;
CREATE TABLE few AS SELECT row_number() OVER (ORDER BY hashint8(id)) AS n, id, game FROM games ORDER BY n LIMIT 2000;
CREATE TABLE candidate AS
SELECT epd(getBoard(game, ply))::chessboard AS board, count(*) AS seen FROM few, generate_series(0, least(plyCount(game), 30)) AS ply GROUP BY 1;
INSERT INTO question (kind, query) SELECT 'placements of 1 % or more', format('games WHERE hasPieces(game, %L)', board) FROM candidate WHERE seen >= 16
ORDER BY hashtext(board::text) LIMIT 50;
INSERT INTO question (kind, query) SELECT 'boards of no game', format('games WHERE hasBoard(game, %L)', regexp_replace(board::text, '^[^/]*/', 'qqqqqqqq/'))
FROM (SELECT board FROM candidate ORDER BY hashtext(board::text) LIMIT 30) AS c;
INSERT INTO question (kind, query) SELECT 'boards of three games or less', format('games WHERE hasBoard(game, %L)', getBoard(game, 10 + n::int % 60))
FROM few WHERE plyCount(game) > 70 AND n < 40;
INSERT INTO question (kind, query) SELECT 'any of ten boards, 1 % or more', format('games WHERE game && %L::chessboard[]', array_agg(board))
FROM (SELECT board, row_number() OVER (ORDER BY hashtext(board::text)) AS n FROM candidate WHERE seen >= 4) AS c GROUP BY n % 20 LIMIT 20;
UPDATE question SET estimated = estimated(query), actual = counted(query);
\echo
SELECT kind, count(*), max(factor(estimated, actual)) AS "greatest factor", round(max(100 * estimated / :games), 3) AS "highest estimate, % of games"
FROM question
WHERE CASE WHEN kind LIKE '%more' THEN actual >= 0.01 * :games WHEN kind LIKE '%less' THEN actual <= 3 ELSE actual = 0 END
GROUP BY kind ORDER BY kind;

-- Joins: the other side is a column, or computed from one; in one table all rows but one in 500 are NULL.
CREATE TABLE boards AS SELECT n, getBoard(game, n::int * 7 % 50) AS board, getBoard(game, 6) AS early,
    ARRAY[getBoard(game, 4), getBoard(game, 7)] AS line FROM few WHERE plyCount(game) >= 50 AND n <= 100;
CREATE TABLE openings AS SELECT n, getFirstMoves(game, 6) AS opening, game FROM few WHERE n <= 100 AND plyCount(game) >= 8;
CREATE TABLE mostly_null AS SELECT game, getFirstMoves(game, 6) AS opening, getBoard(game, least(6, plyCount(game))) AS board
FROM (SELECT CASE WHEN n % 500 = 1 THEN game END AS game FROM few, generate_series(1, 5)) AS f;
CREATE TABLE materials AS SELECT material FROM balance;
ANALYZE few, boards, openings, mostly_null, materials;
CREATE TABLE joined AS
SELECT query, estimated(query), counted(query) AS actual FROM unnest(ARRAY[
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.board)',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early)',
    'boards AS b JOIN games AS g ON g.game @> b.early',
    'boards AS b JOIN games AS g ON b.early ~@ g.game',
    'boards AS b JOIN games AS g ON hasBoard(g.game, b.early, 4)',
    'boards AS b JOIN games AS g ON g.game && b.line',
    'boards AS b JOIN games AS g ON g.game @>> b.line',
    'boards AS b JOIN games AS g ON g.game && ARRAY[b.board, b.early]',
    'openings AS o JOIN games AS g ON hasBoard(g.game, getBoard(o.game, 3))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, o.opening)',
    'openings AS o JOIN games AS g ON g.game ^@ o.game',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 8))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 16))',
    'openings AS o JOIN games AS g ON hasOpening(g.game, getFirstMoves(o.game, 24))',
    'mostly_null AS m JOIN few AS f ON hasOpening(f.game, m.opening)',
    'mostly_null AS m JOIN few AS f ON hasBoard(f.game, m.board)',
    'mostly_null AS m JOIN few AS f ON hasOpening(f.game, getFirstMoves(m.game, 8))',
    'materials AS m JOIN few AS f ON hasMaterial(f.game, m.material)',
    'openings AS o WHERE EXISTS (SELECT FROM boards AS b WHERE hasBoard(o.game, b.early))',
    'openings AS o WHERE hasOpening(''1. e4 e5 2. Nf3 Nc6 3. Bb5'', opening)',
    'few AS f, moves(f.game)', 'few AS f, positions(f.game)', 'legalMoves(getBoard(''1. e4 e5'', 2))']) AS query;
SELECT query, estimated, actual, factor(estimated, actual) AS factor FROM joined;

-- Processor time of ANALYZE for the games, beside that for the same bytes without our statistics.
CREATE TABLE bytes AS SELECT chessgame_send(game) AS game FROM games;
CREATE TABLE analyzed (subject text, ms numeric);
CREATE FUNCTION processor_ms() RETURNS numeric LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 99, true), ' ', 1)::numeric / 1000000,
        1000 * extract(epoch FROM clock_timestamp())) FROM pg_sleep(0.001) $$;
DO $$
DECLARE
    subject text;
    started numeric;
BEGIN
    FOR run IN 1..5 LOOP
        FOREACH subject IN ARRAY ARRAY['games', 'bytes'] LOOP
            started := processor_ms();
            EXECUTE format('ANALYZE %I (game)', subject);
            INSERT INTO analyzed VALUES (subject, processor_ms() - started);
        END LOOP;
    END LOOP;
END $$;
\echo
SELECT subject AS "ANALYZE of", round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric) AS ms, round(min(ms)) AS least, round(max(ms)) AS greatest
FROM analyzed GROUP BY subject ORDER BY subject DESC;

-- Planning, for one query of each kind, in a session that has read the statistics: the least of some rounds.
CREATE FUNCTION planning_us(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE explained jsonb;
    least numeric;
BEGIN
    FOR run IN 1..7 LOOP
        EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) SELECT FROM ' || query INTO explained;
        least := least(least, 1000 * (explained #>> '{0,Planning Time}')::numeric);
    END LOOP;
    RETURN least;
END $$;
\echo
\echo Planning in µs
SELECT kind, count(*) AS queries, percentile_disc(0.5) WITHIN GROUP (ORDER BY us) AS median, percentile_disc(0.9) WITHIN GROUP (ORDER BY us) AS "90 %", max(us) AS greatest
FROM (SELECT kind, planning_us(query) AS us FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY hashtext(query)) AS n FROM planned) AS p WHERE n <= 200) AS q
GROUP BY kind ORDER BY kind;
\echo
SELECT pg_size_pretty(sum(pg_column_size(s))) AS "row of pg_statistic" FROM pg_statistic AS s WHERE starelid = 'games'::regclass
    AND staattnum = (SELECT attnum FROM pg_attribute WHERE attrelid = 'games'::regclass AND attname = 'game');

-- What docs/performance.md says of patterns, of games that fill the sample: of material of 0.05 % and more nine of ten are within a
-- factor of 3 and all within 10, of other things nine of ten of 0.05 to 0.2 % within 4.
DO $$
DECLARE missed text;
BEGIN
    SELECT string_agg(format('%s: 90 %% within %s, all within %s', kind, ninety, greatest), '; ') INTO missed FROM
        (SELECT kind, percentile_disc(0.9) WITHIN GROUP (ORDER BY factor) AS ninety, max(factor) AS greatest
         FROM asked_patterns WHERE share >= 0.0005 AND (share < 0.002 OR kind = 'patterns of material') GROUP BY kind) AS f,
        (SELECT count(*) AS games FROM games) AS g
    WHERE games >= 30000 AND (ninety > CASE kind WHEN 'patterns of material' THEN 3 ELSE 4 END OR kind = 'patterns of material' AND greatest > 10);
    IF missed IS NOT NULL THEN
        RAISE EXCEPTION 'estimates are further from the truth than they should be: %', missed;
    END IF;
END $$;
DROP SCHEMA estimates CASCADE;
