-- pgnGames: a row for each game of a PGN text. A game that cannot be read to its end has an error and the moves up to
-- there, and does not affect the others.

\pset null '(null)'
SELECT number, tags ->> 'Event' AS event, tags ->> 'White' AS white, plyCount(game), result(game), error FROM pgnGames($$[Event "London"]
[Site "London ENG"]
[Date "1851.06.21"]
[Round "?"]
[White "Anderssen, Adolf"]
[Black "Kieseritzky, Lionel"]
[Result "1-0"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8.
Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15.
Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21.
Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0

[Event "Fool's mate"]
[White "?"]
[Black "?"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
$$);

-- Tags are jsonb with the values as written; a repeated tag has an array of its values.
SELECT jsonb_pretty(tags) FROM pgnGames($$[Event "The \"Big\" one \\ two"]
[Site ""]
[Date "1895.??.??"]
[Round "3.1"]
[WhiteElo "2700"]
[Annotator "Lasker"]
[Annotator "Tarrasch"]
[Annotator "Réti"]

*$$);

-- Another start is part of the game; its tags stay in the tags.
SELECT tags, game, error FROM pgnGames($$[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 *

[Variant "Chess960"]
[FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1"]

1. g3 g6 2. Nf3 Nf6 3. O-O 1/2-1/2

[Variant "Atomic"]

1. e4 *

[FEN "rnbgkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBGKBNR w KQkq - 0 1"]

1. e4 *$$);

-- Comments contain brackets, tags and results; variations contain comments; lines begin with % or end with a ;
-- comment.
SELECT number, tags, game, error FROM pgnGames($$% made by hand
; and by eye
[Event "notes"]

{ [%clk 0:10:00] } 1. e4 { [Event "no tag"] 1-0 } e5 (1... c5 { Sicilian ) } 2. Nf3 (2. c3)) ; 0-1
% 1. d4 d5
2. Nf3 $1 Nc6!? { two
lines } 3. Bb5 1/2-1/2 { the end }
$$);

-- Games that are broken in every way, between sound ones.
CREATE TABLE broken (n serial, what text, pgn text);
INSERT INTO broken (what, pgn) VALUES
    ('illegal move', E'1. e4 e5 2. Ke3 Nf6 1-0'),
    ('ambiguous move', E'1. Nf3 d5 2. Nc3 d4 3. Nb1 c5 4. d3 e5 5. Nd2 *'),
    ('no move at all', E'1. e4 hello *'),
    ('null move', E'1. e4 -- 2. d4 *'),
    ('comment left open', E'1. e4 { and so on *'),
    ('variation left open', E'1. e4 (1. d4 d5 *'),
    ('variation never opened', E'1. e4 e5) 2. Nf3 *'),
    ('unknown result', E'1. e4 e5 2-0'),
    ('bound of an opening', E'1. e4 ~'),
    ('no result', E'1. e4 e5'),
    ('no moves', E'*'),
    ('nothing', E'');
SELECT what, g.number, g.tags ->> 'Event' AS event, g.game, g.error
FROM broken, pgnGames(format(E'[Event "before"]\n\n1. d4 1-0\n\n[Event "it"]\n\n%s\n\n[Event "after"]\n\n1. c4 0-1\n', pgn)) AS g ORDER BY n, g.number;
-- The error for a malformed tag quotes its line; well-formed tags are kept.
SELECT * FROM pgnGames(E'[Event]\n[White "w"]\n\n1. e4 *\n\n[Event "next"]\n\n1. d4 *');
SELECT * FROM pgnGames(E'[White "w"\n[Black "b"]\n\n1. e4 *');

-- Layouts: too many or too few blank lines, line breaks of other systems, a byte order mark, several games on a line.
SELECT what, count(number) AS rows, count(game) AS games, sum(plyCount(game)) AS "half-moves", jsonb_agg(tags ->> 'Event' ORDER BY number) AS events
FROM (VALUES
    (1, 'two blank lines before the moves', E'[Event "1"]\n\n\n1. e4 e5 *\n\n\n[Event "2"]\n\n\n1. d4 *\n'),
    (2, 'no blank line', E'[Event "1"]\n1. e4 e5 *\n[Event "2"]\n1. d4 *'),
    (3, 'blank lines among the moves', E'[Event "1"]\n\n1. e4\n\ne5\n\n*\n\n[Event "2"]\n\n1. d4 *\n'),
    (4, 'blank line among the tags', E'[Event "1"]\n\n[White "w"]\n\n1. e4 e5 *\n\n[Event "2"]\n\n1. d4 *\n'),
    (5, 'CRLF', E'[Event "1"]\r\n[White "w"]\r\n\r\n1. e4\r\ne5 *\r\n\r\n[Event "2"]\r\n\r\n1. d4 *\r\n'),
    (6, 'byte order mark', E'\uFEFF[Event "1"]\n\n1. e4 e5 *\n\n[Event "2"]\n\n1. d4 *\n'),
    (7, 'no results', E'[Event "1"]\n\n1. e4 e5\n\n[Event "2"]\n\n1. d4'),
    (8, 'tags on one line', E'[Event "1"][White "w"]\n1. e4 e5 * [Event "2"] 1. d4 *'),
    (9, 'no tags', E'1. e4 e5 * 1. d4 *'),
    (10, 'nothing but tags', E'[Event "1"]\n[White "w"]\n\n[Event "2"]\n[White "w"]\n'),
    (11, 'nothing but white space', E' \n\n\t\r\n'),
    (12, 'nothing but remarks', E'% escape\n; comment\n{ comment }\n'),
    (13, 'empty', '')) AS t (n, what, pgn) LEFT JOIN LATERAL pgnGames(pgn) ON true GROUP BY n, what ORDER BY n;
SELECT * FROM pgnGames(NULL);

-- Latin-1 text is converted by convert_from.
SELECT tags ->> 'White' AS white, tags ->> 'Site' AS site, game, error
FROM pgnGames(convert_from('\x5b5768697465202252e974692c2052696368617264225d0a'
    '5b5369746520224be5726c736b726f6e61225d0a0a312e204e663320643520302d310a'::bytea, 'LATIN1'));

-- From a staging table into a table of games, and back to PGN.
CREATE TABLE staging (file text, pgn text);
INSERT INTO staging SELECT 'file ' || i, (
    SELECT string_agg(format(E'[Event "%s"]\n[Round "%s.%s"]\n\n1. e4 e5 2. Nf3 %s\n\n',
        i, i, j, (ARRAY['1-0', '*', 'oops'])[1 + j % 3]), '') FROM generate_series(1, 50 * i) AS j)
FROM generate_series(1, 4) AS i;
SELECT file, count(*), max(number), count(game) AS games, count(error) AS errors, count(DISTINCT tags ->> 'Round') AS rounds
FROM staging, pgnGames(pgn) GROUP BY file ORDER BY file;
-- Every incomplete game has a reason, and no other one does.
SELECT count(*) FROM staging, pgnGames(pgn) WHERE game IS NULL AND error IS NULL OR (error IS NULL) = (number % 3 = 2) OR tags IS NULL OR number IS NULL;
CREATE TABLE loaded AS SELECT file, g.* FROM staging, pgnGames(pgn) AS g;
SELECT file, string_agg(format(E'[Event "%s"]\n\n%s %s\n\n', tags ->> 'Event', game, CASE result(game) WHEN '*' THEN '*' END), '' ORDER BY number) AS pgn
INTO written FROM loaded WHERE error IS NULL GROUP BY file;
SELECT count(*) AS games, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM loaded AS l WHERE l.game = g.game AND l.file = w.file)) AS "not as loaded"
FROM written AS w, pgnGames(pgn) AS g;
-- In a select list, and with LIMIT.
SELECT (pgnGames(pgn)).number FROM staging WHERE file = 'file 1' LIMIT 3;
SELECT number FROM staging, pgnGames(pgn) WHERE file = 'file 4' ORDER BY number DESC LIMIT 1;

DROP TABLE broken, staging, loaded, written;

-- Impossible castling rights are ignored. A result directly followed by the next game.
SELECT number, tags, game, error FROM pgngames(E'[FEN "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1"]\n\n1. O-O 1-0[Event "y"]\n\n1. d4 *');
