-- hasOpening uses a B-tree index on the game, and finds the same games as a sequential scan.

\set ECHO none
\i data/games.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
SET enable_memoize = off;
SELECT count(*) FROM games;

CREATE INDEX games_game ON games (game);
VACUUM ANALYZE games;

-- with default settings
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');
SELECT id, name, cut FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3') AND cut BETWEEN 2 AND 4 ORDER BY id;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game ^@ '1. d4 e6 2. Nf3';

-- Index scan, bitmap scan and sequential scan find the same games for openings of every length. A row for each
-- opening and scan: the number of games, and a sum that identifies the set of games.
CREATE TABLE wanted (n serial, opening chessgame);
INSERT INTO wanted (opening) VALUES (''), ('1. e4'), ('1.e4 e5 2.Nf3 1-0'), ('1. e4 e5 2. Nf3 Nc6 3. Bb5'), ('1. d4'), ('1. a4'),
    ('1. e4 c5 2. Nf3 d6 0-1'), ('1. f3 e5 2. g4 Qh4#'), ('1. d3'), ('1. h3 h6 2. Nf3'), ('[FEN "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"] 1. c7'),
    ('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] 1. e4'), (NULL);
INSERT INTO wanted (opening) SELECT getFirstMoves(game, n) FROM famous, unnest('{3,9,20,1000}'::integer[]) AS n;
CREATE TABLE found (way text, n integer, games bigint, sum numeric);
-- as constants, so that the planner sees them
CREATE PROCEDURE find(way text) LANGUAGE plpgsql AS $$
DECLARE w record;
BEGIN
    FOR w IN SELECT * FROM wanted LOOP
        EXECUTE format('INSERT INTO found SELECT %L, %s, count(*), sum(id::numeric * id) FROM games WHERE hasOpening(game, %L)', way, w.n, w.opening);
    END LOOP;
END
$$;
CALL find('as it likes');
SET enable_seqscan = off; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 e5');
CALL find('index scan');
SET enable_bitmapscan = on; SET enable_indexscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 e5');
CALL find('bitmap scan');
SET enable_seqscan = on; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 e5');
CALL find('sequential scan');
RESET enable_bitmapscan; RESET enable_indexscan; RESET enable_indexonlyscan;
SELECT way, count(*) AS openings, sum(games) AS games FROM found GROUP BY way ORDER BY way;
SELECT n, count(DISTINCT (games, sum)) AS answers FROM found GROUP BY n HAVING count(DISTINCT (games, sum)) <> 1;
-- The expected games, without rules of chess: openings are prefixes of a game's canonical text.
SELECT count(*) AS wrong FROM found JOIN wanted USING (n)
WHERE way = 'index scan' AND n BETWEEN 2 AND 12 AND games <> (SELECT count(*) FROM games WHERE starts_with(game::text || ' ',
    CASE WHEN plyCount(opening) > 0 THEN getFirstMoves(opening, plyCount(opening))::text || ' ' ELSE '' END));

-- Prepared statements, also with generic plans, in which the opening is unknown.
SET plan_cache_mode = force_generic_plan;
PREPARE by_opening(chessgame) AS SELECT count(*) FROM games WHERE hasOpening(game, $1);
EXPLAIN (COSTS OFF) EXECUTE by_opening('1. e4 e5');
EXECUTE by_opening('1. e4 e5');
EXECUTE by_opening('1. d4 1-0');
EXECUTE by_opening(NULL);
SET plan_cache_mode = force_custom_plan;
EXECUTE by_opening('1. e4 e5');
RESET plan_cache_mode;
-- A parameter of a function.
DO $$
DECLARE opening chessgame := '1. e4 e5'; n bigint;
BEGIN
    SELECT count(*) INTO n FROM games WHERE hasOpening(game, opening);
    ASSERT n = 330, n;
END
$$;

-- A join of games with the same beginning. The opening is a column, or computed from one.
EXPLAIN (COSTS OFF) SELECT f.id, g.id FROM famous AS f JOIN games AS g ON hasOpening(g.game, getFirstMoves(f.game, 10));
CREATE TABLE joined AS SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON hasOpening(g.game, getFirstMoves(f.game, 10)) GROUP BY f.id;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
SELECT (SELECT count(*) FROM joined), count(*) AS same
FROM joined NATURAL JOIN (SELECT f.id, count(*) FROM famous AS f JOIN games AS g ON hasOpening(g.game, getFirstMoves(f.game, 10)) GROUP BY f.id) AS by_scan;
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;
SELECT name, count FROM joined JOIN famous USING (id) WHERE count < 40 ORDER BY id;
EXPLAIN (COSTS OFF) SELECT g.id FROM wanted AS w JOIN games AS g ON hasOpening(g.game, w.opening) WHERE w.n = 3;
SELECT count(*) FROM wanted AS w JOIN games AS g ON hasOpening(g.game, w.opening) WHERE w.n = 3;

-- Outer joins; and a volatile opening, which has no index condition.
EXPLAIN (COSTS OFF) SELECT w.n, g.id FROM wanted AS w LEFT JOIN games AS g ON hasOpening(g.game, w.opening);
SELECT count(*) AS rows, count(g.id) AS games FROM wanted AS w LEFT JOIN games AS g ON hasOpening(g.game, w.opening);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, getFirstMoves('1. e4 e5', random()::integer));

-- An opening from another start position.
SELECT name, count(*) FROM games WHERE hasOpening(game, '[FEN "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"] 1. c7 Rd6+') GROUP BY name;
SELECT name, count(*) FROM games WHERE hasOpening(game, '[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]') GROUP BY name;

-- The clocks belong to the start board, with and without the index; a position has none.
CREATE TABLE clocks AS SELECT format('[FEN "%s %s"] %s', start, clock, moves)::chessgame AS game
FROM unnest(ARRAY['rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -', '4k3/8/8/8/8/8/4P3/4K3 w - -']) AS start,
    unnest(ARRAY['0 0', '0 1', '0 2', '7 1', '7 300', '300 7', '1073741823 1073741823']) AS clock, unnest(ARRAY['', '1. e4', '1. e3']) AS moves;
CREATE INDEX clocks_game ON clocks (game);
CREATE TABLE by_clocks (way text, opening chessgame, games bigint, positions bigint);
PREPARE by_start(chessgame) AS SELECT count(*) FROM clocks WHERE hasOpening(game, $1);
CREATE PROCEDURE look(way text) LANGUAGE plpgsql AS $$
DECLARE o chessgame;
BEGIN
    FOR o IN SELECT game FROM clocks LOOP
        EXECUTE format('INSERT INTO by_clocks SELECT %L, %L, count(*) FILTER (WHERE hasOpening(game, %2$L)),
            count(*) FILTER (WHERE hasBoard(game, startBoard(%2$L), 0)) FROM clocks', way || ' all', o);
        EXECUTE format('INSERT INTO by_clocks SELECT %L, %L, count(*) FROM clocks WHERE hasOpening(game, %2$L)', way, o);
        INSERT INTO by_clocks SELECT way || ' unknown', o, count(*) FROM clocks WHERE hasOpening(game, o);
    END LOOP;
    INSERT INTO by_clocks SELECT way || ' join', o.game, count(*) FROM clocks AS o JOIN clocks AS g ON hasOpening(g.game, o.game) GROUP BY o.game;
END
$$;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) EXECUTE by_start('');
CALL look('index');
RESET enable_seqscan;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
DISCARD PLANS;
CALL look('scan');
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;
RESET plan_cache_mode;
SELECT way, count(*) AS openings, sum(games) AS games, sum(positions) AS positions FROM by_clocks GROUP BY way ORDER BY way;
SELECT opening FROM by_clocks GROUP BY opening HAVING count(DISTINCT games) <> 1;
DROP PROCEDURE look;
DROP TABLE clocks, by_clocks;

-- With AND and OR.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3') OR hasOpening(game, '1. f3');
SELECT count(*) FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3') OR hasOpening(game, '1. f3');
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3') AND result(game) = '1-0' AND NOT hasOpening(game, '1. d4 e6 2. Nf3 f5');
SELECT id, cut FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3') AND result(game) = '1-0' AND NOT hasOpening(game, '1. d4 e6 2. Nf3 f5') ORDER BY id;

-- The order of the index, and index-only scans.
EXPLAIN (COSTS OFF) SELECT game FROM games ORDER BY game LIMIT 3;
SELECT game FROM games ORDER BY game LIMIT 3;
EXPLAIN (COSTS OFF) SELECT count(*) FROM games WHERE hasOpening(game, '1. d4 e6');

-- The index cannot be used if the indexed column is the opening, or if the opening depends on the row.
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening('1. e4 e5 2. Nf3', game);
SELECT count(*) FROM games WHERE hasOpening('1. e4 e5 2. Nf3', game);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, getFirstMoves(game, 5));

-- Equal games share an entry.
CREATE TABLE same AS SELECT game FROM games, generate_series(1, 30) WHERE hasOpening(game, '1. d4');
CREATE INDEX same_game ON same (game);
CREATE INDEX same_game_apart ON same (game) WITH (deduplicate_items = off);
SELECT 3 * pg_relation_size('same_game') < pg_relation_size('same_game_apart') AS smaller;
DROP INDEX same_game_apart;
SET enable_seqscan = off;
SELECT count(*) FROM same WHERE hasOpening(game, '1. d4 e6');
RESET enable_seqscan;

-- Other indexes: descending, multicolumn, partial, on an expression, unique, hash.
SET enable_bitmapscan = off;
DROP INDEX games_game;
CREATE INDEX games_desc ON games (game DESC);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');
SELECT count(*) FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');
DROP INDEX games_desc;
CREATE INDEX games_name_game ON games (name, game);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE name = 'quiet' AND hasOpening(game, '1. h3 h6 2. Nf3');
SELECT count(*) FROM games WHERE name = 'quiet' AND hasOpening(game, '1. h3 h6 2. Nf3');
DROP INDEX games_name_game;
CREATE INDEX games_partial ON games (game) WHERE result(game) = '0-1';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 c5') AND result(game) = '0-1';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. e4 c5');
SELECT count(*) FROM games WHERE hasOpening(game, '1. e4 c5') AND result(game) = '0-1';
DROP INDEX games_partial;
CREATE INDEX games_expression ON games (getFirstMoves(game, 6));
ANALYZE games;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE getFirstMoves(game, 6) = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6';
SELECT count(*) FROM games WHERE getFirstMoves(game, 6) = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6';
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(getFirstMoves(game, 6), '1. e4 e5 2. Nf3 Nc6 3. Bb5');
SELECT count(*) FROM games WHERE hasOpening(getFirstMoves(game, 6), '1. e4 e5 2. Nf3 Nc6 3. Bb5');
DROP INDEX games_expression;
CREATE INDEX games_hash ON games USING hash (game);
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE game = '1. f3 e5 2. g4 0-1';
SELECT id, name FROM games WHERE game = '1. f3 e5 2. g4 0-1';
DROP INDEX games_hash;
RESET enable_bitmapscan;
CREATE UNIQUE INDEX famous_game ON famous (game);
INSERT INTO famous SELECT 100, 'again', game FROM famous WHERE id = 1;
INSERT INTO famous SELECT 100, 'again', game FROM famous WHERE id = 1 ON CONFLICT (game) DO NOTHING;

-- Boards have B-tree and hash indexes, too: for equality of all six fields, and of an expression.
CREATE TABLE ends AS SELECT id, getBoard(game, plyCount(game)) AS board FROM games;
CREATE INDEX ends_board ON ends (board);
CREATE INDEX ends_hash ON ends USING hash (board);
CREATE INDEX ends_epd ON ends (epd(board));
VACUUM ANALYZE ends;
SET enable_seqscan = off; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM ends WHERE board >= getBoard('', 0) AND board <= getBoard('', 0);
SELECT count(*) FROM ends WHERE board >= getBoard('', 0) AND board <= getBoard('', 0);
EXPLAIN (COSTS OFF) SELECT id FROM ends WHERE epd(board) = epd(getBoard('1. e4 c5 2. Nf3', 3));
SELECT count(*) FROM ends WHERE epd(board) = epd(getBoard('1. e4 c5 2. Nf3', 3));
DROP INDEX ends_board;
EXPLAIN (COSTS OFF) SELECT id FROM ends WHERE board = getBoard('1. e4', 1);
SELECT count(*) FROM ends WHERE board = getBoard('1. e4', 1);
RESET enable_seqscan; RESET enable_bitmapscan;
DROP TABLE ends;

-- Created and rebuilt concurrently.
CREATE INDEX CONCURRENTLY games_game ON games (game);
REINDEX INDEX games_game;
REINDEX INDEX CONCURRENTLY games_game;
DELETE FROM games WHERE id % 3 = 0;
VACUUM games;
INSERT INTO games SELECT 20000 + id, name, NULL, game FROM games WHERE id % 2 = 0;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');
SELECT count(*) FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');
SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
SELECT count(*) FROM games WHERE hasOpening(game, '1. d4 e6 2. Nf3');

DROP PROCEDURE find;
DROP TABLE games, famous, wanted, found, joined, same;
