-- From 0.1.0 to 0.2.0: the option max_ply of the default GIN class.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

CREATE FUNCTION chessgame_gin_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_options(internal) IS 'GIN support';

ALTER OPERATOR FAMILY chessgame_ops USING gin ADD FUNCTION 7 (chessgame) chessgame_gin_options(internal);
