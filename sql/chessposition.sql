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

-- Only one direction is implicit; otherwise a comparison of a board and a position would be ambiguous.
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
