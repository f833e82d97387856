-- In: new nodes with their ids, and known nodes with new notes and glyphs, and with those that they are expected to have (was),
-- both as JSON; the notebook, the most nodes and the most bytes of all notes that it may have.
-- Out: size, whether all have what is expected, and whether there would be too many nodes, or too much text; if all is well, the
-- nodes are as they are given, and undo brings the notebook back to what it was.
WITH asked AS (SELECT {}::jsonb AS made, {}::jsonb AS changed, {} AS notebook, {} AS nodes, {} AS text), new AS (
    SELECT r.* FROM asked a, jsonb_populate_recordset(NULL::chess_web.notebook_nodes, a.made) r
), given AS (
    SELECT r.*, g.value -> 'was' AS was FROM asked a CROSS JOIN jsonb_array_elements(a.changed) g (value)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::chess_web.notebook_nodes, g.value) r
), before AS (
    SELECT c.* FROM chess_web.notebook_nodes c JOIN given g ON g.id = c.id
    WHERE jsonb_build_object('note', c.note, 'glyph', c.glyph, 'glyphs', c.glyphs) = g.was ORDER BY c.id FOR UPDATE OF c
), notes AS (
    SELECT octet_length(note) AS more FROM new
    UNION ALL SELECT octet_length(g.note) - octet_length(b.note) FROM given g JOIN before b ON b.id = g.id
), sums AS (
    SELECT count(*) + (SELECT count(*) FROM new) AS nodes, coalesce(sum(octet_length(c.note)), 0) AS text,
           (SELECT coalesce(sum(more), 0) FROM notes) AS more
    FROM chess_web.notebook_nodes c WHERE c.notebook_id = (SELECT notebook FROM asked)
), size AS (
    SELECT (SELECT count(*) FROM before) = (SELECT count(*) FROM given)
               AND EXISTS (SELECT FROM chess_web.notebooks n WHERE n.id = a.notebook) AS is_expected,
           s.nodes > a.nodes AS is_many, s.more > 0 AND s.text + s.more > a.text AS is_long FROM sums s, asked a
), fits AS (
    SELECT a.notebook FROM size s, asked a WHERE s.is_expected AND NOT s.is_many AND NOT s.is_long
), made AS (
    INSERT INTO chess_web.notebook_nodes OVERRIDING SYSTEM VALUE SELECT n.* FROM new n, fits RETURNING id
), noted AS (
    UPDATE chess_web.notebook_nodes c SET note = g.note, glyph = g.glyph, glyphs = g.glyphs FROM given g, fits WHERE c.id = g.id
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, added, before)
    SELECT f.notebook, ARRAY(SELECT id FROM made ORDER BY id),
           jsonb_build_object('changed', coalesce((SELECT jsonb_agg(to_jsonb(b)) FROM before b), jsonb_build_array()))
    FROM fits f
)
