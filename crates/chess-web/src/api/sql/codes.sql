 AS eco, count(*) AS games,
       count(*) FILTER (WHERE g.result = '1-0') AS white, count(*) FILTER (WHERE g.result = '1/2-1/2') AS draws,
       count(*) FILTER (WHERE g.result = '0-1') AS black
FROM {schema}.games g
