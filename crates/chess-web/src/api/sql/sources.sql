-- Out: the sources, each with the sums of its pieces; the latest first.
SELECT s.id, s.name, s.bytes, s.fingerprint, to_char(s.first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS seen,
       s.finished IS NOT NULL AS finished, coalesce(sum(p.stored), 0) AS stored, coalesce(sum(p.incomplete), 0) AS incomplete,
       coalesce(sum(p.rejected), 0) AS rejected, coalesce(sum(p.duplicates), 0) AS known
FROM {schema}.sources s LEFT JOIN {schema}.pieces p ON p.source_id = s.id
GROUP BY s.id, s.name, s.bytes, s.fingerprint, s.first_seen, s.finished ORDER BY s.first_seen DESC, s.id DESC LIMIT 500
