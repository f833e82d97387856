-- In: a notebook, a position, its stability and difficulty, the days after which it is asked again, how many seconds ago the
-- answer was given. Out: what is remembered of the position, and when it is due.
INSERT INTO chess_web.training (answered, notebook_id, position, stability, difficulty, due)
SELECT a.answered, {}, {}, {}, {}, a.answered + make_interval(days => {})
FROM (SELECT now() - make_interval(secs => {}) AS answered) a
ON CONFLICT (notebook_id, position) DO UPDATE
SET stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, answered = excluded.answered
RETURNING to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due, due <= now() AS is_due
