-- In: {schema} and {chess}, as for tables.sql, whose tables exist; {schema_literal}, {schema} within a literal.
-- Out: the empty tables of the cube, and the functions that record games that are not in it.
--
-- The cube: what was played in the popular positions, counted beforehand. chess-pgn explorer build fills it from the games of
-- one snapshot. What is not in it is written down from then on, by triggers that the build makes, in the transaction that
-- changes the games: so what the cube has and what is written down are all games, in every snapshot.

CREATE TABLE {schema}.explorer_build (
    least     integer NOT NULL,
    games     bigint NOT NULL,
    positions bigint NOT NULL,
    built     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE {schema}.explorer_build IS 'one row if there is a cube: positions of at least so many games are in it';
COMMENT ON COLUMN {schema}.explorer_build.positions IS 'how many are complete';

CREATE TABLE {schema}.explorer_position (
    key      bigint PRIMARY KEY,
    complete boolean NOT NULL,
    board    {chess}.chessboard NOT NULL
);
COMMENT ON TABLE {schema}.explorer_position IS
    'the positions of the cube by zobrist(board); of those that are not complete, which follow the others, only the games are counted';

CREATE TABLE {schema}.explorer_cell (
    key          bigint NOT NULL,
    move         smallint NOT NULL,
    year         smallint NOT NULL,
    rating_group smallint NOT NULL,
    speed        smallint NOT NULL,
    result       smallint NOT NULL,
    games        integer NOT NULL,
    rated        integer NOT NULL,
    opponents    integer NOT NULL,
    last_played  date,
    rating_sum   bigint NOT NULL,
    opponent_sum bigint NOT NULL,
    game_id      bigint NOT NULL,
    PRIMARY KEY (key, move, year, rating_group, speed, result)
) WITH (fillfactor = 90);
COMMENT ON TABLE {schema}.explorer_cell IS 'games of a position of the cube by what was played and of which kind they are';
COMMENT ON COLUMN {schema}.explorer_cell.move IS 'as movecode has it; 0 for games that end there';
COMMENT ON COLUMN {schema}.explorer_cell.result IS '0 for a draw, 1 if the side that moves has won, 2 if it has lost, 3 if nothing is known';
COMMENT ON COLUMN {schema}.explorer_cell.opponents IS 'games in which the side that does not move has a rating';
COMMENT ON COLUMN {schema}.explorer_cell.game_id IS 'one of the games';

CREATE TABLE {schema}.explorer_total (
    key          bigint NOT NULL,
    move         smallint NOT NULL,
    result       smallint NOT NULL,
    games        bigint NOT NULL,
    rated        bigint NOT NULL,
    opponents    bigint NOT NULL,
    rating_sum   bigint NOT NULL,
    opponent_sum bigint NOT NULL,
    last_played  date,
    game_id      bigint NOT NULL,
    PRIMARY KEY (key, move, result)
) WITH (fillfactor = 90);
COMMENT ON TABLE {schema}.explorer_total IS 'the sums of explorer_cell over all years, ratings and speeds; with move -1, of all games of a position';

CREATE TABLE {schema}.explorer_list (
    key    bigint PRIMARY KEY,
    rating bigint[] NOT NULL,
    date   bigint[] NOT NULL
);
COMMENT ON TABLE {schema}.explorer_list IS
    'the 15 games of each complete position of the cube that explorer_games lists first, by its sort orders';

CREATE TABLE {schema}.explorer_pending (
    source_id    integer NOT NULL,
    start_offset bigint NOT NULL,
    transaction  xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX explorer_pending_transaction_idx ON {schema}.explorer_pending (transaction);
CREATE INDEX explorer_pending_piece_idx ON {schema}.explorer_pending (source_id, start_offset);
COMMENT ON TABLE {schema}.explorer_pending IS 'pieces whose games are not in the cube';

CREATE TABLE {schema}.explorer_pending_game (
    game_id bigint NOT NULL
);
COMMENT ON TABLE {schema}.explorer_pending_game IS 'other games that are not in the cube';

CREATE TABLE {schema}.explorer_stale (
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id()
);
COMMENT ON TABLE {schema}.explorer_stale IS 'transactions that have changed or removed games of the cube: with a row here it is not used';

-- These tables have no primary key. REPLICA IDENTITY FULL allows UPDATE and DELETE beside a publication FOR ALL TABLES.
ALTER TABLE {schema}.explorer_build REPLICA IDENTITY FULL;
ALTER TABLE {schema}.explorer_pending REPLICA IDENTITY FULL;
ALTER TABLE {schema}.explorer_pending_game REPLICA IDENTITY FULL;
ALTER TABLE {schema}.explorer_stale REPLICA IDENTITY FULL;

-- They write what their caller may not write, and take nothing from the caller but which games are concerned.
CREATE FUNCTION {schema}.explorer_piece_comes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    INSERT INTO {schema}.explorer_pending (source_id, start_offset) VALUES (NEW.source_id, NEW.start_offset);
    -- A load stores a piece before its games. If games are there already, the cube may count them.
    IF EXISTS (SELECT FROM {schema}.games g WHERE g.source_id = NEW.source_id AND g.source_offset >= NEW.start_offset
                                              AND g.source_offset < NEW.end_offset) THEN
        INSERT INTO {schema}.explorer_stale DEFAULT VALUES;
    END IF;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_piece_comes() IS 'a piece of a source is not in the cube';

CREATE FUNCTION {schema}.explorer_piece_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF TG_OP = 'UPDATE' AND (OLD.source_id, OLD.start_offset, OLD.end_offset)
                            IS NOT DISTINCT FROM (NEW.source_id, NEW.start_offset, NEW.end_offset) THEN
        RETURN NULL;
    END IF;
    -- Its games are not moved to explorer_pending_game: a concurrent refresh would count them, too.
    IF TG_OP = 'TRUNCATE' OR EXISTS (SELECT FROM {schema}.explorer_pending p
                                     WHERE p.source_id = OLD.source_id AND p.start_offset = OLD.start_offset) THEN
        INSERT INTO {schema}.explorer_stale DEFAULT VALUES;
    END IF;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_piece_changes() IS 'the row that said which games are not in the cube no longer says so';

CREATE FUNCTION {schema}.explorer_games_come() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- Games of a piece of the same transaction come and go with its row.
    WITH own AS MATERIALIZED (
        SELECT c.source_id, c.start_offset, c.end_offset FROM {schema}.explorer_pending p
        JOIN {schema}.pieces c USING (source_id, start_offset) WHERE p.transaction = pg_current_xact_id()
    )
    INSERT INTO {schema}.explorer_pending_game
    SELECT g.id FROM new_games g
    WHERE NOT EXISTS (SELECT FROM own o WHERE o.source_id = g.source_id AND g.source_offset >= o.start_offset
                                          AND g.source_offset < o.end_offset);
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games_come() IS 'games of no piece that is being loaded are not in the cube';

-- Usually nothing has changed, and the join is read to its end. The planner expects an early row and would choose a
-- nested loop, whose time grows with the square of the rows.
CREATE FUNCTION {schema}.explorer_games_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_nestloop = off
AS $function$
BEGIN
    IF EXISTS (SELECT FROM old_games o LEFT JOIN new_games n USING (id)
               WHERE n.id IS NULL
                  OR (o.source_id, o.source_offset, o.white_elo, o.black_elo, o.dates, o.result, o.time_control)
                     IS DISTINCT FROM
                     (n.source_id, n.source_offset, n.white_elo, n.black_elo, n.dates, n.result, n.time_control)
                  OR {chess}.chessgame_send(o.game) <> {chess}.chessgame_send(n.game)) THEN
        INSERT INTO {schema}.explorer_stale DEFAULT VALUES;
    END IF;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games_change() IS 'what the cube has counted is no longer so';

CREATE FUNCTION {schema}.explorer_games_go() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        INSERT INTO {schema}.explorer_stale DEFAULT VALUES;
    ELSIF EXISTS (SELECT FROM old_games) THEN
        INSERT INTO {schema}.explorer_stale DEFAULT VALUES;
    END IF;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_games_go() IS 'what the cube has counted is no longer there';

CREATE FUNCTION {schema}.explorer_game_applied() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO {schema}.explorer_pending_game VALUES (NEW.id);
        RETURN NULL;
    ELSIF TG_OP = 'UPDATE'
        AND (OLD.id, OLD.source_id, OLD.source_offset, OLD.white_elo, OLD.black_elo, OLD.dates, OLD.result, OLD.time_control)
            IS NOT DISTINCT FROM
            (NEW.id, NEW.source_id, NEW.source_offset, NEW.white_elo, NEW.black_elo, NEW.dates, NEW.result, NEW.time_control)
        AND {chess}.chessgame_send(OLD.game) = {chess}.chessgame_send(NEW.game) THEN
        RETURN NULL;
    END IF;
    INSERT INTO {schema}.explorer_stale
    SELECT WHERE NOT EXISTS (SELECT FROM {schema}.explorer_stale s WHERE s.transaction = pg_current_xact_id());
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.explorer_game_applied() IS
    'a game that a subscription brings is not in the cube, or what the cube has counted is no longer so';

-- Attached to a table of somebody else, they would compare values of types of theirs with the rights of their owner.
REVOKE EXECUTE ON FUNCTION {schema}.explorer_piece_comes(), {schema}.explorer_piece_changes(), {schema}.explorer_games_come(),
    {schema}.explorer_games_change(), {schema}.explorer_games_go(), {schema}.explorer_game_applied() FROM PUBLIC;

CREATE VIEW {schema}.explorer_pending_games WITH (security_invoker = true) AS
SELECT g.id, g.game, g.white_elo, g.black_elo, g.dates, g.result, g.time_control
FROM (SELECT DISTINCT source_id, start_offset FROM {schema}.explorer_pending) p
JOIN {schema}.pieces c USING (source_id, start_offset)
JOIN {schema}.games g ON g.source_id = c.source_id AND g.source_offset >= c.start_offset AND g.source_offset < c.end_offset
UNION ALL
SELECT g.id, g.game, g.white_elo, g.black_elo, g.dates, g.result, g.time_control
FROM (SELECT DISTINCT game_id FROM {schema}.explorer_pending_game) q JOIN {schema}.games g ON g.id = q.game_id
WHERE NOT EXISTS (SELECT FROM {schema}.explorer_pending p JOIN {schema}.pieces c USING (source_id, start_offset)
                  WHERE g.source_id = c.source_id AND g.source_offset >= c.start_offset AND g.source_offset < c.end_offset);
COMMENT ON VIEW {schema}.explorer_pending_games IS 'the games that are not in the cube';

-- The cube counts all games, so it is not used if policies hide some of them from the current role.
CREATE VIEW {schema}.explorer_known WITH (security_invoker = true) AS
SELECT p.key, p.board, p.complete,
       EXISTS (SELECT FROM {schema}.explorer_pending) OR EXISTS (SELECT FROM {schema}.explorer_pending_game) AS pending
FROM {schema}.explorer_position p
WHERE EXISTS (SELECT FROM {schema}.explorer_build) AND NOT EXISTS (SELECT FROM {schema}.explorer_stale)
  AND NOT EXISTS (
      SELECT FROM unnest(ARRAY['{schema_literal}.games'::regclass, '{schema_literal}.pieces', '{schema_literal}.explorer_build',
          '{schema_literal}.explorer_position', '{schema_literal}.explorer_cell', '{schema_literal}.explorer_total',
          '{schema_literal}.explorer_list', '{schema_literal}.explorer_pending', '{schema_literal}.explorer_pending_game',
          '{schema_literal}.explorer_stale']) t
      WHERE row_security_active(t));
COMMENT ON VIEW {schema}.explorer_known IS
    'the positions of the cube while it is used, and whether there are games that are not in it; none where row security is active';

-- Known and listed at once: each of several servers is then asked once.
CREATE VIEW {schema}.explorer_listed WITH (security_invoker = true) AS
SELECT k.key, k.board, k.pending, l.rating, l.date FROM {schema}.explorer_known k JOIN {schema}.explorer_list l USING (key)
WHERE k.complete;
COMMENT ON VIEW {schema}.explorer_listed IS 'explorer_list for the positions of explorer_known';
