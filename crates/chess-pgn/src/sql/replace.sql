-- In: schema; replacement, a game as the stored one is written (source 0; without this row, all differs) and as it is to be (1);
-- $1, the row of earlier_games that has the stored one. Out: what it becomes; no row if it is so already.
SELECT n.game::text
FROM {schema}.earlier_games e
CROSS JOIN LATERAL (
    SELECT {schema}.game_with_changes(e.game, coalesce(b.game, jsonb_build_object()), to_jsonb(a))
    FROM replacement a LEFT JOIN (SELECT to_jsonb(r) FROM replacement r WHERE r.source_id = 0) b (game) ON true WHERE a.source_id = 1
) n (game)
WHERE e.id = $1::bigint AND n.game <> e.game
