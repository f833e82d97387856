-- Exact values of boards with few men. Stable: the tables and the setting that names them may change.

CREATE FUNCTION tablebase(board chessboard, OUT wdl integer, OUT dtz integer, OUT best text[]) RETURNS record
    AS 'MODULE_PATHNAME', 'chessboard_tablebase' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tablebase(chessboard) IS
    'what endgame tables say: wdl from -2 to 2 for the side to move, half-moves to a capture or pawn move, the best moves in UCI; NULL where no table says';

CREATE FUNCTION tablebase_moves(board chessboard) RETURNS TABLE (san text, uci text, wdl integer, dtz integer, value text,
        zeroing boolean, missing text)
    AS 'MODULE_PATHNAME', 'chessboard_tablebasemoves' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tablebase_moves(chessboard) IS
    'the legal moves, the best first, with what endgame tables say of the board after each, for the side that moves: win, cursed win, draw, blessed loss or loss';
