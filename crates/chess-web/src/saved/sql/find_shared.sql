-- In: the key of a link.
-- Out: the notebook or board that it leads to, with its size in bytes, and that of its notes.
SELECT s.notebook_id, s.board_id, coalesce(n.name, b.name) AS name, n.color, b.pgn,
       coalesce((SELECT sum(octet_length(c.note) + octet_length(c.fen) + 200) FROM chess_web.notebook_nodes c
                 WHERE c.notebook_id = s.notebook_id), octet_length(b.pgn), 0)::bigint AS bytes,
       (SELECT coalesce(sum(octet_length(c.note)), 0)::bigint FROM chess_web.notebook_nodes c WHERE c.notebook_id = s.notebook_id) AS text
FROM chess_web.shares s
LEFT JOIN chess_web.notebooks n ON n.id = s.notebook_id
LEFT JOIN chess_web.boards b ON b.id = s.board_id
WHERE s.key = {}
