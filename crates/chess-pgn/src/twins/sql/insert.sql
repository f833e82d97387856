-- In: schema. Out: the pairs of new_twins are in twins. Those of which a game has gone since are left out.
INSERT INTO {schema}.twins (a, b, kind, score, reason)
SELECT n.a, n.b, n.kind, n.score, n.reason FROM pg_temp.new_twins n
WHERE EXISTS (SELECT FROM {schema}.games g WHERE g.id = n.a) AND EXISTS (SELECT FROM {schema}.games g WHERE g.id = n.b)
ON CONFLICT (a, b) DO UPDATE SET kind = excluded.kind, score = excluded.score, reason = excluded.reason
