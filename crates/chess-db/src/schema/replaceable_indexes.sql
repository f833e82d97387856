SELECT coalesce(array_agg(name ORDER BY name), '{}'),
       coalesce(sum(coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(index) p), pg_relation_size(index))), 0)::float8 / 1048576,
       greatest((SELECT reltuples FROM pg_class WHERE oid = to_regclass($2 || '.games')), 0)::float8
FROM (SELECT name, to_regclass($2 || '.' || name) AS index FROM unnest($1::text[]) AS name) AS n
WHERE index IS NOT NULL
