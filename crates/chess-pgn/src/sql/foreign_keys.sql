-- In: after roles.sql: $2 a schema, quoted; $3 names of our tables in it. Out: the foreign keys that lead from other tables to ours:
-- the table, that of ours, and how the rows r and o are joined. Tables of other owners are left out: a query of them would run their
-- code. The server refuses to remove what their rows refer to
-- (door.sql refuses keys that would change or remove these rows).
SELECT c.conrelid::regclass::text, t.name, string_agg(format('r.%I = o.%I', a.attname, f.attname), ' AND ' ORDER BY k.place)
FROM unnest($3::text[]) AS t (name)
JOIN pg_constraint c ON c.contype = 'f' AND c.conparentid = 0 AND (c.confrelid = to_regclass($2 || '.' || t.name)
    OR c.confrelid IN (SELECT p.relid FROM pg_partition_tree(to_regclass($2 || '.' || t.name)) p))
JOIN pg_class r ON r.oid = c.conrelid AND r.relowner IN (SELECT role FROM trusted)
CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (of_row, of_ours, place)
JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.of_row
JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.of_ours
WHERE NOT EXISTS (SELECT FROM unnest($3::text[]) AS o (name) WHERE c.conrelid = to_regclass($2 || '.' || o.name))
GROUP BY c.oid, t.name ORDER BY 1, 2
