-- In: a database that chess-pgn load --index has filled, after VACUUM.
-- Out: for aggregates and the first rows in an order, in plain SQL, milliseconds (median of twenty) with chess.enable_index_sums on and off by turns, and
-- their ratio; for both also the milliseconds of planning. An error if an answer differs.
CREATE TEMP TABLE asked AS
SELECT row_number() OVER () AS n, name, replace(replace(question, '$reached', format('hasBoard(game, %L::chessboard)', board)),
                                                '$next', format('nextMove(game, %L::chessboard)', board)) AS question
FROM (VALUES ('start', startBoard()), ('1. e4', finalBoard('1. e4')),
             ('Najdorf', finalBoard('1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6'))) b (position, board),
     (VALUES (1, 'count', 'SELECT count(*) FROM chess.games WHERE $reached'),
             (2, 'count, rating', 'SELECT count(*) FROM chess.games WHERE $reached AND white_elo >= 2500'),
             (3, 'explorer', 'SELECT $next AS move, count(*), round(100 * avg(score(result, ''w''))) FROM chess.games WHERE $reached GROUP BY move ORDER BY 2 DESC, 1'),
             (4, 'explorer, rating', 'SELECT $next AS move, count(*), round(100 * avg(score(result, ''w''))) FROM chess.games WHERE $reached AND white_elo >= 2500 GROUP BY move ORDER BY 2 DESC, 1'),
             (5, 'count, or after 1. c4', 'SELECT count(*) FROM chess.games WHERE $reached OR hasBoard(game, finalBoard(''1. c4''))'),
             (6, 'count, either side to move', 'SELECT count(*) FROM chess.games WHERE hasPieces(game, finalBoard(''1. e4 c5'')) OR $reached'),
             (7, 'latest 10', 'SELECT id, game FROM chess.games WHERE $reached ORDER BY lower(dates) DESC NULLS LAST, id DESC LIMIT 10'),
             (8, 'highest rated 10', 'SELECT id, game FROM chess.games WHERE $reached ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 10'),
             (9, 'highest rated 100, won', 'SELECT id, game FROM chess.games WHERE $reached AND result = ''1-0'' ORDER BY coalesce(white_elo, 0) + coalesce(black_elo, 0) DESC, id DESC LIMIT 100'),
             (10, 'strongest White, 10', 'SELECT id, game FROM chess.games WHERE $reached AND black_elo < 2300 ORDER BY white_elo DESC NULLS LAST, id DESC LIMIT 10')) q (i, kind, question),
     LATERAL (SELECT position || ': ' || kind AS name) AS x
ORDER BY i, board;
CREATE TEMP TABLE taken (n bigint, enabled boolean, ms float8, planning float8, answer text);
DO $$
DECLARE q record; enabled boolean; plan json; answer text; started timestamptz;
BEGIN
    FOR q IN SELECT * FROM asked ORDER BY n LOOP
        FOR turn IN 0 .. 41 LOOP
            enabled := turn % 2 = 0;
            PERFORM set_config('chess.enable_index_sums', enabled::text, true);
            -- The rows of the turn before have emptied the processor's caches, the sums have not: the first plan is not counted.
            FOR repeat IN 1 .. 2 LOOP
                EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || q.question INTO plan;
            END LOOP;
            started := clock_timestamp();
            EXECUTE format('SELECT string_agg(x::text, '' '') FROM (%s) AS x', q.question) INTO answer;
            -- the first of each kind fills caches
            IF turn > 1 THEN
                INSERT INTO taken VALUES (q.n, enabled, 1000 * extract(epoch FROM clock_timestamp() - started),
                                          (plan -> 0 ->> 'Planning Time')::float8, md5(answer));
            END IF;
        END LOOP;
    END LOOP;
    IF EXISTS (SELECT FROM taken GROUP BY n HAVING count(DISTINCT coalesce(taken.answer, '')) > 1) THEN
        RAISE EXCEPTION 'the index differs from the rows';
    END IF;
END
$$;
SELECT name, round(on_ms::numeric, 3) AS "on", round(off_ms::numeric, 2) AS "off", round((off_ms / on_ms)::numeric, 1) AS ratio,
       round(on_planning::numeric, 3) AS "planning on", round(off_planning::numeric, 3) AS "planning off"
FROM (SELECT n, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE enabled) AS on_ms,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE NOT enabled) AS off_ms,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY planning) FILTER (WHERE enabled) AS on_planning,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY planning) FILTER (WHERE NOT enabled) AS off_planning
      FROM taken GROUP BY n) t JOIN asked USING (n) ORDER BY n;
