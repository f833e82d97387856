-- In: all objects of the extension, new or upgraded; scripts/build.sh ends each upgrade script with this file, too.
-- Out: an ERROR if one of them belongs to somebody else, uses an object of somebody else, or calls a function whose place
-- another of its name in the same schema could take.
--
-- The script runs with the rights of a superuser, and others may create functions and operators in its schema. It has
-- only created objects so far: an ERROR takes them back before any of their code has run.
DO $block$
DECLARE
    path text := pg_catalog.current_setting('search_path'::pg_catalog.text);
    wrong record;
BEGIN
    PERFORM pg_catalog.set_config('search_path'::pg_catalog.text, 'pg_catalog, pg_temp'::pg_catalog.text, true);
    FOR wrong IN
        WITH extension AS MATERIALIZED (
            SELECT e.oid, e.extnamespace AS namespace FROM pg_extension e WHERE e.extname = 'chess'
        ), member AS MATERIALIZED (
            SELECT d.classid, d.objid, coalesce(p.proowner, o.oprowner, t.typowner, c.relowner) AS owner
            FROM extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
            LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
            LEFT JOIN pg_operator o ON d.classid = 'pg_operator'::regclass AND o.oid = d.objid
            LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
            LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
        ), foreigner AS MATERIALIZED ( -- which the owner of the extension may have added to it
            SELECT m.classid, m.objid, m.owner FROM member m JOIN pg_roles r ON r.oid = m.owner
            WHERE NOT r.rolsuper
              AND m.owner <> (SELECT t.typowner FROM pg_type t JOIN extension e ON e.namespace = t.typnamespace WHERE t.typname = 'chessgame')
        ), part AS MATERIALIZED ( -- queries of views are parts of them
            SELECT m.classid, m.objid FROM member m
            UNION ALL
            SELECT d.classid, d.objid FROM member m JOIN pg_depend d ON d.refclassid = m.classid AND d.refobjid = m.objid
            WHERE d.deptype = 'i' AND d.classid = 'pg_rewrite'::regclass
        ), used AS MATERIALIZED (
            SELECT p.classid, p.objid, d.refclassid, d.refobjid
            FROM part p JOIN pg_depend d ON d.classid = p.classid AND d.objid = p.objid
            WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_class'::regclass)
        )
        SELECT pg_describe_object(f.classid, f.objid, 0) AS object, format('It belongs to %s.', pg_get_userbyid(f.owner)) AS why
        FROM foreigner f
        UNION ALL
        SELECT pg_describe_object(u.refclassid, u.refobjid, 0), format('%s would use it.', pg_describe_object(u.classid, u.objid, 0))
        FROM used u
        WHERE u.refobjid >= 16384 -- others are PostgreSQL's own
          AND NOT EXISTS (SELECT FROM member m WHERE m.classid = u.refclassid AND m.objid = u.refobjid)
          -- the row types of views and the array types of others
          AND NOT EXISTS (SELECT FROM pg_depend i JOIN member m ON m.classid = i.refclassid AND m.objid = i.refobjid
                          WHERE i.classid = u.refclassid AND i.objid = u.refobjid AND i.deptype = 'i')
        UNION ALL
        SELECT pg_describe_object('pg_proc'::regclass, o.oid, 0),
               format('%s calls a function of this name.', pg_describe_object(u.classid, u.objid, 0))
        FROM used u
        LEFT JOIN pg_proc b ON u.classid = 'pg_proc'::regclass AND b.oid = u.objid
        JOIN pg_proc p ON u.refclassid = 'pg_proc'::regclass AND p.oid = u.refobjid
        JOIN pg_proc o ON o.pronamespace = p.pronamespace AND o.proname = p.proname
        WHERE (u.classid = 'pg_rewrite'::regclass OR b.prosqlbody IS NOT NULL)
          AND NOT EXISTS (SELECT FROM member m WHERE m.classid = 'pg_proc'::regclass AND m.objid = o.oid)
        ORDER BY 1, 2 LIMIT 1
    LOOP
        RAISE EXCEPTION '% is in the way of the extension chess', wrong.object
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = wrong.why,
                HINT = 'Drop it, or move it to another schema, and try again.';
    END LOOP;
    PERFORM pg_catalog.set_config('search_path'::pg_catalog.text, path, true);
END
$block$;
