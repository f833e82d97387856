SELECT g.id, {chess}.uci({}::{chess}.chessboard, {move}) AS uci, g.white, g.black, g.white_elo, g.black_elo, g.result, g.date, g.event, g.site, g.eco, g.ply_count,
       {schema}.speed(g.time_control) AS speed, g.tags ->> 'GameId' AS given_id
FROM {schema}.pgn_view g{reached}
WHERE g.id = ANY (ARRAY(SELECT id FROM found ORDER BY key DESC, id DESC LIMIT {}))
