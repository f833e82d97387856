-- In: {schema} and {chess}, as for tables.sql, whose tables are there; {schema_literal} and {chess_literal}, both within a literal;
-- the functions of players.sql, explorer.sql and reports.sql; ending_mistakes of views.sql.
-- Out: the kinds of endings and the report on an ending, as rows. docs/endings.md describes them.
--
-- An ending is taken from both sides: flip finds the games, and colours are exchanged in those that have it only with colours
-- exchanged. What the columns of the games tell is counted of all of them, what takes a replay of a sample. If nothing is replayed,
-- and the index decides the ending and all filters, the games are counted from the index, without their rows; docs/internals.md.

CREATE OR REPLACE FUNCTION {schema}.ending_kinds() RETURNS TABLE (kind text, ending {chess}.chesspattern)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
-- What stands for a moment only, in the middle of an exchange, is no ending.
BEGIN ATOMIC
    SELECT v.kind, v.ending::{chess}.chesspattern
    FROM (VALUES ('pawns', 'KP*vKP* for 4'), ('minor pieces', 'K[BN]P*vK[BN]P* for 4'), ('rooks', 'KRP*vKRP* for 4'),
                 ('two rooks each', 'KRRP*vKRRP* for 4'), ('rook and minor piece each', 'KR[BN]P*vKR[BN]P* for 4'),
                 ('rook against minor piece', 'KRP*vK[BN]P* for 4'), ('queens', 'KQP*vKQP* for 4'),
                 ('queen against rook', 'KQP*vKRP* for 4'), ('piece against pawns', 'K[QRBN]P*vKP* for 4')) v (kind, ending);
END;
COMMENT ON FUNCTION {schema}.ending_kinds() IS
    'the kinds of endings, each as a pattern with the stronger side first, that chess-web lists';

CREATE OR REPLACE FUNCTION {schema}.material_points(pieces text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN length(translate(pieces, 'KQRBN', '')) + 3 * length(translate(pieces, 'KQRP', '')) + 5 * length(translate(pieces, 'KQBNP', ''))
    + 9 * length(translate(pieces, 'KRBNP', ''));
COMMENT ON FUNCTION {schema}.material_points(text) IS 'what the pieces of a side are worth, such as KRPP: a pawn 1, bishop and knight 3, rook 5, queen 9';

CREATE OR REPLACE FUNCTION {schema}.ending_report(
    ending {chess}.chesspattern,
    player text DEFAULT NULL, color text DEFAULT NULL, white text DEFAULT NULL, black text DEFAULT NULL,
    rating text DEFAULT NULL, dates daterange DEFAULT NULL, result text DEFAULT NULL, event text DEFAULT NULL,
    time_control text DEFAULT NULL, speeds text[] DEFAULT NULL, with_evals boolean DEFAULT false,
    sections text[] DEFAULT NULL, sample integer DEFAULT 20000,
    sources integer[] DEFAULT NULL, patterns {chess}.chesspattern[] DEFAULT NULL, boards {chess}.chessboard[] DEFAULT NULL
) RETURNS SETOF {schema}.report_row
LANGUAGE plpgsql STABLE ROWS 500 COST 1000000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
AS $function$
DECLARE
    wanted CONSTANT text[] := {schema}.report_sections(sections, '{summary,color,rating,month,better,length,material,thrown}'::text[]);
    is_replayed CONSTANT boolean := wanted && '{better,length,material,thrown}';
    -- The bits of the groups all, rating and months for reportGroups. Those of all games and of a colour are also sums of the ratings'.
    bits CONSTANT integer := CASE WHEN 'rating' = ANY (wanted) THEN 8 WHEN wanted && '{summary,color}' THEN 1 ELSE 0 END
        + CASE WHEN 'month' = ANY (wanted) THEN 512 ELSE 0 END;
    condition text;
    counted CONSTANT text := CASE WHEN is_replayed THEN 'found' ELSE
        '(SELECT $5 OR g.game OPERATOR({chess_literal}.@@) $1 AS as_white, g.result AS told, g.white_elo, g.black_elo, g.dates
          FROM {schema_literal}.games g WHERE g.game OPERATOR({chess_literal}.@@) $2 AND <condition>)' END;
    -- The columns of a row: how many games there are, and how the side named first has scored.
    total CONSTANT text := $total$s.sums[1], s.sums[2], s.sums[3], s.sums[4],
        (s.sums[2] + s.sums[3] / 2::float8) / nullif(s.sums[2] + s.sums[3] + s.sums[4], 0),
        s.sums[6] / 4294967296::float8 / nullif(s.sums[5], 0), jsonb_build_object(
            'rated', s.sums[5], 'rated_score', s.sums[7] / 2::float8 / nullif(s.sums[5], 0))$total$;
    -- What a row of a sample adds: how many games were replayed, which share of them is in the group, and its standard error.
    share CONSTANT text := $share$jsonb_build_object('replayed', w.replayed, 'share', p.share,
            'error', sqrt(p.share * (1 - p.share) / w.replayed * (1 - w.replayed / w.games)))
    FROM whole w CROSS JOIN LATERAL (SELECT s.sums[1] / w.replayed) p (share)$share$;
    -- What sections that are replayed need, and they themselves. It takes longer to plan than others take to answer.
    games_found CONSTANT text := CASE WHEN is_replayed THEN $found$found AS MATERIALIZED (
    -- The games are seen from the side that the ending names first.
    SELECT g.id, g.dates, g.game, g.as_white, g.told, g.white_elo, g.black_elo,
           CASE WHEN g.as_white THEN g.white_elo ELSE g.black_elo END AS own, CASE WHEN g.as_white THEN g.black_elo ELSE g.white_elo END AS other,
           CASE WHEN g.as_white OR g.told NOT IN ('1-0', '0-1') THEN g.told WHEN g.told = '1-0' THEN '0-1' ELSE '1-0' END AS result
    FROM (SELECT g.id, g.dates, g.result AS told, g.white_elo, g.black_elo, $5 OR g.game OPERATOR({chess}.@@) $1 AS as_white, g.game
          FROM {schema}.games g WHERE g.game OPERATOR({chess}.@@) $2 AND <condition> OFFSET 0) g
), $found$ ELSE '' END;
    replays CONSTANT text := CASE WHEN is_replayed THEN $replays$), replayed AS MATERIALIZED (
    SELECT f.* FROM found f ORDER BY hashint8(f.id), f.id LIMIT $4
), whole AS MATERIALIZED (
    SELECT (SELECT count(*) FROM found)::float8 AS games, (SELECT nullif(count(*), 0) FROM replayed)::float8 AS replayed
), run AS MATERIALIZED (
    -- A run is a row of half-moves, one after the other, in which the ending stands. Each side has a branch of its own, because a
    -- search prepares its pattern again whenever it changes.
    SELECT f.id, m.first, m.last, m.first = min(m.first) OVER (PARTITION BY f.id) AS is_first
    FROM replayed f CROSS JOIN LATERAL (
        SELECT min(m.first) AS first, max(m.last) AS last
        FROM {chess}.findpattern(f.game, $1) WITH ORDINALITY m (first, last, number) GROUP BY m.last - m.number) m
    WHERE f.as_white
    UNION ALL
    SELECT f.id, m.first, m.last, m.first = min(m.first) OVER (PARTITION BY f.id)
    FROM replayed f CROSS JOIN LATERAL (
        SELECT min(m.first) AS first, max(m.last) AS last
        FROM {chess}.findpattern(f.game, $2) WITH ORDINALITY m (first, last, number) GROUP BY m.last - m.number) m
    WHERE NOT f.as_white
), stood AS MATERIALIZED (
    -- Each run has one or more materials; the first of them is what the ending begins with.
    SELECT DISTINCT f.id, f.as_white, m.material, r.is_first AND r.first BETWEEN m.first AND m.last AS is_first,
           least(m.last, r.last) - greatest(m.first, r.first) >= 3 AS is_long
    FROM run r JOIN replayed f ON f.id = r.id CROSS JOIN LATERAL {chess}.materials(f.game) m
    WHERE $3 && '{better,material}' AND m.last >= r.first AND m.first <= r.last
), tabled AS MATERIALIZED (
    -- Tables have looked at some games: each material that they know, and whether a move threw the result away there.
    SELECT f.id, f.as_white, {chess}.material(p.board) AS material, bool_or(coalesce(p.ply + 1 = ANY (t.plies), false)) AS is_thrown
    FROM (SELECT r.id, range_agg(int4range(r.first, r.last, '[]')) AS plies
          FROM run r JOIN {schema}.analyzed_games d ON d.game_id = r.id WHERE 'thrown' = ANY ($3) GROUP BY r.id) d
    JOIN replayed f ON f.id = d.id
    CROSS JOIN LATERAL (SELECT array_agg(m.ply) AS plies FROM {schema}.ending_mistakes m
                        WHERE m.game_id = d.id AND (m.tb_wdl_before = 2 OR m.tb_wdl = -2)) t
    CROSS JOIN LATERAL {chess}.positions(f.game) p
    WHERE p.ply <@ d.plies AND {chess}.squarecount({chess}.occupied(p.board)) <= 7
      AND EXISTS (SELECT FROM {schema}.analysis a WHERE a.key = {chess}.zobrist(p.board) AND a.limit_kind = 'tables'
                  AND {chess}.sameposition(a.board, p.board))
    GROUP BY 1, 2, 3
), named AS MATERIALIZED (
    -- A material is named with the stronger side first, so that KRvKRP and KRPvKR are one.
    SELECT t.as_white, t.material, o.own_points, o.other_points, e.is_own_first,
           CASE WHEN e.is_own_first THEN o.own || 'v' || o.other ELSE o.other || 'v' || o.own END AS item
    FROM (SELECT s.as_white, s.material FROM stood s UNION SELECT t.as_white, t.material FROM tabled t) t
    CROSS JOIN LATERAL (SELECT split_part(t.material, 'v', CASE WHEN t.as_white THEN 1 ELSE 2 END),
                               split_part(t.material, 'v', CASE WHEN t.as_white THEN 2 ELSE 1 END)) n (own, other)
    CROSS JOIN LATERAL (SELECT n.own, n.other, {schema}.material_points(n.own), {schema}.material_points(n.other)) o (own, other, own_points, other_points)
    CROSS JOIN LATERAL (SELECT o.own_points > o.other_points OR o.own_points = o.other_points AND o.own <= o.other COLLATE "C") e (is_own_first)
), grouped AS MATERIALIZED (
    -- The replayed games are counted by who has more at the beginning, by material, and by what tables say.
    SELECT v.section, v.item, {chess}.gamesums(v.result, v.own, v.other) AS sums, count(*) FILTER (WHERE v.is_thrown) AS thrown
    FROM (SELECT 'better' AS section, CASE WHEN n.own_points > n.other_points THEN 'ahead' WHEN n.own_points = n.other_points THEN 'level' ELSE 'behind' END AS item,
                 f.result, f.own, f.other, NULL::boolean AS is_thrown
          FROM stood s JOIN named n USING (as_white, material) JOIN replayed f USING (id) WHERE s.is_first AND 'better' = ANY ($3)
          UNION ALL
          SELECT s.section, s.item, CASE WHEN s.is_own_first OR f.result NOT IN ('1-0', '0-1') THEN f.result WHEN f.result = '1-0' THEN '0-1' ELSE '1-0' END,
                 CASE WHEN s.is_own_first THEN f.own ELSE f.other END, CASE WHEN s.is_own_first THEN f.other ELSE f.own END, s.is_thrown
          FROM (SELECT 'material' AS section, n.item, n.is_own_first, s.id, NULL::boolean AS is_thrown
                FROM stood s JOIN named n USING (as_white, material) WHERE s.is_long AND 'material' = ANY ($3) GROUP BY 2, 3, 4
                UNION ALL
                SELECT 'thrown', n.item, n.is_own_first, t.id, t.is_thrown FROM tabled t JOIN named n USING (as_white, material)
                UNION ALL
                SELECT 'thrown', 'all', true, t.id, bool_or(t.is_thrown) FROM tabled t GROUP BY t.id) s
          JOIN replayed f USING (id)) v
    GROUP BY 1, 2
$replays$ ELSE '' END;
    parts CONSTANT text := CASE WHEN is_replayed THEN $parts$    UNION ALL
    SELECT 5, array_position('{ahead,level,behind}', s.item), s.section, s.item, <total>, (SELECT <share>)
    FROM grouped s WHERE s.section = 'better'
    UNION ALL
    SELECT 6, array_position('{1-0,1/2-1/2,0-1,*}', s.result), 'length', coalesce(s.result, 'all'), <total>,
           (SELECT <share>) || jsonb_build_object('plies', s.plies, 'plies_error', s.deviation / sqrt(s.sums[1]) *
               (SELECT sqrt(1 - w.replayed / w.games) FROM whole w), 'median', s.median, 'shortest', s.shortest, 'longest', s.longest)
    FROM (SELECT f.result, {chess}.gamesums(f.result, f.own, f.other) AS sums, avg(l.plies)::float8 AS plies,
                 stddev_samp(l.plies)::float8 AS deviation, percentile_cont(0.5) WITHIN GROUP (ORDER BY l.plies) AS median,
                 min(l.plies) AS shortest, max(l.plies) AS longest
          FROM replayed f JOIN (SELECT r.id, max(r.last) - min(r.first) + 1 AS plies FROM run r GROUP BY 1) l USING (id)
          WHERE 'length' = ANY ($3) GROUP BY GROUPING SETS ((), f.result) HAVING count(*) > 0) s
    UNION ALL
    SELECT 7, 0, s.section, s.item, <total>, (SELECT <share>)
    FROM grouped s WHERE s.section = 'material'
    UNION ALL
    SELECT 8, CASE s.item WHEN 'all' THEN 0 ELSE 1 END, s.section, s.item, <total>,
           jsonb_build_object('thrown', s.thrown, 'thrown_share', s.thrown::float8 / s.sums[1])
    FROM grouped s WHERE s.section = 'thrown'$parts$ ELSE '' END;
BEGIN
    IF ending IS NULL THEN
        RAISE EXCEPTION 'a report needs an ending' USING ERRCODE = 'null_value_not_allowed';
    ELSIF sample IS NULL OR sample < 1 THEN
        RAISE EXCEPTION 'sample must be positive' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is %s.', coalesce(sample::text, 'NULL'));
    END IF;
    condition := {schema}.explorer_condition(player, color, white, black, rating, dates, result, event, time_control, speeds,
                                             with_evals) || ' AND ' || {schema}.report_condition(sources, patterns, boards);
    -- What a caller has written comes in last, so that nothing is looked for in it.
    RETURN QUERY EXECUTE replace(replace(replace(replace(replace(replace(replace($query$
WITH <found>gathered AS MATERIALIZED (
    SELECT f.as_white, {chess}.reportgroups($6, 0, f.told, f.white_elo, f.black_elo, NULL::bigint, lower(f.dates), {schema}.last_day(f.dates) + 1,
               NULL::integer, NULL::integer, NULL::integer, NULL::text, NULL::integer, NULL::text, NULL::{chess}.chessgame, true, NULL::boolean,
               NULL::boolean) AS groups
    FROM <counted> f WHERE $6 > 0 GROUP BY f.as_white
), summed AS MATERIALIZED (
    -- The index counts from White's side. Where Black has the side that the ending names first, wins and ratings change places, and its
    -- points, real and expected, are what White's leave of one for each game.
    SELECT g.as_white, r.part, r.number, CASE WHEN g.as_white THEN r.sums ELSE
               ARRAY[r.sums[1], r.sums[4], r.sums[3], r.sums[2], r.sums[5], (r.sums[5] << 32) - r.sums[6], 2 * r.sums[5] - r.sums[7],
                     r.sums[10], r.sums[11], r.sums[8], r.sums[9]] END AS sums
    FROM gathered g CROSS JOIN LATERAL unnest(g.groups) r
<replays>), part (place, rank, section, item, games, white, draws, black, score, expected, detail, more) AS (
    SELECT 1, 0::float8, 'summary', 'all', <total>, jsonb_build_object('own_rating', s.sums[9] / nullif(s.sums[8], 0)::float8,
               'other_rating', s.sums[11] / nullif(s.sums[10], 0)::float8)
    FROM (SELECT {chess}.gamesums(r.sums) AS sums FROM summed r WHERE r.part <> 'months') s WHERE 'summary' = ANY ($3)
    UNION ALL
    SELECT 2, CASE WHEN s.as_white THEN 0 ELSE 1 END, 'color', CASE WHEN s.as_white THEN 'w' ELSE 'b' END, <total>, NULL
    FROM (SELECT r.as_white, {chess}.gamesums(r.sums) AS sums FROM summed r WHERE r.part <> 'months' AND 'color' = ANY ($3) GROUP BY 1) s
    UNION ALL
    SELECT 3, nullif(s.band, -1), 'rating',
           CASE WHEN s.band = -1 THEN 'unknown' ELSE int4range(b.bounds[s.band], b.bounds[s.band + 1])::text END, <total>, NULL
    FROM (SELECT {schema}.rating_group(r.number::integer, r.number::integer) AS band, {chess}.gamesums(r.sums) AS sums
          FROM summed r WHERE r.part = 'rating' GROUP BY 1) s
    CROSS JOIN (VALUES ('{1000,1200,1400,1600,1800,2000,2200,2300,2400,2500,2600,2700}'::integer[])) b (bounds)
    UNION ALL
    SELECT 4, 0, 'month', CASE WHEN s.month % 100 > 0 THEN to_char(s.month, 'FM0000"-"00') WHEN s.month > 0 THEN to_char(s.month / 100, 'FM0000')
               ELSE 'unknown' END, <total>, NULL
    FROM (SELECT r.number AS month, {chess}.gamesums(r.sums) AS sums FROM summed r WHERE r.part = 'months' GROUP BY 1) s
<parts>
)
SELECT p.section, p.item, coalesce(p.games, 0)::bigint, coalesce(p.white, 0)::bigint, coalesce(p.draws, 0)::bigint,
       coalesce(p.black, 0)::bigint, p.score::float8, p.expected::float8, coalesce(p.detail || p.more, p.detail)
FROM part p
ORDER BY p.place, p.rank, CASE p.section WHEN 'month' THEN 0 ELSE p.games END DESC, p.item COLLATE "C"
$query$, '<found>', games_found), '<replays>', replays), '<parts>', parts), '<total>', total), '<share>', share), '<counted>', counted), '<condition>', condition)
    USING ending, ('flip(' || ending::text || ')')::{chess}.chesspattern, wanted, sample,
          ending::text ~ E'^(K[^ ]*)v\\1( for [0-9]+)?$', -- if both sides are equal, exchanged colours give no more games
          bits;
END
$function$;
COMMENT ON FUNCTION {schema}.ending_report IS
    'a report on an ending, in sections: results by colour, rating, month, by who is ahead; how long it lasts, its materials, and what was thrown away; docs/endings.md';
