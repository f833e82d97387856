-- In: schema; $1 a game that has stayed, $2 the run that is undone, $3 the column that it had taken over in this run.
-- Out: if a later run has built on the value, the next one remembers the value before both.
UPDATE {schema}.twins_taken s SET before = t.before FROM {schema}.twins_taken t
WHERE t.kept_id = $1 AND t.run = $2 AND t.name = $3
  AND s.kept_id = t.kept_id AND s.name = t.name AND s.before IS NOT DISTINCT FROM t.after
  AND s.run = (SELECT min(n.run) FROM {schema}.twins_taken n WHERE n.kept_id = $1 AND n.name = $3 AND n.run > $2)
