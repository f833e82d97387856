-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal; the
-- functions of players.sql and explorer.sql.
-- Out: the report on a player and the report on an opening, as rows. docs/reports.md describes them.
--
-- Each report is one query: the games are read once, with all that its sections need, and each section sums these rows. The
-- names of the sections are constants when the query is planned, so what an unwanted section needs is not worked out. The
-- games of a popular position are read several times: work_mem keeps some 300,000 of them in memory.
--
-- docs/functions.md has the numbers in sums under gamesums, such as [1] for the games and [6] for the expected score in units
-- of 1/4294967296, and the bits in facts under gamefacts, such as 1024 for an endgame.

CREATE TYPE {schema}.report_row AS (
    section  text,
    item     text,
    games    bigint,
    white    bigint,
    draws    bigint,
    black    bigint,
    score    double precision,
    expected double precision,
    detail   jsonb
);
COMMENT ON TYPE {schema}.report_row IS 'a row of a report: what a section says of one item';
COMMENT ON COLUMN {schema}.report_row.score IS
    'from 0 to 1, over the games with a result: of the player in the report on a player, of White in that on an opening, of the player in its lists of players';
COMMENT ON COLUMN {schema}.report_row.expected IS 'the mean score that both ratings promise, over the games that have these and a result';

CREATE FUNCTION {schema}.expected_score(own integer, opponent integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- The logistic function by tanh: a power of 10 would overflow for ratings far apart.
RETURN CASE WHEN own > 0 AND opponent > 0
            THEN 0.5 + 0.5 * tanh(0.0028782313662425574::double precision * (own::double precision - opponent)) END;
COMMENT ON FUNCTION {schema}.expected_score(integer, integer) IS
    'the score that two ratings promise, from 0 to 1: 1 / (1 + 10 ^ ((opponent - own) / 400)); NULL unless both are known, and 0 is not a rating';

CREATE FUNCTION {schema}.report_sections(sections text[], known text[]) RETURNS text[]
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

CREATE FUNCTION {schema}.report_limits(count integer, at_least integer, plies integer) RETURNS void
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

CREATE FUNCTION {schema}.termination(tags jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN tags ->> 'Termination' ~* 'time forfeit|on time' THEN 'time'
            WHEN tags ->> 'Termination' ~* 'abandoned' THEN 'abandoned' END;
COMMENT ON FUNCTION {schema}.termination(jsonb) IS 'time or abandoned, if the tag Termination says so';

CREATE FUNCTION {schema}.ending_name(facts integer, result text, termination text) RETURNS text
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

CREATE FUNCTION {schema}.player_report(
    player text, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sections text[] DEFAULT NULL, count integer DEFAULT 20, at_least integer DEFAULT NULL, plies integer DEFAULT 16
) RETURNS SETOF {schema}.report_row
LANGUAGE plpgsql STABLE ROWS 1000 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
AS $function$
DECLARE
    wanted CONSTANT text[] := {schema}.report_sections(sections,
        '{summary,color,year,speed,opponent_rating,rating_difference,opponent,white_opening,black_opening,new_opening,
          given_up_opening,white_line,black_line,best_line,worst_line,length,ending,endgame,phase,clock}');
    ids CONSTANT integer[] := coalesce({schema}.player_ids(player), '{}');
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
    PERFORM {schema}.report_limits(count, at_least, plies), {schema}.explorer_condition(player, color);
    condition := {schema}.explorer_condition(NULL, NULL, white, black, rating, dates, result, event, time_control, speeds,
                                             with_evals);
    seats := concat_ws(' UNION ALL ',
        CASE WHEN color = 'b' THEN NULL ELSE
            'SELECT g.*, ''w'' AS color, g.white_elo AS own, g.black_elo AS opp, g.black_id AS opponent, g.tags ->> ''WhiteTitle'' AS title
             FROM {schema_literal}.games g WHERE g.white_id = ANY ($1) AND ' || condition END,
        CASE WHEN color = 'w' THEN NULL ELSE
            'SELECT g.*, ''b'' AS color, g.black_elo AS own, g.white_elo AS opp, g.white_id AS opponent, g.tags ->> ''BlackTitle'' AS title
             FROM {schema_literal}.games g WHERE g.black_id = ANY ($1) AND ' || condition END);
    -- What a caller has written comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace(replace($query$
WITH seat AS MATERIALIZED (
    SELECT f.id, f.game, f.result, f.color, f.opponent, f.title, f.ply_count, lower(f.dates) AS day,
           nullif({schema}.explorer_year(f.dates), 0) AS year, {schema}.speed_number(f.time_control) AS speed,
           CASE WHEN f.own > 0 THEN f.own END AS own, CASE WHEN f.opp > 0 THEN f.opp END AS opp, p.points,
           CASE WHEN p.points IS NOT NULL THEN {schema}.expected_score(f.own, f.opp) END AS expected,
           CASE WHEN $2 && '{ending,endgame}' THEN {chess}.gamefacts(f.game) END AS facts,
           CASE WHEN 'ending' = ANY ($2) THEN {schema}.termination(f.tags) END AS termination
    FROM (<seats>) f CROSS JOIN LATERAL (SELECT {chess}.score(f.result, f.color)::float8) p (points)
), whole AS MATERIALIZED (
    -- days of a user that are near the ends of the type are not the present
    SELECT min(s.day) AS first,
           (max(s.day) FILTER (WHERE s.day BETWEEN '4000-01-01 BC' AND '9999-12-31') - interval '2 years')::date AS recent,
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
                    AND EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id) THEN {schema}.analysis_evals(g.game)
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

CREATE FUNCTION {schema}.opening_report(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sections text[] DEFAULT NULL, count integer DEFAULT 20, at_least integer DEFAULT NULL, plies integer DEFAULT 8
) RETURNS SETOF {schema}.report_row
LANGUAGE plpgsql STABLE ROWS 500 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
AS $function$
DECLARE
    wanted CONSTANT text[] := {schema}.report_sections(sections,
        '{summary,year,rating,speed,white_player,black_player,move_order,move,line,novelty,length,ending,material,theme,
          best_rated,newest,annotated,shortest_white_win,shortest_black_win}');
    condition text;
    -- The number of games to read by the indexes of dates and of lengths, 0 for an index that is missing or not valid.
    walks CONSTANT bigint[] := ARRAY(
        SELECT CASE WHEN EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = to_regclass(n.name) AND i.indisvalid)
                    THEN 50 * count::bigint ELSE 0 END
        FROM unnest(ARRAY['{schema_literal}.games_latest_idx', '{schema_literal}.games_ply_count_idx']) WITH ORDINALITY n (name, place)
        ORDER BY n.place);
    -- sums of a group of games; of several groups; and the columns of the report from them
    cells CONSTANT text := '{chess_literal}.gamesums(g.result, g.white_elo, g.black_elo) AS sums, min(g.day) AS first, max(g.day) AS last';
    added CONSTANT text := '{chess_literal}.gamesums(g.sums) AS sums, min(g.first) AS first, max(g.last) AS last';
    total CONSTANT text := $total$s.sums[1], s.sums[2], s.sums[3], s.sums[4],
        (s.sums[2] + s.sums[3] / 2::float8) / nullif(s.sums[2] + s.sums[3] + s.sums[4], 0),
        s.sums[6] / 4294967296::float8 / nullif(s.sums[5], 0), jsonb_build_object(
            'rated', s.sums[5], 'rated_score', s.sums[7] / 2::float8 / nullif(s.sums[5], 0),
            'white_rating', s.sums[9] / nullif(s.sums[8], 0)::float8, 'black_rating', s.sums[11] / nullif(s.sums[10], 0)::float8,
            'first', s.first, 'last', s.last)$total$;
BEGIN
    IF board IS NULL THEN
        RAISE EXCEPTION 'a report needs a board' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM {schema}.report_limits(count, at_least, plies);
    condition := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control, speeds,
                                             with_evals);
    -- What a caller has written comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace(replace(replace(replace($query$
WITH found AS MATERIALIZED (
    SELECT g.id, g.result, lower(g.dates) AS day, g.white_id, g.black_id, g.ply_count,
           CASE WHEN g.white_elo > 0 THEN g.white_elo END AS white_elo, CASE WHEN g.black_elo > 0 THEN g.black_elo END AS black_elo,
           g.annotated IS NOT NULL AS annotated,
           CASE WHEN $2 && '{summary,year}' THEN coalesce({schema}.explorer_year(g.dates), 0) END AS year,
           CASE WHEN 'rating' = ANY ($2) THEN {schema}.rating_group(g.white_elo, g.black_elo) END AS band,
           CASE WHEN 'speed' = ANY ($2) THEN g.time_control END AS time_control,
           CASE WHEN $2 && '{move_order,move,line,novelty}' THEN
               {chess}.getfirstmoves(g.game, {chess}.plyof(g.game, $1) + CASE WHEN $2 && '{move,line,novelty}' THEN $5 ELSE 0 END)
           END AS opening,
           CASE WHEN $2 && '{ending,material,theme}' THEN {chess}.gamefacts(g.game) END AS facts,
           CASE WHEN 'ending' = ANY ($2) THEN {schema}.termination(g.tags) END AS termination
    FROM {schema}.games g WHERE {chess}.hasboard(g.game, $1) AND <condition>
), cell AS MATERIALIZED (
    -- year 0 is unknown
    SELECT g.year, g.band, g.time_control, <cells>
    FROM found g WHERE $2 && '{summary,year,rating,speed}' GROUP BY 1, 2, 3
), kind AS MATERIALIZED (
    SELECT g.result, g.facts, g.termination,
           sum((g.ply_count + 1) / 2) AS moves, min((g.ply_count + 1) / 2) AS shortest, max((g.ply_count + 1) / 2) AS longest, <cells>
    FROM found g WHERE $2 && '{length,ending,material,theme}' GROUP BY 1, 2, 3
), every (year, games) AS MATERIALIZED (
    SELECT coalesce({schema}.explorer_year(d.dates), 0), sum(d.games)::bigint
    FROM (SELECT g.dates, count(*) AS games FROM {schema}.games g WHERE $2 && '{summary,year}' AND <condition> GROUP BY 1) d
    GROUP BY 1
), whole AS MATERIALIZED (
    SELECT (max(f.day) FILTER (WHERE f.day BETWEEN '4000-01-01 BC' AND '9999-12-31') - interval '1 year')::date AS cut,
           coalesce($4, greatest(2, ceil(count(*) / 100.0)))::bigint AS least,
           count(*) AS games
    FROM found f
), played AS MATERIALIZED (
    -- The codes begin at the position, the opening at the start of the game.
    SELECT g.opening, substr({chess}.moves2(g.opening), 2 * {chess}.plyof(g.opening, $1) + 1) AS codes,
           count(*) FILTER (WHERE (g.day > w.cut) IS NOT TRUE) AS old, min(g.id) AS id, <cells>
    FROM found g CROSS JOIN whole w WHERE $2 && '{move_order,move,line,novelty}' GROUP BY g.opening
), half AS MATERIALIZED (
    SELECT substr(g.codes, 1, $6) AS codes, sum(g.sums[1]) AS games FROM played g GROUP BY 1
), line AS MATERIALIZED (
    -- A line whose first half is rare is rare itself. It is cut there, because rare lines are not listed.
    SELECT CASE WHEN h.games >= w.least THEN g.codes ELSE h.codes END AS codes, sum(g.old) AS old, min(g.id) AS id, <added>
    FROM played g JOIN half h ON h.codes = substr(g.codes, 1, $6) CROSS JOIN whole w GROUP BY 1
), node AS MATERIALIZED (
    -- the continuations, in two bytes for each half-move
    SELECT k.ply, substr(g.codes, 1, 2 * k.ply) AS codes, sum(g.old)::bigint AS old, min(g.id) AS id, <added>
    FROM line g JOIN generate_series(0, $5) k (ply) ON length(g.codes) >= 2 * k.ply
    GROUP BY 1, 2
), fresh AS MATERIALIZED (
    SELECT n.codes, p.old AS known
    FROM node n JOIN node p ON p.ply = n.ply - 1 AND p.codes = substr(n.codes, 1, greatest(0, 2 * n.ply - 2))
    CROSS JOIN whole w
    WHERE 'novelty' = ANY ($2) AND n.old = 0 AND p.old >= w.least
    ORDER BY p.old DESC, n.sums[1] DESC, n.first, n.codes LIMIT $3
), chosen AS MATERIALIZED (
    SELECT n.*, f.known FROM node n CROSS JOIN whole w LEFT JOIN fresh f ON f.codes = n.codes
    WHERE n.ply > 0 AND (n.sums[1] >= w.least AND 'line' = ANY ($2) OR n.ply = 1 AND 'move' = ANY ($2) OR f.codes IS NOT NULL)
), listed AS MATERIALIZED (
    SELECT n.*, array_to_string(m.sans, ' ') AS item, m.board, jsonb_build_object(
               'ply', n.ply, 'move', m.sans[n.ply], 'parent', array_to_string(m.sans[:n.ply - 1], ' '), 'board', {chess}.epd(m.board),
               'share', n.sums[1]::float8 / p.sums[1], 'total_share', n.sums[1]::float8 / w.games,
               'game_id', CASE WHEN n.sums[1] = 1 THEN n.id END) AS more
    FROM chosen n CROSS JOIN whole w
    JOIN node p ON p.ply = n.ply - 1 AND p.codes = substr(n.codes, 1, 2 * n.ply - 2)
    CROSS JOIN LATERAL (SELECT {chess}.frommoves2(n.codes, $1) OFFSET 0) g (game)
    CROSS JOIN LATERAL (SELECT {chess}.sans(g.game), {chess}.finalboard(g.game) OFFSET 0) m (sans, board)
), spelled AS MATERIALIZED (
    -- Games are first only counted, because sums for every player take longer. The id 0 stands for an unknown player.
    SELECT s.color, s.player_id, coalesce(p.same_as, p.id) AS id, s.games
    FROM (SELECT 'w' AS color, coalesce(g.white_id, 0) AS player_id, count(*) AS games
          FROM found g WHERE 'white_player' = ANY ($2) GROUP BY g.white_id
          UNION ALL
          SELECT 'b', coalesce(g.black_id, 0), count(*)
          FROM found g WHERE 'black_player' = ANY ($2) GROUP BY g.black_id) s
    LEFT JOIN {schema}.players p ON p.id = s.player_id
), frequent AS MATERIALIZED (
    SELECT v.color, r.id, r.n
    FROM (VALUES ('w'), ('b')) v (color)
    CROSS JOIN LATERAL (SELECT c.id, row_number() OVER () AS n FROM (
        SELECT s.id, sum(s.games)::bigint AS games FROM spelled s WHERE s.color = v.color
        GROUP BY 1 ORDER BY games DESC, s.id LIMIT $3) c) r
), shown AS MATERIALIZED (
    SELECT f.color, f.n, f.id, s.player_id FROM frequent f JOIN spelled s ON s.color = f.color AND coalesce(s.id, 0) = coalesce(f.id, 0)
), person AS MATERIALIZED (
    -- Only the players that are listed get sums.
    SELECT l.color, l.id, l.n, <cells> FROM found g JOIN shown l ON l.color = 'w' AND l.player_id = coalesce(g.white_id, 0)
    WHERE 'white_player' = ANY ($2) GROUP BY 1, 2, 3
    UNION ALL
    SELECT l.color, l.id, l.n, <cells> FROM found g JOIN shown l ON l.color = 'b' AND l.player_id = coalesce(g.black_id, 0)
    WHERE 'black_player' = ANY ($2) GROUP BY 1, 2, 3
), late AS MATERIALIZED (
    -- An index finds the newest games of the table. If enough of them have the position, the games found need not be sorted.
    -- The limit keeps this cheap where few of the newest games have it. The query below does the same for the shortest games.
    SELECT g.id, lower(g.dates) AS day
    FROM (SELECT g.* FROM {schema}.games g ORDER BY {latest} DESC, g.id DESC LIMIT $7) g
    WHERE 'newest' = ANY ($2) AND (SELECT w.games FROM whole w) >= 10 * $7 AND lower(g.dates) IS NOT NULL
      AND {chess}.hasboard(g.game, $1) AND <condition>
), short AS MATERIALIZED (
    SELECT g.id, g.result, g.ply_count, g.ratings
    FROM (SELECT g.*, CASE WHEN g.white_elo > 0 THEN g.white_elo ELSE 0 END::bigint + CASE WHEN g.black_elo > 0 THEN g.black_elo ELSE 0 END AS ratings
          FROM {schema}.games g ORDER BY g.ply_count, ratings DESC, g.id DESC LIMIT $8) g
    WHERE $2 && '{shortest_white_win,shortest_black_win}' AND (SELECT w.games FROM whole w) >= 10 * $8
      AND {chess}.hasboard(g.game, $1) AND <condition>
), model (place, section, n, id) AS MATERIALIZED (
    SELECT 15, 'best_rated', b.n, b.id FROM (SELECT f.id, row_number() OVER () AS n FROM (
        SELECT f.id FROM found f WHERE 'best_rated' = ANY ($2) AND coalesce(f.white_elo, f.black_elo) IS NOT NULL
        ORDER BY coalesce(f.white_elo, 0)::bigint + coalesce(f.black_elo, 0) DESC, f.id DESC LIMIT $3) f) b
    UNION ALL
    SELECT 16, 'newest', b.n, b.id FROM (SELECT f.id, row_number() OVER () AS n FROM (
        SELECT f.id FROM (
            SELECT l.id, l.day FROM late l WHERE (SELECT count(*) FROM late) >= $3
            UNION ALL
            SELECT f.id, f.day FROM found f WHERE (SELECT count(*) FROM late) < $3 AND f.day IS NOT NULL) f
        WHERE 'newest' = ANY ($2) ORDER BY f.day DESC, f.id DESC LIMIT $3) f) b
    UNION ALL
    SELECT 17, 'annotated', b.n, b.id FROM (SELECT f.id, row_number() OVER () AS n FROM (
        SELECT f.id FROM found f WHERE 'annotated' = ANY ($2) AND f.annotated
        ORDER BY coalesce(f.white_elo, 0)::bigint + coalesce(f.black_elo, 0) DESC, f.id DESC LIMIT $3) f) b
    UNION ALL
    SELECT v.place, v.section, b.n, b.id
    FROM (SELECT v.*, (SELECT count(*) FROM short s WHERE s.result = v.result) AS wins
          FROM (VALUES (18, '1-0', 'shortest_white_win'), (19, '0-1', 'shortest_black_win')) v (place, result, section)
          WHERE v.section = ANY ($2) OFFSET 0) v
    CROSS JOIN LATERAL (SELECT f.id, row_number() OVER () AS n FROM (
        SELECT f.id FROM (
            SELECT s.id, s.ply_count, s.ratings FROM short s WHERE v.wins >= $3 AND s.result = v.result
            UNION ALL
            SELECT f.id, f.ply_count, coalesce(f.white_elo, 0)::bigint + coalesce(f.black_elo, 0) AS ratings
            FROM found f WHERE v.wins < $3 AND f.result = v.result) f
        ORDER BY f.ply_count, f.ratings DESC, f.id DESC LIMIT $3) f) b
), part (place, rank, section, item, games, white, draws, black, score, expected, detail, more) AS (
    SELECT 1, 0::float8, 'summary', 'all', <total>, jsonb_build_object('board', {chess}.epd($1), 'eco', o.eco, 'name', o.name,
               'all_games', e.games, 'share', (coalesce(s.sums[1], 0) / e.games)::float8, 'least', w.least)
    FROM whole w CROSS JOIN {chess}.opening($1) o CROSS JOIN (SELECT sum(e.games) AS games FROM every e) e
    CROSS JOIN (SELECT <added> FROM cell g) s
    WHERE 'summary' = ANY ($2)
    UNION ALL
    SELECT 2, nullif(s.year, 0), 'year', coalesce(nullif(s.year, 0)::text, 'unknown'), <total>,
           jsonb_build_object('all_games', s.all_games, 'share', (coalesce(s.sums[1], 0) / s.all_games::numeric)::float8)
    FROM (SELECT e.year, e.games AS all_games, <added> FROM every e LEFT JOIN cell g ON g.year = e.year
          WHERE 'year' = ANY ($2) GROUP BY 1, 2) s
    UNION ALL
    SELECT 3, nullif(s.band, -1), 'rating',
           CASE WHEN s.band = -1 THEN 'unknown' ELSE int4range(b.bounds[s.band], b.bounds[s.band + 1])::text END,
           <total>, NULL
    FROM (SELECT g.band, <added> FROM cell g WHERE 'rating' = ANY ($2) GROUP BY 1) s
    CROSS JOIN (VALUES ('{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}'::integer[])) b (bounds)
    UNION ALL
    SELECT 4, nullif(s.speed, -1), 'speed', ('{unknown,ultraBullet,bullet,blitz,rapid,classical,correspondence}'::text[])[s.speed + 2],
           <total>, NULL
    FROM (SELECT {schema}.speed_number(g.time_control) AS speed, <added> FROM cell g WHERE 'speed' = ANY ($2) GROUP BY 1) s
    UNION ALL
    SELECT v.place, s.n, v.section, coalesce(p.shown, '?'), s.sums[1], s.sums[2], s.sums[3], s.sums[4], q.score, q.expected,
           jsonb_build_object('player_id', s.id, 'rated', s.sums[5], 'rated_score', q.rated_score, 'opponents', w.opponents,
               'performance', {schema}.performance(w.opponents, q.scored), 'first', s.first, 'last', s.last), NULL
    FROM person s
    JOIN (VALUES ('w', 5, 'white_player', 15), ('b', 6, 'black_player', 12)) v (color, place, section, at) USING (color)
    LEFT JOIN {schema}.players p ON p.id = s.id
    -- White's; the opponents are those with a result
    CROSS JOIN LATERAL (SELECT (s.sums[2] + s.sums[3] / 2::float8) / nullif(s.sums[2] + s.sums[3] + s.sums[4], 0),
                               s.sums[6] / 4294967296::float8 / nullif(s.sums[5], 0), s.sums[7] / 2::float8 / nullif(s.sums[5], 0),
                               s.sums[v.at + 1]::float8 / nullif(s.sums[v.at], 0), s.sums[v.at + 2] / 2::float8 / nullif(s.sums[v.at], 0)
                       ) w (score, expected, rated_score, opponents, scored)
    CROSS JOIN LATERAL (SELECT CASE s.color WHEN 'w' THEN w.score ELSE 1 - w.score END,
                               CASE s.color WHEN 'w' THEN w.expected ELSE 1 - w.expected END,
                               CASE s.color WHEN 'w' THEN w.rated_score ELSE 1 - w.rated_score END,
                               CASE s.color WHEN 'w' THEN w.scored ELSE 1 - w.scored END) q (score, expected, rated_score, scored)
    UNION ALL
    (SELECT 7, -s.sums[1], 'move_order', array_to_string({chess}.sans(s.way), ' '), <total>, jsonb_build_object(
                'share', s.sums[1]::float8 / w.games,
                'start', CASE WHEN NOT {chess}.sameposition({chess}.startboard(s.way), {chess}.startboard())
                              THEN {chess}.epd({chess}.startboard(s.way)) END)
     FROM (SELECT {chess}.getfirstmoves(g.opening, {chess}.plyof(g.opening, $1)) AS way, <added>
           FROM played g WHERE 'move_order' = ANY ($2) GROUP BY 1) s
     CROSS JOIN whole w ORDER BY s.sums[1] DESC, s.way LIMIT $3)
    UNION ALL
    SELECT v.place, CASE v.place WHEN 9 THEN s.ply ELSE 0 END, v.section, s.item, <total>, s.more
    FROM listed s CROSS JOIN whole w
    CROSS JOIN LATERAL (VALUES (8, 'move', s.ply = 1), (9, 'line', s.sums[1] >= w.least)) v (place, section, holds)
    WHERE v.holds AND v.section = ANY ($2)
    UNION ALL
    SELECT 10, -s.known, 'novelty', s.item, <total>, s.more || jsonb_build_object('known', s.known, 'game_id', s.id)
    FROM listed s CROSS JOIN whole w
    WHERE s.known IS NOT NULL AND 'novelty' = ANY ($2)
      -- nor has another order of moves led there
      AND NOT EXISTS (SELECT FROM {schema}.games o WHERE {chess}.hasboard(o.game, s.board) AND (lower(o.dates) > w.cut) IS NOT TRUE)
    UNION ALL
    SELECT 11, array_position('{1-0,1/2-1/2,0-1,*}', s.result), 'length', s.result, <total>, jsonb_build_object(
               'moves', s.moves / s.sums[1]::float8, 'shortest', s.shortest, 'longest', s.longest)
    FROM (SELECT g.result, sum(g.moves) AS moves, min(g.shortest) AS shortest, max(g.longest) AS longest, <added>
          FROM kind g WHERE 'length' = ANY ($2) GROUP BY 1) s
    UNION ALL
    SELECT 12, -s.sums[1], 'ending', s.ending, <total>, NULL
    FROM (SELECT {schema}.ending_name(g.facts, g.result, g.termination) AS ending, <added>
          FROM kind g WHERE 'ending' = ANY ($2) GROUP BY 1) s
    UNION ALL
    SELECT 13, array_position(v.kinds, s.kind), 'material', s.kind, <total>, NULL
    FROM (SELECT coalesce(nullif(concat_ws(', ', CASE WHEN g.facts & 16 > 0 THEN 'queens' END, CASE WHEN g.facts & 32 > 0 THEN 'rooks' END,
                                           CASE WHEN g.facts & 64 > 0 THEN 'minor pieces' END), ''), 'pawns') AS kind, <added>
          FROM kind g WHERE 'material' = ANY ($2) GROUP BY 1) s
    CROSS JOIN (VALUES (ARRAY['pawns', 'minor pieces', 'rooks', 'rooks, minor pieces', 'queens',
        'queens, minor pieces', 'queens, rooks', 'queens, rooks, minor pieces'])) v (kinds)
    UNION ALL
    SELECT 14, s.n, 'theme', s.item, <total>, NULL
    FROM (SELECT v.n, v.item, <added>
          FROM kind g CROSS JOIN (VALUES (1, 'castled on the same side', 128), (2, 'castled on opposite sides', 256),
                                         (3, 'queens exchanged', 512)) v (n, item, bit)
          WHERE 'theme' = ANY ($2) AND g.facts & v.bit > 0 GROUP BY 1, 2) s
    UNION ALL
    SELECT m.place, m.n, m.section, g.id::text, 1, (g.result = '1-0')::integer, (g.result = '1/2-1/2')::integer,
           (g.result = '0-1')::integer, CASE g.result WHEN '1-0' THEN 1 WHEN '0-1' THEN 0 WHEN '1/2-1/2' THEN 0.5 END,
           CASE WHEN g.result <> '*' THEN {schema}.expected_score(g.white_elo, g.black_elo) END, jsonb_build_object('game_id', g.id, 'white', p.shown, 'black', b.shown,
               'white_elo', CASE WHEN g.white_elo > 0 THEN g.white_elo END, 'black_elo', CASE WHEN g.black_elo > 0 THEN g.black_elo END,
               'result', g.result, 'date', g.date, 'event', e.name, 'site', i.name, 'plies', g.ply_count), NULL
    FROM model m JOIN {schema}.games g ON g.id = m.id
    LEFT JOIN {schema}.players p ON p.id = g.white_id LEFT JOIN {schema}.players b ON b.id = g.black_id
    LEFT JOIN {schema}.events e ON e.id = g.event_id LEFT JOIN {schema}.sites i ON i.id = g.site_id
)
SELECT p.section, p.item, coalesce(p.games, 0)::bigint, coalesce(p.white, 0)::bigint, coalesce(p.draws, 0)::bigint,
       coalesce(p.black, 0)::bigint, p.score::float8, p.expected::float8, coalesce(p.detail || p.more, p.detail)
FROM part p ORDER BY p.place, p.rank, p.games DESC, p.item COLLATE "C", p.more ->> 'player_id'
$query$, '<cells>', cells), '<added>', added), '<total>', total), '<condition>', condition)
    USING board, wanted, count, at_least, plies, 2 * greatest(1, plies / 2), walks[1], walks[2];
END
$function$;
COMMENT ON FUNCTION {schema}.opening_report IS
    'a report on a position, in sections: years, ratings, players, orders of moves, continuations, novelties, lengths, endings, games; docs/reports.md';
