-- Order and equality of games and of boards.

-- Comparison of games in order of their opening.

CREATE FUNCTION chessgame_lt(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_lt(chessgame, chessgame) IS 'implementation of < operator';

CREATE FUNCTION chessgame_le(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_le(chessgame, chessgame) IS 'implementation of <= operator';

CREATE FUNCTION chessgame_eq(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_eq(chessgame, chessgame) IS 'implementation of = operator';

CREATE FUNCTION chessgame_ne(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_ne(chessgame, chessgame) IS 'implementation of <> operator';

CREATE FUNCTION chessgame_ge(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_ge(chessgame, chessgame) IS 'implementation of >= operator';

CREATE FUNCTION chessgame_gt(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gt(chessgame, chessgame) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_lt,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (chessgame, chessgame) IS 'less than';

CREATE OPERATOR <= (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_le,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (chessgame, chessgame) IS 'less than or equal';

CREATE OPERATOR = (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_eq,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (chessgame, chessgame) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_ne,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chessgame, chessgame) IS 'not equal';

CREATE OPERATOR >= (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_ge,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (chessgame, chessgame) IS 'greater than or equal';

CREATE OPERATOR > (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_gt,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (chessgame, chessgame) IS 'greater than';

-- Comparison of boards in order of their bytes.

CREATE FUNCTION chessboard_lt(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_lt(chessboard, chessboard) IS 'implementation of < operator';

CREATE FUNCTION chessboard_le(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_le(chessboard, chessboard) IS 'implementation of <= operator';

CREATE FUNCTION chessboard_eq(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_eq(chessboard, chessboard) IS 'implementation of = operator';

CREATE FUNCTION chessboard_ne(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_ne(chessboard, chessboard) IS 'implementation of <> operator';

CREATE FUNCTION chessboard_ge(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_ge(chessboard, chessboard) IS 'implementation of >= operator';

CREATE FUNCTION chessboard_gt(chessboard, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_gt(chessboard, chessboard) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_lt,
    COMMUTATOR = >,
    NEGATOR = >=,
    RESTRICT = scalarltsel,
    JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (chessboard, chessboard) IS 'less than';

CREATE OPERATOR <= (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_le,
    COMMUTATOR = >=,
    NEGATOR = >,
    RESTRICT = scalarlesel,
    JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (chessboard, chessboard) IS 'less than or equal';

CREATE OPERATOR = (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_eq,
    COMMUTATOR = =,
    NEGATOR = <>,
    RESTRICT = eqsel,
    JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (chessboard, chessboard) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_ne,
    COMMUTATOR = <>,
    NEGATOR = =,
    RESTRICT = neqsel,
    JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chessboard, chessboard) IS 'not equal';

CREATE OPERATOR >= (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_ge,
    COMMUTATOR = <=,
    NEGATOR = <,
    RESTRICT = scalargesel,
    JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (chessboard, chessboard) IS 'greater than or equal';

CREATE OPERATOR > (
    LEFTARG = chessboard, RIGHTARG = chessboard, FUNCTION = chessboard_gt,
    COMMUTATOR = <,
    NEGATOR = <=,
    RESTRICT = scalargtsel,
    JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (chessboard, chessboard) IS 'greater than';
