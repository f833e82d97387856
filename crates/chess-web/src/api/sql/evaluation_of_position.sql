SELECT a.evals, a.pvs, a.depth, a.nodes
FROM (SELECT {}::{chess}.chessboard AS board OFFSET 0) p JOIN {schema}.analysis a
     ON a.key = {chess}.zobrist(p.board) AND a.halfmove_clock = {} AND {chess}.samePosition(a.board, p.board)
WHERE a.status IN ('done', 'stopped')
ORDER BY a.limit_kind = 'tables' DESC, least(a.multipv, {}) DESC, a.depth DESC NULLS LAST, a.nodes DESC NULLS LAST LIMIT 1
