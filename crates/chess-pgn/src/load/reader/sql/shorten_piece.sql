-- In: schema; $1 a source, $2 where a piece of it begins, $3 to $6 the number of incomplete, rejected, stored and left out
-- games that its last game was. Out: the piece without this game. If it was not left out and neither table had it, it was a
-- duplicate, or somebody has deleted it from games.
UPDATE {schema}.pieces SET games = games - 1, incomplete = incomplete - $3,
    rejected = rejected - $4,
    left_out = left_out - $6,
    duplicates = duplicates - CASE WHEN $6 + $5 + $4 = 0 AND duplicates > 0 THEN 1 ELSE 0 END,
    stored = stored - CASE WHEN $6 + $5 + $4 = 0 AND duplicates = 0 THEN 1 ELSE $5 END
WHERE source_id = $1 AND start_offset = $2
