-- Operator classes: B-tree and hash for both types, GIN for games.

CREATE FUNCTION chessgame_cmp(chessgame, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_cmp(chessgame, chessgame) IS 'less-equal-greater';

CREATE FUNCTION chessgame_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_sortsupport(internal) IS 'sort support';

CREATE FUNCTION chessgame_hash(chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_hash(chessgame) IS 'hash';

CREATE FUNCTION chessgame_hash_extended(chessgame, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_hash_extended(chessgame, bigint) IS 'hash';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessgame_cmp(chessgame, chessgame),
    FUNCTION 2 chessgame_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessgame_ops USING btree IS 'games in order of their opening';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessgame_hash(chessgame),
    FUNCTION 2 chessgame_hash_extended(chessgame, bigint);
COMMENT ON OPERATOR CLASS chessgame_ops USING hash IS 'equal games';

CREATE FUNCTION chessboard_cmp(chessboard, chessboard) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_cmp(chessboard, chessboard) IS 'less-equal-greater';

CREATE FUNCTION chessboard_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_sortsupport(internal) IS 'sort support';

CREATE FUNCTION chessboard_hash(chessboard) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_hash(chessboard) IS 'hash';

CREATE FUNCTION chessboard_hash_extended(chessboard, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_hash_extended(chessboard, bigint) IS 'hash';

CREATE OPERATOR CLASS chessboard_ops DEFAULT FOR TYPE chessboard USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessboard_cmp(chessboard, chessboard),
    FUNCTION 2 chessboard_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessboard_ops USING btree IS 'boards in order of their bytes';

CREATE OPERATOR CLASS chessboard_ops DEFAULT FOR TYPE chessboard USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessboard_hash(chessboard),
    FUNCTION 2 chessboard_hash_extended(chessboard, bigint);
COMMENT ON OPERATOR CLASS chessboard_ops USING hash IS 'equal boards';

CREATE FUNCTION chessgame_gin_extract_value(chessgame, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION chessgame_gin_extract_value(chessgame, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) IS 'GIN support';

CREATE FUNCTION chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) IS 'GIN support';

CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING gin AS
    OPERATOR 1 @> (chessgame, chessboard),
    OPERATOR 2 @>> (chessgame, chessboard[]),
    OPERATOR 3 && (chessgame, chessboard[]),
    OPERATOR 4 @~ (chessgame, chessboard),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 chessgame_gin_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 6 chessgame_gin_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS chessgame_ops USING gin IS 'positions of a game, by a key per half-move';

-- Aggregates by these orders, which an index can answer.

CREATE FUNCTION chessgame_smaller(chessgame, chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_smaller(chessgame, chessgame) IS 'internal: the smaller of two';

CREATE AGGREGATE min(chessgame) (
    SFUNC = chessgame_smaller, STYPE = chessgame, COMBINEFUNC = chessgame_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(chessgame) IS 'the least game in the order of openings';

CREATE FUNCTION chessgame_larger(chessgame, chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_larger(chessgame, chessgame) IS 'internal: the larger of two';

CREATE AGGREGATE max(chessgame) (
    SFUNC = chessgame_larger, STYPE = chessgame, COMBINEFUNC = chessgame_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(chessgame) IS 'the greatest game in the order of openings';

CREATE FUNCTION chessboard_smaller(chessboard, chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_smaller(chessboard, chessboard) IS 'internal: the smaller of two';

CREATE AGGREGATE min(chessboard) (
    SFUNC = chessboard_smaller, STYPE = chessboard, COMBINEFUNC = chessboard_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(chessboard) IS 'the least board in the order of bytes';

CREATE FUNCTION chessboard_larger(chessboard, chessboard) RETURNS chessboard
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessboard_larger(chessboard, chessboard) IS 'internal: the larger of two';

CREATE AGGREGATE max(chessboard) (
    SFUNC = chessboard_larger, STYPE = chessboard, COMBINEFUNC = chessboard_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(chessboard) IS 'the greatest board in the order of bytes';
