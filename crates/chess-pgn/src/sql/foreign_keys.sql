-- In: $1 a schema, quoted; $2 names of our tables in it. Out: the foreign keys that lead from other tables to ours: the table, that
-- of ours, and how the rows r and o are joined. A query of these tables runs their owners' code: door.sql has refused strangers.
SELECT c.conrelid::regclass::text, t.name, string_agg(format('r.%I = o.%I', a.attname, f.attname), ' AND ' ORDER BY k.place)
FROM unnest($2::text[]) AS t (name)
JOIN pg_constraint c ON c.contype = 'f' AND c.conparentid = 0 AND (c.confrelid = to_regclass($1 || '.' || t.name)
    OR c.confrelid IN (SELECT p.relid FROM pg_partition_tree(to_regclass($1 || '.' || t.name)) p))
CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (of_row, of_ours, place)
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.of_row
JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.of_ours
WHERE NOT EXISTS (SELECT FROM unnest($2::text[]) AS o (name) WHERE c.conrelid = to_regclass($1 || '.' || o.name))
GROUP BY c.oid, t.name ORDER BY 1, 2
