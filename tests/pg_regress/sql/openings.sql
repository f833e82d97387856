-- Predicates with the opening on the left, and with arrays of openings.
CREATE TABLE opening_games (id serial, game chessgame);
INSERT INTO opening_games (game)
SELECT first || second || third FROM unnest(ARRAY['1. e4', '1. d4', '1. c4', '1. Nf3']) AS first,
    unnest(ARRAY[' d5', ' e5', ' c5', ' Nf6', ' Nc6', ' a6']) AS second, unnest(ARRAY[' 2. Nc3', ' 2. h4', ' 2. a3']) AS third,
    generate_series(1, 60);
INSERT INTO opening_games (game) VALUES (NULL), ('');
CREATE INDEX ON opening_games (game);
VACUUM ANALYZE opening_games;

-- An array is the same as its openings joined by OR, and uses the index.
EXPLAIN (COSTS OFF) SELECT count(*) FROM opening_games WHERE game ^@ ARRAY['1. e4 c5 2. h4', '1. d4 a6 2. h4', NULL, '1. d4 a6 2. h4']::chessgame[];
SELECT count(*) FROM opening_games WHERE game ^@ ARRAY['1. e4 c5 2. h4', '1. d4 a6 2. h4', NULL, '1. d4 a6 2. h4']::chessgame[];
SELECT count(*) FROM opening_games WHERE game ^@ '1. e4 c5 2. h4' OR game ^@ '1. d4 a6 2. h4';
-- Beside other sessions VACUUM does not mark all pages as visible.
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM opening_games WHERE '{1. c4 c5 2. a3}'::chessgame[] @^ game;
SELECT count(*) FROM opening_games WHERE '{1. c4 c5 2. a3}'::chessgame[] @^ game;
EXPLAIN (COSTS OFF) SELECT count(*) FROM opening_games WHERE '1. c4 c5 2. a3'::chessgame @^ game;
SELECT count(*) FROM opening_games WHERE '1. c4 c5 2. a3'::chessgame @^ game;
RESET enable_bitmapscan;

-- An ambiguous literal is a single opening.
SELECT count(*) FROM opening_games WHERE game ^@ '1. c4 c5 2. a3';
SELECT count(*) FROM opening_games WHERE game ^@ ANY ('{1. c4 c5 2. a3,1. c4 e5}');

-- Parameters, with custom and generic plans.
PREPARE of_openings(chessgame[]) AS SELECT count(*) FROM opening_games WHERE game ^@ $1;
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE of_openings('{1. e4 c5 2. h4,1. d4 a6 2. h4}');
EXECUTE of_openings('{1. e4 c5 2. h4,1. d4 a6 2. h4}');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_openings('{1. e4 c5 2. h4,1. d4 a6 2. h4}');
EXECUTE of_openings('{1. e4 c5 2. h4,1. d4 a6 2. h4}');
EXECUTE of_openings('{}');
EXECUTE of_openings(NULL);
RESET plan_cache_mode;

-- NULL and empty arrays: as with = ANY, except that NULL elements match nothing.
SELECT NULL::chessgame ^@ '{1. e4}'::chessgame[] AS null_game, '1. e4'::chessgame ^@ NULL::chessgame[] AS null_array,
       '1. e4'::chessgame ^@ '{}'::chessgame[] AS none, '1. e4'::chessgame ^@ '{NULL}'::chessgame[] AS of_null,
       '1. e4'::chessgame ^@ '{NULL,""}'::chessgame[] AS of_all, NULL::chessgame @^ '1. e4'::chessgame AS null_opening;
SELECT count(*) FROM opening_games WHERE game ^@ '{}'::chessgame[];
SELECT count(*) FROM opening_games WHERE NOT game ^@ '{}'::chessgame[];
SELECT count(*) FROM opening_games WHERE game ^@ '{""}'::chessgame[];
SELECT game ^@ '{1. e4,1. d4}'::chessgame[] AS answer, count(*) FROM opening_games GROUP BY 1 ORDER BY 1;

-- Large arrays stay as they are; a computed game is computed once.
SELECT count(*) FROM opening_games WHERE game ^@ (SELECT array_agg(DISTINCT getFirstMoves(game, 2)) FROM opening_games);
EXPLAIN (COSTS OFF, VERBOSE) SELECT id FROM opening_games WHERE getFirstMoves(game, 3) ^@ '{1. e4,1. d4}'::chessgame[];
SELECT count(*) FROM opening_games WHERE getFirstMoves(game, 3) ^@ '{1. e4,1. d4}'::chessgame[];

-- Without the right to call the function for a single opening, the answer is the same.
CREATE ROLE regress_openings;
GRANT SELECT ON opening_games TO regress_openings;
REVOKE EXECUTE ON FUNCTION hasopening(chessgame, chessgame) FROM PUBLIC;
SET ROLE regress_openings;
EXPLAIN (COSTS OFF) SELECT count(*) FROM opening_games WHERE game ^@ '{1. c4 c5 2. a3}'::chessgame[];
SELECT count(*) FROM opening_games WHERE game ^@ '{1. c4 c5 2. a3}'::chessgame[];
RESET ROLE;
GRANT EXECUTE ON FUNCTION hasopening(chessgame, chessgame) TO PUBLIC;
DROP OWNED BY regress_openings;
DROP ROLE regress_openings;
DROP TABLE opening_games;
