-- In: a table games (id, game) and the SQL of 0.3.0, with a newer library. Out: tables with a GIN index of each class and
-- option that 0.4.0 has removed, and of the class that stays; one is partitioned, one in another schema, one the loader's.
-- The library of 0.3.0 filled such indexes. This one refuses to, but for max_ply, so the rows are inserted while PostgreSQL
-- does not look at the indexes; and of options that it does not know, it takes only those that are there.
CREATE SCHEMA other;
CREATE SCHEMA chess;
CREATE TABLE plain (id bigint, game chessgame);
CREATE INDEX plain_gin ON plain USING gin (game);
CREATE TABLE compact (LIKE plain);
CREATE INDEX compact_gin ON compact USING gin (game chessgame_compact_ops) WHERE id > 5;
CREATE TABLE wide (LIKE plain);
CREATE INDEX wide_gin ON wide USING gin (getfirstmoves(game, 100) chessgame_compact_ops);
CREATE TABLE patterns (LIKE plain);
CREATE INDEX patterns_gin ON patterns USING gin (game chessgame_pattern_ops);
CREATE TABLE material (LIKE plain);
CREATE INDEX material_gin ON material USING gin (game chessgame_pattern_ops);
CREATE TABLE opening (LIKE plain);
CREATE INDEX opening_gin ON opening USING gin (game chessgame_ops (max_ply = 30));
CREATE TABLE parted (LIKE plain) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX parted_gin ON parted USING gin (game chessgame_compact_ops);
CREATE TABLE other."Games" (LIKE plain);
CREATE INDEX "Its index" ON other."Games" USING gin (game chessgame_compact_ops);
CREATE TABLE chess.games (LIKE plain);
CREATE INDEX games_game_compact_gin ON chess.games USING gin (game chessgame_compact_ops);
CREATE INDEX games_game_pattern_gin ON chess.games USING gin (game chessgame_pattern_ops);

UPDATE pg_attribute SET attoptions = '{key_bits=22}' WHERE attrelid = 'wide_gin'::regclass;
UPDATE pg_attribute SET attoptions = '{families=material}' WHERE attrelid = 'material_gin'::regclass;
UPDATE pg_index SET indisready = false WHERE indexrelid::regclass::text ~ '_gin$|_game_idx|Its index' AND indexrelid NOT IN ('plain_gin'::regclass, 'opening_gin'::regclass);
DO $$
DECLARE
    filled text;
BEGIN
    FOREACH filled IN ARRAY string_to_array('plain,compact,wide,patterns,material,opening,parted,other."Games",chess.games', ',') LOOP
        EXECUTE format('INSERT INTO %s TABLE games', filled);
    END LOOP;
END
$$;
UPDATE pg_index SET indisready = true WHERE NOT indisready;
ANALYZE;
