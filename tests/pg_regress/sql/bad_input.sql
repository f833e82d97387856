-- Invalid games and boards raise an ERROR that names the place: no crash, and no other game.

\set ECHO none
\i data/complaint.sql
\set ECHO all
\pset format unaligned
\pset tuples_only on

-- Games: words that are not moves, illegal and ambiguous moves.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail) FROM (VALUES
    (1, '1. e4 e5 2. N'),
    (2, 'Hello, world'),
    (3, '1. e4 e5 2. f4 exf4 3. Qf4'),
    (4, '1. e4 e5 2. Ng1-f3'),
    (5, '1. e9'),
    (6, '1. P@e4'),
    (7, '1. e4 e5 2.Nf3.'),
    (8, '1. e4e5'),
    (9, '1. e4 É5'),
    (10, '1. e4 e5 2. Ke3'),
    (11, '1. e4 e5 2. Bb5 Nc6 3. O-O'),
    (12, '1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# Kxf7'),
    (13, '1. e5'),
    (14, '1. f3 e5 2. g4 Qh4# 3. e3'),
    (15, '1. e4 d5 2. Bb5+ a6'),
    (16, '1. Nf3 d5 2. Nc3 d4 3. Nb1 c5 4. d3 e5 5. Nd2'),
    (17, '1. a4 h5 2. a5 h4 3. a6 h3 4. axb7 hxg2 5. bxa8'),
    (18, '1. a4 h5 2. a5 h4 3. a6 h3 4. axb7 hxg2 5. bxa8=K'),
    (19, '1. e4 --'),
    (20, '1. e4 Z0'),
    (21, '1. e4 0000')) AS bad (n, input), complaint(format('SELECT %L::chessgame', input)) AS c ORDER BY n;
-- The end of an opening is not a game, in text or binary: no value above all games of an opening can be stored.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail, c.hint) FROM
    unnest(ARRAY['~', '1. e4 ~', '1. e4~', '1. e4 1-0 ~']) AS input, complaint(format('SELECT %L::chessgame', input)) AS c;
SELECT bool_and(openingUpperBound(opening)::text::chessgame = openingUpperBound(opening)) AS "reads as written",
    bool_and(openingUpperBound(opening) > opening AND NOT hasOpening(openingUpperBound(opening), opening)) AS above
FROM unnest('{*,1. e4,1. e4 e5 1-0,1. h4 h5}'::chessgame[]) AS opening;

-- Games: unclosed comments and variations, text after the result.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail) FROM (VALUES
    (1, '1. e4 {and so on'),
    (2, '1. e4 (1. d4 d5'),
    (3, '1. e4 (1. d4 (1. c4) d5'),
    (4, '1. e4) e5'),
    (5, '1. e4 }'),
    (6, '1. e4 1-0 e5'),
    (7, '1. e4 1-0 0-1'),
    (8, '1. e4 * 1. d4 *'),
    (9, '1. e4 2-0')) AS bad (n, input), complaint(format('SELECT %L::chessgame', input)) AS c ORDER BY n;

-- Games: remarks, signs and brackets about no game. Comments, escape lines, move numbers and results need no moves.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail) FROM
    unnest(ARRAY['x', ')', '$', '$1', '!?', '+-', '(1. e4)', 'e.p.', 'White', '{a} 1. ]', '[FEN "4k3/8/8/8/8/8/8/4K3"] x', E'; a\n"'])
    WITH ORDINALITY AS bad (input, n), complaint(format('SELECT %L::chessgame', input)) AS c ORDER BY n;
SELECT concat_ws(' ', 'accepted:', count(*)) FROM unnest(ARRAY['', E' \n', '*', '(1-0)', '1.', '1. ...', '{a {b} c}', '; x', '% x', '{a} 1. *', E'\u00a0',
    'White resigns', '[FEN "4k3/8/8/8/8/8/8/4K3"]']) AS input, complaint(format('SELECT %L::chessgame', input)) AS c WHERE c.message = 'accepted';

-- Games: tags that are not allowed, other variants, starts from which no game can be played.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail, nullif(c.hint, '')) FROM (VALUES
    (1, '[White "Byrne, Donald"] 1. Nf3'),
    (2, '[FEN "8/8/8/8/8/8/8/8] 1. e4'),
    (3, '[FEN] 1. e4'),
    (4, '[Variant "Atomic"] 1. e4'),
    (5, '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1"] 1. e4'),
    (6, '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]'),
    (7, '[FEN "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1"] 1. e4'),
    (8, '[FEN "4k3/8/8/8/8/8/8/3KK3 w - - 0 1"] 1. Ke2'),
    (9, '[FEN "4k3/8/8/8/8/8/8/3K3P w - - 0 1"] 1. Ke2'),
    (10, '[FEN "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"] 1. Rxe8'),
    (11, '[FEN "4k3/8/8/8/8/8/8/4K3 w K - 0 1"] 1. Ke2'),
    (12, '[FEN "4k3/8/8/8/8/8/8/4K3 w - - 2147483647 1"] 1. Ke2')) AS bad (n, input), complaint(format('SELECT %L::chessgame', input)) AS c ORDER BY n;

-- Boards: the message names the field.
SELECT concat_ws(E'\n  ', input, c.code || ': ' || c.message, c.detail, nullif(c.hint, '')) FROM (VALUES
    (1, ''),
    (2, '   '),
    (3, 'rnbgkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBGKBNR w KQkq - 0 1'),
    (4, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1'),
    (5, 'rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    (6, 'rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    (7, 'rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'),
    (8, '4k3/8/8/44p/8/8/8/4K3'),
    (9, '9/8/8/8/8/8/8/8'),
    (10, '8/8/8/8/8/8/8/80'),
    (11, '8/8/8/8/8/8/8/8 W'),
    (12, '8/8/8/8/8/8/8/8 w KX'),
    (13, '8/8/8/8/8/8/8/8 w ABC'),
    (14, '8/8/8/8/8/8/8/8 w - e4'),
    (15, '8/8/8/8/8/8/8/8 w - - -1'),
    (16, '8/8/8/8/8/8/8/8 w - - 0 one'),
    (17, '8/8/8/8/8/8/8/8 w - - 0 2147483648'),
    (18, '8/8/8/8/8/8/8/8 w - - 0 1 bm'),
    (19, '1. e4'),
    (20, 'Startpos'),
    (21, 'start')) AS bad (n, input), complaint(format('SELECT %L::chessboard', input)) AS c ORDER BY n;
\pset format aligned
\pset tuples_only off

-- A board need not be a legal position: without kings, or with too many queens, it just occurs in no game.
SELECT fen::chessboard AS board, hasBoard('1. e4 e5 2. Nf3', fen::chessboard), hasPieces('1. e4 e5 2. Nf3', fen::chessboard)
FROM (VALUES ('rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1'), ('8/8/8/8/8/8/8/8 w KQkq e3 0 1'),
    ('QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ b ABab h6 0 1'),
    ('PPPPPPPP/8/8/8/8/8/8/pppppppp w - - 0 1')) AS t (fen);

-- The code of an opening is not an opening, nor is a word of its name.
SELECT hasOpening('1. e4', 'B90');
SELECT opening('Najdorf');

-- Empty text is a game of no half-moves.
SELECT ''::chessgame AS game, plyCount(''), getBoard('', 0), getFirstMoves('', 3) AS opening, hasOpening('1. e4', '') AS "begins every game";

-- half-moves beyond the end of the game
SELECT getBoard('1. f3 e5 2. g4 Qh4#', 4);
SELECT getBoard('1. f3 e5 2. g4 Qh4#', 5);
SELECT getBoard('1. f3 e5 2. g4 Qh4#', -1);
SELECT getBoard('1. f3 e5 2. g4 Qh4#', 2147483647);
SELECT getBoard('1. f3', -2147483648);
SELECT getFirstMoves('1. f3 e5 2. g4 Qh4#', -1);
SELECT hasBoard('1. f3', getBoard('', 0), -1);
SELECT hasPieces('1. f3', getBoard('', 0), -1);
\set VERBOSITY sqlstate
SELECT getBoard('1. f3', 2);
SELECT getFirstMoves('1. f3', -1);
\set VERBOSITY default

-- NULL in, NULL out: every user-callable function is strict.
SELECT getBoard(NULL, 0) IS NULL AND getBoard('1. e4', NULL) IS NULL
   AND getFirstMoves(NULL, 0) IS NULL AND getFirstMoves('1. e4', NULL) IS NULL
   AND hasOpening(NULL, '1. e4') IS NULL AND hasOpening('1. e4', NULL) IS NULL
   AND hasBoard(NULL, getBoard('', 0)) IS NULL AND hasBoard('1. e4', NULL) IS NULL
   AND hasBoard('1. e4', getBoard('', 0), NULL) IS NULL
   AND hasPieces(NULL, getBoard('', 0)) IS NULL AND hasPieces('1. e4', NULL) IS NULL
   AND hasPieces('1. e4', getBoard('', 0), NULL) IS NULL
   AND plyCount(NULL) IS NULL AND result(NULL) IS NULL AND epd(NULL) IS NULL
   AND NULL::chessgame = '1. e4' IS NULL AND NULL::chessgame @> getBoard('', 0) IS NULL AS "all NULL";

-- texts of 1 MB
SELECT (repeat('{a comment} ', 90000) || '1. e4 ' || repeat('(1. d4) ', 10000))::chessgame AS game;
SELECT (repeat('(', 500000) || repeat(')', 500000) || ' 1. e4')::chessgame AS game;
SELECT repeat('garbage ', 125000)::chessgame;
SELECT repeat('x', 1000000)::chessgame;
SELECT repeat('(', 1000000)::chessgame;
SELECT ('{' || repeat('x', 1000000))::chessgame;
SELECT ('[FEN "' || repeat('p', 1000000) || '"]')::chessgame;
SELECT repeat('p', 1000000)::chessboard;
SELECT repeat('/', 1000000)::chessboard;

-- A repetitive game of 5,000 half-moves can be stored, searched and indexed, because it compresses well.
CREATE TABLE marathon (id integer, game chessgame);
INSERT INTO marathon VALUES (1, repeat('Nf3 Nf6 Ng1 Ng8 ', 1250)::chessgame);
SELECT plyCount(game), length(game::text), pg_column_size(game) < 200 AS compressed, getBoard(game, 5000) FROM marathon;
SELECT game::text::chessgame = game AS "reads as written" FROM marathon;
SELECT plyCount(getFirstMoves(game, 4999)), hasOpening(game, getFirstMoves(game, 4999)), hasOpening(getFirstMoves(game, 4999), game) FROM marathon;
CREATE INDEX marathon_btree ON marathon (game);
CREATE INDEX marathon_gin ON marathon USING gin (game);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM marathon WHERE hasOpening(game, '1. Nf3 Nf6 2. Ng1');
SELECT id FROM marathon WHERE hasOpening(game, '1. Nf3 Nf6 2. Ng1');
EXPLAIN (COSTS OFF) SELECT id FROM marathon WHERE hasBoard(game, 'rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1');
SELECT id FROM marathon WHERE hasBoard(game, 'rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1');
RESET enable_seqscan;

-- A varied game of this length is too long for a B-tree entry: PostgreSQL raises its own ERROR, and the row is not
-- stored. Without that index it is; GIN accepts it.
CREATE FUNCTION shuffle(half_moves integer) RETURNS chessgame LANGUAGE sql AS $$
    WITH moves AS (SELECT '{Na3 Nb1,Nc3 Nb1,Nf3 Ng1,Nh3 Ng1,Ra2 Ra1,Ra3 Ra1,Rh2 Rh1,Rh3 Rh1}'::text[] AS white,
                          '{Na6 Nb8,Nc6 Nb8,Nf6 Ng8,Nh6 Ng8,Ra7 Ra8,Ra6 Ra8,Rh7 Rh8,Rh6 Rh8}'::text[] AS black)
    SELECT ('1. a4 a5 2. h4 h5 ' || string_agg(concat_ws(' ', split_part(w, ' ', 1), split_part(b, ' ', 1),
                                                              split_part(w, ' ', 2), split_part(b, ' ', 2)), ' ' ORDER BY i))::chessgame
    FROM generate_series(1, half_moves / 4 - 1) AS i, moves,
        LATERAL (SELECT white[1 + get_byte(decode(md5(i::text), 'hex'), 0) % 8], black[1 + get_byte(decode(md5(i::text), 'hex'), 1) % 8]) AS random (w, b)
$$;
\set VERBOSITY sqlstate
INSERT INTO marathon VALUES (2, shuffle(10000));
DROP INDEX marathon_btree;
INSERT INTO marathon VALUES (2, shuffle(10000));
CREATE INDEX ON marathon (game);
\set VERBOSITY default
SELECT id, plyCount(game) FROM marathon ORDER BY id;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF)
SELECT id FROM marathon WHERE hasPieces(game, getBoard('1. a4 a5 2. h4 h5 3. Rh3 Rh6', 6));
SELECT id FROM marathon WHERE hasPieces(game, getBoard('1. a4 a5 2. h4 h5 3. Rh3 Rh6', 6));
-- An expression index on the opening has no such limit.
CREATE INDEX ON marathon (getFirstMoves(game, 40));
RESET enable_seqscan;

DROP TABLE marathon;
DROP FUNCTION shuffle, complaint;
