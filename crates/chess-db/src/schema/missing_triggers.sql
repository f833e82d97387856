-- In: $1 the quoted schema; $2, $3 and $4 the names, the relations and the kinds of relations of its triggers. Out: what is wrong, and
-- the statement that mends it; where a trigger is missing its place in the list instead. Triggers of constraints, such as foreign
-- keys, must be on, too.
SELECT format('trigger %s of %s is missing', w.name, c.oid::regclass), NULL, w.place::integer - 1
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (name, relation, kind, place)
JOIN pg_class c ON c.oid = to_regclass($1 || '.' || w.relation) AND c.relkind::text = w.kind
WHERE NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname::text = w.name)
UNION ALL
SELECT format('triggers of %s are off, such as those of foreign keys', c.oid::regclass),
       format('ALTER TABLE %s %s', c.oid::regclass, string_agg(format('ENABLE TRIGGER %I', t.tgname), ', ' ORDER BY t.oid)), NULL
FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid
WHERE c.relnamespace = to_regnamespace($1) AND t.tgenabled NOT IN ('O', 'A') AND (t.tgisinternal OR t.tgname::text = ANY ($2))
GROUP BY c.oid
ORDER BY 1
