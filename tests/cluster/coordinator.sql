-- In: the foreign tables of node.sql, of which games_1 is there.
-- Out: the table of all games, for what the nodes are partitions, and an explorer that adds up what each of them counts.
CREATE TABLE chess.games (LIKE chess.games_1) PARTITION BY LIST (shard);
ALTER TABLE chess.games ALTER COLUMN game SET (n_distinct = 50, n_distinct_inherited = 50);
-- for chess-pgn export
CREATE VIEW chess.pgn_view AS SELECT * FROM chess.games;
ALTER DATABASE chess SET enable_partitionwise_aggregate = on;
ALTER DATABASE chess SET search_path = chess, public;

CREATE FUNCTION chess.explorer(board public.chessboard) RETURNS TABLE (move text, games bigint, score numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT s.move, sum(s.n)::bigint, round(100 * sum(s.points) / nullif(sum(s.rated), 0), 1)
    FROM (SELECT g.shard, public.nextmove(g.game, explorer.board) AS move, count(*) AS n, count(public.score(g.result, 'w')) AS rated,
                 sum(public.score(g.result, 'w')) AS points
          FROM chess.games AS g WHERE public.hasboard(g.game, explorer.board) GROUP BY 1, 2) AS s
    GROUP BY 1
$$;
COMMENT ON FUNCTION chess.explorer(public.chessboard) IS 'the moves played from the position, over all servers';
