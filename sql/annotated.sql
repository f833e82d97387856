-- Comments, glyphs and variations of games.

CREATE FUNCTION annotations(game chessgame, annotated text, OUT line integer, OUT ply integer, OUT before text,
        OUT glyphs integer[], OUT after text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'chessgame_annotations' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION annotations(chessgame, text) IS
    'the comments and glyphs in the annotated text of the game, a row for each half-move that has any';

CREATE FUNCTION variations(game chessgame, annotated text, OUT number integer, OUT parent integer, OUT ply integer,
        OUT line chessgame, OUT error text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'chessgame_variations' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION variations(chessgame, text) IS
    'the variations in the annotated text of the game, each as a game from the start on';

CREATE FUNCTION pgn(game chessgame, tags jsonb, annotated text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn_annotated' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pgn(chessgame, jsonb, text) IS
    'the game as PGN with these tags and its annotated text, if it has one';
