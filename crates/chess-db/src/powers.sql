-- A part of a query: the roles by which code could reach more than tables that a role owns or may read. The names of PostgreSQL's
-- own roles are reserved; those without harm stand here.
powers (role) AS (
    SELECT oid FROM pg_roles
    WHERE rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls
       OR rolname LIKE 'pg\_%' AND rolname NOT IN ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables',
                                                   'pg_checkpoint', 'pg_use_reserved_connections', 'pg_database_owner')
)
