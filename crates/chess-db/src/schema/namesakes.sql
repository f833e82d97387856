-- In: $1 the table of games; $2 names. Out: the relations of its schema with these names. Of an index of this table: its access method,
-- and its columns and condition as PostgreSQL writes them; of all others NULL. Whether it is valid; what it is; a statement that
-- makes room for another of its name.
SELECT c.relname::text,
       CASE WHEN i.indrelid = g.oid THEN a.amname::text END,
       CASE WHEN i.indrelid = g.oid THEN
           concat((SELECT string_agg(pg_get_indexdef(c.oid, k, false), ',' ORDER BY k) FROM generate_series(1, i.indnkeyatts) k),
                  ' WHERE ' || pg_get_expr(i.indpred, i.indrelid)) END,
       coalesce(i.indisvalid, false),
       CASE WHEN i.indrelid = g.oid THEN 'another index (' || substring(pg_get_indexdef(c.oid) FROM 'USING (.*)') || ')'
            WHEN i.indrelid IS NOT NULL THEN 'an index of ' || i.indrelid::regclass
            WHEN c.relkind IN ('v', 'm') THEN 'a view'
            WHEN c.relkind = 'S' THEN 'a sequence'
            WHEN c.relkind = 'c' THEN 'a type'
            ELSE 'a table' END,
       format('ALTER %s %s RENAME TO %I', CASE c.relkind WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END, c.oid::regclass, c.relname || '_other')
FROM pg_class g JOIN pg_class c ON c.relnamespace = g.relnamespace AND c.relname::text = ANY ($2)
     LEFT JOIN pg_index i ON i.indexrelid = c.oid
     LEFT JOIN pg_am a ON a.oid = c.relam
WHERE g.oid = to_regclass($1)
