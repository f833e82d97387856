-- In: schema and extension; $1 an engine, $2 to $8 columns of evaluations. Out: these rows. The evaluations of a position at
-- the same depth, with as many lines, are one row: the first one stays.
INSERT INTO {schema}.analysis (key, halfmove_clock, board, engine_id, multipv, limit_kind, limit_value, status,
    depth, nodes, best, evals, pvs)
SELECT key, clock, fen::{extension}.chessboard, $1, cardinality(pvs::text[]), 'depth', depth, 'done', depth, nodes,
    split_part((pvs::text[])[1], ' ', 1), evals::integer[], pvs::text[]
FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::smallint[], $6::bigint[], $7::text[], $8::text[])
    WITH ORDINALITY AS r (key, clock, fen, depth, nodes, evals, pvs, n)
ORDER BY key, clock, n ON CONFLICT DO NOTHING
