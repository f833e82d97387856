-- PGN into rows.

CREATE FUNCTION pgngames_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgngames_support(internal) IS 'planner support for pgngames';

CREATE FUNCTION pgngames(pgn text, OUT number integer, OUT tags jsonb, OUT game chessgame, OUT error text,
        OUT annotated text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000
    SUPPORT pgngames_support;
COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';
