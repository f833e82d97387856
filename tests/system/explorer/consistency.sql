-- In: tables of chess-pgn with games. Out: test.compare, which asks the explorer and its lists for positions of games by the index
-- and of the games themselves, and raises an ERROR where they differ.
CREATE SCHEMA test;
CREATE FUNCTION test.one(asked chessboard, filters text, by_index boolean) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    answer text[];
    listed text[];
BEGIN
    EXECUTE format('SELECT array_agg(e::text ORDER BY e::text) FROM chess.explorer($1, by_index => $2%s) e', filters)
        INTO answer USING asked, by_index;
    EXECUTE format('SELECT ARRAY(SELECT g::text FROM chess.explorer_games($1, sort => ''rating'', by_index => $2%1$s) g)
        || ARRAY(SELECT g::text FROM chess.explorer_games($1, sort => ''date'', count => 9, by_index => $2%1$s) g)', filters)
        INTO listed USING asked, by_index;
    RETURN nullif(answer || listed, '{}');
END
$$;
-- Positions of games, each with one of the filters, in the snapshot of the caller: how many questions had an answer.
CREATE FUNCTION test.compare(questions integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    q record;
    fast text[];
    slow text[];
    answered integer := 0;
BEGIN
    FOR q IN
        SELECT b.board, (ARRAY['', '', ', result => ''0-1''', ', dates => ''[2012-01-01,)''', ', speeds => ''{blitz,unknown}''',
                         ', rating => ''{[1400,2300)}''', ', rating => ''{[2000,),[,1000]}'', result => ''1/2-1/2''',
                         ', dates => ''(,2011-05-07]'', result => ''*''', ', dates => ''(,)''', ', speeds => ''{}''', ', rating => ''{}''',
                         ', dates => ''empty''', ', dates => ''[2011-05-07,2018-02-12)'', speeds => ''{blitz,rapid,classical}'', rating => ''[500,)''',
                         ', player => ''Player 1''', ', with_evals => true, result => ''1-0''', ', dates => ''[-infinity,infinity)'''])[1 + (row_number() OVER ()) % 16] AS filters
        FROM (SELECT getBoard(game, (random() * 14)::int % (plyCount(game) + 1)) AS board FROM (SELECT game FROM chess.games ORDER BY random() LIMIT questions * 3 / 4) g
              UNION ALL SELECT getBoard(game, (random() * 90)::int % (plyCount(game) + 1)) FROM (SELECT game FROM chess.games ORDER BY random() LIMIT questions / 4) g
              UNION ALL SELECT startBoard() UNION ALL SELECT startBoard() UNION ALL SELECT finalBoard('1. e4')) b
    LOOP
        fast := test.one(q.board, q.filters, true);
        slow := test.one(q.board, q.filters, false);
        IF fast IS DISTINCT FROM slow THEN
            RAISE EXCEPTION 'the index differs from the games: %, %', q.board, q.filters
                USING DETAIL = format(E'index: %s\ngames: %s', fast, slow);
        END IF;
        answered := answered + (fast IS NOT NULL)::int;
    END LOOP;
    RETURN answered;
END
$$;
