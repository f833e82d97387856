-- From 0.2.0 to 0.3.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';

-- A literal that may be either is a game, and @> takes a single board only, so that '<FEN>' needs no cast. The operators
-- of arrays have names of their own; the old ones go, which views and functions that name them must not any more.
UPDATE pg_catalog.pg_type SET typcategory = 'c', typispreferred = true
WHERE oid OPERATOR(pg_catalog.=) 'chessgame'::pg_catalog.regtype::pg_catalog.oid;
UPDATE pg_catalog.pg_type SET typcategory = 'c'
WHERE oid OPERATOR(pg_catalog.=) 'chessboard'::pg_catalog.regtype::pg_catalog.oid;

ALTER OPERATOR FAMILY chessgame_ops USING gin DROP OPERATOR 2 (chessgame, chessboard[]);
ALTER OPERATOR FAMILY chessgame_compact_ops USING gin DROP OPERATOR 6 (chessgame, chessboard[]);
DROP OPERATOR @> (chessgame, chessboard[]), <@ (chessboard[], chessgame), @>~ (chessgame, chessboard[]);

CREATE OPERATOR @>> (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasallboards,
    COMMUTATOR = <<@,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_board_joinsel
);
COMMENT ON OPERATOR @>> (chessgame, chessboard[]) IS 'all positions arise in the game';

CREATE OPERATOR <<@ (
    LEFTARG = chessboard[], RIGHTARG = chessgame, FUNCTION = chessboards_all_in_game,
    COMMUTATOR = @>>,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_board_joinsel
);
COMMENT ON OPERATOR <<@ (chessboard[], chessgame) IS 'all positions arise in the game';

CREATE OPERATOR @>>~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_mayhaveallboards,
    RESTRICT = chessgame_allcandidates_sel,
    JOIN = chessgame_board_joinsel
);
COMMENT ON OPERATOR @>>~ (chessgame, chessboard[]) IS 'all placements may arise in the game';

ALTER OPERATOR FAMILY chessgame_ops USING gin ADD OPERATOR 2 @>> (chessgame, chessboard[]);
ALTER OPERATOR FAMILY chessgame_compact_ops USING gin ADD OPERATOR 6 @>>~ (chessgame, chessboard[]);
COMMENT ON FUNCTION hasallboards_support(internal) IS 'planner support for @>>';
COMMENT ON FUNCTION chessgame_hasallboards(chessgame, chessboard[]) IS 'implementation of @>> operator';
COMMENT ON FUNCTION chessboards_all_in_game(chessboard[], chessgame) IS 'implementation of <<@ operator';
COMMENT ON FUNCTION chessgame_mayhaveallboards(chessgame, chessboard[]) IS 'implementation of @>>~ operator';

-- Text goes into columns of games and boards without a cast.
DROP CAST (text AS chessgame);
DROP CAST (text AS chessboard);
CREATE CAST (text AS chessgame) WITH INOUT AS ASSIGNMENT;
CREATE CAST (text AS chessboard) WITH INOUT AS ASSIGNMENT;

-- Aggregates by the orders of both types.
CREATE FUNCTION chessgame_smaller(chessgame, chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_smaller(chessgame, chessgame) IS 'internal: the smaller of two';

CREATE AGGREGATE min(chessgame) (
    SFUNC = chessgame_smaller, STYPE = chessgame, COMBINEFUNC = chessgame_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(chessgame) IS 'the least game in the order of openings';

CREATE FUNCTION chessgame_larger(chessgame, chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_larger(chessgame, chessgame) IS 'internal: the larger of two';

CREATE AGGREGATE max(chessgame) (
    SFUNC = chessgame_larger, STYPE = chessgame, COMBINEFUNC = chessgame_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(chessgame) IS 'the greatest game in the order of openings';

CREATE FUNCTION chessboard_smaller(chessboard, chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_smaller(chessboard, chessboard) IS 'internal: the smaller of two';

CREATE AGGREGATE min(chessboard) (
    SFUNC = chessboard_smaller, STYPE = chessboard, COMBINEFUNC = chessboard_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(chessboard) IS 'the least board in the order of bytes';

CREATE FUNCTION chessboard_larger(chessboard, chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_larger(chessboard, chessboard) IS 'internal: the larger of two';

CREATE AGGREGATE max(chessboard) (
    SFUNC = chessboard_larger, STYPE = chessboard, COMBINEFUNC = chessboard_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(chessboard) IS 'the greatest board in the order of bytes';

CREATE FUNCTION startboard() RETURNS chessboard
    AS 'MODULE_PATHNAME', 'standard_startboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION startboard() IS
    'the start position of standard chess';
