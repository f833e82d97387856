-- Foreign tables: what postgres_fdw sends to the other server, which here is the same one; the answers are the same.
SELECT count(*) = 0 AS lacking FROM pg_available_extensions WHERE name = 'postgres_fdw' \gset
\if :lacking
\echo 'skipped: this server has no extension postgres_fdw'
\quit
\endif

\set ECHO none
\i data/games.sql
\set ECHO all
SET client_min_messages = warning;
CREATE EXTENSION postgres_fdw;
RESET client_min_messages;
DO $$
BEGIN
    EXECUTE format('CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions %L)',
        split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), current_database(), 'chess');
END
$$;
CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
CREATE TABLE near AS SELECT id, game FROM games WHERE plyCount(game) >= 30;
CREATE FOREIGN TABLE far (id bigint, game chessgame) SERVER loopback OPTIONS (table_name 'near');
ANALYZE far;

-- Array types of all our types belong to the extension.
WITH member AS (SELECT objid FROM pg_depend WHERE classid = 'pg_type'::regclass AND deptype = 'e'
                AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess'))
SELECT count(*) > 2 AS several, count(*) FILTER (WHERE typarray NOT IN (TABLE member)) AS "without their array"
FROM pg_type WHERE typtype = 'b' AND typarray <> 0 AND oid IN (TABLE member);

-- Every function with a text argument has a support function, except set-returning ones and those of aggregates, which
-- are never sent, and aggregates, which cannot have one.
SELECT p.oid::regprocedure FROM pg_proc AS p
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'chess'
WHERE ARRAY['text', 'text[]']::regtype[] && p.proargtypes::oid[]::regtype[] AND prosupport = 0 AND NOT proretset AND prokind = 'f' AND 'internal'::regtype <> ALL (p.proargtypes::oid[]);

-- For a condition on the foreign table: the part that is not sent, which must be empty, and whether as many games of
-- the local table meet it.
CREATE FUNCTION sent(condition text, OUT games bigint, OUT same boolean, OUT "left" text) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    EXECUTE 'SELECT count(*) FROM far WHERE ' || condition INTO games;
    EXECUTE 'SELECT count(*) = $1 FROM near WHERE ' || condition INTO same USING games;
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM far WHERE ' || condition LOOP
        "left" := coalesce("left", substring(line FROM '(Filter: .*)'));
    END LOOP;
END
$$;
SELECT condition, s.* FROM unnest(ARRAY[
    'hasBoard(game, getBoard(''1. e4 c5'', 2))',
    'game @>> ARRAY[getBoard(''1. e4 c5'', 1), getBoard(''1. e4 c5'', 2)]',
    'ARRAY[getBoard(''1. e4 c5'', 1), getBoard(''1. e4 c5'', 2)] <<@ game',
    'game && ARRAY[getBoard(''1. e4 c5'', 2), getBoard(''1. d4'', 1)]',
    'game @> ANY (ARRAY[getBoard(''1. e4 c5'', 2), getBoard(''1. d4'', 1)])',
    'game = ANY (ARRAY(SELECT game FROM near ORDER BY id LIMIT 3))',
    'game @@ ANY (ARRAY[''N-f3 then castling'', ''capture directly recapture'']::chesspattern[])',
    'hasMaterial(game, ''KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP'')',
    'hasMaterial(game, ''KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP'', 6)',
    'pieces(getBoard(game, 20), ''N'') & squareSet(ARRAY[''f3'', ''d5'']) <> 0',
    'attacks(getBoard(game, 20), ''f3'') & attackers(getBoard(game, 20), ''e5'', ''w'') <> 0',
    'occupied(getBoard(game, 20), ''w'') & 65535 = 54019',
    'hasBoard(game, play(getBoard(game, 1), ''e5''))',
    'isLegal(getBoard(game, 2), ''Nf3'')',
    'squaresOf(getBoard(game, 30), ''isolated(P)'') <> 0',
    'hasOpening(game, play(getFirstMoves(game, 1), ''c5''))',
    'hasOpening(withResult(game, ''1-0''), ''1. e4'')',
    'score(result(game), ''w'') = 0.5'
]) AS condition, sent(condition) AS s;

-- Comparing text needs a collation that no column has, so postgres_fdw does not send it.
SELECT "left" FROM sent('pieceAt(getBoard(game, 20), ''f3'') = ''N''');
-- Grouping is sent if the planner expects few groups.
ALTER FOREIGN TABLE far ALTER COLUMN game SET (n_distinct = 20);
ANALYZE far;
EXPLAIN (VERBOSE, COSTS OFF) SELECT pieceAt(getBoard(game, 20), 'f3') AS piece, count(*) FROM far GROUP BY 1;
SELECT pieceAt(getBoard(game, 20), 'f3') AS piece, count(*) FROM far GROUP BY 1 ORDER BY 1;
SELECT pieceAt(getBoard(game, 20), 'f3') AS piece, count(*) FROM near GROUP BY 1 ORDER BY 1;

-- Parameters, in generic plans.
SET plan_cache_mode = force_generic_plan;
PREPARE material(text) AS SELECT count(*) FROM far WHERE hasMaterial(game, $1);
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE material('KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP');
EXECUTE material('KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPP');
PREPARE boards(chessboard[]) AS SELECT count(*) FROM far WHERE game && $1;
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE boards(NULL);
RESET plan_cache_mode;

-- An index on such an expression is used whatever collation the query names, and the order is that of the column.
CREATE TABLE pieces_at AS SELECT id, getBoard(game, 20) AS board FROM near;
CREATE INDEX pieces_at_f3 ON pieces_at (pieceAt(board, 'f3'));
ANALYZE pieces_at;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM pieces_at WHERE pieceAt(board, 'f3') = 'N';
SELECT count(*) FROM pieces_at WHERE pieceAt(board, 'f3') = 'N';
RESET enable_seqscan;
SELECT count(*) FROM pieces_at WHERE pieceAt(board, 'f3') = 'N';
SELECT collation for (pieceAt(board, 'f3' COLLATE "C")) FROM pieces_at LIMIT 1;
CREATE VIEW knights AS SELECT id, pieceAt(board, 'f3' COLLATE "C") AS piece FROM pieces_at WHERE hasMaterial('1. e4', 'KvK') IS FALSE;
SELECT pg_get_viewdef('knights') ~ $$pieceat\(.*COLLATE "C".*hasmaterial\('1\. e4'::chessgame, 'KvK'::text\)$$ AS unchanged;
SELECT count(*) FROM knights WHERE piece = 'N';

DEALLOCATE ALL;
SET client_min_messages = warning;
DROP EXTENSION postgres_fdw CASCADE;
RESET client_min_messages;
DROP VIEW knights;
DROP TABLE pieces_at, near, games, famous;
DROP FUNCTION sent;
