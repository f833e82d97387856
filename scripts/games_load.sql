-- In: a piece of a PGN file on standard input, prepared by scripts/pgn-pieces.pl; the tables of
-- scripts/games_table.sql.
-- Out: its games in the table games; unreadable ones in the table rejected, with the reason.
CREATE TEMP TABLE piece (pgn text);
ALTER TABLE piece ALTER pgn SET STORAGE EXTERNAL;
\copy piece from pstdin (format csv, quote E'\x01', delimiter E'\x02')

WITH parsed AS MATERIALIZED (
    SELECT pgngames.* FROM piece, pgngames(pgn)
), bad AS (
    INSERT INTO rejected
    SELECT (SELECT count(*) FROM games) + (SELECT count(*) FROM rejected) + number, tags, error
    FROM parsed WHERE error IS NOT NULL
)
INSERT INTO games (white, black, result, date, event, game)
SELECT tags->>'White', tags->>'Black', tags->>'Result', tags->>'Date', tags->>'Event', game
FROM parsed WHERE error IS NULL
ORDER BY number;

\pset format unaligned
\pset tuples_only on
SELECT format('%s games stored, %s rejected', (SELECT count(*) FROM games), (SELECT count(*) FROM rejected));
