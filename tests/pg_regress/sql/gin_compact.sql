-- The compact GIN operator class: the same answers from an index of a few coarse keys a game.

\getenv abs_srcdir PG_ABS_SRCDIR
\set games :abs_srcdir '/data/games.sql'
\set ECHO none
\i :games
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE INDEX games_compact ON games USING gin (game chessgame_compact_ops);
CREATE TABLE full_index AS SELECT game FROM games;
CREATE INDEX full_index_game ON full_index USING gin (game);
VACUUM ANALYZE games;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'chessgame_compact_ops';
SELECT pg_relation_size('games_compact') < pg_relation_size('full_index_game') AS smaller;
DROP TABLE full_index;

-- Unchanged queries use it, with no setting changed.
\set ruy '''r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'''
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, :ruy, 5);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasPieces(game, :ruy);
-- An opening is none of its business.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 e5');

-- The same games with the index and without, for boards of the games at many half-moves, and for some that differ from
-- them by side to move, castling rights or one piece.
CREATE TABLE wanted AS
SELECT DISTINCT getBoard(game, ply) AS board FROM famous, generate_series(0, 60, 7) AS ply WHERE ply <= plyCount(game);
INSERT INTO wanted
SELECT replace(board::text, ' w ', ' b ')::chessboard FROM wanted
UNION SELECT replace(board::text, 'KQkq', 'Qk')::chessboard FROM wanted
UNION SELECT replace(board::text, 'N', 'B')::chessboard FROM wanted;
INSERT INTO wanted VALUES ('8/8/8/8/8/8/8/8'), (NULL);
CREATE FUNCTION answers() RETURNS TABLE (question text, boards bigint, games numeric, ids numeric) LANGUAGE plpgsql AS $$
DECLARE
    w record;
    n bigint;
    s numeric;
BEGIN
    FOREACH question IN ARRAY ARRAY['hasBoard(game, %L)', 'hasBoard(game, %L, 9)', 'hasPieces(game, %L)', 'game @> %L::chessboard',
        'game @~ %L', 'game && ARRAY[%L, NULL, getBoard(''1. d4'', 1)]', 'game @> ARRAY[%L, getBoard(''1. e4'', 1)]'] LOOP
        boards := 0; games := 0; ids := 0;
        FOR w IN SELECT * FROM wanted LOOP
            EXECUTE format('SELECT count(*), coalesce(sum(id), 0) FROM games WHERE ' || question, w.board) INTO n, s;
            boards := boards + 1; games := games + n; ids := ids + s;
        END LOOP;
        RETURN NEXT;
    END LOOP;
END
$$;
SET enable_bitmapscan = off;
CREATE TABLE by_scan AS SELECT * FROM answers();
SET enable_bitmapscan = on;
SET enable_seqscan = off;
CREATE TABLE by_index AS SELECT * FROM answers();
RESET enable_seqscan;
SELECT count(*) AS questions, bool_and(games > 0) AS found_some FROM by_index;
SELECT * FROM by_scan EXCEPT SELECT * FROM by_index;

-- What is inserted, updated and deleted is found, or not, with the pending list and after VACUUM.
INSERT INTO games (id, game) VALUES (-1, '1. h3 a6 2. Rh2 Ra7 3. Rh1 Ra8');
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
VACUUM games;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
UPDATE games SET game = '1. h3 a6 2. h4' WHERE id = -1;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. Rh2', 3));
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. h4', 3));
DELETE FROM games WHERE id = -1;
SELECT id FROM games WHERE hasBoard(game, getBoard('1. h3 a6 2. h4', 3));
RESET enable_seqscan;

\set ECHO none
DROP TABLE games, famous, wanted, by_scan, by_index;
DROP FUNCTION answers();
