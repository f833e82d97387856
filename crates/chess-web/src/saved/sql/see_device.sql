-- In: a device. Out: it was seen today, and its sessions end in a year. The sessions
-- are locked first, in the order of join.sql, so that two devices cannot wait for each other.
WITH asked AS (SELECT {} AS device), locked AS (
    SELECT s.id FROM chess_web.sessions s
    WHERE s.id IN (SELECT unnest(ARRAY[d.session_id, d.own]) FROM chess_web.devices d JOIN asked a ON d.id = a.device)
    ORDER BY s.id FOR NO KEY UPDATE OF s
), here AS (
    UPDATE chess_web.devices d SET seen = now() FROM asked a WHERE (SELECT count(*) FROM locked) > 0 AND d.id = a.device
    RETURNING d.session_id, d.own
)
UPDATE chess_web.sessions s SET seen = now(), expires = now() + interval '1 year' FROM here WHERE s.id IN (here.session_id, here.own)
