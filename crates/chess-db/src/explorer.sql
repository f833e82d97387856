-- In: {schema} and {chess}, as for tables.sql, whose tables are there, and those of cube.sql or of gathered.sql;
-- {schema_literal}, {schema} within a literal; {ratings} and {latest}, what games are listed by, and both likewise;
-- {servers}, on how many servers the games are; {by_shard}, what each groups by, where there are several.
-- Out: the opening explorer in SQL: what was played in a position, and in which games. docs/explorer.md describes it.
--
-- explorer_condition, of players.sql, makes plain SQL of the filters, with the values in it: the planner sees what is asked for, and so does
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
    -- engines play by fractions: 6+0.06
    WHEN time_control ~ '^[0-9]{1,6}([.][0-9]{1,9})?([+][0-9]{1,6}([.][0-9]{1,9})?)?$' THEN
        trunc(split_part(time_control, '+', 1)::numeric + 40 * ('0' || split_part(time_control, '+', 2))::numeric)::bigint
END;
COMMENT ON FUNCTION {schema}.time_control_seconds(text) IS
    'the seconds that a time control of PGN gives a side for 40 moves; 21600 where there is none, NULL if nothing is known';

-- The bounds are those of lichess.
CREATE FUNCTION {schema}.speed_number(time_control text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(width_bucket({schema}.time_control_seconds(time_control), '{30,180,480,1500,21600}'::bigint[]), -1)::smallint;
COMMENT ON FUNCTION {schema}.speed_number(text) IS 'the speed of a time control from 0 to 5, the slowest; -1 if it is unknown';

CREATE FUNCTION {schema}.speed(time_control text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE {schema}.speed_number(time_control)
    WHEN 0 THEN 'ultraBullet' WHEN 1 THEN 'bullet' WHEN 2 THEN 'blitz' WHEN 3 THEN 'rapid' WHEN 4 THEN 'classical'
    WHEN 5 THEN 'correspondence' ELSE 'unknown' END;
COMMENT ON FUNCTION {schema}.speed(text) IS
    'the speed of a time control: ultraBullet, bullet, blitz, rapid, classical, correspondence or unknown';

CREATE FUNCTION {schema}.mean_elo(white_elo integer, black_elo integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN white_elo > 0 AND black_elo > 0 THEN ((white_elo::bigint + black_elo) / 2)::integer END;
COMMENT ON FUNCTION {schema}.mean_elo(integer, integer) IS
    'the mean of two ratings, rounded down; NULL unless both are known, and 0 is not a rating';

CREATE FUNCTION {schema}.rating_group(white_elo integer, black_elo integer) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(width_bucket({schema}.mean_elo(white_elo, black_elo),
    '{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}'::integer[]), -1)::smallint;
COMMENT ON FUNCTION {schema}.rating_group(integer, integer) IS
    'the group of the mean of two ratings, 0 below 1000 to 12 from 2700; -1 if it is unknown';

CREATE FUNCTION {schema}.explorer_year(dates daterange) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN dates IS NULL THEN 0
    WHEN extract(year FROM lower(dates)) BETWEEN 1 AND 9999
         AND extract(year FROM lower(dates)) = extract(year FROM upper(dates) - 1)
    THEN extract(year FROM lower(dates))::smallint
END;
COMMENT ON FUNCTION {schema}.explorer_year(daterange) IS
    'the year of these days, 0 if nothing is known; NULL if they are of several years, or of none that can be counted';

-- Not in SQL, which would plan it anew in each question.
CREATE FUNCTION {schema}.performance(opponents double precision, score double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $function$
DECLARE
    -- table 8.1.1 of the FIDE Rating Regulations, from 50 to 100 percent; straight lines between its rows
    dp CONSTANT integer[] := '{0,7,14,21,29,36,43,50,57,65,72,80,87,95,102,110,117,125,133,141,149,158,166,175,184,193,202,211,220,230,240,251,262,273,284,296,309,322,336,351,366,383,401,422,444,470,501,538,589,677,800}';
    percent CONSTANT double precision := 100 * abs(score - 0.5);
    n CONSTANT integer := floor(percent);
BEGIN
    RETURN opponents + sign(score - 0.5) * (dp[n + 1] + (dp[least(n, 49) + 2] - dp[n + 1]) * (percent - n));
END
$function$;
COMMENT ON FUNCTION {schema}.performance(double precision, double precision) IS
    'the performance of a score, from 0 to 1, against opponents of that mean rating, by the table of FIDE';

-- Text, so that a single range needs no braces: PostgreSQL rejects a multirange without them.
CREATE FUNCTION {schema}.rating_ranges(rating text) RETURNS int4multirange
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF rating ~ '^\s*(empty|[[(][^][(){}]*[])])\s*$' THEN
        RETURN ('{' || rating || '}')::int4multirange;
    ELSIF rating !~ '^\s*\{.*\}\s*$' THEN
        RAISE EXCEPTION '"%" is not a range of ratings', rating USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Write ''[2200,2500)'' or ''[2500,)'', and several ranges as ''{[1600,1800),[2000,)}''.';
    END IF;
    RETURN rating::int4multirange;
END
$function$;
COMMENT ON FUNCTION {schema}.rating_ranges(text) IS 'ratings as the explorer takes them: a range, or several in braces';

-- Not in SQL, which would plan it anew for each question.
CREATE FUNCTION {schema}.explorer_source(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false
) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
    bounds CONSTANT integer[] := '{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}';
    asked_key CONSTANT bigint := {chess}.zobrist(board);
BEGIN
    IF num_nonnulls(player, white, black, event, time_control) > 0 OR with_evals
        -- tested before the cube, because roles that see only some games need no rights on its tables
        OR row_security_active('{schema_literal}.games'::regclass)
        -- whole groups of ratings
        OR rating IS NOT NULL AND EXISTS (
            SELECT FROM unnest({schema}.rating_ranges(rating)) r
            WHERE NOT (lower_inf(r) OR lower(r) <= 1 OR lower(r) = ANY (bounds)) OR NOT (upper_inf(r) OR upper(r) = ANY (bounds)))
        -- whole years
        OR isempty(dates)
        OR NOT lower_inf(dates)
            AND (lower(dates) NOT BETWEEN '0001-01-01' AND '9999-01-01' OR date_trunc('year', lower(dates)) <> lower(dates))
        OR NOT upper_inf(dates)
            AND (upper(dates) NOT BETWEEN '0001-01-01' AND '9999-01-01' OR date_trunc('year', upper(dates)) <> upper(dates))
    THEN
        RETURN 'live';
    END IF;
    RETURN coalesce((SELECT CASE WHEN p.pending THEN 'cube+live' ELSE 'cube' END FROM {schema}.explorer_known p
                     WHERE p.key = asked_key AND p.complete AND {chess}.sameposition(p.board, explorer_source.board)), 'live');
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_source IS
    'where explorer finds its answer: cube, cube+live if games have come since it was built, or live, in the games';

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
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    reached boolean DEFAULT true, cube boolean DEFAULT true
) RETURNS SETOF {schema}.explorer_move
LANGUAGE plpgsql STABLE PARALLEL UNSAFE ROWS 20 COST 100000 SET search_path = pg_catalog, pg_temp SET jit = off
SET plan_cache_mode = force_generic_plan -- planning takes longer than looking up what was counted
AS $function$
DECLARE
    -- it also says what is wrong with them
    condition text := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control,
                                                  speeds, with_evals);
    bounds CONSTANT integer[] := '{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}';
    is_white boolean := {chess}.turn(board) = 'w';
    mover text := CASE WHEN is_white THEN 'g.white_elo' ELSE 'g.black_elo' END;
    other text := CASE WHEN is_white THEN 'g.black_elo' ELSE 'g.white_elo' END;
    asked_key bigint := {chess}.zobrist(board);
    ratings CONSTANT int4multirange := {schema}.rating_ranges(rating);
    filtered boolean := rating IS NOT NULL OR dates IS NOT NULL OR speeds IS NOT NULL OR result IS NOT NULL;
    groups smallint[];
    numbers smallint[];
    first_year smallint;
    last_year smallint;
    result_number smallint;
    source text;
    live boolean;
BEGIN
    IF cube THEN
        source := {schema}.explorer_source(board, player, color, white, black, rating, dates, result, event, time_control,
                                           speeds, with_evals);
        cube := source <> 'live';
    END IF;
    IF cube THEN
        live := source = 'cube+live';
        IF filtered THEN
            groups := CASE WHEN rating IS NOT NULL THEN
                ARRAY(SELECT n::smallint FROM generate_series(0, 12) n
                      WHERE int4range(coalesce(bounds[n], 1), bounds[n + 1]) <@ ratings
                         OR int4range(coalesce(bounds[n], 1), bounds[n + 1]) && ratings) END;
            numbers := CASE WHEN speeds IS NOT NULL THEN
                ARRAY(SELECT (array_position('{unknown,ultraBullet,bullet,blitz,rapid,classical,correspondence}', s) - 2)::smallint
                      FROM unnest(speeds) s) END;
            IF dates IS NOT NULL THEN
                first_year := CASE WHEN lower_inf(dates) THEN 1 ELSE extract(year FROM lower(dates)) END;
                last_year := CASE WHEN upper_inf(dates) THEN 9999 ELSE extract(year FROM upper(dates)) - 1 END;
            END IF;
            result_number := CASE WHEN result = '1/2-1/2' THEN 0 WHEN result = '*' THEN 3
                                  WHEN (result = '1-0') = is_white THEN 1 WHEN result IS NOT NULL THEN 2 END;
        END IF;
        RETURN QUERY
        WITH pending AS MATERIALIZED (
            SELECT g.game, g.id, lower(g.dates) AS day,
                   CASE WHEN is_white THEN g.white_elo ELSE g.black_elo END AS mover,
                   CASE WHEN is_white THEN g.black_elo ELSE g.white_elo END AS other,
                   CASE WHEN g.result = '1/2-1/2' THEN 0 WHEN g.result = '*' THEN 3
                        WHEN (g.result = '1-0') = is_white THEN 1 ELSE 2 END AS outcome
            FROM {schema}.explorer_pending_games g
            WHERE live AND (explorer.result IS NULL OR g.result = explorer.result)
              AND (ratings IS NULL OR {schema}.mean_elo(g.white_elo, g.black_elo) <@ ratings)
              AND (explorer.dates IS NULL OR g.dates <@ explorer.dates)
              AND (explorer.speeds IS NULL OR {schema}.speed(g.time_control) = ANY (explorer.speeds))
        ), part AS (
            SELECT t.move::integer, t.result, t.games, t.rated, t.opponents, t.rating_sum, t.opponent_sum, t.last_played, t.game_id
            FROM {schema}.explorer_total t WHERE NOT filtered AND t.key = asked_key AND t.move >= 0
            UNION ALL
            SELECT c.move, c.result, c.games, c.rated, c.opponents, c.rating_sum, c.opponent_sum, c.last_played, c.game_id
            FROM {schema}.explorer_cell c
            WHERE filtered AND c.key = asked_key AND (groups IS NULL OR c.rating_group = ANY (groups))
              AND (numbers IS NULL OR c.speed = ANY (numbers)) AND (first_year IS NULL OR c.year BETWEEN first_year AND last_year)
              AND (result_number IS NULL OR c.result = result_number)
            UNION ALL
            SELECT coalesce({chess}.movecode({chess}.uci(explorer.board, {chess}.nextmove(q.game, explorer.board))), 0), q.outcome, 1,
                   (q.mover > 0)::integer, (q.other > 0)::integer, greatest(q.mover, 0), greatest(q.other, 0), q.day, q.id
            FROM pending q WHERE {chess}.hasboard(q.game, explorer.board)
        ), played AS (
            SELECT p.move, sum(p.games)::bigint AS games,
                   (coalesce(sum(p.games) FILTER (WHERE p.result = 1), 0))::bigint AS wins,
                   (coalesce(sum(p.games) FILTER (WHERE p.result = 0), 0))::bigint AS draws,
                   (coalesce(sum(p.games) FILTER (WHERE p.result = 2), 0))::bigint AS losses,
                   coalesce(sum(p.rated), 0)::bigint AS rated, sum(p.rating_sum)::float8 AS rating_sum,
                   coalesce(sum(p.opponents) FILTER (WHERE p.result <> 3), 0)::bigint AS opponents,
                   (sum(p.opponent_sum) FILTER (WHERE p.result <> 3))::float8 AS opponent_sum,
                   (coalesce(sum(p.opponents) FILTER (WHERE p.result = 1), 0)
                    + coalesce(sum(p.opponents) FILTER (WHERE p.result = 0), 0) / 2.0)::float8 AS points,
                   max(p.last_played) AS last, min(p.game_id) AS id
            FROM part p GROUP BY p.move
        ), next AS MATERIALIZED (
            SELECT p.*, m.uci, {chess}.san(explorer.board, m.uci) AS san, b.board AS child, {chess}.zobrist(b.board) AS child_key,
                   explorer.reached AND p.move > 0 AS wanted
            FROM played p CROSS JOIN LATERAL (SELECT CASE WHEN p.move > 0 THEN {chess}.codemove(p.move) END) m (uci)
            CROSS JOIN LATERAL (SELECT {chess}.play(explorer.board, m.uci) OFFSET 0) b (board)
        ), known AS MATERIALIZED (
            SELECT k.key, k.board, k.complete FROM {schema}.explorer_known k
            WHERE explorer.reached AND k.key = ANY (ARRAY(SELECT n.child_key FROM next n))
        ), sums AS MATERIALIZED (
            SELECT t.key, sum(t.games)::bigint AS games FROM {schema}.explorer_total t
            WHERE explorer.reached AND NOT filtered AND t.move = -1 AND t.key = ANY (ARRAY(SELECT n.child_key FROM next n))
            GROUP BY 1
            UNION ALL
            SELECT c.key, sum(c.games)::bigint FROM {schema}.explorer_cell c
            WHERE explorer.reached AND filtered AND c.key = ANY (ARRAY(SELECT n.child_key FROM next n))
              AND (groups IS NULL OR c.rating_group = ANY (groups)) AND (numbers IS NULL OR c.speed = ANY (numbers))
              AND (first_year IS NULL OR c.year BETWEEN first_year AND last_year)
              -- seen from the other side
              AND (result_number IS NULL OR c.result = CASE result_number WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE result_number END)
            GROUP BY 1
        )
        SELECT n.uci, n.san, n.games, CASE WHEN is_white THEN n.wins ELSE n.losses END, n.draws,
               CASE WHEN is_white THEN n.losses ELSE n.wins END, n.games - n.wins - n.draws - n.losses,
               (n.wins + n.draws / 2.0)::float8 / nullif(n.wins + n.draws + n.losses, 0),
               n.rated, n.rating_sum / nullif(n.rated, 0), n.opponent_sum / nullif(n.opponents, 0),
               {schema}.performance(n.opponent_sum / nullif(n.opponents, 0), n.points / nullif(n.opponents, 0)),
               n.last,
               CASE
                   WHEN NOT n.wanted THEN NULL
                   -- rare: the cube does not have it, or not by kinds of games
                   WHEN k.key IS NULL OR filtered AND NOT k.complete THEN
                       (SELECT count(*) FROM {schema}.games g WHERE {chess}.hasboard(g.game, n.child)
                          AND (explorer.result IS NULL OR g.result = explorer.result)
                          AND (ratings IS NULL OR {schema}.mean_elo(g.white_elo, g.black_elo) <@ ratings)
                          AND (explorer.dates IS NULL OR g.dates <@ explorer.dates)
                          AND (explorer.speeds IS NULL OR {schema}.speed(g.time_control) = ANY (explorer.speeds)))
                   ELSE coalesce(s.games, 0)
                       + CASE WHEN live THEN (SELECT count(*) FROM pending q WHERE {chess}.hasboard(q.game, n.child)) ELSE 0 END
               END,
               CASE WHEN n.games = 1 THEN n.id END
        FROM next n
        LEFT JOIN known k ON k.key = n.child_key AND {chess}.sameposition(k.board, n.child)
        LEFT JOIN sums s ON s.key = n.child_key
        ORDER BY n.san IS NULL, n.games DESC, n.san COLLATE "C";
        RETURN;
    END IF;
    RETURN QUERY EXECUTE
        'WITH played AS MATERIALIZED (
             SELECT s.san, sum(s.games)::bigint AS games, sum(s.white)::bigint AS white, sum(s.draws)::bigint AS draws,
                    sum(s.black)::bigint AS black, sum(s.rated)::bigint AS rated, sum(s.rating_sum) AS rating_sum,
                    sum(s.opponents)::bigint AS opponents, sum(s.opponent_sum) AS opponent_sum, sum(s.wins) AS wins,
                    sum(s.halves) AS halves, max(s.last) AS last, min(s.id) AS id
             FROM (SELECT {chess_literal}.nextmove(g.game, $1) AS san, count(*) AS games,
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
                   GROUP BY {by_shard}1) s
             GROUP BY 1 LIMIT 219 -- no position has more legal moves than 218
         )' || CASE WHEN reached THEN ', next AS MATERIALIZED (
             SELECT san, {chess_literal}.play($1, san) AS board FROM played WHERE san IS NOT NULL
         ), reached AS MATERIALIZED (
             SELECT n.san, r.games FROM next n CROSS JOIN LATERAL (
                 SELECT count(*) AS games FROM {schema_literal}.games g
                 WHERE {chess_literal}.hasboard(g.game, n.board) AND ' || condition || ') r
         )' ELSE ', reached AS (SELECT NULL AS san, NULL::bigint AS games)' END || '
         SELECT {chess_literal}.uci($1, p.san), p.san, p.games, p.white, p.draws, p.black,
                p.games - p.white - p.draws - p.black,
                (CASE WHEN $2 = ''1-0'' THEN p.white ELSE p.black END + p.draws / 2.0)::float8
                    / nullif(p.white + p.draws + p.black, 0),
                p.rated, p.rating_sum::float8 / nullif(p.rated, 0), p.opponent_sum::float8 / nullif(p.opponents, 0),
                {schema_literal}.performance(p.opponent_sum::float8 / nullif(p.opponents, 0),
                                             (p.wins + p.halves / 2.0)::float8 / nullif(p.opponents, 0)),
                p.last, r.games, CASE WHEN p.games = 1 THEN p.id END
         FROM played p LEFT JOIN reached r USING (san)
         ORDER BY p.san IS NULL, p.games DESC, p.san COLLATE "C"'
    USING board, CASE WHEN is_white THEN '1-0' ELSE '0-1' END;
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
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sort text DEFAULT 'rating', count integer DEFAULT 15, after bigint DEFAULT NULL, cube boolean DEFAULT true
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
    last_key text;
    live boolean; -- whether games have come since the cube was built; unknown if it does not have the position
    -- How many games with the position are found before they are sorted. The planner believes that they are spread evenly
    -- over an index of dates or ratings; where they are not, a walk along it reads most of the table.
    few bigint := 10 * sqrt(greatest((SELECT c.reltuples FROM pg_class c WHERE c.oid = '{schema_literal}.games'::regclass), 10000));
    found bigint := few;
    ids bigint[];
BEGIN
    IF key IS NULL THEN
        RAISE EXCEPTION '"%" is not a sort order', coalesce(sort, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Sort orders are rating, date and length.';
    ELSIF count < 0 THEN
        RAISE EXCEPTION 'count must not be negative' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', count);
    END IF;
    IF cube AND condition = 'true' AND sort IN ('rating', 'date') AND count <= 15 AND after IS NULL AND board IS NOT NULL
       AND NOT row_security_active('{schema_literal}.games'::regclass) THEN
        WITH known AS MATERIALIZED (
            SELECT l.pending, CASE sort WHEN 'rating' THEN l.rating ELSE l.date END AS listed FROM {schema}.explorer_listed l
            WHERE l.key = {chess}.zobrist(explorer_games.board) AND {chess}.sameposition(l.board, explorer_games.board)
        )
        SELECT bool_or(k.pending), ARRAY(SELECT unnest(listed) FROM known) INTO live, ids
        FROM known k HAVING count(*) = {servers};
        IF live THEN
            ids := ids || ARRAY(
                SELECT g.id FROM {schema}.explorer_pending_games g WHERE {chess}.hasboard(g.game, explorer_games.board)
                ORDER BY CASE WHEN sort = 'rating' THEN {ratings} END DESC, CASE WHEN sort = 'date' THEN {latest} END DESC,
                         g.id DESC LIMIT explorer_games.count);
        END IF;
    END IF;
    IF board IS NOT NULL THEN
        condition := '{chess_literal}.hasboard(g.game, $1) AND ' || condition;
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
    IF live IS NULL AND board IS NOT NULL THEN
        EXECUTE
            'WITH few AS MATERIALIZED (
                 SELECT g.id, ' || key || ' AS key FROM {schema_literal}.games g WHERE ' || condition || ' LIMIT $2
             )
             SELECT ARRAY(SELECT id FROM few ORDER BY key DESC, id DESC LIMIT $3), (SELECT count(*) FROM few)'
        INTO ids, found USING board, few, count;
    END IF;
    IF live IS NULL AND found >= few THEN
        EXECUTE
            'SELECT ARRAY(SELECT g.id FROM {schema_literal}.games g WHERE ' || condition || '
                          ORDER BY ' || key || ' DESC, g.id DESC LIMIT $2)'
        INTO ids USING board, count;
    END IF;
    RETURN QUERY
    SELECT g.id, {chess}.uci(explorer_games.board, {chess}.nextmove(g.game, explorer_games.board)), g.white, g.black,
           g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.round, g.eco, g.time_control, g.ply_count
    FROM {schema}.pgn_view g WHERE g.id = ANY (ids)
    ORDER BY CASE WHEN sort = 'rating' THEN {ratings} END DESC, CASE WHEN sort = 'date' THEN {latest} END DESC,
             CASE WHEN sort = 'length' THEN g.ply_count END DESC, g.id DESC
    LIMIT explorer_games.count;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games IS
    'games with a position, the best rated, the latest or the longest first; after is the last one of the page before';
