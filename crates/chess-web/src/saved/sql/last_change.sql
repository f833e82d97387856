-- In: a notebook, its session.
-- Out: the bytes of what undoes its last change; no row if there is none.
SELECT octet_length(c.before::text)::bigint AS bytes
FROM chess_web.notebook_changes c JOIN chess_web.notebooks n ON n.id = c.notebook_id
WHERE n.id = {} AND n.session_id = {} ORDER BY c.id DESC LIMIT 1
