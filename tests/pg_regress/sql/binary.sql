-- Binary input checks everything: any bytes give a value or an ERROR. An accepted value is written unchanged and
-- reads back from its text. A bytea copied out in binary and copied in as a game goes through chessgame_recv.

-- In shared memory if possible, because tens of thousands of writes are slow on a disk.
SELECT CASE WHEN pg_stat_file('/dev/shm', true) IS NULL THEN current_setting('data_directory') ELSE '/dev/shm' END
    || '/chess_binary.' || pg_backend_pid() AS file \gset
CREATE TABLE wire_games (value chessgame);
CREATE TABLE wire_boards (value chessboard);

-- Sends the bytes to the receive function of a table's column; returns 'accepted' or the SQLSTATE.
CREATE FUNCTION receive(payload bytea, target regclass, file text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COPY (SELECT %L::bytea) TO %L (FORMAT binary)', payload, file);
    EXECUTE format('COPY %s FROM %L (FORMAT binary)', target, file);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;

-- Ways to damage a value: truncate it anywhere, replace any byte by any other, append a byte.
CREATE FUNCTION damaged(payload bytea, OUT damage text, OUT bytes bytea) RETURNS SETOF record LANGUAGE sql IMMUTABLE AS $$
    SELECT 'truncated', substr(payload, 1, n) FROM generate_series(0, length(payload) - 1) AS n
    UNION ALL
    SELECT 'changed', set_byte(payload, n, (get_byte(payload, n) + shift) % 256)
    FROM generate_series(0, length(payload) - 1) AS n, generate_series(1, 255) AS shift
    UNION ALL
    SELECT 'extended', payload || set_byte('\x00', 0, byte) FROM generate_series(0, 255, 15) AS byte
$$;

-- Undamaged values are accepted.
SELECT receive(chessgame_send('1. f3 e5 2. g4 Qh4# 0-1'), 'wire_games', :'file');
SELECT receive(chessboard_send('4k3/8/8/8/8/8/4P3/4K3 w - - 7 9'), 'wire_boards', :'file');
SELECT g.value AS game, b.value AS board FROM wire_games AS g, wire_boards AS b;

-- The messages.
CREATE FUNCTION complaint(payload bytea, target regclass, file text, OUT code text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COPY (SELECT %L::bytea) TO %L (FORMAT binary)', payload, file);
    EXECUTE format('COPY %s FROM %L (FORMAT binary)', target, file);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
END
$$;
SELECT * FROM (VALUES (1, '\x'::bytea, 'wire_games'::regclass), (2, '\x', 'wire_boards'),
    -- a future version, in the message and in the value
    (3, '\x0222049fef20a79cb418', 'wire_games'), (4, '\x0142049fef20a79cb418', 'wire_games'),
    -- too many moves, an illegal move, a wrong number of pieces
    (5, '\x0122049fef20a79cb41818', 'wire_games'), (6, '\x0122049fef20a79cb419', 'wire_games'),
    (7, '\x0122049fef1fa79cb418', 'wire_games'),
    -- boards: truncated, an unknown piece
    (8, '\x0110', 'wire_boards'), (9, '\x0110000180000000000000', 'wire_boards'),
    (10, '\x011000018000000000000000d0', 'wire_boards')) AS bad (n, payload, target),
    complaint(payload, target, :'file') ORDER BY n;

-- Every truncation and every change of one byte, of games and boards of each kind.
CREATE TABLE whole (kind text, target regclass, payload bytea);
INSERT INTO whole VALUES
    ('no moves', 'wire_games', chessgame_send('*')),
    ('Fool''s mate', 'wire_games', chessgame_send('1. f3 e5 2. g4 Qh4# 0-1')),
    ('two promotions', 'wire_games', chessgame_send('[FEN "7k/P6p/8/8/8/8/p6P/7K w - - 0 1"] 1. a8=N a1=B 2. Nb6 Be5')),
    ('Chess960', 'wire_games', chessgame_send('[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] 1. O-O O-O-O')),
    ('start position', 'wire_boards', chessboard_send('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1')),
    ('en passant', 'wire_boards', chessboard_send('4k3/8/8/8/3pP3/8/8/4K3 b - e3 300 400')),
    ('empty board', 'wire_boards', chessboard_send('8/8/8/8/8/8/8/8'));

CREATE TABLE answers AS
SELECT kind, target, damage, bytes, receive(bytes, target, :'file') AS answer FROM whole, damaged(payload);
SELECT kind, damage, answer, count(*) FROM answers GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;

-- Accepted values are written unchanged, and their text reads as the same value.
CREATE VIEW arrived AS SELECT chessgame_send(value) AS bytes, chessgame_send(value::text::chessgame) AS reread FROM wire_games
UNION ALL SELECT chessboard_send(value), chessboard_send(value::text::chessboard) FROM wire_boards;
SELECT count(*) AS "changed by its text" FROM arrived WHERE bytes <> reread;
SELECT count(*) AS "accepted but lost or altered"
FROM (SELECT bytes FROM answers WHERE answer = 'accepted' EXCEPT SELECT bytes FROM arrived) AS lost;

-- the program must read its input, or COPY may find the pipe closed
SELECT 'cat >/dev/null; rm ' || :'file' AS remove \gset
COPY (SELECT) TO PROGRAM :'remove';
DROP VIEW arrived;
DROP TABLE wire_games, wire_boards, whole, answers;
DROP FUNCTION receive, complaint, damaged;
