-- In: the table supply; the variable calls.
-- Out: by how much the memory of the backend grows between a tenth of the calls of an expression and all of them;
-- an ERROR above 2 MB.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION pg_temp.memory() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+) kB')::bigint $$;

-- A thousand games, and what goes with them, the same for each round of calls.
CREATE TEMP TABLE sample AS
SELECT id, game, game::text AS movetext, getboard(game, plycount(game) / 2) AS board,
       getboard(game, plycount(game) / 2)::text AS fen, getfirstmoves(game, 8) AS opening,
       ARRAY[getboard(game, 3), getboard(game, plycount(game))] AS boards,
       '[White "A"]' || E'\n\n' || game::text || ' *' AS pgn, '1. e4 e5 2. Ke3 ' || id AS bad
FROM supply WHERE plycount(game) BETWEEN 8 AND 400 ORDER BY id LIMIT 1000;

-- Rounds of a thousand calls in one query, one after the other, with a look at the memory after each tenth.
CREATE FUNCTION pg_temp.growth(expression text, rounds int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before_last bigint[];
    counted bigint;
BEGIN
    EXECUTE format('
        SELECT array_agg(kb ORDER BY round) FILTER (WHERE kb IS NOT NULL), count(value)
        FROM generate_series(1, %s) AS round, LATERAL (
            SELECT CASE WHEN number = 1000 AND round %% %s = 0 THEN pg_temp.memory() END AS kb, (%s) AS value
            FROM (SELECT row_number() OVER () AS number, * FROM sample WHERE round > 0 OFFSET 0) AS s OFFSET 0
        ) AS calls', rounds, rounds / 10, expression) INTO before_last, counted;
    ASSERT counted = rounds * 1000 AND cardinality(before_last) = 10, format('%s: %s calls', expression, counted);
    RETURN before_last[10] - before_last[1];
END $$;

-- As many calls that each raise an ERROR, in subtransactions.
CREATE FUNCTION pg_temp.growth_of_errors(expression text, rounds int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    first bigint;
    s record;
BEGIN
    FOR round IN 1 .. rounds LOOP
        FOR s IN SELECT * FROM sample LOOP
            BEGIN
                EXECUTE 'SELECT ' || expression USING s.game, s.bad;
                RAISE 'no error: %', expression USING ERRCODE = 'P0004';
            EXCEPTION WHEN data_exception THEN NULL;
            END;
        END LOOP;
        IF round = greatest(rounds / 10, 1) THEN first := pg_temp.memory(); END IF;
    END LOOP;
    RETURN pg_temp.memory() - first;
END $$;

CREATE TEMP TABLE growth (expression text, calls bigint, kb bigint);
INSERT INTO growth
SELECT expression, rounds * 1000, pg_temp.growth(expression, rounds)
FROM (VALUES
    ('plycount(game)', 1), ('result(game)', 1), ('getboard(game, 8)', 1), ('getfirstmoves(game, 8)', 1),
    ('hasopening(game, opening)', 1), ('openinglowerbound(game)', 1), ('openingupperbound(game)', 1),
    ('hasboard(game, ''4k3/8/8/8/8/8/8/4K3 w - - 0 1'')', 1), ('hasboard(game, board)', 1), ('hasboard(game, board, 30)', 1),
    ('haspieces(game, board)', 1), ('haspieces(game, board, 30)', 1), ('board <@ game', 1), ('board ~@ game', 1),
    ('game @> boards', 1), ('game && boards', 1), ('boards <@ game', 1), ('boards && game', 1),
    ('epd(board)', 1), ('board::text', 1), ('fen::chessboard', 1), ('chessgame_send(game)', 1), ('chessboard_send(board)', 1),
    ('chessgame_cmp(game, opening)', 1), ('game = opening', 1), ('game < opening', 1), ('board < boards[1]', 1),
    ('chessgame_hash(game)', 1), ('chessgame_hash_extended(game, 7)', 1), ('chessboard_hash(board)', 1),
    ('game::text', 10), ('movetext::chessgame', 20), ('(SELECT count(*) FROM pgngames(pgn))', 20)
) AS e (expression, divisor), LATERAL (SELECT :calls / 1000 / divisor AS rounds) AS r;
INSERT INTO growth
SELECT expression || ', an ERROR', rounds * 1000, pg_temp.growth_of_errors(expression, rounds)
FROM (VALUES ('$2::chessgame'), ('$2::chessboard'), ('getboard($1, 100000)')) AS e (expression),
    LATERAL (SELECT :calls / 20000 AS rounds) AS r;

SELECT format('  %s kB in %s calls of %s', kb, calls, expression) FROM growth ORDER BY kb DESC LIMIT 5;
DO $$
DECLARE
    bad text;
BEGIN
    SELECT string_agg(format('%s kB in %s calls of %s', kb, calls, expression), '; ') INTO bad FROM growth WHERE kb > 2048;
    ASSERT bad IS NULL, bad;
END $$;
SELECT format('Memory: %s calls of %s expressions, none grew by more than %s kB', sum(calls), count(*), max(kb)) FROM growth;
