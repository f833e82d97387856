-- In: a session, a name, a PGN, the key of the client or an empty text, the id of a stored game or an empty text, the most boards.
-- Out: boards, one row: the new board, or the one that was last written with this key, which is replaced: its client has not
-- heard of it; no row if there are too many. A request that is sent again waits for the first, also where that is not stored yet.
WITH asked AS (SELECT {} AS session_id, {} AS name, {} AS pgn, nullif({}, '') AS key, nullif({}, '') AS origin, {} AS most),
boards AS (
    INSERT INTO chess_web.boards (session_id, name, pgn, key, origin) SELECT session_id, name, pgn, key, origin FROM asked a
    WHERE EXISTS (SELECT FROM chess_web.boards b WHERE b.session_id = a.session_id AND b.key = a.key)
       OR (SELECT count(*) FROM chess_web.boards b WHERE b.session_id = a.session_id) < a.most
    ON CONFLICT (session_id, key) WHERE key IS NOT NULL
        DO UPDATE SET name = excluded.name, pgn = excluded.pgn, updated = now()
    RETURNING *
)
