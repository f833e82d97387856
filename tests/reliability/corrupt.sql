-- In: tables damaged_games and damaged_boards (id, value), changed on disk.
-- Out: what every function says to every value, counted by SQLSTATE; an ERROR if that is neither an answer nor one of
-- the expected.
SET client_min_messages = warning;
CREATE TEMP TABLE outcomes (expression text, outcome text);

CREATE FUNCTION pg_temp.try_each(expression text, source regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    row_id bigint;
    answer text;
BEGIN
    FOR row_id IN EXECUTE format('SELECT id FROM %s', source) LOOP
        BEGIN
            EXECUTE format('SELECT (%s)::text FROM %s WHERE id = $1', expression, source) INTO answer USING row_id;
            INSERT INTO outcomes VALUES (expression, 'answer');
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO outcomes VALUES (expression, SQLSTATE);
        END;
    END LOOP;
END $$;

SELECT count(pg_temp.try_each(expression, 'damaged_games')) FROM unnest(ARRAY[
    'value', 'chessgame_send(value)', 'getboard(value, 0)', 'getboard(value, plycount(value))',
    'getboard(value, 7)', 'getfirstmoves(value, 9)', 'getfirstmoves(value, 100000)',
    'hasopening(value, ''1. e4'')', 'hasopening(''1. e4 e5'', value)', 'hasopening(value, value)',
    'openinglowerbound(value)', 'openingupperbound(value)', 'plycount(value)', 'result(value)',
    'hasboard(value, getboard(''1. d4 d5'', 2))', 'hasboard(value, getboard(''1. d4 d5'', 2), 1)',
    'haspieces(value, ''4k3/8/8/8/8/8/8/4K3 w - - 0 1'')', 'haspieces(value, getboard(''1. d4 d5'', 2), 4)',
    'value @> ARRAY[getboard(''1. d4 d5'', 1), getboard(''1. d4 d5'', 2)]',
    'value && ARRAY[getboard(''1. d4 d5'', 1), getboard(''1. c4'', 1)]',
    'getboard(''1. e4'', 1) <@ value', 'chessgame_cmp(value, ''1. e4'')', 'value = ''1. e4''', 'value < ''1. d4 d5''',
    'chessgame_hash(value)', 'chessgame_hash_extended(value, 1)']) AS expression;
SELECT count(pg_temp.try_each(expression, 'damaged_boards')) FROM unnest(ARRAY[
    'value', 'chessboard_send(value)', 'epd(value)', 'hasboard(''1. e4 e5 2. Nf3'', value)',
    'hasboard(''1. e4 e5 2. Nf3'', value, 1)', 'haspieces(''1. e4 e5 2. Nf3'', value)',
    '''1. e4 e5''::chessgame @> ARRAY[value]', '''1. e4 e5''::chessgame && ARRAY[NULL, value]', 'value < getboard(''1. e4'', 1)',
    'chessboard_hash(value)', 'chessboard_hash_extended(value, 1)']) AS expression;

-- What reads whole columns: sorting, statistics, index builds, searches.
CREATE FUNCTION pg_temp.try_all(statement text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    INSERT INTO outcomes VALUES (statement, 'answer');
EXCEPTION WHEN OTHERS THEN
    INSERT INTO outcomes VALUES (statement, SQLSTATE);
END $$;
SELECT count(pg_temp.try_all(statement)) FROM unnest(ARRAY[
    'ANALYZE damaged_games', 'ANALYZE damaged_boards',
    'CREATE INDEX ON damaged_games (value)', 'CREATE INDEX ON damaged_games USING hash (value)',
    'CREATE INDEX ON damaged_games USING gin (value)', 'CREATE INDEX ON damaged_games USING gin (value chessgame_compact_ops)',
    'CREATE INDEX ON damaged_boards (value)', 'CREATE INDEX ON damaged_boards USING hash (value)',
    'SELECT DISTINCT value FROM damaged_games', 'SELECT count(*) FROM (SELECT FROM damaged_games ORDER BY value OFFSET 0) AS g',
    'SELECT count(*) FROM damaged_games WHERE hasopening(value, ''1. e4'')',
    'SELECT count(*) FROM damaged_games AS g JOIN damaged_boards AS b ON g.id % 50 = b.id % 50 AND hasboard(g.value, b.value)'
]) AS statement;

SELECT format('  %s %s', count(*), outcome) FROM outcomes GROUP BY outcome ORDER BY outcome;
DO $$
DECLARE
    bad text;
BEGIN
    -- a game whose count of moves was changed may not have half-move 7
    SELECT string_agg(DISTINCT outcome || ' from ' || expression, '; ') INTO bad FROM outcomes
    WHERE outcome NOT IN ('answer', 'XX001') AND NOT (outcome = '22003' AND expression = 'getboard(value, 7)');
    ASSERT bad IS NULL, bad;
    ASSERT (SELECT count(*) FROM outcomes WHERE outcome = 'XX001') > 1000, 'hardly any damage was noticed';
END $$;
SELECT format('%s calls and statements: answers, or ERROR XX001 (%s)', count(*), count(*) FILTER (WHERE outcome = 'XX001'))
FROM outcomes;
