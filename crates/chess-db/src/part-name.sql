-- A load unites a row without an id with the only player of its name who has one. When a second player with an id comes, nobody
-- knows whose the row is: this takes it apart again, unless somebody else has merged it since.
WITH parted AS (
    UPDATE {schema}.players p SET same_as = NULL
    WHERE p.name IN (SELECT n.name FROM {schema}.players n WHERE n.id = ANY ($1)) AND p.fide_id IS NULL AND p.same_as IS NOT NULL
      AND (SELECT count(DISTINCT coalesce(q.same_as, q.id)) FROM {schema}.players q WHERE q.name = p.name AND q.fide_id IS NOT NULL) > 1
      AND (SELECT (m.reason, m.same_as) = ('the name of one FIDE id', p.same_as) FROM {schema}.name_merges m
           WHERE m.of_table = 'players' AND m.name_id = p.id AND m.undone_at IS NULL ORDER BY m.id DESC LIMIT 1)
    RETURNING p.id
)
INSERT INTO {schema}.name_merges (of_table, name_id, was_same_as, same_as, reason, score)
SELECT 'players', d.id, p.same_as, NULL, 'the name of several FIDE ids', 1 FROM parted d JOIN {schema}.players p USING (id)
