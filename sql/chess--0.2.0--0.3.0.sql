-- From 0.2.0 to 0.3.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

-- It has a column more, behind the others.
DROP FUNCTION pgngames(text);
CREATE FUNCTION pgngames(pgn text, OUT number integer, OUT tags jsonb, OUT game chessgame, OUT error text,
        OUT annotated text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';

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
    AS 'MODULE_PATHNAME', 'chessgame_pgn_annotated' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgn(chessgame, jsonb, text) IS
    'the game as PGN with these tags and its annotated text, if it has one';
