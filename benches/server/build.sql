-- In: the table games; the variable builds. Out: sizes and build times of the games and their indexes, beside those
-- of tables built by hand:
--   texts      the moves as PGN text
--   positions  a row per half-move with a 64-bit hash of its EPD, and a covering B-tree index on it
--   arrays     the same hashes as an array per game, and a GIN index on it
\ir measure.sql

CREATE TABLE builds (nr serial, what text, relation text, statement text);
INSERT INTO builds (what, relation, statement) VALUES
('games', 'packed', 'CREATE TABLE packed AS SELECT id, white, black, game FROM games ORDER BY id'),
('the same bytes as bytea', 'payloads', 'CREATE TABLE payloads AS
    SELECT id, white, black, substr(chessgame_send(game), 2) AS payload FROM packed'),
('texts (text out)', 'texts', 'CREATE TABLE texts AS SELECT id, white, black, game::text AS moves FROM packed'),
('games from texts (text in)', 'reread', 'CREATE TABLE reread AS SELECT id, white, black, moves::chessgame AS game FROM texts'),
('PGN from games', 'pgns', 'CREATE TABLE pgns AS
    SELECT min(id) AS id, string_agg(pgn(game, jsonb_build_object(''White'', white, ''Black'', black)), E''\n'' ORDER BY id) AS pgn
    FROM packed GROUP BY id / 1000'),
('games from PGN (load)', 'loaded', 'CREATE TABLE loaded AS
    SELECT tags->>''White'' AS white, tags->>''Black'' AS black, game FROM pgns, pgngames(pgn)'),
('positions', 'positions', 'CREATE TABLE positions WITH (autovacuum_enabled = off) AS
    SELECT id AS game_id, n::smallint AS ply, hashtextextended(epd(getBoard(game, n)), 0) AS key
    FROM packed, generate_series(0, plyCount(game)) AS n'),
('arrays', 'arrays', 'CREATE TABLE arrays AS
    SELECT game_id AS id, array_agg(DISTINCT key) AS keys FROM positions GROUP BY game_id'),
('games: B-tree index', 'packed_btree', 'CREATE INDEX packed_btree ON packed (game)'),
('games: GIN index', 'packed_gin', 'CREATE INDEX packed_gin ON packed USING gin (game)'),
('the same games again', 'again', 'CREATE TABLE again AS SELECT * FROM packed ORDER BY id'),
('games: index chess', 'again_chess', 'CREATE INDEX again_chess ON again USING chess (game)'),
('positions: covering B-tree index', 'positions_key',
    'CREATE INDEX positions_key ON positions (key) INCLUDE (game_id, ply)'),
('arrays: GIN index', 'arrays_keys', 'CREATE INDEX arrays_keys ON arrays USING gin (keys)');

CREATE PROCEDURE build_all(rounds int) LANGUAGE plpgsql AS $$
DECLARE b record;
BEGIN
    FOR round IN 1..rounds LOOP
        DROP TABLE IF EXISTS packed, payloads, texts, reread, pgns, loaded, positions, arrays, again;
        COMMIT;
        FOR b IN SELECT * FROM builds ORDER BY nr LOOP
            CALL build(b.what, b.statement, b.relation);
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
CALL build_all(:builds);

DO $$
BEGIN
    IF EXISTS (SELECT FROM packed FULL JOIN reread USING (id) WHERE packed.game IS DISTINCT FROM reread.game)
        OR (SELECT sum(chessgame_hash(game)::bigint) FROM packed) <> (SELECT sum(chessgame_hash(game)::bigint) FROM loaded)
    THEN
        RAISE 'what was read is not what was written';
    END IF;
END $$;
DROP TABLE reread, pgns, loaded;
ALTER TABLE packed ADD PRIMARY KEY (id);
ALTER TABLE texts ADD PRIMARY KEY (id);
VACUUM ANALYZE packed, payloads, texts, arrays, again;
-- Not vacuumed yet, as after loading: search.sql first queries it in this state.
ANALYZE positions;

\echo
SELECT count(*) AS games, sum(plyCount(game)) AS half_moves,
       round(avg(pg_column_size(game)), 2) AS bytes_per_game,
       round(sum(pg_column_size(game))::numeric / sum(plyCount(game)), 4) AS bytes_per_half_move,
       (SELECT round(avg(pg_column_size(moves)), 2) FROM texts) AS bytes_per_game_as_text
FROM packed;

\echo 'Built: processor time in seconds, median, least and greatest'
SELECT what, round(ms / 1000, 2) AS seconds, round(least / 1000, 2) AS least, round(greatest / 1000, 2) AS greatest,
       pg_size_pretty(bytes) AS size,
       round(bytes::numeric / (SELECT bytes FROM build_times WHERE what = 'games'), 2) AS "× games",
       round((SELECT count(*) FROM games) / ms * 1000) AS "games/s"
FROM build_times ORDER BY nr;
