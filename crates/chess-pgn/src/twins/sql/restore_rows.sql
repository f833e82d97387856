-- In: schema; table, another table with rows of games; names, its columns, and values, the same of r; stored, the
-- column of twins_removed that has its rows; condition, whether what r refers to is there; $1 the run, $2 a game that it
-- has removed.
-- Out: the rows of the game. Those whose source or other game is not there stay out.
INSERT INTO {schema}.{table} ({names}) OVERRIDING SYSTEM VALUE
SELECT {values} FROM {schema}.twins_removed t, jsonb_populate_recordset(NULL::{schema}.{table}, t.{stored}) r
WHERE t.run = $1 AND t.game_id = $2 AND {condition} ON CONFLICT DO NOTHING
