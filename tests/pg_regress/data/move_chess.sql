-- Moves the extension to another schema. PostgreSQL 15 and 16 cannot move member array types, so there the extension is not
-- relocatable, and these leave it meanwhile.
CREATE FUNCTION move_chess(schema text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    arrays oid[];
    one oid;
BEGIN
    IF current_setting('server_version_num')::integer < 170000 THEN
        SELECT array_agg(t.oid) INTO arrays FROM pg_type AS t
        JOIN pg_depend AS d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
        JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'chess'
        WHERE EXISTS (SELECT FROM pg_type AS of WHERE of.typarray = t.oid);
        UPDATE pg_extension SET extrelocatable = true WHERE extname = 'chess';
    END IF;
    FOREACH one IN ARRAY coalesce(arrays, '{}') LOOP
        EXECUTE format('ALTER EXTENSION chess DROP TYPE %s', one::regtype);
    END LOOP;
    EXECUTE format('ALTER EXTENSION chess SET SCHEMA %I', schema);
    FOREACH one IN ARRAY coalesce(arrays, '{}') LOOP
        EXECUTE format('ALTER EXTENSION chess ADD TYPE %s', one::regtype);
    END LOOP;
    UPDATE pg_extension SET extrelocatable = false WHERE extname = 'chess' AND arrays IS NOT NULL;
END
$$;
