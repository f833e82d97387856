-- In: tables damaged_games and damaged_boards (id, value), changed on disk.
-- Out: what every function says to every value, counted by SQLSTATE; an ERROR if that is neither an answer nor one of
-- the expected.
SET client_min_messages = warning;
CREATE TEMP TABLE outcomes (expression text, outcome text);

\i tests/tap/expressions.sql
INSERT INTO expressions SELECT unnest(ARRAY[
    'getboard(game, 0)', 'getboard(game, plycount(game))', 'getfirstmoves(game, 100000)', 'hasopening(opening, game)',
    'hasopening(game, game)', 'game @>> ARRAY[board, boards[1]]', 'opening && ARRAY[NULL, board]', 'hasboard(opening, board, 1)']);
-- What else an expression reads is sound.
CREATE TEMP TABLE sound AS
SELECT opening AS game, opening, getboard(opening, 2) AS board, ARRAY[getboard(opening, 1), getboard(opening, 3)] AS boards,
       opening::text AS movetext, getboard(opening, 2)::text AS fen, '[White "A"]' || E'\n\n' || opening::text || ' *' AS pgn,
       uci(opening) AS uci, moves2(opening) AS codes, ocgdbmoves2(opening) AS ocgdb, startboard(opening) AS start,
       'Nf3' AS san, 255::bigint AS bits
FROM CAST('1. d4 d5 2. c4 e6' AS chessgame) AS opening;

-- Every expression that reads a column, for every damaged value of that column.
CREATE FUNCTION pg_temp.try_each(reads text, source regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(CASE attname WHEN reads THEN 'd.value AS ' || attname ELSE 's.' || attname END, ', ' ORDER BY attnum)
                     FROM pg_attribute WHERE attrelid = 'pg_temp.sound'::regclass AND attnum > 0);
    expression text;
    row_id bigint;
    answer text;
BEGIN
    FOR expression IN SELECT e.expression FROM expressions AS e WHERE e.expression ~ ('\m' || reads || '\M') LOOP
        FOR row_id IN EXECUTE format('SELECT id FROM %s', source) LOOP
            BEGIN
                EXECUTE format('SELECT (%s)::text FROM (SELECT %s FROM %s AS d, sound AS s WHERE id = $1 OFFSET 0) AS v', expression, columns, source)
                INTO answer USING row_id;
                INSERT INTO outcomes VALUES (expression, 'answer');
            EXCEPTION WHEN OTHERS THEN
                INSERT INTO outcomes VALUES (expression, SQLSTATE);
            END;
        END LOOP;
    END LOOP;
END $$;
DO $$ BEGIN PERFORM pg_temp.try_each('game', 'damaged_games'), pg_temp.try_each('board', 'damaged_boards'); END $$;

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
    'CREATE INDEX ON damaged_games USING gin (value)', 'CREATE INDEX ON damaged_games USING chess (value)',
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
    SELECT string_agg(DISTINCT outcome || ' from ' || expression, '; ') INTO bad FROM outcomes
    WHERE outcome NOT IN ('answer', 'XX001')
      -- what was changed may be a shorter game, or a board against the rules
      AND NOT (outcome = '22003' AND expression ~ '^(getboard|takeback)\(')
      AND NOT (outcome = '22023' AND expression ~ 'legalmoves|play|status\(board|san\(board|uci\(board|islegal|newgame|getmoves|polyglotmove|tablebase|symmetricmove');
    ASSERT bad IS NULL, bad;
    ASSERT (SELECT count(*) FROM outcomes WHERE outcome = 'XX001') > 1000, 'hardly any damage was noticed';
END $$;
SELECT format('%s calls and statements: answers, or ERROR XX001 (%s)', count(*), count(*) FILTER (WHERE outcome = 'XX001'))
FROM outcomes;
