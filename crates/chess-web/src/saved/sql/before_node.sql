-- In: the new note of a node, or an empty text if it stays, the most bytes of all notes; a notebook, its session, the node.
-- Out: before has the node, which is remembered for undo, unless it was already changed within the last minute: pages save
-- while somebody types. It has no row if the notes would become longer than that, and longer than they are. What changes it follows.
WITH asked AS (SELECT {} AS note, {} AS most), before AS (
    SELECT c.* FROM chess_web.notebook_nodes c JOIN chess_web.notebooks n ON n.id = c.notebook_id, asked a
    WHERE n.id = {} AND n.session_id = {} AND c.id = {}
      AND (octet_length(a.note) <= octet_length(c.note)
           OR (SELECT sum(octet_length(o.note)) FROM chess_web.notebook_nodes o WHERE o.notebook_id = n.id)
              - octet_length(c.note) + octet_length(a.note) <= a.most)
    FOR UPDATE OF c
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, before)
    SELECT b.notebook_id, jsonb_build_object('changed', jsonb_build_array(to_jsonb(b))) FROM before b
    WHERE NOT EXISTS (
        SELECT FROM (SELECT * FROM chess_web.notebook_changes x WHERE x.notebook_id = b.notebook_id ORDER BY x.id DESC LIMIT 1) x
        WHERE x.made > now() - interval '1 minute' AND x.added = ARRAY[]::bigint[]
          AND jsonb_array_length(x.before->'changed') = 1 AND x.before->'changed'->0->'id' = to_jsonb(b.id))
)
