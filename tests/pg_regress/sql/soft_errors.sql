-- Since PostgreSQL 16: input can be tried without an ERROR. The messages are the same as those of the ERROR.

CREATE TABLE inputs (n serial, type regtype, input text);
INSERT INTO inputs (type, input) VALUES
    ('chessgame', '1. e4 e5 2. Nf3 1-0'),
    ('chessgame', ''),
    ('chessgame', '[FEN "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"] 1. c7'),
    ('chessgame', '1. e5'),
    ('chessgame', '1. e4 e5 2. N'),
    ('chessgame', '1. Nf3 d5 2. Nc3 d4 3. Nb1 c5 4. d3 e5 5. Nd2'),
    ('chessgame', '1. e4 --'),
    ('chessgame', '1. e4 {and so on'),
    ('chessgame', '1. e4 (1. d4 d5'),
    ('chessgame', '1. e4 1-0 0-1'),
    ('chessgame', '[White "Byrne, Donald"] 1. Nf3'),
    ('chessgame', '[Variant "Atomic"] 1. e4'),
    ('chessgame', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]'),
    ('chessgame', '1. e4 É5 %s'),
    ('chessgame', repeat('x', 300)),
    ('chessboard', 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    ('chessboard', '8/8/8/8/8/8/8/8'),
    ('chessboard', ''),
    ('chessboard', '9/8/8/8/8/8/8/8'),
    ('chessboard', '8/8/8/8/8/8/8/8 w KX'),
    ('chessboard', repeat('8/', 100)),
    ('chessgame[]', '{"1. e4",NULL,"1. d4 d5"}'),
    ('chessgame[]', '{"1. e4","1. e5"}'),
    ('chessboard[]', '{8/8/8/8/8/8/8/8,9/8/8/8/8/8/8/8}');

\pset format unaligned
\pset tuples_only on
SELECT concat_ws(E'\n  ', n || ': ' || pg_input_is_valid(input, type::text)::text, sql_error_code || ': ' || message, detail, hint)
FROM inputs, pg_input_error_info(input, type::text) ORDER BY n;
\pset format aligned
\pset tuples_only off

CREATE FUNCTION hard_error(type regtype, input text, OUT message text, OUT detail text, OUT hint text, OUT code text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT %L::%s', input, type);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    detail := nullif(detail, '');
    hint := nullif(hint, '');
END
$$;
SELECT count(*) AS inputs, count(c.code) AS refused,
       count(*) FILTER (WHERE (c.code IS NULL) IS DISTINCT FROM pg_input_is_valid(input, type::text)
                           OR (c.message, c.detail, c.hint, c.code) IS DISTINCT FROM (i.message, i.detail, i.hint, i.sql_error_code)) AS "not the same"
FROM inputs, hard_error(type, input) AS c, pg_input_error_info(input, type::text) AS i;

-- Inside other types.
CREATE DOMAIN opening AS chessgame CHECK (plyCount(VALUE) < 20);
CREATE TYPE pair AS (game chessgame, board chessboard);
SELECT input, pg_input_is_valid(input, 'opening') AS opening FROM unnest(ARRAY['1. e4', '1. e5', repeat('Nf3 Nf6 Ng1 Ng8 ', 5)]) AS input;
SELECT message FROM pg_input_error_info('("1. e4",8/8/8/8/8/8/8/7)', 'pair');

-- 100,000 refused inputs in one query do not affect the session.
SELECT count(*) FILTER (WHERE pg_input_is_valid(input, 'chessgame')) AS valid, count(*) FROM (
    SELECT '1. e' || (n % 9)::text || ' e5 2. Nf' || (n % 7)::text AS input FROM generate_series(1, 100000) AS n) AS i;

DROP FUNCTION hard_error;
DROP TYPE pair;
DROP DOMAIN opening;
DROP TABLE inputs;
