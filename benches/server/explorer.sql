-- In: a database that chess-pgn load --index has filled, after VACUUM; -v questions=n; -v compared=n, how many of them are
-- asked of the games as well (all), because that takes seconds each in a large database.
-- Out: milliseconds of processor time that the explorer takes by the index: for popular positions with filters, median of
-- twenty; for positions that games visit, a half-move from 0 to 20 of a game drawn at random, also from the games, in the
-- same run; for the best and the latest 15 games of such positions, half-moves 1 to 17, each asked twice and the second time
-- measured, by the number of games with the position. An error if index and games differ; at the end a digest of all lists,
-- which is that of another run unless one of them is wrong.
\if :{?compared}
\else
\set compared :questions
\endif
\ir measure.sql
CREATE FUNCTION pg_temp.median(question text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE start numeric; times float8[] := '{}';
BEGIN
    FOR n IN 1 .. 20 LOOP
        start := processor_ms();
        EXECUTE 'SELECT count(*) FROM ' || question;
        times := times || (processor_ms() - start)::float8;
    END LOOP;
    RETURN (SELECT round((percentile_cont(0.5) WITHIN GROUP (ORDER BY t))::numeric, 2) FROM unnest(times) t);
END
$$;
SELECT coalesce(nullif(moves, ''), 'start') AS position, question, pg_temp.median(format(question, format('finalBoard(%L)', moves))) AS ms
FROM unnest(ARRAY['', '1. e4', '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6']) WITH ORDINALITY m (moves, i),
     unnest(ARRAY['chess.explorer(%s, reached => false)', 'chess.explorer(%s, rating => ''[2400,)'', dates => ''[2010-01-01,)'', reached => false)',
                  'chess.explorer(%s)', 'chess.explorer(%s, rating => ''[2400,)'', dates => ''[2010-01-01,)'')', 'chess.explorer_games(%s)', 'chess.explorer_games(%s, sort => ''date'')']) WITH ORDINALITY q (question, j)
ORDER BY i, j;
SELECT setseed(0.5);
CREATE TEMP TABLE asked AS
SELECT row_number() OVER () AS n, getBoard(game, least((random() * 20)::int, plyCount(game))) AS board
FROM (SELECT game FROM chess.games ORDER BY random() LIMIT :questions) g;
CREATE TEMP TABLE taken (n bigint, by_index boolean, ms float8, answer text);
CREATE FUNCTION pg_temp.ask(by_index boolean, most bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE q record; start numeric; answer text;
BEGIN
    FOR q IN SELECT * FROM asked WHERE n <= most ORDER BY n LOOP
        start := processor_ms();
        SELECT string_agg(e::text, ' ' ORDER BY e.san) INTO answer FROM chess.explorer(q.board, by_index => ask.by_index) e;
        INSERT INTO taken VALUES (q.n, ask.by_index, processor_ms() - start, md5(answer));
    END LOOP;
END
$$;
DO $$ BEGIN PERFORM chess.explorer(board) FROM asked LIMIT 20; END $$;
SELECT pg_temp.ask(true, :questions), pg_temp.ask(false, :compared);
DO $$ BEGIN
    IF EXISTS (SELECT FROM taken GROUP BY n HAVING count(DISTINCT coalesce(answer, '')) > 1) THEN
        RAISE EXCEPTION 'the index differs from the games';
    END IF;
END $$;
SELECT CASE WHEN by_index THEN 'index' ELSE 'games' END AS "from", count(*) AS questions, round(avg(ms)::numeric, 1) AS mean,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p50,
       round((percentile_cont(0.9) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p90,
       round((percentile_cont(0.99) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p99, round(max(ms)::numeric, 1) AS max
FROM taken GROUP BY by_index ORDER BY 1 DESC;
SELECT setseed(0.3);
CREATE TEMP TABLE visited AS
SELECT row_number() OVER () AS n, board
FROM (SELECT DISTINCT ON (epd(board)) board
      FROM (SELECT getBoard(game, least((1 + random() * 16)::int, plyCount(game))) AS board
            FROM (SELECT game FROM chess.games ORDER BY hashint8(id) LIMIT :questions) g) b) d;
CREATE TEMP TABLE listed (n bigint, games bigint, sort text, ms float8, answer text);
DO $$
DECLARE q record; order_by text; start numeric; known bigint; ids text;
BEGIN
    FOR q IN SELECT * FROM visited ORDER BY n LOOP
        known := (SELECT sum(games) FROM chess.explorer(q.board, reached => false));
        FOREACH order_by IN ARRAY '{rating,date}'::text[] LOOP
            PERFORM count(*) FROM chess.explorer_games(q.board, sort => order_by);
            start := processor_ms();
            SELECT string_agg(g.id::text, ' ') INTO ids FROM chess.explorer_games(q.board, sort => order_by) g;
            INSERT INTO listed VALUES (q.n, known, order_by, processor_ms() - start, ids);
        END LOOP;
    END LOOP;
END $$;
SELECT power(10, width_bucket(games, '{10,100,1000,10000,100000,1000000}'::bigint[]))::bigint AS games_from, sort, count(*) AS questions,
       round(avg(ms)::numeric, 1) AS mean, round((percentile_cont(0.99) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p99,
       round(max(ms)::numeric, 1) AS max
FROM listed GROUP BY 1, 2 ORDER BY 1, 2;
SELECT md5(string_agg(answer, ',' ORDER BY n, sort)) AS answers FROM listed;
