-- In: a notebook, its session, a node.
-- Out: the bytes that this node and all below it take, and whether it is the root; no row if the session has no such node.
WITH RECURSIVE below AS (
    SELECT c.id, c.parent, octet_length(c.note) + octet_length(c.fen) + 200 AS bytes
    FROM chess_web.notebook_nodes c JOIN chess_web.notebooks n ON n.id = c.notebook_id
    WHERE n.id = {} AND n.session_id = {} AND c.id = {}
    UNION ALL
    SELECT c.id, c.parent, octet_length(c.note) + octet_length(c.fen) + 200
    FROM chess_web.notebook_nodes c JOIN below b ON c.parent = b.id
)
SELECT sum(bytes) AS bytes, bool_or(parent IS NULL) AS is_root FROM below HAVING count(*) > 0
