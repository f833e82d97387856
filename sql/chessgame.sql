-- Type chessgame: text and binary input and output, casts, properties of a game, bounds of openings. COST is in units
-- of about 10 ns; docs/performance.md explains the values.

-- The types share a category in which chessgame is preferred, so an ambiguous literal is a game.

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
