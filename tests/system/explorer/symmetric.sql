-- In: a database with the extension in public; endings.fill() then needs the games of endings.pgn() in the schema chess.
-- Out: games that begin in symmetric endings, as PGN; the positions of all games with their images, by a plain replay that has
-- symmetries of its own; and what the explorer must answer for a board if symmetric positions are the same.

CREATE SCHEMA endings;
SET check_function_bodies = off; -- the tables come later

-- Endings without pawns, with pawns, with a capture en passant, with castling, and with all men on one diagonal.
CREATE TABLE endings.starts (board chessboard);
INSERT INTO endings.starts VALUES
    ('8/8/8/8/8/2k5/8/K3R3 w - - 0 1'), ('8/8/8/8/3Q4/2k5/8/K7 b - - 0 1'), ('8/2r5/8/8/8/1k6/8/K4R2 w - - 0 1'),
    ('8/8/8/8/k2p4/8/4P3/4K3 w - - 0 1'), ('4k3/P7/8/8/8/8/8/4K3 w - - 0 1'), ('4k3/8/8/8/8/8/7P/4K2R w K - 0 1'),
    ('8/8/8/8/8/1k6/8/KBN5 b - - 0 1');

-- Random games from random images of these boards. Many of the first ending reach two images of it.
CREATE FUNCTION endings.pgn(games integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    starts chessboard[] := ARRAY(SELECT unnest(symmetricBoards(board)) FROM endings.starts);
    pgn text := '';
    -- leads from the first board to an image of it
    line CONSTANT text[] := '{Re5,Kb3,Ra5,Kc3}';
    chosen integer;
    here chessboard;
    game chessgame;
    move text;
BEGIN
    FOR n IN 1..games LOOP
        chosen := 1 + floor(random() * cardinality(starts))::integer;
        game := newGame(starts[chosen], '');
        IF chosen <= cardinality(symmetricBoards(starts[1])) AND n % 2 = 0 THEN
            here := starts[1];
            FOREACH move IN ARRAY line LOOP
                game := play(game, symmetricMove(here, move, finalBoard(game)));
                here := play(here, move);
            END LOOP;
        END IF;
        FOR ply IN 1..2 + floor(random() * 8)::integer LOOP
            SELECT san INTO move FROM legalMoves(finalBoard(game)) ORDER BY random() LIMIT 1;
            EXIT WHEN move IS NULL;
            game := play(game, move);
        END LOOP;
        pgn := pgn || format(E'[Event "Ending %s"]\n[Result "%s"]\n', n, (ARRAY['1-0', '0-1', '1/2-1/2', '*'])[1 + n % 4])
            || CASE WHEN n % 3 > 0 THEN format(E'[WhiteElo "%s"]\n', 1500 + n) ELSE '' END
            || CASE WHEN n % 5 > 0 THEN format(E'[BlackElo "%s"]\n', 2500 - n) ELSE '' END
            || format(E'[Date "%s.01.02"]\n', 1900 + n % 100)
            || pgn(withResult(game, (ARRAY['1-0', '0-1', '1/2-1/2', '*'])[1 + n % 4])) || E'\n\n';
    END LOOP;
    RETURN pgn;
END
$$;

-- A position as text in one of 16 images: 1 exchanges the files, 2 the ranks, 4 files for ranks; 8 first exchanges the colours and
-- the ranks. The last letter says which images are the same position.
CREATE FUNCTION endings.image(board chessboard, n integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    WITH squares AS (
        SELECT s % 8 AS file, CASE WHEN n >= 8 THEN 7 - s / 8 ELSE s / 8 END AS rank,
               pieceAt(board, chr(97 + s % 8) || 1 + s / 8) AS piece
        FROM generate_series(0, 63) s
    ), turned AS (
        SELECT CASE WHEN n & 1 > 0 THEN 7 - file ELSE file END AS file, CASE WHEN n & 2 > 0 THEN 7 - rank ELSE rank END AS rank,
               coalesce(CASE WHEN n < 8 THEN piece WHEN piece = upper(piece) THEN lower(piece) ELSE upper(piece) END, '.') AS piece
        FROM squares
    ), words AS (SELECT string_to_array(epd(board), ' ') AS word)
    SELECT string_agg(piece, '' ORDER BY CASE WHEN n & 4 > 0 THEN 8 * file + rank ELSE 8 * rank + file END)
        || CASE WHEN n < 8 THEN turn(board) WHEN turn(board) = 'w' THEN 'b' ELSE 'w' END
        || (SELECT CASE WHEN n < 8 THEN word[3] ELSE translate(word[3], 'KQkq', 'kqKQ') END
                   || CASE WHEN word[4] = '-' THEN '-' WHEN n & 1 > 0 THEN chr(97 + 104 - ascii(word[4])) ELSE left(word[4], 1) END FROM words)
    FROM turned
$$;
CREATE FUNCTION endings.images(board chessboard) RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN castling(board) <> '-' THEN '{0,8}'::integer[] WHEN material(board) LIKE '%P%' THEN '{0,1,8,9}'::integer[]
        ELSE ARRAY(SELECT generate_series(0, 15)) END
$$;

-- The images of each position of each game, with the same images of the position after its move.
CREATE FUNCTION endings.fill() RETURNS void LANGUAGE sql AS $$
    CREATE TABLE endings.visits AS
    SELECT g.id, p.ply, p.board, n, endings.image(p.board, n) AS here, endings.image(after.board, n) AS there
    FROM chess.games g CROSS JOIN LATERAL positions(g.game) p
    LEFT JOIN LATERAL positions(g.game) after ON after.ply = p.ply + 1
    CROSS JOIN LATERAL unnest(endings.images(p.board)) n;
    CREATE INDEX ON endings.visits (here);
    ANALYZE endings.visits;
$$;

-- What is played on a board and on its images: of moves that are the same, the first in UCI.
CREATE FUNCTION endings.expected(asked chessboard) RETURNS TABLE (id bigint, uci text, exchanged boolean) LANGUAGE sql AS $$
    WITH firsts AS (
        SELECT v.id, v.ply, v.n, v.there FROM endings.visits v JOIN (
            SELECT id, min(ply) AS ply FROM endings.visits WHERE here = endings.image(asked, 0) GROUP BY id
        ) f USING (id, ply) WHERE v.here = endings.image(asked, 0)
    ), moves AS (SELECT m.uci, endings.image(play(asked, m.uci), 0) AS there FROM legalMoves(asked) m)
    SELECT f.id, min(m.uci), bool_or(f.n >= 8) FROM firsts f LEFT JOIN moves m USING (there) GROUP BY f.id
$$;

-- The games that reach a board or an image of it, and their results as on the board.
CREATE FUNCTION endings.reached(asked chessboard) RETURNS text LANGUAGE sql AS $$
    SELECT ROW(count(*), count(*) FILTER (WHERE g.result = CASE WHEN e.exchanged THEN '0-1' ELSE '1-0' END),
               count(*) FILTER (WHERE g.result = '1/2-1/2'),
               count(*) FILTER (WHERE g.result = CASE WHEN e.exchanged THEN '1-0' ELSE '0-1' END))::text
    FROM endings.expected(asked) e JOIN chess.games g USING (id)
$$;

-- Raises an error where the explorer differs. Returns how many games were counted on an image of the board alone.
CREATE FUNCTION endings.compare(positions integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    asked chessboard;
    expected text[];
    answered text[];
    seen bigint := 0;
BEGIN
    -- most of them early, where games meet
    FOR asked IN SELECT v.board FROM (SELECT DISTINCT ON (here) board, ply FROM endings.visits) v ORDER BY random() * (1 + 9 * v.ply)
                 LIMIT positions LOOP
        expected := ARRAY(
            SELECT ROW(coalesce(e.uci, 'end'), count(*), sum((e.result = '1-0')::int), sum((e.result = '1/2-1/2')::int),
                       sum((e.result = '0-1')::int), sum((e.result = '*')::int), sum((coalesce(mover, 0) > 0)::int), round(avg(mover), 3),
                       round(avg(other) FILTER (WHERE result <> '*'), 3), max(lower(dates)),
                       CASE WHEN e.uci IS NOT NULL THEN endings.reached(play(asked, e.uci)) END,
                       CASE WHEN count(*) = 1 THEN min(e.id) END)::text
            FROM (
                SELECT e.id, e.uci, g.dates,
                       CASE WHEN NOT exchanged THEN result WHEN result IN ('1-0', '0-1') THEN reverse(result) ELSE result END AS result,
                       CASE WHEN exchanged <> (turn(asked) = 'w') THEN white_elo ELSE black_elo END AS mover,
                       CASE WHEN exchanged <> (turn(asked) = 'w') THEN black_elo ELSE white_elo END AS other
                FROM endings.expected(asked) e JOIN chess.games g USING (id)
            ) e GROUP BY e.uci ORDER BY 1);
        answered := ARRAY(
            SELECT ROW(coalesce(uci, 'end'), games, white, draws, black, unknown, rated, round(average_rating::numeric, 3),
                       round(opponent_rating::numeric, 3), last_played,
                       CASE WHEN uci IS NOT NULL THEN ROW(reached, reached_white, reached_draws, reached_black)::text END, game_id)::text
            FROM chess.explorer(asked, symmetries => true) ORDER BY 1);
        IF expected <> answered THEN
            RAISE EXCEPTION 'the explorer of % and its images differs from the replay', asked
                USING DETAIL = E'expected:\n' || array_to_string(expected, E'\n') || E'\nfound:\n' || array_to_string(answered, E'\n');
        END IF;
        expected := ARRAY(SELECT ROW(id, uci)::text FROM endings.expected(asked) ORDER BY id);
        FOR n IN 0..3 LOOP
            answered := ARRAY(SELECT ROW(id, uci)::text FROM chess.explorer_games(asked, symmetries => true, count => 10000,
                by_index => n % 2 = 0, sort => CASE WHEN n < 2 THEN 'rating' ELSE 'length' END) ORDER BY id);
            IF expected <> answered THEN
                RAISE EXCEPTION 'the games of % and its images differ from the replay', asked;
            END IF;
        END LOOP;
        answered := ARRAY(SELECT ROW(g.id, e.uci)::text FROM chess.games g JOIN endings.expected(asked) e USING (id)
                          WHERE g.game && symmetricBoards(asked) ORDER BY g.id);
        IF expected <> answered OR cardinality(expected) <> (SELECT count(*) FROM chess.games WHERE game && symmetricBoards(asked)) THEN
            RAISE EXCEPTION 'the games with any of the images of % differ from the replay', asked;
        END IF;
        seen := seen + (SELECT count(*) FROM endings.expected(asked) e JOIN chess.games g USING (id) WHERE NOT hasBoard(g.game, asked));
    END LOOP;
    RETURN seen;
END
$$;
