-- In: the table games with its indexes; on standard input the output of the program "answers" for the same games.
-- Out: the number of answers, by sequential scan and by index, that agree; an ERROR for a wrong one.
CREATE TEMP TABLE answers (kind text, question text, within int, games int, games_within int, games_pieces int);
\copy answers from pstdin

CREATE TEMP TABLE conditions AS
SELECT c.condition, c.expected
FROM answers AS a, LATERAL (VALUES
    ('board', format('hasBoard(game, %L)', question), games),
    ('board', format('game @> %L::chessboard', question), games),
    ('board', format('hasBoard(game, %L, %s)', question, within), games_within),
    ('board', format('hasPieces(game, %L)', question), games_pieces),
    ('opening', format('hasOpening(game, %L)', question), games)
) AS c (kind, condition, expected)
WHERE c.kind = a.kind;

DO $$
DECLARE
    c record;
    found bigint;
    by_index bool;
    plan text;
    indexed bigint := 0;
BEGIN
    SET LOCAL max_parallel_workers_per_gather = 0;
    FOREACH by_index IN ARRAY ARRAY[false, true] LOOP
        PERFORM set_config('enable_seqscan', (NOT by_index)::text, true),
                set_config('enable_bitmapscan', by_index::text, true),
                set_config('enable_indexscan', by_index::text, true),
                set_config('enable_indexonlyscan', by_index::text, true);
        FOR c IN SELECT * FROM conditions LOOP
            EXECUTE format('SELECT count(*) FROM games WHERE %s', c.condition) INTO found;
            IF found <> c.expected THEN
                RAISE 'wrong answer, by index: %, found: %, expected: %: %', by_index, found, c.expected, c.condition;
            END IF;
            IF by_index THEN
                EXECUTE format('EXPLAIN (FORMAT JSON) SELECT count(*) FROM games WHERE %s', c.condition) INTO plan;
                indexed := indexed + (plan LIKE '%Index%')::int;
            END IF;
        END LOOP;
    END LOOP;
    RAISE NOTICE '% conditions asked by sequential scan and by index (% of them had one): all answers are those of a replay',
        (SELECT count(*) FROM conditions), indexed;
END $$;
