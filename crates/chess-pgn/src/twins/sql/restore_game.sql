-- In: schema; names, the columns of games, and values, the same of r; $1 the run, $2 a game that it has removed.
-- Out: the game. If its source has been deleted since, the game has none.
INSERT INTO {schema}.games ({names}) OVERRIDING SYSTEM VALUE
SELECT {values}
FROM {schema}.twins_removed t, jsonb_populate_record(NULL::{schema}.games,
    CASE WHEN EXISTS (SELECT FROM {schema}.sources s WHERE s.id = (t.game ->> 'source_id')::integer) THEN t.game
         ELSE t.game || '{{"source_id": null, "source_offset": null}}' END) r
WHERE t.run = $1 AND t.game_id = $2
