-- In: {schema} and {chess}, as for tables.sql, whose tables are there; the functions on values of explorer.sql.
-- Out: the function that finds the indexes by which the explorer answers.

CREATE OR REPLACE FUNCTION {schema}.explorer_indexes() RETURNS TABLE (index oid)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 1 COST 1000 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET quote_all_identifiers = off -- which changes definitions of indexes
AS $function$
DECLARE
    games CONSTANT regclass := '{schema_literal}.games';
    -- The columns of an index that chess-pgn load --index creates, as pg_get_indexdef writes them. More may follow.
    columns CONSTANT text := concat(' USING chess (game, white_elo, black_elo, ',
        replace('{schema_literal}.result_code(text)'::regprocedure::text, '(text)', '(result)'), ', lower(dates), ',
        replace('{schema_literal}.last_day(daterange)'::regprocedure::text, '(daterange)', '(dates)'), ', ',
        replace('{schema_literal}.speed_number(text)'::regprocedure::text, '(text)', '(time_control)'), ', ',
        replace('{schema_literal}.mean_elo(integer,integer)'::regprocedure::text, '(integer,integer)', '(white_elo, black_elo)'));
BEGIN
    -- Policies and rights are those of the whole table. Before 0.4.0 the extension has no access method.
    IF row_security_active(games) OR NOT has_table_privilege(games, 'SELECT')
        OR NOT EXISTS (SELECT FROM pg_am m WHERE m.amname = 'chess') THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH leaf AS MATERIALIZED (
        SELECT t.relid::oid AS oid FROM pg_partition_tree(games) t WHERE t.isleaf
        UNION ALL
        SELECT c.oid FROM pg_class c
        WHERE c.oid = games AND c.relkind = 'r' AND NOT c.relispartition AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = games)
    ), answering AS MATERIALIZED (
        SELECT x.indexrelid FROM leaf l
        -- With LIMIT the planner looks up the indexes of each table; a join would read all of pg_class.
        CROSS JOIN LATERAL (SELECT i.indexrelid FROM pg_index i
                            WHERE i.indrelid = l.oid AND i.indnkeyatts >= 8 AND strpos(pg_get_indexdef(i.indexrelid), columns) > 0
                              AND {chess}.chess_index_answers(i.indexrelid::regclass)
                            ORDER BY i.indexrelid LIMIT 1) x
    )
    SELECT a.indexrelid FROM answering a WHERE (SELECT count(*) FROM answering) = (SELECT count(*) FROM leaf);
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_indexes() IS
    'the indexes by which the explorer answers, one for each table that holds games; none unless all of them have one that the current user may ask';

CREATE OR REPLACE VIEW {schema}.explorer_index WITH (security_invoker = true) AS SELECT * FROM {schema}.explorer_indexes();
COMMENT ON VIEW {schema}.explorer_index IS 'explorer_indexes, for another server that asks this one';
