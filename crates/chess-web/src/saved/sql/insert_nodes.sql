-- In: new nodes with their ids, and known nodes with new notes and glyphs, both as JSON; the notebook.
-- Out: the nodes are as they are given; undo brings the notebook back to what it was.
WITH made AS (
    INSERT INTO chess_web.notebook_nodes OVERRIDING SYSTEM VALUE
    SELECT r.* FROM jsonb_populate_recordset(NULL::chess_web.notebook_nodes, {}::jsonb) r RETURNING id
), given AS (
    SELECT r.* FROM jsonb_populate_recordset(NULL::chess_web.notebook_nodes, {}::jsonb) r
), before AS (
    SELECT c.* FROM chess_web.notebook_nodes c JOIN given g ON g.id = c.id
), noted AS (
    UPDATE chess_web.notebook_nodes c SET note = g.note, glyph = g.glyph, glyphs = g.glyphs FROM given g WHERE c.id = g.id
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, added, before)
    SELECT {}, ARRAY(SELECT id FROM made ORDER BY id),
           jsonb_build_object('changed', coalesce((SELECT jsonb_agg(to_jsonb(b)) FROM before b), jsonb_build_array()))
)
