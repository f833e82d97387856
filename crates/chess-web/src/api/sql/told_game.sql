SELECT g.event, g.site, g.date, g.round, g.white, g.black, g.result, {chess}.opening(g.game), g.game, g.annotated
FROM {schema}.pgn_view g
WHERE g.id = {}
