-- In: schema; $1 the run, $2 a game that comes back.
-- Out: a pair of it with a game that is still removed comes back with that one.
UPDATE {schema}.twins_removed o SET pairs = coalesce(o.pairs, '[]') || p.pair
FROM {schema}.twins_removed t, jsonb_array_elements(t.pairs) AS p (pair)
WHERE t.run = $1 AND t.game_id = $2 AND o.game_id <> t.game_id
  AND o.game_id IN ((p.pair ->> 'a')::bigint, (p.pair ->> 'b')::bigint)
  AND NOT coalesce(o.pairs, '[]') @> jsonb_build_array(p.pair)
