-- The access method chess: one index over games for positions, placements, openings and patterns (src/access_method).

CREATE FUNCTION chess_handler(internal) RETURNS index_am_handler
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chess_handler(internal) IS 'handler of the access method chess';

CREATE ACCESS METHOD chess TYPE INDEX HANDLER chess_handler;
COMMENT ON ACCESS METHOD chess IS 'positions, openings and patterns of games';

-- The numbers are those of src/index/predicate.rs.
CREATE OPERATOR CLASS chessgame_ops DEFAULT FOR TYPE chessgame USING chess AS
    OPERATOR 1 @> (chessgame, chessboard),
    OPERATOR 2 @>> (chessgame, chessboard[]),
    OPERATOR 3 && (chessgame, chessboard[]),
    OPERATOR 4 @~ (chessgame, chessboard),
    OPERATOR 5 ^@ (chessgame, chessgame),
    OPERATOR 6 @@ (chessgame, chesspattern);
COMMENT ON OPERATOR CLASS chessgame_ops USING chess IS 'positions, openings and patterns of games';

CREATE FUNCTION chess_index_info(
    index regclass,
    OUT part text, OUT number bigint, OUT games bigint, OUT dead bigint, OUT lists bigint, OUT postings bigint, OUT bytes bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE COST 1000 ROWS 10;
COMMENT ON FUNCTION chess_index_info(regclass) IS
    'the parts of an index of the access method chess: segments and their patterns, pending games, free pages; for its owner';

CREATE FUNCTION chess_index_check(index regclass, heap boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 100000;
COMMENT ON FUNCTION chess_index_check(regclass, boolean) IS
    'an ERROR if an index of the access method chess is damaged, or, with heap, differs from its table; for its owner';

CREATE FUNCTION chess_index_merge(index regclass) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION chess_index_merge(regclass) IS
    'makes one segment of all games of an index of the access method chess; for its owner';
