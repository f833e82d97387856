WITH united AS (
    UPDATE {schema}.players p SET same_as = o.id
    FROM (SELECT DISTINCT ON (q.fide_id) q.fide_id, coalesce(q.same_as, q.id) AS id FROM {schema}.players q
          WHERE q.fide_id IN (SELECT n.fide_id FROM {schema}.players n WHERE n.id = ANY ($1))
          ORDER BY q.fide_id, q.id) o
    WHERE p.id = ANY ($1) AND p.fide_id = o.fide_id AND p.id <> o.id RETURNING p.id, p.same_as
)
INSERT INTO {schema}.name_merges (of_table, name_id, same_as, reason, score)
SELECT 'players', id, same_as, 'the same FIDE id', 1 FROM united
