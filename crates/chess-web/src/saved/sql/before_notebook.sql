-- In: a notebook, its session.
-- Out: before has its name and colour, which are remembered for undo. What changes it follows.
WITH before AS (
    SELECT id AS of, name AS old_name, color AS old_color FROM chess_web.notebooks
    WHERE id = {} AND session_id = {} FOR UPDATE
), change AS (
    INSERT INTO chess_web.notebook_changes (notebook_id, before)
    SELECT of, jsonb_build_object('name', old_name, 'color', old_color) FROM before
)
