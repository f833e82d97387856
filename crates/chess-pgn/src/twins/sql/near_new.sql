-- In: schema and chess, the schemas of the tables and of the extension; around, a number of games; after, the last id before
-- the new games. Out: a condition: game g is new, or a neighbour of a new one in the order of moves.
AND g.id IN (SELECT x.id FROM {schema}.games n CROSS JOIN LATERAL (
    (SELECT o.id FROM {schema}.games o WHERE o.game OPERATOR({chess}.<) n.game ORDER BY o.game DESC LIMIT {around})
    UNION ALL
    (SELECT o.id FROM {schema}.games o WHERE o.game OPERATOR({chess}.>=) n.game ORDER BY o.game LIMIT {around} + 1)
) x WHERE n.id > {after} UNION ALL SELECT n.id FROM {schema}.games n WHERE n.id > {after})
