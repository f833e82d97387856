-- Exact values of boards with few men. Stable: the tables and the setting that names them may change.

CREATE FUNCTION tablebase(board chessboard, OUT wdl integer, OUT dtz integer, OUT best text[]) RETURNS record
    AS 'MODULE_PATHNAME', 'chessboard_tablebase' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tablebase(chessboard) IS
    'what endgame tables say: wdl from -2 to 2 for the side to move, half-moves to a capture or pawn move, the best moves in UCI; NULL where no table says';
