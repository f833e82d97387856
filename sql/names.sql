-- Names of people.

CREATE FUNCTION foldname(name text) RETURNS text
    AS 'MODULE_PATHNAME', 'chess_foldname' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION foldname(text) IS
    'the words of a name as searches and merges compare them: in lower case and plain letters, without punctuation';
