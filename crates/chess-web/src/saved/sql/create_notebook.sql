-- In: a session, a name, a colour or an empty text, the session again, the most notebooks that it may have, a FEN.
-- Out: made has the new notebook, whose root is this board; no row if the session has too many.
WITH made AS (
    INSERT INTO chess_web.notebooks (session_id, name, color)
    SELECT {}, {}, nullif({}, '') WHERE (SELECT count(*) FROM chess_web.notebooks WHERE session_id = {}) < {}
    RETURNING id, name, color, updated
), root AS (
    INSERT INTO chess_web.notebook_nodes (notebook_id, fen) SELECT id, {} FROM made
)
SELECT id, name, color,
