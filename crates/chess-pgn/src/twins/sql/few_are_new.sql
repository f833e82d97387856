-- In: games, the table; around, the number of games that each new one is compared with; $1 the last id before the new games,
-- $2 the name of the table. Out: whether the indexes are faster than sorting all games: few are new, and a B-tree has all
-- games in the order of their moves.
SELECT (SELECT count(*) FROM {games} WHERE id > $1) * {around} * 2 < $1 - (SELECT min(id) FROM {games})
AND EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = $2::text::regclass AND i.indisvalid AND i.indpred IS NULL
              AND m.amname = 'btree' AND a.attname = 'game')
