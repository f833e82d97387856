-- In: a notebook, a position, its stability and difficulty, the days after which it is asked again.
-- Out: what is remembered of the position, and when it is due.
INSERT INTO chess_web.training (notebook_id, position, stability, difficulty, due)
VALUES ({}, {}, {}, {}, now() + make_interval(days => {}))
ON CONFLICT (notebook_id, position) DO UPDATE
SET stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, answered = now()
RETURNING to_char(due AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS due
