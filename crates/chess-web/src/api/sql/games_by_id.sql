SELECT g.id, NULL AS uci, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.eco, g.ply_count,
       {schema}.speed(g.time_control) AS speed, g.tags ->> 'GameId' AS given_id
FROM {schema}.pgn_view g
WHERE g.id = ANY ({})
