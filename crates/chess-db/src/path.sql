-- In: after roles.sql: $2, the schemas on a user's search_path. Out: the path for SQL that the user has written, NULL
-- if it may stay unchanged; and the schemas that are left out: for a powerful role, those in which untrusted roles have
-- functions, operators, types, tables or views, or may create some.
, schema (place, name, trusted) AS (
    SELECT s.place, s.name, NOT EXISTS (
        SELECT FROM (SELECT n.nspowner UNION ALL
                     SELECT a.grantee FROM aclexplode(n.nspacl) a WHERE a.privilege_type = 'CREATE') can (role)
        WHERE can.role NOT IN (SELECT role FROM trusted)
    ) AND NOT EXISTS (
        SELECT FROM (SELECT proowner, pronamespace FROM pg_proc UNION ALL SELECT oprowner, oprnamespace FROM pg_operator
                     UNION ALL SELECT relowner, relnamespace FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
                     UNION ALL SELECT typowner, typnamespace FROM pg_type WHERE typrelid = 0 AND typcategory <> 'A') thing (role, schema)
        WHERE thing.schema = n.oid AND thing.role NOT IN (SELECT role FROM trusted))
    FROM unnest($2::text[]) WITH ORDINALITY s (name, place) JOIN pg_namespace n ON n.nspname = s.name::name
)
SELECT CASE WHEN p.yes THEN
           concat_ws(', ', 'pg_catalog', string_agg(quote_ident(s.name), ', ' ORDER BY s.place) FILTER (WHERE s.trusted), 'pg_temp')
       END,
       coalesce(array_agg(s.name ORDER BY s.place) FILTER (WHERE p.yes AND NOT s.trusted), '{}')
FROM powerful p LEFT JOIN schema s ON true GROUP BY p.yes
