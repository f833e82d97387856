-- In: {schema} and {chess}, as for gathered.sql, which has run, and explorer.sql; {schema_literal}, {schema} within a literal;
-- {index sums} and {index counts}, the answers of all servers, NULL for one without indexes that answer.
-- Out: what indexes.sql has for one server: the functions that sum games in the indexes. Each server sums its own, in an
-- aggregate, which postgres_fdw sends as a whole.

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

CREATE FUNCTION {schema}.explorer_parts(board {chess}.chessboard, bounds integer[]) RETURNS {schema}.explorer_part[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT {schema}.indexes_may_answer() THEN
        RETURN NULL;
    END IF;
    RETURN (
        WITH answered AS MATERIALIZED ({index sums})
        SELECT CASE WHEN bool_and(a.sums IS NOT NULL) THEN ARRAY(
                   SELECT ROW(m.uci, m.san, m.outcome, m.games, m.white_rated, m.white_ratings, m.black_rated, m.black_ratings,
                              m.last_day, CASE WHEN m.games = 1 THEN
                                  -- Other partitions may have rows at the same place, some of them with all that is known.
                                  (SELECT min(g.id) FROM {schema}.games g
                                   WHERE g.shard = b.shard AND g.ctid = m.game AND {chess}.hasboard(g.game, explorer_parts.board)
                                     AND {chess}.nextmove(g.game, explorer_parts.board) IS NOT DISTINCT FROM m.san
                                     AND {schema}.result_code(g.result) IS NOT DISTINCT FROM m.outcome
                                     AND greatest(g.white_elo, 0) = m.white_ratings AND greatest(g.black_elo, 0) = m.black_ratings
                                     AND lower(g.dates) IS NOT DISTINCT FROM m.last_day
                                   HAVING count(*) = 1) END)::{schema}.explorer_part
                   FROM answered b CROSS JOIN LATERAL jsonb_to_recordset(b.sums) m (uci text, san text, outcome integer,
                       games bigint, white_rated bigint, white_ratings bigint, black_rated bigint, black_ratings bigint,
                       last_day date, game tid)) END
        FROM answered a);
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_parts IS
    'sums over the games of all servers that reach a position, by move and result, from their indexes; NULL if one does not answer';

CREATE FUNCTION {schema}.explorer_counts(
    boards {chess}.chessboard[], bounds integer[], most bigint DEFAULT 9223372036854775807 -- the servers count all
) RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF NOT {schema}.indexes_may_answer() THEN
        RETURN NULL;
    END IF;
    RETURN (
        WITH answered AS MATERIALIZED ({index counts})
        SELECT CASE WHEN bool_and(a.counts IS NOT NULL) THEN ARRAY(
                   SELECT sum(c.games)::bigint FROM answered b CROSS JOIN LATERAL unnest(b.counts) WITH ORDINALITY c (games, n)
                   GROUP BY c.n ORDER BY c.n) END
        FROM answered a);
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_counts IS
    'the number of games of all servers that reach each of these positions, from their indexes; NULL if one does not answer';

CREATE FUNCTION {schema}.explorer_top(
    board {chess}.chessboard, bounds integer[], sort text, count integer, most bigint, OUT games bigint, OUT ids bigint[]
)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    games := ({schema}.explorer_counts(ARRAY[board], bounds, most))[1];
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_top IS
    'the number of games of all servers that reach a position, NULL if one does not answer; their ids are found without the indexes';
