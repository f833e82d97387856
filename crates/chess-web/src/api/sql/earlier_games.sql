SELECT (SELECT count(*) FROM {schema}.games g
        WHERE {chess}.hasBoard(g.game, {}::{chess}.chessboard) AND {schema}.last_day(g.dates) > '-infinity'
          AND {schema}.last_day(g.dates) <= date '2000-01-01' + ({} - 1)) > 0
    OR (SELECT count(*) FROM {schema}.games g
        WHERE {chess}.hasBoard(g.game, {}::{chess}.chessboard)
          AND {schema}.last_day(g.dates) >= date '2000-01-01' + {} AND {schema}.last_day(g.dates) < date '2000-01-01' + {}) > 0 AS known
