-- A predicate answers by any index as without one, whichever of its arguments is a column of an index: a column that has the
-- index, one of a join, a domain, an element of an array, a parameter, a constant, NULL. The predicates come from the catalog.

\set ECHO none
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET plan_cache_mode = force_generic_plan;
CREATE DOMAIN some_game AS chessgame;
CREATE TABLE games (id int, game chessgame, kept some_game);
-- Each line of moves with all of its beginnings.
INSERT INTO games SELECT n, part, part FROM (
    SELECT row_number() OVER () AS n, getFirstMoves(line, plies) AS part FROM unnest(ARRAY[
        '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O', '1. d4 d5 2. c4 dxc4 3. e4 b5 4. a4', '1. Nf3 Nf6 2. Ng1 Ng8']::chessgame[]) AS line,
        generate_series(0, plyCount(line)) AS plies) AS parts;
INSERT INTO games VALUES (1000, NULL, NULL);
CREATE TABLE others AS SELECT id, game, kept, ARRAY[game] AS several FROM games WHERE id % 7 = 3 OR game IS NULL;
ANALYZE games, others;
\set ECHO all

-- Each boolean function and operator of the extension with a game on either side.
CREATE TEMP TABLE predicates AS
SELECT proname || '(%s, %s)' AS form, proargtypes[0]::regtype::text AS l, proargtypes[1]::regtype::text AS r
FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
  AND prorettype = 'boolean'::regtype AND pronargs = 2 AND 'chessgame'::regtype = ANY (proargtypes::oid[])
UNION SELECT '%s ' || oprname || ' %s', oprleft::regtype::text, oprright::regtype::text
FROM pg_operator JOIN pg_depend ON classid = 'pg_operator'::regclass AND objid = pg_operator.oid AND deptype = 'e'
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
  AND oprresult = 'boolean'::regtype AND 'chessgame'::regtype IN (oprleft, oprright);
SELECT count(*) > 20 AS "many predicates", count(*) FILTER (WHERE l = r) > 5 AS "of two games", count(*) FILTER (WHERE l <> 'chessgame') > 5 AS "with the game second" FROM predicates;

-- What may stand on a side, by its type. g is the table that is searched, o the one that is joined, $1 a parameter.
CREATE TEMP TABLE sides (type text, side text);
INSERT INTO sides SELECT 'chessgame', unnest(ARRAY['g.game', 'g.kept', 'o.game', 'o.kept', 'o.several[1]', '$1', 'NULL::chessgame',
    $$'1. e4 e5 2. Nf3 Nc6'::chessgame$$, $$'1. d4 d5'::some_game$$]);
INSERT INTO sides SELECT 'chessboard', unnest(ARRAY['finalBoard(o.game)', 'finalBoard($1)', 'NULL::chessboard', $$finalBoard('1. e4 e5 2. Nf3 Nc6')$$]);
INSERT INTO sides SELECT 'chessboard[]', 'ARRAY[startBoard(), ' || side || ']' FROM sides WHERE type = 'chessboard';
INSERT INTO sides SELECT 'chessboard[]', 'NULL::chessboard[]';
INSERT INTO sides SELECT 'chessgame[]', unnest(ARRAY['o.several', 'ARRAY[$1]', 'NULL::chessgame[]', $$ARRAY['1. e4 e5 2. Nf3', '1. d4', '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6']::chessgame[]$$]);
INSERT INTO sides SELECT 'chesspattern', unnest(ARRAY[$$'Nf3'::chesspattern$$, 'NULL::chesspattern', $$(CASE WHEN o.id % 2 = 0 THEN 'Nf3' ELSE 'P-d4' END)::chesspattern$$]);
INSERT INTO sides SELECT 'text', unnest(ARRAY[$$'KQRRBBNNPPPPPPPvKQRRBBNNPPPPPPP'$$, 'NULL::text']);
SELECT DISTINCT t AS "type that no side has" FROM predicates, unnest(ARRAY[l, r]) AS t WHERE t NOT IN (SELECT type FROM sides);

CREATE FUNCTION found(condition text, index text, OUT rows text, OUT is_used boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    query text := format('SELECT string_agg(concat(g.id, %L, o.id), %L ORDER BY g.id, o.id) FROM games AS g, others AS o WHERE %s', '-', ' ', condition);
BEGIN
    is_used := false;
    EXECUTE 'PREPARE asked (chessgame) AS ' || query;
    FOR line IN EXECUTE $q$EXPLAIN (COSTS OFF) EXECUTE asked ('1. e4 e5 2. Nf3')$q$ LOOP
        is_used := is_used OR line ~ ('Scan (using|on) ' || index) AND index <> '';
    END LOOP;
    EXECUTE $q$EXECUTE asked ('1. e4 e5 2. Nf3')$q$ INTO rows;
    DEALLOCATE asked;
END $$;

CREATE TEMP TABLE questions AS
SELECT row_number() OVER () AS n, form, format(form, l.side, r.side) AS condition, (found(format(form, l.side, r.side), '')).rows
FROM predicates AS p JOIN sides AS l ON l.type = p.l JOIN sides AS r ON r.type = p.r;
SELECT count(*) > 500 AS "many questions", count(rows) > 200 AS "many with answers" FROM questions;

-- Every question with no other index than this one, by plain scans and by bitmaps.
CREATE FUNCTION differs(definition text) RETURNS TABLE ("index is used" boolean, "other answers" text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'CREATE INDEX asked_index ON games ' || definition;
    EXECUTE 'CREATE INDEX other_index ON others ' || definition;
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
    RETURN QUERY
    WITH answers AS MATERIALIZED (
        SELECT q.condition, q.rows, f.rows AS by_index, f.is_used
        FROM questions AS q, set_config('enable_bitmapscan', (n % 2 = 0)::text, true), found(q.condition, '(asked|other)_index') AS f)
    SELECT bool_or(is_used), string_agg(condition, ', ') FILTER (WHERE rows IS DISTINCT FROM by_index) FROM answers;
    DROP INDEX asked_index, other_index;
END $$;
SELECT definition, d.* FROM unnest(ARRAY[
    'USING btree (game)', 'USING btree (kept)', 'USING chess (game)', 'USING chess (kept)', 'USING gin (game)', 'USING gin (kept)']) AS definition, differs(definition) AS d;
DROP TABLE games, others;
DROP DOMAIN some_game;
DROP FUNCTION found, differs;
