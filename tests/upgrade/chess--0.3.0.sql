-- sql/chessboard.sql
-- Type chessboard: text and binary input and output, casts, EPD.

CREATE TYPE chessboard;

CREATE FUNCTION chessboard_in(cstring) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_out(chessboard) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_recv(internal) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_send(chessboard) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_in(cstring) IS 'I/O';
COMMENT ON FUNCTION chessboard_out(chessboard) IS 'I/O';
COMMENT ON FUNCTION chessboard_recv(internal) IS 'I/O';
COMMENT ON FUNCTION chessboard_send(chessboard) IS 'I/O';

CREATE TYPE chessboard (
    INPUT = chessboard_in,
    OUTPUT = chessboard_out,
    RECEIVE = chessboard_recv,
    SEND = chessboard_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = main,
    CATEGORY = 'c'
);
COMMENT ON TYPE chessboard IS 'a chess position: the six fields of a FEN';

CREATE CAST (text AS chessboard) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessboard AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION textarguments_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION textarguments_support(internal) IS
    'planner support for functions with text arguments: foreign servers may evaluate them';

CREATE FUNCTION epd(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_epd' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION epd(chessboard) IS
    'FEN without clocks, with an en passant square only if a capture is legal: equal exactly for the same position';

-- sql/chessgame.sql
-- Type chessgame: text and binary input and output, casts, what a game says of itself, bounds of openings.
-- COST is in units of about 10 ns; docs/performance.md says how they were chosen.

-- A literal that may be either type is a game: they have a category of their own, of which the game is preferred.

CREATE TYPE chessgame;

CREATE FUNCTION chessgame_in(cstring) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION chessgame_out(chessgame) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION chessgame_recv(internal) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION chessgame_send(chessgame) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION chessgame_typanalyze(internal) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_in(cstring) IS 'I/O';
COMMENT ON FUNCTION chessgame_out(chessgame) IS 'I/O';
COMMENT ON FUNCTION chessgame_recv(internal) IS 'I/O';
COMMENT ON FUNCTION chessgame_send(chessgame) IS 'I/O';
COMMENT ON FUNCTION chessgame_typanalyze(internal) IS 'gathers the most common positions for ANALYZE';

CREATE TYPE chessgame (
    INPUT = chessgame_in,
    OUTPUT = chessgame_out,
    RECEIVE = chessgame_recv,
    SEND = chessgame_send,
    ANALYZE = chessgame_typanalyze,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended,
    CATEGORY = 'c',
    PREFERRED = true
);
COMMENT ON TYPE chessgame IS 'the moves of a chess game, from the standard or another start position, and its result';

CREATE CAST (text AS chessgame) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessgame AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION getboard(game chessgame, ply integer) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_getboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION getboard(chessgame, integer) IS
    'the board after that many half-moves, 0 for the start position; a negative number counts back from the end';

CREATE FUNCTION getfirstmoves(game chessgame, plies integer) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_getfirstmoves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION getfirstmoves(chessgame, integer) IS
    'the first half-moves of the game, all if it has fewer, or, by a negative number, all but the last, with unknown result';

CREATE FUNCTION plycount(game chessgame) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plycount' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION plycount(chessgame) IS 'the number of half-moves';

CREATE FUNCTION result(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_result' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION result(chessgame) IS 'the result: 1-0, 0-1, 1/2-1/2, or * if unknown';

CREATE FUNCTION openinglowerbound(opening chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_openinglowerbound' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openinglowerbound(chessgame) IS
    'the least of all games that begin with the moves of the opening';

CREATE FUNCTION openingupperbound(opening chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_openingupperbound' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openingupperbound(chessgame) IS
    'a value above all games that begin with the moves of the opening and below all greater ones';

-- sql/comparisons.sql
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

-- sql/search.sql
-- What searches games for an opening, for boards and for material: functions, operators, estimators and planner support.

CREATE FUNCTION hasopening_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasopening_support(internal) IS 'planner support for hasopening';
CREATE FUNCTION hasboard_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasboard_support(internal) IS 'planner support for hasboard';
CREATE FUNCTION haspieces_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION haspieces_support(internal) IS 'planner support for haspieces';
CREATE FUNCTION hasallboards_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasallboards_support(internal) IS 'planner support for @>>';
CREATE FUNCTION hasanyboard_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasanyboard_support(internal) IS 'planner support for &&';
CREATE FUNCTION hasmaterial_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasmaterial_support(internal) IS 'planner support for hasmaterial';

CREATE FUNCTION hasopening(game chessgame, opening chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasopening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2
    SUPPORT hasopening_support;
COMMENT ON FUNCTION hasopening(chessgame, chessgame) IS
    'does the game begin with the moves of the opening?';

CREATE FUNCTION hasboard(game chessgame, board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT hasboard_support;
COMMENT ON FUNCTION hasboard(chessgame, chessboard) IS
    'does the position arise in the game? (placement, side to move, castling rights, legal en passant; clocks do not count)';

CREATE FUNCTION hasboard(game chessgame, board chessboard, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasboard_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT hasboard_support;
COMMENT ON FUNCTION hasboard(chessgame, chessboard, integer) IS
    'does the position arise within that many half-moves, the start position included?';

CREATE FUNCTION haspieces(game chessgame, board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspieces' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT haspieces_support;
COMMENT ON FUNCTION haspieces(chessgame, chessboard) IS
    'does the piece placement arise in the game, whoever is to move?';

CREATE FUNCTION haspieces(game chessgame, board chessboard, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspieces_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT haspieces_support;
COMMENT ON FUNCTION haspieces(chessgame, chessboard, integer) IS
    'does the piece placement arise within that many half-moves, the start position included?';

CREATE FUNCTION hasmaterial(game chessgame, material text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasmaterial' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT hasmaterial_support;
COMMENT ON FUNCTION hasmaterial(chessgame, text) IS
    'does the game ever have exactly this material? (such as KRPPvKR, White first)';

CREATE FUNCTION hasmaterial(game chessgame, material text, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasmaterial_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT hasmaterial_support;
COMMENT ON FUNCTION hasmaterial(chessgame, text, integer) IS
    'does the game have exactly this material within that many half-moves, the start included?';

-- Estimators.

CREATE FUNCTION chessgame_opening_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_opening_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_opening_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_opening_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_board_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_board_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_pieces_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pieces_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_allboards_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allboards_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_anyboard_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anyboard_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_candidate_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_candidate_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_allcandidates_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allcandidates_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_anycandidate_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anycandidate_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_board_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_board_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_pieces_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pieces_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_candidate_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_candidate_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

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

CREATE FUNCTION chessgame_structure_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_structure_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_allstructures_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allstructures_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_anystructure_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anystructure_sel(internal, oid, internal, integer) IS 'restriction selectivity';

CREATE FUNCTION chessgame_structure_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_structure_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_allstructures_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allstructures_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anystructure_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anystructure_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

-- Openings.

CREATE OPERATOR ^@ (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = hasopening,
    COMMUTATOR = @^,
    RESTRICT = chessgame_opening_sel,
    JOIN = chessgame_opening_joinsel
);
COMMENT ON OPERATOR ^@ (chessgame, chessgame) IS 'game starts with opening';

-- The planner rewrites these three into ^@ of single openings, which it can estimate and look up
-- (src/planner/openings.rs).

CREATE FUNCTION openings_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openings_support(internal) IS 'planner support for openings on the left, and arrays of them';

CREATE FUNCTION chessgame_isopening(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_isopening(chessgame, chessgame) IS 'implementation of @^ operator';

CREATE OPERATOR @^ (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_isopening,
    COMMUTATOR = ^@,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @^ (chessgame, chessgame) IS 'opening starts game';

CREATE FUNCTION chessgame_hasanyopening(chessgame, chessgame[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_hasanyopening(chessgame, chessgame[]) IS 'implementation of ^@ operator';

CREATE FUNCTION chessgame_isanyopening(chessgame[], chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_isanyopening(chessgame[], chessgame) IS 'implementation of @^ operator';

CREATE OPERATOR ^@ (
    LEFTARG = chessgame, RIGHTARG = chessgame[], FUNCTION = chessgame_hasanyopening,
    COMMUTATOR = @^,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR ^@ (chessgame, chessgame[]) IS 'game starts with one of the openings';

CREATE OPERATOR @^ (
    LEFTARG = chessgame[], RIGHTARG = chessgame, FUNCTION = chessgame_isanyopening,
    COMMUTATOR = ^@,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @^ (chessgame[], chessgame) IS 'one of the openings starts game';

-- Boards in games.

CREATE FUNCTION chessboard_in_game(chessboard, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT hasboard_support;
COMMENT ON FUNCTION chessboard_in_game(chessboard, chessgame) IS 'implementation of <@ operator';

CREATE OPERATOR @> (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = hasboard,
    COMMUTATOR = <@,
    RESTRICT = chessgame_board_sel,
    JOIN = chessgame_board_joinsel
);
COMMENT ON OPERATOR @> (chessgame, chessboard) IS 'position arises in the game';

CREATE OPERATOR <@ (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_in_game,
    COMMUTATOR = @>,
    RESTRICT = chessgame_board_sel,
    JOIN = chessgame_board_joinsel
);
COMMENT ON OPERATOR <@ (chessboard, chessgame) IS 'position arises in the game';

CREATE FUNCTION chessgame_hasallboards(chessgame, chessboard[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30
    SUPPORT hasallboards_support;
COMMENT ON FUNCTION chessgame_hasallboards(chessgame, chessboard[]) IS 'implementation of @>> operator';

CREATE FUNCTION chessboards_all_in_game(chessboard[], chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30
    SUPPORT hasallboards_support;
COMMENT ON FUNCTION chessboards_all_in_game(chessboard[], chessgame) IS 'implementation of <<@ operator';

CREATE OPERATOR @>> (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasallboards,
    COMMUTATOR = <<@,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_allboards_joinsel
);
COMMENT ON OPERATOR @>> (chessgame, chessboard[]) IS 'all positions arise in the game';

CREATE OPERATOR <<@ (
    LEFTARG = chessboard[], RIGHTARG = chessgame, FUNCTION = chessboards_all_in_game,
    COMMUTATOR = @>>,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_allboards_joinsel
);
COMMENT ON OPERATOR <<@ (chessboard[], chessgame) IS 'all positions arise in the game';

CREATE FUNCTION chessgame_hasanyboard(chessgame, chessboard[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30
    SUPPORT hasanyboard_support;
COMMENT ON FUNCTION chessgame_hasanyboard(chessgame, chessboard[]) IS 'implementation of && operator';

CREATE FUNCTION chessboards_any_in_game(chessboard[], chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30
    SUPPORT hasanyboard_support;
COMMENT ON FUNCTION chessboards_any_in_game(chessboard[], chessgame) IS 'implementation of && operator';

CREATE OPERATOR && (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasanyboard,
    COMMUTATOR = &&,
    RESTRICT = chessgame_anyboard_sel,
    JOIN = chessgame_anyboard_joinsel
);
COMMENT ON OPERATOR && (chessgame, chessboard[]) IS 'one of the positions arises in the game';

CREATE OPERATOR && (
    LEFTARG = chessboard[], RIGHTARG = chessgame, FUNCTION = chessboards_any_in_game,
    COMMUTATOR = &&,
    RESTRICT = chessgame_anyboard_sel,
    JOIN = chessgame_anyboard_joinsel
);
COMMENT ON OPERATOR && (chessboard[], chessgame) IS 'one of the positions arises in the game';

CREATE FUNCTION chessboard_pieces_in_game(chessboard, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT haspieces_support;
COMMENT ON FUNCTION chessboard_pieces_in_game(chessboard, chessgame) IS 'implementation of ~@ operator';

CREATE OPERATOR @~ (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = haspieces,
    COMMUTATOR = ~@,
    RESTRICT = chessgame_pieces_sel,
    JOIN = chessgame_pieces_joinsel
);
COMMENT ON OPERATOR @~ (chessgame, chessboard) IS 'piece placement arises in the game';

CREATE OPERATOR ~@ (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_pieces_in_game,
    COMMUTATOR = @~,
    RESTRICT = chessgame_pieces_sel,
    JOIN = chessgame_pieces_joinsel
);
COMMENT ON OPERATOR ~@ (chessboard, chessgame) IS 'piece placement arises in the game';

-- Candidates: what an index of coarse keys knows (sql/opclasses.sql). Such a key belongs to a placement.

CREATE FUNCTION chessgame_mayhaveboard(chessgame, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION chessgame_mayhaveboard(chessgame, chessboard) IS 'implementation of @>~ operator';

CREATE OPERATOR @>~ (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = chessgame_mayhaveboard,
    RESTRICT = chessgame_candidate_sel,
    JOIN = chessgame_candidate_joinsel
);
COMMENT ON OPERATOR @>~ (chessgame, chessboard) IS 'placement may arise in the game';

CREATE FUNCTION chessgame_mayhaveallboards(chessgame, chessboard[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION chessgame_mayhaveallboards(chessgame, chessboard[]) IS 'implementation of @>>~ operator';

CREATE OPERATOR @>>~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_mayhaveallboards,
    RESTRICT = chessgame_allcandidates_sel,
    JOIN = chessgame_allcandidates_joinsel
);
COMMENT ON OPERATOR @>>~ (chessgame, chessboard[]) IS 'all placements may arise in the game';

CREATE FUNCTION chessgame_mayhaveanyboard(chessgame, chessboard[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION chessgame_mayhaveanyboard(chessgame, chessboard[]) IS 'implementation of &&~ operator';

CREATE OPERATOR &&~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_mayhaveanyboard,
    RESTRICT = chessgame_anycandidate_sel,
    JOIN = chessgame_anycandidate_joinsel
);
COMMENT ON OPERATOR &&~ (chessgame, chessboard[]) IS 'one of the placements may arise in the game';

-- The answers of @~, @>> and &&, estimated as what an index with the option key_bits leaves (sql/opclasses.sql).

CREATE OPERATOR @>~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = haspieces,
    RESTRICT = chessgame_structure_sel,
    JOIN = chessgame_structure_joinsel
);
COMMENT ON OPERATOR @>~~ (chessgame, chessboard) IS 'piece placement arises in the game, found by its pawn structure';

CREATE OPERATOR @>>~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasallboards,
    RESTRICT = chessgame_allstructures_sel,
    JOIN = chessgame_allstructures_joinsel
);
COMMENT ON OPERATOR @>>~~ (chessgame, chessboard[]) IS 'all positions arise in the game, found by their pawn structures';

CREATE OPERATOR &&~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasanyboard,
    RESTRICT = chessgame_anystructure_sel,
    JOIN = chessgame_anystructure_joinsel
);
COMMENT ON OPERATOR &&~~ (chessgame, chessboard[]) IS 'one of the positions arises in the game, found by its pawn structure';

-- sql/opclasses.sql
-- Operator classes: B-tree and hash for both types, GIN for games.

CREATE FUNCTION chessgame_cmp(chessgame, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_cmp(chessgame, chessgame) IS 'less-equal-greater';

CREATE FUNCTION chessgame_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_sortsupport(internal) IS 'sort support';

CREATE FUNCTION chessgame_hash(chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_hash(chessgame) IS 'hash';

CREATE FUNCTION chessgame_hash_extended(chessgame, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_hash_extended(chessgame, bigint) IS 'hash';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessgame_cmp(chessgame, chessgame),
    FUNCTION 2 chessgame_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessgame_ops USING btree IS 'games in order of their opening';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessgame_hash(chessgame),
    FUNCTION 2 chessgame_hash_extended(chessgame, bigint);
COMMENT ON OPERATOR CLASS chessgame_ops USING hash IS 'equal games';

CREATE FUNCTION chessboard_cmp(chessboard, chessboard) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_cmp(chessboard, chessboard) IS 'less-equal-greater';

CREATE FUNCTION chessboard_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_sortsupport(internal) IS 'sort support';

CREATE FUNCTION chessboard_hash(chessboard) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_hash(chessboard) IS 'hash';

CREATE FUNCTION chessboard_hash_extended(chessboard, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_hash_extended(chessboard, bigint) IS 'hash';

CREATE OPERATOR CLASS chessboard_ops DEFAULT FOR TYPE chessboard USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessboard_cmp(chessboard, chessboard),
    FUNCTION 2 chessboard_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessboard_ops USING btree IS 'boards in order of their bytes';

CREATE OPERATOR CLASS chessboard_ops DEFAULT FOR TYPE chessboard USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessboard_hash(chessboard),
    FUNCTION 2 chessboard_hash_extended(chessboard, bigint);
COMMENT ON OPERATOR CLASS chessboard_ops USING hash IS 'equal boards';

CREATE FUNCTION chessgame_gin_extract_value(chessgame, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION chessgame_gin_extract_value(chessgame, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_options(internal) IS 'GIN support';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING gin AS
    OPERATOR 1 @> (chessgame, chessboard),
    OPERATOR 2 @>> (chessgame, chessboard[]),
    OPERATOR 3 && (chessgame, chessboard[]),
    OPERATOR 4 @~ (chessgame, chessboard),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 chessgame_gin_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 6 chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    FUNCTION 7 chessgame_gin_options(internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS chessgame_ops USING gin IS 'positions of a game, by a key per half-move';

CREATE FUNCTION chessgame_gin_compact_extract_value(chessgame, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION chessgame_gin_compact_extract_value(chessgame, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_compact_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_compact_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_compact_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_compact_options(internal) IS 'GIN support';

-- Its operators are those for candidates, so that the cost of checking them is estimated; the planner turns @>, @~ and
-- && into them, as it does hasboard and haspieces (src/planner/index_condition.rs). Those of pawn structures are for the
-- option key_bits.
CREATE OPERATOR CLASS chessgame_compact_ops FOR TYPE chessgame USING gin AS
    OPERATOR 5 @>~ (chessgame, chessboard),
    OPERATOR 6 @>>~ (chessgame, chessboard[]),
    OPERATOR 7 &&~ (chessgame, chessboard[]),
    OPERATOR 9 @>~~ (chessgame, chessboard),
    OPERATOR 10 @>>~~ (chessgame, chessboard[]),
    OPERATOR 11 &&~~ (chessgame, chessboard[]),
    FUNCTION 1 btint4cmp(integer, integer),
    FUNCTION 2 chessgame_gin_compact_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_compact_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 6 chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    FUNCTION 7 chessgame_gin_compact_options(internal),
    STORAGE integer;
COMMENT ON OPERATOR CLASS chessgame_compact_ops USING gin IS 'positions of a game, by some thirty coarse keys: a small index that leaves more candidates to check';

-- Aggregates by these orders; an index answers them.

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

-- sql/moves.sql
-- Moves and positions: those of a game, those that are legal on a board, and UCI.

CREATE FUNCTION moves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moves_support(internal) IS 'planner support for moves';
CREATE FUNCTION positions_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION positions_support(internal) IS 'planner support for positions';

CREATE FUNCTION moves(game chessgame) RETURNS TABLE (ply integer, number integer, turn text, san text, uci text, piece text,
        from_square text, to_square text, captured text, promotion text,
        is_check boolean, is_mate boolean, is_castling boolean, is_en_passant boolean, board chessboard)
    AS 'MODULE_PATHNAME', 'chessgame_moves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 8000 ROWS 80
    SUPPORT moves_support;
COMMENT ON FUNCTION moves(chessgame) IS
    'the moves of the game, a row each, with the board after it';

CREATE FUNCTION positions(game chessgame) RETURNS TABLE (ply integer, board chessboard)
    AS 'MODULE_PATHNAME', 'chessgame_positions' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1500 ROWS 80
    SUPPORT positions_support;
COMMENT ON FUNCTION positions(chessgame) IS
    'the boards of the game, a row each, from the start on';

CREATE FUNCTION startboard() RETURNS chessboard
    AS 'MODULE_PATHNAME', 'standard_startboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION startboard() IS
    'the start position of standard chess';

CREATE FUNCTION startboard(game chessgame) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_startboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION startboard(chessgame) IS
    'the board that the game starts from';

CREATE FUNCTION finalboard(game chessgame) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_finalboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION finalboard(chessgame) IS
    'the board after the last half-move';

CREATE FUNCTION nextmove(game chessgame, board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_nextmove' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 12;
COMMENT ON FUNCTION nextmove(chessgame, chessboard) IS
    'the move in SAN that the game plays where the position first arises; NULL if it never does, or only at the end';

CREATE FUNCTION plyof(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyof' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION plyof(chessgame, chessboard) IS
    'the number of half-moves after which the position first arises; NULL if it never does';

CREATE FUNCTION uci(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_uci' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION uci(chessgame) IS
    'the moves of the game in UCI, behind its FEN if it starts elsewhere';

CREATE FUNCTION fromuci(moves text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_fromuci' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION fromuci(text) IS
    'the game of these moves in UCI, or of what follows "position" in the UCI protocol';

CREATE FUNCTION legalmoves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION legalmoves_support(internal) IS 'planner support for legalmoves';

CREATE FUNCTION legalmoves(board chessboard) RETURNS TABLE (number integer, turn text, san text, uci text, piece text,
        from_square text, to_square text, captured text, promotion text,
        is_check boolean, is_mate boolean, is_castling boolean, is_en_passant boolean)
    AS 'MODULE_PATHNAME', 'chessboard_legalmoves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 3000 ROWS 30
    SUPPORT legalmoves_support;
COMMENT ON FUNCTION legalmoves(chessboard) IS
    'the legal moves of the board, a row each';

CREATE FUNCTION play(board chessboard, move text) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessboard_play' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60
    SUPPORT textarguments_support;
COMMENT ON FUNCTION play(chessboard, text) IS
    'the board after a move in SAN or UCI';

CREATE FUNCTION san(board chessboard, move text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_san' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60
    SUPPORT textarguments_support;
COMMENT ON FUNCTION san(chessboard, text) IS
    'a move of the board, given in SAN or UCI, as SAN';

CREATE FUNCTION uci(board chessboard, move text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_uci' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60
    SUPPORT textarguments_support;
COMMENT ON FUNCTION uci(chessboard, text) IS
    'a move of the board, given in SAN or UCI, as UCI';

CREATE FUNCTION islegal(board chessboard, move text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_islegal' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60
    SUPPORT textarguments_support;
COMMENT ON FUNCTION islegal(chessboard, text) IS
    'is the text, in SAN or UCI, exactly one legal move of the board?';

-- sql/parts.sql
-- Half-moves of a game, and games made of games. A negative number is counted from the end.

CREATE FUNCTION ischess960(game chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_ischess960' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ischess960(chessgame) IS
    'is the game marked as Chess960?';

CREATE FUNCTION moveat(game chessgame, ply integer) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_moveat' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION moveat(chessgame, integer) IS
    'the half-move of that number in SAN, 1 for the first, -1 for the last; NULL if the game does not have it';

CREATE FUNCTION getmoves(game chessgame, first integer, last integer) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_getmoves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 600;
COMMENT ON FUNCTION getmoves(chessgame, integer, integer) IS
    'the half-moves from the first to the last as a game from the board where they begin, with unknown result';

CREATE FUNCTION sans(game chessgame) RETURNS text[]
    AS 'MODULE_PATHNAME', 'chessgame_sans' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sans(chessgame) IS
    'the half-moves of the game in SAN';

CREATE FUNCTION ucis(game chessgame) RETURNS text[]
    AS 'MODULE_PATHNAME', 'chessgame_ucis' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ucis(chessgame) IS
    'the half-moves of the game in UCI';

CREATE FUNCTION play(game chessgame, moves text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_play' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION play(chessgame, text) IS
    'the game with these moves behind its own; with the result that they end with, or else its own';

CREATE FUNCTION takeback(game chessgame, plies integer DEFAULT 1) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_takeback' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION takeback(chessgame, integer) IS
    'the game without its last half-moves, with unknown result';

CREATE FUNCTION withresult(game chessgame, result text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_withresult' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT textarguments_support;
COMMENT ON FUNCTION withresult(chessgame, text) IS
    'the same moves with that result: 1-0, 0-1, 1/2-1/2 or *';

CREATE FUNCTION newgame(board chessboard, moves text DEFAULT '') RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_newgame' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION newgame(chessboard, text) IS
    'a game of these moves from the board';

CREATE FUNCTION score(result text, color text) RETURNS numeric
    AS 'MODULE_PATHNAME', 'chess_score' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5
    SUPPORT textarguments_support;
COMMENT ON FUNCTION score(text, text) IS
    'the points of a side with that result: 1, 0.5 or 0; NULL for a game without one';

-- sql/boards.sql
-- What the rules say about a game or a board, and what a board says about its pieces.

CREATE FUNCTION status(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_status' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION status(chessgame) IS
    'what the rules say of the last position of the game, repetitions counted';

CREATE FUNCTION pieceat(board chessboard, square text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_pieceat' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pieceat(chessboard, text) IS
    'the letter in FEN of the piece on the square; NULL if it is empty';

CREATE FUNCTION turn(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_turn' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION turn(chessboard) IS
    'the side to move: w or b';

CREATE FUNCTION castling(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_castling' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION castling(chessboard) IS
    'the castling rights as FEN writes them: KQkq, or -';

CREATE FUNCTION enpassant(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_enpassant' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION enpassant(chessboard) IS
    'the square behind a pawn that has just made a double push, or NULL';

CREATE FUNCTION halfmoveclock(board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_halfmoveclock' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION halfmoveclock(chessboard) IS
    'half-moves since the last capture or pawn move';

CREATE FUNCTION fullmovenumber(board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_fullmovenumber' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION fullmovenumber(chessboard) IS
    'the number of the move';

CREATE FUNCTION status(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_status' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION status(chessboard) IS
    'what the rules say of the board, which has no history but its clock';

CREATE FUNCTION ischeck(board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_ischeck' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ischeck(chessboard) IS
    'is the side to move in check?';

CREATE FUNCTION zobrist(board chessboard) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_zobrist' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION zobrist(chessboard) IS
    'the key of the position in the Polyglot book format';

CREATE FUNCTION material(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_material' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION material(chessboard) IS
    'all pieces of the board, White first: KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP at the start';

CREATE FUNCTION mirror(board chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessboard_mirror' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION mirror(chessboard) IS
    'the board with its files exchanged, a for h';

CREATE FUNCTION flip(board chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessboard_flip' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION flip(chessboard) IS
    'the board with colours and ranks exchanged: the same position for the other side';

CREATE FUNCTION sameposition(a chessboard, b chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_sameposition' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sameposition(chessboard, chessboard) IS
    'are the boards the same position? (placement, side to move, castling rights, legal en passant; clocks do not count)';

CREATE FUNCTION samepieces(a chessboard, b chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_samepieces' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION samepieces(chessboard, chessboard) IS
    'do the boards have the same placement of pieces?';

-- sql/openings.sql
-- Openings that have a name.

CREATE FUNCTION opening(game chessgame, OUT eco text, OUT name text) RETURNS record
    AS 'MODULE_PATHNAME', 'chessgame_opening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION opening(chessgame) IS
    'ECO code and name of the last position of the game that has one';

CREATE FUNCTION opening(board chessboard, OUT eco text, OUT name text) RETURNS record
    AS 'MODULE_PATHNAME', 'chessboard_opening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION opening(chessboard) IS
    'ECO code and name of the position, if it has one';

CREATE FUNCTION chess_opening_table() RETURNS TABLE (eco text, name text, game chessgame)
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 100000 ROWS 3500;
COMMENT ON FUNCTION chess_opening_table() IS
    'internal: the rows of chess_openings but for the boards';

CREATE VIEW chess_openings AS
    SELECT eco, name, game, finalboard(game) AS board FROM chess_opening_table();
COMMENT ON VIEW chess_openings IS 'the openings that opening() knows: code, name, moves and the board after them';

-- sql/chessposition.sql
-- Positions: boards as the rules compare them (FIDE Laws of Chess, 9.2), a type of their own.

CREATE TYPE chessposition;

CREATE FUNCTION chessposition_in(cstring) RETURNS chessposition
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_in(cstring) IS 'I/O';
CREATE FUNCTION chessposition_out(chessposition) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_out(chessposition) IS 'I/O';
CREATE FUNCTION chessposition_recv(internal) RETURNS chessposition
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_recv(internal) IS 'I/O';
CREATE FUNCTION chessposition_send(chessposition) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_send(chessposition) IS 'I/O';

CREATE TYPE chessposition (
    INPUT = chessposition_in,
    OUTPUT = chessposition_out,
    RECEIVE = chessposition_recv,
    SEND = chessposition_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = main
);
COMMENT ON TYPE chessposition IS 'a position as the rules compare it: the first four fields of a FEN, en passant only where legal';

CREATE FUNCTION chessposition(board chessboard) RETURNS chessposition
    AS 'MODULE_PATHNAME', 'chessboard_chessposition' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chessposition(chessboard) IS 'the position of the board, whatever its clocks say';

CREATE FUNCTION chessboard(pos chessposition) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessposition_chessboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chessboard(chessposition) IS 'a board of the position, with the clocks 0 1';

-- One way only: with both, a comparison of a board and a position would not know which of them to convert.
CREATE CAST (chessboard AS chessposition) WITH FUNCTION chessposition(chessboard) AS IMPLICIT;
CREATE CAST (chessposition AS chessboard) WITH FUNCTION chessboard(chessposition) AS ASSIGNMENT;
CREATE CAST (text AS chessposition) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessposition AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION chessposition_lt(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_lt(chessposition, chessposition) IS 'implementation of < operator';
CREATE FUNCTION chessposition_le(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_le(chessposition, chessposition) IS 'implementation of <= operator';
CREATE FUNCTION chessposition_eq(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_eq(chessposition, chessposition) IS 'implementation of = operator';
CREATE FUNCTION chessposition_ne(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_ne(chessposition, chessposition) IS 'implementation of <> operator';
CREATE FUNCTION chessposition_ge(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_ge(chessposition, chessposition) IS 'implementation of >= operator';
CREATE FUNCTION chessposition_gt(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_gt(chessposition, chessposition) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (chessposition, chessposition) IS 'less than';

CREATE OPERATOR <= (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (chessposition, chessposition) IS 'less than or equal';

CREATE OPERATOR = (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (chessposition, chessposition) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chessposition, chessposition) IS 'not equal';

CREATE OPERATOR >= (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (chessposition, chessposition) IS 'greater than or equal';

CREATE OPERATOR > (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (chessposition, chessposition) IS 'greater than';

CREATE FUNCTION chessposition_cmp(chessposition, chessposition) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_cmp(chessposition, chessposition) IS 'less-equal-greater';
CREATE FUNCTION chessposition_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_sortsupport(internal) IS 'sort support';
CREATE FUNCTION chessposition_hash(chessposition) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_hash(chessposition) IS 'hash';
CREATE FUNCTION chessposition_hash_extended(chessposition, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_hash_extended(chessposition, bigint) IS 'hash';

CREATE OPERATOR CLASS chessposition_ops DEFAULT FOR TYPE chessposition USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessposition_cmp(chessposition, chessposition),
    FUNCTION 2 chessposition_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessposition_ops USING btree IS 'positions in order of their bytes';

CREATE OPERATOR CLASS chessposition_ops DEFAULT FOR TYPE chessposition USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessposition_hash(chessposition),
    FUNCTION 2 chessposition_hash_extended(chessposition, bigint);
COMMENT ON OPERATOR CLASS chessposition_ops USING hash IS 'equal positions';

-- sql/square_sets.sql
-- Sets of squares: bit 0 of a bigint is a1, bit 1 b1 ... bit 63 h8.

CREATE FUNCTION pieces(board chessboard, letters text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_pieces' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pieces(chessboard, text) IS
    'the squares of the pieces with these letters of FEN: P for white pawns, Pp for all pawns';

CREATE FUNCTION occupied(board chessboard) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_occupied' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION occupied(chessboard) IS
    'the occupied squares';

CREATE FUNCTION occupied(board chessboard, color text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_occupied_by' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT textarguments_support;
COMMENT ON FUNCTION occupied(chessboard, text) IS
    'the squares of the pieces of a side: w or b';

CREATE FUNCTION attacks(board chessboard, square text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_attacks' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT textarguments_support;
COMMENT ON FUNCTION attacks(chessboard, text) IS
    'the squares that the piece on the square attacks; none if it is empty';

CREATE FUNCTION attackers(board chessboard, square text, color text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_attackers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION attackers(chessboard, text, text) IS
    'the squares of the pieces of a side that attack the square';

CREATE FUNCTION squares(set bigint) RETURNS SETOF text
    AS 'MODULE_PATHNAME', 'squareset_squares' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 8;
COMMENT ON FUNCTION squares(bigint) IS
    'the names of the squares of the set, from a1 to h8';

CREATE FUNCTION squareset(squares text[]) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_from_names' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION squareset(text[]) IS
    'the set of the squares with these names';

CREATE FUNCTION squarecount(set bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'squareset_count' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION squarecount(bigint) IS
    'the number of squares in the set';

CREATE FUNCTION shl(set bigint, count integer) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_shl' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shl(bigint, integer) IS
    'the set with its bits shifted to higher squares';

CREATE FUNCTION shr(set bigint, count integer) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_shr' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION shr(bigint, integer) IS
    'the set with its bits shifted to lower squares';

CREATE FUNCTION squareshift(set bigint, files integer, ranks integer) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_shift' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION squareshift(bigint, integer, integer) IS
    'the set moved by files to the right and ranks up; what leaves the board is gone';

CREATE FUNCTION squareflip(set bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_flip' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION squareflip(bigint) IS
    'the set with its ranks exchanged, a1 for a8';

CREATE FUNCTION squaremirror(set bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'squareset_mirror' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION squaremirror(bigint) IS
    'the set with its files exchanged, a1 for h1';

CREATE FUNCTION squaretext(set bigint) RETURNS text
    AS 'MODULE_PATHNAME', 'squareset_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION squaretext(bigint) IS
    'the set as eight lines, the eighth rank first';

-- sql/pictures.sql
-- Pictures of boards.

CREATE FUNCTION asciiboard(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_ascii' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION asciiboard(chessboard) IS
    'the board as text, with the letters of FEN';

CREATE FUNCTION unicodeboard(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_unicode' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION unicodeboard(chessboard) IS
    'the board as text, with the chess symbols of Unicode';

CREATE FUNCTION svgboard(board chessboard, lastmove text DEFAULT '', marked bigint DEFAULT 0, bottom text DEFAULT 'w',
        drawings text DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_svg' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1500
    SUPPORT textarguments_support;
COMMENT ON FUNCTION svgboard(chessboard, text, bigint, text, text) IS
    'the board as a picture in SVG; lastmove as UCI (e2e4), marked a set of squares, bottom the side at the bottom, drawings a comment with [%cal] and [%csl]';

-- sql/two_byte_moves.sql
-- Moves in two bytes each: from | to << 6 | promotion << 12, in a numbering of our own and in that of ocgdb.

CREATE FUNCTION moves2(game chessgame) RETURNS bytea
    AS 'MODULE_PATHNAME', 'chessgame_moves2' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION moves2(chessgame) IS
    'the moves, two bytes each, low byte first: a1 = 0 to h8 = 63, promotion queen 1, bishop 2, rook 3, knight 4';

CREATE FUNCTION frommoves2(codes bytea) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'moves2_game' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION frommoves2(bytea) IS 'the game that moves2 has written, from the standard start, with unknown result';

CREATE FUNCTION frommoves2(codes bytea, start chessboard) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'moves2_game_start' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION frommoves2(bytea, chessboard) IS 'the game that moves2 has written, from that start, with unknown result';

CREATE FUNCTION ocgdbmoves2(game chessgame) RETURNS bytea
    AS 'MODULE_PATHNAME', 'chessgame_ocgdbmoves2' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ocgdbmoves2(chessgame) IS
    'the moves as the column Moves2 of ocgdb has them: a8 = 0 to h1 = 63, promotion queen 2, rook 3, bishop 4, knight 5';

CREATE FUNCTION fromocgdbmoves2(codes bytea) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'ocgdbmoves2_game' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION fromocgdbmoves2(bytea) IS 'the game in a value of the column Moves2 of ocgdb, from the standard start';

CREATE FUNCTION fromocgdbmoves2(codes bytea, start chessboard) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'ocgdbmoves2_game_start' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION fromocgdbmoves2(bytea, chessboard) IS 'the game in a value of the column Moves2 of ocgdb, from that start';

CREATE FUNCTION movecode(uci text) RETURNS integer
    AS 'MODULE_PATHNAME', 'move_code' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT textarguments_support;
COMMENT ON FUNCTION movecode(text) IS 'the two-byte code of a move such as e2e4 or e7e8q, as in moves2';

CREATE FUNCTION codemove(code integer) RETURNS text
    AS 'MODULE_PATHNAME', 'code_move' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION codemove(integer) IS 'the move of a two-byte code of moves2, such as e2e4';

CREATE FUNCTION ocgdbmovecode(uci text) RETURNS integer
    AS 'MODULE_PATHNAME', 'move_ocgdbcode' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT textarguments_support;
COMMENT ON FUNCTION ocgdbmovecode(text) IS 'the two-byte code of a move such as e2e4 or e7e8q, as in ocgdb';

CREATE FUNCTION ocgdbcodemove(code integer) RETURNS text
    AS 'MODULE_PATHNAME', 'ocgdbcode_move' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ocgdbcodemove(integer) IS 'the move of a two-byte code of ocgdb, such as e2e4; a comment mark does not matter';

-- sql/read_pgn.sql
-- PGN into rows.

CREATE FUNCTION pgngames_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgngames_support(internal) IS 'planner support for pgngames';

CREATE FUNCTION pgngames(pgn text, OUT number integer, OUT tags jsonb, OUT game chessgame, OUT error text,
        OUT annotated text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000
    SUPPORT pgngames_support;
COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';

-- sql/annotated.sql
-- Comments, glyphs and variations of games.

CREATE FUNCTION annotations(game chessgame, annotated text, OUT line integer, OUT ply integer, OUT before text,
        OUT glyphs integer[], OUT after text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'chessgame_annotations' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION annotations(chessgame, text) IS
    'the comments and glyphs in the annotated text of the game, a row for each half-move that has any';

CREATE FUNCTION variations(game chessgame, annotated text, OUT number integer, OUT parent integer, OUT ply integer,
        OUT line chessgame, OUT error text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'chessgame_variations' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION variations(chessgame, text) IS
    'the variations in the annotated text of the game, each as a game from the start on';

CREATE FUNCTION pgn(game chessgame, tags jsonb, annotated text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn_annotated' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pgn(chessgame, jsonb, text) IS
    'the game as PGN with these tags and its annotated text, if it has one';

-- sql/write_pgn.sql
-- Games as PGN.

CREATE FUNCTION pgn(game chessgame, tags jsonb DEFAULT '{}') RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 3000;
COMMENT ON FUNCTION pgn(chessgame, jsonb) IS
    'the game as PGN with these tags';

-- sql/patterns.sql
-- Patterns: their type, and the functions and operators that look for them in games and on boards.

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
CREATE FUNCTION chessgame_patterncandidate_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_patterncandidate_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_patterncandidate_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_patterncandidate_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
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
CREATE FUNCTION plyofpattern(game chessgame, pattern chesspattern) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION plyofpattern(chessgame, chesspattern)
    IS 'the first half-move at which a match of the pattern ends, NULL if there is none';
CREATE FUNCTION findpattern(game chessgame, pattern chesspattern) RETURNS TABLE (first integer, last integer)
    AS 'MODULE_PATHNAME', 'chessgame_findpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
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

-- Candidates: what an index of the keys of patterns knows. The planner turns @@, haspattern and hasmaterial into this
-- operator (src/planner/index_condition.rs).

CREATE FUNCTION chesspattern_material(text) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION chesspattern_material(text) IS 'internal: the pattern of a material';

CREATE FUNCTION chessgame_mayhavepattern(chessgame, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION chessgame_mayhavepattern(chessgame, chesspattern) IS 'implementation of @@~ operator';
CREATE OPERATOR @@~ (
    LEFTARG = chessgame, RIGHTARG = chesspattern, FUNCTION = chessgame_mayhavepattern,
    RESTRICT = chessgame_patterncandidate_sel, JOIN = chessgame_patterncandidate_joinsel
);
COMMENT ON OPERATOR @@~ (chessgame, chesspattern) IS 'the pattern may occur in the game';

CREATE FUNCTION chessgame_gin_pattern_extract_value(chessgame, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION chessgame_gin_pattern_extract_value(chessgame, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_options(internal) IS 'GIN support';

CREATE OPERATOR CLASS chessgame_pattern_ops FOR TYPE chessgame USING gin AS
    OPERATOR 8 @@~ (chessgame, chesspattern),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 chessgame_gin_pattern_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 5 chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal),
    FUNCTION 6 chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    FUNCTION 7 chessgame_gin_pattern_options(internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS chessgame_pattern_ops USING gin IS 'patterns in a game: its material, its pieces on squares, its captures and other events';

-- sql/views.sql
-- Chess as sets: squares, and how pieces move on an empty board. x is the file and y the rank, 1 to 8.
-- Every function and operator has its exact argument types: none of another schema can match better.

CREATE VIEW chess_squares AS
    SELECT x, y, chr(96 + x) || y::text AS square
    FROM generate_series(1, 8) AS y, generate_series(1, 8) AS x;
COMMENT ON VIEW chess_squares IS 'the 64 squares';

CREATE VIEW chess_moves AS
    SELECT a.square AS from_square, b.square AS to_square, a.x AS from_x, a.y AS from_y, b.x AS to_x, b.y AS to_y,
           b.x - a.x AS dx, b.y - a.y AS dy
    FROM chess_squares AS a, chess_squares AS b
    WHERE (a.x, a.y) <> (b.x, b.y);
COMMENT ON VIEW chess_moves IS 'all 4032 moves from one square to another';

CREATE VIEW chess_rook_moves AS
    SELECT * FROM chess_moves WHERE dx = 0 OR dy = 0;
COMMENT ON VIEW chess_rook_moves IS 'the 896 moves of a rook';

CREATE VIEW chess_bishop_moves AS
    SELECT * FROM chess_moves WHERE abs(dx) = abs(dy);
COMMENT ON VIEW chess_bishop_moves IS 'the 560 moves of a bishop';

CREATE VIEW chess_knight_moves AS
    SELECT * FROM chess_moves WHERE abs(dx * dy) = 2;
COMMENT ON VIEW chess_knight_moves IS 'the 336 moves of a knight';

CREATE VIEW chess_queen_moves AS
    SELECT * FROM chess_moves WHERE dx = 0 OR dy = 0 OR abs(dx) = abs(dy);
COMMENT ON VIEW chess_queen_moves IS 'the 1456 moves of a queen';

CREATE VIEW chess_king_moves AS
    SELECT * FROM chess_moves
    WHERE greatest(abs(dx), abs(dy)) = 1
       OR (from_square, to_square) IN (('e1', 'g1'), ('e1', 'c1'), ('e8', 'g8'), ('e8', 'c8'));
COMMENT ON VIEW chess_king_moves IS 'the 424 moves of a king: 420 steps and 4 castlings';

CREATE VIEW chess_pawn_moves AS
    SELECT * FROM chess_moves
    WHERE abs(dy) = 1 AND abs(dx) <= 1
       OR dx = 0 AND (from_y, to_y) IN ((2, 4), (7, 5));
COMMENT ON VIEW chess_pawn_moves IS
    'the 324 moves of a pawn of either colour; 44 of them start on ranks 1 and 8, where no pawn stands';

CREATE VIEW chess_white_pawn_moves AS
    SELECT * FROM chess_pawn_moves WHERE dy > 0 AND from_y BETWEEN 2 AND 7;
COMMENT ON VIEW chess_white_pawn_moves IS 'the 140 moves of a white pawn: steps, double steps, captures';

CREATE VIEW chess_black_pawn_moves AS
    SELECT * FROM chess_pawn_moves WHERE dy < 0 AND from_y BETWEEN 2 AND 7;
COMMENT ON VIEW chess_black_pawn_moves IS 'the 140 moves of a black pawn: steps, double steps, captures';

CREATE VIEW chess_between AS
    SELECT m.from_square, m.to_square, s.square
    FROM chess_queen_moves AS m,
         generate_series(1, greatest(abs(m.dx), abs(m.dy)) - 1) AS step,
         LATERAL (SELECT chr(96 + m.from_x + step * sign(m.dx::numeric)::integer)
                         || (m.from_y + step * sign(m.dy::numeric)::integer)::text AS square) AS s;
COMMENT ON VIEW chess_between IS 'the squares strictly between two squares of a line: a row for each two squares and each square between';

-- sql/arrays.sql
-- Arrays of our types belong to the extension, too, so that postgres_fdw sends conditions on them. PostgreSQL 15 and 16
-- leave them out, later ones do not.
DO $block$
DECLARE
    of_type pg_catalog.regtype;
BEGIN
    FOR of_type IN
        SELECT t.typarray FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND d.objid = t.oid
        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'chess'
        WHERE d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype = 'e'
          AND t.typarray <> 0::pg_catalog.oid AND t.typtype = 'b'
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS a
              WHERE a.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND a.objid = t.typarray AND a.deptype = 'e')
        ORDER BY t.typname
    LOOP
        EXECUTE pg_catalog.format('ALTER EXTENSION chess ADD TYPE %s', of_type);
    END LOOP;
END
$block$;

