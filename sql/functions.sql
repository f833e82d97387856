-- What a user calls. COST is in units of about 10 ns; docs/performance.md says how they were chosen.

CREATE FUNCTION hasopening_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hasboard_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION haspieces_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hasallboards_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hasanyboard_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pgngames_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hasopening_support(internal) IS 'planner support for hasopening';
COMMENT ON FUNCTION hasboard_support(internal) IS 'planner support for hasboard';
COMMENT ON FUNCTION haspieces_support(internal) IS 'planner support for haspieces';
COMMENT ON FUNCTION hasallboards_support(internal) IS 'planner support for @>>';
COMMENT ON FUNCTION hasanyboard_support(internal) IS 'planner support for &&';
COMMENT ON FUNCTION pgngames_support(internal) IS 'planner support for pgngames';

CREATE FUNCTION getboard(game chessgame, ply integer) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_getboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION getboard(chessgame, integer) IS
    'the board after that many half-moves, 0 for the start position; a negative number counts back from the end';

CREATE FUNCTION getfirstmoves(game chessgame, plies integer) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_getfirstmoves' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION getfirstmoves(chessgame, integer) IS
    'the first half-moves of the game, all if it has fewer, or, by a negative number, all but the last, with unknown result';

CREATE FUNCTION hasopening(game chessgame, opening chessgame) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasopening' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2
    SUPPORT hasopening_support;
COMMENT ON FUNCTION hasopening(chessgame, chessgame) IS
    'does the game begin with the moves of the opening?';

CREATE FUNCTION hasboard(game chessgame, board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT hasboard_support;
COMMENT ON FUNCTION hasboard(chessgame, chessboard) IS
    'does the position arise in the game? (placement, side to move, castling rights, legal en passant; clocks do not count)';

CREATE FUNCTION hasboard(game chessgame, board chessboard, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_hasboard_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT hasboard_support;
COMMENT ON FUNCTION hasboard(chessgame, chessboard, integer) IS
    'does the position arise within that many half-moves, the start position included?';

CREATE FUNCTION haspieces(game chessgame, board chessboard) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspieces' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT haspieces_support;
COMMENT ON FUNCTION haspieces(chessgame, chessboard) IS
    'does the piece placement arise in the game, whoever is to move?';

CREATE FUNCTION haspieces(game chessgame, board chessboard, plies integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chessgame_haspieces_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT haspieces_support;
COMMENT ON FUNCTION haspieces(chessgame, chessboard, integer) IS
    'does the piece placement arise within that many half-moves, the start position included?';

CREATE FUNCTION plycount(game chessgame) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plycount' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION plycount(chessgame) IS 'the number of half-moves';

CREATE FUNCTION result(game chessgame) RETURNS text
    AS 'MODULE_PATHNAME', 'chessgame_result' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION result(chessgame) IS 'the result: 1-0, 0-1, 1/2-1/2, or * if unknown';

CREATE FUNCTION epd(board chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_epd' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION epd(chessboard) IS
    'FEN without clocks, with an en passant square only if a capture is legal: equal exactly for the same position';

CREATE FUNCTION openinglowerbound(opening chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_openinglowerbound' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openinglowerbound(chessgame) IS
    'the least of all games that begin with the moves of the opening';

CREATE FUNCTION openingupperbound(opening chessgame) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_openingupperbound' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION openingupperbound(chessgame) IS
    'a value above all games that begin with the moves of the opening and below all greater ones';

CREATE FUNCTION pgngames(pgn text, OUT number integer, OUT tags jsonb, OUT game chessgame, OUT error text,
        OUT annotated text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1000
    SUPPORT pgngames_support;
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
    AS 'MODULE_PATHNAME', 'chessgame_pgn_annotated' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION pgn(chessgame, jsonb, text) IS
    'the game as PGN with these tags and its annotated text, if it has one';
