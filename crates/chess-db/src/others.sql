-- In: after roles.sql: $2, transactions, or NULL. Out: those transactions of untrusted roles in this database that are under way, of
-- $2 if it is an array: an identification, and who has it, in words.
SELECT id, who
FROM (
    SELECT l.virtualtransaction, format('role %s, process %s', s.usename, s.pid)
    FROM pg_locks l JOIN pg_stat_activity s USING (pid)
    WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted AND s.datname = current_database()
      AND l.pid <> pg_backend_pid() AND s.usesysid NOT IN (SELECT role FROM trusted)
    UNION ALL
    SELECT transaction::text, format('role %s, prepared transaction %L', owner, gid)
    FROM pg_prepared_xacts t JOIN pg_roles r ON r.rolname = t.owner
    WHERE database = current_database() AND r.oid NOT IN (SELECT role FROM trusted)
) under_way (id, who)
WHERE $2::text[] IS NULL OR id = ANY ($2)
ORDER BY id
