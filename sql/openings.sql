-- Named openings.

CREATE FUNCTION opening(game chessgame, OUT eco text, OUT name text) RETURNS record
    AS 'MODULE_PATHNAME', 'chessgame_opening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 150;
COMMENT ON FUNCTION opening(chessgame) IS
    'ECO code and name of the last position of the game that has one';

CREATE FUNCTION opening(board chessboard, OUT eco text, OUT name text) RETURNS record
    AS 'MODULE_PATHNAME', 'chessboard_opening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION opening(chessboard) IS
    'ECO code and name of the position, if it has one';

CREATE FUNCTION chess_opening_table() RETURNS TABLE (eco text, name text, game chessgame)
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 100000 ROWS 3500;
COMMENT ON FUNCTION chess_opening_table() IS
    'internal: the rows of chess_openings but for the boards';

CREATE VIEW chess_openings AS
    SELECT eco, name, game, finalboard(game) AS board FROM chess_opening_table();
COMMENT ON VIEW chess_openings IS 'the openings that opening() knows: code, name, moves and the board after them';
