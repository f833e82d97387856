-- In: {schema} and {chess}, as for tables.sql, whose tables are there; the functions on values of explorer.sql.
-- Out: the function that finds the indexes by which the explorer answers.

CREATE FUNCTION {schema}.explorer_indexes() RETURNS TABLE (index oid, relation oid)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1 COST 1000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
    games CONSTANT regclass := '{schema_literal}.games';
    -- of an index that chess-pgn load --index creates, as pg_get_indexdef writes them
    columns CONSTANT text[] := ARRAY['game', 'white_elo', 'black_elo',
        replace('{schema_literal}.result_code(text)'::regprocedure::text, '(text)', '(result)'), 'lower(dates)',
        replace('{schema_literal}.last_day(daterange)'::regprocedure::text, '(daterange)', '(dates)'),
        replace('{schema_literal}.speed_number(text)'::regprocedure::text, '(text)', '(time_control)')];
BEGIN
    -- Policies and rights are those of the whole table. Before 0.4.0 the extension has no access method.
    IF row_security_active(games) OR NOT has_table_privilege(games, 'SELECT')
        OR NOT EXISTS (SELECT FROM pg_am m WHERE m.amname = 'chess') THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH leaf AS MATERIALIZED (
        SELECT t.relid AS oid FROM pg_partition_tree(games) t WHERE t.isleaf
        UNION ALL
        SELECT c.oid FROM pg_class c
        WHERE c.oid = games AND c.relkind = 'r' AND NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = games)
    ), answering AS MATERIALIZED (
        SELECT DISTINCT ON (i.indrelid) i.indrelid, i.indexrelid
        FROM leaf l JOIN pg_index i ON i.indrelid = l.oid
        JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam AND m.amname = 'chess'
        WHERE i.indnkeyatts >= cardinality(columns)
          AND ARRAY(SELECT pg_get_indexdef(i.indexrelid, n, false) FROM generate_subscripts(columns, 1) n) = columns
          AND {chess}.chess_index_answers(i.indexrelid)
    )
    SELECT a.indexrelid, a.indrelid FROM answering a WHERE (SELECT count(*) FROM answering) = (SELECT count(*) FROM leaf);
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_indexes() IS
    'the indexes by which the explorer answers, one for each table that holds games; none unless all of them have one that the current user may ask';
