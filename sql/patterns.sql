-- Patterns: their type, and functions and operators that search games and boards for them.

CREATE TYPE chesspattern;

CREATE FUNCTION chesspattern_in(cstring) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION chesspattern_in(cstring) IS 'I/O';
CREATE FUNCTION chesspattern_out(chesspattern) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_out(chesspattern) IS 'I/O';
CREATE FUNCTION chesspattern_recv(internal) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION chesspattern_recv(internal) IS 'I/O';
CREATE FUNCTION chesspattern_send(chesspattern) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_send(chesspattern) IS 'I/O';

CREATE TYPE chesspattern (
    INPUT = chesspattern_in,
    OUTPUT = chesspattern_out,
    RECEIVE = chesspattern_recv,
    SEND = chesspattern_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended
);
COMMENT ON TYPE chesspattern IS 'what may happen on the board in the course of a game';

CREATE CAST (text AS chesspattern) WITH INOUT;
CREATE CAST (chesspattern AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION chesspattern_eq(chesspattern, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_eq(chesspattern, chesspattern) IS 'implementation of = operator';
CREATE FUNCTION chesspattern_ne(chesspattern, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_ne(chesspattern, chesspattern) IS 'implementation of <> operator';
CREATE FUNCTION chesspattern_hash(chesspattern) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_hash(chesspattern) IS 'hash';
CREATE FUNCTION chesspattern_hash_extended(chesspattern, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_hash_extended(chesspattern, bigint) IS 'hash';

CREATE OPERATOR = (
    LEFTARG = chesspattern, RIGHTARG = chesspattern, FUNCTION = chesspattern_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR = (chesspattern, chesspattern) IS 'equal';
CREATE OPERATOR <> (
    LEFTARG = chesspattern, RIGHTARG = chesspattern, FUNCTION = chesspattern_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chesspattern, chesspattern) IS 'not equal';
CREATE OPERATOR CLASS chesspattern_ops DEFAULT FOR TYPE chesspattern USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chesspattern_hash(chesspattern),
    FUNCTION 2 chesspattern_hash_extended(chesspattern, bigint);
COMMENT ON OPERATOR CLASS chesspattern_ops USING hash IS 'equal patterns';

CREATE FUNCTION haspattern_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION haspattern_support(internal) IS 'planner support for haspattern';
CREATE FUNCTION chessgame_pattern_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pattern_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_pattern_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pattern_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
CREATE FUNCTION haspattern(game chessgame, pattern chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION haspattern(chessgame, chesspattern) IS 'does the pattern occur in the game?';
CREATE FUNCTION haspattern(game chessgame, pattern chesspattern, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspattern_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION haspattern(chessgame, chesspattern, integer)
    IS 'does a match of the pattern end within the first half-moves of the game?';
CREATE FUNCTION haspattern(board chessboard, pattern chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_haspattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION haspattern(chessboard, chesspattern) IS 'does the board match the pattern?';
CREATE FUNCTION patterncost_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION patterncost_support(internal) IS 'planner support for plyofpattern and findpattern';
CREATE FUNCTION plyofpattern(game chessgame, pattern chesspattern) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT patterncost_support;
COMMENT ON FUNCTION plyofpattern(chessgame, chesspattern)
    IS 'the first half-move at which a match of the pattern ends, NULL if there is none';
CREATE FUNCTION findpattern(game chessgame, pattern chesspattern) RETURNS TABLE (first integer, last integer)
    AS 'MODULE_PATHNAME', 'chessgame_findpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10
    SUPPORT patterncost_support;
COMMENT ON FUNCTION findpattern(chessgame, chesspattern)
    IS 'the half-moves at which matches of the pattern end, each with the latest at which such a match begins';
CREATE FUNCTION squaresof(board chessboard, pieces text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_squaresof' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT textarguments_support;
COMMENT ON FUNCTION squaresof(chessboard, text) IS 'the squares of a set in the language of patterns';

CREATE FUNCTION chesspattern_in_game(chesspattern, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION chesspattern_in_game(chesspattern, chessgame) IS 'implementation of @@ operator';
CREATE FUNCTION chesspattern_on_board(chesspattern, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chesspattern_on_board(chesspattern, chessboard) IS 'implementation of @@ operator';

CREATE OPERATOR @@ (
    LEFTARG = chessgame, RIGHTARG = chesspattern, FUNCTION = haspattern,
    COMMUTATOR = @@, RESTRICT = chessgame_pattern_sel, JOIN = chessgame_pattern_joinsel
);
COMMENT ON OPERATOR @@ (chessgame, chesspattern) IS 'the pattern occurs in the game';
CREATE OPERATOR @@ (
    LEFTARG = chesspattern, RIGHTARG = chessgame, FUNCTION = chesspattern_in_game,
    COMMUTATOR = @@, RESTRICT = chessgame_pattern_sel, JOIN = chessgame_pattern_joinsel
);
COMMENT ON OPERATOR @@ (chesspattern, chessgame) IS 'the pattern occurs in the game';
CREATE OPERATOR @@ (
    LEFTARG = chessboard, RIGHTARG = chesspattern, FUNCTION = haspattern,
    COMMUTATOR = @@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (chessboard, chesspattern) IS 'the board matches the pattern';
CREATE OPERATOR @@ (
    LEFTARG = chesspattern, RIGHTARG = chessboard, FUNCTION = chesspattern_on_board,
    COMMUTATOR = @@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (chesspattern, chessboard) IS 'the board matches the pattern';

-- The planner converts hasmaterial to @@ with this function where the material is not a constant
-- (src/planner/index_condition.rs).

CREATE FUNCTION chesspattern_material(text) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION chesspattern_material(text) IS 'internal: the pattern of a material';
