-- Moves in two bytes each: from | to << 6 | promotion << 12, in our own numbering and in that of ocgdb.

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
