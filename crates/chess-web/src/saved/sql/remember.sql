-- In: a notebook, the session; positions with what is remembered of them, as JSON; the most positions of a notebook. Out: the
-- notebook's number, if the session has it, and whether there is room for them. What is stored of an answer given later than the
-- one that comes stays.
WITH book AS (SELECT id FROM chess_web.notebooks WHERE id = {} AND session_id = {}), given AS (
    SELECT r.* FROM jsonb_to_recordset({}::jsonb) r (position text, stability float8, difficulty float8, answered float8, days integer)
), room AS (
    SELECT b.id FROM book b
    WHERE (SELECT count(*) FROM chess_web.training t WHERE t.notebook_id = b.id)
          + (SELECT count(*) FROM given g WHERE NOT EXISTS (
                SELECT FROM chess_web.training t WHERE t.notebook_id = b.id AND t.position = g.position)) <= {}
), stored AS (
    INSERT INTO chess_web.training AS t (notebook_id, position, stability, difficulty, answered, due)
    SELECT b.id, r.position, r.stability, r.difficulty, least(a.at, now()), least(a.at, now()) + make_interval(days => r.days)
    FROM room b, given r, LATERAL (SELECT to_timestamp(r.answered) AS at) a
    ON CONFLICT (notebook_id, position) DO UPDATE
    SET stability = excluded.stability, difficulty = excluded.difficulty, due = excluded.due, answered = excluded.answered
    WHERE t.answered < excluded.answered
)
SELECT id, EXISTS (SELECT FROM room) AS has_room FROM book
