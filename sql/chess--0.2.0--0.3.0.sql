-- From 0.2.0 to 0.3.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

-- It has a column more, behind the others.
DROP FUNCTION pgngames(text);
CREATE FUNCTION pgngames(pgn text, OUT number integer, OUT tags jsonb, OUT game chessgame, OUT error text,
        OUT annotated text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000;

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

-- A game whose tags are NULL is still a game.
ALTER FUNCTION pgn(chessgame, jsonb) CALLED ON NULL INPUT;

CREATE FUNCTION pgn(game chessgame, tags jsonb, annotated text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_pgn_annotated' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION pgn(chessgame, jsonb, text) IS
    'the game as PGN with these tags and its annotated text, if it has one';

-- Estimates of joins on arrays of boards, of material, and of the rows that functions return.

CREATE FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allboards_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anyboard_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_allcandidates_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allcandidates_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

CREATE FUNCTION chessgame_anycandidate_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anycandidate_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';

ALTER OPERATOR && (chessgame, chessboard[]) SET (JOIN = chessgame_anyboard_joinsel);
ALTER OPERATOR && (chessboard[], chessgame) SET (JOIN = chessgame_anyboard_joinsel);
ALTER OPERATOR &&~ (chessgame, chessboard[]) SET (JOIN = chessgame_anycandidate_joinsel);

CREATE FUNCTION moves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moves_support(internal) IS 'planner support for moves';
CREATE FUNCTION positions_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION positions_support(internal) IS 'planner support for positions';
CREATE FUNCTION hasmaterial_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasmaterial_support(internal) IS 'planner support for hasmaterial';
CREATE FUNCTION legalmoves_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION legalmoves_support(internal) IS 'planner support for legalmoves';
CREATE FUNCTION pgngames_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pgngames_support(internal) IS 'planner support for pgngames';

-- It has a column more, behind the others.
DROP FUNCTION moves(chessgame);
CREATE FUNCTION moves(game chessgame) RETURNS TABLE (ply integer, number integer, turn text, san text, uci text, piece text,
        from_square text, to_square text, captured text, promotion text,
        is_check boolean, is_mate boolean, is_castling boolean, is_en_passant boolean, board chessboard)
    AS 'MODULE_PATHNAME', 'chessgame_moves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 8000 ROWS 80
    SUPPORT moves_support;
COMMENT ON FUNCTION moves(chessgame) IS
    'the moves of the game, a row each, with the board after it';
ALTER FUNCTION positions(chessgame) SUPPORT positions_support;
ALTER FUNCTION hasmaterial(chessgame, text) SUPPORT hasmaterial_support;
ALTER FUNCTION hasmaterial(chessgame, text, integer) SUPPORT hasmaterial_support;
ALTER FUNCTION legalmoves(chessboard) SUPPORT legalmoves_support;
ALTER FUNCTION pgngames(text) SUPPORT pgngames_support;

COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';

-- A literal that may be either is a game, and @> takes a single board only, so that '<FEN>' needs no cast. The operators
-- of arrays have names of their own; the old ones go, which views and functions that name them must not any more.
UPDATE pg_catalog.pg_type SET typcategory = 'c', typispreferred = true
WHERE oid OPERATOR(pg_catalog.=) 'chessgame'::pg_catalog.regtype::pg_catalog.oid;
UPDATE pg_catalog.pg_type SET typcategory = 'c'
WHERE oid OPERATOR(pg_catalog.=) 'chessboard'::pg_catalog.regtype::pg_catalog.oid;

ALTER OPERATOR FAMILY chessgame_ops USING gin DROP OPERATOR 2 (chessgame, chessboard[]);
ALTER OPERATOR FAMILY chessgame_compact_ops USING gin DROP OPERATOR 6 (chessgame, chessboard[]);
DROP OPERATOR @> (chessgame, chessboard[]), <@ (chessboard[], chessgame), @>~ (chessgame, chessboard[]);

CREATE OPERATOR @>> (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasallboards,
    COMMUTATOR = <<@,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_allboards_joinsel
);
COMMENT ON OPERATOR @>> (chessgame, chessboard[]) IS 'all positions arise in the game';

CREATE OPERATOR <<@ (
    LEFTARG = chessboard[], RIGHTARG = chessgame, FUNCTION = chessboards_all_in_game,
    COMMUTATOR = @>>,
    RESTRICT = chessgame_allboards_sel,
    JOIN = chessgame_allboards_joinsel
);
COMMENT ON OPERATOR <<@ (chessboard[], chessgame) IS 'all positions arise in the game';

CREATE OPERATOR @>>~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_mayhaveallboards,
    RESTRICT = chessgame_allcandidates_sel,
    JOIN = chessgame_allcandidates_joinsel
);
COMMENT ON OPERATOR @>>~ (chessgame, chessboard[]) IS 'all placements may arise in the game';

ALTER OPERATOR FAMILY chessgame_ops USING gin ADD OPERATOR 2 @>> (chessgame, chessboard[]);
ALTER OPERATOR FAMILY chessgame_compact_ops USING gin ADD OPERATOR 6 @>>~ (chessgame, chessboard[]);
COMMENT ON FUNCTION hasallboards_support(internal) IS 'planner support for @>>';
COMMENT ON FUNCTION chessgame_hasallboards(chessgame, chessboard[]) IS 'implementation of @>> operator';
COMMENT ON FUNCTION chessboards_all_in_game(chessboard[], chessgame) IS 'implementation of <<@ operator';
COMMENT ON FUNCTION chessgame_mayhaveallboards(chessgame, chessboard[]) IS 'implementation of @>>~ operator';

-- Text goes into columns of games and boards without a cast.
DROP CAST (text AS chessgame);
DROP CAST (text AS chessboard);
CREATE CAST (text AS chessgame) WITH INOUT AS ASSIGNMENT;
CREATE CAST (text AS chessboard) WITH INOUT AS ASSIGNMENT;

-- Aggregates by the orders of both types.
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

CREATE FUNCTION startboard() RETURNS chessboard
    AS 'MODULE_PATHNAME', 'standard_startboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION startboard() IS
    'the start position of standard chess';

COMMENT ON FUNCTION getboard(chessgame, integer) IS
    'the board after that many half-moves, 0 for the start position; a negative number counts back from the end';
COMMENT ON FUNCTION getfirstmoves(chessgame, integer) IS
    'the first half-moves of the game, all if it has fewer, or, by a negative number, all but the last, with unknown result';

-- Half-moves of a game, and games made of games. A negative number is counted from the end.

CREATE FUNCTION ischess960(game chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_ischess960' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ischess960(chessgame) IS
    'is the game marked as Chess960?';

CREATE FUNCTION moveat(game chessgame, ply integer) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_moveat' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION moveat(chessgame, integer) IS
    'the half-move of that number in SAN, 1 for the first, -1 for the last; NULL if the game does not have it';

CREATE FUNCTION getmoves(game chessgame, first integer, last integer) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_getmoves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 600;
COMMENT ON FUNCTION getmoves(chessgame, integer, integer) IS
    'the half-moves from the first to the last as a game from the board where they begin, with unknown result';

CREATE FUNCTION sans(game chessgame) RETURNS text[]
    AS 'MODULE_PATHNAME', 'chessgame_sans' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sans(chessgame) IS
    'the half-moves of the game in SAN';

CREATE FUNCTION ucis(game chessgame) RETURNS text[]
    AS 'MODULE_PATHNAME', 'chessgame_ucis' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ucis(chessgame) IS
    'the half-moves of the game in UCI';

CREATE FUNCTION play(game chessgame, moves text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_play' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION play(chessgame, text) IS
    'the game with these moves behind its own; with the result that they end with, or else its own';

CREATE FUNCTION takeback(game chessgame, plies integer DEFAULT 1) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_takeback' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION takeback(chessgame, integer) IS
    'the game without its last half-moves, with unknown result';

CREATE FUNCTION withresult(game chessgame, result text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_withresult' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION withresult(chessgame, text) IS
    'the same moves with that result: 1-0, 0-1, 1/2-1/2 or *';

CREATE FUNCTION newgame(board chessboard, moves text DEFAULT '') RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_newgame' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION newgame(chessboard, text) IS
    'a game of these moves from the board';

CREATE FUNCTION score(result text, color text) RETURNS numeric
    AS 'MODULE_PATHNAME', 'chess_score' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION score(text, text) IS
    'the points of a side with that result: 1, 0.5 or 0; NULL for a game without one';

-- One move of a board.

CREATE FUNCTION san(board chessboard, move text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_san' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION san(chessboard, text) IS
    'a move of the board, given in SAN or UCI, as SAN';

CREATE FUNCTION uci(board chessboard, move text) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_uci' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION uci(chessboard, text) IS
    'a move of the board, given in SAN or UCI, as UCI';

CREATE FUNCTION islegal(board chessboard, move text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_islegal' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION islegal(chessboard, text) IS
    'is the text, in SAN or UCI, exactly one legal move of the board?';

-- The openings that have a name.

CREATE FUNCTION chess_opening_table() RETURNS TABLE (eco text, name text, game chessgame)
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 100000 ROWS 3500;
COMMENT ON FUNCTION chess_opening_table() IS
    'internal: the rows of chess_openings but for the boards';

CREATE VIEW chess_openings AS
    SELECT eco, name, game, finalboard(game) AS board FROM chess_opening_table();
COMMENT ON VIEW chess_openings IS 'the openings that opening() knows: code, name, moves and the board after them';

-- Patterns: their type, and the functions and operators that look for them in games and on boards.

CREATE TYPE chesspattern;

CREATE FUNCTION chesspattern_in(cstring) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION chesspattern_in(cstring) IS 'I/O';
CREATE FUNCTION chesspattern_out(chesspattern) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_out(chesspattern) IS 'I/O';
CREATE FUNCTION chesspattern_recv(internal) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION chesspattern_recv(internal) IS 'I/O';
CREATE FUNCTION chesspattern_send(chesspattern) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_send(chesspattern) IS 'I/O';

CREATE TYPE chesspattern (
    INPUT = chesspattern_in,
    OUTPUT = chesspattern_out,
    RECEIVE = chesspattern_recv,
    SEND = chesspattern_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = extended
);
COMMENT ON TYPE chesspattern IS 'what may happen on the board in the course of a game';

CREATE CAST (text AS chesspattern) WITH INOUT;
CREATE CAST (chesspattern AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION chesspattern_eq(chesspattern, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_eq(chesspattern, chesspattern) IS 'implementation of = operator';
CREATE FUNCTION chesspattern_ne(chesspattern, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_ne(chesspattern, chesspattern) IS 'implementation of <> operator';
CREATE FUNCTION chesspattern_hash(chesspattern) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_hash(chesspattern) IS 'hash';
CREATE FUNCTION chesspattern_hash_extended(chesspattern, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chesspattern_hash_extended(chesspattern, bigint) IS 'hash';

CREATE OPERATOR = (
    LEFTARG = chesspattern, RIGHTARG = chesspattern, FUNCTION = chesspattern_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR = (chesspattern, chesspattern) IS 'equal';
CREATE OPERATOR <> (
    LEFTARG = chesspattern, RIGHTARG = chesspattern, FUNCTION = chesspattern_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chesspattern, chesspattern) IS 'not equal';
CREATE OPERATOR CLASS chesspattern_ops DEFAULT FOR TYPE chesspattern USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chesspattern_hash(chesspattern),
    FUNCTION 2 chesspattern_hash_extended(chesspattern, bigint);
COMMENT ON OPERATOR CLASS chesspattern_ops USING hash IS 'equal patterns';

CREATE FUNCTION haspattern_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION haspattern_support(internal) IS 'planner support for haspattern';
CREATE FUNCTION chessgame_pattern_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pattern_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_pattern_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_pattern_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
CREATE FUNCTION chessgame_patterncandidate_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_patterncandidate_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_patterncandidate_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_patterncandidate_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
CREATE FUNCTION haspattern(game chessgame, pattern chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION haspattern(chessgame, chesspattern) IS 'does the pattern occur in the game?';
CREATE FUNCTION haspattern(game chessgame, pattern chesspattern, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspattern_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION haspattern(chessgame, chesspattern, integer)
    IS 'does a match of the pattern end within the first half-moves of the game?';
CREATE FUNCTION haspattern(board chessboard, pattern chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessboard_haspattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION haspattern(chessboard, chesspattern) IS 'does the board match the pattern?';
CREATE FUNCTION plyofpattern(game chessgame, pattern chesspattern) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION plyofpattern(chessgame, chesspattern)
    IS 'the first half-move at which a match of the pattern ends, NULL if there is none';
CREATE FUNCTION findpattern(game chessgame, pattern chesspattern) RETURNS TABLE (first integer, last integer)
    AS 'MODULE_PATHNAME', 'chessgame_findpattern' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10;
COMMENT ON FUNCTION findpattern(chessgame, chesspattern)
    IS 'the half-moves at which matches of the pattern end, each with the latest at which such a match begins';
CREATE FUNCTION squaresof(board chessboard, pieces text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_squaresof' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION squaresof(chessboard, text) IS 'the squares of a set in the language of patterns';

CREATE FUNCTION chesspattern_in_game(chesspattern, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT haspattern_support;
COMMENT ON FUNCTION chesspattern_in_game(chesspattern, chessgame) IS 'implementation of @@ operator';
CREATE FUNCTION chesspattern_on_board(chesspattern, chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chesspattern_on_board(chesspattern, chessboard) IS 'implementation of @@ operator';

CREATE OPERATOR @@ (
    LEFTARG = chessgame, RIGHTARG = chesspattern, FUNCTION = haspattern,
    COMMUTATOR = @@, RESTRICT = chessgame_pattern_sel, JOIN = chessgame_pattern_joinsel
);
COMMENT ON OPERATOR @@ (chessgame, chesspattern) IS 'the pattern occurs in the game';
CREATE OPERATOR @@ (
    LEFTARG = chesspattern, RIGHTARG = chessgame, FUNCTION = chesspattern_in_game,
    COMMUTATOR = @@, RESTRICT = chessgame_pattern_sel, JOIN = chessgame_pattern_joinsel
);
COMMENT ON OPERATOR @@ (chesspattern, chessgame) IS 'the pattern occurs in the game';
CREATE OPERATOR @@ (
    LEFTARG = chessboard, RIGHTARG = chesspattern, FUNCTION = haspattern,
    COMMUTATOR = @@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (chessboard, chesspattern) IS 'the board matches the pattern';
CREATE OPERATOR @@ (
    LEFTARG = chesspattern, RIGHTARG = chessboard, FUNCTION = chesspattern_on_board,
    COMMUTATOR = @@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @@ (chesspattern, chessboard) IS 'the board matches the pattern';

-- Candidates: what an index of the keys of patterns knows. The planner turns @@, haspattern and hasmaterial into this
-- operator (src/planner/index_condition.rs).

CREATE FUNCTION chesspattern_material(text) RETURNS chesspattern
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION chesspattern_material(text) IS 'internal: the pattern of a material';

CREATE FUNCTION chessgame_mayhavepattern(chessgame, chesspattern) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION chessgame_mayhavepattern(chessgame, chesspattern) IS 'implementation of @@~ operator';
CREATE OPERATOR @@~ (
    LEFTARG = chessgame, RIGHTARG = chesspattern, FUNCTION = chessgame_mayhavepattern,
    RESTRICT = chessgame_patterncandidate_sel, JOIN = chessgame_patterncandidate_joinsel
);
COMMENT ON OPERATOR @@~ (chessgame, chesspattern) IS 'the pattern may occur in the game';

CREATE FUNCTION chessgame_gin_pattern_extract_value(chessgame, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION chessgame_gin_pattern_extract_value(chessgame, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) RETURNS "char"
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal) IS 'GIN support';
CREATE FUNCTION chessgame_gin_pattern_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_pattern_options(internal) IS 'GIN support';

CREATE OPERATOR CLASS chessgame_pattern_ops FOR TYPE chessgame USING gin AS
    OPERATOR 8 @@~ (chessgame, chesspattern),
    FUNCTION 1 btint8cmp(bigint, bigint),
    FUNCTION 2 chessgame_gin_pattern_extract_value(chessgame, internal, internal),
    FUNCTION 3 chessgame_gin_pattern_extract_query(chessgame, internal, smallint, internal, internal, internal, internal),
    FUNCTION 4 chessgame_gin_pattern_consistent(internal, smallint, chessgame, integer, internal, internal, internal, internal),
    FUNCTION 5 chessgame_gin_pattern_compare_partial(bigint, bigint, smallint, internal),
    FUNCTION 6 chessgame_gin_pattern_triconsistent(internal, smallint, chessgame, integer, internal, internal, internal),
    FUNCTION 7 chessgame_gin_pattern_options(internal),
    STORAGE bigint;
COMMENT ON OPERATOR CLASS chessgame_pattern_ops USING gin IS 'patterns in a game: its material, its pieces on squares, its captures and other events';

-- Functions with text arguments are evaluated on foreign servers, too.
CREATE FUNCTION textarguments_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION textarguments_support(internal) IS
    'planner support for functions with text arguments: foreign servers may evaluate them';

ALTER FUNCTION pieceat(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION play(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION san(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION uci(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION islegal(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION pgn(chessgame, jsonb, text) SUPPORT textarguments_support;
ALTER FUNCTION fromuci(text) SUPPORT textarguments_support;
ALTER FUNCTION play(chessgame, text) SUPPORT textarguments_support;
ALTER FUNCTION withresult(chessgame, text) SUPPORT textarguments_support;
ALTER FUNCTION newgame(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION score(text, text) SUPPORT textarguments_support;
ALTER FUNCTION squaresof(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION chesspattern_material(text) SUPPORT textarguments_support;
ALTER FUNCTION pieces(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION occupied(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION attacks(chessboard, text) SUPPORT textarguments_support;
ALTER FUNCTION attackers(chessboard, text, text) SUPPORT textarguments_support;
ALTER FUNCTION squareset(text[]) SUPPORT textarguments_support;
ALTER FUNCTION movecode(text) SUPPORT textarguments_support;
ALTER FUNCTION ocgdbmovecode(text) SUPPORT textarguments_support;

-- Openings on the left, and arrays of them; the new operator makes itself the commutator of ^@.

CREATE FUNCTION openings_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openings_support(internal) IS 'planner support for openings on the left, and arrays of them';

CREATE FUNCTION chessgame_isopening(chessgame, chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_isopening(chessgame, chessgame) IS 'implementation of @^ operator';

CREATE OPERATOR @^ (
    LEFTARG = chessgame, RIGHTARG = chessgame, FUNCTION = chessgame_isopening,
    COMMUTATOR = ^@,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @^ (chessgame, chessgame) IS 'opening starts game';

CREATE FUNCTION chessgame_hasanyopening(chessgame, chessgame[]) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_hasanyopening(chessgame, chessgame[]) IS 'implementation of ^@ operator';

CREATE FUNCTION chessgame_isanyopening(chessgame[], chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT openings_support;
COMMENT ON FUNCTION chessgame_isanyopening(chessgame[], chessgame) IS 'implementation of @^ operator';

CREATE OPERATOR ^@ (
    LEFTARG = chessgame, RIGHTARG = chessgame[], FUNCTION = chessgame_hasanyopening,
    COMMUTATOR = @^,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR ^@ (chessgame, chessgame[]) IS 'game starts with one of the openings';

CREATE OPERATOR @^ (
    LEFTARG = chessgame[], RIGHTARG = chessgame, FUNCTION = chessgame_isanyopening,
    COMMUTATOR = ^@,
    RESTRICT = contsel,
    JOIN = contjoinsel
);
COMMENT ON OPERATOR @^ (chessgame[], chessgame) IS 'one of the openings starts game';

-- Boards as the rules compare them, a type of their own.

CREATE TYPE chessposition;

CREATE FUNCTION chessposition_in(cstring) RETURNS chessposition
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_in(cstring) IS 'I/O';
CREATE FUNCTION chessposition_out(chessposition) RETURNS cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_out(chessposition) IS 'I/O';
CREATE FUNCTION chessposition_recv(internal) RETURNS chessposition
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION chessposition_recv(internal) IS 'I/O';
CREATE FUNCTION chessposition_send(chessposition) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_send(chessposition) IS 'I/O';

CREATE TYPE chessposition (
    INPUT = chessposition_in,
    OUTPUT = chessposition_out,
    RECEIVE = chessposition_recv,
    SEND = chessposition_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = main
);
COMMENT ON TYPE chessposition IS 'a position as the rules compare it: the first four fields of a FEN, en passant only where legal';

CREATE FUNCTION chessposition(board chessboard) RETURNS chessposition
    AS 'MODULE_PATHNAME', 'chessboard_chessposition' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chessposition(chessboard) IS 'the position of the board, whatever its clocks say';

CREATE FUNCTION chessboard(pos chessposition) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessposition_chessboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION chessboard(chessposition) IS 'a board of the position, with the clocks 0 1';

-- One way only: with both, a comparison of a board and a position would not know which of them to convert.
CREATE CAST (chessboard AS chessposition) WITH FUNCTION chessposition(chessboard) AS IMPLICIT;
CREATE CAST (chessposition AS chessboard) WITH FUNCTION chessboard(chessposition) AS ASSIGNMENT;
CREATE CAST (text AS chessposition) WITH INOUT AS ASSIGNMENT;
CREATE CAST (chessposition AS text) WITH INOUT AS ASSIGNMENT;

CREATE FUNCTION chessposition_lt(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_lt(chessposition, chessposition) IS 'implementation of < operator';
CREATE FUNCTION chessposition_le(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_le(chessposition, chessposition) IS 'implementation of <= operator';
CREATE FUNCTION chessposition_eq(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_eq(chessposition, chessposition) IS 'implementation of = operator';
CREATE FUNCTION chessposition_ne(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_ne(chessposition, chessposition) IS 'implementation of <> operator';
CREATE FUNCTION chessposition_ge(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_ge(chessposition, chessposition) IS 'implementation of >= operator';
CREATE FUNCTION chessposition_gt(chessposition, chessposition) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_gt(chessposition, chessposition) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (chessposition, chessposition) IS 'less than';

CREATE OPERATOR <= (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (chessposition, chessposition) IS 'less than or equal';

CREATE OPERATOR = (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES,
    MERGES
);
COMMENT ON OPERATOR = (chessposition, chessposition) IS 'equal';

CREATE OPERATOR <> (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (chessposition, chessposition) IS 'not equal';

CREATE OPERATOR >= (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (chessposition, chessposition) IS 'greater than or equal';

CREATE OPERATOR > (
    LEFTARG = chessposition, RIGHTARG = chessposition, FUNCTION = chessposition_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (chessposition, chessposition) IS 'greater than';

CREATE FUNCTION chessposition_cmp(chessposition, chessposition) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_cmp(chessposition, chessposition) IS 'less-equal-greater';
CREATE FUNCTION chessposition_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_sortsupport(internal) IS 'sort support';
CREATE FUNCTION chessposition_hash(chessposition) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_hash(chessposition) IS 'hash';
CREATE FUNCTION chessposition_hash_extended(chessposition, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessposition_hash_extended(chessposition, bigint) IS 'hash';

CREATE OPERATOR CLASS chessposition_ops DEFAULT FOR TYPE chessposition USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 chessposition_cmp(chessposition, chessposition),
    FUNCTION 2 chessposition_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS chessposition_ops USING btree IS 'positions in order of their bytes';

CREATE OPERATOR CLASS chessposition_ops DEFAULT FOR TYPE chessposition USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 chessposition_hash(chessposition),
    FUNCTION 2 chessposition_hash_extended(chessposition, bigint);
COMMENT ON OPERATOR CLASS chessposition_ops USING hash IS 'equal positions';
-- Arrows and coloured squares of comments.
DROP FUNCTION svgboard(chessboard, text, bigint, text);
CREATE FUNCTION svgboard(board chessboard, lastmove text DEFAULT '', marked bigint DEFAULT 0, bottom text DEFAULT 'w',
        drawings text DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_svg' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1500
    SUPPORT textarguments_support;
COMMENT ON FUNCTION svgboard(chessboard, text, bigint, text, text) IS
    'the board as a picture in SVG; lastmove as UCI (e2e4), marked a set of squares, bottom the side at the bottom, drawings a comment with [%cal] and [%csl]';

-- The option key_bits of the compact GIN class.
CREATE FUNCTION chessgame_structure_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_structure_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_allstructures_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allstructures_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_anystructure_sel(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anystructure_sel(internal, oid, internal, integer) IS 'restriction selectivity';
CREATE FUNCTION chessgame_structure_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_structure_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
CREATE FUNCTION chessgame_allstructures_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_allstructures_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
CREATE FUNCTION chessgame_anystructure_joinsel(internal, oid, internal, smallint, internal) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_anystructure_joinsel(internal, oid, internal, smallint, internal) IS 'join selectivity';
-- The answers of @~, @>> and &&, estimated as what an index with the option key_bits leaves (sql/opclasses.sql).
CREATE OPERATOR @>~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = haspieces,
    RESTRICT = chessgame_structure_sel,
    JOIN = chessgame_structure_joinsel
);
COMMENT ON OPERATOR @>~~ (chessgame, chessboard) IS 'piece placement arises in the game, found by its pawn structure';
CREATE OPERATOR @>>~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasallboards,
    RESTRICT = chessgame_allstructures_sel,
    JOIN = chessgame_allstructures_joinsel
);
COMMENT ON OPERATOR @>>~~ (chessgame, chessboard[]) IS 'all positions arise in the game, found by their pawn structures';
CREATE OPERATOR &&~~ (
    LEFTARG = chessgame, RIGHTARG = chessboard[], FUNCTION = chessgame_hasanyboard,
    RESTRICT = chessgame_anystructure_sel,
    JOIN = chessgame_anystructure_joinsel
);
COMMENT ON OPERATOR &&~~ (chessgame, chessboard[]) IS 'one of the positions arises in the game, found by its pawn structure';
CREATE FUNCTION chessgame_gin_compact_options(internal) RETURNS void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION chessgame_gin_compact_options(internal) IS 'GIN support';
ALTER OPERATOR FAMILY chessgame_compact_ops USING gin ADD
    OPERATOR 9 @>~~ (chessgame, chessboard), OPERATOR 10 @>>~~ (chessgame, chessboard[]), OPERATOR 11 &&~~ (chessgame, chessboard[]),
    FUNCTION 7 (chessgame) chessgame_gin_compact_options(internal);

-- Last of all, when all types are there: arrays of our types belong to the extension, too, so that postgres_fdw sends
-- conditions on them. PostgreSQL 15 and 16
-- leave them out, later ones do not.
DO $block$
DECLARE
    of_type pg_catalog.regtype;
BEGIN
    FOR of_type IN
        SELECT t.typarray FROM pg_catalog.pg_type AS t
        JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND d.objid = t.oid
        JOIN pg_catalog.pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'chess'
        WHERE d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid AND d.deptype = 'e'
          AND t.typarray <> 0::pg_catalog.oid AND t.typtype = 'b'
          AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_depend AS a
              WHERE a.classid = 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid AND a.objid = t.typarray AND a.deptype = 'e')
        ORDER BY t.typname
    LOOP
        EXECUTE pg_catalog.format('ALTER EXTENSION chess ADD TYPE %s', of_type);
    END LOOP;
END
$block$;
