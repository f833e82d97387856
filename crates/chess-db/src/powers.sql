-- Out: a part of a query: powers, the roles that may do more than use the tables that they own or may read. Roles whose names
-- begin with pg_ are PostgreSQL's own. A later version may add some, so all of them count but for those that stand here, which
-- only look at statistics and settings, or do what harms nobody.
powers (role) AS (
    SELECT oid FROM pg_roles
    WHERE rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
       OR rolname LIKE 'pg\_%' AND rolname NOT IN ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables',
                                                   'pg_checkpoint', 'pg_use_reserved_connections', 'pg_database_owner')
)
