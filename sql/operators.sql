-- Operators, with the functions that only they need.

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
