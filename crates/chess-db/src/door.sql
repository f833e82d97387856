-- In: after roles.sql: $2, the name of a schema; $3, the names in it that the program uses; $4, 'write' or 'read'.
-- Out: no row if the program may proceed, otherwise the reason (role, owner, trigger, references, changing or unknown), the
-- object, the role, and the object that uses it. A role that only reads and is not powerful always passes.
-- Whatever hangs on an object that is used, or is used by one, is followed, and its owner must be trusted. What is left out stands
-- here with the reason; an object of a kind that this query does not know is refused.
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
    -- Event triggers run at commands of every session.
    SELECT 'pg_event_trigger'::regclass::oid, e.oid FROM pg_event_trigger e WHERE e.evtenabled <> 'D' AND (SELECT checked FROM guarded)
    UNION
    SELECT next.class, next.object
    FROM used u
    CROSS JOIN LATERAL (
        -- what it uses. A schema is harmless, because objects are used by their OIDs, not by their names; so is an extension,
        -- whose owner can drop it and bring it to what the server's files say. The extension chess, whose functions programs
        -- call by their names, is looked at below.
        SELECT d.refclassid, d.refobjid FROM pg_depend d
        WHERE d.classid = u.class AND d.objid = u.object AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_extension'::regclass)
        UNION ALL
        -- The planner may replace an operator by its commutator or its negator, which are no dependencies.
        SELECT u.class, unnest(ARRAY[o.oprcom, o.oprnegate]) FROM pg_operator o WHERE u.class = 'pg_operator'::regclass AND o.oid = u.object
        UNION ALL
        -- Whatever hangs on it is followed as well.
        SELECT d.classid, d.objid FROM pg_depend d
        WHERE d.refclassid = u.class AND d.refobjid = u.object
          AND CASE
              -- Its parts are rules, triggers, policies, indexes, statistics and partitions. Publications are left out, because
              -- another process evaluates their conditions.
              WHEN d.deptype NOT IN ('n', 'e', 'x') THEN d.classid <> 'pg_publication_rel'::regclass
              -- Members of extensions do not run because of it.
              WHEN d.deptype <> 'n' THEN false
              -- Other objects that use it run when they are used themselves. The server finds some of them from this one:
              -- operator classes of a type, which only superusers create; casts of a type, for which one needs one of both types,
              -- so that a stranger's is between types of which one is refused where it is used;
              WHEN d.refclassid = 'pg_type'::regclass THEN
                  d.classid = 'pg_opclass'::regclass
                  OR d.classid = 'pg_cast'::regclass
                     AND NOT EXISTS (SELECT FROM pg_cast c JOIN pg_type t ON t.oid IN (c.castsource, c.casttarget)
                                     WHERE c.oid = d.objid AND t.typowner NOT IN (SELECT role FROM trusted))
              WHEN d.refclassid <> 'pg_class'::regclass THEN false
              -- from a table, its children, and tables with foreign keys to it, which it asks as their owners when rows are
              -- deleted. Anybody can make others, by the number of the table as a constant.
              WHEN d.classid = 'pg_class'::regclass THEN
                  EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = d.objid AND i.inhparent = d.refobjid)
              WHEN d.classid = 'pg_constraint'::regclass THEN
                  $4::text = 'write' AND EXISTS (SELECT FROM pg_constraint k WHERE k.oid = d.objid AND k.confrelid = d.refobjid)
              ELSE false
              END
    ) next (class, object)
    WHERE next.object <> 0
), owned (class, object, role) AS (
    SELECT class, object, CASE class
        WHEN 'pg_class'::regclass THEN (SELECT relowner FROM pg_class WHERE oid = object)
        WHEN 'pg_proc'::regclass THEN (SELECT proowner FROM pg_proc WHERE oid = object)
        WHEN 'pg_type'::regclass THEN (SELECT typowner FROM pg_type WHERE oid = object)
        WHEN 'pg_operator'::regclass THEN (SELECT oprowner FROM pg_operator WHERE oid = object)
        WHEN 'pg_opclass'::regclass THEN (SELECT opcowner FROM pg_opclass WHERE oid = object)
        WHEN 'pg_opfamily'::regclass THEN (SELECT opfowner FROM pg_opfamily WHERE oid = object)
        WHEN 'pg_collation'::regclass THEN (SELECT collowner FROM pg_collation WHERE oid = object)
        WHEN 'pg_statistic_ext'::regclass THEN (SELECT stxowner FROM pg_statistic_ext WHERE oid = object)
        WHEN 'pg_language'::regclass THEN (SELECT lanowner FROM pg_language WHERE oid = object)
        WHEN 'pg_event_trigger'::regclass THEN (SELECT evtowner FROM pg_event_trigger WHERE oid = object)
        WHEN 'pg_foreign_server'::regclass THEN (SELECT srvowner FROM pg_foreign_server WHERE oid = object)
        WHEN 'pg_foreign_data_wrapper'::regclass THEN (SELECT fdwowner FROM pg_foreign_data_wrapper WHERE oid = object)
        WHEN 'pg_ts_config'::regclass THEN (SELECT cfgowner FROM pg_ts_config WHERE oid = object)
        WHEN 'pg_ts_dict'::regclass THEN (SELECT dictowner FROM pg_ts_dict WHERE oid = object)
        END
    FROM used
    -- parts of objects that are followed as well; and what only superusers create
    WHERE class NOT IN ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_trigger'::regclass, 'pg_rewrite'::regclass,
                        'pg_policy'::regclass, 'pg_cast'::regclass, 'pg_transform'::regclass, 'pg_amop'::regclass, 'pg_amproc'::regclass,
                        'pg_am'::regclass, 'pg_ts_parser'::regclass, 'pg_ts_template'::regclass)
), matter (kind, class, object, role) AS (
    SELECT 'owner', 'pg_namespace'::regclass::oid, oid, nspowner
    FROM pg_namespace WHERE nspname = $2::text::name AND (SELECT checked FROM guarded)
    UNION ALL
    -- indexes, TOAST tables and row types are parts, too; sequences run no code
    SELECT CASE WHEN o.role IS NULL THEN 'unknown' ELSE 'owner' END, o.class, o.object, o.role
    FROM owned o LEFT JOIN pg_class c ON o.class = 'pg_class'::regclass AND c.oid = o.object
    WHERE c.relkind IS NULL OR c.relkind NOT IN ('i', 'I', 't', 'c', 'S')
    UNION ALL
    SELECT lower(a.privilege_type), u.class, u.object, a.grantee
    FROM used u CROSS JOIN LATERAL (
        SELECT relacl FROM pg_class WHERE oid = u.object UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = u.object
    ) r (acl) CROSS JOIN aclexplode(r.acl) a
    WHERE u.class = 'pg_class'::regclass AND $4::text = 'write' AND a.privilege_type IN ('TRIGGER', 'REFERENCES')
    UNION ALL
    -- A transaction under way may create a trigger, a key or an index by a right that its role had when it began. Nobody sees any of
    -- these before it has ended. Whoever can become the role of --owner is trusted with it.
    SELECT 'changing', u.class, u.object, coalesce(s.usesysid, x.role)
    FROM used u JOIN pg_locks l ON l.relation = u.object AND l.granted AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    LEFT JOIN pg_stat_activity s USING (pid)
    LEFT JOIN LATERAL (
        SELECT r.oid FROM pg_locks i JOIN pg_prepared_xacts t ON t.transaction = i.transactionid JOIN pg_roles r ON r.rolname = t.owner
        WHERE i.virtualtransaction = l.virtualtransaction AND i.pid IS NULL AND i.locktype = 'transactionid'
    ) x (role) ON l.pid IS NULL
    WHERE u.class = 'pg_class'::regclass AND $4::text = 'write' AND coalesce(s.usesysid, x.role) IS NOT NULL
      AND NOT EXISTS (SELECT FROM pg_roles o WHERE o.rolname = $1::text AND pg_has_role(coalesce(s.usesysid, x.role), o.oid, 'MEMBER'))
    UNION ALL
    -- Functions of the extension are found through its schema's name. Its owner can drop it, and the owner of the database can
    -- give that name to another schema. Roles that are not powerful accept both from the owner of the database.
    SELECT 'owner', i.class, i.object, i.role
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace CROSS JOIN powerful p
    JOIN pg_database b ON b.datname = current_database()
    CROSS JOIN LATERAL (VALUES ('pg_namespace'::regclass::oid, n.oid, n.nspowner), ('pg_extension'::regclass, e.oid, e.extowner)) i (class, object, role)
    WHERE e.extname = 'chess' AND (p.yes OR i.role NOT IN (b.datdba, 'pg_database_owner'::regrole))
      AND EXISTS (SELECT FROM used u JOIN pg_depend d ON d.classid = u.class AND d.objid = u.object
                  WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e')
)
SELECT 'role', '', $1::text, NULL
WHERE $1::text <> '' AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $1::text)
UNION ALL
(SELECT m.kind, pg_describe_object(m.class, m.object, 0),
        CASE coalesce(m.role, 0) WHEN 0 THEN 'PUBLIC'
                    WHEN 'pg_database_owner'::regrole THEN
                        (SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = current_database())
                    ELSE pg_get_userbyid(m.role)::text END,
        (SELECT pg_describe_object(d.classid, d.objid, 0)
         FROM pg_depend d JOIN used u ON u.class = d.classid AND u.object = d.objid
         WHERE d.refclassid = m.class AND d.refobjid = m.object AND d.deptype IN ('n', 'a') LIMIT 1)
 FROM matter m
 WHERE m.role IS NULL OR m.role NOT IN (SELECT role FROM trusted)
 -- containers come before their contents
 ORDER BY m.class <> 'pg_namespace'::regclass, m.class <> 'pg_class'::regclass, m.class = 'pg_proc'::regclass, m.kind, 2 LIMIT 1)
LIMIT 1
