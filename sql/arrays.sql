-- Array types belong to the extension, too, so that postgres_fdw sends conditions with arrays. Before PostgreSQL 17
-- this must be declared.
DO $block$
DECLARE
    of_type pg_catalog.regtype;
BEGIN
    FOR of_type IN
        SELECT t.typarray FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND d.objid = t.oid
        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'chess'
        WHERE d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype = 'e'
          AND t.typarray <> 0::pg_catalog.oid AND t.typtype = 'b'
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS a
              WHERE a.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND a.objid = t.typarray AND a.deptype = 'e')
        ORDER BY t.typname
    LOOP
        EXECUTE pg_catalog.format('ALTER EXTENSION chess ADD TYPE %s', of_type);
    END LOOP;
END
$block$;
