-- In: $1 the name of a schema. Out: a row if this schema or that of the extension has been renamed since the functions of the
-- schema were made. The functions contain both names, so it is enough to look at one of them, and only catalogs are read.
SELECT FROM pg_catalog.pg_namespace n
JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid AND p.proname = 'player' AND p.pronargs = 2
    AND p.proargtypes[0] = 'pg_catalog.text'::pg_catalog.regtype AND p.proargtypes[1] = 'pg_catalog.int4'::pg_catalog.regtype
CROSS JOIN pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace x ON x.oid = e.extnamespace
WHERE n.nspname = $1::text::name AND e.extname = 'chess'
  AND (strpos(p.prosrc, ' "' || replace(n.nspname::text, '"', '""') || '".players ') = 0
       OR strpos(p.prosrc, ' ' || quote_ident(x.nspname) || '.foldname(') = 0)
