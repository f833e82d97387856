-- In: a session, a name, a PGN, the key of the client or an empty text, the id of a stored game or an empty text, the most boards.
-- Out: boards, one row: the new board, or the one that was last written with this key, which is replaced: its client has not
-- heard of it; no row if there are too many.
WITH asked AS (SELECT {} AS session_id, {} AS name, {} AS pgn, nullif({}, '') AS key, nullif({}, '') AS origin, {} AS most),
again AS (
    UPDATE chess_web.boards b SET name = a.name, pgn = a.pgn, updated = now() FROM asked a
    WHERE b.session_id = a.session_id AND b.key = a.key RETURNING b.*
), made AS (
    INSERT INTO chess_web.boards (session_id, name, pgn, key, origin) SELECT session_id, name, pgn, key, origin FROM asked a
    WHERE NOT EXISTS (SELECT FROM again)
      AND (SELECT count(*) FROM chess_web.boards b WHERE b.session_id = a.session_id) < a.most
    RETURNING *
), boards AS (SELECT * FROM again UNION ALL SELECT * FROM made)
