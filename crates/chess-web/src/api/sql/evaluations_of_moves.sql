SELECT m.uci, a.evals[1] AS eval, a.depth
FROM {chess}.legalMoves({}::{chess}.chessboard) m
CROSS JOIN LATERAL (SELECT {chess}.play({}::{chess}.chessboard, m.uci) AS board OFFSET 0) p
CROSS JOIN LATERAL (
    SELECT a.evals, a.depth FROM {schema}.analysis a
    WHERE a.key = {chess}.zobrist(p.board)
      AND a.halfmove_clock = CASE WHEN {chess}.halfmoveClock(p.board) > 60 THEN {chess}.halfmoveClock(p.board) ELSE 0 END
      AND a.status <> 'failed' AND {chess}.samePosition(a.board, p.board)
    ORDER BY a.limit_kind = 'tables' DESC, a.depth DESC NULLS LAST, a.nodes DESC NULLS LAST LIMIT 1) a
