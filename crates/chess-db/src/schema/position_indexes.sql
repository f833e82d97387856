SELECT c.relname::text, CASE a.amname WHEN 'chess' THEN 'the access method chess' ELSE o.opcname END, greatest(t.reltuples, 0)::float8,
       pg_size_pretty(coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(c.oid) p), pg_relation_size(c.oid)))
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     JOIN pg_opclass o ON o.oid = i.indclass[0] JOIN pg_am a ON a.oid = o.opcmethod
WHERE i.indrelid = to_regclass($1) AND i.indisvalid AND i.indpred IS NULL
  AND a.amname IN ('chess', 'gin') AND o.opcname = 'chessgame_ops'
ORDER BY 1
