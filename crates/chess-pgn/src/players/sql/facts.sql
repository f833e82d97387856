-- In: schema. Out: for each player, year, Elo and title the number of games.
SELECT player, year, elo, title, count(*) FROM (
    SELECT white_id AS player, {schema}.explorer_year(dates) AS year, white_elo AS elo, tags ->> 'WhiteTitle' AS title
    FROM {schema}.games UNION ALL
    SELECT black_id, {schema}.explorer_year(dates), black_elo, tags ->> 'BlackTitle' FROM {schema}.games
) s WHERE player IS NOT NULL GROUP BY 1, 2, 3, 4
