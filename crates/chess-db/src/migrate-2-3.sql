-- In: {schema} and {chess}, as for tables.sql; the tables as chess-pgn 0.3.0 created them.
-- Out: the tables players, events and sites of tables.sql. merges.sql, players.sql and views.sql follow.

ALTER TABLE {schema}.players
    DROP CONSTRAINT players_name_key,
    ADD COLUMN fide_id integer,
    ADD COLUMN same_as integer REFERENCES {schema}.players,
    ADD COLUMN canonical text,
    ADD COLUMN shown text GENERATED ALWAYS AS (coalesce(canonical, name)) STORED,
    ADD COLUMN folded text GENERATED ALWAYS AS ({chess}.foldname(name)) STORED,
    ADD CONSTRAINT players_name_fide_id_key UNIQUE NULLS NOT DISTINCT (name, fide_id);
ALTER TABLE {schema}.events ADD COLUMN same_as integer REFERENCES {schema}.events, ADD COLUMN canonical text;
ALTER TABLE {schema}.sites ADD COLUMN same_as integer REFERENCES {schema}.sites, ADD COLUMN canonical text;
