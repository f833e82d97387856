-- In: a notebook, a position, its stability and difficulty, the days after which it is asked again, the key of the answer or an
-- empty text, how many seconds ago the answer was given. Out: what is remembered of the position, and when it is due; no row if an
-- answer with this key is stored already, or a later one (ages are told in whole seconds).
INSERT INTO chess_web.training AS t (answered, notebook_id, position, stability, difficulty, due, keys)
SELECT a.answered, {}, {}, {}, {}, a.answered + make_interval(days => {}), array_remove(ARRAY[{}], '')
FROM (SELECT now() - make_interval(secs => {}) AS answered) a
ON CONFLICT (notebook_id, position) DO UPDATE
SET stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, answered = excluded.answered,
    keys = (excluded.keys || t.keys)[1:20]
WHERE NOT t.keys && excluded.keys AND t.answered <= excluded.answered + interval '1 second'
RETURNING to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due, due <= now() AS is_due
