-- In: the numbers of sources that the visitor has brought. Out: sources, each with the sums of its pieces; the latest first. Of
-- more than 500 the visitor's own stay in the list, because they can be removed only from there.
SELECT s.id, s.name, s.bytes, s.fingerprint, to_char(s.first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS seen,
       s.finished IS NOT NULL AS finished, coalesce(sum(p.stored), 0) AS stored, coalesce(sum(p.incomplete), 0) AS incomplete,
       coalesce(sum(p.rejected), 0) AS rejected, coalesce(sum(p.duplicates), 0) AS known
FROM (SELECT * FROM {schema}.sources ORDER BY id = ANY ({}) DESC, first_seen DESC, id DESC LIMIT 500) s
LEFT JOIN {schema}.pieces p ON p.source_id = s.id
GROUP BY s.id, s.name, s.bytes, s.fingerprint, s.first_seen, s.finished ORDER BY s.first_seen DESC, s.id DESC
