-- The groups of games that the reports on an opening and on an ending count, all in one pass. The state is shared by workers as bytes, and has
-- type internal, so that nobody else can make one.

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
