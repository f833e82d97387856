-- In: the key of a position, its half-move clock and FEN, the number of lines, the depth that was asked for, the columns of
-- the answer, the name and options of the engine. Out: the row. A row for the same limits stays unless the new answer says more: the
-- stored search failed or was stopped and the new one did not, or the new one is deeper.
INSERT INTO {schema}.analysis AS a (key, halfmove_clock, board, engine_id, multipv, limit_kind, limit_value, status, depth,
    seldepth, time_ms, nodes, best, evals, pvs)
SELECT {}, {}, {}::{chess}.chessboard, e.id, {}::integer, 'depth', {}, {}, {}::integer, {}::integer, {}, {}, {}, {}::integer[], {}
FROM {schema}.engines e WHERE e.name = {} AND e.options = {}::jsonb AND NOT e.reproducible
ON CONFLICT (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value) DO UPDATE
SET status = excluded.status, depth = excluded.depth, seldepth = excluded.seldepth, time_ms = excluded.time_ms,
    nodes = excluded.nodes, best = excluded.best, evals = excluded.evals, pvs = excluded.pvs, wdl = NULL, reason = NULL, at = now()
WHERE (a.status = 'failed' OR a.status = 'stopped' AND (excluded.status = 'done' OR excluded.depth > a.depth))
    AND {chess}.sameposition(a.board, excluded.board)
