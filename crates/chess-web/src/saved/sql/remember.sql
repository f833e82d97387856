-- In: a notebook, the session; positions with what is remembered of them, as JSON. Out: the notebook's number, if the session has
-- it. What is stored of an answer given later than the one that comes stays.
WITH book AS (SELECT id FROM chess_web.notebooks WHERE id = {} AND session_id = {}), stored AS (
    INSERT INTO chess_web.training AS t (notebook_id, position, stability, difficulty, answered, due)
    SELECT b.id, r.position, r.stability, r.difficulty, least(a.at, now()), least(a.at, now()) + make_interval(days => r.days)
    FROM book b, jsonb_to_recordset({}::jsonb) r (position text, stability float8, difficulty float8, answered float8, days integer),
         LATERAL (SELECT to_timestamp(r.answered) AS at) a
    ON CONFLICT (notebook_id, position) DO UPDATE
    SET stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, answered = excluded.answered
    WHERE t.answered < excluded.answered
)
SELECT id FROM book
