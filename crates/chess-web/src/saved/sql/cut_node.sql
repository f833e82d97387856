-- In: a node, its notebook.
-- Out: the node and all below it are gone, and remembered for undo. It is one statement, because the foreign key would delete
-- level by level, and a long line is deeper than the server's stack.
WITH RECURSIVE below AS (
    SELECT {}::bigint AS id
    UNION ALL SELECT c.id FROM chess_web.notebook_nodes c JOIN below b ON c.parent = b.id
), gone AS (
    DELETE FROM chess_web.notebook_nodes c USING below b WHERE c.id = b.id RETURNING c.*
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, before)
    SELECT {}, jsonb_build_object('removed', jsonb_agg(to_jsonb(g))) FROM gone g HAVING count(*) > 0
)
