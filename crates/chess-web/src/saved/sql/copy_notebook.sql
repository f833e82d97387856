-- In: a session, the notebook of another one, the session again, the most notebooks that it may have, the notebook again.
-- Out: a copy of the notebook with all its nodes; no row if the session has too many.
WITH made AS (
    INSERT INTO chess_web.notebooks (session_id, name, color)
    SELECT {}, name, color FROM chess_web.notebooks
    WHERE id = {} AND (SELECT count(*) FROM chess_web.notebooks WHERE session_id = {}) < {}
    RETURNING id
), numbered AS MATERIALIZED (
    SELECT c.*, nextval(pg_get_serial_sequence('chess_web.notebook_nodes', 'id')) AS copy
    FROM (SELECT * FROM chess_web.notebook_nodes WHERE notebook_id = {} ORDER BY id) c
), nodes AS (
    INSERT INTO chess_web.notebook_nodes (id, notebook_id, parent, uci, fen, note, glyph, glyphs) OVERRIDING SYSTEM VALUE
    SELECT c.copy, made.id, p.copy, c.uci, c.fen, c.note, c.glyph, c.glyphs
    FROM made, numbered c LEFT JOIN numbered p ON p.id = c.parent
)
SELECT id FROM made
