-- Pictures of boards.

CREATE FUNCTION asciiboard(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_ascii' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION asciiboard(chessboard) IS
    'the board as text, with the letters of FEN';

CREATE FUNCTION unicodeboard(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_unicode' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION unicodeboard(chessboard) IS
    'the board as text, with the chess symbols of Unicode';

CREATE FUNCTION svgboard(board chessboard, lastmove text DEFAULT '', marked bigint DEFAULT 0, bottom text DEFAULT 'w',
        drawings text DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_svg' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1500
    SUPPORT textarguments_support;
COMMENT ON FUNCTION svgboard(chessboard, text, bigint, text, text) IS
    'the board as a picture in SVG; lastmove as UCI (e2e4), marked a set of squares, bottom the side at the bottom, drawings a comment with [%cal] and [%csl]';
