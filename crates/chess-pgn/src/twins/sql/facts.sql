-- In: schema; days, the days that the date of a game g can mean; $1 ids of games. Out: what is stored of them, as far as it
-- is evidence.
SELECT g.id, g.game, w.name, coalesce(w.same_as, w.id), w.fide_id, b.name, coalesce(b.same_as, b.id), b.fide_id, {days},
       coalesce(e.canonical, e.name), coalesce(s.canonical, s.name, {schema}.lichess_site(g.lichess_id)), g.round, coalesce(g.result, '*'),
       coalesce(g.tags ->> 'UTCTime', g.tags ->> 'StartTime', g.tags ->> 'Time'),
       coalesce(g.tags ->> 'GameURL', g.tags ->> 'Link', g.tags ->> 'FICSGamesDBGameNo'), g.clocks
FROM {schema}.games g LEFT JOIN {schema}.players w ON w.id = g.white_id LEFT JOIN {schema}.players b ON b.id = g.black_id
LEFT JOIN {schema}.events e ON e.id = g.event_id LEFT JOIN {schema}.sites s ON s.id = g.site_id
WHERE g.id = ANY ($1)
