-- Comments, glyphs and variations: stored as a text beside the game, searched, and written again.

\pset null '(null)'
CREATE TABLE notes AS SELECT g.* FROM pgnGames($$[White "A"]

{Best by test.} 1. e4! e5 (1... c5 {sharp} 2. Nf3 (2. c3 d5 -- 3. exd5) (2. Nc3) 2... d6) (1... e9) 2. Nf3 $1 $14
Nc6 {two
lines} 3. Bb5 +- ; Spanish
1-0 {White won.}

[White "B"]

1. d4 d5 2. c4 1/2-1/2

[White "C"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 {a pawn} (1. e3) Kd7 2. Ke3 {no} Kd6 *$$) AS g;
SELECT number, game, error, annotated FROM notes ORDER BY number;

-- A row for each annotated half-move.
SELECT number, a.* FROM notes, annotations(game, annotated) AS a ORDER BY number, line, ply;
-- Every variation is a game from the start position, so all functions of games apply.
SELECT n.number AS game, v.* FROM notes AS n, variations(game, annotated) AS v ORDER BY n.number, v.number;
-- A variation comes before those inside it.
SELECT array_agg(v.number) AS numbers, array_agg(v.parent) AS parents FROM variations('', '1. e4 (1. d4 d5 (1... f5 (1... e6)) (1... c5)) (1. c4 (1. b3)) e5 (1... c5') AS v;
SELECT n.number, v.number AS variation FROM notes AS n, variations(game, annotated) AS v
WHERE hasBoard(v.line, finalBoard('1. e4 c5 2. Nf3 d6')) AND NOT hasBoard(n.game, finalBoard('1. e4 c5 2. Nf3 d6'));

-- Comments before the tags are kept as well; unusual notation of moves and numbers alone is not.
SELECT number, game, annotated FROM pgnGames(E'{By me.}\n[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1) e2-e4 e7-e5 2) Sf3 *\n\n[White "C"]\n\n1. e4+- e5 e.p. *\n\n[White "D"]\n\n1. e4 e9 *');

-- Written again. Without annotations, or with NULL, the same as pgn(game, tags).
SELECT pgn(game, tags, annotated) FROM notes ORDER BY number;
SELECT count(*) AS games, count(*) FILTER (WHERE (again.tags ->> 'White', again.game, pgn(again.game, again.tags, again.annotated))
    IS NOT DISTINCT FROM (notes.tags ->> 'White', notes.game, pgn(notes.game, notes.tags, notes.annotated))) AS "as before"
FROM notes, pgnGames(pgn(game, tags, annotated)) AS again WHERE notes.error IS NULL;
SELECT pgn(game, tags, NULL) = pgn(game, tags) AS "NULL is none", pgn(NULL, tags, annotated), pgn(game, NULL, annotated) = pgn(game, '{}', annotated) AS "no tags" FROM notes WHERE number = 1;
SELECT pgn('1. e4', '{}', '1. d4 {other moves}');
SELECT pgn('1. e4', '{}', E'1. e4 *\n\n1. d4 *');
SELECT pgn('1. e4', '{}', E'1. e4 {x}\n\n[White "y"]\n\n1. d4 *');
SELECT * FROM annotations(NULL, 'x');
SELECT * FROM variations('1. e4', NULL);

-- Bad input: unreadable text ends its line and affects nothing else.
SELECT length(annotated) FROM pgnGames('1. e4 {' || repeat('x', 20000000) || '} e5 *');
SELECT number, game, error, left(annotated, 30) AS annotated FROM pgnGames(E'[White "A"]\n\n1. e4 {open\n\n[White "B"]\n\n(1. d4) 1. e4 (1. c4\n\n[White "C"]\n\n1. e4 ))) {[White "x"]\n[Event "y"]} $256 -- {null} 2. d4 *');
SELECT v.* FROM variations('', '(1. d4) 1. e4 ) (1. c4 -- 2. Nc3) (1. Ke3 {illegal}) e5 (1... c5') AS v ORDER BY number;
SELECT a.* FROM annotations('', '$300 $99999999999 1. e4 $256 {[White "no tag"] 1-0} (() {x}) e5 {open') AS a ORDER BY line, ply;
SELECT count(*), max(number), max(parent), max(plyCount(line)) FROM variations('', '1. e4 ' || repeat('(1. d4 ', 1000) || repeat(')', 1000));
SELECT line, ply, length(after) FROM annotations('', '1. e4 {' || repeat('word ', 200000) || '} e5');

-- Full-text search in comments, and positions in variations, by indexes.
CREATE TABLE lines AS SELECT n.number AS game, v.number, v.line FROM notes AS n, variations(n.game, n.annotated) AS v;
CREATE INDEX ON lines USING gin (line);
CREATE INDEX ON notes USING gin (to_tsvector('english', annotated));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT game, number FROM lines WHERE hasBoard(line, finalBoard('1. e4 c5 2. c3'));
SELECT game, number FROM lines WHERE hasBoard(line, finalBoard('1. e4 c5 2. c3'));
EXPLAIN (COSTS OFF) SELECT number FROM notes WHERE to_tsvector('english', annotated) @@ to_tsquery('english', 'Spanish');
SELECT number FROM notes WHERE to_tsvector('english', annotated) @@ to_tsquery('english', 'Spanish');
RESET enable_seqscan;
DROP TABLE notes, lines;
