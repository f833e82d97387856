-- In: $1 the name of the schema. Out: the extension, and what is in the schema.
SELECT e.extversion AS version, quote_ident(n.nspname) AS schema, quote_ident($1) AS tables,
       to_regclass(quote_ident($1) || '.games') IS NOT NULL
       AND to_regclass(quote_ident($1) || '.info') IS NOT NULL AS has_tables,
       to_regclass(quote_ident($1) || '.pgn_view') IS NOT NULL AND NOT EXISTS (
           SELECT FROM pg_attribute a
           WHERE a.attrelid = to_regclass(quote_ident($1) || '.pgn_view') AND a.attname = 'pgn_white') AS is_earlier
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'chess'
