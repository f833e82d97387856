-- In: schema; $1 a game that is to be removed, $2 its twin that stays, $3 the run, $4 why.
-- Out: a copy of the game and its rows in other tables in twins_removed, from where they can be restored.
INSERT INTO {schema}.twins_removed (run, game_id, kept_id, reason, game, rejected, analyzed, pairs)
SELECT $3, g.id, $2, $4, to_jsonb(g),
       (SELECT jsonb_agg(to_jsonb(r)) FROM {schema}.rejected r WHERE r.game_id = g.id),
       (SELECT jsonb_agg(to_jsonb(a)) FROM {schema}.analyzed_games a WHERE a.game_id = g.id),
       (SELECT jsonb_agg(to_jsonb(t)) FROM {schema}.twins t WHERE t.a = g.id OR t.b = g.id)
FROM {schema}.games g WHERE g.id = $1
