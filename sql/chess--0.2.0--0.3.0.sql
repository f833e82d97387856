-- From 0.2.0 to 0.3.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

-- Estimates of joins on arrays of boards, of material, and of the rows that functions return.

CREATE FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_allcandidates_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allcandidates_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anycandidate_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anycandidate_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

ALTER OPERATOR @> (chessgame, chessboard[]) SET (JOIN = chessgame_allboards_joinsel);
ALTER OPERATOR <@ (chessboard[], chessgame) SET (JOIN = chessgame_allboards_joinsel);
ALTER OPERATOR && (chessgame, chessboard[]) SET (JOIN = chessgame_anyboard_joinsel);
ALTER OPERATOR && (chessboard[], chessgame) SET (JOIN = chessgame_anyboard_joinsel);
ALTER OPERATOR @>~ (chessgame, chessboard[]) SET (JOIN = chessgame_allcandidates_joinsel);
ALTER OPERATOR &&~ (chessgame, chessboard[]) SET (JOIN = chessgame_anycandidate_joinsel);

CREATE FUNCTION moves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moves_support(internal) IS 'planner support for moves';
CREATE FUNCTION positions_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION positions_support(internal) IS 'planner support for positions';
CREATE FUNCTION hasmaterial_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasmaterial_support(internal) IS 'planner support for hasmaterial';
CREATE FUNCTION legalmoves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION legalmoves_support(internal) IS 'planner support for legalmoves';
CREATE FUNCTION pgngames_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgngames_support(internal) IS 'planner support for pgngames';

ALTER FUNCTION moves(chessgame) SUPPORT moves_support;
ALTER FUNCTION positions(chessgame) SUPPORT positions_support;
ALTER FUNCTION hasmaterial(chessgame, text) SUPPORT hasmaterial_support;
ALTER FUNCTION hasmaterial(chessgame, text, integer) SUPPORT hasmaterial_support;
ALTER FUNCTION legalmoves(chessboard) SUPPORT legalmoves_support;
ALTER FUNCTION pgngames(text) SUPPORT pgngames_support;

COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';
