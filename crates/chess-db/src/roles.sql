-- In: $1, a role that is trusted, or ''. Out: the beginning of a query: own, all roles that the session can become;
-- trusted, the roles whose code may run with its rights; powerful, whether such code could run programs or access files
-- on the server.
--
-- The rights of the login role count: a function that runs after SET ROLE can execute RESET ROLE.
WITH RECURSIVE own (role) AS (
    SELECT oid FROM pg_roles WHERE rolname = session_user
    UNION
    SELECT m.roleid FROM own o JOIN pg_auth_members m ON m.member = o.role
), member (role) AS (
    SELECT oid FROM pg_roles WHERE rolname = session_user
    UNION
    -- Since PostgreSQL 16 a membership may carry only the ADMIN option: the creator of a role gets such a membership.
    SELECT m.roleid FROM member o JOIN pg_auth_members m ON m.member = o.role
    WHERE coalesce((to_jsonb(m) ->> 'set_option')::boolean, true) OR (to_jsonb(m) ->> 'inherit_option')::boolean
), stated (role) AS (
    SELECT role FROM member UNION SELECT oid FROM pg_roles WHERE rolsuper OR rolname = $1::text
), trusted (role) AS (
    SELECT role FROM stated
    UNION ALL
    SELECT 'pg_database_owner'::regrole FROM pg_database
    WHERE datname = current_database() AND datdba IN (SELECT role FROM stated)
), powerful (yes) AS (
    SELECT bool_or(r.rolsuper OR r.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files'))
    FROM own o JOIN pg_roles r ON r.oid = o.role
)