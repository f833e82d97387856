-- Queries whose plans a session keeps.

CREATE FUNCTION chess_kept(query text, board chessboard, argument text) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE PARALLEL RESTRICTED COST 100000 ROWS 20;
COMMENT ON FUNCTION chess_kept(text, chessboard, text) IS
    'internal: the rows of a query with the parameters $1 and $2, whose plan the session keeps if it reads no table';
