-- In: an empty database. Out: the extension, and the tables that scripts/games_load.sql fills.
CREATE EXTENSION chess;

CREATE TABLE games (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    white  text,
    black  text,
    result text,
    date   text,   -- PGN dates may be partly unknown: 1851.06.??
    event  text,
    game   chessgame NOT NULL
);

CREATE TABLE rejected (
    number bigint,  -- the game's number in the load
    tags   jsonb,
    error  text
);
