WITH played AS (
    SELECT g.san, count(*) AS games,
           count(*) FILTER (WHERE g.result = '1-0') AS white, count(*) FILTER (WHERE g.result = '1/2-1/2') AS draws,
           count(*) FILTER (WHERE g.result = '0-1') AS black, avg({chess}.score(g.result, g.color))::float8 AS score,
           avg(g.own) FILTER (WHERE g.own > 0)::float8 AS average_rating,
           avg(g.other) FILTER (WHERE g.other > 0 AND g.result <> '*')::float8 AS opponent_rating,
           (avg({chess}.score(g.result, g.color)) FILTER (WHERE g.other > 0))::float8 AS points,
           max(lower(g.dates)) AS last_played, min(g.id) AS id
    FROM ({games}) g
    GROUP BY 1
)
SELECT {chess}.uci({}::{chess}.chessboard, san) AS uci, san, games, white, draws, black, games - white - draws - black AS unknown,
       score, average_rating, opponent_rating, {schema}.performance(opponent_rating, points) AS performance,
       last_played::text AS last_played, NULL::bigint AS reached, NULL::bigint AS reached_white,
       NULL::bigint AS reached_draws, NULL::bigint AS reached_black, NULL::float8 AS reached_score,
       NULL::float8 AS reached_average_rating, CASE WHEN games = 1 THEN id END AS game_id
FROM played ORDER BY san IS NULL, games DESC, san COLLATE "C"
