-- Aggregates over games: pieces on squares, captures, lives of pieces, walks of kings; and the time of half-moves.
-- A state is a bigint[] that grows or keeps its length (src/server/state.rs), so workers need no functions that
-- serialize it.

CREATE FUNCTION counts_combine(counts bigint[], more bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION counts_combine(bigint[], bigint[]) IS 'internal: adds the states of two workers, for squareCounts and others';

CREATE FUNCTION piecesquares_result(counts bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION piecesquares_result(bigint[]) IS 'internal: the result of squareCounts and captureCounts, zeros without games';

CREATE FUNCTION squarecounts_add(counts bigint[], game chessgame) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 60;
COMMENT ON FUNCTION squarecounts_add(bigint[], chessgame) IS 'internal: adds a game to squareCounts';

CREATE AGGREGATE squarecounts(game chessgame) (
    SFUNC = squarecounts_add, STYPE = bigint[], SSPACE = 6200, FINALFUNC = piecesquares_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE squarecounts(chessgame) IS
    'in how many positions of the games a piece stands on a square: the number at 64 * kind + square + 1, kinds PNBRQKpnbrqk, a1 = 0';

CREATE FUNCTION squarecounts_add(counts bigint[], game chessgame, first integer, last integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'squarecounts_add_between' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 60;
COMMENT ON FUNCTION squarecounts_add(bigint[], chessgame, integer, integer) IS 'internal: adds a part of a game to squareCounts';

CREATE AGGREGATE squarecounts(game chessgame, first integer, last integer) (
    SFUNC = squarecounts_add, STYPE = bigint[], SSPACE = 6200, FINALFUNC = piecesquares_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE squarecounts(chessgame, integer, integer) IS
    'squareCounts of the positions after half-moves first to last, 0 for the start';

CREATE FUNCTION capturecounts_add(counts bigint[], game chessgame) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION capturecounts_add(bigint[], chessgame) IS 'internal: adds a game to captureCounts';

CREATE AGGREGATE capturecounts(game chessgame) (
    SFUNC = capturecounts_add, STYPE = bigint[], SSPACE = 6200, FINALFUNC = piecesquares_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE capturecounts(chessgame) IS
    'how often a piece is captured on a square: the number at 64 * kind + square + 1, kinds PNBRQKpnbrqk, a1 = 0';

CREATE FUNCTION capturecounts_add(counts bigint[], game chessgame, first integer, last integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'capturecounts_add_between' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION capturecounts_add(bigint[], chessgame, integer, integer) IS 'internal: adds a part of a game to captureCounts';

CREATE AGGREGATE capturecounts(game chessgame, first integer, last integer) (
    SFUNC = capturecounts_add, STYPE = bigint[], SSPACE = 6200, FINALFUNC = piecesquares_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE capturecounts(chessgame, integer, integer) IS 'captureCounts of half-moves first to last, counted from 1';

CREATE FUNCTION survival_add(counts bigint[], game chessgame, square text) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 50 SUPPORT textarguments_support;
COMMENT ON FUNCTION survival_add(bigint[], chessgame, text) IS 'internal: adds a game to survival';

CREATE FUNCTION survival_result(counts bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION survival_result(bigint[]) IS 'internal: the result of survival';

CREATE AGGREGATE survival(game chessgame, square text) (
    SFUNC = survival_add, STYPE = bigint[], SSPACE = 4096, FINALFUNC = survival_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE survival(chessgame, text) IS
    'a row for each half-move, from 0: games that still have the piece that began on the square, and games that last so long';

CREATE FUNCTION gamefacts(game chessgame) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_gamefacts' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION gamefacts(chessgame) IS
    'what reports count of a game, as bits: how it ends, which pieces are left, where the kings castle, whether the queens are exchanged';

CREATE FUNCTION gamesums_add(sums bigint[], result text, white_elo integer, black_elo integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE SUPPORT textarguments_support;
COMMENT ON FUNCTION gamesums_add(bigint[], text, integer, integer) IS 'internal: adds a game to gameSums';

CREATE AGGREGATE gamesums(result text, white_elo integer, black_elo integer) (
    SFUNC = gamesums_add, STYPE = bigint[], SSPACE = 160, COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gamesums(text, integer, integer) IS
    'numbers of games by result, and sums of ratings, expected scores and points of White';

CREATE AGGREGATE gamesums(sums bigint[]) (
    SFUNC = counts_combine, STYPE = bigint[], SSPACE = 160, COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gamesums(bigint[]) IS 'the sums of several groups of games';

CREATE FUNCTION kingwalks_add(counts bigint[], game chessgame) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION kingwalks_add(bigint[], chessgame) IS 'internal: adds a game to kingWalks';

CREATE FUNCTION kingwalks_result(counts bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION kingwalks_result(bigint[]) IS 'internal: the result of kingWalks, zeros without games';

CREATE AGGREGATE kingwalks(game chessgame) (
    SFUNC = kingwalks_add, STYPE = bigint[], SSPACE = 1100, FINALFUNC = kingwalks_result,
    COMBINEFUNC = counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE kingwalks(chessgame) IS
    'in how many games a king comes to a square: the number at square + 1 for White, at 64 + square + 1 for Black, a1 = 0';

CREATE FUNCTION thinktimes(clocks integer[], time_control text) RETURNS double precision[]
    AS 'MODULE_PATHNAME', 'chess_thinktimes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION thinktimes(integer[], text) IS
    'the seconds that each half-move took, from the clocks after it in tenths of a second; NULL without a readable time control';

CREATE FUNCTION timecontrolseconds(time_control text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chess_timecontrolseconds' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION timecontrolseconds(text) IS
    'the seconds that a time control gives a side for 40 moves; 21600 where there is none and for correspondence, NULL if nothing is known';
