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
