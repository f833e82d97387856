-- In: $1 the quoted schema; $2, $3 and $4 the tables, columns and referenced tables of keys to column id. Out: for each key that is
-- possible and not there, or was not validated: its place in the list, and the name of the constraint that was not validated. None
-- before the first load, which adds the keys.
SELECT w.place::integer - 1, c.conname::text
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (of_table, of_column, referred, place)
JOIN pg_class f ON f.oid = to_regclass($1 || '.' || w.of_table) AND f.relkind IN ('r', 'p')
JOIN pg_class r ON r.oid = to_regclass($1 || '.' || w.referred) AND r.relkind IN ('r', 'p')
JOIN pg_attribute a ON a.attrelid = f.oid AND a.attname::text = w.of_column
JOIN pg_attribute k ON k.attrelid = r.oid AND k.attname = 'id'
LEFT JOIN LATERAL (
    SELECT n.conname, n.convalidated FROM pg_constraint n
    WHERE n.conrelid = f.oid AND n.confrelid = r.oid AND n.contype = 'f' AND n.conkey = ARRAY[a.attnum] AND n.confkey = ARRAY[k.attnum]
    ORDER BY n.convalidated DESC LIMIT 1) c ON true
WHERE c.convalidated IS NOT TRUE AND pg_relation_size(to_regclass($1 || '.pieces')) > 0
  AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = r.oid AND i.indisunique AND i.indimmediate AND i.indisvalid
              AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = k.attnum)
  AND NOT EXISTS (SELECT FROM unnest(ARRAY[f.oid, r.oid]) AS t (id) CROSS JOIN LATERAL pg_partition_tree(t.id) p
                  JOIN pg_class x ON x.oid = p.relid WHERE x.relkind = 'f')
ORDER BY 1
