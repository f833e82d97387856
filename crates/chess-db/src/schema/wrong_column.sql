SELECT m.attname::text, format_type(m.atttypid, m.atttypmod), g.atttypid IS NULL,
       coalesce(format_type(g.atttypid, g.atttypmod), '')
FROM pg_attribute m LEFT JOIN pg_attribute g
     ON g.attrelid = to_regclass($1) AND g.attname = m.attname AND NOT g.attisdropped
WHERE m.attrelid = to_regclass('pg_temp.games') AND m.attnum > 0 AND NOT m.attisdropped
  AND (m.attname <> 'facts' OR g.attname IS NOT NULL)
  AND ((g.atttypid, g.atttypmod) IS DISTINCT FROM (m.atttypid, m.atttypmod)
       OR g.attgenerated <> m.attgenerated
       OR m.attidentity <> '' AND g.attidentity = '' AND NOT g.atthasdef)
ORDER BY m.attnum LIMIT 1
