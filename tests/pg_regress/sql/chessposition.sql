-- The type chessposition: boards as the rules compare them.
-- Clocks do not count, nor an en passant square without a legal capture.
SELECT 'startpos'::chessposition, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 7 9'::chessposition AS no_capture,
       'rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3'::chessposition AS capture;
SELECT getBoard('1. Nf3 Nf6 2. Ng1 Ng8', 4)::chessposition = 'startpos' AS again,
       getBoard('1. Nf3 Nf6 2. Ng1', 3)::chessposition = 'startpos' AS turn,
       getBoard('1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8', 6)::chessposition = getBoard('1. e4 e5', 2) AS castling;
SELECT chessposition_send('startpos'), chessboard('startpos'::chessposition), '4k3/8/8/8/8/8/8/4K3 b'::chessposition::chessboard;
SELECT pg_column_size('startpos'::chessposition) AS position, pg_column_size('startpos'::chessboard) AS board;
-- Errors name the type.
SELECT 'no board'::chessposition;
SELECT '4k3/8/8/8/8/8/8/4K3 w - e3'::chessposition;
SELECT '4k3/8/8/8/8/8/8/4K3 x'::chessposition;
SELECT ''::chessposition;
SELECT NULL::chessposition, chessposition(NULL), chessboard(NULL::chessposition);

-- Grouping by position, for which text was used before.
CREATE TABLE position_games (id int, game chessgame);
INSERT INTO position_games VALUES (1, '1. d4 d5 2. c4 e6'), (2, '1. c4 e6 2. d4 d5'), (3, '1. d4 e6 2. c4 d5'), (4, '1. e4 e5'), (5, NULL);
CREATE TABLE reached AS SELECT id, ply, board, board::chessposition AS position FROM position_games, positions(game);
SELECT count(*) AS boards, count(DISTINCT board) AS distinct_boards, count(DISTINCT position) AS positions, count(DISTINCT epd(board)) AS epds
FROM reached;
SELECT position, array_agg(id ORDER BY id) FROM reached WHERE ply = 4 GROUP BY 1 HAVING count(*) > 1;
SELECT DISTINCT ON (position) count(*) OVER (PARTITION BY position) AS games, position FROM reached ORDER BY position DESC LIMIT 3;

-- Hash and merge joins, comparisons with a board, the order of all rows.
SET enable_nestloop = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT FROM reached AS a JOIN reached AS b USING (position);
SELECT count(*) FROM reached AS a JOIN reached AS b USING (position) WHERE a.id < b.id;
RESET enable_mergejoin;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT FROM reached AS a JOIN reached AS b USING (position);
SELECT count(*) FROM reached AS a JOIN reached AS b USING (position) WHERE a.id < b.id;
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*) FROM reached AS a, reached AS b WHERE a.id < b.id AND samePosition(a.board, b.board);
SELECT count(*) FROM reached AS a, reached AS b WHERE a.id < b.id AND epd(a.board) = epd(b.board);
SELECT bool_and((a.position < b.position) = (chessposition_send(a.position) < chessposition_send(b.position))
            AND (a.position <= b.position) = (chessposition_send(a.position) <= chessposition_send(b.position))
            AND (a.position > b.position) = (chessposition_send(a.position) > chessposition_send(b.position))
            AND (a.position >= b.position) = (chessposition_send(a.position) >= chessposition_send(b.position))
            AND (a.position <> b.position) = (chessposition_send(a.position) <> chessposition_send(b.position))
            AND sign(chessposition_cmp(a.position, b.position)) = sign(byteacmp(chessposition_send(a.position), chessposition_send(b.position)))
            AND (a.position = b.position) = (chessposition_hash_extended(a.position, 3) = chessposition_hash_extended(b.position, 3)))
FROM reached AS a, reached AS b;

-- A unique index by position; it is also used for a board.
CREATE TABLE notes (position chessposition PRIMARY KEY, note text);
INSERT INTO notes VALUES (getBoard('1. e4 e5', 2), 'open game'), ('rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq -', 'declined');
INSERT INTO notes VALUES ('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2', 'again');
INSERT INTO notes VALUES ('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 9 20', 'twice') ON CONFLICT DO NOTHING;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT note FROM notes WHERE position = getBoard('1. d4 d5 2. c4 e6', 4);
SELECT note FROM notes WHERE position = getBoard('1. d4 d5 2. c4 e6', 4);
CREATE INDEX ON reached USING hash (position);
EXPLAIN (COSTS OFF) SELECT id FROM reached WHERE position = 'rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq -';
SELECT id FROM reached WHERE position = 'rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq -' ORDER BY 1;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Casts: a board is implicitly cast to a position; a position to a board by assignment or explicitly.
CREATE TABLE boards_of_positions (board chessboard, position chessposition);
INSERT INTO boards_of_positions SELECT position, board FROM reached WHERE id = 4;
SELECT * FROM boards_of_positions ORDER BY position;
SELECT count(*) FROM position_games, notes WHERE hasBoard(game, position::chessboard);
\set VERBOSITY terse
SELECT count(*) FROM position_games, notes WHERE hasBoard(game, position);
\set VERBOSITY default
SELECT count(*) FROM reached WHERE position = board;

-- Binary: bytes that no position has are refused, such as clocks, or an en passant square without a capture.
SELECT CASE WHEN pg_stat_file('/dev/shm', true) IS NULL THEN current_setting('data_directory') ELSE '/dev/shm' END
    || '/chess_position.' || pg_backend_pid() AS file \gset
CREATE TABLE wire (value chessposition);
CREATE FUNCTION receive(payload bytea, file text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
    EXECUTE format('COPY (SELECT %L::bytea) TO %L (FORMAT binary)', payload, file);
    EXECUTE format('COPY wire FROM %L (FORMAT binary)', file);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ' ' || SQLERRM || ': ' || detail;
END
$$;
SELECT receive(chessposition_send(position), :'file') FROM notes;
SELECT receive(bytes, :'file') FROM (VALUES (1, '\x'::bytea), (2, '\x02'), (3, chessboard_send('startpos')),
    (4, '\x0114140000000000000000'), (5, set_byte(chessposition_send('startpos'), 1, 32))) AS bad (n, bytes) ORDER BY n;
SELECT DISTINCT receive(set_byte(sent, at, (get_byte(sent, at) + n) % 256), :'file') ~ '^accepted$|^22P03 '
FROM chessposition_send('rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3') AS sent,
     generate_series(0, length(sent) - 1) AS at, generate_series(1, 255, 7) AS n;
SELECT count(*) > 100 AS accepted, bool_and(value::text::chessposition = value) AS same FROM wire;
DROP TABLE position_games, reached, notes, boards_of_positions, wire;
DROP FUNCTION receive;
