-- In: {schema} and {chess}, as for tables.sql, after it; {schema_literal}, {schema} for use in a string literal.
-- Out: the view over all tables, the functions and triggers for INSERT, UPDATE and DELETE on it, the triggers that keep
-- same_as of players, events and sites direct, and the views of what engines think of the moves. Existing ones are
-- replaced: new columns of a view come last, so that views based on it can stay.

CREATE OR REPLACE VIEW {schema}.pgn_view AS
SELECT g.id, coalesce(e.canonical, e.name) AS event, coalesce(s.canonical, s.name, {schema}.lichess_site(g.lichess_id)) AS site, g.date, g.dates, g.round, w.shown AS white, b.shown AS black, g.result,
       g.white_elo, g.black_elo, g.time_control, g.eco, g.ply_count, g.tags, g.game, g.clocks,
       CASE
           WHEN g.evals IS NOT NULL THEN g.evals
           -- evaluated once per query: without any analysis there is nothing else to look up
           WHEN EXISTS (SELECT FROM {schema}.analyzed_games)
                AND EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id)
               -- The view reads the analyses with the rights of its owner; a function could not without telling everybody of them.
               THEN (SELECT array_agg(a.eval ORDER BY p.ply)
                     FROM {chess}.positions(g.game) p
                     LEFT JOIN LATERAL (
                         SELECT n.evals[1] AS eval
                         FROM {schema}.analysis n
                         WHERE n.key = {chess}.zobrist(p.board)
                           AND n.halfmove_clock =
                               CASE WHEN {chess}.halfmoveclock(p.board) > 60 THEN {chess}.halfmoveclock(p.board) ELSE 0 END
                           AND n.status <> 'failed' AND {chess}.sameposition(n.board, p.board)
                         ORDER BY n.limit_kind = 'tables' DESC, n.nodes DESC NULLS LAST, n.depth DESC NULLS LAST, n.engine_id DESC, n.at DESC LIMIT 1
                     ) a ON true
                     WHERE p.ply > 0
                     HAVING count(a.eval) > 0)
       END AS evals,
       o.name AS source, g.source_id, g.source_offset, g.error, g.annotated, g.shard,
       g.evals AS pgn_evals, w.name AS pgn_white, b.name AS pgn_black, e.name AS pgn_event,
       coalesce(s.name, {schema}.lichess_site(g.lichess_id)) AS pgn_site
FROM {schema}.games g
LEFT JOIN {schema}.sources o ON o.id = g.source_id
LEFT JOIN {schema}.events e ON e.id = g.event_id
LEFT JOIN {schema}.sites s ON s.id = g.site_id
LEFT JOIN {schema}.players w ON w.id = g.white_id
LEFT JOIN {schema}.players b ON b.id = g.black_id;
-- It read the analyses with the rights of its owner, for everybody.
DROP FUNCTION IF EXISTS {schema}.analysis_evals({chess}.chessgame);
COMMENT ON VIEW {schema}.pgn_view IS 'a row for each game, with the names filled in; it takes INSERT, UPDATE and DELETE';
COMMENT ON COLUMN {schema}.pgn_view.evals IS 'the evaluations of the PGN or, where it has none, of the engines';
COMMENT ON COLUMN {schema}.pgn_view.pgn_evals IS 'the evaluations of the PGN alone; they are written through evals';
COMMENT ON COLUMN {schema}.pgn_view.event IS 'the canonical name of the event';
COMMENT ON COLUMN {schema}.pgn_view.site IS 'the canonical name of the site';
COMMENT ON COLUMN {schema}.pgn_view.pgn_event IS 'the name of the event in the PGN';
COMMENT ON COLUMN {schema}.pgn_view.pgn_site IS 'the name of the site in the PGN';
COMMENT ON COLUMN {schema}.pgn_view.white IS 'the canonical name of White';
COMMENT ON COLUMN {schema}.pgn_view.black IS 'the canonical name of Black';
COMMENT ON COLUMN {schema}.pgn_view.pgn_white IS 'the name of White in the PGN';
COMMENT ON COLUMN {schema}.pgn_view.pgn_black IS 'the name of Black in the PGN';

CREATE OR REPLACE FUNCTION {schema}.pgn_dates(date text) RETURNS daterange
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN {chess}.datebounds(date)::daterange;
END
$function$;
COMMENT ON FUNCTION {schema}.pgn_dates(text) IS 'the days that a date of PGN can mean: 1851.06.?? is all of June 1851';

CREATE OR REPLACE FUNCTION {schema}.game_dates(date text, tags jsonb) RETURNS daterange
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce({schema}.pgn_dates(date), {schema}.pgn_dates(tags ->> 'UTCDate'), {schema}.pgn_dates(tags ->> 'EventDate'));
END;
COMMENT ON FUNCTION {schema}.game_dates(text, jsonb) IS
    'the days on which a game can have been played, by its date or, where that is unknown, its tags UTCDate and EventDate';

-- Twice the points of White say which result the column has for those of the tag.
CREATE OR REPLACE FUNCTION {schema}.told_result(result text, tags jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE
        WHEN result = CASE WHEN {chess}.score(t.tag, 'w'::text) + {chess}.score(t.tag, 'b'::text) = 1
                           THEN coalesce((ARRAY['0-1', '1/2-1/2', '1-0'])[(1 + 2 * {chess}.score(t.tag, 'w'::text))::integer], '*') ELSE '*' END
             AND {chess}.score(t.tag, 'w'::text) IS NOT NULL THEN t.tag
        ELSE result END
    FROM (SELECT CASE jsonb_typeof(tags -> 'Result') WHEN 'array' THEN tags -> 'Result' ->> 0 ELSE tags ->> 'Result' END) t (tag);
END;
COMMENT ON FUNCTION {schema}.told_result(text, jsonb) IS
    'the result as the Result tag tells it, such as 0-0 or +:-, if the column agrees with it; else that of the column';

CREATE OR REPLACE FUNCTION {schema}.name_id(of_table text, of_name text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    found_id integer;
BEGIN
    IF of_name IS NULL OR of_name = '?' THEN
        RETURN NULL;
    END IF;
    IF of_table = 'players' THEN
        -- A row without a FIDE id; or any other, if all of this name are one player.
        SELECT CASE WHEN bool_or(p.fide_id IS NULL) OR count(DISTINCT coalesce(p.same_as, p.id)) = 1
                    THEN (array_agg(p.id ORDER BY p.fide_id NULLS FIRST))[1] END
        INTO found_id FROM {schema}.players p WHERE p.name = of_name;
        IF found_id IS NULL THEN
            INSERT INTO {schema}.players (name) VALUES (of_name)
            ON CONFLICT (name, fide_id) DO UPDATE SET name = excluded.name RETURNING id INTO found_id;
        END IF;
        RETURN found_id;
    END IF;
    EXECUTE 'SELECT id FROM {schema_literal}.' || quote_ident(of_table) || ' WHERE name = $1' INTO found_id USING of_name;
    IF found_id IS NULL THEN
        -- of two concurrent sessions the second waits here, and finds the name of the first
        EXECUTE 'INSERT INTO {schema_literal}.' || quote_ident(of_table) || ' (name) VALUES ($1)'
            ' ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id' INTO found_id USING of_name;
    END IF;
    RETURN found_id;
END
$function$;
COMMENT ON FUNCTION {schema}.name_id(text, text) IS 'the number of a name in the table events, sites or players; made if it is new';

CREATE OR REPLACE FUNCTION {schema}.pgn_view_write() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    -- the site is one or the other
    of_lichess bigint;
    place text;
BEGIN
    IF TG_TABLE_SCHEMA <> (parse_ident('{schema_literal}'))[1] THEN
        RAISE EXCEPTION 'schema % has been renamed', TG_TABLE_SCHEMA USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'chess-pgn migrate replaces its functions.';
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM {schema}.games WHERE id = OLD.id;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        RETURN OLD;
    END IF;
    IF NEW.game IS NULL THEN
        RAISE EXCEPTION 'a game is missing' USING ERRCODE = 'not_null_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = 'game';
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.result := coalesce(NEW.result, {chess}.result(NEW.game));
        NEW.dates := coalesce(NEW.dates, {schema}.game_dates(NEW.date, NEW.tags));
        IF NEW.source IS NOT NULL AND NEW.source_id IS NULL THEN
            RAISE EXCEPTION 'a source is named by source_id' USING ERRCODE = 'feature_not_supported';
        END IF;
        NEW.id := coalesce(NEW.id, nextval(pg_get_serial_sequence('{schema_literal}.games', 'id')));
    ELSE
        IF NEW.source IS DISTINCT FROM OLD.source THEN
            RAISE EXCEPTION 'a source is named by source_id' USING ERRCODE = 'feature_not_supported';
        END IF;
        -- dependent columns follow the changed one, unless they are set as well
        IF NEW.result IS NOT DISTINCT FROM OLD.result AND OLD.result = {chess}.result(OLD.game) THEN
            NEW.result := {chess}.result(NEW.game);
        END IF;
        IF NEW.date IS DISTINCT FROM OLD.date AND NEW.dates IS NOT DISTINCT FROM OLD.dates THEN
            NEW.dates := {schema}.game_dates(NEW.date, NEW.tags);
        END IF;
        IF NEW.ply_count IS NOT DISTINCT FROM OLD.ply_count THEN
            NEW.ply_count := NULL;
        END IF;
    END IF;
    IF NEW.ply_count <> {chess}.plycount(NEW.game) THEN
        RAISE EXCEPTION 'ply_count follows from the game: %, not %', {chess}.plycount(NEW.game), NEW.ply_count
            USING ERRCODE = 'generated_always';
    END IF;
    NEW.ply_count := {chess}.plycount(NEW.game);
    IF NEW.pgn_evals IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.pgn_evals END)
       AND NEW.pgn_evals IS DISTINCT FROM NEW.evals THEN
        RAISE EXCEPTION 'pgn_evals is written through evals' USING ERRCODE = 'feature_not_supported';
    END IF;
    -- The name in the PGN is written, also through the canonical one.
    NEW.pgn_white := CASE WHEN NEW.pgn_white IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.pgn_white END) THEN NEW.pgn_white
        WHEN NEW.white IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.white END) THEN NEW.white ELSE NEW.pgn_white END;
    NEW.pgn_black := CASE WHEN NEW.pgn_black IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.pgn_black END) THEN NEW.pgn_black
        WHEN NEW.black IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.black END) THEN NEW.black ELSE NEW.pgn_black END;
    NEW.pgn_event := CASE WHEN NEW.pgn_event IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.pgn_event END) THEN NEW.pgn_event
        WHEN NEW.event IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.event END) THEN NEW.event ELSE NEW.pgn_event END;
    NEW.pgn_site := CASE WHEN NEW.pgn_site IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.pgn_site END) THEN NEW.pgn_site
        WHEN NEW.site IS DISTINCT FROM (CASE TG_OP WHEN 'UPDATE' THEN OLD.site END) THEN NEW.site ELSE NEW.pgn_site END;
    of_lichess := {schema}.lichess_id(NEW.pgn_site);
    place := CASE WHEN of_lichess IS NULL THEN NEW.pgn_site END;
    IF TG_OP = 'INSERT' THEN
        NEW.pgn_evals := NEW.evals;
        INSERT INTO {schema}.games (id, event_id, site_id, lichess_id, date, dates, round, white_id, black_id, result, white_elo,
                                    black_elo, time_control, eco, tags, game, clocks, evals, source_id, source_offset,
                                    error, annotated, shard)
        VALUES (NEW.id, {schema}.name_id('events'::text, NEW.pgn_event), {schema}.name_id('sites'::text, place), of_lichess,
                NEW.date, NEW.dates,
                NEW.round, {schema}.name_id('players'::text, NEW.pgn_white), {schema}.name_id('players'::text, NEW.pgn_black), NEW.result,
                NEW.white_elo, NEW.black_elo, NEW.time_control, NEW.eco, NEW.tags, NEW.game, NEW.clocks, NEW.evals,
                NEW.source_id, NEW.source_offset, NEW.error, NEW.annotated, NEW.shard);
    ELSE
        NEW.pgn_evals := CASE WHEN NEW.evals IS DISTINCT FROM OLD.evals THEN NEW.evals ELSE OLD.pgn_evals END;
        -- Only changed columns are set, because another transaction may have changed others. Evaluations of engines are
        -- not copied into `games`.
        UPDATE {schema}.games g
        SET id = NEW.id,
            event_id = CASE WHEN NEW.pgn_event IS DISTINCT FROM OLD.pgn_event OR NEW.event IS DISTINCT FROM OLD.event
                            THEN {schema}.name_id('events'::text, NEW.pgn_event) ELSE g.event_id END,
            site_id = CASE WHEN NEW.pgn_site IS DISTINCT FROM OLD.pgn_site OR NEW.site IS DISTINCT FROM OLD.site
                           THEN {schema}.name_id('sites'::text, place) ELSE g.site_id END,
            lichess_id = CASE WHEN NEW.pgn_site IS DISTINCT FROM OLD.pgn_site OR NEW.site IS DISTINCT FROM OLD.site
                              THEN of_lichess ELSE g.lichess_id END,
            date = CASE WHEN NEW.date IS DISTINCT FROM OLD.date THEN NEW.date ELSE g.date END,
            dates = CASE WHEN NEW.dates IS DISTINCT FROM OLD.dates THEN NEW.dates ELSE g.dates END,
            round = CASE WHEN NEW.round IS DISTINCT FROM OLD.round THEN NEW.round ELSE g.round END,
            white_id = CASE WHEN NEW.pgn_white IS DISTINCT FROM OLD.pgn_white OR NEW.white IS DISTINCT FROM OLD.white
                            THEN {schema}.name_id('players'::text, NEW.pgn_white) ELSE g.white_id END,
            black_id = CASE WHEN NEW.pgn_black IS DISTINCT FROM OLD.pgn_black OR NEW.black IS DISTINCT FROM OLD.black
                            THEN {schema}.name_id('players'::text, NEW.pgn_black) ELSE g.black_id END,
            result = CASE WHEN NEW.result IS DISTINCT FROM OLD.result THEN NEW.result ELSE g.result END,
            white_elo = CASE WHEN NEW.white_elo IS DISTINCT FROM OLD.white_elo THEN NEW.white_elo ELSE g.white_elo END,
            black_elo = CASE WHEN NEW.black_elo IS DISTINCT FROM OLD.black_elo THEN NEW.black_elo ELSE g.black_elo END,
            time_control = CASE WHEN NEW.time_control IS DISTINCT FROM OLD.time_control THEN NEW.time_control ELSE g.time_control END,
            eco = CASE WHEN NEW.eco IS DISTINCT FROM OLD.eco THEN NEW.eco ELSE g.eco END,
            tags = CASE WHEN NEW.tags IS DISTINCT FROM OLD.tags THEN NEW.tags ELSE g.tags END,
            game = CASE WHEN {chess}.chessgame_send(NEW.game) IS DISTINCT FROM {chess}.chessgame_send(OLD.game) THEN NEW.game ELSE g.game END,
            clocks = CASE WHEN NEW.clocks IS DISTINCT FROM OLD.clocks THEN NEW.clocks ELSE g.clocks END,
            evals = CASE WHEN NEW.evals IS DISTINCT FROM OLD.evals THEN NEW.evals ELSE g.evals END,
            source_id = CASE WHEN NEW.source_id IS DISTINCT FROM OLD.source_id THEN NEW.source_id ELSE g.source_id END,
            source_offset = CASE WHEN NEW.source_offset IS DISTINCT FROM OLD.source_offset THEN NEW.source_offset ELSE g.source_offset END,
            error = CASE WHEN NEW.error IS DISTINCT FROM OLD.error THEN NEW.error ELSE g.error END,
            annotated = CASE WHEN NEW.annotated IS DISTINCT FROM OLD.annotated THEN NEW.annotated ELSE g.annotated END,
            shard = CASE WHEN NEW.shard IS DISTINCT FROM OLD.shard THEN NEW.shard ELSE g.shard END
        WHERE g.id = OLD.id;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN NEW;
END
$function$;
COMMENT ON FUNCTION {schema}.pgn_view_write() IS 'writes through pgn_view: names are found or made';

CREATE OR REPLACE TRIGGER pgn_view_write INSTEAD OF INSERT OR UPDATE OR DELETE ON {schema}.pgn_view
    FOR EACH ROW EXECUTE FUNCTION {schema}.pgn_view_write();

CREATE OR REPLACE FUNCTION {schema}.needs_read_committed(kind text, id integer, done text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    -- An older snapshot does not show the merges of this row that have been committed since.
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
        RAISE EXCEPTION '% % cannot be % in a transaction that is %', kind, id, done, upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'invalid_transaction_state',
            DETAIL = 'Rows that others have merged with it meanwhile would not be seen.', HINT = 'Use READ COMMITTED.';
    END IF;
END
$function$;
COMMENT ON FUNCTION {schema}.needs_read_committed(text, integer, text) IS
    'an ERROR in a transaction whose snapshot may be older than other merges of this row';

CREATE OR REPLACE FUNCTION {schema}.name_is_same() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    names CONSTANT text := format('%I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
    kind CONSTANT text := rtrim(TG_TABLE_NAME, 's');
    has_others boolean;
BEGIN
    NEW.canonical := NULL;
    IF NEW.same_as IS NULL THEN
        RETURN NEW;
    END IF;
    -- Locked, so that no other session can point the canonical row elsewhere meanwhile.
    EXECUTE 'SELECT n.name FROM ' || names || ' n WHERE n.id = $1 AND n.id <> $2 AND n.same_as IS NULL FOR SHARE'
    INTO NEW.canonical USING NEW.same_as, NEW.id;
    IF NEW.canonical IS NULL THEN
        RAISE EXCEPTION '% % cannot be the same as %', kind, NEW.id, NEW.same_as USING ERRCODE = 'check_violation',
            HINT = 'same_as is the id of a canonical row, which has none itself.';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.same_as IS NULL THEN
        PERFORM {schema}.needs_read_committed(kind, NEW.id, 'merged'::text);
    END IF;
    EXECUTE 'SELECT EXISTS (SELECT FROM ' || names || ' n WHERE n.same_as = $1)' INTO has_others USING NEW.id;
    IF has_others THEN
        RAISE EXCEPTION '% % is the canonical row of others', kind, NEW.id USING ERRCODE = 'check_violation',
            HINT = 'First let these be the same as another row.';
    END IF;
    RETURN NEW;
END
$function$;
COMMENT ON FUNCTION {schema}.name_is_same() IS 'same_as points directly to a canonical row; canonical follows it';

CREATE OR REPLACE FUNCTION {schema}.name_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    PERFORM {schema}.needs_read_committed(rtrim(TG_TABLE_NAME, 's'), NEW.id, 'renamed'::text);
    EXECUTE format('UPDATE %I.%I SET canonical = $1 WHERE same_as = $2', TG_TABLE_SCHEMA, TG_TABLE_NAME)
    USING NEW.name, NEW.id;
    RETURN NULL;
END
$function$;
COMMENT ON FUNCTION {schema}.name_changed() IS 'canonical follows the name of the canonical row';

CREATE OR REPLACE TRIGGER name_is_same BEFORE INSERT OR UPDATE OF same_as, canonical ON {schema}.players
    FOR EACH ROW WHEN (NEW.same_as IS NOT NULL OR NEW.canonical IS NOT NULL) EXECUTE FUNCTION {schema}.name_is_same();
CREATE OR REPLACE TRIGGER name_changed AFTER UPDATE OF name ON {schema}.players
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION {schema}.name_changed();

CREATE OR REPLACE TRIGGER name_is_same BEFORE INSERT OR UPDATE OF same_as, canonical ON {schema}.events
    FOR EACH ROW WHEN (NEW.same_as IS NOT NULL OR NEW.canonical IS NOT NULL) EXECUTE FUNCTION {schema}.name_is_same();
CREATE OR REPLACE TRIGGER name_changed AFTER UPDATE OF name ON {schema}.events
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION {schema}.name_changed();

CREATE OR REPLACE TRIGGER name_is_same BEFORE INSERT OR UPDATE OF same_as, canonical ON {schema}.sites
    FOR EACH ROW WHEN (NEW.same_as IS NOT NULL OR NEW.canonical IS NOT NULL) EXECUTE FUNCTION {schema}.name_is_same();
CREATE OR REPLACE TRIGGER name_changed AFTER UPDATE OF name ON {schema}.sites
    FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION {schema}.name_changed();

CREATE OR REPLACE FUNCTION {schema}.win_percent(eval integer) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- The logistic function by tanh: by exp it would overflow far from 0.
RETURN 50 + 50 * tanh(0.00184104::double precision * eval);
COMMENT ON FUNCTION {schema}.win_percent(integer) IS
    'White''s winning chances in percent after an evaluation: 50 + 50 (2 / (1 + exp(-0.00368208 centipawns)) - 1), lichess.org/page/accuracy';

CREATE OR REPLACE FUNCTION {schema}.move_accuracy(loss double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- greatest and least ignore NULL, and would return a number for it
RETURN CASE WHEN loss IS NOT NULL THEN
    greatest(0, 103.1668::double precision * exp((-0.04354)::double precision * least(100, greatest(0, loss))) - 3.1669) END;
COMMENT ON FUNCTION {schema}.move_accuracy(double precision) IS
    'the accuracy in percent of a move that loses so much of the winning chances: 103.1668 exp(-0.04354 loss) - 3.1669 within 0 and 100, lichess.org/page/accuracy';

CREATE OR REPLACE VIEW {schema}.evaluations AS
SELECT g.id AS game_id, p.ply, p.board, CASE WHEN a.limit_kind = 'tables' THEN a.evals[1] ELSE coalesce(g.evals[p.ply], a.evals[1]) END AS eval, a.best, a.pvs, a.evals, a.depth, a.nodes,
       a.engine_id
FROM {schema}.games g
CROSS JOIN LATERAL {chess}.positions(g.game) p
LEFT JOIN LATERAL (
    SELECT s.*
    FROM {schema}.analysis s
    WHERE s.key = {chess}.zobrist(p.board)
      AND s.halfmove_clock = CASE WHEN {chess}.halfmoveclock(p.board) > 60 THEN {chess}.halfmoveclock(p.board) ELSE 0 END
      AND s.status <> 'failed' AND {chess}.sameposition(s.board, p.board)
    -- tables are exact; then the deepest search: by nodes, then by depth
    ORDER BY s.limit_kind = 'tables' DESC, s.nodes DESC NULLS LAST, s.depth DESC NULLS LAST, s.engine_id DESC, s.at DESC LIMIT 1
) a ON true
WHERE g.evals IS NOT NULL OR EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id);
COMMENT ON VIEW {schema}.evaluations IS
    'a row for each half-move of the games with evaluations, from 0, the start: the board after it, and its evaluation by endgame tables, else by the PGN, else by the engine that has searched most';

CREATE OR REPLACE VIEW {schema}.losses AS
SELECT g.id AS game_id, e.ply, {chess}.turn(e.board) AS color,
       coalesce(p.same_as, CASE {chess}.turn(e.board) WHEN 'w' THEN g.white_id ELSE g.black_id END) AS player_id,
       e.board, {chess}.moveat(g.game, e.ply) AS san, {chess}.san(e.board, e.best) AS best, e.eval_before, e.eval,
       e.win_before, e.win, e.loss, {schema}.move_accuracy(e.loss) AS accuracy, p.shown AS player
FROM {schema}.games g
CROSS JOIN LATERAL (
    SELECT ply, board, best, eval_before, eval, win_before, win, greatest(0, win_before - win) AS loss
    FROM (
        SELECT v.ply, v.eval, lag(v.eval) OVER w AS eval_before, lag(v.board) OVER w AS board, lag(v.best) OVER w AS best,
               CASE {chess}.turn(v.board) WHEN 'b' THEN {schema}.win_percent(v.eval)
                   ELSE 100 - {schema}.win_percent(v.eval) END AS win,
               CASE {chess}.turn(v.board) WHEN 'b' THEN {schema}.win_percent(lag(v.eval) OVER w)
                   ELSE 100 - {schema}.win_percent(lag(v.eval) OVER w) END AS win_before
        FROM {schema}.evaluations v WHERE v.game_id = g.id
        WINDOW w AS (ORDER BY v.ply)
    ) both_sides
    WHERE ply > 0 AND eval IS NOT NULL AND eval_before IS NOT NULL
) e
LEFT JOIN {schema}.players p ON p.id = CASE {chess}.turn(e.board) WHEN 'w' THEN g.white_id ELSE g.black_id END
WHERE g.evals IS NOT NULL OR EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id);
COMMENT ON VIEW {schema}.losses IS
    'a row for each half-move with an evaluation before and after it: the board it was played on, the move, the best move, and how much of the winning chances in percent it lost for the one who played it';

CREATE OR REPLACE VIEW {schema}.mistakes AS
SELECT l.*, CASE WHEN l.loss >= 15 THEN 'blunder' WHEN l.loss >= 10 THEN 'mistake' ELSE 'inaccuracy' END AS judgement
FROM {schema}.losses l WHERE l.loss >= 5 AND l.san IS DISTINCT FROM l.best;
COMMENT ON VIEW {schema}.mistakes IS
    'the rows of losses that lost 5 % (inaccuracy), 10 % (mistake) or 15 % (blunder): the steps of lichess, which counts chances from -1 to 1 and takes 0.1, 0.2 and 0.3. The best move is none';

CREATE OR REPLACE VIEW {schema}.accuracies AS
SELECT g.id AS game_id, s.color, coalesce(p.same_as, CASE s.color WHEN 'w' THEN g.white_id ELSE g.black_id END) AS player_id,
       s.moves, s.accuracy,
       s.loss, s.inaccuracies, s.mistakes, s.blunders, p.shown AS player
FROM {schema}.games g
CROSS JOIN LATERAL (
    SELECT l.color, count(*)::integer AS moves, avg(l.accuracy) AS accuracy, avg(l.loss) AS loss,
           count(*) FILTER (WHERE l.loss >= 5 AND l.loss < 10 AND l.san IS DISTINCT FROM l.best)::integer AS inaccuracies,
           count(*) FILTER (WHERE l.loss >= 10 AND l.loss < 15 AND l.san IS DISTINCT FROM l.best)::integer AS mistakes,
           count(*) FILTER (WHERE l.loss >= 15 AND l.san IS DISTINCT FROM l.best)::integer AS blunders
    FROM {schema}.losses l WHERE l.game_id = g.id GROUP BY l.color
) s
LEFT JOIN {schema}.players p ON p.id = CASE s.color WHEN 'w' THEN g.white_id ELSE g.black_id END
WHERE g.evals IS NOT NULL OR EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id);
COMMENT ON VIEW {schema}.accuracies IS
    'a row for each side of a game: the mean accuracy of its moves in percent, the mean loss, and how many mistakes of each kind';

CREATE OR REPLACE FUNCTION {schema}.ending_result(tb_wdl integer) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE tb_wdl WHEN 2 THEN 'won' WHEN 1 THEN 'cursed win' WHEN 0 THEN 'drawn' WHEN -1 THEN 'blessed loss' WHEN -2 THEN 'lost' END;
COMMENT ON FUNCTION {schema}.ending_result(integer) IS
    'a value of endgame tables in words; the fifty-move rule draws a cursed win and a blessed loss';

-- Tables know boards of up to seven men; the boards of a game with more are not looked up.
CREATE OR REPLACE VIEW {schema}.ending_mistakes AS
SELECT g.id AS game_id, e.ply, {chess}.turn(e.board) AS color,
       coalesce(p.same_as, CASE {chess}.turn(e.board) WHEN 'w' THEN g.white_id ELSE g.black_id END) AS player_id,
       e.board, {chess}.moveat(g.game, e.ply) AS san, {chess}.san(e.board, e.best) AS best,
       e.tb_wdl_before, e.tb_wdl, {schema}.ending_result(e.tb_wdl_before::integer) AS result_before,
       {schema}.ending_result(e.tb_wdl::integer) AS result, p.shown AS player
FROM {schema}.games g
CROSS JOIN LATERAL (
    SELECT *
    FROM (
        SELECT b.ply, lag(b.ply) OVER w AS ply_before, lag(b.board) OVER w AS board, lag(a.best) OVER w AS best,
               lag(a.tb_wdl) OVER w AS tb_wdl_before, (-a.tb_wdl)::smallint AS tb_wdl
        FROM {chess}.positions(g.game) b
        JOIN {schema}.analysis a
          ON a.key = {chess}.zobrist(b.board) AND a.limit_kind = 'tables' AND {chess}.sameposition(a.board, b.board)
         AND a.halfmove_clock =
             CASE WHEN {chess}.halfmoveclock(b.board) > 60 THEN {chess}.halfmoveclock(b.board) ELSE 0 END
        WHERE {chess}.squarecount({chess}.occupied(b.board)) <= 7
        WINDOW w AS (ORDER BY b.ply)
    ) both_sides
    WHERE ply_before = ply - 1 AND tb_wdl < tb_wdl_before
) e
LEFT JOIN {schema}.players p ON p.id = CASE {chess}.turn(e.board) WHEN 'w' THEN g.white_id ELSE g.black_id END
WHERE EXISTS (SELECT FROM {schema}.analyzed_games d WHERE d.game_id = g.id);
COMMENT ON VIEW {schema}.ending_mistakes IS
    'a row for each half-move after which endgame tables promise its player less than before: the board it was played on, the move, the best one, and what was promised';
