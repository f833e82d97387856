-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal.
-- Out: the opening explorer in SQL: what was played in a position, and in which games. docs/explorer.md describes it.
--
-- explorer_condition makes plain SQL of the filters, with the values in it: the planner sees what is asked for, and so does
-- whoever wants to go on from there by hand. Bodies that begin with RETURN are parsed here and now, so they find the same
-- whatever search_path the caller has; the others name it.

CREATE FUNCTION {schema}.time_control_seconds(time_control text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN time_control ~ '^[0-9]{1,6}([+][0-9]{1,6})?$' THEN
        split_part(time_control, '+', 1)::bigint + 40 * ('0' || split_part(time_control, '+', 2))::bigint
    WHEN time_control ~ '^[1-9][0-9]{0,3}/[0-9]{1,8}([+][0-9]{1,6})?(:.*)?$' THEN
        40 * split_part(split_part(split_part(time_control, ':', 1), '/', 2), '+', 1)::bigint
            / split_part(time_control, '/', 1)::bigint
        + 40 * ('0' || split_part(split_part(time_control, ':', 1), '+', 2))::bigint
    WHEN time_control = '-' THEN 21600
END;
COMMENT ON FUNCTION {schema}.time_control_seconds(text) IS
    'the seconds that a time control of PGN gives a side for 40 moves; 21600 where there is none, NULL if nothing is known';

-- The bounds are those of lichess.
CREATE FUNCTION {schema}.speed(time_control text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE width_bucket({schema}.time_control_seconds(time_control), '{30,180,480,1500,21600}'::bigint[])
    WHEN 0 THEN 'ultraBullet' WHEN 1 THEN 'bullet' WHEN 2 THEN 'blitz' WHEN 3 THEN 'rapid' WHEN 4 THEN 'classical'
    WHEN 5 THEN 'correspondence' ELSE 'unknown' END;
COMMENT ON FUNCTION {schema}.speed(text) IS
    'the speed of a time control: ultraBullet, bullet, blitz, rapid, classical, correspondence or unknown';

CREATE FUNCTION {schema}.mean_elo(white_elo integer, black_elo integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN white_elo > 0 AND black_elo > 0 THEN ((white_elo::bigint + black_elo) / 2)::integer END;
COMMENT ON FUNCTION {schema}.mean_elo(integer, integer) IS
    'the mean of two ratings, rounded down; NULL unless both are known, and 0 is not a rating';

CREATE FUNCTION {schema}.performance(opponents double precision, score double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    -- table 8.1.1 of the FIDE Rating Regulations, from 50 to 100 percent; straight lines between its rows
    SELECT opponents + sign(score - 0.5) * (dp[n + 1] + (dp[least(n, 49) + 2] - dp[n + 1]) * (percent - n))
    FROM (SELECT ARRAY[0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166,
                       175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401,
                       422, 444, 470, 501, 538, 589, 677, 800],
                 100 * abs(score - 0.5), floor(100 * abs(score - 0.5))::integer) AS t (dp, percent, n);
END;
COMMENT ON FUNCTION {schema}.performance(double precision, double precision) IS
    'the performance of a score, from 0 to 1, against opponents of that mean rating, by the table of FIDE';

CREATE FUNCTION {schema}.explorer_condition(
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating int4multirange DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
AS $function$
DECLARE
    player_id integer;
    parts text[] := '{}';
    wrong text;
BEGIN
    IF color NOT IN ('w', 'b') THEN
        RAISE EXCEPTION '"%" is not a color', color USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Colors are w and b.';
    ELSIF color IS NOT NULL AND player IS NULL THEN
        RAISE EXCEPTION 'a color without a player' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Name the player, or use the filters white and black.';
    ELSIF result NOT IN ('1-0', '0-1', '1/2-1/2', '*') THEN
        RAISE EXCEPTION '"%" is not a result', result USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Results are 1-0, 0-1, 1/2-1/2 and *.';
    END IF;
    SELECT s INTO wrong FROM unnest(speeds) s
    WHERE s IS NULL OR s NOT IN ('ultraBullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence', 'unknown') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '"%" is not a speed', coalesce(wrong, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Speeds are ultraBullet, bullet, blitz, rapid, classical, correspondence and unknown.';
    END IF;
    IF player IS NOT NULL THEN
        SELECT id INTO player_id FROM {schema}.players WHERE name = player;
        parts := parts || CASE WHEN player_id IS NULL THEN 'false'
                               WHEN color = 'w' THEN 'g.white_id = ' || player_id
                               WHEN color = 'b' THEN 'g.black_id = ' || player_id
                               ELSE '(g.white_id = ' || player_id || ' OR g.black_id = ' || player_id || ')' END;
    END IF;
    IF white IS NOT NULL THEN
        parts := parts || coalesce((SELECT 'g.white_id = ' || id FROM {schema}.players WHERE name = white), 'false');
    END IF;
    IF black IS NOT NULL THEN
        parts := parts || coalesce((SELECT 'g.black_id = ' || id FROM {schema}.players WHERE name = black), 'false');
    END IF;
    IF rating IS NOT NULL THEN
        parts := parts || ('{schema_literal}.mean_elo(g.white_elo, g.black_elo) <@ '
            || quote_literal(rating) || '::int4multirange');
    END IF;
    IF dates IS NOT NULL THEN
        parts := parts || ('g.dates <@ ' || quote_literal(dates) || '::daterange');
    END IF;
    IF result IS NOT NULL THEN
        parts := parts || ('g.result = ' || quote_literal(result));
    END IF;
    IF event IS NOT NULL THEN
        parts := parts || coalesce((SELECT 'g.event_id = ' || id FROM {schema}.events WHERE name = event), 'false');
    END IF;
    IF time_control IS NOT NULL THEN
        parts := parts || ('g.time_control = ' || quote_literal(time_control));
    END IF;
    IF speeds IS NOT NULL THEN
        parts := parts || ('{schema_literal}.speed(g.time_control) = ANY (' || quote_literal(speeds)
            || '::text[])');
    END IF;
    IF with_evals THEN
        parts := parts || 'g.evals IS NOT NULL'::text;
    END IF;
    RETURN coalesce(nullif(array_to_string(parts, ' AND '), ''), 'true');
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_condition IS
    'the filters of the explorer as a condition in SQL on the table of games, g';

CREATE TYPE {schema}.explorer_move AS (
    uci             text,
    san             text,
    games           bigint,
    white           bigint,
    draws           bigint,
    black           bigint,
    unknown         bigint,
    score           double precision,
    rated           bigint,
    average_rating  double precision,
    opponent_rating double precision,
    performance     double precision,
    last_played     date,
    reached         bigint,
    game_id         bigint
);
COMMENT ON TYPE {schema}.explorer_move IS 'a move of the explorer; without uci and san, the games that end in the position';
COMMENT ON COLUMN {schema}.explorer_move.games IS 'the games that play it where the position first arises';
COMMENT ON COLUMN {schema}.explorer_move.score IS 'of the side that moves, from 0 to 1, over the games with a result';
COMMENT ON COLUMN {schema}.explorer_move.rated IS 'the games in which the side that moves has a rating';
COMMENT ON COLUMN {schema}.explorer_move.average_rating IS 'of the side that moves';
COMMENT ON COLUMN {schema}.explorer_move.opponent_rating IS 'the mean rating of the other side, over the games with a result';
COMMENT ON COLUMN {schema}.explorer_move.performance IS
    'of the side that moves, over the games with a result and a rated opponent';
COMMENT ON COLUMN {schema}.explorer_move.last_played IS 'the first day that the date of the latest game can mean';
COMMENT ON COLUMN {schema}.explorer_move.reached IS 'the games in which the position after the move arises, by any order of moves';
COMMENT ON COLUMN {schema}.explorer_move.game_id IS 'the game, if it is only one';

CREATE FUNCTION {schema}.explorer(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating int4multirange DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    reached boolean DEFAULT true
) RETURNS SETOF {schema}.explorer_move
LANGUAGE plpgsql STABLE ROWS 20 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
DECLARE
    condition text := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control,
                                                  speeds, with_evals);
    is_white boolean := {chess}.turn(board) = 'w';
    mover text := CASE WHEN is_white THEN 'g.white_elo' ELSE 'g.black_elo' END;
    other text := CASE WHEN is_white THEN 'g.black_elo' ELSE 'g.white_elo' END;
BEGIN
    RETURN QUERY EXECUTE
        'WITH played AS MATERIALIZED (
             SELECT {chess_literal}.nextmove(g.game, $1) AS san, count(*) AS games,
                    count(*) FILTER (WHERE g.result = ''1-0'') AS white,
                    count(*) FILTER (WHERE g.result = ''1/2-1/2'') AS draws,
                    count(*) FILTER (WHERE g.result = ''0-1'') AS black,
                    count(*) FILTER (WHERE ' || mover || ' > 0) AS rated,
                    sum(' || mover || ') FILTER (WHERE ' || mover || ' > 0) AS rating_sum,
                    count(*) FILTER (WHERE ' || other || ' > 0 AND g.result <> ''*'') AS opponents,
                    sum(' || other || ') FILTER (WHERE ' || other || ' > 0 AND g.result <> ''*'') AS opponent_sum,
                    count(*) FILTER (WHERE ' || other || ' > 0 AND g.result = $2) AS wins,
                    count(*) FILTER (WHERE ' || other || ' > 0 AND g.result = ''1/2-1/2'') AS halves,
                    max(lower(g.dates)) AS last, min(g.id) AS id
             FROM {schema_literal}.games g WHERE {chess_literal}.hasboard(g.game, $1) AND ' || condition || '
             GROUP BY 1 LIMIT 219 -- no position has more legal moves than 218
         ), next AS MATERIALIZED (
             SELECT san, {chess_literal}.play($1, san) AS board FROM played WHERE $3 AND san IS NOT NULL
         ), reached AS MATERIALIZED (
             SELECT n.san, count(*) AS games
             FROM next n JOIN {schema_literal}.games g ON {chess_literal}.hasboard(g.game, n.board) AND ' || condition || '
             GROUP BY 1
         )
         SELECT {chess_literal}.uci($1, p.san), p.san, p.games, p.white, p.draws, p.black,
                p.games - p.white - p.draws - p.black,
                (CASE WHEN $2 = ''1-0'' THEN p.white ELSE p.black END + p.draws / 2.0)::float8
                    / nullif(p.white + p.draws + p.black, 0),
                p.rated, p.rating_sum::float8 / nullif(p.rated, 0), p.opponent_sum::float8 / nullif(p.opponents, 0),
                {schema_literal}.performance(p.opponent_sum::float8 / nullif(p.opponents, 0),
                                             (p.wins + p.halves / 2.0)::float8 / nullif(p.opponents, 0)),
                p.last, CASE WHEN $3 AND p.san IS NOT NULL THEN r.games END, CASE WHEN p.games = 1 THEN p.id END
         FROM played p LEFT JOIN reached r USING (san)
         ORDER BY p.san IS NULL, p.games DESC, p.san COLLATE "C"'
    USING board, CASE WHEN is_white THEN '1-0' ELSE '0-1' END, reached;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer IS 'what was played in a position, the commonest move first, and how it scored';

CREATE TYPE {schema}.explorer_game AS (
    id        bigint,
    uci       text,
    white     text,
    black     text,
    white_elo integer,
    black_elo integer,
    result    text,
    date      text,
    event     text,
    site      text,
    round     text,
    eco       text,
    time_control text,
    ply_count integer
);
COMMENT ON TYPE {schema}.explorer_game IS 'a game of the explorer; uci is what it played in the position asked for';

CREATE FUNCTION {schema}.explorer_games(
    board {chess}.chessboard DEFAULT NULL,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating int4multirange DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sort text DEFAULT 'rating', count integer DEFAULT 15, after bigint DEFAULT NULL
) RETURNS SETOF {schema}.explorer_game
LANGUAGE plpgsql STABLE ROWS 15 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
AS $function$
DECLARE
    condition text := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control,
                                                  speeds, with_evals);
    key text := CASE sort WHEN 'rating' THEN '(coalesce(g.white_elo, 0)::bigint + coalesce(g.black_elo, 0))'
                          WHEN 'date' THEN '(coalesce(lower(g.dates), ''-infinity''::date))'
                          WHEN 'length' THEN 'g.ply_count' END;
    last_key text;
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION '"%" is not a sort order', coalesce(sort, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Sort orders are rating, date and length.';
    END IF;
    IF board IS NOT NULL THEN
        condition := '{chess_literal}.hasboard(g.game, $1) AND ' || condition;
    END IF;
    IF after IS NOT NULL THEN
        EXECUTE 'SELECT ' || key || '::text FROM {schema_literal}.games g WHERE g.id = $1' INTO last_key USING after;
        IF last_key IS NULL THEN
            RAISE EXCEPTION 'there is no game %', after USING ERRCODE = 'invalid_parameter_value';
        END IF;
        condition := condition || ' AND (' || key || ', g.id) < (' || quote_literal(last_key) || ', ' || after || ')';
    END IF;
    RETURN QUERY EXECUTE
        'WITH found AS (
             SELECT g.id, row_number() OVER (ORDER BY ' || key || ' DESC, g.id DESC) AS place
             FROM {schema_literal}.games g WHERE ' || condition || '
             ORDER BY ' || key || ' DESC, g.id DESC LIMIT $2
         )
         SELECT g.id, {chess_literal}.uci($1, {chess_literal}.nextmove(g.game, $1)), w.name, b.name, g.white_elo, g.black_elo,
                g.result, g.date, e.name, s.name, g.round, g.eco, g.time_control, g.ply_count
         FROM found f JOIN {schema_literal}.games g USING (id)
         LEFT JOIN {schema_literal}.events e ON e.id = g.event_id
         LEFT JOIN {schema_literal}.sites s ON s.id = g.site_id
         LEFT JOIN {schema_literal}.players w ON w.id = g.white_id
         LEFT JOIN {schema_literal}.players b ON b.id = g.black_id
         ORDER BY f.place'
    USING board, count;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games IS
    'games with a position, the best rated, the latest or the longest first; after is the last one of the page before';
