-- In: {schema_literal}; {refusals}, rows of the name of a function, a reason and an alternative; the functions of one server.
-- Out: functions with the same arguments and columns, which raise an ERROR with the reason.

DO $do$
DECLARE
    f record;
BEGIN
    FOR f IN
        SELECT pg_get_functiondef(p.oid) AS definition, p.prosrc AS body,
               format(' BEGIN RAISE EXCEPTION USING ERRCODE = %L, MESSAGE = %L, HINT = %L; END ',
                      'feature_not_supported', r.reason, r.alternative) AS refusal
        FROM (VALUES {refusals}) r (name, reason, alternative) JOIN pg_proc p ON p.proname = r.name
        WHERE p.pronamespace = '{schema_literal}'::regnamespace
    LOOP
        EXECUTE replace(f.definition, f.body, f.refusal);
    END LOOP;
END
$do$;
