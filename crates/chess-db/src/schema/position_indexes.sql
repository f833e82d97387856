-- In: $1 the table of games. Out: its valid indexes of the positions of all games: the name, the operator class, the number of games,
-- the size, and the columns as PostgreSQL writes them.
SELECT c.relname::text, CASE a.amname WHEN 'chess' THEN 'the access method chess' ELSE o.opcname END, greatest(t.reltuples, 0)::float8,
       pg_size_pretty(coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(c.oid) p), pg_relation_size(c.oid))),
       (SELECT string_agg(pg_get_indexdef(c.oid, k, false), ',' ORDER BY k) FROM generate_series(1, i.indnkeyatts) k)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     JOIN pg_attribute g ON g.attrelid = t.oid AND g.attname = 'game' AND g.attnum = i.indkey[0]
     JOIN pg_opclass o ON o.oid = i.indclass[0] JOIN pg_am a ON a.oid = o.opcmethod
WHERE i.indrelid = to_regclass($1) AND i.indisvalid AND i.indpred IS NULL
  AND a.amname IN ('chess', 'gin') AND o.opcname = 'chessgame_ops'
ORDER BY 1
