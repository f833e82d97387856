-- In: a database; psql as a superuser. Out: the schema decoys, with functions that make decoys of functions and operators, and that
-- call all functions of a schema.
--
-- A decoy has the name of a function or operator, and argument types that PostgreSQL prefers or takes as well in a call that is
-- not exact. It writes to the server's log when it is run, and raises an ERROR.

CREATE SCHEMA decoys;
GRANT USAGE ON SCHEMA decoys TO PUBLIC;

-- Types are text with @ for the extension's schema, so that they can be copied to a database in which they do not exist yet. All
-- functions here have a search_path of their own: otherwise they would run decoys.
CREATE TABLE decoys.targets (
    is_operator boolean NOT NULL,
    name        text NOT NULL,
    arguments   text[] NOT NULL, -- 'none' at the left of a prefix operator
    optional    integer NOT NULL, -- how many of the last ones have defaults
    result      text NOT NULL,
    columns     text NOT NULL, -- parameters with OUT
    UNIQUE (is_operator, name, arguments)
);
GRANT SELECT ON decoys.targets TO PUBLIC;

-- Adds the functions and operators that SQL can call in a schema, and those of PostgreSQL that bodies and views there call, or that
-- have one of these names.
CREATE FUNCTION decoys.collect(of_schema text, chess text DEFAULT 'public', words text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, decoys, pg_temp AS $function$
DECLARE
    place oid := of_schema::regnamespace;
BEGIN
    CREATE TEMP TABLE called AS
    SELECT DISTINCT m.parts[1] = 'opno' AS is_operator, m.parts[2]::oid AS oid
    FROM (SELECT p.prosqlbody::text FROM pg_proc p WHERE p.pronamespace = place AND p.prosqlbody IS NOT NULL
          UNION ALL
          SELECT r.ev_action::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE c.relnamespace = place) b (body)
    CROSS JOIN LATERAL regexp_matches(b.body, ':(funcid|aggfnoid|winfnoid|opno) ([1-9][0-9]*)', 'g') m (parts);
    INSERT INTO decoys.targets
    SELECT false, p.proname, ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n) ORDER BY n), p.pronargdefaults,
           pg_get_function_result(p.oid),
           coalesce((SELECT string_agg(format(', OUT %I %s', coalesce(nullif(p.proargnames[n], ''), 'c' || n), format_type(t, NULL)), '' ORDER BY n)
                     FROM unnest(p.proallargtypes) WITH ORDINALITY a (t, n) WHERE p.proargmodes[n] IN ('o', 'b')), '')
    FROM pg_proc p
    WHERE (p.pronamespace = place OR p.oid IN (SELECT c.oid FROM called c WHERE NOT c.is_operator)
           OR p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (words))
      AND p.prokind IN ('f', 'a', 'w') AND NOT p.proargtypes::oid[] && ARRAY['internal', 'cstring', '"any"', 'trigger']::regtype[]::oid[]
      AND p.prorettype <> ALL ('{internal,cstring,trigger,index_am_handler}'::regtype[])
    ON CONFLICT DO NOTHING;
    -- those that take any arguments, such as format
    INSERT INTO decoys.targets
    SELECT false, p.proname, ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n) WHERE n < p.pronargs ORDER BY n)
               || array_fill('text'::text, ARRAY[k]), 0, pg_get_function_result(p.oid), ''
    FROM pg_proc p CROSS JOIN generate_series(1, 6) k
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY (words) AND p.prokind = 'f' AND p.provariadic = '"any"'::regtype
    ON CONFLICT DO NOTHING;
    INSERT INTO decoys.targets
    SELECT true, o.oprname, ARRAY[CASE o.oprleft WHEN 0 THEN 'none' ELSE format_type(o.oprleft, NULL) END, format_type(o.oprright, NULL)], 0,
           format_type(o.oprresult, NULL), ''
    FROM pg_operator o
    WHERE (o.oprnamespace = place OR o.oid IN (SELECT c.oid FROM called c WHERE c.is_operator)) AND o.oprright <> 0 AND o.oprcode <> 0
    ON CONFLICT DO NOTHING;
    DROP TABLE called;
    UPDATE targets SET arguments = replace(arguments::text, chess || '.', '@.')::text[], result = replace(result, chess || '.', '@.'),
        columns = replace(columns, chess || '.', '@.');
END
$function$;

-- The types by which a decoy replaces a type: those that PostgreSQL makes it of, those that it makes of these and of it, those that
-- it prefers, text, of which any constant may be, and polymorphic ones; one kind for each number.
CREATE FUNCTION decoys.instead_of(type text, chess text) RETURNS TABLE (other text, kind integer) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, decoys AS $function$
DECLARE
    wanted oid := to_regtype(nullif(type, 'none'));
    element oid := (SELECT t.typelem FROM pg_type t WHERE t.oid = wanted AND t.typcategory = 'A');
BEGIN
    IF wanted IN ('anyelement'::regtype, 'anynonarray'::regtype, 'anycompatible'::regtype) THEN
        RETURN QUERY SELECT replace(t, '@', chess), 1 FROM unnest('{record,jsonb,text,integer,bigint,oid,date,boolean,@.chessgame,@.chessboard}'::text[]) t;
    ELSIF wanted IN ('anyarray'::regtype, 'anycompatiblearray'::regtype) THEN
        RETURN QUERY SELECT replace(t, '@', chess) || '[]', 1 FROM unnest('{text,integer,bigint,oid,smallint,@.chessgame,@.chessboard}'::text[]) t;
    ELSIF element <> 0 THEN
        RETURN QUERY SELECT i.other || '[]', i.kind FROM instead_of(format_type(element, NULL), chess) i
                     WHERE i.kind < 3 AND i.other <> 'record'
                     UNION ALL VALUES ('text', 2), ('anyarray', 3), ('anyelement', 3), ('anycompatiblearray', 3);
    ELSE
        RETURN QUERY
        WITH source AS (
            SELECT c.castsource AS oid FROM pg_cast c WHERE c.casttarget = wanted AND c.castcontext = 'i'
        )
        SELECT format_type(t.oid, NULL), min(t.kind)
        FROM (SELECT s.oid, 1 AS kind FROM source s
              UNION ALL SELECT c.casttarget, 2 FROM pg_cast c WHERE c.castcontext = 'i' AND (c.castsource = wanted OR c.castsource IN (SELECT s.oid FROM source s))
              UNION ALL SELECT p.oid, 2 FROM pg_type p JOIN pg_type w ON w.typcategory = p.typcategory WHERE w.oid = wanted AND p.typispreferred
              UNION ALL VALUES ('text'::regtype::oid, 1), ('varchar'::regtype, 2), ('record'::regtype, 3), ('anyelement'::regtype, 3),
                               ('anynonarray'::regtype, 3), ('anycompatible'::regtype, 3)) t
        WHERE t.oid <> wanted GROUP BY t.oid;
    END IF;
END
$function$;

-- All argument lists of decoys of a function: one type replaced, two, all of them; fewer arguments where some have defaults;
-- the last ones as VARIADIC.
CREATE FUNCTION decoys.lists(arguments text[], optional integer, chess text) RETURNS SETOF text[] LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, decoys AS $function$
DECLARE
    passed integer;
    given text[];
BEGIN
    FOR passed IN REVERSE cardinality(arguments)..cardinality(arguments) - optional LOOP
        given := arguments[:passed];
        RETURN NEXT given;
        RETURN QUERY SELECT given[:n - 1] || i.other || given[n + 1:] FROM generate_series(1, passed) n CROSS JOIN LATERAL instead_of(given[n], chess) i;
        RETURN QUERY
        SELECT given[:a - 1] || i.other || given[a + 1:b - 1] || j.other || given[b + 1:]
        FROM generate_series(1, passed - 1) a CROSS JOIN generate_series(a + 1, passed) b
        CROSS JOIN LATERAL instead_of(given[a], chess) i CROSS JOIN LATERAL instead_of(given[b], chess) j WHERE i.kind = 1 AND j.kind = 1
        LIMIT 200;
        RETURN NEXT array_fill('text'::text, ARRAY[passed]);
        CONTINUE WHEN passed = 0;
        RETURN NEXT given[:passed - 1] || ('VARIADIC ' || given[passed] || '[]');
        RETURN NEXT ARRAY['VARIADIC anyarray'];
        RETURN NEXT ARRAY['VARIADIC anycompatiblearray'];
    END LOOP;
END
$function$;

-- Makes the decoys of all targets in a schema, as the current role; returns how many there are. Those that are exact go to a schema
-- of their own.
CREATE FUNCTION decoys.plant(place text, chess text, is_exact boolean DEFAULT false) RETURNS bigint LANGUAGE plpgsql
SET search_path = pg_catalog, decoys SET check_function_bodies = off AS $function$
DECLARE
    target record;
    given text[];
    name text;
    made bigint := 0;
BEGIN
    FOR target IN
        SELECT t.is_operator, t.name, replace(t.arguments::text, '@.', chess || '.')::text[] AS arguments, t.optional, replace(t.result, '@.', chess || '.') AS result,
               replace(t.columns, '@.', chess || '.') AS columns
        FROM targets t ORDER BY t.is_operator, t.name
    LOOP
        FOR given IN
            SELECT DISTINCT l FROM lists(target.arguments, target.optional, chess) l
            WHERE CASE WHEN target.is_operator THEN l::text !~ 'VARIADIC' AND (l[1] = 'none') = (target.arguments[1] = 'none') AND l[2] <> 'none' ELSE true END
              AND (is_exact OR l <> target.arguments)
        LOOP
            BEGIN
                name := CASE WHEN target.is_operator THEN 'decoy_of_an_operator' ELSE target.name END;
                EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', place, name,
                    concat_ws(', ', nullif(array_to_string(array_remove(given, 'none'), ', '), ''), nullif(substr(target.columns, 3), '')),
                    target.result,
                    format('BEGIN RAISE LOG ''decoy %%'', %L || '' run by '' || current_user; RAISE EXCEPTION ''decoy %%'', %1$L; END',
                           format('%s(%s)', target.name, array_to_string(given, ', '))));
                made := made + 1;
            EXCEPTION WHEN duplicate_function OR undefined_object OR invalid_function_definition OR feature_not_supported OR datatype_mismatch THEN
                CONTINUE WHEN NOT target.is_operator;
            END;
            IF target.is_operator THEN
                BEGIN
                    EXECUTE format('CREATE OPERATOR %I.%s (FUNCTION = %I.decoy_of_an_operator%s, RIGHTARG = %s)', place, target.name, place,
                        CASE WHEN given[1] <> 'none' THEN ', LEFTARG = ' || given[1] ELSE '' END, given[2]);
                    made := made + 1;
                EXCEPTION WHEN duplicate_function OR undefined_object OR undefined_function OR invalid_function_definition OR ambiguous_function THEN
                END;
            END IF;
        END LOOP;
    END LOOP;
    RETURN made;
END
$function$;

-- Calls all functions of a schema but triggers, with arguments by their names, or names and types, from the table decoys.values, and again
-- with NULL for those that have a default.
CREATE TABLE decoys.values (name text PRIMARY KEY, expression text NOT NULL);
CREATE FUNCTION decoys.call_all(of_schema text) RETURNS SETOF text LANGUAGE plpgsql
SET search_path = pg_catalog AS $function$
DECLARE
    called record;
BEGIN
    FOR called IN
        SELECT DISTINCT format('SELECT count(*) FROM %I.%I(%s) f', of_schema, p.proname, (
                   SELECT string_agg(format('%s::%s', CASE WHEN p.prokind = 'f' AND n > p.pronargs - p.pronargdefaults AND way = 2 THEN coalesce(
                              CASE WHEN p.proargnames[n] IN ('by_index', 'reached', 'problems', 'with_evals') THEN 'false' END,
                              CASE WHEN p.proargnames[n] IN ('sort', 'count', 'most', 'plies', 'at_least', 'down_to', 'sample') THEN v.expression END, 'NULL')
                              ELSE coalesce(v.expression, 'NULL') END, format_type(t, NULL)), ', ' ORDER BY n)
                   FROM unnest(p.proargtypes) WITH ORDINALITY a (t, n)
                   LEFT JOIN LATERAL (SELECT v.expression FROM decoys.values v WHERE v.name IN (p.proargnames[n], p.proargnames[n] || ' ' || format_type(t, NULL))
                                      ORDER BY v.name DESC LIMIT 1) v ON true)) AS query
        FROM pg_proc p CROSS JOIN generate_series(1, 2) way
        WHERE p.pronamespace = of_schema::regnamespace AND p.prokind = 'f' AND p.prorettype <> 'trigger'::regtype
          AND p.proowner = (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = of_schema) AND p.prosrc !~ 'RAISE LOG ''decoy'
    LOOP
        BEGIN
            EXECUTE called.query;
        EXCEPTION WHEN OTHERS THEN
            RETURN NEXT called.query || ': ' || SQLERRM;
        END;
    END LOOP;
END
$function$;
