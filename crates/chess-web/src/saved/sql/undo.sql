-- In: a notebook, its session.
-- Out: the last change of the notebook is undone; a row with the number of those that are left, none if there was no change.
WITH last AS (
    DELETE FROM chess_web.notebook_changes WHERE id = (
        SELECT max(c.id) FROM chess_web.notebook_changes c JOIN chess_web.notebooks n ON n.id = c.notebook_id
        WHERE n.id = {} AND n.session_id = {})
    RETURNING *
), gone AS (
    DELETE FROM chess_web.notebook_nodes c USING last WHERE c.id = ANY (last.added)
), back AS (
    INSERT INTO chess_web.notebook_nodes OVERRIDING SYSTEM VALUE
    SELECT r.* FROM last
    CROSS JOIN LATERAL jsonb_populate_recordset(NULL::chess_web.notebook_nodes, last.before->'removed') r
), noted AS (
    UPDATE chess_web.notebook_nodes c SET note = r.note, glyph = r.glyph, glyphs = r.glyphs
    FROM last CROSS JOIN LATERAL jsonb_populate_recordset(NULL::chess_web.notebook_nodes, last.before->'changed') r
    WHERE c.id = r.id
), named AS (
    UPDATE chess_web.notebooks n
    SET updated = now(), name = coalesce(last.before->>'name', n.name),
        color = CASE WHEN last.before ? 'name' THEN last.before->>'color' ELSE n.color END
    FROM last WHERE n.id = last.notebook_id
)
SELECT (SELECT count(*) FROM chess_web.notebook_changes c WHERE c.notebook_id = last.notebook_id AND c.id < last.id) AS changes
FROM last
