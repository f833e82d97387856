WITH named AS (
    UPDATE {schema}.players p SET same_as = o.id
    FROM (SELECT q.name, min(q.id) FILTER (WHERE q.same_as IS NULL) AS id FROM {schema}.players q
          WHERE q.name IN (SELECT n.name FROM {schema}.players n WHERE n.id = ANY ($1)) AND q.fide_id IS NOT NULL
          -- many players share initials, so a name that has nothing else stays apart
            AND CASE WHEN q.name LIKE '%,%' THEN q.name ~ ',\s*[^\s,.][^\s,.[:upper:]]'
                     ELSE q.folded ~ ' ' AND q.folded !~ '(^| )[^ ]( |$)' END
          GROUP BY q.name HAVING count(DISTINCT coalesce(q.same_as, q.id)) = 1) o
    WHERE p.name = o.name AND p.fide_id IS NULL AND p.same_as IS NULL AND o.id IS NOT NULL
      AND NOT EXISTS (SELECT FROM {schema}.players s WHERE s.same_as = p.id) RETURNING p.id, p.same_as
)
INSERT INTO {schema}.name_merges (of_table, name_id, same_as, reason, score)
SELECT 'players', id, same_as, 'the name of one FIDE id', 1 FROM named
