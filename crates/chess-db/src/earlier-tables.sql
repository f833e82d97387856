-- In: {schema}, as for tables.sql. Out: the table of what changed games were before.

CREATE TABLE {schema}.earlier_games (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id    bigint NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by text NOT NULL DEFAULT session_user,
    game       jsonb NOT NULL
);
CREATE INDEX earlier_games_game_id_idx ON {schema}.earlier_games (game_id, id);
CREATE INDEX earlier_games_source_id_idx ON {schema}.earlier_games (((game ->> 'source_id')::integer));
COMMENT ON TABLE {schema}.earlier_games IS 'what games were before somebody changed them with keep_game; restore_game brings the last state back';
COMMENT ON COLUMN {schema}.earlier_games.changed_at IS 'when the change began';
COMMENT ON COLUMN {schema}.earlier_games.changed_by IS 'the role that has changed it';
COMMENT ON COLUMN {schema}.earlier_games.game IS 'its row of games until then';
