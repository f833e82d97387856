-- In: the table supply; the variables calls and seconds, the most of them that an expression gets, and plies, the number of
-- half-moves to which games are cut.
-- Out: by how much the memory of the backend grows between a tenth of the calls of an expression and all of them;
-- an ERROR above 2 MB.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
-- a round keeps nothing between its calls
SET enable_memoize = off;

CREATE FUNCTION pg_temp.memory() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+) kB')::bigint $$;

-- A thousand games, and what goes with them, the same for each round of calls.
CREATE TEMP TABLE sample AS
SELECT id, game, game::text AS movetext, b.board, b.board::text AS fen, getfirstmoves(game, 8) AS opening,
       ARRAY[getboard(game, 3), getboard(game, plycount(game))] AS boards,
       '[White "A"]' || E'\n\n' || game::text || ' *' AS pgn, '1. e4 e5 2. Ke3 ' || id AS bad,
       uci(game) AS uci, moves2(game) AS codes, ocgdbmoves2(game) AS ocgdb, startboard(game) AS start,
       (SELECT san FROM legalmoves(b.board) LIMIT 1) AS san, id * 70368744177664 AS bits
FROM (SELECT id, CASE WHEN plycount(game) > :plies THEN getfirstmoves(game, :plies) ELSE game END AS game FROM supply) AS supply,
    LATERAL (SELECT getboard(game, plycount(game) / 2) AS board) AS b
WHERE plycount(game) BETWEEN 8 AND 400 AND startboard(game) = startboard('*') ORDER BY id LIMIT 1000;

-- Rounds of a thousand calls in one query, one after the other, with a look at the memory after each tenth.
CREATE FUNCTION pg_temp.growth(expression text, rounds int, OUT kb bigint, OUT seconds float) LANGUAGE plpgsql AS $$
DECLARE
    seen bigint[];
    counted bigint;
    began timestamptz := clock_timestamp();
BEGIN
    EXECUTE format('
        SELECT array_agg(kb ORDER BY round) FILTER (WHERE kb IS NOT NULL), count(value)
        FROM generate_series(1, %s) AS round, LATERAL (
            SELECT CASE WHEN number = 1000 AND round %% %s = 0 THEN pg_temp.memory() END AS kb, (%s) AS value
            FROM (SELECT row_number() OVER () AS number, * FROM sample WHERE round > 0 OFFSET 0) AS s OFFSET 0
        ) AS calls', rounds, rounds / 10, expression) INTO seen, counted;
    ASSERT counted = rounds * 1000 AND cardinality(seen) = 10, format('%s: %s calls', expression, counted);
    kb := seen[10] - seen[1];
    seconds := extract(epoch FROM clock_timestamp() - began);
END $$;

-- As many calls that each raise an ERROR, in subtransactions.
CREATE FUNCTION pg_temp.growth_of_errors(expression text, rounds int, OUT kb bigint, OUT seconds float) LANGUAGE plpgsql AS $$
DECLARE
    first bigint;
    s record;
    began timestamptz := clock_timestamp();
BEGIN
    FOR round IN 1 .. rounds LOOP
        FOR s IN SELECT * FROM sample LOOP
            BEGIN
                EXECUTE 'SELECT ' || expression USING s.game, s.bad, s.board;
                RAISE 'no error: %', expression USING ERRCODE = 'P0004';
            EXCEPTION WHEN data_exception THEN NULL;
            END;
        END LOOP;
        IF round = greatest(rounds / 10, 1) THEN first := pg_temp.memory(); END IF;
    END LOOP;
    kb := pg_temp.memory() - first;
    seconds := extract(epoch FROM clock_timestamp() - began);
END $$;

-- As many rounds as fit into the time, by a trial of ten; a multiple of ten.
CREATE FUNCTION pg_temp.rounds(trial float, seconds float, calls bigint) RETURNS int LANGUAGE sql AS
$$ SELECT greatest(10, least(calls / 10000, (seconds / greatest(trial, 0.001))::int) * 10) $$;

\i tests/tap/expressions.sql
CREATE TEMP TABLE growth (expression text, calls bigint, kb bigint);
INSERT INTO growth
SELECT expression, rounds * 1000, (pg_temp.growth(expression, rounds)).kb
FROM expressions, LATERAL (
    SELECT pg_temp.rounds((pg_temp.growth(expression, 10)).seconds, :seconds, :calls) AS rounds
) AS r;
INSERT INTO growth
SELECT expression || ', an ERROR', rounds * 1000, (pg_temp.growth_of_errors(expression, rounds)).kb
FROM unnest(ARRAY['$2::chessgame', '$2::chessboard', 'getboard($1, 100000)', 'fromuci($2)', 'frommoves2(''\x01'')', 'movecode($2)',
    'play($3, $2)', 'play($1, $2)', 'newgame($3, $2)', 'san($3, $2)', 'takeback($1, 100000)', 'withresult($1, $2)', 'score($2, $2)', 'hasmaterial($1, $2)', 'squareset(ARRAY[$2])', 'svgboard($3, $2)']) AS expression,
    LATERAL (SELECT pg_temp.rounds((pg_temp.growth_of_errors(expression, 1)).seconds * 10, :seconds, :calls) AS rounds) AS r;

SELECT format('  %s kB in %s calls of %s', kb, calls, expression) FROM growth ORDER BY kb DESC LIMIT 5;
SELECT format('  fewest calls: %s of %s', calls, expression) FROM growth ORDER BY calls LIMIT 3;
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(format('%s kB in %s calls of %s', kb, calls, expression), '; ') INTO bad FROM growth WHERE kb > 2048;
    ASSERT bad IS NULL, bad;
END $$;
SELECT format('Memory: %s calls of %s expressions (%s of them %s times each), none grew by more than %s kB',
    sum(calls), count(*), count(*) FILTER (WHERE calls >= :calls), :calls, max(kb)) FROM growth;
