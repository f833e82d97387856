-- In: schema and extension; $1 a game that begins with the problem, $2 its solution. Out: the puzzle, and whether it is new; no
-- row if it was imported: then it stays as it is.
INSERT INTO {schema}.puzzles AS p (board, solution, themes, game_id, ply, rating, kind)
SELECT {extension}.startboard(g.game), $2, t.themes, g.id, 0, {schema}.estimated_rating($2::text[], t.themes), 'problem'
FROM {schema}.games g
CROSS JOIN LATERAL (SELECT {schema}.themes_of({extension}.startboard(g.game), $2::text[])) t (themes)
WHERE g.id = $1
ON CONFLICT (({extension}.chessposition(board))) DO UPDATE
SET solution = excluded.solution, themes = excluded.themes, rating = excluded.rating
WHERE p.kind <> 'import'
RETURNING xmax = 0
