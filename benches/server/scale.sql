-- In: a database whose schema chess was filled by chess-pgn, with an index.
-- Out: the view games for the questions in tests/system/cluster/questions.sql, tables beside it, and functions that run and
-- time questions; each returns a line of text.
DROP SCHEMA IF EXISTS asked CASCADE;
CREATE SCHEMA asked;
SET search_path = asked, public;
CREATE VIEW games AS TABLE chess.pgn_view;
CREATE TABLE players AS SELECT name, chr(65 + length(name) % 26) AS country FROM chess.players;
CREATE TABLE openings AS SELECT row_number() OVER (ORDER BY opening) AS id, opening
FROM (SELECT getFirstMoves(game, 6) AS opening FROM (SELECT game FROM chess.games LIMIT 100000) AS g
      GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 40) AS o;
CREATE TABLE boards AS SELECT id, finalBoard(opening) AS board FROM openings;
ANALYZE players, openings, boards;

CREATE FUNCTION now_ms() RETURNS numeric LANGUAGE sql VOLATILE AS 'SELECT 1000 * extract(epoch FROM clock_timestamp())';

-- Runs a query once, then up to eight times more within about a second: number of rows, first and median time, and
-- the indexes in the plan.
CREATE FUNCTION timed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    rows bigint;
    began numeric;
    times numeric[] = '{}';
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    LOOP
        began := now_ms();
        EXECUTE 'SELECT count(*) FROM (' || query || ' OFFSET 0) AS q' INTO rows;
        times := times || now_ms() - began;
        EXIT WHEN cardinality(times) = 9 OR (SELECT sum(t) FROM unnest(times) AS t) > 1000;
    END LOOP;
    RETURN format('%s rows, first %s ms, median %s ms, %s', rows, round(times[1], 2),
        (SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2) FROM unnest(times) AS t),
        coalesce((SELECT string_agg(DISTINCT name #>> '{}', ' ') FROM jsonb_path_query(plan, 'strict $.**."Index Name"') AS name), 'no index'));
END
$$;

-- Positions that at most 20 games have, from half-moves "first" to "last" of games at regular intervals. Each is asked
-- three times; the last answer counts. Candidates are the games that an index leaves to be searched.
CREATE FUNCTION rare_boards(first int, last int, wanted int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    board chessboard;
    began numeric;
    found bigint;
    times numeric[] = '{}';
    first_times numeric[] = '{}';
    candidates numeric[] = '{}';
    plan jsonb;
    most bigint;
    tries int := 20 * wanted;
BEGIN
    SELECT max(id) FROM chess.games INTO most;
    FOR n IN 1 .. tries LOOP
        EXECUTE 'SELECT getBoard(game, $1) FROM chess.games WHERE id > $2 AND plyCount(game) >= $1 ORDER BY id LIMIT 1'
            INTO board USING first + n % (last - first + 1), n * most / (tries + 1);
        EXECUTE format('SELECT count(*) FROM (SELECT FROM chess.games WHERE hasBoard(game, %L) LIMIT 21) AS g', board) INTO found;
        CONTINUE WHEN board IS NULL OR found > 20;
        FOR run IN 1 .. 3 LOOP
            began := now_ms();
            EXECUTE format('SELECT count(*) FROM chess.games WHERE hasBoard(game, %L)', board) INTO found;
            IF run = 1 THEN first_times := first_times || now_ms() - began; END IF;
            IF run = 3 THEN times := times || now_ms() - began; END IF;
        END LOOP;
        EXECUTE format('EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT FROM chess.games WHERE hasBoard(game, %L)', board) INTO plan;
        candidates := candidates || (SELECT sum((node ->> 'Actual Rows')::numeric + coalesce((node ->> 'Rows Removed by Index Recheck')::numeric, 0))
            FROM jsonb_path_query(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan" || @."Node Type" == "Index Scan")') AS node);
        EXIT WHEN cardinality(times) = wanted;
    END LOOP;
    RETURN (SELECT format('%s boards, candidates mean %s, most %s; median %s ms, worst %s ms; first time mean %s ms, worst %s ms',
        cardinality(times),
        (SELECT round(avg(c), 2) FROM unnest(candidates) AS c), (SELECT max(c) FROM unnest(candidates) AS c),
        (SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 3) FROM unnest(times) AS t),
        (SELECT round(max(t), 3) FROM unnest(times) AS t), (SELECT round(avg(t), 2) FROM unnest(first_times) AS t),
        (SELECT round(max(t), 2) FROM unnest(first_times) AS t)));
END
$$;

-- The board after ten half-moves of a game whose share of the games is nearest to the wanted one.
CREATE FUNCTION board_of_share(wanted float8) RETURNS chessboard LANGUAGE sql AS $$
    SELECT board FROM (SELECT getBoard(game, 10) AS board FROM chess.games TABLESAMPLE SYSTEM (1) WHERE plyCount(game) >= 10 LIMIT 50000) AS g
    GROUP BY board ORDER BY abs(count(*)::float8 / sum(count(*)) OVER () - wanted), board::text LIMIT 1
$$;

-- The time within the index of a search for a board: that of the bitmap, without the games.
CREATE FUNCTION in_index(board chessboard) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    times numeric[] = '{}';
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_indexscan = off;
    FOR run IN 1 .. 9 LOOP
        EXECUTE format('EXPLAIN (ANALYZE, FORMAT JSON) SELECT FROM chess.games WHERE hasBoard(game, %L)', board) INTO plan;
        plan := jsonb_path_query_first(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")');
        times := times || (plan ->> 'Actual Total Time')::numeric;
    END LOOP;
    RETURN format('%s rows, median %s ms', (plan ->> 'Actual Rows')::numeric::bigint,
        (SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 3) FROM unnest(times) AS t));
END
$$;

-- Checks that the explorer answers for a position by the index as it does from the games, and says how long both take.
CREATE FUNCTION compared(board chessboard) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    began numeric := now_ms();
    answers text[];
    times numeric[];
BEGIN
    FOR n IN 1 .. 2 LOOP
        answers[n] := (SELECT string_agg(e::text, ' ' ORDER BY e.san) FROM chess.explorer(board, reached => false, by_index => n = 1) AS e);
        times[n] := now_ms() - began;
        began := now_ms();
    END LOOP;
    IF answers[1] IS DISTINCT FROM answers[2] THEN RAISE 'index: %, games: %', answers[1], answers[2]; END IF;
    RETURN format('equal, by the index %s ms, from the games %s ms', round(times[1], 2), round(times[2], 2));
END
$$;

-- A walk like that of people who explore openings: from the start position by moves drawn by their frequency; it
-- restarts after 24 half-moves, where nothing was played, and occasionally. It ends after a number of questions or
-- seconds.
CREATE FUNCTION walk(questions int, seconds int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    start numeric := now_ms();
    began numeric;
    board chessboard := startBoard();
    length int := 0;
    moves text[];
    games bigint[];
    drawn float8;
    chosen text;
    times numeric[] = '{}';
BEGIN
    PERFORM setseed(0.5);
    WHILE cardinality(times) < questions AND now_ms() - start < 1000 * seconds LOOP
        began := now_ms();
        SELECT array_agg(e.uci), array_agg(e.games) INTO moves, games FROM chess.explorer(board) AS e WHERE e.uci IS NOT NULL;
        times := times || now_ms() - began;
        chosen := NULL;
        drawn := random() * (SELECT sum(n) FROM unnest(games) AS n);
        SELECT m.uci INTO chosen
        FROM (SELECT uci, sum(n) OVER (ORDER BY at) AS up_to, at FROM unnest(moves, games) WITH ORDINALITY AS u (uci, n, at)) AS m
        WHERE m.up_to >= drawn ORDER BY m.at LIMIT 1;
        length := length + 1;
        IF chosen IS NULL OR length > 24 OR random() < 0.125 THEN
            board := startBoard();
            length := 0;
        ELSE
            board := play(board, chosen);
        END IF;
    END LOOP;
    RETURN (SELECT format('%s questions, mean %s ms, p50 %s ms, p99 %s ms, worst %s ms', count(*), round(avg(t), 2),
        round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2), round(percentile_cont(0.99) WITHIN GROUP (ORDER BY t)::numeric, 2),
        round(max(t), 2)) FROM unnest(times) AS t);
END
$$;
