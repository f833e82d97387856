-- In: schema; $1 a game that has stayed, $2 the run that is undone, $3 the column that it had taken over in this run.
-- Out: if a later run has removed the game, its copy has its own value again.
UPDATE {schema}.twins_removed o SET game = o.game || jsonb_build_object(t.name, t.before)
FROM {schema}.twins_taken t
WHERE t.kept_id = $1 AND t.run = $2 AND t.name = $3 AND o.game_id = $1 AND o.game -> t.name = t.after
