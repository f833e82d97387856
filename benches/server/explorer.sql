-- In: a database with games in the schema chess, indexes, and a cube (chess-pgn explorer build); -v questions=n.
-- Out: how long the explorer takes with the cube and without it, in the same run: the positions that games visit, a half-move from 0 to
-- 20 of a game drawn at random; milliseconds on the clock. An error if the two differ.
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE asked AS
SELECT row_number() OVER () AS n, getBoard(game, least((random() * 20)::int, plyCount(game))) AS board
FROM (SELECT game FROM chess.games ORDER BY random() LIMIT :questions) g;
CREATE TEMP TABLE taken (n bigint, cube boolean, ms float8, answer text);
CREATE FUNCTION pg_temp.ask(with_cube boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE q record; start timestamptz; answer text;
BEGIN
    FOR q IN SELECT * FROM asked LOOP
        start := clock_timestamp();
        SELECT string_agg(e::text, ' ' ORDER BY e.san) INTO answer FROM chess.explorer(q.board, cube => with_cube) e;
        INSERT INTO taken VALUES (q.n, with_cube, 1000 * extract(epoch FROM clock_timestamp() - start), md5(answer));
    END LOOP;
END
$$;
DO $$ BEGIN PERFORM chess.explorer(board) FROM asked LIMIT 20; END $$;
SELECT pg_temp.ask(true), pg_temp.ask(false);
DO $$ BEGIN
    IF EXISTS (SELECT FROM taken GROUP BY n HAVING count(DISTINCT coalesce(answer, '')) > 1) THEN
        RAISE EXCEPTION 'the cube differs from the games';
    END IF;
END $$;
SELECT CASE WHEN cube THEN 'cube' ELSE 'games' END AS "from", count(*) AS questions, round(avg(ms)::numeric, 1) AS mean,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p50,
       round((percentile_cont(0.9) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p90,
       round((percentile_cont(0.99) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p99, round(max(ms)::numeric, 1) AS max
FROM taken GROUP BY cube ORDER BY 1;
