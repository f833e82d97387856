SELECT l.color::text AS color, p.phase, count(*)::integer AS moves, avg(l.accuracy)::float8 AS accuracy, avg(l.loss)::float8 AS loss,
       count(*) FILTER (WHERE l.loss >= 5 AND l.loss < 10 AND l.san IS DISTINCT FROM l.best)::integer AS inaccuracies,
       count(*) FILTER (WHERE l.loss >= 10 AND l.loss < 15 AND l.san IS DISTINCT FROM l.best)::integer AS mistakes,
       count(*) FILTER (WHERE l.loss >= 15 AND l.san IS DISTINCT FROM l.best)::integer AS blunders
FROM (SELECT g.id, {chess}.plyOfPattern(g.game, 'points([QRBN]) <= 10 and points([qrbn]) <= 10'::{chess}.chesspattern) AS ending
      FROM {schema}.games g WHERE g.id = {}) e
JOIN {schema}.losses l ON l.game_id = e.id
-- the phases of chess.player_report
CROSS JOIN LATERAL (SELECT CASE WHEN l.ply <= 20 THEN 'opening' WHEN l.ply > e.ending THEN 'endgame' ELSE 'middlegame' END) p (phase)
GROUP BY GROUPING SETS ((l.color), (l.color, p.phase))
ORDER BY l.color DESC, p.phase DESC
