-- In: schema. Out: groups of rows of players that shared a seat: they have the same event, round, date, colour and opponent.
-- This happens where one game is stored twice, under two names.
WITH s AS MATERIALIZED (
    SELECT g.event_id, g.round, g.dates, 'w' AS color, g.white_id AS player, coalesce(o.same_as, o.id) AS opponent
    FROM {schema}.games g JOIN {schema}.players o ON o.id = g.black_id WHERE g.round ~ '[1-9]' AND g.dates IS NOT NULL
    UNION ALL
    SELECT g.event_id, g.round, g.dates, 'b', g.black_id, coalesce(o.same_as, o.id)
    FROM {schema}.games g JOIN {schema}.players o ON o.id = g.white_id WHERE g.round ~ '[1-9]' AND g.dates IS NOT NULL)
SELECT DISTINCT array_agg(DISTINCT s.player) FROM s WHERE s.player IS NOT NULL
GROUP BY s.event_id, s.round, s.dates, s.color, s.opponent HAVING min(s.player) < max(s.player)
