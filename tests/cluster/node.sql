-- In: :host, :server and :part, where a node listens, and what it and its games are called on the coordinator.
-- Out: its pgn_view as a foreign table.
CREATE SERVER :"server" FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host', port '5432', dbname 'chess', extensions 'chess', async_capable 'true');
CREATE USER MAPPING FOR PUBLIC SERVER :"server" OPTIONS (user 'postgres');
IMPORT FOREIGN SCHEMA chess LIMIT TO (pgn_view) FROM SERVER :"server" INTO chess;
ALTER FOREIGN TABLE chess.pgn_view RENAME TO :"part";
-- As if there were few games: a function of the game then has few values, and is worth grouping by on the node.
ALTER FOREIGN TABLE chess.:"part" ALTER COLUMN game SET (n_distinct = 50);
