-- In: schema and extension. Out: all puzzles that have a move before them. Puzzles without a name are named after their position,
-- so that a puzzle of another database has the same name only if it has the same position.
COPY (
    SELECT coalesce(name, 'own' || to_hex({extension}.zobrist(board))) AS "PuzzleId", before AS "FEN", concat_ws(' ', lead, array_to_string(solution, ' ')) AS "Moves",
           rating AS "Rating", coalesce(rating_deviation, 500) AS "RatingDeviation", coalesce(popularity, 0) AS "Popularity",
           coalesce(plays, 0) AS "NbPlays", array_to_string(themes, ' ') AS "Themes", url AS "GameUrl",
           array_to_string(openings, ' ') AS "OpeningTags"
    FROM {schema}.puzzles WHERE before IS NOT NULL ORDER BY id
) TO STDOUT (FORMAT csv, HEADER)
