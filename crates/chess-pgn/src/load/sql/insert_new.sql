-- In: schema and extension; columns, those of games; moves, stored_moves and new_moves, the moves without the result of
-- incoming, of a stored game g and of a new game n; same_white and same_black, whether these two have the same players. Out:
-- the games of incoming that equal no stored one are in games.
INSERT INTO {schema}.games ({columns})
SELECT {columns} FROM (SELECT DISTINCT ON ({moves}, white_id, black_id, date, result, error IS NULL) *
    FROM incoming
    ORDER BY {moves}, white_id, black_id, date, result, error IS NULL, source_offset) n
WHERE NOT EXISTS (SELECT FROM {schema}.games g WHERE {stored_moves} OPERATOR({extension}.=) {new_moves}
    AND (g.error IS NULL) = (n.error IS NULL) AND {same_white} AND {same_black}
    AND g.date IS NOT DISTINCT FROM n.date AND g.result = n.result)
ORDER BY source_offset
