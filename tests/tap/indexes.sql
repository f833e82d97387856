-- In: the table games. Out: an index of each kind; one GIN index with a pending list, one without.
CREATE INDEX games_btree ON games (game);
CREATE INDEX games_gin ON games USING gin (game);
CREATE INDEX games_gin_direct ON games USING gin (again) WITH (fastupdate = off);
CREATE INDEX games_chess ON games USING chess (getfirstmoves(game, 2000)) WITH (pending_games = 256);
