-- In: $1 the name of a schema, $2 names of our tables. Out: for the sequence of each column of these tables that has one, and that
-- of runs of twins, the text of a query. This returns a row if the sequence is behind its column: the statement that sets the
-- sequence. Sequences that this role may not read are left out.

WITH numbered (sequence, of_table, of_column) AS (
    SELECT d.objid::regclass, c.oid::regclass, quote_ident(a.attname)
    FROM pg_class c JOIN pg_depend d ON d.refobjid = c.oid AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE c.relnamespace = to_regnamespace(quote_ident($1::text)) AND c.relname::text = ANY ($2) AND c.relkind IN ('r', 'p')
      AND d.classid = 'pg_class'::regclass
    UNION ALL
    -- no column owns this sequence
    SELECT to_regclass(format('%I.twins_runs', $1::text)), to_regclass(format('%I.twins_removed', $1::text)), 'run'
)
SELECT format('SELECT %L WHERE (SELECT max(%s) FROM %s) > (SELECT last_value - (NOT is_called)::integer FROM %s)',
              format('SELECT setval(%L, (SELECT max(%s) FROM %s))', n.sequence, n.of_column, n.of_table), n.of_column, n.of_table, n.sequence)
FROM numbered n JOIN pg_class q ON q.oid = n.sequence AND q.relkind = 'S'
WHERE has_table_privilege(n.of_table, 'SELECT') AND has_table_privilege(q.oid, 'SELECT') ORDER BY n.of_table::text
