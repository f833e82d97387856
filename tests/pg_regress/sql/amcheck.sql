-- B-trees of both types pass amcheck, where the server has it.
SELECT count(*) = 0 AS lacking FROM pg_available_extensions WHERE name = 'amcheck' \gset
\if :lacking
\echo 'skipped: this server has no extension amcheck'
\quit
\endif

\set ECHO none
\i data/games.sql
\set ECHO all
SET client_min_messages = warning;
CREATE EXTENSION amcheck;
RESET client_min_messages;

CREATE TABLE boards AS SELECT getBoard(game, plyCount(game) / 2) AS board FROM games UNION ALL SELECT NULL;
CREATE INDEX games_game ON games (game);
CREATE INDEX games_opening ON games (getFirstMoves(game, 10) DESC) WHERE id % 2 = 0;
CREATE INDEX boards_board ON boards (board);
SELECT bt_index_parent_check(i, true, true) FROM unnest('{games_game,games_opening,boards_board}'::regclass[]) AS i;

-- after changes, and reindexed concurrently
DELETE FROM games WHERE id % 3 = 0;
DELETE FROM boards WHERE fullmoveNumber(board) % 3 = 0;
VACUUM games, boards;
INSERT INTO games SELECT 20000 + id, name, NULL, game FROM games WHERE id % 2 = 0;
INSERT INTO boards SELECT mirror(board) FROM boards;
SELECT bt_index_parent_check(i, true, true) FROM unnest('{games_game,games_opening,boards_board}'::regclass[]) AS i;
REINDEX TABLE CONCURRENTLY games;
SELECT bt_index_check(i, true) FROM unnest('{games_game,games_opening,boards_board}'::regclass[]) AS i;

DROP EXTENSION amcheck;
DROP TABLE games, famous, boards;
