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
