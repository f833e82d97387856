-- In: the tables of chess-pgn load, with games.
-- Out: replay.ending, the report on an ending by hand: every game is replayed, and materials are compared as text, so neither
-- patterns nor indexes take part.

CREATE FUNCTION replay.points(pieces text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT sum(v.points) FROM regexp_split_to_table(pieces, '') AS p (piece)
    JOIN (VALUES ('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9), ('K', 0)) AS v (piece, points) USING (piece)
$$;

CREATE FUNCTION replay.swapped(material text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT split_part(material, 'v', 2) || 'v' || split_part(material, 'v', 1) $$;

CREATE FUNCTION replay.turned(result text, turns boolean) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN NOT turns THEN result ELSE replace(replace(replace(result, '1-0', 'x'), '0-1', '1-0'), 'x', '0-1') END $$;

-- `shape` is a regular expression for the material, and `at_least` how many half-moves on end it stands.
CREATE FUNCTION replay.ending(shape text, at_least integer, condition text)
    RETURNS TABLE (section text, item text, games bigint, white bigint, draws bigint, black bigint, plies numeric) LANGUAGE plpgsql AS $function$
BEGIN
    RETURN QUERY EXECUTE format($query$
WITH board AS MATERIALIZED (
    SELECT g.id, p.ply, material(p.board) AS material FROM chess.games g CROSS JOIN LATERAL positions(g.game) p
    WHERE length(material(p.board)) < 20 AND %s
), run AS MATERIALIZED (
    SELECT r.id, r.turns, min(r.ply) AS first, max(r.ply) AS last
    FROM (SELECT b.id, t.turns, b.ply, b.ply - row_number() OVER (PARTITION BY b.id, t.turns ORDER BY b.ply) AS start
          FROM board b CROSS JOIN (VALUES (false), (true)) t (turns)
          WHERE CASE WHEN t.turns THEN replay.swapped(b.material) ELSE b.material END ~ $1) r
    GROUP BY r.id, r.turns, r.start HAVING count(*) >= $2
), game AS MATERIALIZED (
    SELECT g.id, s.turns, replay.turned(g.result, s.turns) AS result, g.dates, g.white_elo, g.black_elo
    FROM chess.games g JOIN (SELECT r.id, bool_and(r.turns) AS turns FROM run r GROUP BY r.id) s USING (id)
), stood AS MATERIALIZED (
    SELECT g.id, g.turns, g.result, b.material, count(*) AS half_moves, min(b.ply) AS begin
    FROM game g JOIN run r USING (id, turns) JOIN board b ON b.id = g.id AND b.ply BETWEEN r.first AND r.last GROUP BY 1, 2, 3, 4
), strong AS (
    SELECT s.*, o.own, o.other, replay.points(o.own) AS own_points, replay.points(o.other) AS other_points
    FROM stood s CROSS JOIN LATERAL (SELECT CASE WHEN s.turns THEN replay.swapped(s.material) ELSE s.material END) m (material)
    CROSS JOIN LATERAL (SELECT split_part(m.material, 'v', 1), split_part(m.material, 'v', 2)) o (own, other)
), ordered AS (
    SELECT s.*, s.own_points > s.other_points OR s.own_points = s.other_points AND s.own <= s.other COLLATE "C" AS leads FROM strong s
), counted AS (
    SELECT 'summary' AS section, 'all' AS item, result, NULL::bigint AS plies FROM game
    UNION ALL SELECT 'color', CASE WHEN turns THEN 'b' ELSE 'w' END, result, NULL FROM game
    UNION ALL SELECT 'rating', CASE WHEN white_elo > 0 AND black_elo > 0 THEN
        (SELECT int4range(a, b)::text FROM (VALUES (NULL, 1000), (1000, 1200), (1200, 1400), (1400, 1600), (1600, 1800), (1800, 2000), (2000, 2200),
             (2200, 2300), (2300, 2400), (2400, 2500), (2500, 2600), (2600, 2700), (2700, NULL)) v (a, b)
         WHERE (white_elo + black_elo) / 2 <@ int4range(a, b)) ELSE 'unknown' END, result, NULL FROM game
    UNION ALL SELECT 'month', coalesce(CASE to_char(lower(dates), 'YYYY-MM') WHEN to_char(upper(dates) - 1, 'YYYY-MM') THEN to_char(lower(dates), 'YYYY-MM') END,
        CASE to_char(lower(dates), 'YYYY') WHEN to_char(upper(dates) - 1, 'YYYY') THEN to_char(lower(dates), 'YYYY') END, 'unknown'), result, NULL FROM game
    UNION ALL SELECT 'better', CASE sign(own_points - other_points) WHEN 1 THEN 'ahead' WHEN 0 THEN 'level' ELSE 'behind' END, result, NULL
        FROM strong s WHERE begin = (SELECT min(first) FROM run r WHERE r.id = s.id AND r.turns = s.turns)
    UNION ALL SELECT 'material', CASE WHEN leads THEN own || 'v' || other ELSE other || 'v' || own END, replay.turned(result, NOT leads), NULL
        FROM ordered WHERE half_moves >= 4
    UNION ALL SELECT 'length', i.item, g.result, (SELECT max(last) - min(first) + 1 FROM run r WHERE r.id = g.id AND r.turns = g.turns)
        FROM game g CROSS JOIN LATERAL (VALUES ('all'), (g.result)) i (item)
)
SELECT section, item, count(*), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'), count(*) FILTER (WHERE result = '0-1'),
       round(avg(plies), 6)
FROM counted GROUP BY 1, 2
$query$, condition) USING shape, at_least;
END
$function$;
