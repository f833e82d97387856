-- In: $1 the schema and $2 the name of a unique index of a table or a partition. Out: if a column of the index takes its values from
-- a sequence, the statement that sets the sequence.
SELECT format('SELECT setval(%L, (SELECT max(%I) FROM %s))', q.oid::regclass, a.attname, t.oid::regclass)
FROM pg_class x JOIN pg_index i ON i.indexrelid = x.oid
JOIN pg_class t ON t.oid = coalesce(pg_partition_root(i.indrelid), i.indrelid)
JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = k.attname
JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.refobjsubid = a.attnum AND d.deptype IN ('a', 'i')
JOIN pg_class q ON d.classid = 'pg_class'::regclass AND q.oid = d.objid AND q.relkind = 'S'
WHERE x.relnamespace = to_regnamespace(quote_ident($1)) AND x.relname::text = $2
LIMIT 1
