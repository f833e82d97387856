-- In: an empty database, and demo/famous.pgn on standard input, prepared by scripts/pgn-pieces.pl.
-- Out: the extension and an indexed table games: what the snippets of README.md and docs/ run against.
\ir ../../scripts/games_table.sql
\ir ../../scripts/games_load.sql

CREATE INDEX games_game_idx ON games (game);
CREATE INDEX games_game_chess ON games USING chess (game);
ANALYZE games;
