-- In: schema; referring, an expression for the other tables that refer to a game g; $1 the ids of games.
-- Out: these games, locked, with what decides which of them stays. Games that somebody has deleted are left out.
SELECT g.id, g.game, g.error IS NULL,
       (g.annotated IS NOT NULL)::integer + (g.clocks IS NOT NULL)::integer + (g.evals IS NOT NULL)::integer,
       num_nonnulls(g.event_id, coalesce(g.site_id, g.lichess_id), g.white_id, g.black_id, g.white_elo, g.black_elo, g.dates, g.round,
                    nullif(g.result, '*'), g.time_control, g.eco)
       + CASE WHEN jsonb_typeof(g.tags) = 'object' THEN (SELECT count(*)::integer FROM jsonb_object_keys(g.tags)) ELSE 0 END,
       {referring}
FROM {schema}.games g WHERE g.id = ANY ($1) AND g.game IS NOT NULL ORDER BY g.id FOR UPDATE
