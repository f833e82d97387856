-- In: {schema}, as for tables.sql; the table of earlier-tables.sql. Out: the functions that keep what changed games were before, and
-- bring it back. Existing ones are replaced.

CREATE OR REPLACE FUNCTION {schema}.lock_game(of_game bigint, expected text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1
AS $function$
DECLARE
    state jsonb;
    version text;
BEGIN
    -- The settings of this function determine how the state spells ranges of dates, and intervals and floats in columns of users.
    SELECT to_jsonb(g), g.xmin INTO state, version FROM {schema}.games g WHERE g.id = of_game FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no game %', of_game USING ERRCODE = 'no_data_found';
    END IF;
    IF expected <> version THEN
        RAISE EXCEPTION 'game % has been changed meanwhile', of_game USING ERRCODE = 'serialization_failure',
            HINT = 'Read it again, and decide anew.';
    END IF;
    RETURN state;
END
$function$;
COMMENT ON FUNCTION {schema}.lock_game(bigint, text) IS
    'locks a game, and returns its row of games. expected, if not NULL, must be its xmin';

-- Columns that somebody has added belong to what a game is, too; a state from before has no value of them, and changes none.
CREATE OR REPLACE FUNCTION {schema}.set_game(of_game bigint, state jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1
AS $function$
DECLARE
    games regclass := '{schema_literal}.games';
    columns text;
BEGIN
    SELECT string_agg(quote_ident(a.attname), ', ') INTO columns FROM pg_attribute a
    WHERE a.attrelid = games AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
      AND a.attname NOT IN ('id', 'source_id', 'source_offset', 'shard');
    EXECUTE format('UPDATE %1$s g SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(g, $2)) WHERE g.id = $1', games, columns)
    USING of_game, state;
END
$function$;
COMMENT ON FUNCTION {schema}.set_game(bigint, jsonb) IS
    'makes a game what a row of games says, except for its id, its place in a source and its shard';

CREATE OR REPLACE FUNCTION {schema}.keep_game(of_game bigint, expected text DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    kept bigint;
BEGIN
    INSERT INTO {schema}.earlier_games (game_id, game) VALUES (of_game, {schema}.lock_game(of_game, expected)) RETURNING id INTO kept;
    RETURN kept;
END
$function$;
COMMENT ON FUNCTION {schema}.keep_game(bigint, text) IS
    'keeps what a game is, so that restore_game can bring it back after a change in the same transaction; locks the game. expected, if not NULL, must be its xmin';

CREATE OR REPLACE FUNCTION {schema}.restore_game(of_game bigint, expected text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    now CONSTANT jsonb := {schema}.lock_game(of_game, expected);
    state jsonb;
BEGIN
    DELETE FROM {schema}.earlier_games e WHERE e.id = (SELECT max(o.id) FROM {schema}.earlier_games o WHERE o.game_id = of_game)
    RETURNING e.game INTO state;
    IF NOT FOUND THEN
        RETURN false;
    ELSIF now ->> 'source_offset' IS NULL AND state ->> 'source_offset' IS NOT NULL THEN
        -- change_again finds such a game by the state that is kept.
        RAISE EXCEPTION 'the file of game % is being loaded', of_game USING ERRCODE = 'serialization_failure',
            HINT = 'Try again when it is loaded to its end.';
    END IF;
    PERFORM {schema}.set_game(of_game, state);
    RETURN true;
END
$function$;
COMMENT ON FUNCTION {schema}.restore_game(bigint, text) IS
    'makes a game what it was before its last change that keep_game knows; false if it knows none. expected, if not NULL, must be its xmin';

-- Of a file that grows, the load takes back the last game and reads it anew. One that was changed only loses its offset meanwhile.
CREATE OR REPLACE FUNCTION {schema}.change_again(of_source integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1
AS $function$
DECLARE
    changed record;
    anew record;
BEGIN
    FOR changed IN
        SELECT g.id, to_jsonb(g) AS state, f.game AS first, (f.game ->> 'source_offset')::bigint AS source_offset
        FROM {schema}.games g
        CROSS JOIN LATERAL (SELECT e.game FROM {schema}.earlier_games e WHERE e.game_id = g.id ORDER BY e.id LIMIT 1) f
        WHERE g.source_id = of_source AND g.source_offset IS NULL
    LOOP
        SELECT g.id, to_jsonb(g) || jsonb_build_object('id', changed.id) AS state INTO anew FROM {schema}.games g
        WHERE g.source_id = of_source AND g.source_offset = changed.source_offset;
        IF FOUND THEN
            UPDATE {schema}.rejected r SET game_id = changed.id WHERE r.game_id = anew.id;
            DELETE FROM {schema}.games g WHERE g.id = anew.id;
            UPDATE {schema}.earlier_games e SET game = {schema}.game_with_changes(anew.state, changed.first, e.game)
            WHERE e.game_id = changed.id;
            PERFORM {schema}.set_game(changed.id, {schema}.game_with_changes(anew.state, changed.first, changed.state));
        END IF;
        UPDATE {schema}.games g SET source_offset = changed.source_offset WHERE g.id = changed.id;
    END LOOP;
END
$function$;
COMMENT ON FUNCTION {schema}.change_again(integer) IS
    'makes the changes that keep_game knows in games that a source has anew';
