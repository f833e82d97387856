-- In: schema and extension; $1 an engine, $2 a number of lines, $3 and $4 a limit, $5 to $17 columns of answers. Out: these
-- rows. If two sessions insert the same position, the first row stays, unless the second one says more: it is done, or deeper, or
-- the first one records a failure.
INSERT INTO {schema}.analysis AS a (key, halfmove_clock, board, engine_id, multipv, limit_kind, limit_value,
    status, depth, seldepth, time_ms, nodes, best, evals, pvs, wdl, reason)
SELECT key, clock, fen::{extension}.chessboard, $1, $2, $3, $4, status, depth, seldepth, time_ms, nodes, best,
    evals::integer[], pvs::text[], wdl::smallint[], reason
FROM unnest($5::bigint[], $6::integer[], $7::text[], $8::text[], $9::smallint[], $10::smallint[],
    $11::integer[], $12::bigint[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[])
    AS r (key, clock, fen, status, depth, seldepth, time_ms, nodes, best, evals, pvs, wdl, reason)
ON CONFLICT (key, halfmove_clock, engine_id, multipv, limit_kind, limit_value) DO UPDATE
SET status = excluded.status, depth = excluded.depth, seldepth = excluded.seldepth,
    time_ms = excluded.time_ms, nodes = excluded.nodes, best = excluded.best, evals = excluded.evals,
    pvs = excluded.pvs, wdl = excluded.wdl, reason = excluded.reason, at = excluded.at
WHERE (a.status = 'failed' OR a.status = 'stopped' AND (excluded.status IN ('done', 'over')
    OR excluded.status = 'stopped' AND excluded.depth > a.depth)) AND {extension}.sameposition(a.board, excluded.board)
