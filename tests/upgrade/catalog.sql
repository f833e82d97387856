-- In: a database with the extension.
-- Out: a line for each of its objects with all properties. Order and names do not depend on how they were created:
-- after an upgrade they are the same as after a fresh installation.
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;

WITH member AS (
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'chess')
), described AS (
    SELECT pg_describe_object(classid, objid, 0) AS object, classid, objid,
           obj_description(objid, classid::regclass::name) AS comment FROM member
), line AS (
    SELECT object || ': ' || coalesce(comment, 'no comment') AS line FROM described
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', pg_get_function_result(p.oid), pg_get_function_arguments(p.oid), p.prosrc,
        p.provolatile, p.proisstrict, p.proparallel, p.procost, p.prorows, p.proleakproof, p.prosecdef, p.proconfig,
        p.prosupport, p.proacl)
    FROM described JOIN pg_proc AS p ON p.oid = objid AND classid = 'pg_proc'::regclass
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', o.oprcode, o.oprresult::regtype, o.oprcom::regoperator, o.oprnegate::regoperator,
        o.oprrest, o.oprjoin, o.oprcanhash, o.oprcanmerge)
    FROM described JOIN pg_operator AS o ON o.oid = objid AND classid = 'pg_operator'::regclass
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', t.typlen, t.typbyval, t.typcategory, t.typispreferred, t.typinput, t.typoutput, t.typreceive,
        t.typsend, t.typanalyze, t.typalign, t.typstorage)
    FROM described JOIN pg_type AS t ON t.oid = objid AND classid = 'pg_type'::regclass
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', c.castcontext, c.castmethod, c.castfunc::regprocedure)
    FROM described JOIN pg_cast AS c ON c.oid = objid AND classid = 'pg_cast'::regclass
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', c.opcdefault, c.opckeytype::regtype)
    FROM described JOIN pg_opclass AS c ON c.oid = objid AND classid = 'pg_opclass'::regclass
    UNION ALL
    SELECT object || ': ' || concat_ws(' ', a.amtype, a.amhandler)
    FROM described JOIN pg_am AS a ON a.oid = objid AND classid = 'pg_am'::regclass
    UNION ALL
    SELECT object || ': ' || pg_describe_object('pg_amop'::regclass, a.oid, 0)
    FROM described JOIN pg_amop AS a ON a.amopfamily = objid AND classid = 'pg_opfamily'::regclass
    UNION ALL
    SELECT object || ': ' || pg_describe_object('pg_amproc'::regclass, a.oid, 0)
    FROM described JOIN pg_amproc AS a ON a.amprocfamily = objid AND classid = 'pg_opfamily'::regclass
)
SELECT line FROM line ORDER BY line COLLATE "C";
