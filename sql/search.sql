-- Searches of games for an opening, for boards, the nearest of them and material: functions, operators, estimators and
-- planner support.

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

CREATE FUNCTION materials(game chessgame) RETURNS TABLE (material text, first integer, last integer)
    AS 'MODULE_PATHNAME', 'chessgame_materials' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 25;
COMMENT ON FUNCTION materials(chessgame) IS
    'the materials of the game in their order, each with the first and the last half-move after which it stands, 0 for the start';

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

CREATE FUNCTION chessgame_board_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_board_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_pieces_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pieces_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

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

-- The nearest position of a game. No index serves the order by it.

CREATE FUNCTION leastdistance(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_leastdistance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION leastdistance(chessgame, chessboard) IS
    'the least distance of a position of the game to the board: on how many squares they differ';

CREATE FUNCTION plyofnearest(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofnearest' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION plyofnearest(chessgame, chessboard) IS
    'the number of half-moves after which the position that is nearest to the board first arises';

CREATE FUNCTION leastpawndistance(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_leastpawndistance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION leastpawndistance(chessgame, chessboard) IS
    'the least distance of a pawn structure of the game to that of the board: on how many squares the pawns differ';

CREATE FUNCTION plyofnearestpawns(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofnearestpawns' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION plyofnearestpawns(chessgame, chessboard) IS
    'the number of half-moves after which the pawn structure that is nearest to that of the board first arises';

CREATE FUNCTION chessboard_leastdistance(chessboard, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION chessboard_leastdistance(chessboard, chessgame) IS 'implementation of <-> operator';

CREATE FUNCTION chessboard_leastpawndistance(chessboard, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION chessboard_leastpawndistance(chessboard, chessgame) IS 'implementation of <#> operator';

CREATE OPERATOR <-> (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = leastdistance,
    COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (chessgame, chessboard) IS 'least distance of a position of the game to the board';

CREATE OPERATOR <-> (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_leastdistance,
    COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (chessboard, chessgame) IS 'least distance of a position of the game to the board';

CREATE OPERATOR <#> (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = leastpawndistance,
    COMMUTATOR = <#>
);
COMMENT ON OPERATOR <#> (chessgame, chessboard) IS 'least distance of a pawn structure of the game to that of the board';

CREATE OPERATOR <#> (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_leastpawndistance,
    COMMUTATOR = <#>
);
COMMENT ON OPERATOR <#> (chessboard, chessgame) IS 'least distance of a pawn structure of the game to that of the board';
