-- In: $1, a role that is trusted, or ''. Out: a part of a query, after powers.sql: own, all roles that the session can become;
-- trusted, the roles whose code may run in it; powerful, whether the session may do more than use tables that it owns or may read.
--
-- The rights of the login role count: a function that runs after SET ROLE can execute RESET ROLE. The roles of which the login is
-- a member are not trusted: their other members can change what they own, and whoever has the ADMIN option on a role can make
-- anybody a member, who is not asked.
own (role) AS (
    SELECT oid FROM pg_roles WHERE rolname = session_user
    UNION
    SELECT m.roleid FROM own o JOIN pg_auth_members m ON m.member = o.role
), stated (role) AS (
    SELECT oid FROM pg_roles WHERE rolsuper OR rolname IN (session_user, $1::text)
), trusted (role) AS (
    SELECT role FROM stated
    UNION ALL
    SELECT 'pg_database_owner'::regrole FROM pg_database
    WHERE datname = current_database() AND datdba IN (SELECT role FROM stated)
), powerful (yes) AS (
    SELECT EXISTS (SELECT FROM own JOIN powers USING (role))
)