-- In: {schema} and {chess}, as for tables.sql, whose tables are there, or the views of gathered.sql; explorer_indexes,
-- of indexes.sql or of remote-indexes.sql; {schema_literal}, {schema} within a literal; {ratings} and {latest}, what
-- games are listed by, and both likewise; {by_shard}, what the games of several servers are grouped by first, or nothing.
-- Out: the opening explorer in SQL: what was played in a position, and in which games. docs/explorer.md describes it.
-- Existing functions are replaced.
--
-- explorer_condition, of players.sql, makes plain SQL of the filters, with the values in it: the planner sees what is asked
-- for, and so does whoever wants to go on from there by hand. It names the attributes of the index of the games as the index
-- does, so that the planner takes the sums of the index if they decide all filters. Bodies that begin with RETURN are parsed
-- here and now, so they find the same whatever search_path the caller has; the others name it. Functions of these two schemas,
-- in which others may be allowed to create more, are called with all arguments and with their exact types, so that none of
-- those matches better.

CREATE OR REPLACE FUNCTION {schema}.time_control_seconds(time_control text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN {chess}.timecontrolseconds(time_control);
COMMENT ON FUNCTION {schema}.time_control_seconds(text) IS
    'the seconds that a time control gives a side for 40 moves; 21600 where there is none, NULL if nothing is known';

-- The bounds are those of lichess.
CREATE OR REPLACE FUNCTION {schema}.speed_number(time_control text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN {schema}.time_control_seconds(time_control) IS NULL THEN -1 -- COALESCE is not sent to other servers
    ELSE width_bucket({schema}.time_control_seconds(time_control), '{30,180,480,1500,21600}'::bigint[]) END::smallint;
COMMENT ON FUNCTION {schema}.speed_number(text) IS 'the speed of a time control from 0 to 5, the slowest; -1 if it is unknown';

CREATE OR REPLACE FUNCTION {schema}.speed(time_control text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE {schema}.speed_number(time_control)
    WHEN 0 THEN 'ultraBullet' WHEN 1 THEN 'bullet' WHEN 2 THEN 'blitz' WHEN 3 THEN 'rapid' WHEN 4 THEN 'classical'
    WHEN 5 THEN 'correspondence' ELSE 'unknown' END;
COMMENT ON FUNCTION {schema}.speed(text) IS
    'the speed of a time control: ultraBullet, bullet, blitz, rapid, classical, correspondence or unknown';

CREATE OR REPLACE FUNCTION {schema}.result_code(result text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN result = '1/2-1/2' THEN 0 WHEN result = '1-0' THEN 1 WHEN result = '0-1' THEN 2 WHEN result = '*' THEN 3
    WHEN result IS NOT NULL THEN 4 END;
COMMENT ON FUNCTION {schema}.result_code(text) IS 'a result as a number: 0 for a draw, 1 for 1-0, 2 for 0-1, 3 for *, 4 for another text';

-- Every range of finite days ends after the first of PostgreSQL; empty ones are told apart, because every range contains them.
CREATE OR REPLACE FUNCTION {schema}.last_day(dates daterange) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isempty(dates) THEN date '-infinity' WHEN upper_inf(dates) THEN date 'infinity'
    WHEN upper(dates) < date '4713-01-01 BC' THEN date '4713-01-01 BC' ELSE upper(dates) - 1 END;
COMMENT ON FUNCTION {schema}.last_day(daterange) IS
    'the last of these days, infinity if there is none; -infinity if there are no days, NULL if nothing is known';

CREATE OR REPLACE FUNCTION {schema}.mean_elo(white_elo integer, black_elo integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN white_elo > 0 AND black_elo > 0 THEN ((white_elo::bigint + black_elo) / 2)::integer END;
COMMENT ON FUNCTION {schema}.mean_elo(integer, integer) IS
    'the mean of two ratings, rounded down; NULL unless both are known, and 0 is not a rating';

CREATE OR REPLACE FUNCTION {schema}.rating_group(white_elo integer, black_elo integer) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(width_bucket({schema}.mean_elo(white_elo, black_elo),
    '{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}'::integer[]), -1)::smallint;
COMMENT ON FUNCTION {schema}.rating_group(integer, integer) IS
    'the group of the mean of two ratings, 0 below 1000 to 12 from 2700; -1 if it is unknown';

CREATE OR REPLACE FUNCTION {schema}.explorer_year(dates daterange) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN dates IS NULL THEN 0
    -- date_part converts to timestamp, which does not hold every date
    WHEN lower(dates) >= '0001-01-01' AND upper(dates) <= '10000-01-01' THEN
        CASE WHEN date_part('year', lower(dates)) = date_part('year', upper(dates) - 1) THEN date_part('year', lower(dates))::smallint END
END;
COMMENT ON FUNCTION {schema}.explorer_year(daterange) IS
    'the year of these days, 0 if nothing is known; NULL if they are of several years, or of none that can be counted';

-- Not in SQL, which would plan it anew in each question.
CREATE OR REPLACE FUNCTION {schema}.performance(opponents double precision, score double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- table 8.1.1 of the FIDE Rating Regulations, from 50 to 100 percent; straight lines between its rows
    dp CONSTANT integer[] := '{0,7,14,21,29,36,43,50,57,65,72,80,87,95,102,110,117,125,133,141,149,158,166,175,184,193,202,211,220,230,240,251,262,273,284,296,309,322,336,351,366,383,401,422,444,470,501,538,589,677,800}'::integer[];
    percent CONSTANT double precision := 100 * abs(score - 0.5);
    n integer;
BEGIN
    IF score NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION 'score must be from 0 to 1' USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', score);
    END IF;
    n := floor(percent);
    RETURN opponents + sign(score - 0.5) * (dp[n + 1] + (dp[least(n, 49) + 2] - dp[n + 1]) * (percent - n));
END
$function$;
COMMENT ON FUNCTION {schema}.performance(double precision, double precision) IS
    'the performance of a score, from 0 to 1, against opponents of that mean rating, by the table of FIDE';

-- Text, so that a single range needs no braces: PostgreSQL rejects a multirange without them.
CREATE OR REPLACE FUNCTION {schema}.rating_ranges(rating text) RETURNS int4multirange
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF rating ~ '^[[:space:]]*(empty|[[(][^][(){}]*[])])[[:space:]]*$' THEN
        RETURN ('{' || rating || '}')::int4multirange;
    ELSIF rating !~ '^[[:space:]]*[{].*[}][[:space:]]*$' THEN
        RAISE EXCEPTION '"%" is not a range of ratings', rating USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Write ''[2200,2500)'' or ''[2500,)'', and several ranges as ''{[1600,1800),[2000,)}''.';
    END IF;
    RETURN rating::int4multirange;
END
$function$;
COMMENT ON FUNCTION {schema}.rating_ranges(text) IS 'ratings as the explorer takes them: a range, or several in braces';

CREATE OR REPLACE FUNCTION {schema}.explorer_source(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM {schema}.rating_ranges(rating); -- it says what is wrong with them
    RETURN CASE
        WHEN num_nonnulls(player, white, black, event, time_control) = 0 AND with_evals IS NOT TRUE
            -- last_day does not tell these apart
            AND (lower(dates) = '-infinity' OR upper(dates) = 'infinity' OR upper(dates) < '0001-01-01') IS NOT TRUE
            AND EXISTS (SELECT FROM {schema}.explorer_indexes()) THEN 'index'
        ELSE 'games' END;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_source IS 'where explorer finds its answer: index or games';

CREATE OR REPLACE FUNCTION {schema}.explorer(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    reached boolean DEFAULT true, by_index boolean DEFAULT true, symmetries boolean DEFAULT false
) RETURNS SETOF {schema}.explorer_move
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 20 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
SET plan_cache_mode = force_generic_plan -- of what is not put together for each question
AS $function$
DECLARE
    -- it also says what is wrong with them
    condition text := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control,
                                                  speeds, with_evals);
    is_white boolean := {chess}.turn(board) = 'w';
    mover text := CASE WHEN is_white THEN 'g.white_elo' ELSE 'g.black_elo' END;
    other text := CASE WHEN is_white THEN 'g.black_elo' ELSE 'g.white_elo' END;
    sums text := current_setting('chess.enable_index_sums', true);
    -- The games with the board n.board or a symmetric one, seen from n.board, and sorted, because nextmove prepares each board that
    -- differs from the one before.
    turned CONSTANT text :=
        '(SELECT {by_shard}g.id, g.game, g.dates, b.board,
                 CASE WHEN b.same THEN g.result WHEN g.result = ''1-0'' THEN ''0-1'' WHEN g.result = ''0-1'' THEN ''1-0''
                      ELSE g.result END AS result,
                 CASE WHEN b.same THEN g.white_elo ELSE g.black_elo END AS white_elo,
                 CASE WHEN b.same THEN g.black_elo ELSE g.white_elo END AS black_elo
          FROM {schema_literal}.games g CROSS JOIN LATERAL (
              SELECT r.board, {chess_literal}.turn(r.board) = {chess_literal}.turn(n.board) AS same
              FROM (SELECT {chess_literal}.reachedboard(g.game, {chess_literal}.symmetricboards(n.board)) AS board OFFSET 0) r
          ) b
          WHERE g.game OPERATOR({chess_literal}.&&) {chess_literal}.symmetricboards(n.board) AND ' || condition || '
          ORDER BY b.board) g';
    -- Of the games that play a move, and of those that reach the position after it. The arguments of format are the ratings of
    -- the side that moves and of the other, and what the game's result is if White, Black or the side that moves wins.
    of_reached CONSTANT text :=
        'count(*) AS games,
                count(*) FILTER (WHERE g.result = %3$L) AS white,
                count(*) FILTER (WHERE g.result = ''1/2-1/2'') AS draws,
                count(*) FILTER (WHERE g.result = %4$L) AS black,
                count(*) FILTER (WHERE %1$s > 0) AS rated,
                sum(%1$s) FILTER (WHERE %1$s > 0) AS rating_sum';
    of_played CONSTANT text := of_reached || ',
                count(*) FILTER (WHERE %2$s > 0 AND g.result <> ''*'') AS opponents,
                sum(%2$s) FILTER (WHERE %2$s > 0 AND g.result <> ''*'') AS opponent_sum,
                count(*) FILTER (WHERE %2$s > 0 AND g.result = %5$L) AS wins,
                count(*) FILTER (WHERE %2$s > 0 AND g.result = ''1/2-1/2'') AS halves,
                max(lower(g.dates)) AS last, CASE WHEN count(*) = 1 THEN min(g.id) END AS id';
    won CONSTANT text := CASE WHEN is_white THEN '1-0' ELSE '0-1' END;
    lost CONSTANT text := CASE WHEN is_white THEN '0-1' ELSE '1-0' END;
    counts CONSTANT text := format(of_reached, mover, other, '1-0', '0-1', won);
    counts_played CONSTANT text := format(of_played, mover, other, '1-0', '0-1', won);
    -- What is selected between these two, of the games that reach an image i.board of n.board: the index answers with its sums.
    -- With i.same, the same side is to move on both.
    images CONSTANT text :=
        'SELECT i.board, s.* FROM (SELECT b.board, {chess_literal}.turn(b.board) = {chess_literal}.turn(n.board) AS same
                                   FROM unnest({chess_literal}.symmetricboards(n.board)) AS b (board) OFFSET 0) i
         CROSS JOIN LATERAL (SELECT ';
    of_image CONSTANT text := ' FROM {schema_literal}.games g WHERE {chess_literal}.hasboard(g.game, i.board) AND ' || condition;
    -- This tells whether no game reaches two images of n.board: only then can their sums be added.
    are_apart CONSTANT text :=
        '(SELECT count(*) FROM {schema_literal}.games g
          WHERE g.game OPERATOR({chess_literal}.&&) {chess_literal}.symmetricboards(n.board) AND ' || condition || ')
         = (SELECT sum(s.games) FROM (' || images || 'count(*) AS games' || of_image || ') s) s)';
    many boolean := false; -- so many games that adding sums is quicker than reading them
    apart boolean := false;
    -- What several servers or several images have counted is added up by these.
    added CONSTANT text :=
        'sum(s.games)::bigint AS games, sum(s.white)::bigint AS white, sum(s.draws)::bigint AS draws,
                          sum(s.black)::bigint AS black, sum(s.rated)::bigint AS rated, sum(s.rating_sum) AS rating_sum';
    added_played CONSTANT text := added || ',
                          sum(s.opponents)::bigint AS opponents, sum(s.opponent_sum) AS opponent_sum, sum(s.wins) AS wins,
                          sum(s.halves) AS halves, max(s.last) AS last, min(s.id) AS id';
    score CONSTANT text :=
        '(CASE WHEN $2 = ''1-0'' THEN %1$s.white ELSE %1$s.black END + %1$s.draws / 2.0)::float8
                    / nullif(%1$s.white + %1$s.draws + %1$s.black, 0)';
    -- what was played, and what reaches the next position
    played text :=
        'SELECT ' || CASE WHEN symmetries
            THEN '{chess_literal}.symmetricmove(g.board, {chess_literal}.nextmove(g.game, g.board), $1)'
            ELSE '{chess_literal}.nextmove(g.game, $1)' END || ' AS san, ' || counts_played || '
         FROM ' || CASE WHEN symmetries THEN '(SELECT $1 AS board) n CROSS JOIN LATERAL ' || turned
             ELSE '{schema_literal}.games g WHERE {chess_literal}.hasboard(g.game, $1) AND ' || condition END || '
         GROUP BY {by_shard}1';
    counted text :=
        'SELECT ' || counts || ' FROM ' || CASE WHEN symmetries THEN turned
            ELSE '{schema_literal}.games g WHERE {chess_literal}.hasboard(g.game, n.board) AND ' || condition END;
    statement text;
BEGIN
    IF NOT by_index THEN
        PERFORM set_config('chess.enable_index_sums', 'off', true);
    END IF;
    IF symmetries AND by_index AND '{by_shard}' = '' AND {schema}.explorer_source(board, player, color, white, black, rating,
        dates, result, event, time_control, speeds, with_evals) = 'index' THEN
        EXECUTE 'SELECT count(*) > 30 FROM {schema_literal}.games g
                 WHERE g.game OPERATOR({chess_literal}.&&) {chess_literal}.symmetricboards($1) AND ' || condition
        INTO many USING board;
        IF many THEN
            EXECUTE 'SELECT ' || are_apart || ' FROM (SELECT $1 AS board) n' INTO apart USING board;
        END IF;
    END IF;
    IF apart THEN
        played := 'SELECT {chess_literal}.symmetricmove(s.board, s.san, $1) AS san, ' || added_played || '
             FROM (SELECT $1 AS board) n CROSS JOIN LATERAL (
                 ' || images || '{chess_literal}.nextmove(g.game, i.board) AS san, ' || counts_played || of_image || ' GROUP BY 1) s
                 WHERE i.same
                 UNION ALL
                 ' || images || '{chess_literal}.nextmove(g.game, i.board) AS san, '
                 || format(of_played, other, mover, '0-1', '1-0', lost) || of_image || ' GROUP BY 1) s WHERE NOT i.same
             ) s GROUP BY 1';
    END IF;
    IF many THEN
        -- each position after a move is counted in one of the two ways; HAVING leaves out the row of the other
        counted := 'SELECT ' || added || ' FROM (
                 ' || images || counts || of_image || ') s WHERE i.same
                 UNION ALL
                 ' || images || format(of_reached, other, mover, '0-1', '1-0', lost) || of_image || ') s WHERE NOT i.same
             ) s WHERE n.apart HAVING n.apart
             UNION ALL
             ' || counted || ' WHERE NOT n.apart HAVING NOT n.apart';
    END IF;
    IF '{by_shard}' <> '' THEN
        played := 'SELECT s.san, ' || added_played || ' FROM (' || played || ') s GROUP BY 1';
        counted := 'SELECT ' || added || ' FROM (' || counted || ' GROUP BY g.shard) s';
    END IF;
    statement :=
        'WITH played AS MATERIALIZED (
             ' || played || ' LIMIT 219 -- no position has more legal moves than 218
         )' || CASE WHEN reached THEN ', next AS MATERIALIZED (
             SELECT n.san, n.board' || CASE WHEN many THEN ', ' || are_apart || ' AS apart' ELSE '' END || '
             FROM (SELECT san, {chess_literal}.play($1, san) AS board FROM played WHERE san IS NOT NULL) n
         ), reached AS MATERIALIZED (
             SELECT n.san, r.* FROM next n CROSS JOIN LATERAL (' || counted || ') r
         )' ELSE ', reached AS (SELECT p.* FROM played p WHERE false)' END || '
         SELECT {chess_literal}.uci($1, p.san), p.san, p.games, p.white, p.draws, p.black,
                p.games - p.white - p.draws - p.black,
                ' || format(score, 'p') || ',
                p.rated, p.rating_sum::float8 / nullif(p.rated, 0), p.opponent_sum::float8 / nullif(p.opponents, 0),
                {schema_literal}.performance(p.opponent_sum::float8 / nullif(p.opponents, 0),
                                             (p.wins + p.halves / 2.0)::float8 / nullif(p.opponents, 0)),
                p.last, r.games, r.white, r.draws, r.black, ' || format(score, 'r') || ',
                r.rating_sum::float8 / nullif(r.rated, 0), CASE WHEN p.games = 1 THEN p.id END
         FROM played p LEFT JOIN reached r USING (san)
         ORDER BY p.san IS NULL, p.games DESC, p.san COLLATE "C"';
    -- With other filters the games are read, and each board gets a plan of its own.
    IF by_index AND NOT symmetries AND sums = 'on' AND '{by_shard}' = '' AND num_nonnulls(player, white, black, event, time_control) = 0
        AND with_evals IS NOT TRUE THEN
        RETURN QUERY SELECT k.* FROM {chess}.chess_kept(statement, board, won) AS k (
            uci text, san text, games bigint, white bigint, draws bigint, black bigint, unknown bigint, score double precision, rated bigint,
            average_rating double precision, opponent_rating double precision, performance double precision, last_played date,
            reached bigint, reached_white bigint, reached_draws bigint, reached_black bigint, reached_score double precision,
            reached_average_rating double precision, game_id bigint);
    ELSE
        RETURN QUERY EXECUTE statement USING board, won;
    END IF;
    IF NOT by_index THEN
        PERFORM set_config('chess.enable_index_sums', sums, true);
    END IF;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer IS 'what was played in a position, the commonest move first, and how it scored';

CREATE OR REPLACE FUNCTION {schema}.explorer_games(
    board {chess}.chessboard DEFAULT NULL,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sort text DEFAULT 'rating', count integer DEFAULT 15, after bigint DEFAULT NULL, by_index boolean DEFAULT true,
    symmetries boolean DEFAULT false
) RETURNS SETOF {schema}.explorer_game
LANGUAGE plpgsql STABLE ROWS 15 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
SET plan_cache_mode = force_generic_plan -- of what is not put together for each question
AS $function$
DECLARE
    condition text := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control,
                                                  speeds, with_evals);
    key text := CASE sort WHEN 'rating' THEN '{ratings_literal}'
                          WHEN 'date' THEN '{latest_literal}'
                          WHEN 'length' THEN 'g.ply_count' END;
    sums text := current_setting('chess.enable_index_sums', true);
    last_key text;
    -- How many games with the position are found before they are sorted. The planner believes that they are spread evenly
    -- over an index of dates or ratings; where they are not, a walk along it reads most of the table.
    few bigint := least(10 * sqrt(greatest((SELECT c.reltuples FROM pg_class c WHERE c.oid = '{schema_literal}.games'::regclass), 10000)), 1000000);
    found bigint; -- how many have it, as far as that is known
    ids bigint[];
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION '"%" is not a sort order', coalesce(sort, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Sort orders are rating, date and length.';
    ELSIF count IS NULL OR count < 0 THEN
        RAISE EXCEPTION 'count must not be negative' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(count::text, 'NULL'));
    END IF;
    IF NOT by_index THEN
        PERFORM set_config('chess.enable_index_sums', 'off', true);
    END IF;
    IF board IS NOT NULL THEN
        condition := CASE WHEN symmetries THEN 'g.game OPERATOR({chess_literal}.&&) {chess_literal}.symmetricboards($1)'
            ELSE '{chess_literal}.hasboard(g.game, $1)' END || ' AND ' || condition;
    END IF;
    IF by_index AND board IS NOT NULL AND after IS NULL AND {schema}.explorer_source(board, player, color,
        white, black, rating, dates, result, event, time_control, speeds, with_evals) = 'index' THEN
        IF sort <> 'length' AND '{by_shard}' = '' THEN
            found := few; -- or fewer: the index returns them in this order, so none of the others is read
        ELSE
            EXECUTE 'SELECT coalesce(sum(s.games), 0) FROM (SELECT count(*) AS games FROM {schema_literal}.games g WHERE '
                || condition || CASE WHEN '{by_shard}' <> '' THEN ' GROUP BY g.shard' ELSE '' END || ') s'
            INTO found USING board;
        END IF;
    END IF;
    IF board IS NULL AND NOT isempty(dates) THEN -- as the index of days has them
        condition := condition || coalesce(' AND {latest_literal} >= ' || quote_literal(lower(dates)), '')
            || coalesce(' AND {latest_literal} < ' || quote_literal(upper(dates)), '');
    END IF;
    IF after IS NOT NULL THEN
        EXECUTE 'SELECT ' || key || '::text FROM {schema_literal}.games g WHERE g.id = $1' INTO last_key USING after;
        IF last_key IS NULL THEN
            RAISE EXCEPTION 'there is no game %', after USING ERRCODE = 'invalid_parameter_value';
        END IF;
        -- the first part is for other servers, to which rows are not sent
        condition := condition || ' AND ' || key || ' <= ' || quote_literal(last_key)
            || ' AND (' || key || ', g.id) < (' || quote_literal(last_key) || ', ' || after || ')';
    END IF;
    IF ids IS NULL AND board IS NOT NULL AND coalesce(found < few, true) THEN
        EXECUTE
            'WITH few AS MATERIALIZED (
                 SELECT g.id, ' || key || ' AS key FROM {schema_literal}.games g WHERE ' || condition || ' LIMIT $2
             )
             SELECT ARRAY(SELECT id FROM few ORDER BY key DESC, id DESC LIMIT $3), (SELECT count(*) FROM few)'
        INTO ids, found USING board, few, count;
    END IF;
    IF ids IS NULL OR found >= few THEN
        EXECUTE
            'SELECT ARRAY(SELECT g.id FROM {schema_literal}.games g WHERE ' || condition || '
                          ORDER BY ' || key || ' DESC, g.id DESC LIMIT $2)'
        INTO ids USING board, count;
    END IF;
    RETURN QUERY
    SELECT g.id, {chess}.uci(explorer_games.board, CASE WHEN symmetries
               THEN {chess}.symmetricmove(b.board, {chess}.nextmove(g.game, b.board), explorer_games.board)
               ELSE {chess}.nextmove(g.game, b.board) END), g.white, g.black,
           g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.round, g.eco, g.time_control, g.ply_count,
           g.tags ->> 'GameId'
    FROM {schema}.pgn_view g CROSS JOIN LATERAL (
        SELECT CASE WHEN symmetries THEN {chess}.reachedboard(g.game, {chess}.symmetricboards(explorer_games.board))
                   ELSE explorer_games.board END AS board OFFSET 0
    ) b
    WHERE g.id = ANY (ids)
    ORDER BY CASE WHEN sort = 'rating' THEN {ratings} END DESC, CASE WHEN sort = 'date' THEN {latest} END DESC,
             CASE WHEN sort = 'length' THEN g.ply_count END DESC, g.id DESC
    LIMIT explorer_games.count;
    IF NOT by_index THEN
        PERFORM set_config('chess.enable_index_sums', sums, true);
    END IF;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games IS
    'games with a position, the best rated, the latest or the longest first; after is the last one of the page before';
