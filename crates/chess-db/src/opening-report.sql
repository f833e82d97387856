-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal}, {schema} within a literal; the
-- functions of players.sql, explorer.sql and reports.sql.
-- Out: the report on an opening, as rows. docs/reports.md describes it.
--
-- The games are read once, by an aggregate that groups them in all ways that the sections need; each section adds up groups. Only
-- novelties need to know before when the opening was played, which the index tells. The names of the sections are constants when
-- the query is planned, so what an unwanted section needs is not worked out.
--
-- docs/functions-counts.md has the numbers in sums under gamesums, such as [1] for the games and [6] for the expected score in units
-- of 1/4294967296, and the bits in facts under gamefacts, such as 1024 for an endgame.

CREATE OR REPLACE FUNCTION {schema}.opening_report(
    board {chess}.chessboard,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sections text[] DEFAULT NULL, count integer DEFAULT 20, at_least integer DEFAULT NULL, plies integer DEFAULT 8,
    sources integer[] DEFAULT NULL, patterns {chess}.chesspattern[] DEFAULT NULL, boards {chess}.chessboard[] DEFAULT NULL
) RETURNS SETOF {schema}.report_row
LANGUAGE plpgsql STABLE ROWS 500 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
AS $function$
DECLARE
    wanted CONSTANT text[] := {schema}.report_sections(sections,
        '{summary,year,rating,speed,white_player,black_player,move_order,move,line,novelty,length,ending,material,theme,
          best_rated,newest,annotated,shortest_white_win,shortest_black_win}'::text[]);
    condition text;
    -- the groupings and lists that the sections are made of, and their bits for reportGroups
    known CONSTANT text[] := '{all,others,dates,rating,time_control,white,black,kind,opening,months,best_rated,newest,annotated,shortest_white_win,shortest_black_win}';
    -- Nearly every game has the start position: then all are counted by year in the same pass.
    is_start CONSTANT boolean := {chess}.sameposition(board, {chess}.startboard());
    parts CONSTANT text[] := ARRAY(SELECT v.part FROM (VALUES
        ('all', wanted), ('others', CASE WHEN is_start THEN ARRAY['summary', 'year'] END),
        ('dates', ARRAY['year'] || CASE WHEN is_start THEN ARRAY['summary'] END), ('rating', ARRAY['rating']), ('time_control', ARRAY['speed']),
        ('white', ARRAY['white_player']), ('black', ARRAY['black_player']), ('kind', ARRAY['length', 'ending', 'material', 'theme']),
        ('opening', ARRAY['move_order', 'move', 'line', 'novelty']), ('best_rated', ARRAY['best_rated']), ('newest', ARRAY['newest']),
        ('annotated', ARRAY['annotated']), ('shortest_white_win', ARRAY['shortest_white_win']),
        ('shortest_black_win', ARRAY['shortest_black_win'])) v (part, sections) WHERE v.sections && wanted);
    bits CONSTANT integer := (SELECT sum(1 << array_position(known, p) - 1) FROM unnest(parts) p);
    -- sums of several groups of games, and the columns of the report from them
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
                                             with_evals) || ' AND ' || {schema}.report_condition(sources, patterns, boards);
    -- What a caller has written comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace(replace(replace(replace(replace($query$
WITH latest (cut) AS MATERIALIZED (
    -- The last year in which the opening was played more than now and then, so that a few later games leave the novelties as they are.
    SELECT (max(d.day) - interval '1 year')::date
    FROM (SELECT s.day, sum(s.games) OVER (ORDER BY s.day RANGE interval '1 year -1 day' PRECEDING) AS recent, sum(s.games) OVER () AS games
          FROM (SELECT lower(g.dates) AS day, count(*) AS games FROM {schema}.games g
                WHERE 'novelty' = ANY ($2) AND {chess}.hasboard(g.game, $1) AND <condition> GROUP BY 1) s
          -- days of a user that are near the ends of the type are not the present
          WHERE s.day BETWEEN '4000-01-01 BC' AND '9999-12-31') d
    WHERE d.recent >= greatest(2, least(10, d.games / 4.0), d.games / 100.0)
), gathered (groups) AS MATERIALIZED (
    SELECT {chess}.reportgroups($7, $3, g.result, g.white_elo, g.black_elo, g.id, lower(g.dates), upper(g.dates), g.ply_count,
               g.white_id, g.black_id, CASE WHEN 'speed' = ANY ($2) THEN g.time_control END, <of_game>,
               'others' <> ALL ($8) OR {chess}.hasboard(g.game, $1), CASE WHEN 'annotated' = ANY ($2) THEN g.annotated IS NOT NULL END,
               'novelty' = ANY ($2) AND (lower(g.dates) > (SELECT l.cut FROM latest l)) IS NOT TRUE)
    FROM {schema}.games g WHERE ('others' = ANY ($8) OR {chess}.hasboard(g.game, $1)) AND <condition>
), found AS MATERIALIZED (
    -- If there are too many groups for memory, the server sorts the games, on disk.
    SELECT g.id, g.result, g.ply_count, g.white_id, g.black_id, g.white_elo, g.black_elo, g.time_control, g.annotated IS NOT NULL AS annotated,
           lower(g.dates) AS day, a.day AS day_number, z.day AS until_number, o.*,
           CASE WHEN g.white_elo > 0 OR g.black_elo > 0 THEN greatest(g.white_elo, 0)::bigint + greatest(g.black_elo, 0) END AS ratings
    FROM {schema}.games g
    CROSS JOIN LATERAL (SELECT <of_game> OFFSET 0) o (facts, termination, opening)
    CROSS JOIN LATERAL (SELECT CASE lower(g.dates) WHEN 'infinity' THEN 2147483647 WHEN '-infinity' THEN -2147483648
                                    ELSE lower(g.dates) - date '2000-01-01' END) a (day)
    CROSS JOIN LATERAL (SELECT CASE WHEN isfinite(upper(g.dates)) THEN upper(g.dates) - date '2000-01-01' END) z (day)
    WHERE (SELECT a.groups IS NULL FROM gathered a) AND {chess}.hasboard(g.game, $1) AND <condition>
), summed AS MATERIALIZED (
    SELECT r.* FROM gathered a CROSS JOIN LATERAL unnest(a.groups) r
    UNION ALL
    SELECT v.part, v.number, v.label, v.opening, {chess}.gamesums(f.result, f.white_elo, f.black_elo), min(f.day), max(f.day), min(f.id),
           count(*) FILTER (WHERE (f.day > l.cut) IS NOT TRUE), sum((f.ply_count + 1) / 2), min((f.ply_count + 1) / 2), max((f.ply_count + 1) / 2)
    FROM found f CROSS JOIN latest l CROSS JOIN LATERAL (VALUES
        ('all', NULL::bigint, NULL::text, NULL::{chess}.chessgame),
        ('dates', CASE WHEN isfinite(f.day) THEN (f.until_number::bigint << 32) | (f.day_number::bigint & 4294967295) END, NULL, NULL),
        ('rating', {schema}.mean_elo(f.white_elo, f.black_elo), NULL, NULL), ('time_control', NULL, f.time_control, NULL),
        ('white', coalesce(f.white_id, 0), NULL, NULL), ('black', coalesce(f.black_id, 0), NULL, NULL),
        ('kind', f.facts, coalesce(f.termination, '') || coalesce(E'\n' || f.result, ''), NULL),
        ('opening', NULL, NULL, f.opening)) v (part, number, label, opening)
    WHERE v.part = ANY ($8) GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT l.part, l.n, NULL, NULL, NULL, NULL, NULL, l.id, NULL, NULL, NULL, NULL
    FROM (SELECT v.part, f.id, row_number() OVER (PARTITION BY v.part ORDER BY v.first DESC, v.second DESC, f.id DESC) AS n
          FROM found f CROSS JOIN LATERAL (VALUES
              ('best_rated', f.ratings, 0), ('newest', f.day_number, 0),
              ('annotated', CASE WHEN f.annotated THEN coalesce(f.ratings, 0) END, 0),
              ('shortest_white_win', CASE WHEN f.result = '1-0' THEN -f.ply_count END, coalesce(f.ratings, 0)),
              ('shortest_black_win', CASE WHEN f.result = '0-1' THEN -f.ply_count END, coalesce(f.ratings, 0))) v (part, first, second)
          WHERE v.part = ANY ($8) AND v.first IS NOT NULL) l
    WHERE l.n <= $3
), kind AS MATERIALIZED (
    SELECT nullif(split_part(r.label, E'\n', 1), '') AS termination, substr(r.label, nullif(strpos(r.label, E'\n'), 0) + 1) AS result,
           r.number::integer AS facts, r.moves, r.shortest, r.longest, r.sums, r.first, r.last
    FROM summed r WHERE r.part = 'kind'
), every (year, games) AS MATERIALIZED (
    SELECT coalesce({schema}.explorer_year(d.dates), 0), sum(d.games)::bigint
    FROM (SELECT g.dates, count(*) AS games FROM {schema}.games g
          WHERE $2 && '{summary,year}' AND ('others' <> ALL ($8) OR (SELECT a.groups IS NULL FROM gathered a)) AND <condition> GROUP BY 1
          UNION ALL
          SELECT <dates>, r.sums[1] FROM summed r WHERE 'others' = ANY ($8) AND r.part IN ('others', 'dates') AND (SELECT a.groups IS NOT NULL FROM gathered a)) d
    GROUP BY 1
), whole AS MATERIALIZED (
    SELECT t.games, coalesce($4, greatest(2, ceil(t.games / 100.0)))::bigint AS least, l.cut
    FROM (SELECT coalesce(sum(r.sums[1]), 0)::bigint AS games FROM summed r WHERE r.part = 'all') t CROSS JOIN latest l
), played AS MATERIALIZED (
    -- The codes begin at the position, the opening at the start of the game.
    SELECT r.opening, substr({chess}.moves2(r.opening), 2 * {chess}.plyof(r.opening, $1) + 1) AS codes, r.old, r.id, r.sums, r.first, r.last
    FROM summed r WHERE r.part = 'opening'
), most AS MATERIALIZED (
    SELECT substr(g.codes, 1, $9) AS codes, sum(g.sums[1]) AS games FROM played g GROUP BY 1
), half AS MATERIALIZED (
    SELECT substr(m.codes, 1, $6) AS codes, sum(m.games) AS games FROM most m GROUP BY 1
), cut AS MATERIALIZED (
    -- A line is rare if its first three quarters are, or its first half. It is cut there, because rare lines are not listed.
    SELECT m.codes, CASE WHEN h.games < w.least THEN h.codes WHEN m.games < w.least THEN m.codes END AS shorter
    FROM most m JOIN half h ON h.codes = substr(m.codes, 1, $6) CROSS JOIN whole w
), line AS MATERIALIZED (
    SELECT coalesce(c.shorter, g.codes) AS codes, sum(g.old) AS old, min(g.id) AS id, <added>
    FROM played g JOIN cut c ON c.codes = substr(g.codes, 1, $9) GROUP BY 1
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
    SELECT CASE r.part WHEN 'white' THEN 'w' ELSE 'b' END AS color, coalesce(p.same_as, p.id) AS id, r.sums, r.first, r.last
    FROM summed r LEFT JOIN {schema}.players p ON p.id = r.number WHERE r.part IN ('white', 'black')
), person AS MATERIALIZED (
    SELECT p.* FROM (
        SELECT g.color, g.id, <added>, row_number() OVER (PARTITION BY g.color ORDER BY sum(g.sums[1]) DESC, g.id) AS n
        FROM spelled g GROUP BY 1, 2) p
    WHERE p.n <= $3
), part (place, rank, section, item, games, white, draws, black, score, expected, detail, more) AS (
    SELECT 1, 0::float8, 'summary', 'all', <total>, jsonb_build_object('board', {chess}.epd($1), 'eco', o.eco, 'name', o.name,
               'all_games', e.games, 'share', (coalesce(s.sums[1], 0) / e.games)::float8, 'least', w.least)
    FROM whole w CROSS JOIN {chess}.opening($1) o CROSS JOIN (SELECT sum(e.games) AS games FROM every e) e
    CROSS JOIN (SELECT <added> FROM summed g WHERE g.part = 'all') s
    WHERE 'summary' = ANY ($2)
    UNION ALL
    SELECT 2, nullif(s.year, 0), 'year', coalesce(nullif(s.year, 0)::text, 'unknown'), <total>,
           jsonb_build_object('all_games', s.all_games, 'share', (coalesce(s.sums[1], 0) / s.all_games::numeric)::float8)
    FROM (SELECT e.year, e.games AS all_games, <added>
          FROM every e LEFT JOIN (
              SELECT coalesce({schema}.explorer_year(<dates>), 0) AS year, r.sums, r.first, r.last
              FROM summed r WHERE r.part = 'dates') g ON g.year = e.year
          WHERE 'year' = ANY ($2) GROUP BY 1, 2) s
    UNION ALL
    SELECT 3, nullif(s.band, -1), 'rating',
           CASE WHEN s.band = -1 THEN 'unknown' ELSE int4range(b.bounds[s.band], b.bounds[s.band + 1])::text END,
           <total>, NULL
    FROM (SELECT {schema}.rating_group(g.number::integer, g.number::integer) AS band, <added>
          FROM summed g WHERE g.part = 'rating' GROUP BY 1) s
    CROSS JOIN (VALUES ('{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}'::integer[])) b (bounds)
    UNION ALL
    SELECT 4, nullif(s.speed, -1), 'speed', ('{unknown,ultraBullet,bullet,blitz,rapid,classical,correspondence}'::text[])[s.speed + 2],
           <total>, NULL
    FROM (SELECT {schema}.speed_number(g.label) AS speed, <added> FROM summed g WHERE g.part = 'time_control' GROUP BY 1) s
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
    SELECT m.place, r.number, r.part, g.id::text, 1, (g.result = '1-0')::integer, (g.result = '1/2-1/2')::integer,
           (g.result = '0-1')::integer, CASE g.result WHEN '1-0' THEN 1 WHEN '0-1' THEN 0 WHEN '1/2-1/2' THEN 0.5 END,
           CASE WHEN g.result <> '*' THEN {schema}.expected_score(g.white_elo, g.black_elo) END, jsonb_build_object('game_id', g.id, 'white', p.shown, 'black', b.shown,
               'white_elo', CASE WHEN g.white_elo > 0 THEN g.white_elo END, 'black_elo', CASE WHEN g.black_elo > 0 THEN g.black_elo END,
               'result', g.result, 'date', g.date, 'event', e.name, 'site', coalesce(i.name, {schema}.lichess_site(g.lichess_id)), 'plies', g.ply_count), NULL
    FROM summed r
    JOIN (VALUES ('best_rated', 15), ('newest', 16), ('annotated', 17), ('shortest_white_win', 18), ('shortest_black_win', 19)) m (section, place)
        ON m.section = r.part
    JOIN {schema}.games g ON g.id = r.id
    LEFT JOIN {schema}.players p ON p.id = g.white_id LEFT JOIN {schema}.players b ON b.id = g.black_id
    LEFT JOIN {schema}.events e ON e.id = g.event_id LEFT JOIN {schema}.sites i ON i.id = g.site_id
)
SELECT p.section, p.item, coalesce(p.games, 0)::bigint, coalesce(p.white, 0)::bigint, coalesce(p.draws, 0)::bigint,
       coalesce(p.black, 0)::bigint, p.score::float8, p.expected::float8, coalesce(p.detail || p.more, p.detail)
FROM part p ORDER BY p.place, p.rank, p.games DESC, p.item COLLATE "C", p.more ->> 'player_id'
$query$, '<added>', added), '<total>', total), '<of_game>', replace($of_game$
    CASE WHEN $2 && '{ending,material,theme}' THEN <facts> END,
    CASE WHEN 'ending' = ANY ($2) AND g.tags ? 'Termination' THEN {schema}.termination(g.tags) END,
    CASE WHEN $2 && '{move_order,move,line,novelty}' THEN
        {chess}.getfirstmoves(g.game, {chess}.plyof(g.game, $1) + CASE WHEN $2 && '{move,line,novelty}' THEN $5 ELSE 0 END) END
$of_game$, '<facts>', {schema}.facts_expression())), '<dates>',
$dates$daterange(date '2000-01-01' + ((r.number << 32) >> 32)::integer, date '2000-01-01' + (r.number >> 32)::integer)$dates$), '<condition>', condition)
    USING board, wanted, count, at_least, plies, 2 * greatest(1, plies / 2), bits, parts, 2 * greatest(1, 3 * plies / 4);
END
$function$;
COMMENT ON FUNCTION {schema}.opening_report IS
    'a report on a position, in sections: years, ratings, players, orders of moves, continuations, novelties, lengths, endings, games; docs/reports.md';
