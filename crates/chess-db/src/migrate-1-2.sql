-- In: {schema} and {chess}; the tables as chess-pgn 0.2.0 created them.
-- Out: the tables of tables.sql. `games` is rewritten once, for the generated columns; facts is of a later version.

ALTER TABLE {schema}.sources ADD COLUMN earlier bytea[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN {schema}.sources.earlier IS 'the fingerprints it had before it grew';

ALTER TABLE {schema}.pieces ADD COLUMN incomplete integer NOT NULL DEFAULT 0,
    ADD CHECK (incomplete BETWEEN 0 AND stored);
COMMENT ON COLUMN {schema}.pieces.incomplete IS 'how many of those stored cannot be read to their end';

ALTER TABLE {schema}.rejected ADD COLUMN game_id bigint;
COMMENT ON TABLE {schema}.rejected IS 'games that cannot be read to their end, and why';
COMMENT ON COLUMN {schema}.rejected.number IS 'the ordinal of the game in its source, from 1';
COMMENT ON COLUMN {schema}.rejected.game_id IS 'the game up to there; NULL if not one half-move of it can be read';
CREATE INDEX rejected_game_id_idx ON {schema}.rejected (game_id) WHERE game_id IS NOT NULL;

-- The column keeps only the four results of PGN; other text moves to the tags, in front of values of the same name.
UPDATE {schema}.games
SET result = {chess}.result(game),
    tags = CASE WHEN result = '?' THEN tags
                ELSE coalesce(tags, '{}') || jsonb_build_object('Result',
                         CASE WHEN tags ? 'Result' THEN to_jsonb(result) || (tags -> 'Result') ELSE to_jsonb(result) END)
           END
WHERE result NOT IN ('1-0', '0-1', '1/2-1/2', '*');

-- The column cannot be replaced while the view uses it; CREATE OR REPLACE keeps other views that are based on the view.
CREATE OR REPLACE VIEW {schema}.pgn_view AS
SELECT g.id, e.name AS event, s.name AS site, g.date, g.dates, g.round, w.name AS white, b.name AS black, g.result,
       g.white_elo, g.black_elo, g.time_control, g.eco, {chess}.plycount(g.game) AS ply_count, g.tags, g.game, g.clocks,
       g.evals, o.name AS source, g.source_id, g.source_offset
FROM {schema}.games g
LEFT JOIN {schema}.sources o ON o.id = g.source_id
LEFT JOIN {schema}.events e ON e.id = g.event_id
LEFT JOIN {schema}.sites s ON s.id = g.site_id
LEFT JOIN {schema}.players w ON w.id = g.white_id
LEFT JOIN {schema}.players b ON b.id = g.black_id;

DO $block$
DECLARE
    indexed boolean := to_regclass('{schema_literal}.games_ply_count_idx') IS NOT NULL;
BEGIN
    -- From now on equal games are found by their moves without the result.
    DROP INDEX IF EXISTS {schema}.games_game_hash;
    ALTER TABLE {schema}.games
        ALTER source_id DROP NOT NULL,
        ALTER source_offset DROP NOT NULL,
        ALTER result SET DEFAULT '*',
        ADD CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')),
        ADD COLUMN error text,
        ADD COLUMN annotated text,
        ADD COLUMN shard smallint,
        DROP COLUMN ply_count,
        ADD COLUMN ply_count integer GENERATED ALWAYS AS ({chess}.plycount(game)) STORED,
        ADD COLUMN facts integer GENERATED ALWAYS AS ({chess}.gamefacts(game)) STORED;
    IF indexed THEN
        CREATE INDEX games_ply_count_idx ON {schema}.games (ply_count);
    END IF;
END
$block$;
COMMENT ON COLUMN {schema}.games.source_id IS 'the source it was loaded from; NULL for a game that was inserted by hand';
COMMENT ON COLUMN {schema}.games.shard IS 'the number of this server among those that hold the games together; NULL if it is alone';
COMMENT ON COLUMN {schema}.games.error IS
    'why the game ends before its text does; NULL if it is whole. The text is in rejected, under the number of the game';
COMMENT ON COLUMN {schema}.games.annotated IS
    'the moves as their author has written them, if there is more in them than the other columns hold; NULL if not';
