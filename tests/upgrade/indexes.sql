-- In: a table games (id, game) and an earlier version of the extension. Out: tables with every kind of index of it that stays.
CREATE TABLE indexed AS
SELECT id, game, game AS hashed, getboard(game, plycount(game) / 2) AS board, getboard(game, plycount(game) / 2) AS hashed_board FROM games;
CREATE INDEX indexed_btree ON indexed (game);
CREATE INDEX indexed_hash ON indexed USING hash (hashed);
CREATE INDEX indexed_gin ON indexed USING gin (game);
CREATE INDEX indexed_board_btree ON indexed (board);
CREATE INDEX indexed_board_hash ON indexed USING hash (hashed_board);
CREATE TABLE wanted AS
SELECT id AS n, game, getfirstmoves(game, id::int % 9) AS opening, getboard(game, plycount(game) * part / 4) AS board
FROM games, generate_series(0, 4) AS part;
ANALYZE indexed, wanted;
