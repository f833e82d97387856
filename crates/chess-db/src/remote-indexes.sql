-- In: {schema} and {chess}, as for gathered.sql, which has run, and explorer.sql; {schema_literal}, {schema} within a literal;
-- {indexes}, those of all servers; {servers}, their number.
-- Out: what indexes.sql has for one server.

CREATE FUNCTION {schema}.indexes_may_answer() RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    games CONSTANT regclass := '{schema_literal}.games';
BEGIN
    RETURN NOT row_security_active(games) AND has_table_privilege(games, 'SELECT') AND (
        -- without this option postgres_fdw would ask indexes of this server for those of the other
        SELECT bool_and(EXISTS (SELECT FROM unnest(s.srvoptions) o, string_to_table(substr(o, 12), ',') e
                                WHERE o LIKE 'extensions=%' AND btrim(e) = 'chess'))
        FROM pg_class c JOIN pg_foreign_table t ON t.ftrelid = c.oid JOIN pg_foreign_server s ON s.oid = t.ftserver
        WHERE c.relnamespace = '{schema_literal}'::regnamespace AND c.relname ^@ 'explorer_index_');
END
$function$;
COMMENT ON FUNCTION {schema}.indexes_may_answer() IS
    'whether the user may read all games, and the option extensions of each server has chess';

CREATE FUNCTION {schema}.explorer_indexes() RETURNS TABLE (shard smallint, index oid)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT {schema}.indexes_may_answer() THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED ({indexes})
    SELECT f.shard, f.index FROM found f WHERE (SELECT count(DISTINCT o.shard) FROM found o) = {servers};
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_indexes() IS
    'the indexes of all servers by which the explorer answers; none unless each server has some that the user there may ask';
