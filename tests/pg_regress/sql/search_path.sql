-- A schema in front of pg_catalog, with functions and operators of the same names and types that raise an ERROR when
-- called, has no effect: neither on the extension's views, planner support, estimators and operator classes, nor on
-- its creation.
SET client_min_messages = warning;
CREATE TABLE path_games AS SELECT game, id FROM
    (VALUES ('1. e4 e5 2. Nf3'::chessgame), ('1. d4 d5'), ('1. e4 c5')) AS g (game), generate_series(1, 1000) AS id;
CREATE SCHEMA traps;
DO $$
DECLARE
    pitfall text := 'LANGUAGE plpgsql AS ''BEGIN RAISE $q$a trap was sprung$q$; END''';
    made int := 0;
    f record;
BEGIN
    -- every function and operator of the extension, and those of PostgreSQL on the types in the views
    FOR f IN SELECT p.proname, oidvectortypes(p.proargtypes) AS arguments, p.proretset, p.proargtypes
        FROM pg_proc AS p
        WHERE p.prokind = 'f' AND 'internal'::regtype <> ALL (p.proargtypes) AND 'cstring'::regtype <> ALL (p.proargtypes)
          AND (p.oid IN (SELECT objid FROM pg_depend JOIN pg_extension AS e ON e.oid = refobjid
                         WHERE classid = 'pg_proc'::regclass AND extname = 'chess')
               OR p.proname IN ('abs', 'chr', 'sign', 'generate_series', 'btint8cmp', 'btint2cmp', 'btint4cmp', 'btequalimage',
                                'hashint8', 'jsonb_in', 'int8eq', 'int4eq', 'texteq')
                  AND 'anyelement'::regtype <> ALL (p.proargtypes))
    LOOP
        EXECUTE format('CREATE FUNCTION traps.%I(%s) RETURNS boolean %s', f.proname, f.arguments, pitfall);
        made := made + 1;
    END LOOP;
    FOR f IN SELECT DISTINCT o.oprleft::regtype AS l, o.oprright::regtype AS r FROM pg_operator AS o
        WHERE o.oprleft::regtype::text = ANY ('{integer,bigint,smallint,numeric,text,boolean,chessgame,chessboard,chessgame[],chessboard[]}')
          AND o.oprright::regtype::text = ANY ('{integer,bigint,smallint,numeric,text,boolean,chessgame,chessboard,chessgame[],chessboard[]}')
    LOOP
        EXECUTE format('CREATE FUNCTION traps.trap(%s, %s) RETURNS boolean %s', f.l, f.r, pitfall);
    END LOOP;
    FOR f IN SELECT o.oprname, o.oprleft::regtype AS l, o.oprright::regtype AS r FROM pg_operator AS o
        WHERE oprleft <> 0 AND oprright <> 0
          AND to_regprocedure(format('traps.trap(%s, %s)', o.oprleft::regtype, o.oprright::regtype)) IS NOT NULL
    LOOP
        EXECUTE format('CREATE OPERATOR traps.%s (FUNCTION = traps.trap, LEFTARG = %s, RIGHTARG = %s)', f.oprname, f.l, f.r);
        made := made + 1;
    END LOOP;
    ASSERT made > 250, made;
END $$;
SET search_path = traps, pg_catalog, public;

-- the traps work
SELECT 1 + 1;
SELECT hasopening('1. e4'::public.chessgame, '1. e4'::public.chessgame);
SELECT '1. e4'::public.chessgame = '1. e4'::public.chessgame;

-- views
SELECT count(*) FROM public.chess_king_moves;
SELECT count(*) FROM public.chess_white_pawn_moves;
SELECT count(*) FROM public.chess_between;

-- operator classes, statistics, planner support
CREATE INDEX path_btree ON public.path_games (game);
CREATE INDEX path_gin ON public.path_games USING gin (game);
ANALYZE public.path_games;
SELECT count(*) FROM (SELECT DISTINCT game FROM public.path_games) AS g;
EXPLAIN (COSTS OFF) SELECT FROM public.path_games
WHERE public.hasopening(game, '1. e4 e5 2. Nf3 Nc6'::public.chessgame);
EXPLAIN (COSTS OFF) SELECT FROM public.path_games
WHERE public.hasboard(game, public.getboard('1. e4 e5 2. Nf3 Nc6'::public.chessgame, 4));
SELECT count(*) FROM public.path_games WHERE public.hasopening(game, '1. e4'::public.chessgame);
SELECT count(*) FROM public.path_games WHERE public.hasboard(game, public.getboard('1. e4'::public.chessgame, 1));
SELECT count(*) FROM public.path_games WHERE game OPERATOR(public.&&) ARRAY[public.getboard('1. d4'::public.chessgame, 1)];

-- functions that call PostgreSQL's
SELECT number, tags, game, error FROM public.pgngames('[White "A"] 1. e4 * [White "B"] 1. e5 *');
SELECT ply, san, captured FROM public.moves('1. e4 d5 2. exd5'::public.chessgame);
SELECT public.nextmove('1. e4 d5'::public.chessgame, public.getboard('1. e4'::public.chessgame, 1));
RESET search_path;

-- CREATE EXTENSION in the schema with the traps: our objects are created and refer to none of the traps
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION chess CASCADE;
SAVEPOINT taken;
-- their order depends on the build
\set VERBOSITY sqlstate
CREATE EXTENSION chess SCHEMA traps;
\set VERBOSITY default
ROLLBACK TO taken;
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT oid::regprocedure AS signature FROM pg_proc AS p WHERE pronamespace = 'traps'::regnamespace AND proname <> 'trap'
        AND NOT EXISTS (SELECT FROM pg_proc AS c WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.proname = p.proname)
    LOOP
        EXECUTE 'DROP FUNCTION ' || f.signature;
    END LOOP;
END $$;
CREATE EXTENSION chess SCHEMA traps;
-- every object in the schema outside the extension is a trap, and only traps depend on them
SELECT count(*) FILTER (WHERE by_trap) > 100 AS traps, count(*) FILTER (WHERE NOT by_trap) AS traps_used
FROM (
    SELECT d.classid = 'pg_operator'::regclass AND NOT EXISTS
               (SELECT FROM pg_depend AS e WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e') AS by_trap
    FROM pg_depend AS d
    WHERE (d.refclassid = 'pg_proc'::regclass AND d.refobjid IN (SELECT oid FROM pg_proc WHERE pronamespace = 'traps'::regnamespace)
        OR d.refclassid = 'pg_operator'::regclass AND d.refobjid IN (SELECT oid FROM pg_operator WHERE oprnamespace = 'traps'::regnamespace))
      AND NOT EXISTS (SELECT FROM pg_depend AS e WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype = 'e')
) AS uses;
SELECT count(*) FROM traps.chess_between;
SELECT count(*) FROM traps.chess_king_moves;
ROLLBACK;
DROP SCHEMA traps CASCADE;
DROP TABLE path_games;
