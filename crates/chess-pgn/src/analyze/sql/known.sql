-- In: schema and extension; $1 to $3 positions, $4 an engine, $5 a number of lines, $6 and $7 a limit, $8 whether failures
-- are tried again. Out: for each position whether its analysis is stored. A search with a higher limit counts, too.
SELECT EXISTS (SELECT FROM {schema}.analysis a
    WHERE a.key = q.key AND a.halfmove_clock = q.clock AND a.engine_id = $4 AND a.multipv >= $5
      AND (a.limit_kind = $6 AND a.limit_value >= $7 OR $6 = 'nodes' AND a.nodes >= $7
           OR $6 = 'depth' AND a.depth >= $7 OR a.status = 'over')
      AND NOT ($8 AND a.status IN ('failed', 'stopped'))
      AND {extension}.sameposition(a.board, q.fen::{extension}.chessboard))
FROM unnest($1::bigint[], $2::integer[], $3::text[]) WITH ORDINALITY AS q (key, clock, fen, n) ORDER BY n
