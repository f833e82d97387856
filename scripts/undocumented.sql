-- In: a database with the extension; of docs/functions*.md the headings and the synopses, one per line, as the
-- variables headings and synopses.
-- Out: a line for each object of the extension without a COMMENT, a heading or a synopsis, and for each synopsis that
-- no object has. Everything needs a COMMENT. Every view, type, operator and function needs a heading with its name as a
-- word, in any case, and every function and operator, except comparisons, a synopsis with the arguments and the result
-- that the catalog has. Excepted are functions that are not called by hand: with an internal or cstring argument or
-- result, of an operator class, of an operator or cast unless their arguments have names; and functions and types with a
-- COMMENT that begins with "internal:".
\pset format unaligned
\pset tuples_only on

WITH member AS (
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
), object AS (
    SELECT 'function' AS kind, p.proname::text AS name, p.oid::regprocedure::text AS full_name,
           obj_description(p.oid, 'pg_proc') AS comment,
           format('%s(%s) → %s', p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) AS synopsis,
           p.prorettype IN ('internal'::regtype, 'cstring'::regtype)
           OR p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[]
           OR p.proargnames IS NULL
              AND (EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
                   OR EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid))
           OR EXISTS (SELECT FROM pg_aggregate g WHERE g.aggtransfn = p.oid)
           OR EXISTS (SELECT FROM pg_amproc a WHERE a.amproc = p.oid)
           OR EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typsend, t.typreceive, t.typanalyze, t.typmodin, t.typmodout))
           OR coalesce(obj_description(p.oid, 'pg_proc') LIKE 'internal:%', false) AS hidden
    FROM member JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass
    UNION ALL
    SELECT 'operator', o.oprname, o.oid::regoperator::text, obj_description(o.oid, 'pg_operator'),
           CASE WHEN o.oprname !~ '^[<=>]+$'
                THEN format('%s %s %s → %s', o.oprleft::regtype, o.oprname, o.oprright::regtype, o.oprresult::regtype) END,
           false
    FROM member JOIN pg_operator o ON o.oid = objid AND classid = 'pg_operator'::regclass
    UNION ALL
    -- not arrays, nor the row types of tables and views
    SELECT 'type', t.typname, t.typname, obj_description(t.oid, 'pg_type'), NULL,
           coalesce(obj_description(t.oid, 'pg_type') LIKE 'internal:%', false)
    FROM member JOIN pg_type t ON t.oid = objid AND classid = 'pg_type'::regclass
    LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE t.typcategory <> 'A' AND coalesce(c.relkind, 'c') = 'c'
    UNION ALL
    SELECT 'relation', c.relname, c.relname, obj_description(c.oid, 'pg_class'), NULL, false
    FROM member JOIN pg_class c ON c.oid = objid AND classid = 'pg_class'::regclass
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
), heading AS (
    SELECT regexp_split_to_table(:'headings', '\n') AS line
), written AS (
    SELECT regexp_split_to_table(:'synopses', '\n') AS line
)
SELECT format('%s %s: no COMMENT', kind, full_name) FROM object WHERE comment IS NULL
UNION ALL
SELECT DISTINCT format('%s %s: no heading in docs/functions-*.md', kind, name) FROM object
WHERE NOT hidden AND NOT EXISTS (
    SELECT FROM heading
    WHERE CASE kind
        WHEN 'operator' THEN name = ANY (regexp_split_to_array(line, '[^-+*/<>=~!@#%^&|?]+'))
        ELSE lower(name) = ANY (regexp_split_to_array(lower(line), '[^a-z0-9_]+'))
    END)
UNION ALL
SELECT format('%s: no synopsis', synopsis) FROM object WHERE NOT hidden AND synopsis NOT IN (SELECT line FROM written)
UNION ALL
SELECT format('%s: no such synopsis in the catalog', line)
FROM written WHERE line NOT IN (SELECT synopsis FROM object WHERE synopsis IS NOT NULL)
UNION ALL
SELECT format('%s: written more than once', line) FROM written GROUP BY line HAVING count(*) > 1
ORDER BY 1;
