-- The two types and their text and binary input and output.

-- A literal that may be either is a game: they have a category of their own, of which the game is preferred.

CREATE TYPE chessgame;
CREATE TYPE chessboard;

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

CREATE FUNCTION chessboard_in(cstring) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_out(chessboard) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_recv(internal) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION chessboard_send(chessboard) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;

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

CREATE CAST (text AS chessgame) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessgame AS text) WITH INOUT AS ASSIGNMENT;
CREATE CAST (text AS chessboard) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessboard AS text) WITH INOUT AS ASSIGNMENT;

COMMENT ON FUNCTION chessgame_in(cstring) IS 'I/O';
COMMENT ON FUNCTION chessgame_out(chessgame) IS 'I/O';
COMMENT ON FUNCTION chessgame_recv(internal) IS 'I/O';
COMMENT ON FUNCTION chessgame_send(chessgame) IS 'I/O';
COMMENT ON FUNCTION chessgame_typanalyze(internal) IS 'gathers the most common positions for ANALYZE';
COMMENT ON FUNCTION chessboard_in(cstring) IS 'I/O';
COMMENT ON FUNCTION chessboard_out(chessboard) IS 'I/O';
COMMENT ON FUNCTION chessboard_recv(internal) IS 'I/O';
COMMENT ON FUNCTION chessboard_send(chessboard) IS 'I/O';

CREATE FUNCTION textarguments_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION textarguments_support(internal) IS
    'planner support for functions with text arguments: foreign servers may evaluate them';
