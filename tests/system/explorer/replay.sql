-- In: a database with the extension in public and games in the schema chess, all small.
-- Out: the table moves, a row for each half-move of each game and one for its end, by a plain replay; the table sets, filters of the
-- explorer with the condition that each stands for; the function compare, which raises an error where the explorer and the
-- replay differ.

DROP SCHEMA IF EXISTS replay CASCADE;
CREATE SCHEMA replay;

CREATE FUNCTION replay.fill() RETURNS void LANGUAGE sql AS $$
    DROP TABLE IF EXISTS replay.moves;
    CREATE TABLE replay.moves AS
    SELECT g.id, p.ply, epd(p.board) AS epd, m.san, m.uci
    FROM chess.games g CROSS JOIN LATERAL positions(g.game) p LEFT JOIN LATERAL moves(g.game) m ON m.ply = p.ply + 1;
    CREATE INDEX ON replay.moves (epd, id, ply);
    ANALYZE replay.moves;
$$;

CREATE TABLE replay.sets (filters text, condition text);
INSERT INTO replay.sets VALUES
    ('', 'true'),
    ('player => ''Player 1''', '(w.name = ''Player 1'' OR b.name = ''Player 1'')'),
    ('player => ''Player 2'', color => ''b''', 'b.name = ''Player 2'''),
    ('player => ''Nobody''', 'false'),
    ('white => ''Player 3''', 'w.name = ''Player 3'''),
    ('white => ''O''''Kelly'', black => ''Player 1''', 'w.name = ''O''''Kelly'' AND b.name = ''Player 1'''),
    ('rating => ''{[2200,2500)}''', '(g.white_elo + g.black_elo) / 2 BETWEEN 2200 AND 2499 AND least(g.white_elo, g.black_elo) > 0'),
    ('rating => ''{[1000,1200),[2000,)}''', '((g.white_elo + g.black_elo) / 2 BETWEEN 1000 AND 1199 OR (g.white_elo + g.black_elo) / 2 >= 2000) AND least(g.white_elo, g.black_elo) > 0'),
    ('rating => ''{(,1234]}''', '(g.white_elo + g.black_elo) / 2 <= 1234 AND least(g.white_elo, g.black_elo) > 0'),
    ('rating => ''{}''', 'false'),
    ('rating => ''[1800,)''', '(g.white_elo + g.black_elo) / 2 >= 1800 AND least(g.white_elo, g.black_elo) > 0'),
    ('rating => '' (1500,2200] ''', '(g.white_elo + g.black_elo) / 2 BETWEEN 1501 AND 2200 AND least(g.white_elo, g.black_elo) > 0'),
    ('rating => ''empty''', 'false'),
    ('dates => ''[2015-01-01,)''', 'lower(g.dates) >= ''2015-01-01'''),
    ('dates => ''[2010-01-01,2012-01-01)''', 'lower(g.dates) >= ''2010-01-01'' AND upper(g.dates) <= ''2012-01-01'''),
    ('dates => ''(,2003-12-31]''', 'upper(g.dates) <= ''2004-01-01'''),
    ('dates => ''[2011-05-07,2018-02-11]''', 'lower(g.dates) >= ''2011-05-07'' AND upper(g.dates) <= ''2018-02-12'''),
    ('result => ''1-0''', 'g.result = ''1-0'''),
    ('result => ''*''', 'g.result = ''*'''),
    ('event => ''Event 2''', 'e.name = ''Event 2'''),
    ('time_control => ''300+3''', 'g.time_control = ''300+3'''),
    ('speeds => ''{blitz}''', 'g.time_control IN (''300+3'', ''180'')'),
    ('speeds => ''{classical,unknown}''', 'coalesce(g.time_control, ''?'') IN (''?'', ''40/7200:3600'')'),
    ('with_evals => true', 'g.evals IS NOT NULL'),
    ('result => ''0-1'', speeds => ''{bullet,correspondence}'', rating => ''{[1400,2300)}'', dates => ''[2005-01-01,2016-01-01)''',
     'g.result = ''0-1'' AND g.time_control IN (''60+0'', ''-'') AND (g.white_elo + g.black_elo) / 2 BETWEEN 1400 AND 2299 AND least(g.white_elo, g.black_elo) > 0 AND lower(g.dates) >= ''2005-01-01'' AND upper(g.dates) <= ''2016-01-01'''),
    ('player => ''Player 1'', rating => ''{[1500,)}'', result => ''1-0'', with_evals => false',
     '(w.name = ''Player 1'' OR b.name = ''Player 1'') AND (g.white_elo + g.black_elo) / 2 >= 1500 AND least(g.white_elo, g.black_elo) > 0 AND g.result = ''1-0''');

-- What the explorer is to answer, whatever plans the session allows.
CREATE FUNCTION replay.expected(asked chessboard, condition text) RETURNS SETOF text LANGUAGE plpgsql
SET enable_seqscan = on SET enable_indexscan = on SET enable_bitmapscan = on SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
DECLARE
    reaching text := format(
        'FROM replay.moves m JOIN chess.games g USING (id) LEFT JOIN chess.players w ON w.id = g.white_id
         LEFT JOIN chess.players b ON b.id = g.black_id LEFT JOIN chess.events e ON e.id = g.event_id WHERE (%s)', condition);
BEGIN
    RETURN QUERY EXECUTE
        'WITH firsts AS (
             SELECT DISTINCT ON (g.id) g.id, m.san, m.uci, g.result, g.dates,
                    CASE WHEN turn($1) = ''w'' THEN g.white_elo ELSE g.black_elo END AS mover,
                    CASE WHEN turn($1) = ''w'' THEN g.black_elo ELSE g.white_elo END AS other
             ' || reaching || ' AND m.epd = epd($1) ORDER BY g.id, m.ply
         ), sums AS (
             SELECT san, min(uci) AS uci, count(*) AS games, sum((result = ''1-0'')::int) AS white,
                    sum((result = ''1/2-1/2'')::int) AS draws, sum((result = ''0-1'')::int) AS black,
                    sum((result = ''*'')::int) AS unknown, avg(score(result, turn($1))) AS score,
                    sum((coalesce(mover, 0) > 0)::int) AS rated, avg(CASE WHEN mover > 0 THEN mover END) AS average,
                    avg(CASE WHEN other > 0 AND result <> ''*'' THEN other END) AS opponents,
                    avg(CASE WHEN other > 0 THEN score(result, turn($1)) END) AS points,
                    max(lower(dates)) AS last, array_agg(id) AS ids
             FROM firsts GROUP BY san
         )
         SELECT ROW(coalesce(s.san, ''end''), coalesce(s.uci, ''end''), s.games, s.white, s.draws, s.black, s.unknown,
                    round(s.score, 6), s.rated, round(s.average, 3), round(s.opponents, 3),
                    round(chess.performance(s.opponents::float8, s.points::float8)::numeric, 3), s.last,
                    r.games, r.white, r.draws, r.black, round(r.score, 6), round(r.average, 3),
                    CASE WHEN s.games = 1 THEN s.ids[1] END)::text
         FROM sums s LEFT JOIN LATERAL (
             SELECT count(*) AS games, sum((result = ''1-0'')::int) AS white, sum((result = ''1/2-1/2'')::int) AS draws,
                    sum((result = ''0-1'')::int) AS black, avg(score(result, turn($1))) AS score,
                    avg(CASE WHEN mover > 0 THEN mover END) AS average
             FROM (SELECT DISTINCT g.id, g.result, CASE WHEN turn($1) = ''w'' THEN g.white_elo ELSE g.black_elo END AS mover
                   ' || reaching || ' AND m.epd = epd(play($1, s.san))) d
         ) r ON s.san IS NOT NULL
         ORDER BY 1' USING asked;
END
$$;

CREATE FUNCTION replay.answered(asked chessboard, filters text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT ROW(coalesce(san, ''end''), coalesce(uci, ''end''), games, white, draws, black, unknown,
                    round(score::numeric, 6), rated, round(average_rating::numeric, 3), round(opponent_rating::numeric, 3),
                    round(performance::numeric, 3), last_played, reached, reached_white,
                    reached_draws, reached_black, round(reached_score::numeric, 6), round(reached_average_rating::numeric, 3),
                    game_id)::text
         FROM chess.explorer($1%s) ORDER BY 1', CASE WHEN filters <> '' THEN ', ' || filters ELSE '' END) USING asked;
END
$$;

-- Compares positions, each with one set of filters in turn. Returns how many moves they had.
CREATE FUNCTION replay.compare(positions integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    question record;
    expected text[];
    answered text[];
    compared bigint := 0;
BEGIN
    FOR question IN
        WITH visited AS (
            -- half of them as often as they are visited, most of those early; the others alike
            (SELECT epd FROM replay.moves ORDER BY random() * (1 + ply) LIMIT positions / 2)
            UNION ALL (SELECT epd FROM (SELECT DISTINCT epd FROM replay.moves) d ORDER BY random() LIMIT positions - positions / 2)
        ), numbered AS (SELECT epd, row_number() OVER (ORDER BY random()) AS n FROM visited
        ), filters AS (SELECT s.*, row_number() OVER () AS n, count(*) OVER () AS sets FROM replay.sets s)
        SELECT n.epd, f.filters, f.condition FROM numbered n JOIN filters f ON n.n % f.sets + 1 = f.n
    LOOP
        expected := ARRAY(SELECT replay.expected((question.epd || ' 7 40')::chessboard, question.condition));
        answered := ARRAY(SELECT replay.answered((question.epd || ' 7 40')::chessboard, question.filters));
        IF expected <> answered THEN
            RAISE EXCEPTION 'the explorer of % with % differs from the replay', question.epd, question.filters
                USING DETAIL = E'expected:\n' || array_to_string(expected, E'\n') || E'\nfound:\n' || array_to_string(answered, E'\n');
        END IF;
        compared := compared + cardinality(expected);
    END LOOP;
    RETURN compared;
END
$$;

-- Tags that the games of the generator do not have: every kind of value, and its absence.
CREATE FUNCTION replay.dress() RETURNS void LANGUAGE sql AS $$
    INSERT INTO chess.players (name) SELECT 'Player ' || n FROM generate_series(1, 5) n UNION ALL SELECT 'O''Kelly'
        ON CONFLICT DO NOTHING;
    INSERT INTO chess.events (name) SELECT 'Event ' || n FROM generate_series(1, 3) n ON CONFLICT DO NOTHING;
    WITH drawn AS (
        SELECT id, (ARRAY['1-0', '0-1', '1/2-1/2', '*'])[1 + (random() * 3.4)::int % 4] AS result,
               (ARRAY[NULL, '300+3', '180', '60+0', '-', '?', '40/7200:3600'])[1 + (random() * 6)::int] AS control,
               (ARRAY[NULL, '????.??.??', '2013.??.??', '2011.05.??', '2011.05.07', '2018.02.11', '2003.12.31', '1851.06.21',
                      '2015.01.01', '2014.12.31'])[1 + (random() * 9)::int] AS date,
               CASE WHEN random() < 0.8 THEN (random() * 2900)::int END AS white_elo,
               CASE WHEN random() < 0.8 THEN (random() * 29)::int * 100 END AS black_elo,
               CASE WHEN random() < 0.3 THEN ARRAY[1, NULL] END AS evals,
               (SELECT array_agg(p.id) FROM chess.players p WHERE p.name ~ '^Player|^O''') AS players,
               (SELECT array_agg(e.id) FROM chess.events e WHERE e.name ~ '^Event \d$') AS events
        FROM chess.games)
    UPDATE chess.games g SET result = d.result, time_control = d.control, date = d.date, dates = chess.pgn_dates(d.date),
        white_elo = d.white_elo, black_elo = d.black_elo, evals = d.evals,
        white_id = d.players[1 + (random() * 5.4)::int], black_id = d.players[1 + (random() * 5.4)::int],
        event_id = d.events[1 + (random() * 2.4)::int]
    FROM drawn d WHERE d.id = g.id;
$$;
