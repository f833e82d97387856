SELECT p.ply
FROM {schema}.games g CROSS JOIN LATERAL {chess}.positions(g.game) p
WHERE g.id = {} AND NOT EXISTS (
    SELECT FROM {schema}.games o WHERE {chess}.hasBoard(o.game, p.board) AND o.id <> g.id)
ORDER BY p.ply LIMIT 1
