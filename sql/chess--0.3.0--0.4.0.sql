-- From 0.3.0 to 0.4.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

-- Two GIN operator classes and all options of GIN indexes go: the access method chess answers what they answered. Indexes
-- that use them are named first, with the statements that replace them. A partition's index goes with that of its table.

DO $$
DECLARE
    path text := pg_catalog.current_setting('search_path'::pg_catalog.text);
    names text;
    drops text;
    creates text;
    users text;
BEGIN
    -- The statements name everything with its schema, and functions of others are not called, also not for the message.
    PERFORM pg_catalog.set_config('search_path'::pg_catalog.text, 'pg_catalog, pg_temp'::pg_catalog.text, true);
    WITH removed AS (
        SELECT c.relname, t.relnamespace::regnamespace AS schema, format('%I.%I', n.nspname, c.relname) AS index, i.indrelid::regclass AS "table",
               o.opcname || coalesce(' (' || array_to_string(a.attoptions, ', ') || ')', '') AS class,
               pg_get_indexdef(i.indexrelid, k.number::integer, true) || coalesce(') WHERE (' || pg_get_expr(i.indpred, i.indrelid), '') AS game
        FROM pg_index i CROSS JOIN unnest(i.indclass::oid[]) WITH ORDINALITY AS k (class, number)
        JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class t ON t.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attnum = k.number
        JOIN pg_opclass o ON o.oid = k.class JOIN pg_am m ON m.oid = o.opcmethod AND m.amname = 'gin'
        JOIN pg_depend d ON d.classid = 'pg_opclass'::regclass AND d.objid = o.oid AND d.deptype = 'e'
        JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'chess'
        WHERE (o.opcname IN ('chessgame_compact_ops', 'chessgame_pattern_ops') OR a.attoptions IS NOT NULL)
          AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = i.indexrelid)
    ), anew AS (
        -- Those of the loader's tables have these names.
        SELECT DISTINCT CASE WHEN relname IN ('games_game_opening_gin', 'games_game_compact_gin', 'games_game_pattern_gin')
            THEN format('chess-pgn migrate --index --schema %s', schema)
            ELSE format('CREATE INDEX ON %s USING chess (%s);', "table", game) END AS statement
        FROM removed
    )
    SELECT (SELECT string_agg(format('%s: %s', index, class), E'\n' ORDER BY index) FROM removed),
           (SELECT string_agg(DISTINCT index, ', ' ORDER BY index) FROM removed),
           (SELECT string_agg(statement, E'\n' ORDER BY statement DESC) FROM anew)
    INTO names, drops, creates;
    IF names IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = 'there are GIN indexes of classes or with options that chess 0.4.0 does not have',
            DETAIL = names,
            HINT = concat_ws(E'\n', 'Run:', 'DROP INDEX ' || drops || ';', 'ALTER EXTENSION chess UPDATE;', creates);
    END IF;
    SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid), E'\n') INTO users
    FROM pg_operator o JOIN pg_depend m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid AND m.deptype = 'e'
    JOIN pg_extension e ON m.refclassid = 'pg_extension'::regclass AND e.oid = m.refobjid AND e.extname = 'chess'
    JOIN pg_depend d ON d.refclassid = 'pg_operator'::regclass AND d.refobjid = o.oid
    WHERE o.oprname IN ('@>~', '@>>~', '&&~', '@>~~', '@>>~~', '&&~~', '@@~')
      AND d.classid NOT IN ('pg_operator'::regclass, 'pg_amop'::regclass);
    IF users IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = 'there are objects that use operators that chess 0.4.0 does not have',
            DETAIL = users,
            HINT = 'Drop them before ALTER EXTENSION chess UPDATE, and create them afterwards with operators that remain, such as @> for @>~.';
    END IF;
    PERFORM set_config('search_path', path, true);
END
$$;

-- Words that this version has removed, for scripts/check-docs.sh, besides the names in the next statements:
-- removed: max_ply key_bits families= --index=opening --index=compact --index=patterns
DROP OPERATOR FAMILY chessgame_compact_ops USING gin;
DROP OPERATOR FAMILY chessgame_pattern_ops USING gin;
ALTER OPERATOR FAMILY chessgame_ops USING gin DROP FUNCTION 7 (chessgame);
DROP OPERATOR @>~ (chessgame, chessboard), @>>~ (chessgame, chessboard[]), &&~ (chessgame, chessboard[]),
    @>~~ (chessgame, chessboard), @>>~~ (chessgame, chessboard[]), &&~~ (chessgame, chessboard[]), @@~ (chessgame, chesspattern);
DROP FUNCTION chessgame_mayhaveboard, chessgame_mayhaveallboards, chessgame_mayhaveanyboard, chessgame_mayhavepattern,
    chessgame_candidate_sel, chessgame_allcandidates_sel, chessgame_anycandidate_sel, chessgame_structure_sel,
    chessgame_allstructures_sel, chessgame_anystructure_sel, chessgame_patterncandidate_sel,
    chessgame_candidate_joinsel, chessgame_allcandidates_joinsel, chessgame_anycandidate_joinsel, chessgame_structure_joinsel,
    chessgame_allstructures_joinsel, chessgame_anystructure_joinsel, chessgame_patterncandidate_joinsel,
    chessgame_gin_options, chessgame_gin_compact_options, chessgame_gin_compact_extract_value, chessgame_gin_compact_extract_query,
    chessgame_gin_pattern_options, chessgame_gin_pattern_extract_value, chessgame_gin_pattern_extract_query,
    chessgame_gin_pattern_compare_partial, chessgame_gin_pattern_consistent, chessgame_gin_pattern_triconsistent;

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

CREATE FUNCTION polyglotkey(board chessboard) RETURNS bigint
    AS 'MODULE_PATHNAME', 'chessboard_polyglotkey' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 15;
COMMENT ON FUNCTION polyglotkey(chessboard) IS
    'the key under which a Polyglot book has the position: zobrist, but a pawn beside the pushed one counts even if it may not capture';

CREATE FUNCTION polyglotmove(board chessboard, code integer) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_polyglotmove' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION polyglotmove(chessboard, integer) IS
    'the move in UCI that a code of a Polyglot book means on the board; NULL if there is no such legal move';

CREATE FUNCTION distance(a chessboard, b chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessboard_distance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION distance(chessboard, chessboard) IS
    'on how many squares the boards differ';

-- The nearest position of a game. No index serves the order by it.

CREATE FUNCTION leastdistance(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_leastdistance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION leastdistance(chessgame, chessboard) IS
    'the least distance of a position of the game to the board: on how many squares they differ';

CREATE FUNCTION plyofnearest(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofnearest' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION plyofnearest(chessgame, chessboard) IS
    'the number of half-moves after which the position that is nearest to the board first arises';

CREATE FUNCTION leastpawndistance(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_leastpawndistance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION leastpawndistance(chessgame, chessboard) IS
    'the least distance of a pawn structure of the game to that of the board: on how many squares the pawns differ';

CREATE FUNCTION plyofnearestpawns(game chessgame, board chessboard) RETURNS integer
    AS 'MODULE_PATHNAME', 'chessgame_plyofnearestpawns' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION plyofnearestpawns(chessgame, chessboard) IS
    'the number of half-moves after which the pawn structure that is nearest to that of the board first arises';

CREATE FUNCTION chessboard_leastdistance(chessboard, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION chessboard_leastdistance(chessboard, chessgame) IS 'implementation of <-> operator';

CREATE FUNCTION chessboard_leastpawndistance(chessboard, chessgame) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 80;
COMMENT ON FUNCTION chessboard_leastpawndistance(chessboard, chessgame) IS 'implementation of <#> operator';

CREATE OPERATOR <-> (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = leastdistance,
    COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (chessgame, chessboard) IS 'least distance of a position of the game to the board';

CREATE OPERATOR <-> (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_leastdistance,
    COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (chessboard, chessgame) IS 'least distance of a position of the game to the board';

CREATE OPERATOR <#> (
    LEFTARG = chessgame, RIGHTARG = chessboard, FUNCTION = leastpawndistance,
    COMMUTATOR = <#>
);
COMMENT ON OPERATOR <#> (chessgame, chessboard) IS 'least distance of a pawn structure of the game to that of the board';

CREATE OPERATOR <#> (
    LEFTARG = chessboard, RIGHTARG = chessgame, FUNCTION = chessboard_leastpawndistance,
    COMMUTATOR = <#>
);
COMMENT ON OPERATOR <#> (chessboard, chessgame) IS 'least distance of a pawn structure of the game to that of the board';

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

ALTER FUNCTION status(chessgame) COST 100;

CREATE FUNCTION patterncost_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION patterncost_support(internal) IS 'planner support for plyofpattern and findpattern';
ALTER FUNCTION plyofpattern(chessgame, chesspattern) SUPPORT patterncost_support;
ALTER FUNCTION findpattern(chessgame, chesspattern) SUPPORT patterncost_support;

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

CREATE FUNCTION foldname(name text) RETURNS text
    AS 'MODULE_PATHNAME', 'chess_foldname' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20
    SUPPORT textarguments_support;
COMMENT ON FUNCTION foldname(text) IS
    'the words of a name as searches and merges compare them: in lower case and plain letters, without punctuation';

-- Exact values of boards with few men. Stable: the tables and the setting that names them may change.

CREATE FUNCTION tablebase(board chessboard, OUT wdl integer, OUT dtz integer, OUT best text[]) RETURNS record
    AS 'MODULE_PATHNAME', 'chessboard_tablebase' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION tablebase(chessboard) IS
    'what endgame tables say: wdl from -2 to 2 for the side to move, half-moves to a capture or pawn move, the best moves in UCI; NULL where no table says';

CREATE FUNCTION tablebase_moves(board chessboard) RETURNS TABLE (san text, uci text, wdl integer, dtz integer, value text,
        zeroing boolean, missing text)
    AS 'MODULE_PATHNAME', 'chessboard_tablebasemoves' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION tablebase_moves(chessboard) IS
    'the legal moves, the best first, with what endgame tables say of the board after each, for the side that moves: win, cursed win, draw, blessed loss or loss';

CREATE FUNCTION chess_index_answers(index regclass) RETURNS boolean
    AS 'MODULE_PATHNAME', 'chess_index_answers' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION chess_index_answers(regclass) IS
    'whether the sums of an index of the access method chess may answer for the current user, in this transaction';

-- The groups of games of the reports on an opening and on an ending.

CREATE TYPE reportgroup AS (
    part     text,
    number   bigint,
    label    text,
    opening  chessgame,
    sums     bigint[],
    first    date,
    last     date,
    id       bigint,
    old      bigint,
    moves    bigint,
    shortest integer,
    longest  integer
);
COMMENT ON TYPE reportgroup IS 'internal: a group of games in a report on an opening or an ending, or a game of one of its lists';

CREATE FUNCTION reportgroups_add(
    groups internal, wanted integer, count integer, result text, white_elo integer, black_elo integer, id bigint, first date, until date,
    ply_count integer, white_id integer, black_id integer, time_control text, facts integer, termination text, opening chessgame,
    is_found boolean, is_annotated boolean, is_old boolean
) RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION reportgroups_add(internal, integer, integer, text, integer, integer, bigint, date, date, integer, integer, integer, text,
    integer, text, chessgame, boolean, boolean, boolean) IS 'internal: adds a game to reportGroups';

CREATE FUNCTION reportgroups_combine(groups internal, more internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION reportgroups_combine(internal, internal) IS 'internal: adds the groups of two workers, for reportGroups';

CREATE FUNCTION reportgroups_send(groups internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION reportgroups_send(internal) IS 'internal: the groups of a worker as bytes, for reportGroups';

CREATE FUNCTION reportgroups_receive(groups bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION reportgroups_receive(bytea, internal) IS 'internal: the groups in bytes, for reportGroups';

CREATE FUNCTION reportgroups_result(groups internal) RETURNS reportgroup[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION reportgroups_result(internal) IS 'internal: the result of reportGroups';

CREATE AGGREGATE reportgroups(
    wanted integer, count integer, result text, white_elo integer, black_elo integer, id bigint, first date, until date, ply_count integer,
    white_id integer, black_id integer, time_control text, facts integer, termination text, opening chessgame, is_found boolean,
    is_annotated boolean, is_old boolean
) (
    SFUNC = reportgroups_add, STYPE = internal, SSPACE = 10000000, FINALFUNC = reportgroups_result,
    COMBINEFUNC = reportgroups_combine, SERIALFUNC = reportgroups_send, DESERIALFUNC = reportgroups_receive, PARALLEL = SAFE
);
COMMENT ON AGGREGATE reportgroups(integer, integer, text, integer, integer, bigint, date, date, integer, integer, integer, text, integer,
    text, chessgame, boolean, boolean, boolean) IS
    'internal: all groups and lists of games that a report needs, NULL if they would take more than four times work_mem';

-- Results and dates as people and programs write them.

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

-- Positions that are the same but for a symmetry.

CREATE FUNCTION symmetricboards(board chessboard) RETURNS chessboard[]
    AS 'MODULE_PATHNAME', 'chessboard_symmetricboards' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60;
COMMENT ON FUNCTION symmetricboards(chessboard) IS
    'the boards that are the same position but for a symmetry, the board itself first: 2 with castling rights, 4 with pawns, up to 16 without';

CREATE FUNCTION symmetricmove(board chessboard, move text, other chessboard) RETURNS text
    AS 'MODULE_PATHNAME', 'chessboard_symmetricmove' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100
    SUPPORT textarguments_support;
COMMENT ON FUNCTION symmetricmove(chessboard, text, chessboard) IS
    'a move of the board, in SAN or UCI, as the same move of another of its symmetricBoards, in SAN';

CREATE FUNCTION reachedboard(game chessgame, boards chessboard[]) RETURNS chessboard
    AS 'MODULE_PATHNAME', 'chessgame_reachedboard' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION reachedboard(chessgame, chessboard[]) IS
    'the one of the boards whose position arises first in the game; NULL if none does';

CREATE FUNCTION materials(game chessgame) RETURNS TABLE (material text, first integer, last integer)
    AS 'MODULE_PATHNAME', 'chessgame_materials' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 25;
COMMENT ON FUNCTION materials(chessgame) IS
    'the materials of the game in their order, each with the first and the last half-move after which it stands, 0 for the start';

CREATE FUNCTION chess_kept(query text, board chessboard, argument text) RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE PARALLEL RESTRICTED COST 100000 ROWS 20;
COMMENT ON FUNCTION chess_kept(text, chessboard, text) IS
    'internal: the rows of a query with the parameters $1 and $2, whose plan the session keeps if it reads no table';
