-- In: a database that chess-pgn load --index has filled, after VACUUM; -v questions=n.
-- Out: milliseconds of processor time for the best and the latest 15 games of positions that games visit, half-moves 1 to 17 of
-- games drawn at random, each asked twice and the second time measured, by the number of games with the position; and a digest
-- of all answers, which is that of another run unless one of them is wrong.
\ir measure.sql
SELECT setseed(0.3);
CREATE TEMP TABLE asked AS
SELECT row_number() OVER () AS n, board
FROM (SELECT DISTINCT ON (epd(board)) board
      FROM (SELECT getBoard(game, least((1 + random() * 16)::int, plyCount(game))) AS board
            FROM (SELECT game FROM chess.games ORDER BY hashint8(id) LIMIT :questions) g) b) d;
CREATE TEMP TABLE taken (n bigint, games bigint, sort text, ms float8, answer text);
DO $$
DECLARE q record; order_by text; start numeric; known bigint; ids text;
BEGIN
    FOR q IN SELECT * FROM asked ORDER BY n LOOP
        known := (SELECT sum(games) FROM chess.explorer(q.board, reached => false));
        FOREACH order_by IN ARRAY '{rating,date}'::text[] LOOP
            PERFORM count(*) FROM chess.explorer_games(q.board, sort => order_by);
            start := processor_ms();
            SELECT string_agg(g.id::text, ' ') INTO ids FROM chess.explorer_games(q.board, sort => order_by) g;
            INSERT INTO taken VALUES (q.n, known, order_by, processor_ms() - start, ids);
        END LOOP;
    END LOOP;
END $$;
SELECT power(10, width_bucket(games, '{10,100,1000,10000,100000,1000000}'::bigint[]))::bigint AS games_from, sort, count(*) AS questions,
       round(avg(ms)::numeric, 1) AS mean, round((percentile_cont(0.99) WITHIN GROUP (ORDER BY ms))::numeric, 1) AS p99,
       round(max(ms)::numeric, 1) AS max
FROM taken GROUP BY 1, 2 ORDER BY 1, 2;
SELECT md5(string_agg(answer, ',' ORDER BY n, sort)) AS answers FROM taken;
