-- In: a database with the extension, and the headings of docs/functions*.md, one per line, as the variable headings.
-- Out: a line for each object of the extension without a COMMENT or a heading. Everything needs a COMMENT. Every
-- view, type, operator and function needs a heading with its name as a word, in any case; except functions that are
-- not called by hand: with an internal or cstring argument or result, of an operator, operator class or cast; and except
-- functions and types with a COMMENT that begins with "internal:".
\pset format unaligned
\pset tuples_only on

WITH member AS (
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
), object AS (
    SELECT 'function' AS kind, p.proname::text AS name, p.oid::regprocedure::text AS full_name,
           obj_description(p.oid, 'pg_proc') AS comment,
           p.prorettype IN ('internal'::regtype, 'cstring'::regtype)
           OR p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[]
           OR EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
           OR EXISTS (SELECT FROM pg_aggregate g WHERE g.aggtransfn = p.oid)
           OR EXISTS (SELECT FROM pg_amproc a WHERE a.amproc = p.oid)
           OR EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid)
           OR EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typsend, t.typreceive, t.typanalyze, t.typmodin, t.typmodout))
           OR coalesce(obj_description(p.oid, 'pg_proc') LIKE 'internal:%', false) AS hidden
    FROM member JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass
    UNION ALL
    SELECT 'operator', o.oprname, o.oid::regoperator::text, obj_description(o.oid, 'pg_operator'), false
    FROM member JOIN pg_operator o ON o.oid = objid AND classid = 'pg_operator'::regclass
    UNION ALL
    -- not arrays, nor the row types of tables and views
    SELECT 'type', t.typname, t.typname, obj_description(t.oid, 'pg_type'),
           coalesce(obj_description(t.oid, 'pg_type') LIKE 'internal:%', false)
    FROM member JOIN pg_type t ON t.oid = objid AND classid = 'pg_type'::regclass
    LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE t.typcategory <> 'A' AND coalesce(c.relkind, 'c') = 'c'
    UNION ALL
    SELECT 'relation', c.relname, c.relname, obj_description(c.oid, 'pg_class'), false
    FROM member JOIN pg_class c ON c.oid = objid AND classid = 'pg_class'::regclass
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p')
), heading AS (
    SELECT regexp_split_to_table(:'headings', '\n') AS line
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
ORDER BY 1;
