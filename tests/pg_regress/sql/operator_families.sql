-- Foreign operator classes on our types: hasOpening and hasBoard use an index only if its family has our operators,
-- whatever other operators have the same strategy numbers.

\set ECHO none
\i data/functions.sql
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE TABLE sorted AS SELECT n AS id, getFirstMoves(game, 1 + n % 6) AS game
FROM generate_series(1, 3000) AS n, (VALUES ('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6'::chessgame)) AS g (game);
SELECT count(*) FROM sorted WHERE hasOpening(game, '1. e4');
SET enable_seqscan = off;

-- descending: our operators under other numbers
CREATE FUNCTION descending_cmp(chessgame, chessgame) RETURNS integer LANGUAGE sql IMMUTABLE STRICT RETURN chessgame_cmp($2, $1);
CREATE OPERATOR CLASS chessgame_descending FOR TYPE chessgame USING btree AS
    OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 descending_cmp(chessgame, chessgame);
CREATE INDEX sorted_index ON sorted (game chessgame_descending);
SELECT plan('SELECT id FROM sorted WHERE hasOpening(game, ''1. e4 e5 2. Nf3'')');
SELECT count(*), count(*) FILTER (WHERE plyCount(game) >= 3) AS long FROM sorted WHERE hasOpening(game, '1. e4 e5 2. Nf3');
SELECT count(*) FROM sorted WHERE game ^@ '1. e4';
SELECT count(*) FROM sorted WHERE hasOpening(game, '1. d4');
SELECT count(*) FROM sorted AS s, (VALUES ('1. e4 e5'::chessgame), ('1. d4'), (NULL)) AS o (opening) WHERE hasOpening(s.game, o.opening);
DROP INDEX sorted_index;

-- by the number of half-moves: other operators under our numbers
CREATE FUNCTION shorter(chessgame, chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN plycount($1) < plycount($2);
CREATE FUNCTION not_longer(chessgame, chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN plycount($1) <= plycount($2);
CREATE FUNCTION as_long(chessgame, chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN plycount($1) = plycount($2);
CREATE FUNCTION not_shorter(chessgame, chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN plycount($1) >= plycount($2);
CREATE FUNCTION longer(chessgame, chessgame) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN plycount($1) > plycount($2);
CREATE FUNCTION length_cmp(chessgame, chessgame) RETURNS integer LANGUAGE sql IMMUTABLE STRICT RETURN btint4cmp(plycount($1), plycount($2));
CREATE OPERATOR <# (LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = shorter);
CREATE OPERATOR <=# (LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = not_longer);
CREATE OPERATOR =# (LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = as_long);
CREATE OPERATOR >=# (LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = not_shorter);
CREATE OPERATOR ># (LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = longer);
CREATE OPERATOR CLASS chessgame_by_length FOR TYPE chessgame USING btree AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =#, OPERATOR 4 >=#, OPERATOR 5 >#, FUNCTION 1 length_cmp(chessgame, chessgame);
CREATE INDEX sorted_index ON sorted (game chessgame_by_length);
SELECT plan('SELECT id FROM sorted WHERE hasOpening(game, ''1. e4 e5 2. Nf3'')');
SELECT count(*) FROM sorted WHERE hasOpening(game, '1. e4 e5 2. Nf3');
SELECT plan('SELECT id FROM sorted WHERE game ># ''1. e4 e5 2. Nf3'' AND game ^@ ''1. e4''');
SELECT count(*) FROM sorted WHERE game ># '1. e4 e5 2. Nf3' AND game ^@ '1. e4';
DROP INDEX sorted_index;

-- GIN: a class of starts, with other operators for games and boards
CREATE FUNCTION same_start(chessgame, chessboard) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN startBoard($1) = $2;
CREATE OPERATOR @># (LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = same_start);
CREATE OPERATOR CLASS chessgame_starts FOR TYPE chessgame USING gin AS
    OPERATOR 1 @># (chessgame, chessboard),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 chessgame_gin_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 6 chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    STORAGE bigint;
CREATE INDEX sorted_index ON sorted USING gin (game chessgame_starts);
SELECT plan('SELECT id FROM sorted WHERE hasBoard(game, getBoard(''1. e4 e5'', 2))');
SELECT count(*) FROM sorted WHERE hasBoard(game, getBoard('1. e4 e5', 2));
SELECT plan('SELECT id FROM sorted WHERE hasPieces(game, getBoard(''1. e4 e5'', 2))');
SELECT count(*) FROM sorted WHERE hasPieces(game, getBoard('1. e4 e5', 2));
DROP OPERATOR FAMILY chessgame_starts USING gin CASCADE;
DROP OPERATOR FAMILY chessgame_by_length USING btree CASCADE;
DROP OPERATOR FAMILY chessgame_descending USING btree CASCADE;
DROP OPERATOR @># (chessgame, chessboard), <# (chessgame, chessgame), <=# (chessgame, chessgame), =# (chessgame, chessgame),
    >=# (chessgame, chessgame), ># (chessgame, chessgame);
DROP FUNCTION same_start, descending_cmp, shorter, not_longer, as_long, not_shorter, longer, length_cmp;
DROP TABLE sorted;
DROP FUNCTION estimate, actual, plan, answers, cost;
