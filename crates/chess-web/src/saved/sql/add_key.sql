-- In: the key of an answer or an empty text, a notebook, a position, the key again. Out: an answer with this key is known there.
UPDATE chess_web.training t SET keys = (array_remove(ARRAY[{}], '') || t.keys)[1:20]
WHERE t.notebook_id = {} AND t.position = {} AND NOT t.keys && ARRAY[{}]
RETURNING 1 AS one
