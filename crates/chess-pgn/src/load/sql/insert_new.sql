-- In: schema and extension; columns, those of games; moves, stored_moves and new_moves, the moves without the result of
-- incoming, of a stored game g and of a new game n; stored_key and new_key, what the index of equal games has of g, and what it
-- has of n if seats w and b play it; fence, OFFSET 0 if there is this index: without statistics the planner would rather read all
-- games; source, that of incoming. Out: the games of incoming that equal no stored one are in games, and so is one that is read anew
-- because its file has grown, and whose corrections change_again will make.
INSERT INTO {schema}.games ({columns})
WITH fresh AS MATERIALIZED (
    SELECT DISTINCT ON ({moves}, white_id, black_id, date, result, error, {incomplete}) *
    FROM incoming
    ORDER BY {moves}, white_id, black_id, date, result, error, {incomplete}, source_offset
), ids AS MATERIALIZED (
    SELECT white_id AS id FROM fresh UNION SELECT black_id FROM fresh
), seats AS MATERIALIZED (
    -- The players of new games, 0 for none, and who is the same player: under another spelling, or under the same name with no
    -- FIDE id.
    SELECT coalesce(id, 0) AS new, coalesce(id, 0) AS stored FROM ids
    UNION
    SELECT p.id, a.id FROM ids JOIN {schema}.players p USING (id) JOIN {schema}.players a ON a.same_as = coalesce(p.same_as, p.id)
    UNION
    SELECT p.id, a.id FROM ids JOIN {schema}.players p USING (id) JOIN {schema}.players a ON a.id = p.same_as AND a.same_as IS NULL
    UNION
    SELECT p.id, a.id FROM ids JOIN {schema}.players p USING (id) JOIN {schema}.players a ON a.name = p.name
    WHERE a.fide_id IS NULL OR p.fide_id IS NULL
), seated AS MATERIALIZED (
    SELECT n.source_id, n.source_offset, n.game, n.date, n.result, n.error, n.annotated, w.stored AS white, b.stored AS black, {new_key} AS key
    FROM fresh n JOIN seats w ON w.new = coalesce(n.white_id, 0) JOIN seats b ON b.new = coalesce(n.black_id, 0)
), anew AS MATERIALIZED (
    SELECT (e.game ->> 'source_offset')::bigint AS source_offset
    FROM {schema}.earlier_games e JOIN {schema}.games g ON g.id = e.game_id
    WHERE (e.game ->> 'source_id')::integer = {source} AND g.source_offset IS NULL
), known AS MATERIALIZED (
    SELECT n.source_offset
    FROM seated n CROSS JOIN LATERAL (SELECT * FROM {schema}.games g WHERE {stored_key} = n.key {fence}) g
    WHERE {stored_moves} OPERATOR({extension}.=) {new_moves} AND coalesce(g.white_id, 0) = n.white AND coalesce(g.black_id, 0) = n.black
        AND g.error IS NOT DISTINCT FROM n.error AND (n.error IS NULL OR g.annotated = n.annotated) AND g.date IS NOT DISTINCT FROM n.date AND g.result = n.result
        -- a game that has lost its offset is being read anew, and is not its own duplicate
        AND (g.source_offset IS NOT NULL OR g.source_id IS DISTINCT FROM n.source_id)
)
SELECT {columns} FROM fresh
WHERE source_offset NOT IN (SELECT source_offset FROM known) OR source_offset IN (SELECT source_offset FROM anew)
ORDER BY source_offset
