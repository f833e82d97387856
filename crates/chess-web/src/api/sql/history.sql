SELECT to_char(lower(g.dates), 'YYYY-MM') AS month, count(*) FILTER (WHERE g.result = '1-0') AS white,
       count(*) FILTER (WHERE g.result = '1/2-1/2') AS draws, count(*) FILTER (WHERE g.result = '0-1') AS black
FROM {schema}.games g
WHERE CASE WHEN g.dates <@ '[0001-01-01,10000-01-01)'::daterange THEN upper(g.dates) - lower(g.dates) END <= 31 AND {chess}.hasBoard(g.game, {}::{chess}.chessboard)
