-- In: {schema}, {chess} and {fold}, as for tables.sql; the tables as chess-pgn 0.3.0 created them.
-- Out: the tables players, events and sites of tables.sql. merges.sql, players.sql and views.sql follow.

ALTER TABLE {schema}.players
    DROP CONSTRAINT players_name_key,
    ADD COLUMN fide_id integer,
    ADD COLUMN same_as integer REFERENCES {schema}.players,
    ADD COLUMN canonical text,
    ADD COLUMN shown text GENERATED ALWAYS AS (coalesce(canonical, name)) STORED,
    ADD COLUMN folded text GENERATED ALWAYS AS ({fold}) STORED,
    ADD CONSTRAINT players_name_fide_id_key UNIQUE NULLS NOT DISTINCT (name, fide_id);
ALTER TABLE {schema}.events ADD COLUMN same_as integer REFERENCES {schema}.events, ADD COLUMN canonical text;
ALTER TABLE {schema}.sites ADD COLUMN same_as integer REFERENCES {schema}.sites, ADD COLUMN canonical text;

-- Endgame tables among the engines. The upgrade from version 1 has just created the columns.
ALTER TABLE {schema}.analysis
    DROP CONSTRAINT analysis_limit_kind_check,
    ADD CONSTRAINT analysis_limit_kind_check CHECK (limit_kind IN ('nodes', 'depth', 'movetime', 'tables')),
    ADD COLUMN IF NOT EXISTS tb_wdl smallint CHECK (tb_wdl BETWEEN -2 AND 2),
    ADD COLUMN IF NOT EXISTS tb_dtz integer;
COMMENT ON COLUMN {schema}.analysis.limit_kind IS 'what the search was limited by: nodes, depth in half-moves, movetime in milliseconds; tables, which do not search';
COMMENT ON COLUMN {schema}.analysis.tb_wdl IS
    'what endgame tables say for the side to move: 2 won, 1 won but for the fifty-move rule, 0 drawn, -1 lost but for the fifty-move rule, -2 lost';
COMMENT ON COLUMN {schema}.analysis.tb_dtz IS 'half-moves to the next capture or pawn move in best play, with the sign of tb_wdl';
