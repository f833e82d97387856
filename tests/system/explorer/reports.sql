-- In: the functions of replay.sql, and games whose tags replay.dress has set and which replay.fill has replayed.
-- Out: the functions replay.player and replay.opening, which compute the sections of a report by plain SQL from that replay,
-- and replay.differ, which raises an error if a report differs.

-- Gives some games evaluations, clocks or both, and some a title or a tag Termination.
CREATE FUNCTION replay.measure() RETURNS void LANGUAGE sql AS $$
    UPDATE chess.games g SET
        evals = CASE WHEN g.id % 3 = 0 THEN ARRAY(SELECT nullif((hashint8(g.id * 1000 + p) % 900), 7) FROM generate_series(1, g.ply_count - g.id % 2) p) END,
        clocks = CASE WHEN g.id % 4 = 0 THEN ARRAY(SELECT abs(hashint8(g.id * 1000 + p)) % 20000 FROM generate_series(1, g.ply_count) p) END,
        tags = CASE WHEN g.id % 5 = 0 THEN '{"WhiteTitle": "GM", "BlackTitle": "-", "Termination": "Time forfeit"}'
                    WHEN g.id % 5 = 1 THEN '{"WhiteTitle": "IM", "Termination": "Abandoned"}' END::jsonb;
$$;

-- A row of a report, as text; rounded, because sums of numbers with a point depend on the order.
CREATE FUNCTION replay.line(section text, item text, games bigint, white bigint, draws bigint, black bigint, score numeric, expected numeric, more text DEFAULT '')
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT concat_ws('|', section, item, games, white, draws, black, round(score, 6), round(expected, 6), more)
$$;

-- Sums of rows that have a result, points, and a promise.
CREATE FUNCTION replay.sums(part text, rows text, more text DEFAULT '''''') RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format(
        'SELECT replay.line(%1$L, item, count(*), count(*) FILTER (WHERE result = ''1-0''), count(*) FILTER (WHERE result = ''1/2-1/2''),
                count(*) FILTER (WHERE result = ''0-1''), avg(points), avg(promise), (%3$s)::text)
         FROM (%2$s) rows (item, result, points, promise) GROUP BY item', part, rows, more)
$$;

CREATE FUNCTION replay.promise(own integer, opp integer, result text) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT 1 / (1 + power(10::numeric, (opp - own) / 400.0)) WHERE own > 0 AND opp > 0 AND result <> '*'
$$;

CREATE FUNCTION replay.year(dates daterange) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce((SELECT extract(year FROM lower(dates))::text WHERE extract(year FROM lower(dates)) = extract(year FROM upper(dates) - 1)), 'unknown')
$$;

CREATE FUNCTION replay.speed(control text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE control WHEN '300+3' THEN 'blitz' WHEN '180' THEN 'blitz' WHEN '60+0' THEN 'bullet' WHEN '-' THEN 'correspondence'
                        WHEN '40/7200:3600' THEN 'classical' ELSE 'unknown' END
$$;

CREATE FUNCTION replay.ending(game chessgame, result text, tags jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN result = '*' THEN 'unknown'
                WHEN result <> '1/2-1/2' AND status(game) ~ 'wins' THEN 'mate'
                WHEN result <> '1/2-1/2' AND tags ->> 'Termination' = 'Time forfeit' THEN 'time'
                WHEN result <> '1/2-1/2' AND tags ->> 'Termination' = 'Abandoned' THEN 'abandoned'
                WHEN result <> '1/2-1/2' THEN 'resignation'
                WHEN status(game) = 'stalemate' THEN 'stalemate' WHEN status(game) = 'insufficient material' THEN 'material'
                WHEN status(game) ~ 'fold repetition' THEN 'repetition' WHEN status(game) ~ 'move rule' THEN 'fifty moves'
                WHEN tags ->> 'Termination' = 'Time forfeit' THEN 'time' ELSE 'agreement' END
$$;

-- The points of a side's pieces in a position: all, or without pawns.
CREATE FUNCTION replay.points(epd text, color text, pawns boolean) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT sum((length(b) - length(replace(b, CASE color WHEN 'w' THEN upper(p) ELSE p END, ''))) * n)::integer
    FROM (SELECT split_part(epd, ' ', 1)) x (b), (VALUES ('q', 9), ('r', 5), ('b', 3), ('n', 3), ('p', 1)) v (p, n)
    WHERE pawns OR p <> 'p'
$$;

-- The games with the half-move at which an endgame begins, and who was ahead in it at four half-moves in a row.
CREATE FUNCTION replay.endings() RETURNS void LANGUAGE sql AS $$
    CREATE INDEX ON replay.moves (id, ply);
    DROP TABLE IF EXISTS replay.endings;
    CREATE TABLE replay.endings AS
    WITH position AS MATERIALIZED (
        SELECT id, ply, few, CASE WHEN few THEN replay.points(epd, 'w', true) - replay.points(epd, 'b', true) ELSE 0 END AS lead
        FROM (SELECT id, ply, epd, replay.points(epd, 'w', false) <= 10 AND replay.points(epd, 'b', false) <= 10 AS few
              FROM replay.moves OFFSET 0) m
    ), lead AS MATERIALIZED (
        SELECT id, sign(lead) AS side
        FROM (SELECT id, lead, ply - row_number() OVER (PARTITION BY id, lead >= 2, lead <= -2 ORDER BY ply) AS run FROM position) r
        WHERE abs(lead) >= 2 GROUP BY id, sign(lead), run HAVING count(*) >= 4
    )
    SELECT p.id, p.first, coalesce(l.white, false) AS white, coalesce(l.black, false) AS black
    FROM (SELECT id, min(ply) FILTER (WHERE few) AS first FROM position GROUP BY id) p
    LEFT JOIN (SELECT id, bool_or(side > 0) AS white, bool_or(side < 0) AS black FROM lead GROUP BY id) l USING (id);
    CREATE INDEX ON replay.endings (id);
$$;

-- What a report on a player is to say, without `detail`, and with lists as long as they get.
CREATE FUNCTION replay.player(name text, condition text, at_least integer) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    part record;
BEGIN
    DROP TABLE IF EXISTS pg_temp.seat;
    EXECUTE format(
        'CREATE TEMP TABLE seat AS
         SELECT g.*, s.color, s.own, s.opp, o.shown AS opponent, score(g.result, s.color) AS points,
                replay.promise(s.own, s.opp, g.result) AS promise
         FROM chess.games g LEFT JOIN chess.players w ON w.id = g.white_id LEFT JOIN chess.players b ON b.id = g.black_id
         LEFT JOIN chess.events e ON e.id = g.event_id
         CROSS JOIN LATERAL (VALUES (''w'', g.white_elo, g.black_elo, w.shown, g.black_id), (''b'', g.black_elo, g.white_elo, b.shown, g.white_id))
             s (color, own, opp, shown, opponent)
         LEFT JOIN chess.players o ON o.id = s.opponent
         WHERE s.shown = %L AND (%s)', name, condition);
    FOR part IN SELECT * FROM (VALUES
        ('summary', 'SELECT ''all'', result, points, promise FROM seat'),
        ('color', 'SELECT color, result, points, promise FROM seat'),
        ('year', 'SELECT replay.year(dates), result, points, promise FROM seat'),
        ('speed', 'SELECT replay.speed(time_control), result, points, promise FROM seat'),
        ('opponent_rating', 'SELECT CASE WHEN opp > 0 THEN CASE WHEN opp < 1000 THEN ''(,1000)'' WHEN opp >= 2800 THEN ''[2800,)''
                                 ELSE format(''[%s,%s)'', opp / 100 * 100, opp / 100 * 100 + 100) END ELSE ''unknown'' END, result, points, promise FROM seat'),
        ('rating_difference', 'SELECT CASE WHEN own > 0 AND opp > 0 THEN CASE WHEN own - opp < -400 THEN ''(,-400)'' WHEN own - opp >= 400 THEN ''[400,)''
                                 ELSE format(''[%s,%s)'', floor((own - opp) / 100.0) * 100, floor((own - opp) / 100.0) * 100 + 100) END ELSE ''unknown'' END,
                                 result, points, promise FROM seat'),
        ('opponent', 'SELECT coalesce(opponent, ''?''), result, points, promise FROM seat'),
        ('white_opening', 'SELECT coalesce(split_part((opening(game)).name, '':'', 1), ''?''), result, points, promise FROM seat WHERE color = ''w'''),
        ('black_opening', 'SELECT coalesce(split_part((opening(game)).name, '':'', 1), ''?''), result, points, promise FROM seat WHERE color = ''b'''),
        ('length', 'SELECT CASE points WHEN 1 THEN ''won'' WHEN 0 THEN ''lost'' WHEN 0.5 THEN ''drawn'' ELSE ''unknown'' END, result, points, promise FROM seat'),
        ('ending', 'SELECT replay.ending(game, result, tags), result, points, promise FROM seat'),
        ('endgame', 'SELECT ''reached'', result, points, promise FROM seat JOIN replay.endings e USING (id) WHERE e.first IS NOT NULL
                     UNION ALL SELECT ''ahead'', result, points, promise FROM seat JOIN replay.endings e USING (id) WHERE CASE color WHEN ''w'' THEN e.white ELSE e.black END
                     UNION ALL SELECT ''behind'', result, points, promise FROM seat JOIN replay.endings e USING (id) WHERE CASE color WHEN ''w'' THEN e.black ELSE e.white END')
    ) v (section, rows) LOOP
        RETURN QUERY EXECUTE replay.sums(part.section, part.rows);
    END LOOP;
    -- every beginning of a game
    RETURN QUERY EXECUTE format(
        'SELECT replay.line(CASE color WHEN ''w'' THEN ''white_line'' ELSE ''black_line'' END, line, count(*), count(*) FILTER (WHERE result = ''1-0''),
                count(*) FILTER (WHERE result = ''1/2-1/2''), count(*) FILTER (WHERE result = ''0-1''), avg(points), avg(promise))
         FROM (SELECT s.id, s.color, s.result, s.points, s.promise, k.ply,
                      (SELECT string_agg(m.san, '' '' ORDER BY m.ply) FROM replay.moves m WHERE m.id = s.id AND m.ply < k.ply) AS line
               FROM seat s JOIN replay.moves f ON f.id = s.id AND f.ply = 0 AND f.epd = epd(startboard()), generate_series(1, 6) k (ply)
               WHERE s.ply_count >= k.ply) l
         GROUP BY color, line HAVING count(*) >= %s', at_least);
    -- own half-moves
    RETURN QUERY
    WITH move AS (
        SELECT s.id, s.color, s.result, s.points, s.promise, m.ply + 1 AS ply, s.clocks[m.ply + 1] AS clock, e.first,
               CASE WHEN s.evals[m.ply] IS NOT NULL AND s.evals[m.ply + 1] IS NOT NULL
                    THEN greatest(0, CASE s.color WHEN 'w' THEN 1 ELSE -1 END * (chess.win_percent(s.evals[m.ply]) - chess.win_percent(s.evals[m.ply + 1]))) END AS loss
        FROM seat s JOIN replay.moves m USING (id) JOIN replay.endings e USING (id)
        WHERE split_part(m.epd, ' ', 2) = s.color AND m.san IS NOT NULL
    ), part AS (
        SELECT 'phase' AS section, CASE WHEN ply <= 20 THEN 'opening' WHEN ply > first THEN 'endgame' ELSE 'middlegame' END AS item, *
        FROM move WHERE loss IS NOT NULL
        UNION ALL
        SELECT 'clock', CASE WHEN clock < 100 THEN '[0,10)' WHEN clock < 300 THEN '[10,30)' WHEN clock < 600 THEN '[30,60)'
                             WHEN clock < 3000 THEN '[60,300)' WHEN clock < 12000 THEN '[300,1200)' ELSE '[1200,)' END, * FROM move WHERE clock IS NOT NULL
    ), game AS (
        SELECT section, item, id, color, result, points, promise, count(*) AS moves, sum(loss) AS loss, count(loss) AS judged,
               count(*) FILTER (WHERE loss >= 15) AS blunders
        FROM part GROUP BY 1, 2, 3, 4, 5, 6, 7
    )
    SELECT replay.line(section, item, count(*), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'),
                       count(*) FILTER (WHERE result = '0-1'), avg(points), avg(promise),
                       concat_ws('/', sum(moves), round((sum(loss) / nullif(sum(judged), 0))::numeric, 4), sum(blunders)))
    FROM game GROUP BY section, item;
END
$$;

CREATE FUNCTION replay.opening(asked chessboard, condition text, at_least integer) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    part record;
BEGIN
    DROP TABLE IF EXISTS pg_temp.seat, pg_temp.every;
    EXECUTE format(
        'CREATE TEMP TABLE every AS SELECT g.*, w.shown AS white, b.shown AS black FROM chess.games g
         LEFT JOIN chess.players w ON w.id = g.white_id LEFT JOIN chess.players b ON b.id = g.black_id
         LEFT JOIN chess.events e ON e.id = g.event_id WHERE %s', condition);
    CREATE TEMP TABLE seat AS
    SELECT g.*, f.ply, score(g.result, 'w') AS points, replay.promise(g.white_elo, g.black_elo, g.result) AS promise
    FROM every g JOIN (SELECT id, min(ply) AS ply FROM replay.moves WHERE epd = epd(asked) GROUP BY id) f USING (id);
    FOR part IN SELECT * FROM (VALUES
        ('summary', 'SELECT ''all'', result, points, promise FROM seat', '(SELECT count(*) FROM every)'),
        ('rating', 'SELECT coalesce((SELECT int4range(nullif(low, 0), nullif(high, 0))::text FROM (VALUES (0, 1000), (1000, 1200), (1200, 1400), (1400, 1600),
                       (1600, 1800), (1800, 2000), (2000, 2200), (2200, 2300), (2300, 2400), (2400, 2500), (2500, 2600), (2600, 2700), (2700, 0)) v (low, high)
                       WHERE white_elo > 0 AND black_elo > 0 AND (white_elo + black_elo) / 2 >= low AND ((white_elo + black_elo) / 2 < high OR high = 0)), ''unknown''),
                       result, points, promise FROM seat', ''''''),
        ('speed', 'SELECT replay.speed(time_control), result, points, promise FROM seat', ''''''),
        ('white_player', 'SELECT coalesce(white, ''?''), result, points, promise FROM seat', ''''''),
        ('black_player', 'SELECT coalesce(black, ''?''), result, 1 - points, 1 - promise FROM seat', ''''''),
        ('move_order', 'SELECT (SELECT coalesce(string_agg(m.san, '' '' ORDER BY m.ply), '''') FROM replay.moves m WHERE m.id = seat.id AND m.ply < seat.ply),
                            result, points, promise FROM seat', ''''''),
        ('move', 'SELECT m.san, seat.result, points, promise FROM seat JOIN replay.moves m ON m.id = seat.id AND m.ply = seat.ply AND m.san IS NOT NULL', ''''''),
        ('ending', 'SELECT replay.ending(game, result, tags), result, points, promise FROM seat', ''''''),
        ('material', 'SELECT coalesce(nullif(concat_ws('', '', CASE WHEN b ~* ''q'' THEN ''queens'' END, CASE WHEN b ~* ''r'' THEN ''rooks'' END,
                          CASE WHEN b ~* ''[bn]'' THEN ''minor pieces'' END), ''''), ''pawns''), result, points, promise
                      FROM (SELECT *, (SELECT split_part(m.epd, '' '', 1) FROM replay.moves m WHERE m.id = seat.id ORDER BY m.ply DESC LIMIT 1) AS b FROM seat) s', ''''''),
        ('theme', 'SELECT t.item, result, points, promise FROM seat CROSS JOIN LATERAL (
                       SELECT squares(pieces(board, ''K'')) AS w, squares(pieces(board, ''k'')) AS b, m.epd FROM replay.moves m
                       CROSS JOIN LATERAL (SELECT (m.epd || '' 0 1'')::chessboard) x (board) WHERE m.id = seat.id AND m.ply <= 40) p
                   CROSS JOIN LATERAL (VALUES (''castled on the same side'', p.w ~ ''[a-c]'' AND p.b ~ ''[a-c]'' OR p.w ~ ''[gh]'' AND p.b ~ ''[gh]''),
                       (''castled on opposite sides'', p.w ~ ''[a-c]'' AND p.b ~ ''[gh]'' OR p.w ~ ''[gh]'' AND p.b ~ ''[a-c]''),
                       (''queens exchanged'', split_part(p.epd, '' '', 1) !~* ''q'')) t (item, holds)
                   WHERE t.holds GROUP BY seat.id, t.item, result, points, promise HAVING count(*) >= 4', '''''')
    ) v (section, rows, more) LOOP
        RETURN QUERY EXECUTE replay.sums(part.section, part.rows, part.more);
    END LOOP;
    RETURN QUERY
    SELECT replay.line('length', result, count(*), count(*) FILTER (WHERE result = '1-0'), count(*) FILTER (WHERE result = '1/2-1/2'),
                       count(*) FILTER (WHERE result = '0-1'), avg(points), avg(promise), round(avg((ply_count + 1) / 2), 4)::text)
    FROM seat GROUP BY result;
    RETURN QUERY
    SELECT replay.line('year', y.year, count(s.id), count(*) FILTER (WHERE s.result = '1-0'), count(*) FILTER (WHERE s.result = '1/2-1/2'),
                       count(*) FILTER (WHERE s.result = '0-1'), avg(s.points), avg(s.promise), count(*)::text)
    FROM (SELECT id, replay.year(dates) AS year FROM every) y LEFT JOIN seat s USING (id) GROUP BY y.year;
    RETURN QUERY EXECUTE format(
        'SELECT replay.line(''line'', line, count(*), count(*) FILTER (WHERE result = ''1-0''),
                count(*) FILTER (WHERE result = ''1/2-1/2''), count(*) FILTER (WHERE result = ''0-1''), avg(points), avg(promise))
         FROM (SELECT s.id, s.result, s.points, s.promise,
                      (SELECT string_agg(m.san, '' '' ORDER BY m.ply) FROM replay.moves m WHERE m.id = s.id AND m.ply >= s.ply AND m.ply < s.ply + k.n) AS line
               FROM seat s, generate_series(1, 4) k (n) WHERE s.ply_count >= s.ply + k.n) l
         GROUP BY line HAVING count(*) >= %s', at_least);
    -- the first games with a move that was not played before the last year with enough games, where enough was
    RETURN QUERY EXECUTE format(
        'WITH day AS (SELECT lower(dates) AS day FROM seat WHERE isfinite(lower(dates))),
         cut AS (SELECT (max(d.day) - interval ''1 year'')::date AS day FROM day d
                 WHERE (SELECT count(*) FROM day e WHERE e.day <= d.day AND e.day > d.day - interval ''1 year'')
                       >= (SELECT greatest(2, least(10, count(*) / 4.0), count(*) / 100.0) FROM day)),
         line AS (
             SELECT s.id, k.n, coalesce(lower(s.dates) > c.day, false) AS late, s.result, s.points, s.promise,
                    (SELECT m.epd FROM replay.moves m WHERE m.id = s.id AND m.ply = s.ply + k.n) AS epd,
                    (SELECT array_agg(m.san ORDER BY m.ply) FROM replay.moves m WHERE m.id = s.id AND m.ply >= s.ply AND m.ply < s.ply + k.n) AS line
             FROM seat s CROSS JOIN cut c, generate_series(0, 4) k (n) WHERE s.ply_count >= s.ply + k.n)
         SELECT replay.line(''novelty'', array_to_string(l.line, '' ''), count(*), count(*) FILTER (WHERE result = ''1-0''), count(*) FILTER (WHERE result = ''1/2-1/2''),
                            count(*) FILTER (WHERE result = ''0-1''), avg(points), avg(promise))
         FROM line l
         WHERE (SELECT count(*) FROM line p WHERE p.n = l.n - 1 AND NOT p.late AND p.line IS NOT DISTINCT FROM nullif(l.line[:l.n - 1], ''{}'')) >= %s
           AND NOT EXISTS (SELECT FROM replay.moves m JOIN chess.games g USING (id) CROSS JOIN cut c
                           WHERE m.epd = l.epd AND coalesce(lower(g.dates) <= c.day, true))
         GROUP BY l.line', at_least);
    RETURN QUERY SELECT replay.line(CASE n WHEN 1 THEN 'best_rated' WHEN 2 THEN 'newest' WHEN 3 THEN 'annotated' WHEN 4 THEN 'shortest_white_win' ELSE 'shortest_black_win' END,
                                    g.id::text, 1, (g.result = '1-0')::int, (g.result = '1/2-1/2')::int, (g.result = '0-1')::int, g.points, g.promise,
                                    concat_ws('/', g.white, g.black, g.ply_count))
        FROM (SELECT s.*, coalesce(greatest(white_elo, 0), 0) + coalesce(greatest(black_elo, 0), 0) AS sum FROM seat s) g
        CROSS JOIN LATERAL (VALUES (1, g.sum > 0), (2, NOT isempty(g.dates)), (3, g.annotated IS NOT NULL), (4, g.result = '1-0'), (5, g.result = '0-1')) v (n, holds)
        WHERE v.holds;
END
$$;

-- Compares the rows of a report with those by hand: how many there were.
CREATE FUNCTION replay.differ(what text, report text, VARIADIC hand text[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    said text[];
    wrong text;
BEGIN
    EXECUTE format(
        'SELECT array_agg(replay.line(section, item, games, white, draws, black, score::numeric, expected::numeric, CASE section
             WHEN ''phase'' THEN concat_ws(''/'', detail ->> ''moves'', round((detail ->> ''loss'')::numeric, 4), detail ->> ''blunders'')
             WHEN ''clock'' THEN concat_ws(''/'', detail ->> ''moves'', round((detail ->> ''loss'')::numeric, 4), detail ->> ''blunders'')
             WHEN ''summary'' THEN coalesce(detail ->> ''all_games'', '''') WHEN ''year'' THEN coalesce(detail ->> ''all_games'', '''')
             WHEN ''length'' THEN CASE WHEN %L ~ ''opening'' THEN round((detail ->> ''moves'')::numeric, 4)::text ELSE '''' END
             ELSE CASE WHEN detail ? ''plies'' THEN concat_ws(''/'', detail ->> ''white'', detail ->> ''black'', detail ->> ''plies'') ELSE '''' END END))
         FROM %s WHERE section NOT IN (''new_opening'', ''given_up_opening'', ''best_line'', ''worst_line'')', report, report) INTO said;
    SELECT string_agg(side || ' ' || line, E'\n' ORDER BY line, side) INTO wrong FROM (
        SELECT 'report:' AS side, line FROM (SELECT unnest(said) EXCEPT ALL SELECT unnest(hand)) r (line)
        UNION ALL SELECT 'by hand:', line FROM (SELECT unnest(hand) EXCEPT ALL SELECT unnest(said)) h (line)) d;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '%: the report differs from SQL by hand', what USING DETAIL = left(wrong, 8000);
    END IF;
    RETURN cardinality(hand);
END
$$;
