-- In: schema and extension; $1 the tablebases as an engine, $2 to $9 columns of values. Out: these rows.
INSERT INTO {schema}.analysis (key, halfmove_clock, board, engine_id, multipv, limit_kind, limit_value,
    status, best, evals, pvs, wdl, tb_wdl, tb_dtz)
SELECT key, clock, fen::{extension}.chessboard, $1, 1, 'tables', 1,
    CASE WHEN best IS NULL THEN 'over' ELSE 'done' END, best, ARRAY[eval], ARRAY[coalesce(best, '')],
    wdl::smallint[], tb_wdl, tb_dtz
FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::text[], $6::integer[], $7::text[],
    $8::smallint[], $9::integer[]) AS r (key, clock, fen, best, eval, wdl, tb_wdl, tb_dtz)
ON CONFLICT DO NOTHING
