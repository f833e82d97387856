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

-- Attributes: further columns beside the game. The numbers are those of src/access_method/attributes.rs.
CREATE OPERATOR FAMILY integer_ops USING chess;
COMMENT ON OPERATOR FAMILY integer_ops USING chess IS 'integers beside a game, compared with integers of any width';
CREATE OPERATOR CLASS int2_ops DEFAULT FOR TYPE smallint USING chess FAMILY integer_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
COMMENT ON OPERATOR CLASS int2_ops USING chess IS 'integers beside a game';
CREATE OPERATOR CLASS int4_ops DEFAULT FOR TYPE integer USING chess FAMILY integer_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
COMMENT ON OPERATOR CLASS int4_ops USING chess IS 'integers beside a game';
ALTER OPERATOR FAMILY integer_ops USING chess ADD
    OPERATOR 1 < (smallint, integer), OPERATOR 2 <= (smallint, integer), OPERATOR 3 = (smallint, integer), OPERATOR 4 >= (smallint, integer), OPERATOR 5 > (smallint, integer),
    OPERATOR 1 < (smallint, bigint), OPERATOR 2 <= (smallint, bigint), OPERATOR 3 = (smallint, bigint), OPERATOR 4 >= (smallint, bigint), OPERATOR 5 > (smallint, bigint),
    OPERATOR 1 < (integer, smallint), OPERATOR 2 <= (integer, smallint), OPERATOR 3 = (integer, smallint), OPERATOR 4 >= (integer, smallint), OPERATOR 5 > (integer, smallint),
    OPERATOR 1 < (integer, bigint), OPERATOR 2 <= (integer, bigint), OPERATOR 3 = (integer, bigint), OPERATOR 4 >= (integer, bigint), OPERATOR 5 > (integer, bigint);
CREATE OPERATOR CLASS date_ops DEFAULT FOR TYPE date USING chess AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
COMMENT ON OPERATOR CLASS date_ops USING chess IS 'dates beside a game';
CREATE OPERATOR CLASS bool_ops DEFAULT FOR TYPE boolean USING chess AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
COMMENT ON OPERATOR CLASS bool_ops USING chess IS 'booleans beside a game';
CREATE OPERATOR CLASS char_ops DEFAULT FOR TYPE "char" USING chess AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
COMMENT ON OPERATOR CLASS char_ops USING chess IS 'single bytes beside a game';

CREATE FUNCTION chess_index_info(
    index regclass,
    OUT part text, OUT number bigint, OUT games bigint, OUT dead bigint, OUT lists bigint, OUT postings bigint, OUT bytes bigint
) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 10;
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

CREATE FUNCTION chess_index_answers(index regclass) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chess_index_answers' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION chess_index_answers(regclass) IS
    'whether the sums of an index of the access method chess may answer for the current user, in this transaction';
