-- In: schema; column, the column's quoted name; $1 a game that has stayed, $2 the run that is undone, $3 the column that
-- it had taken over in this run.
-- Out: the game has its own value again, unless it has changed since.
UPDATE {schema}.games g SET {column} = r.{column}
FROM {schema}.twins_taken t, jsonb_populate_record(NULL::{schema}.games, jsonb_build_object(t.name, t.before)) r
WHERE t.kept_id = $1 AND t.run = $2 AND t.name = $3 AND g.id = $1 AND to_jsonb(g) -> t.name = t.after
