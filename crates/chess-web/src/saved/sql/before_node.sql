-- In: a notebook, its session, a node.
-- Out: before has the node, which is remembered for undo, unless it was already changed within the last minute: pages save
-- while somebody types. What changes it follows.
WITH before AS (
    SELECT c.* FROM chess_web.notebook_nodes c JOIN chess_web.notebooks n ON n.id = c.notebook_id
    WHERE n.id = {} AND n.session_id = {} AND c.id = {} FOR UPDATE OF c
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, before)
    SELECT b.notebook_id, jsonb_build_object('changed', jsonb_build_array(to_jsonb(b))) FROM before b
    WHERE NOT EXISTS (
        SELECT FROM (SELECT * FROM chess_web.notebook_changes x WHERE x.notebook_id = b.notebook_id ORDER BY x.id DESC LIMIT 1) x
        WHERE x.made > now() - interval '1 minute' AND x.added = ARRAY[]::bigint[]
          AND jsonb_array_length(x.before->'changed') = 1 AND x.before->'changed'->0->'id' = to_jsonb(b.id))
)
