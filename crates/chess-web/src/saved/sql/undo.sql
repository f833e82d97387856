-- In: a notebook, its session, the most bytes of all notes.
-- Out: the last change of the notebook is undone; a row with the number of those that are left, none if there was no change.
-- is_long says that nothing was undone, because the notes would become longer than that, and longer than they are.
WITH found AS (
    SELECT c.* FROM chess_web.notebook_changes c WHERE c.id = (
        SELECT max(c.id) FROM chess_web.notebook_changes c JOIN chess_web.notebooks n ON n.id = c.notebook_id
        WHERE n.id = {} AND n.session_id = {})
    FOR UPDATE
), notes AS (
    SELECT octet_length(r.note) AS more
    FROM found f CROSS JOIN LATERAL jsonb_populate_recordset(NULL::chess_web.notebook_nodes, f.before->'removed') r
    UNION ALL SELECT octet_length(r.note) - octet_length(c.note)
    FROM found f CROSS JOIN LATERAL jsonb_populate_recordset(NULL::chess_web.notebook_nodes, f.before->'changed') r
    JOIN chess_web.notebook_nodes c ON c.id = r.id
    UNION ALL SELECT -octet_length(c.note) FROM found f JOIN chess_web.notebook_nodes c ON c.id = ANY (f.added)
), sums AS (
    SELECT coalesce(sum(octet_length(c.note)), 0) AS text, (SELECT coalesce(sum(more), 0) FROM notes) AS more
    FROM found f JOIN chess_web.notebook_nodes c ON c.notebook_id = f.notebook_id
), last AS (
    DELETE FROM chess_web.notebook_changes c USING found f, sums s
    WHERE c.id = f.id AND (s.more <= 0 OR s.text + s.more <= {})
    RETURNING c.*
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
SELECT (SELECT count(*) FROM chess_web.notebook_changes c WHERE c.notebook_id = f.notebook_id AND c.id < f.id) AS changes,
       NOT EXISTS (SELECT FROM last) AS is_long
FROM found f
