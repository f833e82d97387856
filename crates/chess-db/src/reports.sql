-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal; the
-- functions of players.sql and explorer.sql.
-- Out: the report on a player, as rows, and what it has in common with the report on an opening. docs/reports.md describes them.
--
-- The report is one query: the games are read once, with all that its sections need, and each section sums these rows. The
-- names of the sections are constants when the query is planned, so what an unwanted section needs is not worked out.
--
-- docs/functions-counts.md has the bits in facts under gamefacts, such as 1024 for an endgame.

CREATE OR REPLACE FUNCTION {schema}.expected_score(own integer, opponent integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- The logistic function by tanh: a power of 10 would overflow for ratings far apart.
RETURN CASE WHEN own > 0 AND opponent > 0
            THEN 0.5 + 0.5 * tanh(0.0028782313662425574::double precision * (own::double precision - opponent)) END;
COMMENT ON FUNCTION {schema}.expected_score(integer, integer) IS
    'the score that two ratings promise, from 0 to 1: 1 / (1 + 10 ^ ((opponent - own) / 400)); NULL unless both are known, and 0 is not a rating';

CREATE OR REPLACE FUNCTION {schema}.report_sections(sections text[], known text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    wrong text;
BEGIN
    SELECT s INTO wrong FROM unnest(sections) s WHERE s IS NULL OR s <> ALL (known) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '"%" is not a section of this report', coalesce(wrong, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('Sections are %s.', array_to_string(known, ', '));
    END IF;
    RETURN coalesce(sections, known);
END
$function$;
COMMENT ON FUNCTION {schema}.report_sections(text[], text[]) IS
    'the sections that a report is asked for, NULL for all; an ERROR if one is not among those known';

CREATE OR REPLACE FUNCTION {schema}.report_limits(count integer, at_least integer, plies integer) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF count IS NULL OR count < 0 THEN
        RAISE EXCEPTION 'count must not be negative' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(count::text, 'NULL'));
    ELSIF at_least < 1 THEN
        RAISE EXCEPTION 'at_least must be positive' USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', at_least);
    ELSIF plies IS NULL OR plies NOT BETWEEN 1 AND 100 THEN
        RAISE EXCEPTION 'plies must be from 1 to 100' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(plies::text, 'NULL'));
    END IF;
END
$function$;
COMMENT ON FUNCTION {schema}.report_limits(integer, integer, integer) IS 'an ERROR if one of the limits of a report is out of range';

CREATE OR REPLACE FUNCTION {schema}.report_condition(sources integer[], patterns {chess}.chesspattern[], boards {chess}.chessboard[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN coalesce(nullif(concat_ws(' AND ',
        'g.source_id = ANY (' || quote_literal(sources) || '::integer[])',
        -- no game has a pattern that is NULL
        (SELECT string_agg(coalesce('g.game OPERATOR({chess_literal}.@@) ' || quote_literal(p.pattern::text)
                                        || '::{chess_literal}.chesspattern', 'false'), ' AND ')
         FROM unnest(patterns) p (pattern)),
        -- and none reaches a position that is NULL
        (SELECT string_agg(coalesce('{chess_literal}.hasboard(g.game, ' || quote_literal(b.board::text)
                                        || '::{chess_literal}.chessboard)', 'false'), ' AND ')
         FROM unnest(boards) b (board))), ''), 'true');
END
$function$;
COMMENT ON FUNCTION {schema}.report_condition(integer[], {chess}.chesspattern[], {chess}.chessboard[]) IS
    'the filters that reports have beside those of the explorer, as a condition in SQL on the table of games, g';

CREATE OR REPLACE FUNCTION {schema}.termination(tags jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN tags ->> 'Termination' ~* 'time forfeit|on time' THEN 'time'
            WHEN tags ->> 'Termination' ~* 'abandoned' THEN 'abandoned' END;
COMMENT ON FUNCTION {schema}.termination(jsonb) IS 'time or abandoned, if the tag Termination says so';

CREATE OR REPLACE FUNCTION {schema}.facts_expression() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- A table that a user has made may have no such column, or one that means something else.
    RETURN CASE WHEN EXISTS (
        SELECT FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = '{schema_literal}.games'::regclass AND a.attname = 'facts' AND a.attgenerated = 's'
          AND pg_get_expr(d.adbin, d.adrelid) LIKE '%.gamefacts(game)')
        THEN 'g.facts' ELSE '{chess_literal}.gamefacts(g.game)' END;
END
$function$;
COMMENT ON FUNCTION {schema}.facts_expression() IS 'what gameFacts says of a game g, in SQL: the column facts, or a replay where it is missing';

CREATE OR REPLACE FUNCTION {schema}.ending_name(facts integer, result text, termination text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN result = '*' THEN 'unknown'
    WHEN result <> '1/2-1/2' THEN CASE WHEN facts & 15 IN (1, 2) THEN 'mate' ELSE coalesce(termination, 'resignation') END
    WHEN facts & 15 = 3 THEN 'stalemate'
    WHEN facts & 15 = 4 THEN 'material'
    WHEN facts & 15 IN (5, 7) THEN 'repetition'
    WHEN facts & 15 IN (6, 8) THEN 'fifty moves'
    WHEN termination = 'time' THEN 'time'
    ELSE 'agreement' END;
COMMENT ON FUNCTION {schema}.ending_name(integer, text, text) IS
    'how a game ended, by gameFacts, its result and its termination: mate, resignation, time, abandoned, stalemate, material, repetition, fifty moves, agreement, or unknown';

CREATE OR REPLACE FUNCTION {schema}.player_report(
    player text, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sections text[] DEFAULT NULL, count integer DEFAULT 20, at_least integer DEFAULT NULL, plies integer DEFAULT 16,
    sources integer[] DEFAULT NULL, patterns {chess}.chesspattern[] DEFAULT NULL, boards {chess}.chessboard[] DEFAULT NULL
) RETURNS SETOF {schema}.report_row
LANGUAGE plpgsql STABLE ROWS 1000 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
AS $function$
DECLARE
    wanted CONSTANT text[] := {schema}.report_sections(sections,
        '{summary,color,year,speed,opponent_rating,rating_difference,opponent,white_opening,black_opening,new_opening,
          given_up_opening,white_line,black_line,best_line,worst_line,length,ending,endgame,phase,clock}'::text[]);
    ids CONSTANT integer[] := coalesce({schema}.player_ids(player), '{}');
    facts CONSTANT text := {schema}.facts_expression();
    condition text;
    -- a row for each seat at the board, found by an index on each of the two columns
    seats text;
    -- An endgame begins when neither side has pieces worth more than two rooks; also for gameFacts.
    endgame CONSTANT text := 'points([QRBN]) <= 10 and points([qrbn]) <= 10';
    sums CONSTANT text := $sums$count(*), count(*) FILTER (WHERE s.result = '1-0'), count(*) FILTER (WHERE s.result = '1/2-1/2'),
        count(*) FILTER (WHERE s.result = '0-1'), avg(s.points), avg(s.expected), jsonb_build_object(
            'rated', count(s.expected), 'rated_score', avg(s.points) FILTER (WHERE s.expected IS NOT NULL),
            'opponents', (avg(s.opp) FILTER (WHERE s.points IS NOT NULL))::float8,
            'performance', {schema}.performance((avg(s.opp) FILTER (WHERE s.points IS NOT NULL))::float8,
                                                avg(s.points) FILTER (WHERE s.opp IS NOT NULL)),
            'last', max(s.day))$sums$;
BEGIN
    IF player IS NULL THEN
        RAISE EXCEPTION 'a report needs a player' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM {schema}.report_limits(count, at_least, plies), {schema}.explorer_condition(player, color, NULL::text, NULL::text, NULL::text,
        NULL::daterange, NULL::text, NULL::text, NULL::text, NULL::text[], false);
    condition := {schema}.explorer_condition(NULL::text, NULL::text, white, black, rating, dates, result, event, time_control, speeds,
                                             with_evals) || ' AND ' || {schema}.report_condition(sources, patterns, boards);
    seats := concat_ws(' UNION ALL ',
        CASE WHEN color IN ('b', 'black') THEN NULL ELSE
            'SELECT g.*, ''w'' AS color, g.white_elo AS own, g.black_elo AS opp, g.black_id AS opponent, g.tags ->> ''WhiteTitle'' AS title, ' || facts || ' AS game_facts
             FROM {schema_literal}.games g WHERE g.white_id = ANY ($1) AND ' || condition END,
        CASE WHEN color IN ('w', 'white') THEN NULL ELSE
            'SELECT g.*, ''b'' AS color, g.black_elo AS own, g.white_elo AS opp, g.white_id AS opponent, g.tags ->> ''BlackTitle'' AS title, ' || facts || ' AS game_facts
             FROM {schema_literal}.games g WHERE g.black_id = ANY ($1) AND ' || condition END);
    -- What a caller has written comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace(replace($query$
WITH seat AS MATERIALIZED (
    SELECT f.id, f.game, f.result, f.color, f.opponent, f.title, f.ply_count, lower(f.dates) AS day,
           nullif({schema}.explorer_year(f.dates), 0) AS year, {schema}.speed_number(f.time_control) AS speed,
           r.own, r.opp, p.points, CASE WHEN p.points IS NOT NULL THEN {schema}.expected_score(r.own, r.opp) END AS expected,
           CASE WHEN $2 && '{ending,endgame}' THEN f.game_facts END AS facts,
           CASE WHEN 'ending' = ANY ($2) THEN {schema}.termination(f.tags) END AS termination
    FROM (<seats>) f CROSS JOIN LATERAL (SELECT {chess}.score(f.result, f.color)::float8) p (points)
    CROSS JOIN LATERAL (SELECT f.tags ? 'Result' AND coalesce({chess}.isforfeit({schema}.told_result(f.result, f.tags)), false)) u (is_forfeit)
    -- a forfeit counts for points, but not for ratings
    CROSS JOIN LATERAL (SELECT CASE WHEN f.own > 0 AND u.is_forfeit IS NOT TRUE THEN f.own END,
                               CASE WHEN f.opp > 0 AND u.is_forfeit IS NOT TRUE THEN f.opp END) r (own, opp)
), present AS (
    -- The last two years in which the player was active, so that a few games long after a career give up no opening.
    SELECT (max(d.day) - interval '2 years')::date AS start
    FROM (SELECT s.day, count(*) OVER (ORDER BY s.day RANGE interval '2 years -1 day' PRECEDING) AS recent, count(*) OVER () AS games
          FROM seat s
          WHERE $2 && '{white_opening,black_opening,new_opening,given_up_opening}'
            -- days of a user that are near the ends of the type are not the present
            AND s.day BETWEEN '4000-01-01 BC' AND '9999-12-31') d
    WHERE d.recent >= greatest(2, least(10, d.games / 4.0), d.games / 100.0)
), whole AS MATERIALIZED (
    SELECT min(s.day) AS first, (SELECT p.start FROM present p) AS recent,
           coalesce($4, greatest(2, ceil(count(*) / 100.0)))::bigint AS least
    FROM seat s
), family (color, name, games, white, draws, black, score, expected, detail, eco, share, first, last, recent) AS MATERIALIZED (
    SELECT s.color, n.name, <sums>, mode() WITHIN GROUP (ORDER BY o.eco), (count(*) / sum(count(*)) OVER (PARTITION BY s.color))::float8,
           min(s.day), max(s.day), count(*) FILTER (WHERE s.day > w.recent)
    FROM seat s CROSS JOIN whole w CROSS JOIN LATERAL {chess}.opening(s.game) o
    CROSS JOIN LATERAL (SELECT coalesce(split_part(o.name, ':', 1), '?')) n (name)
    WHERE $2 && '{white_opening,black_opening,new_opening,given_up_opening}' GROUP BY s.color, n.name
), played AS MATERIALIZED (
    -- the first half-moves, in two bytes each
    SELECT s.color, {chess}.moves2({chess}.getfirstmoves(s.game, $5)) AS codes, min(s.day) AS first, max(s.day) AS last, min(s.id) AS id,
           {chess}.gamesums(s.result, CASE s.color WHEN 'w' THEN s.own ELSE s.opp END, CASE s.color WHEN 'w' THEN s.opp ELSE s.own END) AS sums
    FROM seat s
    WHERE $2 && '{white_line,black_line,best_line,worst_line}' AND {chess}.plyof(s.game, {chess}.startboard()) = 0
    GROUP BY 1, 2
), half AS MATERIALIZED (
    SELECT l.color, substr(l.codes, 1, $7) AS codes, sum(l.sums[1]) AS games FROM played l GROUP BY 1, 2
), line AS MATERIALIZED (
    -- A line whose first half is rare is rare itself. It is cut there, because rare lines are not listed.
    SELECT l.color, CASE WHEN h.games >= w.least THEN l.codes ELSE h.codes END AS codes, {chess}.gamesums(l.sums) AS sums,
           min(l.first) AS first, max(l.last) AS last, min(l.id) AS id
    FROM played l JOIN half h ON h.color = l.color AND h.codes = substr(l.codes, 1, $7) CROSS JOIN whole w GROUP BY 1, 2
), node AS MATERIALIZED (
    -- the points are those of the player
    SELECT n.color, n.ply, n.codes, n.first, n.last, n.id, n.sums[1] AS games, n.sums[2] AS white, n.sums[3] AS draws, n.sums[4] AS black,
           n.sums[5] AS rated, CASE n.color WHEN 'w' THEN n.sums[2] ELSE n.sums[4] END + n.sums[3] / 2::float8 AS points,
           CASE n.color WHEN 'w' THEN w.expected ELSE n.sums[5] - w.expected END AS expected,
           CASE n.color WHEN 'w' THEN w.points ELSE n.sums[5] - w.points END AS rated_points
    FROM (SELECT l.color, k.ply, substr(l.codes, 1, 2 * k.ply) AS codes, {chess}.gamesums(l.sums) AS sums,
                 min(l.first) AS first, max(l.last) AS last, min(l.id) AS id
          FROM line l JOIN generate_series(0, $5) k (ply) ON length(l.codes) >= 2 * k.ply GROUP BY 1, 2, 3) n
    CROSS JOIN LATERAL (SELECT n.sums[6] / 4294967296::float8, n.sums[7] / 2::float8) w (expected, points)
    WHERE n.ply = 0 OR n.sums[1] >= (SELECT w.least FROM whole w)
), listed AS MATERIALIZED (
    SELECT n.color, n.ply, array_to_string(m.sans, ' ') AS item, n.games, n.white, n.draws, n.black,
           n.points / nullif(n.white + n.draws + n.black, 0) AS score, n.expected / nullif(n.rated, 0) AS expected,
           (n.color, n.codes) NOT IN (SELECT c.color, substr(c.codes, 1, 2 * c.ply - 2) FROM node c WHERE c.ply > 0) AS is_leaf, s.surplus,
           jsonb_build_object('color', n.color, 'ply', n.ply, 'move', m.sans[n.ply], 'parent', array_to_string(m.sans[:n.ply - 1], ' '),
               'board', {chess}.epd(m.board), 'share', n.games::float8 / p.games, 'total_share', n.games::float8 / r.games,
               'rated', n.rated, 'rated_score', n.rated_points / nullif(n.rated, 0), 'surplus', s.surplus,
               'first', n.first, 'last', n.last, 'game_id', CASE WHEN n.games = 1 THEN n.id END) AS detail
    FROM node n
    JOIN node r ON r.color = n.color AND r.ply = 0
    JOIN node p ON p.color = n.color AND p.ply = n.ply - 1 AND p.codes = substr(n.codes, 1, greatest(0, 2 * n.ply - 2))
    CROSS JOIN LATERAL (SELECT {chess}.frommoves2(n.codes) OFFSET 0) g (game)
    CROSS JOIN LATERAL (SELECT {chess}.sans(g.game), {chess}.finalboard(g.game) OFFSET 0) m (sans, board)
    -- Points above what ratings promise. Of games without ratings, above the player's average with this color.
    CROSS JOIN LATERAL (SELECT n.points - n.expected - CASE WHEN n.white + n.draws + n.black > n.rated
        THEN (n.white + n.draws + n.black - n.rated) * r.points / (r.white + r.draws + r.black) ELSE 0 END) s (surplus)
    WHERE n.ply > 0
), measured AS MATERIALIZED (
    SELECT s.id, s.color, g.clocks, CASE
               -- a user's array of two dimensions belongs to no half-moves
               WHEN g.evals IS NOT NULL THEN CASE WHEN array_ndims(g.evals) = 1 THEN g.evals END
               WHEN EXISTS (SELECT FROM {schema}.analyzed_games)
                    AND EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id) THEN (SELECT v.evals FROM {schema}.pgn_view v WHERE v.id = g.id)
           END AS evals, CASE WHEN {chess}.turn({chess}.startboard(g.game)) = s.color THEN 1 ELSE 0 END AS odd,
           {chess}.plyofpattern(g.game, $6::{chess}.chesspattern) AS ending
    FROM seat s JOIN {schema}.games g ON g.id = s.id
    WHERE $2 && '{phase,clock}'
      AND (g.evals IS NOT NULL OR g.clocks IS NOT NULL OR EXISTS (SELECT FROM {schema}.analyzed_games))
), slip AS MATERIALIZED (
    -- the player's half-moves, by game, phase and time left
    SELECT b.id, b.color, b.phase, b.clock, count(*) AS moves, count(b.loss) AS judged, sum(b.loss) AS loss,
           sum({schema}.move_accuracy(b.loss)) AS accuracy, count(*) FILTER (WHERE b.loss >= 5 AND b.loss < 10) AS inaccuracies,
           count(*) FILTER (WHERE b.loss >= 10 AND b.loss < 15) AS mistakes, count(*) FILTER (WHERE b.loss >= 15) AS blunders
    FROM (SELECT m.id, m.color, CASE WHEN u.ply <= 20 THEN 0 WHEN u.ply > m.ending THEN 2 ELSE 1 END AS phase,
                 CASE WHEN u.clock IS NOT NULL THEN width_bucket(u.clock, '{100,300,600,3000,12000}'::integer[]) END AS clock,
                 CASE WHEN u.eval IS NOT NULL AND u.before IS NOT NULL THEN greatest(0, CASE m.color WHEN 'w' THEN 1 ELSE -1 END
                     * ({schema}.win_percent(u.before) - {schema}.win_percent(u.eval))) END AS loss
          FROM measured m
          CROSS JOIN LATERAL unnest(m.evals, array_prepend(NULL, m.evals), m.clocks) WITH ORDINALITY u (eval, before, clock, ply)
          WHERE u.ply % 2 = m.odd OFFSET 0) b -- the loss is worked out once
    WHERE b.loss IS NOT NULL OR b.clock IS NOT NULL
    GROUP BY b.id, b.color, b.phase, b.clock
), part (place, rank, section, item, games, white, draws, black, score, expected, detail, more) AS (
    SELECT 1, 0::float8, 'summary', 'all', <sums>, jsonb_build_object(
        'players', (SELECT jsonb_agg(DISTINCT p.shown) FROM {schema}.players p WHERE p.id = ANY ($1)),
        'names', (SELECT jsonb_agg(DISTINCT p.name) FROM {schema}.players p WHERE p.id = ANY ($1)),
        'fide_ids', (SELECT jsonb_agg(DISTINCT p.fide_id) FROM {schema}.players p WHERE p.id = ANY ($1) AND p.fide_id IS NOT NULL),
        'titles', (SELECT jsonb_agg(t.title ORDER BY t.day, t.title)
                   FROM (SELECT f.title, min(f.day) AS day FROM seat f WHERE f.title NOT IN ('', '-', '?') GROUP BY 1) t),
        'first_game', (SELECT jsonb_build_object('id', f.id, 'day', f.day) FROM seat f WHERE f.day IS NOT NULL
                       ORDER BY f.day, f.id LIMIT 1),
        'last_game', (SELECT jsonb_build_object('id', f.id, 'day', f.day) FROM seat f WHERE f.day IS NOT NULL
                      ORDER BY f.day DESC, f.id DESC LIMIT 1),
        'peak_rating', (SELECT jsonb_build_object('rating', f.own, 'id', f.id, 'day', f.day) FROM seat f WHERE f.own IS NOT NULL
                        ORDER BY f.own DESC, f.day, f.id LIMIT 1),
        'latest_rating', (SELECT jsonb_build_object('rating', f.own, 'id', f.id, 'day', f.day) FROM seat f WHERE f.own IS NOT NULL
                          ORDER BY f.day DESC NULLS LAST, f.id DESC LIMIT 1),
        'least', (SELECT w.least FROM whole w))
    FROM seat s HAVING 'summary' = ANY ($2)
    UNION ALL
    SELECT 2, CASE s.color WHEN 'w' THEN 0 ELSE 1 END, 'color', s.color, <sums>, NULL
    FROM seat s WHERE 'color' = ANY ($2) GROUP BY s.color
    UNION ALL
    SELECT 3, s.year, 'year', coalesce(s.year::text, 'unknown'), <sums>,
           jsonb_build_object('rating', avg(s.own)::float8, 'highest_rating', max(s.own))
    FROM seat s WHERE 'year' = ANY ($2) GROUP BY s.year
    UNION ALL
    SELECT 4, nullif(s.speed, -1), 'speed', ('{unknown,ultraBullet,bullet,blitz,rapid,classical,correspondence}'::text[])[s.speed + 2],
           <sums>, NULL
    FROM seat s WHERE 'speed' = ANY ($2) GROUP BY s.speed
    UNION ALL
    SELECT 5, b.band, 'opponent_rating',
           CASE WHEN b.band IS NULL THEN 'unknown' ELSE int4range(100 * nullif(b.band, 9), 100 * nullif(b.band + 1, 29))::text END,
           <sums>, NULL
    FROM seat s CROSS JOIN LATERAL (SELECT CASE WHEN s.opp IS NOT NULL THEN greatest(9, least(28, s.opp / 100)) END) b (band)
    WHERE 'opponent_rating' = ANY ($2) GROUP BY b.band
    UNION ALL
    SELECT 6, b.band, 'rating_difference',
           CASE WHEN b.band IS NULL THEN 'unknown' ELSE int4range(100 * nullif(b.band, -5), 100 * nullif(b.band + 1, 5))::text END,
           <sums>, NULL
    FROM seat s CROSS JOIN LATERAL (SELECT CASE WHEN s.own IS NOT NULL AND s.opp IS NOT NULL
        THEN greatest(-5, least(4, floor((s.own::float8 - s.opp) / 100)))::integer END) b (band)
    WHERE 'rating_difference' = ANY ($2) GROUP BY b.band
    UNION ALL
    (SELECT 7, -count(*), 'opponent', coalesce(min(p.shown), '?'), <sums>,
            jsonb_build_object('player_id', coalesce(p.same_as, p.id), 'as_white', count(*) FILTER (WHERE s.color = 'w'),
                               'as_black', count(*) FILTER (WHERE s.color = 'b'), 'first', min(s.day))
     FROM seat s LEFT JOIN {schema}.players p ON p.id = s.opponent WHERE 'opponent' = ANY ($2)
     GROUP BY coalesce(p.same_as, p.id)
     ORDER BY count(*) DESC, coalesce(min(p.shown), '?') COLLATE "C", coalesce(p.same_as, p.id) LIMIT $3)
    UNION ALL
    SELECT o.place, o.n, o.section, o.name, o.games, o.white, o.draws, o.black, o.score, o.expected, o.detail, o.more
    FROM (SELECT v.place, v.section, f.*, row_number() OVER (PARTITION BY v.place ORDER BY f.games DESC, f.name COLLATE "C", f.color) AS n,
                 jsonb_build_object('color', f.color, 'eco', f.eco, 'share', f.share, 'first', f.first, 'recent', f.recent) AS more
          FROM family f CROSS JOIN whole w
          CROSS JOIN LATERAL (VALUES
              (8, 'white_opening', f.color = 'w'), (9, 'black_opening', f.color = 'b'),
              (10, 'new_opening', f.first > w.recent AND w.first <= w.recent AND f.games >= 2),
              (11, 'given_up_opening', f.last <= w.recent AND f.games >= w.least)) v (place, section, holds)
          WHERE v.holds AND v.section = ANY ($2)) o
    WHERE o.n <= $3
    UNION ALL
    SELECT CASE l.color WHEN 'w' THEN 12 ELSE 13 END, l.ply, v.section, l.item, l.games, l.white, l.draws, l.black, l.score, l.expected,
           l.detail, NULL
    FROM listed l CROSS JOIN LATERAL (SELECT CASE l.color WHEN 'w' THEN 'white_line' ELSE 'black_line' END) v (section)
    WHERE v.section = ANY ($2)
    UNION ALL
    (SELECT 14, -l.surplus, 'best_line', l.item, l.games, l.white, l.draws, l.black, l.score, l.expected, l.detail, NULL
     FROM listed l WHERE 'best_line' = ANY ($2) AND l.is_leaf AND l.surplus > 0
     ORDER BY l.surplus DESC, l.item COLLATE "C", l.color LIMIT $3)
    UNION ALL
    (SELECT 15, l.surplus, 'worst_line', l.item, l.games, l.white, l.draws, l.black, l.score, l.expected, l.detail, NULL
     FROM listed l WHERE 'worst_line' = ANY ($2) AND l.is_leaf AND l.surplus < 0
     ORDER BY l.surplus, l.item COLLATE "C", l.color LIMIT $3)
    UNION ALL
    SELECT 16, -o.points, 'length', o.outcome, <sums>, jsonb_build_object('moves', avg((s.ply_count + 1) / 2)::float8,
               'shortest', min((s.ply_count + 1) / 2), 'longest', max((s.ply_count + 1) / 2),
               'median', percentile_disc(0.5) WITHIN GROUP (ORDER BY (s.ply_count + 1) / 2))
    FROM seat s CROSS JOIN LATERAL (SELECT s.points,
        CASE s.points WHEN 1 THEN 'won' WHEN 0.5 THEN 'drawn' WHEN 0 THEN 'lost' ELSE 'unknown' END) o (points, outcome)
    WHERE 'length' = ANY ($2) GROUP BY o.points, o.outcome
    UNION ALL
    SELECT 17, -count(*), 'ending', e.ending, <sums>, NULL
    FROM seat s CROSS JOIN LATERAL (SELECT {schema}.ending_name(s.facts, s.result, s.termination)) e (ending)
    WHERE 'ending' = ANY ($2) GROUP BY e.ending
    UNION ALL
    SELECT 18, v.rank, 'endgame', v.item, <sums>, NULL
    FROM seat s
    CROSS JOIN LATERAL (VALUES (1, 'reached', 1024), (2, 'ahead', CASE s.color WHEN 'w' THEN 2048 ELSE 4096 END),
                               (3, 'behind', CASE s.color WHEN 'w' THEN 4096 ELSE 2048 END)) v (rank, item, bit)
    WHERE 'endgame' = ANY ($2) AND s.facts & v.bit > 0 GROUP BY v.rank, v.item
    UNION ALL
    SELECT v.place, v.n, v.section, v.item, <sums>, jsonb_build_object('moves', sum(v.moves), 'judged', sum(v.judged),
               'loss', sum(v.loss) / nullif(sum(v.judged), 0), 'accuracy', sum(v.accuracy) / nullif(sum(v.judged), 0),
               'inaccuracies', sum(v.inaccuracies), 'mistakes', sum(v.mistakes), 'blunders', sum(v.blunders))
    FROM (SELECT k.place, k.n, k.section, k.item, l.id, l.color,
                 sum(CASE k.section WHEN 'phase' THEN l.judged ELSE l.moves END) AS moves, sum(l.judged) AS judged, sum(l.loss) AS loss,
                 sum(l.accuracy) AS accuracy, sum(l.inaccuracies) AS inaccuracies, sum(l.mistakes) AS mistakes, sum(l.blunders) AS blunders
          FROM slip l CROSS JOIN LATERAL (VALUES
              (19, l.phase, 'phase', ('{opening,middlegame,endgame}'::text[])[l.phase + 1]),
              (20, l.clock, 'clock', (ARRAY['[0,10)', '[10,30)', '[30,60)', '[60,300)', '[300,1200)', '[1200,)'])[l.clock + 1])
          ) k (place, n, section, item)
          WHERE k.section = ANY ($2) AND k.item IS NOT NULL AND (k.section = 'clock' OR l.judged > 0)
          GROUP BY k.place, k.n, k.section, k.item, l.id, l.color) v
    JOIN seat s ON s.id = v.id AND s.color = v.color
    GROUP BY v.place, v.n, v.section, v.item
)
SELECT p.section, p.item, p.games, p.white, p.draws, p.black, p.score, p.expected, coalesce(p.detail || p.more, p.detail)
FROM part p ORDER BY p.place, p.rank, p.games DESC, p.item COLLATE "C", p.more ->> 'player_id'
$query$, '<sums>', sums), '<seats>', seats)
    USING ids, wanted, count, at_least, plies, endgame, 2 * (plies / 2);
END
$function$;
COMMENT ON FUNCTION {schema}.player_report IS
    'a report on a player, in sections: results, ratings, repertoire, openings, opponents, lengths, endings, mistakes; docs/reports.md';
