-- Games as PGN.

CREATE FUNCTION pgn(game chessgame, tags jsonb DEFAULT '{}') RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 3000;
COMMENT ON FUNCTION pgn(chessgame, jsonb) IS
    'the game as PGN with these tags';
