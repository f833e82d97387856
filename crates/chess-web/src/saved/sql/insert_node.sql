-- In: a notebook, the parent node, the move and the FEN behind it, the notebook again, the most nodes that it may have.
-- Out: made has the new node, which undo removes; no row if the move is there, or there are too many nodes.
WITH made AS (
    INSERT INTO chess_web.notebook_nodes (notebook_id, parent, uci, fen)
    SELECT {}, {}, {}, {} WHERE (SELECT count(*) FROM chess_web.notebook_nodes WHERE notebook_id = {}) < {}
    ON CONFLICT (notebook_id, parent, uci) DO NOTHING RETURNING *
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, added) SELECT notebook_id, ARRAY[id] FROM made
)
