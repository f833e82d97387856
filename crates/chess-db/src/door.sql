-- In: after roles.sql: $2, the name of a schema; $3, the names in it that the program uses; $4, 'write' or 'read'.
-- Out: no row if the program may proceed, otherwise the reason (role, trigger or owner), the object, the role, and the
-- object that uses it. A role that only reads and is not powerful always passes.
, guarded (checked) AS (
    SELECT yes OR $4::text = 'write' FROM powerful
), used (class, object) AS (
    SELECT root.class, root.object
    FROM (SELECT oid FROM pg_namespace WHERE nspname = $2::text::name) n
    CROSS JOIN LATERAL (
        SELECT 'pg_class'::regclass::oid, c.oid FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = ANY ($3::text[]::name[])
        UNION ALL
        SELECT 'pg_proc'::regclass::oid, p.oid FROM pg_proc p WHERE p.pronamespace = n.oid AND p.proname = ANY ($3::text[]::name[])
        UNION ALL
        SELECT 'pg_type'::regclass::oid, t.oid FROM pg_type t WHERE t.typnamespace = n.oid AND t.typname = ANY ($3::text[]::name[])
    ) root (class, object)
    WHERE (SELECT checked FROM guarded)
    UNION
    SELECT next.class, next.object
    FROM used u
    CROSS JOIN LATERAL (
        -- its dependencies
        SELECT d.refclassid, d.refobjid FROM pg_depend d
        WHERE d.classid = u.class AND d.objid = u.object
          AND d.refclassid IN ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_operator'::regclass,
                               'pg_constraint'::regclass)
        UNION ALL
        -- its rules, triggers, defaults, constraints, policies, indexes, partitions and children
        SELECT d.classid, d.objid FROM pg_depend d
        WHERE d.refclassid = u.class AND d.refobjid = u.object
          AND (d.deptype IN ('a', 'i', 'P', 'S')
                   AND d.classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_attrdef'::regclass,
                                     'pg_constraint'::regclass, 'pg_policy'::regclass, 'pg_class'::regclass)
               OR d.deptype = 'n' AND d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
               -- tables with foreign keys to it: their triggers run with the rights of the role that deletes
               OR $4::text = 'write' AND d.deptype = 'n' AND d.classid = 'pg_constraint'::regclass
                   AND EXISTS (SELECT FROM pg_constraint k WHERE k.oid = d.objid AND k.confrelid = u.object
                                 AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))))
    ) next (class, object)
), matter (kind, class, object, role) AS (
    SELECT 'owner', 'pg_namespace'::regclass::oid, oid, nspowner
    FROM pg_namespace WHERE nspname = $2::text::name AND (SELECT checked FROM guarded)
    UNION ALL
    -- the owner of other objects is that of their table or type
    SELECT 'owner', u.class, u.object, c.relowner FROM used u JOIN pg_class c ON c.oid = u.object
    WHERE u.class = 'pg_class'::regclass AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT 'owner', u.class, u.object, p.proowner FROM used u JOIN pg_proc p ON p.oid = u.object WHERE u.class = 'pg_proc'::regclass
    UNION ALL
    SELECT 'owner', u.class, u.object, t.typowner FROM used u JOIN pg_type t ON t.oid = u.object WHERE u.class = 'pg_type'::regclass
    UNION ALL
    SELECT 'owner', u.class, u.object, o.oprowner FROM used u JOIN pg_operator o ON o.oid = u.object WHERE u.class = 'pg_operator'::regclass
    UNION ALL
    SELECT 'trigger', u.class, u.object, a.grantee
    FROM used u JOIN pg_class c ON c.oid = u.object CROSS JOIN aclexplode(c.relacl) a
    WHERE u.class = 'pg_class'::regclass AND $4::text = 'write' AND a.privilege_type = 'TRIGGER'
    UNION ALL
    -- Functions of the extension are found through its schema's name, and the owner of the database can give that name
    -- to another schema. Roles that cannot harm the server accept that.
    SELECT 'owner', 'pg_namespace'::regclass, n.oid, n.nspowner
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace CROSS JOIN powerful p
    JOIN pg_database b ON b.datname = current_database()
    WHERE e.extname = 'chess' AND (p.yes OR n.nspowner NOT IN (b.datdba, 'pg_database_owner'::regrole))
      AND EXISTS (SELECT FROM used u JOIN pg_depend d ON d.classid = u.class AND d.objid = u.object
                  WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e')
)
SELECT 'role', '', $1::text, NULL
WHERE $1::text <> '' AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $1::text)
UNION ALL
(SELECT m.kind, pg_describe_object(m.class, m.object, 0),
        CASE m.role WHEN 0 THEN 'PUBLIC'
                    WHEN 'pg_database_owner'::regrole THEN
                        (SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database())
                    ELSE pg_get_userbyid(m.role)::text END,
        (SELECT pg_describe_object(d.classid, d.objid, 0)
         FROM pg_depend d JOIN used u ON u.class = d.classid AND u.object = d.objid
         WHERE d.refclassid = m.class AND d.refobjid = m.object AND d.deptype IN ('n', 'a') LIMIT 1)
 FROM matter m
 WHERE m.role NOT IN (SELECT role FROM trusted)
 -- containers come before their contents
 ORDER BY m.class <> 'pg_namespace'::regclass, m.class <> 'pg_class'::regclass, m.class = 'pg_proc'::regclass, m.kind, 2 LIMIT 1)
LIMIT 1
