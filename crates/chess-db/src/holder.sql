-- In: the two numbers of an advisory lock. Out: the other sessions that hold it, in parentheses after a blank, or nothing.
SELECT coalesce(' (' || pg_catalog.string_agg(
           pg_catalog.format('role %s, process %s', coalesce(a.usename, 'unknown'), l.pid), '; ' ORDER BY l.pid) || ')', '')
FROM (SELECT {key}) k (class, object)
JOIN pg_catalog.pg_locks l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
    AND l.classid = k.class::pg_catalog.oid AND l.objid = k.object::pg_catalog.oid
JOIN pg_catalog.pg_database d ON d.oid = l.database AND d.datname = pg_catalog.current_database()
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.pid <> pg_catalog.pg_backend_pid()
