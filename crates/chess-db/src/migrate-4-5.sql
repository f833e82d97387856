-- In: {schema}; the tables of version 4. Out: games with a column for the ids of lichess. Addresses that are in sites stay there.

-- What has other arguments now.
DROP FUNCTION IF EXISTS
    {schema}.restore_game(bigint),
    {schema}.ending_month(daterange),
    {schema}.report_condition(integer[], {chess}.chesspattern[]),
    {schema}.player_report(text, text, text, text, text, daterange, text, text, text, text[], boolean, text[], integer, integer, integer,
        integer[], {chess}.chesspattern[]),
    {schema}.opening_report({chess}.chessboard, text, text, text, text, text, daterange, text, text, text, text[], boolean, text[], integer,
        integer, integer, integer[], {chess}.chesspattern[]),
    {schema}.ending_report({chess}.chesspattern, text, text, text, text, text, daterange, text, text, text, text[], boolean, text[], integer,
        integer[], {chess}.chesspattern[]);

ALTER TABLE {schema}.games ADD COLUMN IF NOT EXISTS lichess_id bigint;
COMMENT ON COLUMN {schema}.games.lichess_id IS
    'the id of a game whose site is its address at lichess, as a number in base 62; lichess_site(lichess_id) is the address';

-- The kept states are of games without an id.
UPDATE {schema}.earlier_games SET game = game || jsonb_build_object('lichess_id', NULL) WHERE NOT game ? 'lichess_id';
CREATE INDEX IF NOT EXISTS earlier_games_source_id_idx ON {schema}.earlier_games (((game ->> 'source_id')::integer));

-- Where load --index has made indexes, ids are looked up: the index is empty, and without it each look-up reads all games.
DO $block$
BEGIN
    IF to_regclass('{schema_literal}.games_given_id_idx') IS NOT NULL THEN
        CREATE INDEX IF NOT EXISTS games_lichess_id_idx ON {schema}.games (lichess_id) WHERE lichess_id IS NOT NULL;
    END IF;
END
$block$;

-- A foreign table has the columns of all steps only if its server has them, too; else every query of the games would fail from now
-- on. All tables that are read here were found to belong to trusted roles when the transaction began.
DO $block$
DECLARE
    foreign_table regclass;
    server text;
BEGIN
    FOR foreign_table, server IN
        WITH RECURSIVE part (id) AS (
            SELECT to_regclass('{schema_literal}.games')::oid
            UNION
            SELECT i.inhrelid FROM part p JOIN pg_inherits i ON i.inhparent = p.id
        )
        SELECT f.ftrelid, s.srvname FROM part p JOIN pg_foreign_table f ON f.ftrelid = p.id JOIN pg_foreign_server s ON s.oid = f.ftserver
        ORDER BY f.ftrelid::regclass::text
    LOOP
        BEGIN
            EXECUTE format('SELECT * FROM %s LIMIT 1', foreign_table);
        EXCEPTION WHEN undefined_column THEN
            RAISE EXCEPTION 'what foreign table % stands for is not of this version (%): run chess-pgn migrate on server % first',
                foreign_table, SQLERRM, server;
        END;
    END LOOP;
END
$block$;
