-- In: a database of tests/tap/tables.sql; the variable pending, how many games are pending before they become a
-- segment.
-- Out: the index games_chess, which is the only one that questions are for; among the games that are supplied are NULL and
-- one that is longer than a page.
ALTER TABLE games ALTER game DROP NOT NULL;
ALTER TABLE supply ALTER game DROP NOT NULL;
INSERT INTO supply (game) VALUES (NULL), ((SELECT string_agg('Nf3 Nf6 Ng1 Ng8', ' ') FROM generate_series(1, 5000))::chessgame);
CREATE INDEX games_chess ON games USING chess (game) WITH (pending_games = :pending);

WITH picked AS (
    SELECT id, game, (plycount(game) * (id % 7) / 7)::int AS ply FROM supply
    WHERE id IN (SELECT id FROM questions, supply WHERE condition = format('game = %L', game))
), asked AS (
    SELECT id, game, getboard(game, ply) AS board, getboard(game, ply / 4) AS early, ply / 4 + 2 AS within FROM picked
), dropped AS (
    DELETE FROM questions
)
INSERT INTO questions
SELECT 'games_chess', condition FROM asked, LATERAL (VALUES
    (format('hasBoard(game, %L)', board)),
    (format('hasBoard(game, %L, %s)', early, within)),
    (format('hasPieces(game, %L)', early)),
    (format('game @>> %L::chessboard[]', ARRAY[board, early])),
    (format('game && %L::chessboard[]', ARRAY[board, early])),
    (format('%L::chessboard <@ game', board)),
    (format('%L::chessboard[] && game', ARRAY[board, early])),
    (format('hasOpening(game, %L)', getfirstmoves(game, (1 + id % 9)::int)))
) AS q (condition);
INSERT INTO questions SELECT 'any', format('hasOpening(%L, game)', game) FROM supply WHERE id % 97 = 1;
INSERT INTO questions
SELECT 'games_chess', unnest(ARRAY['game @@ ''Nd5''', 'hasPattern(game, ''O-O-O'', 60)', 'game @@ ''flip(Q = 1 and q = 0)''',
    'game @@ ''KR*P*vKR*P*''', 'game @@ ''Nd5 then Pxp'' AND hasOpening(game, ''1. e4'')']);

-- Scans of the index one after the other, so that whoever stops this at any moment has most likely stopped a scan of the
-- index; an ERROR if one of them finds other games than a sequential scan. To be called in a transaction with one snapshot.
CREATE TABLE boards AS
SELECT getboard(game, ply) AS board FROM supply, (VALUES (4), (9), (15), (24), (40), (70)) AS p (ply)
WHERE id % greatest((SELECT max(id) FROM supply) / 10, 1) = 3 AND ply <= plycount(game);
CREATE FUNCTION scans(times int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := 'SELECT md5(string_agg(b.board || found, chr(10) ORDER BY b.board)) FROM boards AS b, LATERAL
        (SELECT coalesce(string_agg(id::text, chr(32) ORDER BY id), %L) AS found FROM games WHERE game @> b.board) AS g';
    answer text;
    by_index text[];
    by_scan text;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true);
    FOR n IN 1 .. times LOOP
        -- in turn by plain index scans and bitmap scans
        PERFORM set_config('enable_bitmapscan', (n % 2 = 0)::text, true), set_config('enable_indexscan', (n % 2 = 1)::text, true);
        EXECUTE format(query, '') INTO answer;
        by_index[n] := answer;
    END LOOP;
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_indexscan', 'off', true);
    EXECUTE format(query, '') INTO by_scan;
    IF by_scan <> ANY (by_index) THEN
        RAISE 'a scan of the index finds other games than a sequential scan';
    END IF;
    RETURN times || ' scans of the index answer as a sequential scan';
END $$;

-- A cursor over half of the games, by a plain index scan. begin_taking opens it, take fetches some of its games, all_taken the
-- rest; that is an ERROR unless each game that a sequential scan finds was fetched exactly once. To be called in a transaction
-- with one snapshot.
CREATE FUNCTION half() RETURNS chessboard[] IMMUTABLE LANGUAGE sql
RETURN ARRAY[finalBoard('1. e4'), finalBoard('1. d4 d5'), finalBoard('1. c4')];
CREATE FUNCTION begin_taking() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    taken refcursor := 'taken';
BEGIN
    PERFORM set_config('test.taken', '{}', true), set_config('max_parallel_workers_per_gather', '0', true),
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_indexscan', 'on', true);
    OPEN taken NO SCROLL FOR SELECT id FROM games WHERE game && half();
END $$;
CREATE FUNCTION take(number int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    taken refcursor := 'taken';
    ids int[] := current_setting('test.taken');
    one int;
BEGIN
    FOR n IN 1 .. number LOOP
        FETCH taken INTO one;
        EXIT WHEN NOT FOUND;
        ids := ids || one;
    END LOOP;
    PERFORM set_config('test.taken', ids::text, true);
    RETURN cardinality(ids);
END $$;
CREATE FUNCTION all_taken() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    number int := take(1000000);
    wanted int[];
BEGIN
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true);
    wanted := ARRAY(SELECT id FROM games WHERE game && half() ORDER BY id);
    IF number < 100 OR wanted <> ARRAY(SELECT one FROM unnest(current_setting('test.taken')::int[]) AS one ORDER BY one) THEN
        RAISE 'a cursor has fetched % games, a sequential scan finds %', number, cardinality(wanted);
    END IF;
    RETURN 'a cursor fetches each game once';
END $$;
