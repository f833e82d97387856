-- Games and ordinary columns in one GIN index, where the server has btree_gin.
SELECT count(*) = 0 AS lacking FROM pg_available_extensions WHERE name = 'btree_gin' \gset
\if :lacking
\echo 'skipped: this server has no extension btree_gin'
\quit
\endif

\set ECHO none
\i data/games.sql
\set ECHO all
SET client_min_messages = warning;
CREATE EXTENSION btree_gin;
RESET client_min_messages;
SELECT count(*) FROM games WHERE name = 'Opera game, 1858' AND hasBoard(game, getBoard('1. e4 e5', 2));

CREATE INDEX games_name_boards ON games USING gin (name, game);
VACUUM ANALYZE games;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE name = 'Opera game, 1858' AND hasBoard(game, getBoard('1. e4 e5', 2));
SELECT count(*) FROM games WHERE name = 'Opera game, 1858' AND hasBoard(game, getBoard('1. e4 e5', 2));
EXPLAIN (COSTS OFF) SELECT id FROM games WHERE hasBoard(game, getBoard('1. e4 e5', 2));

DROP TABLE games, famous;
DROP EXTENSION btree_gin;
