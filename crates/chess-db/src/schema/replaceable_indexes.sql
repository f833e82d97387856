-- In: $1 the table of games; $2, $3 and $4 the name, the access method and the column of each index that this program may have made
-- on it. Out: the names of those that are as the program makes them: of all rows, of one column with its default operator class,
-- without options. An index that is made otherwise is the user's. Their size in megabytes; the number of games.
WITH made AS (
    SELECT c.oid, c.relname::text AS name
    FROM unnest($2::text[], $3::text[], $4::text[]) AS m (name, method, attribute)
    JOIN pg_index i ON i.indrelid = to_regclass($1)
    JOIN pg_class c ON c.oid = i.indexrelid AND c.relname::text = m.name
    JOIN pg_am a ON a.oid = c.relam AND a.amname::text = m.method
    JOIN pg_opclass o ON o.oid = i.indclass[0] AND o.opcdefault
    JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0] AND t.attname::text = m.attribute
    JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = 1 AND k.attoptions IS NULL
    WHERE i.indnatts = 1 AND i.indpred IS NULL AND NOT i.indisunique AND NOT i.indisexclusion AND i.indoption[0] = 0 AND c.reloptions IS NULL
)
SELECT coalesce(array_agg(name ORDER BY name), '{}'),
       coalesce(sum(coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(oid) p), pg_relation_size(oid))), 0)::float8 / 1048576,
       greatest((SELECT reltuples FROM pg_class WHERE oid = to_regclass($1)), 0)::float8
FROM made
