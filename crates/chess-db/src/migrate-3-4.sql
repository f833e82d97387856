-- In: {schema} and {chess}; the tables of version 3, which may have counts of the moves in popular positions.
-- Out: the schema without these counts, and with columns for endgame tables, for facts of games, and for games that a load has
-- left out; games with rows of players for the FIDE ids in their tags. `games` is rewritten.
-- types.sql follows.

DROP FUNCTION IF EXISTS {schema}.explorer({chess}.chessboard, text, text, text, text, text, daterange, text, text, text, text[], boolean,
    boolean, boolean);
DROP FUNCTION IF EXISTS {schema}.explorer_games({chess}.chessboard, text, text, text, text, text, daterange, text, text, text, text[], boolean,
    text, integer, bigint, boolean);
DROP FUNCTION IF EXISTS {schema}.explorer_source({chess}.chessboard, text, text, text, text, text, daterange, text, text, text, text[], boolean);
DROP TYPE IF EXISTS {schema}.explorer_move, {schema}.explorer_game;
DROP TYPE IF EXISTS {schema}.report_row CASCADE; -- with the reports, which have other arguments now
DROP VIEW IF EXISTS {schema}.explorer_listed, {schema}.explorer_known, {schema}.explorer_pending_games;
-- with their triggers on the games
DROP FUNCTION IF EXISTS {schema}.explorer_piece_comes(), {schema}.explorer_piece_changes(), {schema}.explorer_games_come(),
    {schema}.explorer_games_change(), {schema}.explorer_games_go(), {schema}.explorer_game_applied() CASCADE;
DROP TABLE IF EXISTS {schema}.explorer_build, {schema}.explorer_position, {schema}.explorer_cell, {schema}.explorer_total,
    {schema}.explorer_list, {schema}.explorer_pending, {schema}.explorer_pending_game, {schema}.explorer_stale;

-- Searches fold names as merges do.
ALTER TABLE {schema}.players DROP COLUMN folded;
ALTER TABLE {schema}.players ADD COLUMN folded text GENERATED ALWAYS AS ({chess}.foldname(name)) STORED;
CREATE INDEX players_folded_idx ON {schema}.players (folded text_pattern_ops);
CREATE INDEX players_ends_idx ON {schema}.players (reverse(split_part(folded, ' ', 1)) text_pattern_ops);
COMMENT ON COLUMN {schema}.players.folded IS 'the name as searches and merges compare it: in lower case and plain letters, without punctuation';

-- Loads that store only some games.
ALTER TABLE {schema}.sources ADD COLUMN condition text;
COMMENT ON COLUMN {schema}.sources.condition IS 'which of its games were stored, as chess-pgn load --where had it; NULL if all';
ALTER TABLE {schema}.pieces
    DROP CONSTRAINT pieces_check,
    ADD COLUMN left_out integer NOT NULL DEFAULT 0;
ALTER TABLE {schema}.pieces ADD CONSTRAINT pieces_check CHECK (games = stored + rejected + duplicates + left_out);
COMMENT ON COLUMN {schema}.pieces.left_out IS 'how many were not stored, because the condition of the source does not hold for them';

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

-- Other servers that hold the games have no such column until they are migrated, too.
DO $block$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_partition_tree('{schema_literal}.games') p JOIN pg_class c ON c.oid = p.relid WHERE c.relkind = 'f') THEN
        -- A name was one row, also of several players whose ids differ. The next load with one of these ids would take all for him.
        WITH tagged AS MATERIALIZED (
            SELECT g.id, g.white_id, g.black_id, nullif(w.fide_id, b.fide_id) AS white, nullif(b.fide_id, w.fide_id) AS black
            FROM {schema}.games g
            CROSS JOIN LATERAL (SELECT btrim(g.tags ->> 'WhiteFideId') AS white, btrim(g.tags ->> 'BlackFideId') AS black) t
            CROSS JOIN LATERAL (SELECT CASE WHEN t.white ~ '^0*[1-9][0-9]{0,8}$' THEN t.white::integer END AS fide_id) w
            CROSS JOIN LATERAL (SELECT CASE WHEN t.black ~ '^0*[1-9][0-9]{0,8}$' THEN t.black::integer END AS fide_id) b
            WHERE g.tags ?| ARRAY['WhiteFideId', 'BlackFideId']
        ), made AS (
            INSERT INTO {schema}.players (name, fide_id)
            SELECT p.name, s.fide_id
            FROM (SELECT white_id, white FROM tagged UNION SELECT black_id, black FROM tagged) s (id, fide_id)
            JOIN {schema}.players p USING (id)
            WHERE p.fide_id IS NULL AND s.fide_id IS NOT NULL
            ORDER BY p.id, s.fide_id
            ON CONFLICT DO NOTHING RETURNING id, name, fide_id
        ), seats AS MATERIALIZED (
            SELECT p.id AS was, o.id, o.fide_id
            FROM {schema}.players p JOIN (TABLE made UNION ALL SELECT id, name, fide_id FROM {schema}.players) o USING (name)
            WHERE p.fide_id IS NULL AND o.fide_id IS NOT NULL
        )
        UPDATE {schema}.games g SET white_id = coalesce(w.id, g.white_id), black_id = coalesce(b.id, g.black_id)
        FROM tagged t
        LEFT JOIN seats w ON w.was = t.white_id AND w.fide_id = t.white
        LEFT JOIN seats b ON b.was = t.black_id AND b.fide_id = t.black
        WHERE g.id = t.id AND (w.id IS NOT NULL OR b.id IS NOT NULL);
        ALTER TABLE {schema}.games ADD COLUMN IF NOT EXISTS facts integer GENERATED ALWAYS AS ({chess}.gamefacts(game)) STORED;
    END IF;
END
$block$;
