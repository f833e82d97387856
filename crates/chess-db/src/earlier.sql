-- In: {schema}, as for tables.sql, after views.sql. Out: what changed games were before, and the functions that keep this and bring
-- it back. Runs once, in a new schema or in an upgrade.

CREATE TABLE {schema}.earlier_games (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id    bigint NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by text NOT NULL DEFAULT session_user,
    game       jsonb NOT NULL
);
CREATE INDEX earlier_games_game_id_idx ON {schema}.earlier_games (game_id, id);
COMMENT ON TABLE {schema}.earlier_games IS 'what games were before somebody changed them with keep_game; restore_game brings the last state back';
COMMENT ON COLUMN {schema}.earlier_games.changed_at IS 'when the change began';
COMMENT ON COLUMN {schema}.earlier_games.changed_by IS 'the role that has changed it';
COMMENT ON COLUMN {schema}.earlier_games.game IS 'its row of games until then';

-- As text, ranges of dates depend on DateStyle.
CREATE FUNCTION {schema}.keep_game(of_game bigint, expected text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
AS $function$
DECLARE
    state jsonb;
    version text;
    kept bigint;
BEGIN
    SELECT to_jsonb(g), g.xmin INTO state, version FROM {schema}.games g WHERE g.id = of_game FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no game %', of_game USING ERRCODE = 'no_data_found';
    END IF;
    IF expected <> version THEN
        RAISE EXCEPTION 'game % has been changed meanwhile', of_game USING ERRCODE = 'serialization_failure',
            HINT = 'Read it again, and decide anew.';
    END IF;
    INSERT INTO {schema}.earlier_games (game_id, game) VALUES (of_game, state) RETURNING id INTO kept;
    RETURN kept;
END
$function$;
COMMENT ON FUNCTION {schema}.keep_game(bigint, text) IS
    'keeps what a game is, so that restore_game can bring it back after a change in the same transaction; locks the game. expected, if not NULL, must be its xmin';

CREATE FUNCTION {schema}.restore_game(of_game bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO'
AS $function$
DECLARE
    state jsonb;
BEGIN
    PERFORM FROM {schema}.games g WHERE g.id = of_game FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no game %', of_game USING ERRCODE = 'no_data_found';
    END IF;
    DELETE FROM {schema}.earlier_games e WHERE e.id = (SELECT max(o.id) FROM {schema}.earlier_games o WHERE o.game_id = of_game)
    RETURNING e.game INTO state;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE {schema}.games g
    SET (event_id, site_id, white_id, black_id, white_elo, black_elo, dates, date, round, result, time_control, eco, tags, game,
         clocks, evals, error, annotated)
      = (SELECT r.event_id, r.site_id, r.white_id, r.black_id, r.white_elo, r.black_elo, r.dates, r.date, r.round, r.result, r.time_control,
                r.eco, r.tags, r.game, r.clocks, r.evals, r.error, r.annotated
         FROM jsonb_populate_record(NULL::{schema}.games, state) r)
    WHERE g.id = of_game;
    RETURN true;
END
$function$;
COMMENT ON FUNCTION {schema}.restore_game(bigint) IS
    'makes a game what it was before its last change that keep_game knows; false if it knows none';
