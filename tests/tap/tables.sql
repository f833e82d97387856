-- In: an empty extension schema and a loaded table games (scripts/games_load.sql); the number of boards and openings to ask
-- for as the variable questions.
-- Out: the games as the table supply, without gaps in its ids; an empty table games, whose column "again" has the
-- same games, out of line; questions and how to compare their answers.
SET client_min_messages = warning;
SELECT count(*) > 0 AS with_amcheck FROM pg_available_extensions WHERE name = 'amcheck' \gset
\if :with_amcheck
CREATE EXTENSION amcheck;
\endif
ALTER TABLE games RENAME TO supply;
INSERT INTO supply (game) VALUES
    ('*'),
    ('[Variant "Chess960"][FEN "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w FAfa - 0 1"] 1. O-O O-O-O'),
    ('[FEN "7k/P6p/8/8/8/8/p6P/7K w - - 0 1"] 1. a8=N a1=B 2. Nb6 Be5'),
    ((SELECT string_agg('Nf3 Nf6 Ng1 Ng8', ' ') FROM generate_series(1, 500))::chessgame);

CREATE TABLE games (
    id bigint PRIMARY KEY,
    game chessgame NOT NULL,
    again chessgame GENERATED ALWAYS AS (game) STORED
) WITH (toast_tuple_target = 128);
ALTER TABLE games ALTER again SET STORAGE EXTERNAL;

CREATE FUNCTION supplied(id bigint) RETURNS chessgame LANGUAGE sql STABLE AS
$$ SELECT s.game FROM supply s WHERE s.id = 1 + $1 % (SELECT max(id) FROM supply) $$;

-- Boards and openings of games from all over the supply; some boards that are in hardly any game.
CREATE TABLE questions AS
WITH picked AS (
    SELECT id, game, (plycount(game) * (id % 7) / 7)::int AS ply FROM supply
    WHERE id % greatest((SELECT max(id) FROM supply) / :questions, 1) = 0
), asked AS (
    SELECT id, game, ply, getboard(game, ply) AS board, getboard(game, ply / 4) AS early FROM picked
)
SELECT q.* FROM asked, LATERAL (VALUES
    ('games_btree', format('hasOpening(game, %L)', getfirstmoves(game, (1 + id % 9)::int))),
    ('games_btree', format('%L @^ game', getfirstmoves(game, (1 + id % 9)::int))),
    ('games_btree', format('game = %L', game)),
    ('games_gin', format('hasBoard(game, %L)', board)),
    ('games_gin', format('hasBoard(game, %L, %s)', early, ply / 4 + 2)),
    ('games_gin', format('hasPieces(game, %L)', early)),
    ('games_gin_direct', format('hasBoard(again, %L)', board)),
    ('games_chess', 'hasMaterial(getfirstmoves(game, 2000), ''KRPvKR'')'),
    ('games_chess', format('hasBoard(getfirstmoves(game, 2000), %L, 200)', board)),
    ('games_chess', format('hasOpening(getfirstmoves(game, 2000), %L)', getfirstmoves(game, (1 + id % 9)::int))),
    ('games_chess', 'getfirstmoves(game, 2000) @@ ''Nd5 and Qd2'''),
    ('games_gin_direct', format('again @~ %L::chessboard', early)),
    ('games_gin_direct', format('again && %L::chessboard[]', ARRAY[board, early])),
    ('any', format('hasOpening(%L, game)', game)),
    ('any', format('%L::chessgame ^@ getfirstmoves(game, 2000)', game)),
    ('any', 'hasOpening(again, game)')
) AS q (index, condition);

-- How many games, and which; by the index, or by a sequential scan if it is NULL. 'any' is whatever index the planner finds:
-- none can serve a question for openings of a given game, and none must be taken for it.
CREATE FUNCTION answer(condition text, index text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    -- materialized, so that the order does not ask for the primary key, as it does from PostgreSQL 16 on
    query text := format('WITH found AS MATERIALIZED (SELECT id FROM games WHERE %s)
                          SELECT count(*) || %L || md5(coalesce(string_agg(id::text, %L ORDER BY id), %L)) FROM found',
                         condition, ' ', ',', '');
    plan text;
    found text;
BEGIN
    PERFORM set_config('enable_seqscan', (index IS NULL)::text, true),
            set_config('enable_bitmapscan', (index IS NOT NULL)::text, true),
            set_config('enable_indexscan', (index IS NOT NULL)::text, true),
            set_config('enable_indexonlyscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true);
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    -- an index that is being rebuilt has a longer name for a while
    IF index IS DISTINCT FROM 'any' AND plan NOT LIKE coalesce('%"' || index || '%', '%"Seq Scan"%') THEN
        RAISE 'not the plan that was asked for (%): %', coalesce(index, 'sequential scan'), plan;
    END IF;
    EXECUTE query INTO found;
    RETURN found;
END $$;

-- Every question by its index and by a sequential scan, B-trees by amcheck where the server has it, indexes of the access
-- method chess by its own check; an ERROR where they differ.
CREATE FUNCTION check_indexes() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    q record;
    by_index text;
    by_scan text;
    asked int := 0;
    with_games int := 0;
BEGIN
    IF to_regproc('bt_index_check') IS NOT NULL THEN
        PERFORM bt_index_check(c.oid, true) FROM pg_class AS c WHERE relname IN ('games_btree', 'games_pkey');
    END IF;
    PERFORM chess_index_check(c.oid, true) FROM pg_class AS c WHERE relname = 'games_chess';
    FOR q IN SELECT * FROM questions LOOP
        by_scan := answer(q.condition, NULL);
        by_index := answer(q.condition, q.index);
        IF by_index <> by_scan THEN
            RAISE '% by %: %, by sequential scan: %', q.condition, q.index, by_index, by_scan;
        END IF;
        asked := asked + 1;
        with_games := with_games + (by_scan NOT LIKE '0 %')::int;
    END LOOP;
    IF with_games * 2 < asked THEN
        RAISE 'only % of % questions have games: they show too little', with_games, asked;
    END IF;
    RETURN format('%s questions (%s with games) answered by index as by sequential scan', asked, with_games);
END $$;

-- The nth question, from the first again after the last, by its index and by a sequential scan; an ERROR where they differ.
CREATE FUNCTION compare(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    q questions = (SELECT q FROM questions AS q OFFSET n % (SELECT count(*) FROM questions) LIMIT 1);
BEGIN
    IF answer(q.condition, q.index) <> answer(q.condition, NULL) THEN
        RAISE '% by % is not what a sequential scan answers', q.condition, q.index;
    END IF;
END $$;
