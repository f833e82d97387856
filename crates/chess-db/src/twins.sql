-- In: {schema}, as for tables.sql, after it.
-- Out: the tables of games that are stored twice. chess-pgn twins fills them.

CREATE TABLE {schema}.twins (
    a      bigint NOT NULL,
    b      bigint NOT NULL,
    kind   text NOT NULL CHECK (kind IN ('same', 'prefix', 'last_moves', 'stub', 'other_players')),
    score  real NOT NULL CHECK (score BETWEEN 0 AND 1),
    reason text NOT NULL,
    PRIMARY KEY (a, b),
    CHECK (a < b)
);
CREATE INDEX twins_b_idx ON {schema}.twins (b);
COMMENT ON TABLE {schema}.twins IS 'pairs of games that are one game stored twice, as the last run of chess-pgn twins has found them';
COMMENT ON COLUMN {schema}.twins.a IS 'a game, by its id';
COMMENT ON COLUMN {schema}.twins.b IS 'the other game, with the higher id';
COMMENT ON COLUMN {schema}.twins.kind IS
    'same: equal moves; prefix: one ends where the other goes on; last_moves: some moves differ; stub: one has fewer than 10 half-moves; other_players: the moves of other players';
COMMENT ON COLUMN {schema}.twins.score IS 'how sure it is, from 0 to 1';
COMMENT ON COLUMN {schema}.twins.reason IS 'the evidence';

CREATE TABLE {schema}.twins_removed (
    run        integer NOT NULL,
    game_id    bigint NOT NULL,
    kept_id    bigint NOT NULL,
    reason     text NOT NULL,
    game       jsonb NOT NULL,
    rejected   jsonb,
    analyzed   jsonb,
    pairs      jsonb,
    removed_by text NOT NULL DEFAULT session_user,
    removed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run, game_id)
);
COMMENT ON TABLE {schema}.twins_removed IS 'games that chess-pgn twins --keep has removed: --undo brings them back from here';
COMMENT ON COLUMN {schema}.twins_removed.kept_id IS 'the twin that has stayed';
COMMENT ON COLUMN {schema}.twins_removed.run IS 'the run of chess-pgn twins --keep, from 1';
COMMENT ON COLUMN {schema}.twins_removed.game IS 'its row of games';
COMMENT ON COLUMN {schema}.twins_removed.rejected IS 'its rows of rejected; NULL if it had none';
COMMENT ON COLUMN {schema}.twins_removed.analyzed IS 'its row of analyzed_games; NULL if it had none';
COMMENT ON COLUMN {schema}.twins_removed.pairs IS 'its rows of twins; NULL if it had none';
CREATE SEQUENCE {schema}.twins_runs AS integer;
COMMENT ON SEQUENCE {schema}.twins_runs IS 'the numbers of runs of chess-pgn twins --keep, which are never used again';

CREATE TABLE {schema}.twins_taken (
    run        integer NOT NULL,
    kept_id    bigint NOT NULL,
    name       text NOT NULL,
    taken_from bigint NOT NULL,
    before     jsonb,
    after      jsonb NOT NULL,
    PRIMARY KEY (run, kept_id, name)
);
COMMENT ON TABLE {schema}.twins_taken IS 'columns that games have taken over from their removed twins';
COMMENT ON COLUMN {schema}.twins_taken.name IS 'the column of games';
COMMENT ON COLUMN {schema}.twins_taken.taken_from IS 'the removed game that had the value';
COMMENT ON COLUMN {schema}.twins_taken.before IS 'the value before; NULL if there was none';
COMMENT ON COLUMN {schema}.twins_taken.after IS 'the value since';
