-- In: the id of a game. Out: its version, its size in bytes, its source with the fingerprint, and when it was changed last, if it was.
SELECT g.xmin::text AS version, pg_column_size(g)::bigint AS bytes, g.source_id, s.fingerprint,
       (SELECT to_char(e.changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        FROM {schema}.earlier_games e WHERE e.game_id = g.id ORDER BY e.id DESC LIMIT 1) AS changed
FROM {schema}.games g LEFT JOIN {schema}.sources s ON s.id = g.source_id
WHERE g.id = {}
