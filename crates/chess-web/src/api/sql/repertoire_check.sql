SELECT c.status, min(c.position::text) AS fen, c.played, c.expected, count(*) AS games,
count(*) FILTER (WHERE c.result <> '*') AS decided,
avg(CASE c.result WHEN {} THEN 1 WHEN '1/2-1/2' THEN 0.5 WHEN '*' THEN NULL ELSE 0 END)::float8 AS score,
max(c.game_id) AS game, (array_agg(c.ply ORDER BY c.game_id DESC))[1] AS ply
FROM book, {schema}.repertoire_check(book.moves
