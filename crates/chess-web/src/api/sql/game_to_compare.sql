SELECT ARRAY(SELECT p.board::text FROM {chess}.positions(g.game) p WHERE p.ply <= {} ORDER BY p.ply) AS boards,
       CASE WHEN isfinite(lower(g.dates)) THEN lower(g.dates) - date '2000-01-01' END AS day,
       -- date_trunc converts to timestamp, which does not hold every date
       CASE WHEN lower(g.dates) BETWEEN '0001-01-01' AND '9999-12-31'
           THEN date_trunc('year', lower(g.dates)::timestamp)::date - date '2000-01-01'
           WHEN isfinite(lower(g.dates)) THEN lower(g.dates) - date '2000-01-01' END AS year,
       {schema}.explorer_source({chess}.startBoard(g.game), player => NULL::text, color => NULL::text, white => NULL::text,
           black => NULL::text, rating => NULL::text, dates => NULL::daterange, result => NULL::text, event => NULL::text,
           time_control => NULL::text, speeds => NULL::text[], with_evals => false) = 'index' AS by_index
FROM {schema}.games g
WHERE g.id = {}
