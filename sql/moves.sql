-- Moves and positions: of a game, legal moves on a board, and UCI.

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

CREATE FUNCTION reachedboard(game chessgame, boards chessboard[]) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_reachedboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION reachedboard(chessgame, chessboard[]) IS
    'the one of the boards whose position arises first in the game; NULL if none does';

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
