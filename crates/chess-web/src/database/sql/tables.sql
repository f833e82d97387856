-- In: $1 the name of the schema. Out: what its table games has. reltuples is -1 before the first ANALYZE.
SELECT c.reltuples::bigint AS games,
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'annotated' AND NOT a.attisdropped) AS annotated,
       EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
               WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND m.amname IN ('gin', 'chess') AND a.attname = 'game')
       -- the indexes of other servers cannot be seen from here
       OR EXISTS (SELECT FROM pg_partition_tree(c.oid) p JOIN pg_class f ON f.oid = p.relid WHERE f.relkind = 'f') AS positions_indexed,
       has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS readable
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'games'
