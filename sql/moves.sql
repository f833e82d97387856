-- What is in a game: its moves, its positions, and texts for other programs.

CREATE FUNCTION moves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION positions_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hasmaterial_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moves_support(internal) IS 'planner support for moves';
COMMENT ON FUNCTION positions_support(internal) IS 'planner support for positions';
COMMENT ON FUNCTION hasmaterial_support(internal) IS 'planner support for hasmaterial';

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

CREATE FUNCTION pgn(game chessgame, tags jsonb DEFAULT '{}') RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 3000;
COMMENT ON FUNCTION pgn(chessgame, jsonb) IS
    'the game as PGN with these tags';

CREATE FUNCTION status(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_status' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION status(chessgame) IS
    'what the rules say of the last position of the game, repetitions counted';

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

CREATE FUNCTION opening(game chessgame, OUT eco text, OUT name text) RETURNS record
    AS 'MODULE_PATHNAME', 'chessgame_opening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION opening(chessgame) IS
    'ECO code and name of the last position of the game that has one';
