-- Half-moves of a game, and games made from games. Negative numbers count from the end.

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
    AS 'MODULE_PATHNAME', 'chessgame_play' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION play(chessgame, text) IS
    'the game with these moves behind its own; with the result that they end with, or else its own';

CREATE FUNCTION takeback(game chessgame, plies integer DEFAULT 1) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_takeback' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION takeback(chessgame, integer) IS
    'the game without its last half-moves, with unknown result';

CREATE FUNCTION withresult(game chessgame, result text) RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_withresult' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT textarguments_support;
COMMENT ON FUNCTION withresult(chessgame, text) IS
    'the same moves with that result: 1-0, 0-1, 1/2-1/2 or *';

CREATE FUNCTION newgame(board chessboard, moves text DEFAULT '') RETURNS chessgame
    AS 'MODULE_PATHNAME', 'chessgame_newgame' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000
    SUPPORT textarguments_support;
COMMENT ON FUNCTION newgame(chessboard, text) IS
    'a game of these moves from the board';

CREATE FUNCTION score(result text, color text) RETURNS numeric
    AS 'MODULE_PATHNAME', 'chess_score' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5
    SUPPORT textarguments_support;
COMMENT ON FUNCTION score(text, text) IS
    'the points of a side with that result in any spelling: 1, 0.5 or 0; NULL for a game without one';

CREATE FUNCTION isforfeit(result text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chess_isforfeit' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5
    SUPPORT textarguments_support;
COMMENT ON FUNCTION isforfeit(text) IS
    'whether that result was given without play, as +:- and 1-0F say; NULL for a game without one';

CREATE FUNCTION datebounds(date text) RETURNS text
    AS 'MODULE_PATHNAME', 'chess_datebounds' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10
    SUPPORT textarguments_support;
COMMENT ON FUNCTION datebounds(text) IS
    'the days that a date of PGN can mean, as the text of a daterange; NULL if it says no year';
