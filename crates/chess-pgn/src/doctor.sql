-- In: after powers.sql: $1 the quoted table games, $2 the schema, $3 the role that reads, $4 the role that saves for visitors, both possibly
-- missing. Out: what is wrong (true) or could be better (false), in words, and the statement that mends it. Only catalogs are
-- read, so nothing of other roles runs.

, games AS (
    SELECT c.oid, c.relnamespace AS schema, c.relowner AS owner FROM pg_class c WHERE c.oid = to_regclass($1)
), tables AS (
    SELECT c.oid, c.oid::regclass::text AS name, c.relkind, c.relpages, c.relallvisible, c.relfrozenxid, c.reltoastrelid,
           c.oid = g.oid OR c.oid IN (SELECT t.relid FROM pg_partition_tree(g.oid) t) AS holds_games, c.relrowsecurity,
           c.relowner, n.nspname, c.relname
    FROM games g JOIN pg_class c ON c.relnamespace = g.schema AND c.relkind IN ('r', 'p', 'v', 'f') JOIN pg_namespace n ON n.oid = g.schema
), roles AS (
    SELECT r.oid, quote_ident(r.rolname) AS name, r.rolname = $3::text AS reads FROM pg_roles r WHERE r.rolname IN ($3::text, $4::text)
), schemas AS (
    SELECT g.schema AS oid FROM games g UNION SELECT e.extnamespace FROM pg_extension e WHERE e.extname = 'chess'
), functions AS (
    SELECT p.oid, p.pronamespace AS schema FROM games g JOIN pg_proc p ON p.pronamespace = g.schema
    UNION
    SELECT p.oid, p.pronamespace FROM pg_extension e
    JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
    JOIN pg_proc p ON p.oid = d.objid WHERE e.extname = 'chess'
), partly AS (
    -- These indexes of a partitioned table exist for some of its partitions only.
    SELECT i.indexrelid AS oid,
           format('index %s is not valid', i.indexrelid::regclass)
               || CASE WHEN bool_or(lacks) THEN format(': it lacks %s of %s partitions, such as %s', count(*) FILTER (WHERE lacks), count(*),
                                                       min(c.oid::regclass::text) FILTER (WHERE lacks)) ELSE '' END AS problem,
           coalesce(
               string_agg(format(E'CREATE %sINDEX %s%I ON %s%s;\n    ALTER INDEX %s ATTACH PARTITION %I.%I',
                                 kind, CASE c.relkind WHEN 'r' THEN 'CONCURRENTLY ' END, made, c.oid::regclass, definition,
                                 i.indexrelid::regclass, n.nspname, made),
                          E';\n    ' ORDER BY c.relname) FILTER (WHERE lacks),
               -- Each partition has its part. One was not valid when it was attached, which keeps the whole from being valid.
               format(E'DROP INDEX %s;\n    CREATE %sINDEX %I ON %s%s', i.indexrelid::regclass, kind, x.relname, t.name, definition)) AS remedy
    FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid AND x.relkind = 'I'
    JOIN pg_inherits p ON p.inhparent = t.oid JOIN pg_class c ON c.oid = p.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN (pg_inherits h JOIN pg_index a ON a.indexrelid = h.inhrelid) ON h.inhparent = i.indexrelid AND a.indrelid = c.oid
    CROSS JOIN LATERAL (SELECT CASE WHEN i.indisunique THEN 'UNIQUE ' END AS kind) k
    CROSS JOIN LATERAL (
        SELECT a.indexrelid IS NULL AND c.relkind <> 'f' AS lacks, left(c.relname, 30) || '_' || left(x.relname, 30) AS made,
               substr(pg_get_indexdef(x.oid), length(format('CREATE %sINDEX %I ON ONLY %s', kind, x.relname, t.name)) + 1) AS definition
    ) d
    WHERE NOT i.indisvalid
    GROUP BY i.indexrelid, x.relname, t.name, kind, definition HAVING count(a.indexrelid) > 0
), found (is_wrong, problem, remedy) AS (
    SELECT true, format('index %s is not valid: no search uses it', i.indexrelid::regclass),
           format(CASE WHEN x.relkind <> 'i' THEN 'DROP INDEX %s'
                       -- REINDEX CONCURRENTLY has left it beside the index
                       WHEN EXISTS (
                           SELECT FROM pg_index o JOIN pg_class y ON y.oid = o.indexrelid
                           WHERE o.indrelid = i.indrelid AND o.indisvalid AND ROW (
                                     y.relam, o.indisunique, o.indkey, o.indnkeyatts, o.indclass, o.indcollation, o.indoption,
                                     pg_get_expr(o.indexprs, o.indrelid), pg_get_expr(o.indpred, o.indrelid))::text
                                 = ROW (
                                     x.relam, i.indisunique, i.indkey, i.indnkeyatts, i.indclass, i.indcollation, i.indoption,
                                     pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid))::text)
                       THEN 'DROP INDEX CONCURRENTLY %s'
                       ELSE 'REINDEX INDEX CONCURRENTLY %s' END, i.indexrelid::regclass)
    FROM tables t JOIN pg_index i ON i.indrelid IN (t.oid, t.reltoastrelid) JOIN pg_class x ON x.oid = i.indexrelid
    WHERE NOT (i.indisvalid AND i.indisready) AND NOT EXISTS (SELECT FROM partly p WHERE p.oid = x.oid)
    UNION ALL
    SELECT true, p.problem, p.remedy FROM partly p
    UNION ALL
    SELECT true, format('the planner knows nothing of %s: it has no statistics', t.name), format('VACUUM (ANALYZE) %s', t.name)
    FROM tables t
    WHERE t.relkind IN ('r', 'p') AND has_table_privilege(t.oid, 'SELECT') AND NOT row_security_active(t.oid)
      AND coalesce((SELECT sum(pg_relation_size(p.relid)) FROM pg_partition_tree(t.oid) p), pg_relation_size(t.oid))
          > CASE WHEN t.holds_games THEN 0 ELSE 65536 END
      AND NOT EXISTS (SELECT FROM pg_stats s WHERE (s.schemaname, s.tablename) = (t.nspname, t.relname))
    UNION ALL
    SELECT true, format('the statistics of %s are older than %s changed rows', t.name, s.n_mod_since_analyze), format('ANALYZE %s', t.name)
    FROM tables t JOIN pg_stat_all_tables s ON s.relid = t.oid
    WHERE t.relkind = 'r' AND s.n_mod_since_analyze > 1000 + s.n_live_tup / 5
    UNION ALL
    SELECT true, format('VACUUM has seen %s of the %s pages of %s: the explorer looks at the rows of the others',
                        t.relallvisible, t.relpages, t.name), format('VACUUM %s', t.name)
    FROM tables t WHERE t.relkind = 'r' AND t.holds_games AND t.relallvisible < t.relpages / 2.0
    UNION ALL
    -- the statistics contain an id that has been given; reading them calls no function of other roles
    SELECT true, format('%s is at %s, and %s are at %s: ids would be given twice', q.oid::regclass, coalesce(s.last_value, 0), t.name, l.value),
           -- A query of a table can run code of its owner, so a superuser must not be told to run it.
           CASE WHEN t.relowner NOT IN (SELECT oid FROM pg_roles WHERE rolsuper OR rolname = session_user)
                THEN format('-- as role %I: ', pg_get_userbyid(t.relowner)) ELSE '' END
               || format('SELECT setval(%L, (SELECT max(%I) FROM %s))', q.oid::regclass, a.attname, t.name)
    FROM tables t JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.deptype IN ('a', 'i')
    JOIN pg_class q ON d.classid = 'pg_class'::regclass AND q.oid = d.objid AND q.relkind = 'S'
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    JOIN pg_namespace n ON n.oid = q.relnamespace
    JOIN pg_sequences s ON (s.schemaname, s.sequencename) = (n.nspname, q.relname)
    CROSS JOIN LATERAL (
        SELECT max(v) AS value FROM pg_stats h
        -- columns of other tables that have the same name may be of any type
        CROSS JOIN LATERAL unnest(CASE WHEN h.histogram_bounds::text ~ '^[{0-9,]+}$' THEN h.histogram_bounds::text::numeric[] END) v
        WHERE h.attname = a.attname AND (h.schemaname, h.tablename) IN (
            SELECT t.nspname, t.relname
            UNION SELECT pn.nspname, pc.relname
            FROM pg_partition_tree(t.oid) p JOIN pg_class pc ON pc.oid = p.relid JOIN pg_namespace pn ON pn.oid = pc.relnamespace)) l
    WHERE has_table_privilege(q.oid, 'SELECT') AND l.value > coalesce(s.last_value, s.start_value - 1)
    UNION ALL
    SELECT true, format('%s has %s dead rows', t.name, s.n_dead_tup), format('VACUUM %s', t.name)
    FROM tables t JOIN pg_stat_all_tables s ON s.relid = t.oid
    WHERE t.relkind = 'r' AND s.n_dead_tup > 1000 + s.n_live_tup / 5
    UNION ALL
    SELECT true, format('transactions of %s are %s old, which autovacuum should have frozen', t.name, age(t.relfrozenxid)),
           format('VACUUM (FREEZE) %s', t.name)
    FROM tables t WHERE t.relkind = 'r' AND age(t.relfrozenxid) > 1.2 * current_setting('autovacuum_freeze_max_age')::bigint
    UNION ALL
    SELECT true, format('autovacuum leaves %s%s out', w.what, t.name), format('ALTER TABLE %s RESET (%sautovacuum_enabled)', t.name, w.prefix)
    FROM tables t
    CROSS JOIN LATERAL (VALUES (t.oid, '', ''), (t.reltoastrelid, 'long values of ', 'toast.')) AS w (oid, what, prefix)
    JOIN pg_class c ON c.oid = w.oid
    CROSS JOIN LATERAL pg_options_to_table(c.reloptions) o
    WHERE t.relkind = 'r' AND CASE o.option_name WHEN 'autovacuum_enabled' THEN NOT o.option_value::boolean END
    UNION ALL
    SELECT false, format('row-level security of %s makes the explorer read the games instead of the index', t.name),
           format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', t.name)
    FROM tables t WHERE t.holds_games AND t.relrowsecurity
    UNION ALL
    SELECT true, format('%s is off', s.name), format(E'ALTER SYSTEM SET %s = on;\n    SELECT pg_reload_conf()', s.name)
    FROM pg_settings s
    WHERE s.name IN ('autovacuum', 'track_counts', 'fsync', 'full_page_writes') AND s.setting = 'off'
      -- The other settings have no effect on a standby.
      AND (s.name = 'fsync' OR NOT pg_is_in_recovery())
    UNION ALL
    SELECT false, format('the index of the games has %s, and shared_buffers %s, which can be up to a quarter of the memory (after a restart)',
                         pg_size_pretty(size.bytes), current_setting('shared_buffers')),
           format('ALTER SYSTEM SET shared_buffers = ''%sMB''', size.bytes / 1048576 + 1)
    FROM (SELECT sum(pg_relation_size(i.indexrelid))::bigint AS bytes
          FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid
          JOIN pg_am m ON m.oid = x.relam AND m.amname = 'chess') size
    WHERE size.bytes > pg_size_bytes(current_setting('shared_buffers')) AND pg_size_bytes(current_setting('shared_buffers')) <= 134217728
    UNION ALL
    SELECT true, format('%s may not connect', r.name), format('GRANT CONNECT ON DATABASE %I TO %s', current_database(), r.name)
    FROM roles r WHERE NOT has_database_privilege(r.oid, current_database(), 'CONNECT')
    UNION ALL
    SELECT true, format('%s may do anything on the server', r.name), format('ALTER ROLE %s NOSUPERUSER', r.name)
    FROM roles r JOIN pg_roles p ON p.oid = r.oid WHERE p.rolsuper
    UNION ALL
    SELECT true, format('%s may do more than the page needs', r.name), format('ALTER ROLE %s NOCREATEROLE NOREPLICATION NOBYPASSRLS', r.name)
    FROM roles r JOIN powers p ON p.role = r.oid WHERE NOT (SELECT rolsuper FROM pg_roles WHERE oid = r.oid)
    UNION ALL
    SELECT true, format('%s has all that %s may do', r.name, p.role::regrole), format('REVOKE %s FROM %s', p.role::regrole, r.name)
    FROM roles r JOIN powers p ON p.role <> r.oid AND pg_has_role(r.oid, p.role, 'MEMBER')
    WHERE NOT (SELECT rolsuper FROM pg_roles WHERE oid = r.oid)
    UNION ALL
    SELECT true, format('%s may not look into schema %I', r.name, n.nspname), format('GRANT USAGE ON SCHEMA %I TO %s', n.nspname, r.name)
    FROM schemas s JOIN pg_namespace n ON n.oid = s.oid, roles r WHERE r.reads AND NOT has_schema_privilege(r.oid, n.oid, 'USAGE')
    UNION ALL
    SELECT true, format('%s may not read %s tables and views, such as %s', r.name, count(*), min(t.name)),
           format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %s', $2::text, r.name)
    FROM roles r, tables t WHERE r.reads AND NOT has_table_privilege(r.oid, t.oid, 'SELECT') GROUP BY r.name
    UNION ALL
    SELECT true, format('%s may not call %s functions, such as %s', r.name, count(*), min(p.oid::regprocedure::text)),
           format('GRANT EXECUTE ON FUNCTION %s TO %s', string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid), r.name)
    FROM roles r, functions p
    WHERE r.reads AND NOT has_function_privilege(r.oid, p.oid, 'EXECUTE') GROUP BY r.name, p.schema
    UNION ALL
    SELECT true, format('%s may change %s tables, such as %s', r.name, count(*), min(t.name)),
           format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA %I FROM %s', $2::text, r.name)
    FROM roles r, tables t
    WHERE r.reads AND $3::text IS DISTINCT FROM $4::text AND has_table_privilege(r.oid, t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
      AND NOT (SELECT rolsuper FROM pg_roles WHERE oid = r.oid) GROUP BY r.name
    UNION ALL
    SELECT true, format('%s will not be able to read tables that %I makes, such as those of the next version', r.name, o.rolname),
           format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT SELECT ON TABLES TO %s', o.rolname, $2::text, r.name)
    FROM games g JOIN pg_roles o ON o.oid = g.owner, roles r
    WHERE r.reads AND NOT pg_has_role(r.oid, g.owner, 'USAGE') AND NOT EXISTS (
        SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) a
        WHERE d.defaclrole = g.owner AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, g.schema) AND a.privilege_type = 'SELECT'
          AND (a.grantee = 0 OR pg_has_role(r.oid, a.grantee, 'USAGE')))
    UNION ALL
    SELECT false, format('%s may make temporary tables, which fill the disk', r.name), format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database())
    FROM roles r WHERE r.reads AND $3::text IS DISTINCT FROM $4::text AND has_database_privilege(r.oid, current_database(), 'TEMPORARY')
    UNION ALL
    SELECT true, format('%s may not make the schema chess_web, in which visitors save', r.name), format('GRANT CREATE ON DATABASE %I TO %s', current_database(), r.name)
    FROM roles r WHERE NOT r.reads AND to_regnamespace('chess_web') IS NULL AND NOT has_database_privilege(r.oid, current_database(), 'CREATE')
    UNION ALL
    SELECT true, format('the schema chess_web belongs to %s: visitors save nothing as %s', o.rolname, r.name), format('ALTER SCHEMA chess_web OWNER TO %s', r.name)
    FROM roles r JOIN pg_namespace n ON n.nspname = 'chess_web' JOIN pg_roles o ON o.oid = n.nspowner
    WHERE NOT r.reads AND n.nspowner <> r.oid
)
SELECT is_wrong, problem, remedy || ';' FROM found ORDER BY NOT is_wrong, remedy, problem
